// Paths of goals in the overlay: the plane that is drawn on, the stroke in hand, and the way of a keyed goal with a dot a frame.
import type { Camera } from '../logic/camera';
import type { Vec3 } from '../logic/scene';
import { add, cross, mul, unit } from '../logic/vec';
import { targets } from '../state/animation';
import { drawing } from '../state/drawing.svelte';
import { studio } from '../state/studio.svelte';
import { circle, disc, line, path, polyline } from './svg';

export function drawnPath(camera: Camera): string {
  return (drawing.active ? plane(camera) : '') + way(camera) + stroke(camera);
}

function plane(camera: Camera): string {
  if (camera.planar) return '';
  const normal = drawing.normalOf(camera);
  const center = drawing.goal!.position;
  const u = unit(cross(normal, Math.abs(normal[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
  const v = cross(normal, u);
  const size = studio.model!.reach * 0.45;
  const at = (a: number, b: number): Vec3 => add(center, add(mul(u, a * size), mul(v, b * size)));
  const steps = [-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1];
  const grid = steps.flatMap((t) => [line(camera.project(at(t, -1)), camera.project(at(t, 1)), LINE), line(camera.project(at(-1, t)), camera.project(at(1, t)), LINE)]);
  const edge = ([[-1, -1], [1, -1], [1, 1], [-1, 1]] as const).map(([a, b]) => camera.project(at(a, b)));
  return `<g data-draw-plane>${polyline(edge, { color: 'var(--accent-line)', width: 1.4, fill: 'var(--accent)', fillOpacity: 0.045 }, true)}${grid.join('')}</g>`;
}
const LINE = { color: 'var(--accent-line)', width: 0.7 };

function way(camera: Camera): string {
  const goal = studio.selectedGoal;
  const keys = goal ? studio.scene.clip.keys[goal.id] : undefined;
  const curve = goal && keys && keys.length > 1 ? targets()?.[goal.id] : undefined;
  if (!keys || !curve) return '';
  const stride = Math.max(1, Math.ceil(curve.frames / 600));
  let dots = '';
  for (let f = keys[0]!.frame; f <= Math.min(curve.frames - 1, keys[keys.length - 1]!.frame); f += stride) {
    const [x, y, z] = curve.frame(f);
    dots += disc(camera.project([x!, y!, z!]), 1.5, 'var(--accent)', 0.75);
  }
  const marks = keys.map((k) => {
    const p = camera.project(k.position);
    return path(`M${p.x.toFixed(1)} ${(p.y - 5).toFixed(1)}l5 5-5 5-5-5z`, { color: 'var(--accent)', width: 1.6, fill: 'var(--surface-raised)' });
  });
  return `<g data-path="${keys.length}">${dots}${marks.join('')}</g>`;
}

function stroke(camera: Camera): string {
  if (drawing.stroke.length < 2) return '';
  const points = drawing.stroke.map((p) => camera.project(p));
  return polyline(points, { color: 'var(--accent)', width: 2.2, cap: 'round' }, drawing.closed) + (drawing.closed ? circle(points[0]!, 9, { color: 'var(--accent)', width: 2 }) : '');
}
