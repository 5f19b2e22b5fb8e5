// The flat view: grid with rulers, links as tapered bars, pedestal, reach circle. Shared by the planar
// stage, the chapter's stages and film strips.
import { floats, standsApart, type ModelDescription } from '../logic/model';
import type { Camera } from '../logic/camera';
import { fixed } from '../logic/numbers';
import { paintOf } from '../logic/paint';
import type { Vec3 } from '../logic/scene';
import { apply, dist, origin } from '../logic/vec';
import { circle, n, path, stadium, type Point, type Stroke } from './svg';

export interface Bar {
  link: number;
  from: Vec3;
  to: Vec3;
  /** Depth in the tree, which sets the taper. */
  depth: number;
}

/** One bar per stretch from a link's origin to each of its children. */
export function bars(model: ModelDescription, frames: ArrayLike<number>): Bar[] {
  const out: Bar[] = [];
  const depth = new Array<number>(model.links.length).fill(0);
  const short = model.reach * 1e-6;
  model.links.forEach((link, i) => {
    if (link.parent < 0) return;
    const from = origin(frames, link.parent);
    const to = origin(frames, i);
    const bar = dist(from, to) > short;
    depth[i] = depth[link.parent]! + (bar ? 1 : 0);
    const ground = (model.closures.length > 0 && link.parent === 0) || standsApart(model, i); // pivots on the ground are drawn as such
    if (bar && !ground) out.push({ link: link.parent, from, to, depth: depth[link.parent]! });
  });
  for (const { link, at } of model.closures.flatMap((c) => [c.a, c.b])) {
    if (link < 0) continue;
    const from = origin(frames, link);
    const to = apply(frames, at, 16 * link);
    if (dist(from, to) > short) out.push({ link, from, to, depth: depth[link]! });
  }
  return out;
}

/** Links that hold three points or more together are plates. */
function plates(list: Bar[]): { link: number; points: Vec3[] }[] {
  const ends = new Map<number, Vec3[]>();
  for (const bar of list) ends.set(bar.link, [...(ends.get(bar.link) ?? [bar.from]), bar.to]);
  return [...ends].filter(([, points]) => points.length > 2).map(([link, points]) => ({ link, points }));
}

export function barRadius(model: ModelDescription, depth: number, scale: number): number {
  const full = Math.min(12, Math.max(3, model.reach * 0.019 * scale));
  return Math.max(2.4, full * (1 - 0.12 * Math.min(depth, 4)));
}

export function gridStep(camera: Camera): number {
  const units = 46 / camera.pixelsPerUnit();
  const power = 10 ** Math.floor(Math.log10(units));
  for (const m of [1, 2, 5, 10]) if (m * power >= units) return m * power;
  return 10 * power;
}

/** Minor and major lines, the two axes, and numbers along the right and bottom edges. */
export function grid(camera: Camera, rulers = true): string {
  const minor = gridStep(camera);
  const major = minor * 2;
  const a = camera.ray(0, camera.height).from;
  const b = camera.ray(camera.width, 0).from;
  let out = '';
  let text = '';
  const at = (x: number, y: number): Point => camera.project([x, y, 0]);
  const digits = Math.max(0, -Math.floor(Math.log10(major) + 1e-9));
  for (let i = Math.ceil(a[0] / minor); i * minor <= b[0]; i++) {
    const p = at(i * minor, 0);
    const bold = i % 2 === 0;
    out += path(`M${n(p.x)} 0V${camera.height}`, { color: bold ? 'var(--grid-major)' : 'var(--grid)', width: bold ? 0.9 : 0.7, opacity: 0.6 });
    if (rulers && bold && p.x > 20 && p.x < camera.width - 40) text += `<text class="ax" x="${n(p.x)}" y="${n(camera.height - 10)}" text-anchor="middle">${fixed(i * minor, digits)}</text>`;
  }
  for (let i = Math.ceil(a[1] / minor); i * minor <= b[1]; i++) {
    const p = at(0, i * minor);
    const bold = i % 2 === 0;
    out += path(`M0 ${n(p.y)}H${camera.width}`, { color: bold ? 'var(--grid-major)' : 'var(--grid)', width: bold ? 0.9 : 0.7, opacity: 0.6 });
    if (rulers && bold && p.y > 20 && p.y < camera.height - 24) text += `<text class="ax" x="${n(camera.width - 10)}" y="${n(p.y + 4)}" text-anchor="end">${fixed(i * minor, digits)}</text>`;
  }
  const o = at(0, 0);
  out += path(`M0 ${n(o.y)}H${camera.width}`, { color: 'var(--axis-x)', width: 1.3, opacity: 0.8 });
  out += path(`M${n(o.x)} 0V${camera.height}`, { color: 'var(--axis-y)', width: 1.3, opacity: 0.8 });
  return out + text;
}

