// Limit arcs: the allowed range of a turning joint as a pie in the joint's own plane, with ticks at the
// ends, the used part and a needle; and the manipulability ellipsoid. Geometry only; drawn as SVG.
import type { Camera } from '../logic/camera';
import type { AngleUnit } from '../logic/numbers';
import { formatAngle } from '../logic/numbers';
import type { Vec3 } from '../logic/scene';
import type { JointDescription } from '../logic/model';
import { add, applyDirection, cross, dot, mul, perpendicular, rotate, sub, unit } from '../logic/vec';
import { circle, escape, label, line, n, path, type Point, polyline } from './svg';

export interface ArcInput {
  name: string;
  center: Vec3;
  /** Unit turning axis in the world, at the shown pose. */
  axis: Vec3;
  /** Where the moved link points; the needle. Any direction if it lies along the axis. */
  toward: Vec3;
  value: number;
  lower: number;
  upper: number;
  /** Shorter of the two neighbour links, model units. */
  neighbour: number;
  selected: boolean;
  atLimit: boolean;
}

export function needleDirection(axis: Vec3, toward: Vec3): Vec3 {
  const flat = sub(toward, mul(axis, dot(axis, toward)));
  const l = Math.hypot(...flat);
  return l > 1e-6 * Math.max(1e-9, Math.hypot(...toward)) ? mul(flat, 1 / l) : perpendicular(axis);
}

/** Points of the arc from angle a to b (relative to the needle), about every 4 degrees. */
export function arcPoints(center: Vec3, axis: Vec3, needle: Vec3, radius: number, a: number, b: number): Vec3[] {
  const steps = Math.max(2, Math.ceil(Math.abs(b - a) / 0.07));
  return Array.from({ length: steps + 1 }, (_, i) => add(center, mul(rotate(needle, axis, a + ((b - a) * i) / steps), radius)));
}

export function limitArc(input: ArcInput, camera: Camera, units: AngleUnit): string {
  const span = input.upper - input.lower;
  if (!Number.isFinite(span) || span <= 0) return '';
  const scale = camera.pixelsPerUnit(input.center);
  const px = Math.min(120, Math.max(28, 0.55 * input.neighbour * scale)) * (input.selected ? 1 : 0.8);
  const radius = px / scale;
  const needle = needleDirection(input.axis, input.toward);
  const shown = Math.min(span, 2 * Math.PI);
  const lo = input.lower - input.value;
  const at = (angle: number, r = radius): Point => camera.project(add(input.center, mul(rotate(needle, input.axis, angle), r)));
  const c = camera.project(input.center);
  const points = arcPoints(input.center, input.axis, needle, radius, lo, lo + shown).map((p) => camera.project(p));
  let out = '';
  if (input.selected) {
    out += path(`M${n(c.x)} ${n(c.y)}L${points.map((p) => `${n(p.x)} ${n(p.y)}`).join('L')}Z`, { color: 'none', width: 0, fill: 'var(--limit-fill)' });
    out += polyline(points, { color: 'var(--limit-arc)', width: 1.4 });
    const zero = Math.max(input.lower, Math.min(input.upper, 0)) - input.value;
    out += polyline(
      arcPoints(input.center, input.axis, needle, radius, zero, 0).map((p) => camera.project(p)),
      { color: 'var(--accent)', width: 3 },
    );
  } else {
    out += polyline(points, { color: 'var(--limit-arc)', width: 1, opacity: 0.75 });
  }
  const tick = (angle: number) => line(at(angle, radius * 0.88), at(angle, radius * 1.12), { color: 'var(--limit)', width: 2.6, cap: 'round' });
  out += tick(lo) + tick(lo + shown);
  out += line(input.selected ? c : at(0, radius * 0.84), at(0, radius * (input.selected ? 1.04 : 1.12)), { color: 'var(--needle)', width: 1.6 });
  if (input.selected) {
    const end = (angle: number, text: string) => {
      const p = at(angle, radius * 1.22);
      return label({ x: p.x, y: p.y + 4 }, text, { quiet: true, anchor: p.x < c.x ? 'end' : 'start' });
    };
    const word = (v: number) => formatAngle(v, units, units === 'deg' ? 0 : 2);
    out += end(lo, word(input.lower)) + end(lo + shown, word(input.upper));
    const p = at(0, radius * 1.12);
    const note = input.atLimit ? ', at limit' : '';
    out += label({ x: p.x + 8, y: p.y + 16 }, `${input.name} ${formatAngle(input.value, units)}${note}`, input.atLimit ? { color: 'var(--limit)' } : {});
  }
  return `<g data-arc="${escape(input.name)}">${out}</g>`;
}

