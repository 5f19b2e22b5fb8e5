// The outside of a workspace from sampled places: the farthest in each direction from the first joint, as lines like those of a globe.
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
  const far: (Vec3 | null)[] = Array.from({ length: round * rows }, () => null);
  let reach = 0;
  for (let i = 0; i + 2 < points.length; i += 3) {
    const p: Vec3 = [points[i]!, points[i + 1]!, points[i + 2]!];
    const r = dist(p, center);
    reach = Math.max(reach, r);
    if (p[h]! < floor || r === 0) continue;
    const turn = (Math.atan2(p[b]! - center[b]!, p[a]! - center[a]!) / (2 * Math.PI) + 1) % 1;
    const rise = flat ? 0 : Math.asin(Math.max(-1, Math.min(1, (p[h]! - center[h]!) / r))) / Math.PI + 0.5;
    const bin = Math.min(rows - 1, Math.floor(rise * rows)) * round + Math.min(round - 1, Math.floor(turn * round));
    const old = far[bin];
    if (!old || dist(old, center) < r) far[bin] = p;
  }
  const at = (row: number, k: number) => far[row * round + (k % round)] ?? null;
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
