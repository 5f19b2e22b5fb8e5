// All solutions as ghosts over the view; the one under the pointer stands out, and can be taken by a click.
import type { Camera } from '../logic/camera';
import { segmentDistance } from '../logic/vec';
import { solutions } from '../state/solutions.svelte';
import { studio } from '../state/studio.svelte';
import { bars, flatBody } from './planar';
import { label } from './svg';

const MOST = 16;

function framesOf(index: number): Float64Array {
  const rig = studio.rig!;
  const keep = rig.q.slice();
  rig.setPose(solutions.found.q[index]!);
  const frames = rig.frames.slice();
  rig.setPose(keep);
  return frames;
}
let kept: { of: unknown; frames: Float64Array[] } = { of: null, frames: [] };
function ghostFrames(): Float64Array[] {
  const { found } = solutions;
  if (kept.of !== found) kept = { of: found, frames: found.q.slice(0, MOST).map((_, i) => framesOf(i)) };
  return kept.frames;
}
const visible = (): boolean => solutions.shown && solutions.ghosts && studio.gesture === null && solutions.found.q.length > 1;

export function solutionGhosts(camera: Camera): string {
  if (!visible()) return '';
  const { model } = studio.rig!;
  let out = '';
  let chosen = '';
  ghostFrames().forEach((frames, i) => {
    if (solutions.isCurrent(i)) return;
    const lit = solutions.hover === i;
    const drawn = `<g data-solution="${i + 1}" opacity="${lit ? 0.95 : 0.7}">${flatBody(model, frames, camera, { style: lit ? 'chosen' : 'answer' })}</g>`;
    if (!lit) out += drawn;
    else {
      const list = bars(model, frames);
      const at = camera.project(list[Math.floor(list.length / 2)]?.to ?? [0, 0, 0]);
      chosen = drawn + label({ x: at.x + 12, y: at.y - 12 }, `solution ${i + 1}`, { color: 'var(--accent-text)' });
    }
  });
  return out + chosen;
}

/** The ghost under the pointer, -1: none. */
export function pickSolution(camera: Camera, x: number, y: number): number {
  if (!visible()) return -1;
  const { model } = studio.rig!;
  let best = { index: -1, far: 9 };
  ghostFrames().forEach((frames, index) => {
    if (solutions.isCurrent(index)) return;
    for (const bar of bars(model, frames)) {
      const [a, b] = [camera.project(bar.from), camera.project(bar.to)];
      const far = segmentDistance(x, y, a.x, a.y, b.x, b.y);
      if (far < best.far) best = { index, far };
    }
  });
  return best.index;
}
