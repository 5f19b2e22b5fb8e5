// What Build draws over the figure: where links meet, the link in hand with its length, the loop about to be closed.
import type { Camera } from '../logic/camera';
import { fixed, formatAngle, formatLength } from '../logic/numbers';
import { dist, sub } from '../logic/vec';
import { build } from '../state/build.svelte';
import { ui } from '../state/ui.svelte';
import { limitHandles } from './limit_handles';
import { studio } from '../state/studio.svelte';
import { circle, disc, label, path, stadium } from './svg';

export function buildOverlay(camera: Camera): string {
  let out = '';
  for (const a of build.anchors()) {
    const p = camera.project(a.world);
    out += circle(p, 5, { color: 'var(--accent)', width: 1.6, fill: 'var(--surface-raised)' });
  }
  const handles = limitHandles(camera);
  if (handles[0]?.free && handles[1]?.free) out += label({ x: handles[0].at.x, y: handles[0].at.y - 14 }, 'pull apart for limits', { color: 'var(--limit)', anchor: 'middle' });
  for (const h of handles) {
    out += `<g data-limit="${h.side}">${disc(h.at, 10, 'var(--limit)', 0.14)}${disc(h.at, 4.5, 'var(--limit)')}</g>`;
    if (build.limits) out += label({ x: h.at.x + 12, y: h.at.y - 8 }, formatAngle(h.value, ui.units), { color: 'var(--limit)' });
  }
  const { preview } = build;
  if (!preview) return out;
  const [a, b] = [camera.project(preview.from.world), camera.project(preview.to)];
  if (build.tool !== 'close') out += path(stadium(a, b, 7, 6), { color: 'var(--accent)', width: 1.6, dash: '5 3', fill: 'var(--accent)', fillOpacity: 0.1 });
  else out += path(`M${a.x} ${a.y}L${b.x} ${b.y}`, { color: 'var(--accent)', width: 1.4, dash: '1 4', cap: 'round' });
  const d = sub(preview.to, preview.from.world);
  const length = dist(preview.to, preview.from.world);
  const words = `${formatLength(length, studio.style)}${studio.model?.planar ? `, ${fixed((Math.atan2(d[1], d[0]) * 180) / Math.PI, 0)}°` : ''}`;
  out += `<g data-drawing>${label({ x: (a.x + b.x) / 2 + 12, y: (a.y + b.y) / 2 - 14 }, build.tool === 'close' ? `${formatLength(length, studio.style)} apart` : words, { color: 'var(--accent-text)', bold: true })}</g>`;
  if (preview.onto) out += disc(b, 16, 'var(--accent)', 0.18) + circle(b, 7, { color: 'var(--accent)', width: 2.2, fill: 'var(--surface-raised)' });
  return out;
}
