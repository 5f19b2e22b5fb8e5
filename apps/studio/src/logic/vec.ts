// Small vectors, column-major 4 x 4 matrices as the core and WebGL store them, and rays.
import type { Quat, Vec3 } from './scene';

export const add = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const mul = (a: Vec3, k: number): Vec3 => [a[0] * k, a[1] * k, a[2] * k];
export const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const len = (a: Vec3): number => Math.hypot(a[0], a[1], a[2]);
export const dist = (a: Vec3, b: Vec3): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
export const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export function unit(a: Vec3): Vec3 {
  const l = len(a);
  return l > 0 ? mul(a, 1 / l) : [0, 0, 0];
}
/** Any unit vector at right angles to a. */
export function perpendicular(a: Vec3): Vec3 {
  const other: Vec3 = Math.abs(a[0]) < 0.6 * len(a) ? [1, 0, 0] : [0, 1, 0];
  return unit(cross(a, other));
}
/** Vector a turned about a unit axis (Rodrigues). */
export function rotate(a: Vec3, axis: Vec3, angle: number): Vec3 {
  const c = Math.cos(angle);
  const s = Math.sin(angle);
  return add(add(mul(a, c), mul(cross(axis, a), s)), mul(axis, dot(axis, a) * (1 - c)));
}

/** Origin of frame i in an array of 16-number frames. */
export function origin(frames: ArrayLike<number>, i: number): Vec3 {
  const at = 16 * i + 12;
  return [frames[at]!, frames[at + 1]!, frames[at + 2]!];
}
/** Column c (0 x, 1 y, 2 z) of frame i. */
export function axisOf(frames: ArrayLike<number>, i: number, c: number): Vec3 {
  const at = 16 * i + 4 * c;
  return [frames[at]!, frames[at + 1]!, frames[at + 2]!];
}
/** a * b for column-major 4 x 4. */
export function matMul(a: ArrayLike<number>, b: ArrayLike<number>, ao = 0, bo = 0): number[] {
  const out = new Array<number>(16);
  for (let c = 0; c < 4; c++) {
    for (let r = 0; r < 4; r++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[ao + 4 * k + r]! * b[bo + 4 * c + k]!;
      out[4 * c + r] = sum;
    }
  }
  return out;
}
export function apply(m: ArrayLike<number>, p: Vec3, at = 0): Vec3 {
  return [
    m[at]! * p[0] + m[at + 4]! * p[1] + m[at + 8]! * p[2] + m[at + 12]!,
    m[at + 1]! * p[0] + m[at + 5]! * p[1] + m[at + 9]! * p[2] + m[at + 13]!,
    m[at + 2]! * p[0] + m[at + 6]! * p[1] + m[at + 10]! * p[2] + m[at + 14]!,
  ];
}
export function applyDirection(m: ArrayLike<number>, d: Vec3, at = 0): Vec3 {
  return [
    m[at]! * d[0] + m[at + 4]! * d[1] + m[at + 8]! * d[2],
    m[at + 1]! * d[0] + m[at + 5]! * d[1] + m[at + 9]! * d[2],
    m[at + 2]! * d[0] + m[at + 6]! * d[1] + m[at + 10]! * d[2],
  ];
}

export function quatFromFrame(m: ArrayLike<number>, i: number): Quat {
  const a = 16 * i;
  const [xx, yx, zx] = [m[a]!, m[a + 1]!, m[a + 2]!];
  const [xy, yy, zy] = [m[a + 4]!, m[a + 5]!, m[a + 6]!];
  const [xz, yz, zz] = [m[a + 8]!, m[a + 9]!, m[a + 10]!];
  const trace = xx + yy + zz;
  let q: Quat;
  if (trace > 0) {
    const s = 2 * Math.sqrt(trace + 1);
    q = [(zy - yz) / s, (xz - zx) / s, (yx - xy) / s, s / 4];
  } else if (xx > yy && xx > zz) {
    const s = 2 * Math.sqrt(1 + xx - yy - zz);
    q = [s / 4, (xy + yx) / s, (xz + zx) / s, (zy - yz) / s];
  } else if (yy > zz) {
    const s = 2 * Math.sqrt(1 + yy - xx - zz);
    q = [(xy + yx) / s, s / 4, (yz + zy) / s, (xz - zx) / s];
  } else {
    const s = 2 * Math.sqrt(1 + zz - xx - yy);
    q = [(xz + zx) / s, (yz + zy) / s, s / 4, (yx - xy) / s];
  }
  const n = Math.hypot(...q) || 1;
  return [q[0] / n, q[1] / n, q[2] / n, q[3] / n];
}

export function quatMul(a: Quat, b: Quat): Quat {
  return [
    a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
    a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
    a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
    a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
  ];
}
export function quatAbout(axis: Vec3, angle: number): Quat {
  const s = Math.sin(angle / 2);
  return [axis[0] * s, axis[1] * s, axis[2] * s, Math.cos(angle / 2)];
}
export function quatRotate(q: Quat, v: Vec3): Vec3 {
  const u: Vec3 = [q[0], q[1], q[2]];
  const t = mul(cross(u, v), 2);
  return add(add(v, mul(t, q[3])), cross(u, t));
}

export interface Ray {
  from: Vec3;
  to: Vec3; // unit direction
}
/** Where a ray meets a plane, or null when it runs alongside. */
export function rayPlane(ray: Ray, point: Vec3, normal: Vec3): Vec3 | null {
  const slope = dot(ray.to, normal);
  if (Math.abs(slope) < 1e-9) return null;
  const t = dot(sub(point, ray.from), normal) / slope;
  return add(ray.from, mul(ray.to, t));
}
/** Parameter along the line point + s * axis that comes closest to the ray. */
export function rayLine(ray: Ray, point: Vec3, axis: Vec3): number {
  const w = sub(point, ray.from);
  const b = dot(axis, ray.to);
  const denominator = 1 - b * b;
  if (denominator < 1e-9) return 0;
  return (b * dot(ray.to, w) - dot(axis, w)) / denominator;
}
/** Distance of a point from a segment in the plane of the screen. */
export function segmentDistance(px: number, py: number, ax: number, ay: number, bx: number, by: number): number {
  const dx = bx - ax;
  const dy = by - ay;
  const l2 = dx * dx + dy * dy;
  const t = l2 > 0 ? Math.max(0, Math.min(1, ((px - ax) * dx + (py - ay) * dy) / l2)) : 0;
  return Math.hypot(px - ax - t * dx, py - ay - t * dy);
}
