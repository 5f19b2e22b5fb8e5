// Files in and out: built-ins, dropped and pasted files, export, PNG, saving. A file that cannot be read
// changes nothing; its message is the core's own, with three lines of the source.
import type { ErrorValue } from '../core/core';
import { base64Of } from '../core/core';
import { exportBytes, plainSettings } from './export';
import { goodFrames } from '../logic/bvh_rescue';
import { isBesideFile, meshKey } from '../logic/mesh_files';
import { readLarge, type LargeFile } from './large_file';
import { missingMeshes } from './meshes';
import { addBeside } from './beside';
import type { ModelSource } from '../logic/scene';
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

/** Alone, or beside the model that is open where the gallery was asked for that. */
const open = (source: ModelSource, name: string): ErrorValue | null => (ui.adds ? addBeside(source, name) : studio.openModel(source, name));

export function openBuiltin(name: string): boolean {
  const error = open({ builtin: name }, name);
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

/** Files by name, as the scene keeps them. */
type Beside = Record<string, string>;

/** Opens bytes of any format. Keeps the scene as it is when they cannot be read. */
export function openBytes(bytes: Uint8Array, name: string, beside: Beside = {}, large?: LargeFile): boolean {
  const more = Object.keys(beside).length > 0 ? { beside } : {};
  const source = { file: { name, base64: large?.base64 ?? base64Of(bytes), ...more } };
  if (large?.prepared) studio.core?.prepared.set(source, large.prepared);
  const error = open(source, name);
  if (error) {
    brokenFile(name, bytes, error);
    return false;
  }
  afterOpen();
  const notes = studio.rig!.core.notes;
  const missing = missingMeshes(studio.rig!.model, studio.scene.model).length;
  if (missing > 0) ui.toast({ title: missing === 1 ? 'One mesh not found' : `${missing} meshes not found`, text: 'Those links are drawn as capsules. Drop the folder with the meshes (STL, OBJ or DAE) to add them.' });
  else if (notes.length > 0) ui.toast({ title: `${name} was opened with ${notes.length === 1 ? 'a remark' : `${notes.length} remarks`}`, text: notes.slice(0, 2).join(' ') });
  return true;
}

function brokenFile(name: string, bytes: Uint8Array, error: ErrorValue): void {
  const text = bytes.length < 20e6 ? new TextDecoder().decode(bytes) : '';
  const lines = error.line ? snippet(text, error.line, error.column) : undefined;
  const where = error.line && !/\bline \d/i.test(error.message) ? `Line ${error.line}${error.column ? `, column ${error.column}` : ''}: ` : '';
  const saved = error.line && /\.bvh$/i.test(name) ? goodFrames(text, error.line) : null;
  const rescue = saved ? [{ label: saved.frames === 1 ? 'Open frame 1' : `Open frames 1 to ${saved.frames}`, run: () => void openBytes(new TextEncoder().encode(saved.text), name) }] : [];
  ui.toast({
    tone: 'bad',
    title: `${name} was not opened`,
    text: `${where}${error.message} Your scene is unchanged.`,
    ...(lines ? { snippet: lines } : {}),
    actions: [...rescue, { label: 'Copy message', run: () => void navigator.clipboard?.writeText(`${name}: ${where}${error.message}`) }],
  });
}

const bytesIn = async (file: File): Promise<Uint8Array> => new Uint8Array(await file.arrayBuffer());

async function besideOf(files: File[]): Promise<Beside> {
  const out: Beside = {};
  for (const file of files.filter((f) => isBesideFile(f.name))) out[file.name] = base64Of(await bytesIn(file));
  return out;
}

/** Of several dropped files the first that any reader knows is opened; meshes and buffers go with it. Meshes alone
 *  are added to the model that is open. */
export async function openFiles(files: File[]): Promise<void> {
  const main = files.find((f) => knownFile(f.name) && !isBesideFile(f.name)) ?? files.find((f) => !isBesideFile(f.name));
  const beside = await besideOf(files);
  if (main) {
    if (main.size <= LARGE) return void openBytes(await bytesIn(main), main.name, beside);
    const large = await readLarge(main, beside);
    ui.parts = 0;
    await new Promise((done) => setTimeout(done)); // what the worker sent was one task; opening it is the next
    if (large?.error) brokenFile(main.name, large.bytes, large.error);
    else if (large) openBytes(large.bytes, main.name, beside, large);
  } else if (files.length > 0) addMeshes(beside);
}

function addMeshes(beside: Beside): void {
  const source = studio.scene.model.file;
  const wanted = studio.rig ? missingMeshes(studio.rig.model, studio.scene.model) : [];
  const found = Object.keys(beside).filter((name) => wanted.includes(meshKey(name)));
  if (!source || found.length === 0) {
    const text = wanted.length ? `The open model misses ${wanted.slice(0, 3).join(', ')}.` : 'A mesh holds no linkage; open the robot it belongs to first.';
    ui.toast({ tone: 'bad', title: `${Object.keys(beside)[0]} was not opened`, text: `${text} Your scene is unchanged.` });
    return;
  }
  const model = { file: { ...source, beside: { ...source.beside, ...Object.fromEntries(found.map((name) => [name, beside[name]!])) } } };
  const error = studio.openModel(model, studio.scene.name, { ...studio.scene, model });
  if (error) studio.toastError('The meshes were not added', error.message);
  else ui.toast({ tone: 'ok', title: found.length === 1 ? 'One mesh added' : `${found.length} meshes added`, text: found.slice(0, 3).join(', ') });
}

/** The files of a drop, those in dropped folders too. */
export async function droppedFiles(transfer: DataTransfer): Promise<File[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  if (!entries.some((e) => e?.isDirectory)) return [...transfer.files];
  const out: File[] = [];
  const walk = async (entry: FileSystemEntry | null): Promise<void> => {
    if (!entry || out.length >= 500) return;
    if (entry.isFile) out.push(await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail)));
    if (!entry.isDirectory) return;
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (;;) {
      const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
      if (some.length === 0) return;
      for (const child of some) await walk(child);
    }
  };
  for (const entry of entries) await walk(entry);
  return out;
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
  input.multiple = true;
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

/** The scene as Armature JSON, at once. */
export function saveJson(): void {
  const made = exportBytes('json', plainSettings('json'));
  if (!made.ok) return studio.toastError('Nothing was saved', made.message);
  saved(made, `${baseName()}.json`);
}

export function saved(made: { bytes: Uint8Array; notes: string[] }, name: string): void {
  download(made.bytes as BlobPart, name);
  ui.toast({ tone: 'ok', title: `${name} was saved`, text: made.notes.length ? made.notes.slice(0, 2).join(' ') : formatBytes(made.bytes.length) });
}

export async function exportPng(): Promise<void> {
  const blob = await views.stage?.picture();
  if (blob) download(blob, `${baseName()}.png`, 'image/png');
}