/** Where the figure stands: its root, and the other pivots on the ground of a mechanism. */
export function grounded(model: ModelDescription, frames: ArrayLike<number>): Vec3[] {
  const apart = model.links.some((l, i) => l.parent === 0 && standsApart(model, i) && !floats(model, i));
  if (model.closures.length === 0 && !apart) return model.links.length > 1 || model.dof > 0 ? [origin(frames, 0)] : [];
  return model.links.flatMap((l, i) => (l.parent === 0 && !floats(model, i) && (model.joints[l.joint]?.type ?? '') !== 'prismatic' && (model.joints[l.joint]?.nv ?? 0) > 0 ? [origin(frames, i)] : []));
}

export function pedestal(at: Point, scale = 1): string {
  const s = (v: number) => n(v * scale);
  const body = `M${n(at.x - 20 * scale)} ${n(at.y + 22 * scale)}h${s(40)}l${s(-9)} ${s(-16)}h${s(-22)}z`;
  let out = path(body, { color: 'var(--fig-edge)', width: 1, fill: 'var(--surface-active)' });
  for (let i = -2; i <= 2; i++) out += path(`M${n(at.x + 9 * i * scale)} ${n(at.y + 22 * scale)}l${s(-6)} ${s(7)}`, { color: 'var(--fig-edge)', width: 1 });
  return out;
}

export type BodyStyle = 'solid' | 'ghost' | 'next' | 'hover' | 'dead' | 'answer' | 'chosen';

const STYLES: Record<BodyStyle, Stroke> = {
  solid: { color: 'var(--fig-edge)', width: 1, fill: 'var(--fig-mid)' },
  ghost: { color: 'var(--ghost)', width: 1 },
  next: { color: 'var(--accent)', width: 1.2, fill: 'var(--accent)', fillOpacity: 0.1, dash: '4 3' },
  hover: { color: 'var(--accent)', width: 1.4, fill: 'var(--accent-weak)' },
  dead: { color: 'var(--limit)', width: 1.2, fill: 'var(--limit)', fillOpacity: 0.25, dash: '5 3' },
  answer: { color: 'var(--ghost)', width: 1, fill: 'var(--bot-mid)', fillOpacity: 0.35 },
  chosen: { color: 'var(--accent)', width: 1.5, fill: 'var(--accent)', fillOpacity: 0.3, dash: '5 3' },
};

export interface BodyOptions {
  style?: BodyStyle;
  opacity?: number;
  joints?: boolean;
  hover?: number;
  selected?: number;
}

/** The links of one pose, drawn flat. */
export function flatBody(model: ModelDescription, frames: ArrayLike<number>, camera: Camera, options: BodyOptions = {}): string {
  const style = STYLES[options.style ?? 'solid'];
  const scale = camera.pixelsPerUnit();
  let body = '';
  let dots = '';
  const seen = new Set<string>();
  const list = bars(model, frames);
  if (model.closures.length > 0) {
    for (const plate of plates(list)) body += path(`M${plate.points.map((p) => camera.project(p)).map((p) => `${n(p.x)} ${n(p.y)}`).join('L')}Z`, { ...style, ...(style.fill ? { fillOpacity: 0.55 * (style.fillOpacity ?? 1) } : {}) });
  }
  for (const bar of list) {
    const a = camera.project(bar.from);
    const b = camera.project(bar.to);
    const ra = barRadius(model, bar.depth, scale);
    const lit = options.hover === bar.link;
    const paint = (options.style ?? 'solid') === 'solid' ? paintOf(model.links[bar.link]!.geometry[0]?.color) : '';
    body += path(stadium(a, b, ra, ra * 0.92), lit ? STYLES.hover : paint ? { ...style, fill: `color-mix(in srgb, var(${paint}) 75%, var(--fig-mid))` } : style);
    const key = `${n(a.x)},${n(a.y)}`;
    if (!seen.has(key)) {
      seen.add(key);
      const chosen = options.selected === bar.link;
      dots += circle(a, Math.max(1.6, ra * 0.52), { color: chosen ? 'var(--accent)' : 'var(--bone)', width: chosen ? 2.2 : 1.6, fill: 'var(--surface-raised)' });
    }
  }
  const content = body + (options.joints === false || (options.style ?? 'solid') !== 'solid' ? '' : dots);
  return options.opacity === undefined ? content : `<g opacity="${options.opacity}">${content}</g>`;
}

/** Circle of what a chain can reach about the first joint that turns it. */
export function reachCircle(center: Vec3, radius: number, camera: Camera, verdict = false): string {
  const c = camera.project(center);
  return circle(c, radius * camera.pixelsPerUnit(), {
    color: verdict ? 'var(--limit)' : 'var(--text-3)',
    width: 1,
    dash: verdict ? '6 5' : '2 5',
    opacity: 0.8,
  });
}

/** Length of a serial chain from joint to tip: the outer radius. */
export function chainReach(model: ModelDescription, frames: ArrayLike<number>, joints: number[], tip: number): { center: Vec3; radius: number } | null {
  const first = joints[0];
  if (first === undefined) return null;
  const points = joints.map((j) => origin(frames, model.joints[j]!.child));
  points.push(origin(frames, tip));
  let radius = 0;
  for (let i = 0; i + 1 < points.length; i++) radius += dist(points[i]!, points[i + 1]!);
  return { center: points[0]!, radius };
}
