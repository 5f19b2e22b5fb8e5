// Changes of the linkage itself: the core edits, validates and hands back a new figure; the scene keeps
// it as its own text, so undo and the URL carry it.
import type { Edit } from '@armature';
import { base64Of } from '../core/core';
import { studio } from './studio.svelte';
import { ui } from './ui.svelte';

function edit(change: Edit, label: string): void {
  const rig = studio.rig;
  if (!rig) return;
  const edited = rig.figure.edit(change);
  if (!edited.ok) return studio.toastError('The model was not changed', edited.error.message);
  const written = edited.value.write({ format: 'json' });
  edited.value.delete();
  if (!written.ok) return studio.toastError('The model was not changed', written.error.message);
  const name = `${studio.scene.name.replace(/\.[^.]+$/, '')}.json`;
  const error = studio.openModel({ file: { name, base64: base64Of(written.value.bytes) } }, name);
  if (error) studio.toastError('The model was not changed', error.message);
  else ui.toast({ tone: 'ok', title: label, text: 'Undo brings the old model back.' });
}

export const mirrorModel = (): void => edit({ edit: 'mirror' }, 'Mirrored');
export const scaleModel = (factor: number): void => edit({ edit: 'scale', factor }, `Scaled by ${factor}`);
export const rerootModel = (link: string): void => edit({ edit: 'reroot', link }, `${link} is the root now`);
export const renameLink = (name: string, to: string): void => edit({ edit: 'rename_link', name, to }, `${name} is called ${to}`);
