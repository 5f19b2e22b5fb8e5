// Changes of the linkage itself: the core edits, validates and hands back a new figure; the scene keeps
// it as its own text, so undo and the URL carry it.
import type { Edit } from '@armature';
import { base64Of, mistake } from '../core/core';
import { studio } from './studio.svelte';
import { ui } from './ui.svelte';

function edit(change: Edit, label: string): void {
  const rig = studio.rig;
  if (!rig) return;
  let bytes: Uint8Array;
  try {
    const edited = rig.core.edit(change);
    bytes = edited.write('json').bytes;
    edited.delete();
  } catch (error) {
    return studio.toastError('The model was not changed', mistake(error).message);
  }
  const name = `${studio.scene.name.replace(/\.[^.]+$/, '')}.json`;
  const error = studio.openModel({ file: { name, base64: base64Of(bytes) } }, name);
  if (error) studio.toastError('The model was not changed', error.message);
  else ui.toast({ tone: 'ok', title: label, text: 'Undo brings the old model back.' });
}

export const mirrorModel = (): void => edit({ edit: 'mirror', axis: studio.model?.up === 'y' && !studio.model.planar ? 'x' : 'y' }, 'Mirrored');
export const scaleModel = (factor: number): void => edit({ edit: 'scale', factor }, `Scaled by ${factor}`);
export const rerootModel = (link: string): void => edit({ edit: 'reroot', link }, `${link} is the root now`);
