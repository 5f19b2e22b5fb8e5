// What the view draws of a mechanism: paths of points over the stroke and the whole circuit, the drive's badge, the nearer dead
// point with its reason, gaps of loops that do not close.
import type { Camera } from '../logic/camera';
import { mechanism } from '../state/mechanism.svelte';
import { studio } from '../state/studio.svelte';
import { apply, dist, origin } from '../logic/vec';
import { flatBody } from './planar';
import { circle, disc, escape, label, line, polyline } from './svg';

const LINES = ['var(--accent)', 'var(--col-2)', 'var(--desired)', 'var(--col-1)'];

/** Behind the links. */
export function mechanismBelow(camera: Camera): string {
  if (!mechanism.active || studio.mode !== 'pose') return '';
  return deadPoint(camera) + mechanism.points.map((point, i) => {
    const { stroke, circuit } = mechanism.pathOf(point);
    const color = LINES[i % LINES.length]!;
    const flat = (list: typeof stroke) => list.map((p) => camera.project(p));
    return `<g data-path="${escape(point.link)}">${polyline(flat(circuit), { color, width: 1.5, dash: '3 4', opacity: 0.55 })}${polyline(flat(stroke), { color, width: 2.2 })}</g>`;
  }).join('');
}

/** The pose at the nearer end of the stroke, and why it ends there: while the drive is close to it. */
function deadPoint(camera: Camera): string {
  const { stroke } = mechanism;
  const rig = studio.rig!;
  if (!stroke || stroke.full || !rig.model.planar || mechanism.playing) return '';
  const span = stroke.values[stroke.values.length - 1]! - stroke.values[0]!;
  const stops = stroke.stops.filter((s) => s !== null && s.outcome === 'dead_point').map((s) => s!);
  const stop = stops.sort((a, b) => Math.abs(a.value - mechanism.value) - Math.abs(b.value - mechanism.value))[0];
  if (!stop || Math.abs(stop.value - mechanism.value) < 1e-3 * span) return '';
  const keep = rig.q.slice();
  rig.setPose(stop.q);
  const frames = rig.frames.slice();
  rig.setPose(keep);
  const driven = rig.model.joints[rig.joint(mechanism.joint)];
  const at = camera.project(driven ? origin(frames, driven.child) : [0, 0, 0]);
  const words = stop.links.length ? `${stop.links.slice(0, 3).join(', ')} in one line` : 'it turns back here';
  const [x, y] = [Math.max(70, Math.min(camera.width - 250, at.x - 120)), Math.max(70, at.y - 150)];
  return `<g data-dead-point opacity="0.9"><g opacity="0.35">${flatBody(rig.model, frames, camera, { style: 'dead' })}</g>${line({ x: x + 90, y: y + 40 }, at, { color: 'var(--limit)', width: 1, opacity: 0.6 })}<rect x="${x}" y="${y}" width="216" height="40" rx="6" fill="var(--surface-raised)" stroke="var(--limit)"/><text x="${x + 12}" y="${y + 16}" font-size="12" font-weight="600" fill="var(--limit)">Dead point, ${escape(mechanism.joint)} at ${mechanism.text(stop.value)}</text><text x="${x + 12}" y="${y + 32}" font-size="11" fill="var(--text-2)">${escape(words.slice(0, 40))}</text></g>`;
}

/** Bars between two links that are no links themselves. */
export function rods(camera: Camera): string {
  const { model, frames } = studio.rig!;
  return model.closures.filter((c) => c.type === 'rod').map((c) => {
    const at = (s: typeof c.a) => camera.project(s.link < 0 ? s.at : apply(frames, s.at, 16 * s.link));
    const [p, q] = [at(c.a), at(c.b)];
    const end = { color: 'var(--bone)', width: 1.8, fill: 'var(--surface-raised)' };
    return `<g data-rod="${escape(c.name)}">${line(p, q, { color: 'var(--bone)', width: 5, cap: 'round' })}${circle(p, 5, end)}${circle(q, 5, end)}</g>`;
  }).join('');
}
/** Over the links. */
export function mechanismAbove(camera: Camera): string {
  if (!mechanism.active || studio.mode !== 'pose') return '';
  const rig = studio.rig!;
  const { model, frames } = rig;
  let out = rods(camera);
  for (const c of model.closures) {
    const [a, b] = [c.a, c.b].map((side) => (side.link < 0 ? side.at : apply(frames, side.at, 16 * side.link)));
    const [p, q] = [camera.project(a!), camera.project(b!)];
    out += circle(p, 5, { color: 'var(--bone)', width: 1.8, fill: 'var(--surface-raised)' });
    const apart = dist(a!, b!);
    if (c.type === 'revolute' && apart > 1e-6 * model.reach) out += line(p, q, { color: 'var(--bad)', width: 2.4 }) + label({ x: (p.x + q.x) / 2 + 10, y: (p.y + q.y) / 2 - 8 }, `${c.name} is open`, { color: 'var(--bad)' });
  }
  const driven = model.joints[rig.joint(mechanism.joint)];
  if (driven) {
    const p = camera.project(origin(frames, driven.child));
    out += `<g data-drive-badge>${disc(p, 12, 'var(--accent)')}<text x="${p.x.toFixed(1)}" y="${(p.y + 4).toFixed(1)}" text-anchor="middle" font-size="12" font-weight="700" fill="var(--on-accent)">M</text></g>`;
    out += label({ x: p.x + 18, y: p.y - 16 }, `${driven.name} ${mechanism.text(mechanism.value)}`);
  }
  mechanism.points.forEach((point, i) => {
    const link = rig.link(point.link);
    if (link < 0) return;
    const p = camera.project(apply(frames, point.at, 16 * link));
    out += disc(p, 14, LINES[i % LINES.length]!, 0.15) + circle(p, 6.5, { color: LINES[i % LINES.length]!, width: 2.4, fill: 'var(--surface-raised)' }) + label({ x: p.x + 14, y: p.y - 12 }, i === 0 && mechanism.points.length === 1 ? `path of ${point.link}` : `${point.link} ${i + 1}`, { quiet: true });
  });
  return out;
}

/** The path's point under the pointer, -1: none. */
export function pickPathPoint(camera: Camera, x: number, y: number): number {
  const rig = studio.rig;
  if (!rig || !mechanism.active) return -1;
  return mechanism.points.findIndex((point) => {
    const link = rig.link(point.link);
    const p = link < 0 ? null : camera.project(apply(rig.frames, point.at, 16 * link));
    return p !== null && Math.hypot(p.x - x, p.y - y) < 14;
  });
}
