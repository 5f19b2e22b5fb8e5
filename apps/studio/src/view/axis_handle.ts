// The axis of the selected joint, in Build: a line through the joint whose end is pulled over a ball around it. It snaps to the world's axes, to the
// joint's own (its x lies along the link), and to the plane that is drawn on. In a flat view only slides have one: a hinge cannot leave the plane.
import type { Camera } from '../logic/camera';
import { takesAxis } from '../logic/linkage_edit';
import type { Vec3 } from '../logic/scene';
import { add, applyDirection, dot, mul, origin, rotate, sub, unit } from '../logic/vec';
import { build } from '../state/build.svelte';
import { plane, unitAxis } from '../state/build_plane.svelte';
import { studio } from '../state/studio.svelte';
import { limitHandles } from './limit_handles';
import { disc, label, line } from './svg';
import { coarse } from './touch';

const PX = 64;
/** Six degrees on the rim of the ball. */
const NEAR = 0.105;

function selected(camera: Camera) {
  const { rig } = studio;
  const joint = rig?.model.joints[build.joint ? rig.joint(build.joint.name) : -1];
  if (!rig || !joint || studio.mode !== 'build' || (build.tool !== 'select' && build.tool !== 'limits') || !takesAxis(joint.type)) return null;
  if (rig.model.planar && joint.type !== 'prismatic') return null;
  const parent = (v: Vec3) => (joint.parent < 0 ? v : applyDirection(rig.frames, v, 16 * joint.parent));
  const own = [0, 1, 2].map((i) => parent(applyDirection(joint.placement, unitAxis(i))));
  const [x, y, z] = build.axis?.joint === joint.name ? build.axis.axis : joint.axis;
  const axis = unit(add(add(mul(own[0]!, x), mul(own[1]!, y)), mul(own[2]!, z)));
  const center = origin(rig.frames, joint.child);
  const c = camera.project(center);
  const scale = camera.pixelsPerUnit(center);
  // Clear of the stop of a slide, which is on the same line.
  const stop = joint.type === 'prismatic' ? limitHandles(camera)[1]?.at : undefined;
  const px = stop ? Math.hypot(stop.x - c.x, stop.y - c.y) : 0;
  const radius = (px > 110 ? PX : Math.max(PX, px + 34)) / scale;
  return { joint, own, axis, center, c, radius, at: camera.project(add(center, mul(axis, radius))) };
}

/** Directions that are meant most often, both ways. */
const ways = (own: Vec3[]) =>
  [...[0, 1, 2].map(unitAxis), ...own, plane.normal].flatMap((way, i) => [1, -1].map((sign) => ({ axis: mul(way, sign), word: i < 3 ? 'XYZ'[i]! : i < 6 ? `own ${'XYZ'[i - 3]}` : 'across the plane', color: i < 3 ? `var(--axis-${'xyz'[i]})` : 'var(--accent)' })));

export function pickAxis(camera: Camera, x: number, y: number, touch: boolean): boolean {
  const a = selected(camera);
  // An axis that points at the eye has its end on the joint itself.
  return a !== null && Math.hypot(a.at.x - a.c.x, a.at.y - a.c.y) > 14 && Math.hypot(a.at.x - x, a.at.y - y) <= (touch ? 24 : 10);
}

/** Turns the axis towards a place of the screen, on the side of the ball that it is on. */
export function pullAxis(camera: Camera, x: number, y: number, free: boolean): 'axis' {
  const a = selected(camera);
  if (!a) return 'axis';
  const ray = camera.ray(x, y);
  const from = sub(ray.from, a.center);
  const off = sub(from, mul(ray.to, dot(from, ray.to)));
  const depth = Math.sqrt(Math.max(0, a.radius ** 2 - dot(off, off)));
  let axis = unit(add(off, mul(ray.to, dot(a.axis, ray.to) > 1e-6 ? depth : -depth)));
  if (plane.planar) axis = unit([axis[0], axis[1], 0]);
  // As it is seen: the end of such a direction may be on the other side of the ball.
  const away = (way: Vec3) => { const p = camera.project(add(a.center, mul(way, a.radius))); return Math.hypot(p.x - x, p.y - y); };
  const snapped = free ? [] : ways(a.own).filter((w) => away(w.axis) < NEAR * a.radius * camera.pixelsPerUnit(a.center) && !(plane.planar && Math.abs(w.axis[2]) > 0.1));
  if (snapped.length) axis = snapped.reduce((best, w) => (away(w.axis) < away(best.axis) - 0.01 ? w : best)).axis;
  else if (!free && plane.planar) {
    const step = ((Number(plane.angle) || 5) * Math.PI) / 180;
    axis = rotate([1, 0, 0], [0, 0, 1], Math.round(Math.atan2(axis[1], axis[0]) / step) * step);
  } else if (!free && Math.abs(dot(axis, plane.normal)) < NEAR) axis = unit(sub(axis, mul(plane.normal, dot(axis, plane.normal))));
  build.axis = { joint: a.joint.name, axis: a.own.map((o) => dot(o, axis)) as Vec3 };
  return 'axis';
}

export function axisLine(camera: Camera): string {
  const a = selected(camera);
  if (!a) return '';
  const all = ways(a.own);
  const { word, color } = all.find((w) => dot(w.axis, a.axis) > 1 - 1e-12) ?? { word: Math.abs(dot(a.axis, plane.normal)) < 1e-9 ? 'in the plane' : '', color: 'var(--accent)' };
  const tail = { x: 2 * a.c.x - a.at.x, y: 2 * a.c.y - a.at.y };
  const halo = coarse() ? 20 : 10;
  const left = a.at.x < a.c.x; // words stand outside, clear of the joint
  const dots = build.axis ? all.reverse().map((w) => disc(camera.project(add(a.center, mul(w.axis, a.radius))), 2.5, w.color)).join('') : '';
  return `<g data-axis="${word}">${line(tail, a.at, { color, width: 1.8, dash: '9 3 2 3' })}${disc(a.at, halo, color, 0.14)}${disc(a.at, coarse() ? 10 : 4.5, color)}${label({ x: a.at.x + (left ? -halo - 2 : halo + 2), y: a.at.y - 8 }, `axis ${word}`, { color, anchor: left ? 'end' : 'start' })}${dots}</g>`;
}
