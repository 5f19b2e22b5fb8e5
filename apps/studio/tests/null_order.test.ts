import { describe, expect, it } from 'vitest';
import { motionName, turnedTo } from '../src/logic/null_order';

const column = (data: Float64Array, rows: number, c: number) => Array.from(data.slice(c * rows, (c + 1) * rows));
const dot = (a: number[], b: number[]) => a.reduce((s, v, i) => s + v * b[i]!, 0);

describe('directions of the null space', () => {
  // Three directions in five degrees of freedom, none of them along an axis.
  const rows = 5;
  const raw = [[1, 2, 0, 1, -1], [0, 1, 1, -2, 0.5], [2, 0, 1, 1, 3]];
  const basis: number[][] = [];
  for (const v of raw) {
    const u = basis.reduce((left, b) => left.map((x, i) => x - dot(v, b) * b[i]!), [...v]);
    const norm = Math.hypot(...u);
    basis.push(u.map((x) => x / norm));
  }
  const given = { rows, columns: 3, data: Float64Array.from(basis.flat()) };

  it('span the same space and stay orthonormal', () => {
    const turned = turnedTo(given, [3, 4]);
    for (let a = 0; a < 3; a++) {
      const u = column(turned.data, rows, a);
      for (let b = 0; b < 3; b++) expect(dot(u, column(turned.data, rows, b))).toBeCloseTo(a === b ? 1 : 0, 10);
      expect(basis.reduce((s, b) => s + dot(u, b) ** 2, 0)).toBeCloseTo(1, 10);
    }
  });
  it('begin with the one that moves the limb most', () => {
    const share = (v: number[]) => Math.hypot(v[3]!, v[4]!);
    const turned = turnedTo(given, [3, 4]);
    const shares = [0, 1, 2].map((c) => share(column(turned.data, rows, c)));
    expect(shares[0]).toBeGreaterThanOrEqual(shares[1]!);
    expect(shares[1]).toBeGreaterThanOrEqual(shares[2]!);
    for (const b of basis) expect(shares[0]).toBeGreaterThanOrEqual(share(b) - 1e-12);
    expect(shares[2]).toBeLessThan(1e-9); // three directions, two degrees of freedom in the limb
  });
  it('are named by what people see', () => {
    expect(motionName({ name: 'root', nv: 6 }, true, 'root')).toBe('Drift of body');
    expect(motionName({ name: 'lumbar', nv: 3 }, false, 'lumbar')).toBe('Lean of spine');
    expect(motionName({ name: 'panda_joint3', nv: 1 }, false, 'joint3')).toBe('Mostly joint3');
    expect(motionName({ name: 'r_elbow_flex_joint', nv: 1 }, false, 'r_elbow_flex_joint')).toBe('Mostly r_elbow_flex');
    expect(motionName({ name: 'right_forearm_twist', nv: 1 }, false, 'right_forearm_twist')).toBe('Twist of right_forearm');
  });
});
