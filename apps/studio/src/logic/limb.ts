// Which part of a chain is the limb of an effector: upper link, middle link (elbow, knee) and end. A pole
// turns the middle about the line from upper to end.
import type { ModelDescription } from './model';
import type { Vec3 } from './scene';
import { axisOf, cross, dist, len, origin, sub, unit } from './vec';

export interface Limb {
  start: number;
  middle: number;
}

/** The joint bends: one turning coordinate whose axis is across the way to the end. */
function bends(model: ModelDescription, frames: ArrayLike<number>, link: number, end: Vec3): boolean {
  const joint = model.joints[model.links[link]!.joint]!;
  if (joint.nv !== 1 || joint.units[0] !== 'angle') return false;
  const axis: Vec3 = [0, 0, 0];
  for (let c = 0; c < 3; c++) {
    const column = axisOf(frames, link, c);
    for (let i = 0; i < 3; i++) axis[i]! += column[i]! * joint.axis[c]!;
  }
  const to = sub(end, origin(frames, link));
  return len(to) > 1e-6 * model.reach && len(cross(unit(axis), unit(to))) > 0.5;
}

export function limbOf(model: ModelDescription, frames: ArrayLike<number>, end: number): Limb | null {
  const tip = origin(frames, end);
  let best: (Limb & { score: number }) | null = null;
  for (let middle = model.links[end]!.parent; middle >= 0; middle = model.links[middle]!.parent) {
    if (!bends(model, frames, middle, tip)) continue;
    const lower = dist(origin(frames, middle), tip);
    let start = model.links[middle]!.parent;
    while (start >= 0 && dist(origin(frames, start), origin(frames, middle)) < 0.5 * lower) start = model.links[start]!.parent;
    if (start < 0) continue;
    const score = Math.min(lower, dist(origin(frames, start), origin(frames, middle)));
    if (!best || score > best.score * 1.2) best = { start, middle, score };
  }
  return best ? { start: best.start, middle: best.middle } : null;
}
