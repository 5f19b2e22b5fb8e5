// What Build draws over the figure: where links meet, the link in hand with its length, the loop about to be closed.
import type { Camera } from '../logic/camera';
import { fixed, formatAngle } from '../logic/numbers';
import { dist, sub } from '../logic/vec';
import type { Vec3 } from '../logic/scene';
import { build } from '../state/build.svelte';
import { limbs, planeCorner } from '../state/build_limbs.svelte';
import { plane } from '../state/build_plane.svelte';
import { lengths } from '../state/build_units.svelte';
import { ui } from '../state/ui.svelte';
import { axisLine } from './axis_handle';
import { limitHandles } from './limit_handles';
import { rods } from './mechanism_svg';
import { studio } from '../state/studio.svelte';
import { lookOf } from '../logic/linkage_edit';
import { coarse } from './touch';
import { circle, disc, label, line, path, polyline, stadium, type Point } from './svg';

/** The plane that is drawn on, in a solid view; spaced by five steps. */
export function buildBelow(camera: Camera): string {
  const { tool } = build;
  plane.look(camera);
  if (camera.planar || !(tool === 'draw' || tool === 'length' || tool === 'limits' || build.joint)) return '';
  const step = 5 * (plane.stepLength || 0.01);
  const half = step * Math.max(2, Math.min(12, Math.ceil((0.6 * studio.model!.reach) / step)));
  const at = (a: number, b: number) => camera.project(planeCorner(a, b));
  const corners = [at(-half, -half), at(half, -half), at(half, half), at(-half, half)];
  if (corners.some((c) => !c.visible)) return '';
  let out = polyline(corners, { color: 'var(--accent-line)', width: 1, fill: 'var(--accent)', fillOpacity: 0.045 }, true);
  for (let x = -half + step; x < half - 1e-9; x += step) out += line(at(x, -half), at(x, half), { color: 'var(--accent-line)', width: 0.6, opacity: 0.7 }) + line(at(-half, x), at(half, x), { color: 'var(--accent-line)', width: 0.6, opacity: 0.7 });
  return `<g data-plane>${out}</g>`;
}

/** A limb that is not there yet. */
function dashed(camera: Camera, bars: [Vec3, Vec3][], name: string): string {
  if (bars.length === 0) return '';
  const r = (a: Vec3) => Math.max(4, Math.min(16, 0.03 * studio.model!.reach * camera.pixelsPerUnit(a)));
  return `<g data-preview="${name}">${bars.map(([a, b]) => path(stadium(camera.project(a), camera.project(b), r(a), r(b)), { color: 'var(--accent)', width: 1.3, dash: '5 3', fill: 'var(--accent)', fillOpacity: 0.07 })).join('')}</g>`;
}

/** How thick a link is, and how thick it is pulled. */
function sides(camera: Camera): string {
  const link = build.thick?.link ?? (build.tool === 'shape' ? build.joint?.child : undefined);
  const radius = build.thick?.radius ?? (link ? lookOf(build.json, link)?.radius : undefined);
  if (!link || !radius) return '';
  const [a, b] = build.axisOf(link);
  const [pa, pb] = [camera.project(a), camera.project(b)];
  const px = radius * camera.pixelsPerUnit(a);
  return path(stadium(pa, pb, px, px), { color: 'var(--accent)', width: 1.5, dash: '5 3', fill: 'var(--accent)', fillOpacity: 0.07 }) + label({ x: (pa.x + pb.x) / 2 + px + 8, y: (pa.y + pb.y) / 2 }, `${lengths.text(2 * radius)} thick`, { color: 'var(--accent-text)', bold: true });
}

/** The way of a slide with a stop across each end. */
function rail(a: Point, b: Point): string {
  const far = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const [dx, dy] = [(-(b.y - a.y) / far) * 9, ((b.x - a.x) / far) * 9];
  const stop = (p: Point) => line({ x: p.x - dx, y: p.y - dy }, { x: p.x + dx, y: p.y + dy }, { color: 'var(--limit)', width: 2.6, cap: 'round' });
  return `<g data-rail>${line(a, b, { color: 'var(--limit-arc)', width: 5, opacity: 0.35, cap: 'round' })}${stop(a)}${stop(b)}</g>`;
}

export function buildOverlay(camera: Camera): string {
  let out = rods(camera) + dashed(camera, limbs.mirrored(), 'mirror') + dashed(camera, limbs.hanging(), 'copy') + sides(camera) + axisLine(camera);
  for (const a of build.anchors()) {
    const p = camera.project(a.world);
    out += circle(p, 5, { color: 'var(--accent)', width: 1.6, fill: 'var(--surface-raised)' });
  }
  const handles = build.axis ? [] : limitHandles(camera);
  if (handles[0]?.free && (handles.length === 1 || handles[1]?.free)) out += label({ x: handles[0].at.x, y: handles[0].at.y - 14 }, handles.length === 1 ? 'pull for a limit' : 'pull apart for limits', { color: 'var(--limit)', anchor: 'middle' });
  const slides = handles.length === 2 && studio.model?.joints[studio.rig!.joint(handles[0]!.joint)]?.type === 'prismatic';
  if (slides) out += rail(handles[0]!.at, handles[1]!.at);
  for (const h of handles) {
    out += `<g data-limit="${h.side}">${disc(h.at, coarse() ? 20 : 10, 'var(--limit)', 0.14)}${disc(h.at, coarse() ? 10 : 4.5, 'var(--limit)')}</g>`;
    if (build.limits || (slides && !h.free)) out += label({ x: h.at.x + 12, y: h.at.y - 8 }, slides ? lengths.text(h.value) : formatAngle(h.value, ui.units), { color: 'var(--limit)' });
  }
  const onto = limbs.copying?.onto;
  if (onto) out += disc(camera.project(onto.world), 16, 'var(--accent)', 0.18);
  const preview = build.preview ?? build.closing?.drawn;
  if (!preview) return out;
  const [a, b] = [camera.project(preview.from.world), camera.project(preview.to)];
  if (build.tool !== 'close') out += path(stadium(a, b, 7, 6), { color: 'var(--accent)', width: 1.6, dash: '5 3', fill: 'var(--accent)', fillOpacity: 0.1 });
  else out += path(`M${a.x} ${a.y}L${b.x} ${b.y}`, { color: 'var(--accent)', width: 1.4, dash: '1 4', cap: 'round' });
  const d = sub(preview.to, preview.from.world);
  const length = dist(preview.to, preview.from.world);
  const words = `${lengths.text(length)}${studio.model?.planar ? `, ${fixed((Math.atan2(d[1], d[0]) * 180) / Math.PI, 0)}°` : ''}`;
  out += `<g data-drawing>${label({ x: (a.x + b.x) / 2 + 12, y: (a.y + b.y) / 2 - 14 }, build.tool === 'close' ? `${lengths.text(length)} apart` : words, { color: 'var(--accent-text)', bold: true })}</g>`;
  if (preview.onto) out += disc(b, 16, 'var(--accent)', 0.18) + circle(b, 7, { color: 'var(--accent)', width: 2.2, fill: 'var(--surface-raised)' });
  return out;
}
