// A stroke of the pointer as keys of a goal: evenly spaced along its length, so that the goal moves at one speed.
import type { Key, Quat, Vec3 } from './scene';
import { dist } from './vec';

export const lengthOf = (points: Vec3[]): number => points.reduce((l, p, i) => (i ? l + dist(points[i - 1]!, p) : 0), 0);

/** Places at equal distances along the stroke, its ends included. */
export function evenly(points: Vec3[], count: number): Vec3[] {
  const whole = lengthOf(points);
  const out: Vec3[] = [points[0]!];
  let [at, gone] = [1, 0];
  for (let k = 1; k < count - 1; k++) {
    const want = (whole * k) / (count - 1);
    while (at < points.length - 1 && gone + dist(points[at - 1]!, points[at]!) < want) gone += dist(points[at - 1]!, points[at++]!);
    const [a, b] = [points[at - 1]!, points[at]!];
    const t = (want - gone) / (dist(a, b) || 1);
    out.push([a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])]);
  }
  return [...out, points[points.length - 1]!];
}

/** A hand shakes: each place is the middle of its neighbours, the ends stay. */
export function calmer(points: Vec3[], times = 2): Vec3[] {
  let list = points;
  for (let k = 0; k < times; k++) list = list.map((p, i) => (i === 0 || i === list.length - 1 ? p : (p.map((v, c) => (list[i - 1]![c]! + 2 * v + list[i + 1]![c]!) / 4) as Vec3)));
  return list;
}

/** Keys over frames 0 to `frames`; `spacing` is the distance between two of them. Fewer than two places: no keys. */
export function pathKeys(stroke: Vec3[], frames: number, spacing: number, quaternion?: Quat): Key[] {
  const points = stroke.filter((p, i) => i === 0 || dist(p, stroke[i - 1]!) > 1e-9);
  const whole = lengthOf(points);
  if (points.length < 2 || whole <= 0) return [];
  const count = Math.max(2, Math.min(24, Math.floor(frames / 2) + 1, Math.round(whole / spacing) + 1));
  const dense = calmer(evenly(points, Math.max(count, Math.min(400, points.length * 2))));
  return evenly(dense, count).map((position, k) => ({ frame: Math.round((frames * k) / (count - 1)), position, way: 'cubic' as const, ...(quaternion ? { quaternion } : {}) }));
}