/** Where the middle of a ball joint's cone points: at rest, in its parent. */
export function coneAxis(joint: JointDescription, frames: ArrayLike<number>): Vec3 {
  const rest = applyDirection(joint.placement, joint.cone_axis ?? [1, 0, 0]);
  return unit(joint.parent >= 0 ? applyDirection(frames, rest, 16 * joint.parent) : rest);
}
/** Swing cone of a ball joint as a patch on a sphere: its rim and two meridians. */
export function coneArc(center: Vec3, axis: Vec3, toward: Vec3, swing: number, neighbour: number, camera: Camera, selected: boolean): string {
  const scale = camera.pixelsPerUnit(center);
  const radius = Math.min(120, Math.max(28, 0.55 * neighbour * scale)) / scale;
  const side = perpendicular(axis);
  const rim: Point[] = [];
  for (let i = 0; i <= 48; i++) {
    const around = rotate(side, axis, (i / 48) * 2 * Math.PI);
    rim.push(camera.project(add(center, mul(add(mul(axis, Math.cos(swing)), mul(around, Math.sin(swing))), radius))));
  }
  const c = camera.project(center);
  const tip = camera.project(add(center, mul(unit(toward), radius * 1.05)));
  return (
    path(`M${rim.map((p) => `${n(p.x)} ${n(p.y)}`).join('L')}Z`, { color: 'var(--limit)', width: selected ? 1.8 : 1, dash: '5 3', fill: selected ? 'var(--limit-fill)' : 'none' }) +
    line(c, tip, { color: 'var(--needle)', width: 1.6 })
  );
}

/** Eigenvalues and vectors of a symmetric 3 x 3 matrix (cyclic Jacobi), largest first. */
export function symmetricEigen(m: number[][]): { values: Vec3; vectors: [Vec3, Vec3, Vec3] } {
  const a = m.map((row) => [...row]);
  const v = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  for (let sweep = 0; sweep < 24; sweep++) {
    for (const [p, q] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ] as const) {
      if (Math.abs(a[p]![q]!) < 1e-300) continue;
      const theta = (a[q]![q]! - a[p]![p]!) / (2 * a[p]![q]!);
      const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
      const c = 1 / Math.sqrt(t * t + 1);
      const s = t * c;
      for (let k = 0; k < 3; k++) {
        const kp = a[k]![p]!;
        const kq = a[k]![q]!;
        a[k]![p] = c * kp - s * kq;
        a[k]![q] = s * kp + c * kq;
      }
      for (let k = 0; k < 3; k++) {
        const pk = a[p]![k]!;
        const qk = a[q]![k]!;
        a[p]![k] = c * pk - s * qk;
        a[q]![k] = s * pk + c * qk;
        const vp = v[k]![p]!;
        const vq = v[k]![q]!;
        v[k]![p] = c * vp - s * vq;
        v[k]![q] = s * vp + c * vq;
      }
    }
  }
  const order = [0, 1, 2].sort((i, j) => a[j]![j]! - a[i]![i]!);
  const column = (i: number): Vec3 => [v[0]![i]!, v[1]![i]!, v[2]![i]!];
  return {
    values: [a[order[0]!]![order[0]!]!, a[order[1]!]![order[1]!]!, a[order[2]!]![order[2]!]!],
    vectors: [column(order[0]!), column(order[1]!), column(order[2]!)],
  };
}

/** Velocity ellipsoid of the effector: semi-axes sigma_i * factor. `linear` is 3 x n, column-major by 6. */
export function ellipsoid(center: Vec3, jacobian: Float64Array, columns: number, factor: number, camera: Camera): { svg: string; flat: boolean } {
  const m = [
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
  ];
  for (let k = 0; k < columns; k++) {
    for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) m[r]![c]! += jacobian[6 * k + r]! * jacobian[6 * k + c]!;
  }
  const { values, vectors } = symmetricEigen(m);
  const s = values.map((x) => Math.sqrt(Math.max(0, x)) * factor);
  const ring = (i: number, j: number): Point[] =>
    Array.from({ length: 61 }, (_, k) => {
      const t = (k / 60) * 2 * Math.PI;
      return camera.project(add(center, add(mul(vectors[i]!, s[i]! * Math.cos(t)), mul(vectors[j]!, s[j]! * Math.sin(t)))));
    });
  const rings = [ring(0, 1), ring(0, 2), ring(1, 2)];
  let out = '';
  out += path(`M${outline(rings.flat()).map((p) => `${n(p.x)} ${n(p.y)}`).join('L')}Z`, { color: 'none', width: 0, fill: 'var(--ellipsoid)', fillOpacity: 0.13 });
  for (const points of rings) out += polyline(points, { color: 'var(--ellipsoid)', width: 1.4 }, true);
  return { svg: out, flat: s[2]! < 1e-3 * s[0]! };
}

/** Convex hull (monotone chain): the shadow of the rings is close to the ellipsoid's. */
export function outline(points: Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  const turn = (o: Point, a: Point, b: Point) => (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
  const half = (list: Point[]): Point[] => {
    const hull: Point[] = [];
    for (const p of list) {
      while (hull.length >= 2 && turn(hull[hull.length - 2]!, hull[hull.length - 1]!, p) <= 0) hull.pop();
      hull.push(p);
    }
    hull.pop();
    return hull;
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

/** A ring in space, for rotation handles and the swivel. */
export function ring(center: Vec3, axis: Vec3, radius: number, camera: Camera, color: string, width: number, dash = ''): string {
  const side = perpendicular(axis);
  const other = cross(axis, side);
  const points = Array.from({ length: 49 }, (_, i) => {
    const t = (i / 48) * 2 * Math.PI;
    return camera.project(add(center, add(mul(side, radius * Math.cos(t)), mul(other, radius * Math.sin(t)))));
  });
  return polyline(points, { color, width, ...(dash ? { dash } : {}) }, true);
}

export { circle };
