// Files in and out: built-ins, dropped and pasted files, export, PNG, saving. A file that cannot be read
// changes nothing; its message is the core's own, with three lines of the source.
import type { ErrorValue } from '@armature';
import { base64Of } from '../core/core';
import type { GalleryItem } from '../logic/gallery';
import { formatBytes } from '../logic/numbers';
import { snippet } from '../logic/snippet';
import { walkBvh } from '../logic/walk';
import { player } from './player.svelte';
import { studio } from './studio.svelte';
import { ui } from './ui.svelte';
import { views } from './views';
import { enterMode } from './commands';

const LARGE = 1_000_000;

export function openBuiltin(name: string): boolean {
  const error = studio.openModel({ builtin: name }, name);
  if (error) studio.toastError(`${name} was not opened`, error.message);
  else afterOpen();
  return !error;
}

export function openGallery(item: GalleryItem): boolean {
  if (item.file === 'walk') return openBytes(new TextEncoder().encode(walkBvh()), 'walk.bvh');
  return openBuiltin(item.model);
}

function afterOpen(): void {
  if (studio.mode === 'chapter' || studio.mode !== 'pose') enterMode('pose');
  player.pause();
  player.frame = 0;
  if (player.hasClip) {
    ui.show.trails = true;
    player.seek(0);
  }
  views.stage?.frameAll();
}

/** Opens bytes of any format. Keeps the scene as it is when they cannot be read. */
export function openBytes(bytes: Uint8Array, name: string): boolean {
  const error = studio.openModel({ file: { name, base64: base64Of(bytes) } }, name);
  if (error) {
    brokenFile(name, bytes, error);
    return false;
  }
  afterOpen();
  const notes = studio.rig!.figure.notes();
  const missing = studio.rig!.model.links.flatMap((l) => l.geometry).filter((g) => g.type === 'mesh' && !g.collision).length;
  if (missing > 0) ui.toast({ title: `${missing} meshes not found`, text: 'The links are drawn as capsules. Drop the folder with the meshes to see them.' });
  else if (notes.length > 0) ui.toast({ title: `${name} was opened with ${notes.length === 1 ? 'a remark' : `${notes.length} remarks`}`, text: notes.slice(0, 2).join(' ') });
  return true;
}

function brokenFile(name: string, bytes: Uint8Array, error: ErrorValue): void {
  const text = bytes.length < 20e6 ? new TextDecoder().decode(bytes) : '';
  const lines = error.line ? snippet(text, error.line, error.column) : undefined;
  const where = error.line && !/\bline \d/i.test(error.message) ? `Line ${error.line}${error.column ? `, column ${error.column}` : ''}: ` : '';
  ui.toast({
    tone: 'bad',
    title: `${name} was not opened`,
    text: `${where}${error.message} Your scene is unchanged.`,
    ...(lines ? { snippet: lines } : {}),
    actions: [{ label: 'Copy message', run: () => void navigator.clipboard?.writeText(`${name}: ${where}${error.message}`) }],
  });
}

export async function openFile(file: File): Promise<void> {
  if (file.size > LARGE) ui.toast({ title: `Reading ${file.name}`, text: formatBytes(file.size) });
  openBytes(new Uint8Array(await file.arrayBuffer()), file.name);
}

/** Of several dropped files the first that any reader knows is opened; the rest may be meshes. */
export async function openFiles(files: File[]): Promise<void> {
  const known = files.find((f) => knownFile(f.name)) ?? files[0];
  if (known) await openFile(known);
}

export function knownFile(name: string): boolean {
  const lower = name.toLowerCase();
  return (studio.core?.formats ?? []).some((f) => f.reads && f.extensions.some((e) => lower.endsWith(e.startsWith('.') ? e : `.${e}`)));
}

export function readableFormats(): string {
  return (studio.core?.formats ?? []).filter((f) => f.reads).map((f) => f.label).join(', ');
}

export function chooseFile(): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.onchange = () => void openFiles([...(input.files ?? [])]);
  input.click();
}

// Out ------------------------------------------------------------------------------------------------

export function download(data: BlobPart, name: string, type = 'application/octet-stream'): void {
  const url = URL.createObjectURL(new Blob([data], { type }));
  const a = document.createElement('a');
  a.href = url;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

export const baseName = (): string => studio.scene.name.replace(/\.[^.]+$/, '') || 'linkage';

/** Bytes of the scene in a format, with the motion when the format can carry one. */
export function exportBytes(format: string): { ok: true; bytes: Uint8Array; notes: string[] } | { ok: false; message: string } {
  const rig = studio.rig;
  const entry = studio.core?.formats.find((f) => f.name === format);
  if (!rig || !entry) return { ok: false, message: 'Open a model first.' };
  const frames = entry.motion ? player.poses() : [];
  const poses = new Float64Array(frames.length * rig.model.nq);
  frames.forEach((q, i) => poses.set(q, i * rig.model.nq));
  const written = rig.figure.write({ format, ...(frames.length ? { poses, seconds_per_frame: 1 / studio.scene.clip.fps } : {}) });
  return written.ok ? { ok: true, bytes: written.value.bytes, notes: written.value.notes } : { ok: false, message: written.error.message };
}

export function exportAs(format: string): void {
  const result = exportBytes(format);
  if (!result.ok) return studio.toastError('Nothing was exported', result.message);
  const entry = studio.core!.formats.find((f) => f.name === format)!;
  const extension = (entry.extensions[0] ?? format).replace(/^\./, '');
  download(result.bytes as BlobPart, `${baseName()}.${extension}`);
  ui.toast({ tone: 'ok', title: `${baseName()}.${extension} was saved`, text: result.notes.length ? result.notes.slice(0, 2).join(' ') : formatBytes(result.bytes.length) });
}

export function saveJson(): void {
  exportAs('json');
}

export async function exportPng(): Promise<void> {
  const blob = await views.stage?.picture();
  if (blob) download(blob, `${baseName()}.png`, 'image/png');
}
