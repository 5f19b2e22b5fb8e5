// Files above a megabyte: read piece by piece with their progress shown, then tried in the worker, so that a long or a broken
// one never holds the page; either can be cancelled.
import type { ErrorValue } from '../core/core';
import type { Prepared } from '../core/core';
import { formatBytes } from '../logic/numbers';
import { start } from './beside_page';
import { ui } from './ui.svelte';

export type LargeFile = { bytes: Uint8Array; error: ErrorValue | null; base64: string; prepared: Prepared | null };

/** The file's bytes and what is wrong with them; null when it was cancelled. */
export async function readLarge(file: File, beside: Record<string, string>): Promise<LargeFile | null> {
  let cancel = () => {};
  const cancelled = new Promise<null>((done) => (cancel = () => done(null)));
  const id = ui.toast({ title: `Reading ${file.name}`, text: `0 % of ${formatBytes(file.size)}`, sticky: true, actions: [{ label: 'Cancel', run: cancel }] });
  let worker: Worker | null = null;
  const work = async (): Promise<LargeFile> => {
    const bytes = await allBytes(file, (read) => ui.update(id, { text: `${Math.floor((100 * read) / file.size)} % of ${formatBytes(file.size)}` }));
    ui.update(id, { text: 'Making the linkage.' });
    return new Promise<LargeFile>((done) => {
      worker = start({ kind: 'read', base: document.baseURI, name: file.name, bytes, beside: { ...beside } }, (answer) => {
        if (answer.kind === 'read') done({ bytes, error: answer.error, base64: answer.base64, prepared: answer.prepared });
        else if (answer.kind === 'error') done({ bytes, error: { message: answer.message }, base64: '', prepared: null });
      });
    });
  };
  const result = await Promise.race([work(), cancelled]);
  if (!result) (worker as Worker | null)?.terminate();
  ui.dismiss(id);
  return result;
}

async function allBytes(file: File, progress: (read: number) => void): Promise<Uint8Array> {
  const bytes = new Uint8Array(file.size);
  const reader = file.stream().getReader();
  let at = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return bytes;
    bytes.set(value, at);
    at += value.length;
    progress(at);
  }
}
