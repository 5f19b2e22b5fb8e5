// The outside of a workspace from sampled places: the farthest in each direction from the first joint, as lines like those of a globe. Samples are
// few at the outside, so each direction takes part in its neighbours' reach; without that the lines are as ragged as chance.
import type { Vec3 } from './scene';
import { dist } from './vec';

export interface Shell {
  lines: Vec3[][];
  /** The farthest place. */
  reach: number;
}

const ROUND = 24;
const HEIGHTS = 13;

/** `up`: the axis of the globe; `floor`: nothing is drawn below it. A flat workspace is one line round. */
export function shellOf(points: ArrayLike<number>, center: Vec3, up: 'y' | 'z', flat: boolean, floor = -Infinity): Shell {
  const [a, b, h] = flat ? [0, 1, 2] : up === 'y' ? [2, 0, 1] : [0, 1, 2];
  const rows = flat ? 1 : HEIGHTS;
  const round = flat ? 3 * ROUND : ROUND;
  const far = new Float64Array(round * rows).fill(-1);
  let reach = 0;
  for (let i = 0; i + 2 < points.length; i += 3) {
    const p: Vec3 = [points[i]!, points[i + 1]!, points[i + 2]!];
    const r = dist(p, center);
    reach = Math.max(reach, r);
    if (p[h]! < floor || r === 0) continue;
    const turn = (Math.atan2(p[b]! - center[b]!, p[a]! - center[a]!) / (2 * Math.PI) + 1) % 1;
    const rise = flat ? 0 : Math.asin(Math.max(-1, Math.min(1, (p[h]! - center[h]!) / r))) / Math.PI + 0.5;
    const bin = Math.min(rows - 1, Math.floor(rise * rows)) * round + Math.min(round - 1, Math.floor(turn * round));
    far[bin] = Math.max(far[bin]!, r);
  }
  /** In the middle of its bin: half its own reach, half that of the bins beside it. */
  const at = (row: number, k: number): Vec3 | null => {
    const own = far[row * round + (k % round)]!;
    if (own < 0) return null;
    const beside: number[] = [];
    for (const [dr, dk] of [[0, -1], [0, 1], [-1, 0], [1, 0]] as const) {
      const r = row + dr;
      const v = r < 0 || r >= rows ? -1 : far[r * round + ((k + dk + round) % round)]!;
      if (v >= 0) beside.push(v);
    }
    const r = beside.length ? Math.max(own, (own + beside.reduce((s, v) => s + v, 0) / beside.length) / 2) : own;
    const [turn, rise] = [(2 * Math.PI * ((k % round) + 0.5)) / round, flat ? 0 : Math.PI * ((row + 0.5) / rows - 0.5)];
    const p: Vec3 = [...center];
    p[a]! += r * Math.cos(rise) * Math.cos(turn);
    p[b]! += r * Math.cos(rise) * Math.sin(turn);
    p[h] = Math.max(floor, p[h]! + r * Math.sin(rise));
    return p;
  };
  const lines: Vec3[][] = [];
  const line = (list: (Vec3 | null)[]) => {
    let part: Vec3[] = [];
    for (const p of [...list, null]) {
      if (p) part.push(p);
      else {
        if (part.length > 1) lines.push(part);
        part = [];
      }
    }
  };
  if (flat) line(Array.from({ length: round + 1 }, (_, k) => at(0, k)));
  else {
    for (let k = 0; k < round; k += 2) line(Array.from({ length: rows }, (_, row) => at(row, k)));
    for (const row of [3, 6, 8, 10]) line(Array.from({ length: round + 1 }, (_, k) => at(row, k)));
  }
  return { lines, reach };
}
