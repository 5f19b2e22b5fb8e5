// Handles at the two ends of the selected hinge's range, in Build: pulled around the joint they set its limits. A hinge without limits
// has both opposite to its zero, ready to be pulled.
import type { Camera } from '../logic/camera';
import type { Vec3 } from '../logic/scene';
import { add, cross, dist, dot, mul, origin, rayPlane, rotate, sub, unit } from '../logic/vec';
import { build } from '../state/build.svelte';
import { studio } from '../state/studio.svelte';
import { needleDirection } from './arcs';
import type { Point } from './svg';

export interface LimitHandle {
  joint: string;
  side: 'lower' | 'upper';
  value: number;
  /** There is no limit on this side yet. */
  free: boolean;
  at: Point;
}
interface Hinge {
  name: string;
  center: Vec3;
  axis: Vec3;
  /** Direction of the link at the joint's present value. */
  needle: Vec3;
  now: number;
  lower: number;
  upper: number;
  radius: number;
}
const FREE = Math.PI - 1e-9;
const OUTSIDE_PX = 10;
const SNAP = (5 * Math.PI) / 180;

function selectedHinge(camera: Camera): Hinge | null {
  const rig = studio.rig;
  const index = rig && build.joint ? rig.joint(build.joint.name) : -1;
  const joint = rig?.model.joints[index];
  if (!rig || !joint || joint.nv !== 1 || joint.nq !== 1 || joint.units[0] !== 'angle' || joint.mimic) return null;
  const m = rig.frames.subarray(16 * joint.child, 16 * joint.child + 16);
  const center = origin(rig.frames, joint.child);
  const axis = unit([0, 1, 2].map((r) => m[r]! * joint.axis[0] + m[4 + r]! * joint.axis[1] + m[8 + r]! * joint.axis[2]) as Vec3);
  const next = rig.model.links[joint.child]!.children[0];
  const after = next !== undefined ? origin(rig.frames, next) : add(center, [m[0]!, m[1]!, m[2]!]);
  const toward = dist(center, after) > 1e-6 * rig.model.reach ? sub(after, center) : ([m[0]!, m[1]!, m[2]!] as Vec3);
  const scale = camera.pixelsPerUnit(center);
  const px = Math.min(120, Math.max(40, 0.55 * dist(center, after) * scale)) + OUTSIDE_PX;
  const shown = build.limits?.joint === joint.name ? build.limits : { lower: joint.lower[0] ?? -Infinity, upper: joint.upper[0] ?? Infinity };
  return { name: joint.name, center, axis, needle: needleDirection(axis, toward), now: rig.q[joint.q] ?? 0, lower: shown.lower, upper: shown.upper, radius: px / scale };
}

export function limitHandles(camera: Camera): LimitHandle[] {
  const hinge = studio.mode === 'build' ? selectedHinge(camera) : null;
  if (!hinge) return [];
  return (['lower', 'upper'] as const).map((side) => {
    const given = hinge[side];
    const value = Number.isFinite(given) ? given : side === 'lower' ? -FREE + 0.06 : FREE - 0.06;
    return { joint: hinge.name, side, value, free: !Number.isFinite(given), at: camera.project(add(hinge.center, mul(rotate(hinge.needle, hinge.axis, value - hinge.now), hinge.radius))) };
  });
}

export function pickLimit(camera: Camera, x: number, y: number, touch: boolean): LimitHandle | null {
  const near = touch ? 24 : 10;
  return limitHandles(camera).find((h) => Math.hypot(h.at.x - x, h.at.y - y) <= near) ?? null;
}

/** The limit that a pointer asks for: continuous from the last value, in steps of 5 degrees unless `free`. Where there was none, the
 * two handles lie together and the way that one is pulled says which limit it is: the answer. */
export function pullLimit(camera: Camera, pulled: 'lower' | 'upper', x: number, y: number, free: boolean): 'lower' | 'upper' {
  const hinge = selectedHinge(camera);
  const p = hinge && rayPlane(camera.ray(x, y), hinge.center, hinge.axis);
  if (!hinge || !p) return pulled;
  const d = sub(p, hinge.center);
  const asked = hinge.now + Math.atan2(dot(cross(hinge.needle, d), hinge.axis), dot(hinge.needle, d));
  const side = Number.isFinite(hinge.lower) || Number.isFinite(hinge.upper) ? pulled : Math.sin(asked) > 0 ? 'upper' : 'lower';
  const last = Number.isFinite(hinge[side]) ? hinge[side] : side === 'lower' ? -FREE : FREE;
  let value = asked + 2 * Math.PI * Math.round((last - asked) / (2 * Math.PI));
  if (!free) value = Math.round(value / SNAP) * SNAP;
  const other = { lower: Number.isFinite(hinge.lower) ? hinge.lower : -Math.PI, upper: Number.isFinite(hinge.upper) ? hinge.upper : Math.PI };
  build.limits = side === 'lower' ? { joint: hinge.name, lower: Math.min(value, other.upper), upper: other.upper } : { joint: hinge.name, lower: other.lower, upper: Math.max(value, other.lower) };
  return side;
}
