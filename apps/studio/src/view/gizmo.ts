// Handles at a goal: arrows and plane squares (translate), rings (rotate). Sizes are pixels; picking
// works on the same numbers that are drawn.
import type { Camera } from '../logic/camera';
import type { Quat, Vec3 } from '../logic/scene';
import { add, cross, mul, perpendicular, quatRotate, segmentDistance } from '../logic/vec';
import type { Tool } from '../state/ui.svelte';
import { ring } from './arcs';
import { arrow, n, path, type Point } from './svg';

export type Handle =
  | { kind: 'center' }
  | { kind: 'axis'; axis: 0 | 1 | 2 }
  | { kind: 'plane'; axis: 0 | 1 | 2 } // the plane's normal
  | { kind: 'ring'; axis: 0 | 1 | 2 };

const ARM = 66;
const RING = 56;
const NAMES = ['x', 'y', 'z'] as const;
const color = (axis: number): string => `var(--axis-${NAMES[axis]})`;

export interface GizmoInput {
  position: Vec3;
  quaternion: Quat;
  local: boolean;
  tool: Tool;
  planar: boolean;
  active: Handle | null;
}

export function axisDirection(g: Pick<GizmoInput, 'quaternion' | 'local'>, axis: number): Vec3 {
  const e: Vec3 = [axis === 0 ? 1 : 0, axis === 1 ? 1 : 0, axis === 2 ? 1 : 0];
  return g.local ? quatRotate(g.quaternion, e) : e;
}

const axesOf = (g: GizmoInput): (0 | 1 | 2)[] => (g.planar ? [0, 1] : [0, 1, 2]);

function tip(g: GizmoInput, camera: Camera, axis: number, px = ARM): Point & { length: number } {
  const unitLength = px / camera.pixelsPerUnit(g.position);
  const p = camera.project(add(g.position, mul(axisDirection(g, axis), unitLength)));
  const c = camera.project(g.position);
  return { x: p.x, y: p.y, length: Math.hypot(p.x - c.x, p.y - c.y) };
}

/** Corners of the small square between two arms. */
function square(g: GizmoInput, camera: Camera, axis: number): Point[] {
  const [i, j] = [(axis + 1) % 3, (axis + 2) % 3];
  const k = 1 / camera.pixelsPerUnit(g.position);
  const u = axisDirection(g, i);
  const v = axisDirection(g, j);
  const corner = (a: number, b: number) => camera.project(add(g.position, add(mul(u, a * k), mul(v, b * k))));
  return [corner(18, 18), corner(31, 18), corner(31, 31), corner(18, 31)];
}

const isActive = (g: GizmoInput, handle: Handle): boolean =>
  g.active !== null && g.active.kind === handle.kind && (!('axis' in handle) || ('axis' in g.active && g.active.axis === handle.axis));

export function drawGizmo(g: GizmoInput, camera: Camera): string {
  if (g.tool === 'select') return '';
  const c = camera.project(g.position);
  let out = '';
  if (g.tool === 'rotate') {
    const radius = RING / camera.pixelsPerUnit(g.position);
    for (const axis of g.planar ? ([2] as const) : ([0, 1, 2] as const)) {
      out += ring(g.position, axisDirection(g, axis), radius, camera, color(axis), isActive(g, { kind: 'ring', axis }) ? 3.2 : 1.8);
    }
    return out;
  }
  for (const axis of g.planar ? ([2] as const) : ([0, 1, 2] as const)) {
    const points = square(g, camera, axis);
    const d = `M${points.map((p) => `${n(p.x)} ${n(p.y)}`).join('L')}Z`;
    out += path(d, { color: color(axis), width: 1.1, fill: color(axis), fillOpacity: isActive(g, { kind: 'plane', axis }) ? 0.45 : 0.22 });
  }
  for (const axis of axesOf(g)) {
    const end = tip(g, camera, axis);
    if (end.length < 12) continue;
    out += arrow(c, end, { color: color(axis), width: isActive(g, { kind: 'axis', axis }) ? 3.4 : 2.2 }, 12);
    const k = (end.length + 13) / end.length;
    out += `<text class="axl" x="${n(c.x + (end.x - c.x) * k)}" y="${n(c.y + (end.y - c.y) * k + 4)}" text-anchor="middle" fill="${color(axis)}">${NAMES[axis]!.toUpperCase()}</text>`;
  }
  return out;
}

function inside(points: Point[], x: number, y: number): boolean {
  let hit = false;
  for (let i = 0, j = points.length - 1; i < points.length; j = i++) {
    const a = points[i]!;
    const b = points[j]!;
    if (a.y > y !== b.y > y && x < ((b.x - a.x) * (y - a.y)) / (b.y - a.y) + a.x) hit = !hit;
  }
  return hit;
}

/** The handle under the pointer; the goal's own ring counts as the centre. */
export function pickGizmo(g: GizmoInput, camera: Camera, x: number, y: number, touch: boolean): Handle | null {
  const c = camera.project(g.position);
  const d = Math.hypot(x - c.x, y - c.y);
  if (d <= 10) return { kind: 'center' };
  const slack = touch ? 14 : 7;
  if (g.tool === 'translate') {
    for (const axis of g.planar ? ([2] as const) : ([0, 1, 2] as const)) if (inside(square(g, camera, axis), x, y)) return { kind: 'plane', axis };
    for (const axis of axesOf(g)) {
      const end = tip(g, camera, axis);
      if (end.length < 12) continue;
      const k = 16 / end.length;
      const from = { x: c.x + (end.x - c.x) * k, y: c.y + (end.y - c.y) * k };
      if (segmentDistance(x, y, from.x, from.y, end.x, end.y) <= slack) return { kind: 'axis', axis };
    }
  } else if (g.tool === 'rotate') {
    const radius = RING / camera.pixelsPerUnit(g.position);
    for (const axis of g.planar ? ([2] as const) : ([0, 1, 2] as const)) {
      const normal = axisDirection(g, axis);
      const u = perpendicular(normal);
      const v = cross(normal, u);
      let best = Infinity;
      for (let i = 0; i < 48; i++) {
        const t = (i / 48) * 2 * Math.PI;
        const p = camera.project(add(g.position, add(mul(u, radius * Math.cos(t)), mul(v, radius * Math.sin(t)))));
        best = Math.min(best, Math.hypot(p.x - x, p.y - y));
      }
      if (best <= slack) return { kind: 'ring', axis };
    }
  }
  return d <= (touch ? 32 : 24) ? { kind: 'center' } : null;
}
