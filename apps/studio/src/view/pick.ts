// What lies under the pointer: a goal's handle, a pole, a link. Links are picked by their projected
// bones and shapes, which needs no WebGL and works the same in flat and solid views.
import type { ModelDescription } from '../logic/model';
import type { Camera } from '../logic/camera';
import type { SceneGoal, Vec3 } from '../logic/scene';
import { apply, dist, matMul, origin, rayPlane, segmentDistance } from '../logic/vec';
import { bars, barRadius } from './planar';

export interface LinkHit {
  link: number;
  /** The grabbed point in the world, on the shape's axis. */
  point: Vec3;
}

interface Segment {
  link: number;
  a: Vec3;
  b: Vec3;
  radius: number; // model units
}

/** Axis segments of every drawn shape; bones where a link has no shape. */
export function segments(model: ModelDescription, frames: Float64Array): Segment[] {
  const out: Segment[] = [];
  const covered = new Set<number>();
  model.links.forEach((link, i) => {
    for (const shape of link.geometry) {
      if (shape.collision) continue;
      const m = matMul(frames, shape.placement, 16 * i, 0);
      const half = shape.type === 'capsule' || shape.type === 'cylinder' ? (shape.length ?? 0) / 2 : shape.type === 'box' ? Math.max(...(shape.size ?? [0, 0, 0])) / 2 : 0;
      const radius = shape.radius ?? (shape.size ? Math.min(...shape.size) / 2 : 0);
      if (radius <= 0) continue;
      covered.add(i);
      const along = shape.type === 'box' ? [0, 1, 2].sort((x, y) => shape.size![y]! - shape.size![x]!)[0]! : 2;
      const end: Vec3 = [0, 0, 0];
      end[along] = half;
      const scale = Math.hypot(shape.placement[0]!, shape.placement[1]!, shape.placement[2]!);
      out.push({ link: i, a: apply(m, [-end[0], -end[1], -end[2]] as Vec3), b: apply(m, end), radius: radius * scale });
    }
  });
  for (const bar of bars(model, frames)) {
    if (!covered.has(bar.link)) out.push({ link: bar.link, a: bar.from, b: bar.to, radius: 0.08 * dist(bar.from, bar.to) });
  }
  return out;
}

export function pickLink(model: ModelDescription, frames: Float64Array, camera: Camera, x: number, y: number, touch = false): LinkHit | null {
  let best: { hit: LinkHit; depth: number } | null = null;
  for (const s of segments(model, frames)) {
    const a = camera.project(s.a);
    const b = camera.project(s.b);
    if (!a.visible || !b.visible) continue;
    const middle: Vec3 = [(s.a[0] + s.b[0]) / 2, (s.a[1] + s.b[1]) / 2, (s.a[2] + s.b[2]) / 2];
    const flat = model.planar ? barRadius(model, 1, camera.pixelsPerUnit()) : 0;
    const radius = Math.max(touch ? 16 : 6, s.radius * camera.pixelsPerUnit(middle), flat);
    if (segmentDistance(x, y, a.x, a.y, b.x, b.y) > radius) continue;
    const depth = (a.depth + b.depth) / 2;
    if (best && best.depth <= depth) continue;
    const point = rayPlane(camera.ray(x, y), middle, camera.basis.forward) ?? middle;
    best = { hit: { link: s.link, point }, depth };
  }
  return best?.hit ?? null;
}

/** The nearest visible goal within reach of the pointer. */
export function pickGoal(goals: SceneGoal[], camera: Camera, x: number, y: number, touch: boolean): SceneGoal | null {
  let best: SceneGoal | null = null;
  let nearest = touch ? 32 : 24;
  for (const g of goals) {
    if (!g.visible) continue;
    const p = camera.project(g.position);
    const d = Math.hypot(p.x - x, p.y - y);
    const reach = g.pinned ? Math.min(nearest, 22) : nearest;
    if (p.visible && d <= reach) {
      nearest = d;
      best = g;
    }
  }
  return best;
}

export function pickPole(goals: SceneGoal[], camera: Camera, x: number, y: number, touch: boolean): SceneGoal | null {
  for (const g of goals) {
    if (!g.pole || !g.visible) continue;
    const p = camera.project(g.pole);
    if (Math.hypot(p.x - x, p.y - y) <= (touch ? 28 : 12)) return g;
  }
  return null;
}

/** Everything that framing should show. */
export function extent(model: ModelDescription, frames: Float64Array, goals: SceneGoal[]): Vec3[] {
  const points: Vec3[] = model.links.map((_, i) => origin(frames, i));
  for (const s of segments(model, frames)) {
    points.push(s.a, s.b);
    if (s.radius > 0) {
      points.push([s.a[0], s.a[1] + s.radius, s.a[2]], [s.b[0], s.b[1] + s.radius, s.b[2]]);
    }
  }
  for (const g of goals) if (g.visible) points.push(g.position);
  return points;
}
