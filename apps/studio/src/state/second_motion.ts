// Clip tools that need a second file: a motion blended behind this one, and this motion carried over to another figure. Made in the worker from
// the motion as it is played, layers included, and opened as a file of its own: one undo entry, nothing is rewritten.
import { base64Of } from '../core/core';
import type { ModelSource } from '../logic/scene';
import { below, played } from './animation';
import { start } from './beside_page';
import { baseName, openBytes } from './files';
import { studio } from './studio.svelte';
import { ui } from './ui.svelte';

const nameOf = (source: ModelSource): string => (source.file?.name ?? source.builtin ?? 'figure').replace(/\.[^.]+$/, '');

function second(act: 'retarget' | 'blend', other: ModelSource): Promise<void> {
  const { rig, scene } = studio;
  const motion = rig && (played()?.motion ?? below(rig, scene.clip.tools));
  if (!rig || !motion) return Promise.resolve();
  // Of a figure of motion capture BVH holds all there is; glTF brings the skin of others along.
  const format = act === 'blend' && /\.bvh$/i.test(scene.model.file?.name ?? '') ? 'bvh' : 'glb';
  const file = `${act === 'blend' ? `${baseName()}_${nameOf(other)}` : `${nameOf(other)}_${baseName()}`}.${format}`;
  let cancel = () => {};
  const stopped = new Promise<null>((done) => (cancel = () => done(null)));
  const toast = ui.toast({ title: act === 'blend' ? `Blending with ${nameOf(other)}` : `Retargeting to ${nameOf(other)}`, text: `${motion.frames} frames`, sticky: true, actions: [{ label: 'Cancel', run: () => cancel() }] });
  ui.opening++;
  let worker: Worker | null = null;
  const work = new Promise<{ bytes: Uint8Array; frames: number; notes: string[] } | null>((done) => {
    const model = JSON.parse(JSON.stringify(scene.model)) as ModelSource;
    worker = start({ kind: 'second', base: document.baseURI, act, model, motion: { name: motion.name, frame_time: motion.frame_time, q: Float64Array.from(motion.q) }, other, format }, (answer) => {
      if (answer.kind === 'second') done(answer);
      else if (answer.kind !== 'done') done(null);
    });
  });
  return Promise.race([work, stopped]).then((made) => {
    (worker as Worker | null)?.terminate();
    ui.opening--;
    ui.dismiss(toast);
    if (!made || !openBytes(made.bytes, file)) return;
    ui.toast({ tone: 'ok', title: `${file} was made`, text: [`${made.frames} frames.`, ...made.notes.slice(0, 2)].join(' ') });
  });
}

/** A file chosen by hand, as a source. */
function choose(then: (source: ModelSource) => void): void {
  const input = Object.assign(document.createElement('input'), { type: 'file' });
  input.onchange = async () => {
    const file = input.files?.[0];
    if (file) then({ file: { name: file.name, base64: base64Of(new Uint8Array(await file.arrayBuffer())) } });
  };
  input.click();
}

export const retargetTo = (figure: ModelSource): void => void second('retarget', figure);
export const retargetToFile = (): void => choose(retargetTo);
export const blendWith = (): void => choose((source) => void second('blend', source));
