import { describe, expect, it } from 'vitest';
import type { ModelDescription } from '../src/logic/model';
import { firstTip, tips } from '../src/logic/tips';

/** Links as [name, parent, type, mimic?]; effectors are the leaves unless they are named. */
type Row = [string, number, 'fixed' | 'revolute' | 'prismatic' | 'free', boolean?];
const DOF = { fixed: 0, revolute: 1, prismatic: 1, free: 6 };
function model(rows: Row[], named?: string[]): ModelDescription {
  const links = rows.map(([name, parent], i) => ({ name, joint: i, parent, children: rows.flatMap(([, p], c) => (p === i ? [c] : [])), geometry: [] }));
  const joints = rows.map(([name, parent, type, mimic], i) => ({ name: `${name}_joint`, type, parent, child: i, nv: DOF[type], ...(mimic ? { mimic: { joint: 0, multiplier: 1, offset: 0 } } : {}) }));
  const effectors = links.flatMap((l, i) => (named ? (named.includes(l.name) ? [i] : []) : l.children.length === 0 ? [i] : []));
  return { links, joints, effectors } as unknown as ModelDescription;
}
const names = (m: ModelDescription): string[] => tips(m).map((i) => m.links[i]!.name);
const first = (m: ModelDescription): string | undefined => m.links[firstTip(m) ?? -1]?.name;
const arm = (n: number): Row[] => [['base', -1, 'fixed'], ...Array.from({ length: n }, (_, i): Row => [`link${i + 1}`, i, 'revolute'])];

describe('tips', () => {
  it('takes the hand, not its fingers', () => {
    const panda = model([...arm(7), ['hand', 7, 'fixed'], ['left_finger', 8, 'prismatic'], ['right_finger', 8, 'prismatic', true]]);
    expect(names(panda)).toEqual(['hand']);
    expect(first(panda)).toBe('hand');
  });
  it('takes the tool frame of a hand that has one', () => {
    expect(first(model([...arm(6), ['hand', 6, 'fixed'], ['left_finger', 7, 'prismatic'], ['right_finger', 7, 'prismatic'], ['hand_tcp', 7, 'fixed']]))).toBe('hand_tcp');
  });
  it('leaves the fingers of a hand without an arm alone', () => {
    expect(names(model([['palm', -1, 'fixed'], ['thumb', 0, 'revolute'], ['index', 0, 'revolute']]))).toEqual(['thumb', 'index']);
  });
  it('takes feet, not the rods that drive them', () => {
    const rows: Row[] = [['pelvis', -1, 'free']];
    for (const side of ['left', 'right']) {
      const at = rows.length;
      rows.push([`${side}-hip`, 0, 'revolute'], [`${side}-knee`, at, 'revolute'], [`${side}-shin`, at + 1, 'revolute'], [`${side}-tarsus`, at + 2, 'revolute'], [`${side}-foot`, at + 3, 'revolute'], [`${side}-plantar-rod`, at + 3, 'revolute']);
    }
    expect(names(model(rows))).toEqual(['left-foot', 'right-foot']);
  });
  it('takes what the model names, in its order, before any leaf', () => {
    const rows: Row[] = [...arm(6), ['tool_changer', 6, 'fixed'], ['finger', 7, 'prismatic']];
    expect(names(model(rows, ['link6']))).toEqual(['link6']);
    expect(first(model(rows, ['link6']))).toBe('link6');
  });
  it('finds nothing where nothing moves', () => expect(first(model([['a', -1, 'fixed'], ['b', 0, 'fixed']]))).toBeUndefined());
});
