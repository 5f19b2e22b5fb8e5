import { describe, expect, it } from 'vitest';
import { evenly, lengthOf, pathKeys } from '../src/logic/drawn_path';
import type { Vec3 } from '../src/logic/scene';
import { dist } from '../src/logic/vec';

const corner: Vec3[] = [[0, 0, 0], [0.1, 0, 0], [1, 0, 0], [1, 1, 0]];

describe('drawn paths', () => {
  it('are cut evenly by length', () => {
    const points = evenly(corner, 5);
    [[0, 0, 0], [0.5, 0, 0], [1, 0, 0], [1, 0.5, 0], [1, 1, 0]].forEach((p, k) => expect(dist(points[k]!, p as Vec3)).toBeLessThan(1e-12));
    expect(lengthOf(corner)).toBeCloseTo(2, 12);
  });
  it('become keys over the whole motion, at one speed, ends kept', () => {
    const arc: Vec3[] = Array.from({ length: 60 }, (_, i) => [Math.cos(i / 20), Math.sin(i / 20), 0.5]);
    const keys = pathKeys(arc, 120, 0.2);
    expect(keys[0]!.frame).toBe(0);
    expect(keys.at(-1)!.frame).toBe(120);
    expect(dist(keys[0]!.position, arc[0]!)).toBeLessThan(1e-12);
    expect(dist(keys.at(-1)!.position, arc.at(-1)!)).toBeLessThan(1e-12);
    const speeds = keys.slice(1).map((k, i) => dist(k.position, keys[i]!.position) / (k.frame - keys[i]!.frame));
    expect(Math.max(...speeds) / Math.min(...speeds)).toBeLessThan(1.2);
    for (const k of keys) expect(Math.abs(Math.hypot(k.position[0], k.position[1]) - 1)).toBeLessThan(0.01);
  });
  it('need two places', () => {
    expect(pathKeys([[1, 2, 3], [1, 2, 3]], 120, 0.1)).toEqual([]);
    expect(pathKeys([], 120, 0.1)).toEqual([]);
  });
});
