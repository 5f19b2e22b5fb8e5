// The workspace in the overlay: lines of its outside, the frame of the slice with its handle, and the slice itself for flat models (solid
// ones have it in WebGL, behind the figure).
import type { Camera } from '../logic/camera';
import { formatLength } from '../logic/numbers';
import type { Vec3 } from '../logic/scene';
import type { Band } from '../logic/slice';
import { rayLine } from '../logic/vec';
import { cloud } from '../state/cloud.svelte';
import { studio } from '../state/studio.svelte';
import { ui } from '../state/ui.svelte';
import { circle, label, path, polyline } from './svg';

export const BANDS: Record<Band, { token: string; opacity: number }> = {
  every: { token: '--ok', opacity: 0.4 },
  many: { token: '--res-1', opacity: 0.3 },
  few: { token: '--res-2', opacity: 0.24 },
  reached: { token: '--accent', opacity: 0.24 },
};

const shown = (): boolean => ui.show.cloud && studio.mode === 'pose' && !cloud.endless;
/** A flat workspace has one slice, which cannot be moved. */
const sliced = (): boolean => shown() && cloud.look !== 'shell' && cloud.cells !== null;
const moves = (): boolean => sliced() && !studio.model!.planar;

/** The corner of the slice that holds its handle: the upper right one, unless it is out of sight or below the axes or the legend. */
function handle(camera: Camera): { at: Vec3; x: number; y: number } {
  const [a, b, c, d] = cloud.frame!;
  const list = [c, b, d, a].map((at) => ({ at, ...camera.project(at) }));
  const free = (p: { x: number; y: number }) => p.x > 12 && p.y > 24 && p.x < camera.width - 12 && p.y < camera.height - 12 && !(p.x > camera.width - 116 && p.y < 124) && !(p.x < 366 && p.y < 250) && !(p.x > camera.width - 300 && p.y > camera.height - 60);
  return list.find(free) ?? list[0]!;
}

export function workspaceOverlay(camera: Camera): string {
  if (!shown()) return '';
  const lines = (points: Vec3[]) => points.map((p) => camera.project(p));
  let out = '';
  if (sliced()) {
    if (studio.model!.planar) {
      for (const band of Object.keys(BANDS) as Band[]) {
        const d = cloud.strips.filter((s) => s.band === band).map(({ corners }) => `M${lines(corners).map((p) => `${p.x.toFixed(1)} ${p.y.toFixed(1)}`).join('L')}Z`).join('');
        if (d) out += path(d, { color: 'none', width: 0, fill: `var(${BANDS[band].token})`, fillOpacity: BANDS[band].opacity, extra: `data-band="${band}"` });
      }
    } else {
      const corners = lines(cloud.frame!);
      const grip = handle(camera);
      out += `<g data-slice>${polyline(corners, { color: 'var(--text-3)', width: 1, dash: '6 5' }, true)}${circle(grip, 6, { color: 'var(--accent)', width: 2.2, fill: 'var(--surface-raised)' })}`;
      const right = grip.x > camera.width / 2;
      out += `${label({ x: grip.x + (right ? -14 : 14), y: grip.y - 12 }, `slice at ${'xyz'[cloud.axis]} ${formatLength(cloud.at, studio.style)}; drag to move`, { quiet: true, anchor: right ? 'end' : 'start' })}</g>`;
    }
  }
  if (cloud.look !== 'slice' && cloud.shell) {
    const drawn = cloud.shell.lines.map(lines);
    out += `<g data-shell>${drawn.map((points) => path(`M${points.map((p) => `${p.x.toFixed(1)} ${p.y.toFixed(1)}`).join('L')}`, { color: 'var(--accent)', width: 0.9, opacity: 0.32 })).join('')}</g>`;
    const lowest = drawn.flat().reduce<{ x: number; y: number } | null>((l, p) => (l && l.y >= p.y ? l : p), null);
    if (lowest) out += label({ x: lowest.x, y: lowest.y + 18 }, `reach ${formatLength(cloud.shell.reach, studio.style)}`, { quiet: true, anchor: 'middle' });
  }
  return out;
}

/** Where the slice's handle stands, if a press at this point of the screen takes it. */
export function pickSlice(camera: Camera, x: number, y: number, touch: boolean): Vec3 | null {
  if (!moves()) return null;
  const p = handle(camera);
  return Math.hypot(p.x - x, p.y - y) < (touch ? 24 : 11) ? p.at : null;
}
/** Moves the slice along its normal to below the pointer; `from` is where its handle was taken. */
export function pullSlice(camera: Camera, from: Vec3, x: number, y: number): void {
  const axis: Vec3 = [0, 0, 0];
  axis[cloud.axis] = 1;
  cloud.move(from[cloud.axis]! + rayLine(camera.ray(x, y), from, axis));
}
