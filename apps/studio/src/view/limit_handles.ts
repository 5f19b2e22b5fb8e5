// Handles at the ends of the selected joint's range, in Build: pulled around a hinge or along a slide they set its limits, at the rim of a
// ball's cone its swing. A hinge without limits has both opposite to its zero, ready to be pulled; a slide a little way before and behind it.
import type { Camera } from '../logic/camera';
import type { Vec3 } from '../logic/scene';
import { add, applyDirection, cross, dist, dot, mul, origin, perpendicular, rayLine, rayPlane, rotate, sub, unit } from '../logic/vec';
import { build } from '../state/build.svelte';
import { plane } from '../state/build_plane.svelte';
import { studio } from '../state/studio.svelte';
import { coneAxis, needleDirection } from './arcs';
import type { Point } from './svg';
import { coarse } from './touch';

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
  const px = Math.min(120, Math.max(coarse() ? 64 : 40, 0.55 * dist(center, after) * scale)) + OUTSIDE_PX;
  const shown = build.limits?.joint === joint.name ? build.limits : { lower: joint.lower[0] ?? -Infinity, upper: joint.upper[0] ?? Infinity };
  return { name: joint.name, center, axis, needle: needleDirection(axis, toward), now: rig.q[joint.q] ?? 0, lower: shown.lower, upper: shown.upper, radius: px / scale };
}

interface Rail {
  name: string;
  /** Where the joint is at 0, and the way it slides. */
  zero: Vec3;
  axis: Vec3;
  now: number;
  lower: number;
  upper: number;
}
function selectedRail(): Rail | null {
  const rig = studio.rig;
  const joint = rig?.model.joints[build.joint ? rig.joint(build.joint.name) : -1];
  if (!rig || !joint || joint.type !== 'prismatic' || joint.mimic) return null;
  const axis = unit(applyDirection(rig.frames, joint.axis, 16 * joint.child));
  const now = rig.q[joint.q] ?? 0;
  const shown = build.limits?.joint === joint.name ? build.limits : { lower: joint.lower[0] ?? -Infinity, upper: joint.upper[0] ?? Infinity };
  return { name: joint.name, zero: sub(origin(rig.frames, joint.child), mul(axis, now)), axis, now, lower: shown.lower, upper: shown.upper };
}
/** Way of a slide that has no limit: as far as its handle stands. */
const railEnd = (rail: Rail, side: 'lower' | 'upper'): number => (Number.isFinite(rail[side]) ? rail[side] : rail.now + (side === 'lower' ? -0.25 : 0.25) * studio.model!.reach);

interface Cone {
  name: string;
  center: Vec3;
  axis: Vec3;
  /** Across the axis, as it is seen: where the handle is. */
  side: Vec3;
  swing: number;
  radius: number;
}
function selectedCone(camera: Camera): Cone | null {
  const rig = studio.rig;
  const joint = rig?.model.joints[build.joint ? rig.joint(build.joint.name) : -1];
  if (!rig || !joint || joint.type !== 'spherical') return null;
  const center = origin(rig.frames, joint.child);
  const axis = coneAxis(joint, rig.frames);
  const facing = cross(axis, camera.basis.forward);
  const scale = camera.pixelsPerUnit(center);
  const swing = build.limits?.joint === joint.name ? build.limits.upper : (joint.swing ?? Math.PI);
  return { name: joint.name, center, axis, side: Math.hypot(...facing) > 1e-3 ? unit(facing) : perpendicular(axis), swing, radius: 74 / scale };
}

export function limitHandles(camera: Camera): LimitHandle[] {
  if (studio.mode !== 'build') return [];
  const rail = selectedRail();
  if (rail) return (['lower', 'upper'] as const).map((side) => ({ joint: rail.name, side, value: railEnd(rail, side), free: !Number.isFinite(rail[side]), at: camera.project(add(rail.zero, mul(rail.axis, railEnd(rail, side)))) }));
  const cone = selectedCone(camera);
  if (cone) {
    const value = cone.swing < 3.1 ? cone.swing : Math.PI / 2;
    return [{ joint: cone.name, side: 'upper', value, free: cone.swing >= 3.1, at: camera.project(add(cone.center, mul(add(mul(cone.axis, Math.cos(value)), mul(cone.side, Math.sin(value))), cone.radius))) }];
  }
  const hinge = selectedHinge(camera);
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

/** The limit that a pointer asks for: continuous from the last value, in Build's steps of angles (else 5 degrees) unless `free`. Where there was none, the
 * two handles lie together and the way that one is pulled says which limit it is: the answer. */
export function pullLimit(camera: Camera, pulled: 'lower' | 'upper', x: number, y: number, free: boolean): 'lower' | 'upper' {
  const snap = ((Number(plane.angle) || 5) * Math.PI) / 180;
  const rail = selectedRail();
  if (rail) {
    const step = free ? 0 : plane.stepLength;
    const asked = rayLine(camera.ray(x, y), rail.zero, rail.axis);
    const value = step > 0 ? Math.round(asked / step) * step : asked;
    build.limits = pulled === 'lower' ? { joint: rail.name, lower: Math.min(value, railEnd(rail, 'upper')), upper: railEnd(rail, 'upper') } : { joint: rail.name, lower: railEnd(rail, 'lower'), upper: Math.max(value, railEnd(rail, 'lower')) };
    return pulled;
  }
  const cone = selectedCone(camera);
  if (cone) {
    const on = rayPlane(camera.ray(x, y), cone.center, cross(cone.axis, cone.side));
    if (!on) return pulled;
    const d = sub(on, cone.center);
    const angle = Math.atan2(Math.abs(dot(d, cone.side)), dot(d, cone.axis));
    build.limits = { joint: cone.name, lower: 0, upper: Math.max(Math.PI / 180, Math.min(3, free ? angle : Math.round(angle / snap) * snap)), swing: true };
    return pulled;
  }
  const hinge = selectedHinge(camera);
  const p = hinge && rayPlane(camera.ray(x, y), hinge.center, hinge.axis);
  if (!hinge || !p) return pulled;
  const d = sub(p, hinge.center);
  const asked = hinge.now + Math.atan2(dot(cross(hinge.needle, d), hinge.axis), dot(hinge.needle, d));
  const side = Number.isFinite(hinge.lower) || Number.isFinite(hinge.upper) ? pulled : Math.sin(asked) > 0 ? 'upper' : 'lower';
  const last = Number.isFinite(hinge[side]) ? hinge[side] : side === 'lower' ? -FREE : FREE;
  let value = asked + 2 * Math.PI * Math.round((last - asked) / (2 * Math.PI));
  if (!free) value = Math.round(value / snap) * snap;
  const other = { lower: Number.isFinite(hinge.lower) ? hinge.lower : -Math.PI, upper: Number.isFinite(hinge.upper) ? hinge.upper : Math.PI };
  build.limits = side === 'lower' ? { joint: hinge.name, lower: Math.min(value, other.upper), upper: other.upper } : { joint: hinge.name, lower: other.lower, upper: Math.max(value, other.lower) };
  return side;
}
