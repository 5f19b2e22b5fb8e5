import { describe, expect, it } from 'vitest';
import { bandOf, frameOf, hasShares, stripsOf, type Cells } from '../src/logic/slice';

/** 4 x 2 x 3 cells of 0.5 m from (-1, -0.5, -0.5): all reached, better with x. */
function box(): Cells {
  const count: [number, number, number] = [4, 2, 3];
  const reachable = new Uint8Array(24).fill(1);
  const share = Float64Array.from({ length: 24 }, (_, k) => [0.1, 0.5, 0.8, 1][k % 4]!);
  return { origin: [-1, -0.5, -0.5], cell: 0.5, count, reachable, share, tried: 16 };
}
const area = (strips: ReturnType<typeof stripsOf>) => strips.reduce((s, { corners: [p, q, r] }) => s + Math.hypot(q[0] - p[0], q[1] - p[1], q[2] - p[2]) * Math.hypot(r[0] - q[0], r[1] - q[1], r[2] - q[2]), 0);

describe('slices of a workspace', () => {
  it('cover each reached cell of the layer once, in the plane asked for', () => {
    const strips = stripsOf(box(), 1, 0.2);
    expect(area(strips)).toBeCloseTo(4 * 3 * 0.25, 12);
    for (const { corners } of strips) for (const p of corners) expect(p[1]).toBe(0.2);
    expect(new Set(strips.map((s) => s.band))).toEqual(new Set(['few', 'many', 'every']));
  });
  it('leave out cells that are not reached, and those below the floor', () => {
    const cells = box();
    cells.reachable[0] = 0; // x 0, y 0, z 0
    expect(area(stripsOf(cells, 1, -0.4))).toBeCloseTo(11 * 0.25, 12);
    expect(area(stripsOf(cells, 1, 0.4))).toBeCloseTo(12 * 0.25, 12);
    expect(area(stripsOf(cells, 1, 0.4, 2, 0))).toBeCloseTo(8 * 0.25, 12);
  });
  it('show places alone where no orientation can be chosen', () => {
    const cells = { ...box(), share: new Float64Array(24) };
    expect(hasShares(cells)).toBe(false);
    const strips = stripsOf(cells, 2, 0);
    expect(strips.map((s) => s.band)).toEqual(['reached', 'reached']);
    expect(area(strips)).toBeCloseTo(8 * 0.25, 12);
  });
  it('have bands of 11 to 16, 6 to 10 and fewer of 16', () => {
    expect([16, 11, 10, 6, 5, 0].map((n) => bandOf(n / 16, 16))).toEqual(['every', 'every', 'many', 'many', 'few', 'few']);
  });
  it('have a frame around what is drawn, or around everything', () => {
    const cells = box();
    expect(frameOf(cells, 1, 0.3, [])).toEqual([[-1, 0.3, -0.5], [1, 0.3, -0.5], [1, 0.3, 1], [-1, 0.3, 1]]);
    expect(frameOf(cells, 1, 0.3, stripsOf(cells, 1, 0.3, 2, 0))).toEqual([[-1.25, 0.3, -0.25], [1.25, 0.3, -0.25], [1.25, 0.3, 1.25], [-1.25, 0.3, 1.25]]);
  });
});
