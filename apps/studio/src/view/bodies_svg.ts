// The nearest pair as a line with its distance, touches as rings, obstacles in flat views.
import type { Camera } from '../logic/camera';
import { formatLength } from '../logic/numbers';
import type { SceneObstacle, Vec3 } from '../logic/scene';
import { bodies } from '../state/bodies.svelte';
import { studio } from '../state/studio.svelte';
import { ui } from '../state/ui.svelte';
import { outline } from './arcs';
import { circle, disc, label, line, path } from './svg';

function corners({ position: p, size }: SceneObstacle): Vec3[] {
  return [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z): Vec3 => [p[0] + (x * size[0]) / 2, p[1] + (y * size[1]) / 2, p[2] + (z * size[2]) / 2])));
}

/** Radius in pixels within which an obstacle is taken by the pointer, and its middle. */
export function obstacleOnScreen(o: SceneObstacle, camera: Camera): { x: number; y: number; radius: number } {
  const p = camera.project(o.position);
  const size = o.type === 'sphere' ? o.size[0] : o.type === 'box' ? Math.min(...o.size) / 2 : 0;
  return { x: p.x, y: p.y, radius: Math.max(10, size * camera.pixelsPerUnit(o.position)) };
}
export function pickObstacle(camera: Camera, x: number, y: number): SceneObstacle | null {
  return studio.scene.obstacles.find((o) => {
    const at = obstacleOnScreen(o, camera);
    return o.type !== 'plane' && Math.hypot(at.x - x, at.y - y) < at.radius;
  }) ?? null;
}

function obstacle(o: SceneObstacle, camera: Camera): string {
  const chosen = bodies.selected === o.name;
  const stroke = { color: chosen ? 'var(--accent)' : 'var(--line-control)', width: chosen ? 2 : 1 };
  const p = camera.project(o.position);
  const flat = studio.model!.planar ? { fill: 'var(--bot-lo)', fillOpacity: 0.7 } : {};
  if (o.type === 'sphere') return circle(p, o.size[0] * camera.pixelsPerUnit(o.position), { ...stroke, ...flat });
  if (o.type === 'plane') return studio.model!.planar ? path(`M0 ${p.y.toFixed(1)}H${camera.width}`, { ...stroke, width: 2 }) : '';
  const hull = outline(corners(o).map((c) => camera.project(c)));
  return path(`M${hull.map((h) => `${h.x.toFixed(1)} ${h.y.toFixed(1)}`).join('L')}Z`, { ...stroke, ...flat });
}

export function bodiesOverlay(camera: Camera): string {
  if (!bodies.shown) return '';
  const flat = studio.model!.planar;
  let out = studio.scene.obstacles.filter((o) => flat || bodies.selected === o.name).map((o) => obstacle(o, camera)).join('');
  if (!ui.show.clearance && ui.inspectorTab !== 'bodies') return out;
  const [nearest] = bodies.pairs;
  const touches = bodies.touches.slice(0, 8).map((pair) => ({ pair, p: camera.project(pair.point_a) }));
  const middle = touches.reduce((s, t) => s + t.p.x, 0) / touches.length;
  const words: { x: number; y: number }[] = [];
  for (const { pair, p } of touches) {
    const at = { x: p.x, y: p.y - 10 };
    while (words.some((w) => Math.abs(w.x - at.x) < 160 && Math.abs(w.y - at.y) < 14)) at.y += 14; // several at one place: a list
    words.push(at);
    const left = p.x < middle - 1; // words stand outside, so that those of both sides do not meet
    out += `<g data-touch>${circle(p, 7, { color: 'var(--bad)', width: 2 })}${label({ x: p.x + (left ? -14 : 14), y: at.y }, `touches, ${formatLength(-pair.distance, studio.style)} deep`, { color: 'var(--bad)', anchor: left ? 'end' : 'start' })}</g>`;
  }
  if (nearest && nearest.distance >= 0) {
    const [a, b] = [camera.project(nearest.point_a), camera.project(nearest.point_b)];
    const color = `var(${bodies.bandOf(nearest.distance).token})`;
    const [x, y] = [(a.x + b.x) / 2, (a.y + b.y) / 2];
    // Away from the words of a goal that is near.
    const goals = studio.scene.goals.filter((g) => g.visible).map((g) => camera.project(g.position));
    const below = goals.some((g) => g.y < y && Math.hypot(g.x - x, g.y - y) < 60);
    out += `<g data-nearest>${line(a, b, { color, width: 3 })}${disc(a, 3.5, color)}${disc(b, 3.5, color)}${label({ x: x + 16, y: y + (below ? 22 : -14) }, `nearest ${formatLength(nearest.distance, studio.style)}`)}</g>`;
  }
  return out;
}
