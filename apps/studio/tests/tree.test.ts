import { describe, expect, it } from 'vitest';
import { jointGlyph, treeRows, typeAhead } from '../src/logic/tree';
import type { ModelDescription } from '../src/logic/model';
import { chainOf, dofRows, limbFirst, quaternionOf, readDof, rotationVector, writeDof } from '../src/logic/dof';
import { chainModel } from './fake';

describe('treeRows', () => {
  const model = chainModel();
  it('lists joints and links, the effector without its fixed joint', () => {
    expect(treeRows(model, new Set()).map((r) => r.name)).toEqual(['world', 'joint1', 'link1', 'joint2', 'link2', 'joint3', 'link3', 'tip']);
  });
  it('folds', () => {
    const rows = treeRows(model, new Set(['joint:joint2']));
    expect(rows.map((r) => r.name)).toEqual(['world', 'joint1', 'link1', 'joint2']);
    expect(rows[3]!.open).toBe(false);
  });
  it('filters and dims ancestors', () => {
    const rows = treeRows(model, new Set(['world']), 'joint3');
    expect(rows.map((r) => [r.name, r.dimmed])).toEqual([['world', true], ['joint1', true], ['link1', true], ['joint2', true], ['link2', true], ['joint3', false]]);
    expect(treeRows(model, new Set(), 'zzz')).toEqual([]);
  });
  it('lists a hierarchy of thousands of links', () => {
    const deep = chainModel(Array.from({ length: 5000 }, () => 1));
    const rows = treeRows(deep, new Set());
    expect(rows).toHaveLength(1 + 5000 + 5000 + 1);
    expect(rows.at(-1)).toMatchObject({ name: 'tip', depth: 10001 });
    expect(treeRows(deep, new Set(), 'tip').length).toBe(10002);
  });
  it('finds by typing', () => {
    const rows = treeRows(model, new Set());
    expect(rows[typeAhead(rows, 0, 'l')]!.name).toBe('link1');
    expect(rows[typeAhead(rows, 2, 'l')]!.name).toBe('link2');
    expect(typeAhead(rows, 0, 'q')).toBe(-1);
  });
  it.each([
    ['fixed', 'fixed'], ['revolute', 'revolute'], ['continuous', 'revolute'], ['universal', 'revolute'], ['prismatic', 'prismatic'], ['helical', 'prismatic'],
    ['cylindrical', 'prismatic'], ['planar', 'planar'], ['spherical', 'ball'], ['euler', 'ball'], ['free', 'floating'], ['free_euler', 'floating'],
  ])('draws %s as %s', (type, glyph) => expect(jointGlyph(type)).toBe(glyph));
});

describe('degrees of freedom', () => {
  it('reads and writes plain coordinates', () => {
    const model = chainModel();
    const rows = dofRows(model);
    expect(rows.map((r) => r.name)).toEqual(['joint1', 'joint2', 'joint3']);
    const q = [0.1, 0.2, 0.3];
    writeDof(rows[1]!, model, q, 1);
    expect(q).toEqual([0.1, 1, 0.3]);
    expect(readDof(rows[2]!, model, q)).toBe(0.3);
  });
  it('shows a ball joint as three angles that keep a unit quaternion', () => {
    const model = chainModel();
    model.joints[0] = { ...model.joints[0]!, type: 'spherical', nq: 4, nv: 3, coordinates: ['x', 'y', 'z', 'w'], units: ['', '', '', ''], lower: [], upper: [], swing: 0.8, twist: [-0.5, 0.5] };
    const rows = dofRows(model).filter((r) => r.joint === 0);
    expect(rows.map((r) => r.name)).toEqual(['joint1 x', 'joint1 y', 'joint1 z']);
    expect([rows[0]!.upper, rows[2]!.lower]).toEqual([0.8, -0.5]);
    const q = [0, 0, 0, 1, 0, 0];
    writeDof(rows[1]!, model, q, 0.7);
    writeDof(rows[0]!, model, q, -0.2);
    expect(Math.hypot(...q.slice(0, 4))).toBeCloseTo(1, 12);
    expect(readDof(rows[1]!, model, q)).toBeCloseTo(0.7, 12);
    expect(readDof(rows[0]!, model, q)).toBeCloseTo(-0.2, 12);
  });
  it('round-trips rotation vectors, also tiny and near half a turn', () => {
    for (const v of [[0, 0, 0], [1e-10, 0, 0], [0.3, -0.2, 0.9], [3.1, 0, 0]] as [number, number, number][]) {
      const back = rotationVector(quaternionOf(v));
      v.forEach((x, i) => expect(back[i]).toBeCloseTo(x, 9));
    }
  });
  it('finds the chain of a link', () => expect(chainOf(chainModel(), 3)).toEqual([0, 1, 2]));
});

describe('the limb of an effector', () => {
  const body = (): ModelDescription => {
    // hips - spine - { left arm of three, right arm of three }
    const rows: [string, number][] = [['hips', -1], ['spine', 0], ['l1', 1], ['l2', 2], ['l3', 3], ['r1', 1], ['r2', 5], ['r3', 6]];
    const links = rows.map(([name, parent], i) => ({ name, parent, joint: i, children: rows.flatMap(([, p], c) => (p === i ? [c] : [])), geometry: [] }));
    return { links, joints: rows.map(([name, parent], i) => ({ name, parent, child: i, nv: 1 })), effectors: [4, 7] } as unknown as ModelDescription;
  };
  it('comes first, then the way from the root', () => {
    const model = body();
    expect(limbFirst(model, chainOf(model, 7)).map((j) => model.joints[j]!.name)).toEqual(['r1', 'r2', 'r3', 'hips', 'spine']);
  });
  it('is the whole chain of an arm without branches', () => {
    const model = chainModel();
    expect(limbFirst(model, chainOf(model, 3))).toEqual([0, 1, 2]);
    expect(limbFirst(model, [])).toEqual([]);
  });
});
