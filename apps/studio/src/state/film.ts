// The motion, or the turn of a mechanism, as a film: each frame as it is seen in the view, as numbered pictures in a ZIP, as a GIF (packed in a worker) or as WebM (packed
// by the browser's encoder). One toast tells how far it is and can stop it; what was shown is shown again afterwards.
import { carried } from '../core/carried';
import { count, formatBytes } from '../logic/numbers';
import { webm, type Packed } from '../logic/webm';
import { zip } from '../logic/zip';
import type { GifRequest } from '../core/gif_worker';
import { download } from './files';
import { mechanism } from './mechanism.svelte';
import { player } from './player.svelte';
import { studio } from './studio.svelte';
import { ui } from './ui.svelte';
import { views } from './views';

export type FilmKind = 'pictures' | 'gif' | 'webm';
export interface FilmSettings {
  kind: FilmKind;
  name: string;
  from: number;
  to: number;
  every: number;
  /** Pixels across; 0: twice those of the view. */
  width: number;
  loop: boolean;
  /** '': as in the view. */
  background: string;
}

/** What can be filmed. */
export interface Reel {
  frames: number;
  fps: number;
  show(frame: number): void;
  /** Back to what was shown. */
  restore(): void;
}
const TURN = 120;
/** The motion; for a mechanism without one its drive over a full turn, or to and fro between its ends. */
export function reel(): Reel | null {
  if (player.canPlay) {
    const before = player.frame;
    return { frames: player.frames, fps: studio.scene.clip.fps, show: (frame) => player.seek(frame), restore: () => player.seek(before) };
  }
  const stroke = mechanism.active ? mechanism.stroke : null;
  if (!stroke || stroke.values.length < 2) return null;
  const { scene } = studio;
  const [low, high] = [stroke.values[0]!, stroke.values[stroke.values.length - 1]!];
  return {
    frames: TURN,
    fps: 30,
    show: (frame) => mechanism.turnTo(low + (high - low) * (stroke.full ? frame / TURN : (1 - Math.cos((2 * Math.PI * frame) / TURN)) / 2)),
    restore: () => {
      studio.scene = scene;
      mechanism.pause();
    },
  };
}

const drawn = async (): Promise<void> => {
  do await new Promise((done) => requestAnimationFrame(done));
  while (views.stage?.busy);
};

/** What takes the frames of one kind. `end` gives the file. */
interface Writer {
  frame(picture: HTMLCanvasElement, frame: number, index: number): Promise<void>;
  end(): Promise<Blob>;
  close(): void;
}

function pictures(name: string): Writer {
  const files: { name: string; bytes: Uint8Array<ArrayBuffer> }[] = [];
  return {
    async frame(picture, frame) {
      const blob = await new Promise<Blob | null>((done) => picture.toBlob(done, 'image/png'));
      if (!blob) throw new Error('The picture could not be written.');
      files.push({ name: `${name}_${String(frame).padStart(5, '0')}.png`, bytes: new Uint8Array(await blob.arrayBuffer()) });
    },
    end: async () => zip(files),
    close: () => {},
  };
}

const pixels = (picture: HTMLCanvasElement): Uint8ClampedArray => picture.getContext('2d')!.getImageData(0, 0, picture.width, picture.height).data;

function gif(samples: HTMLCanvasElement[], loop: boolean, seconds: number): Writer {
  const worker = carried?.worker('gif_worker') ?? new Worker(new URL('../core/gif_worker.ts', import.meta.url), { type: 'module' });
  const ask = (request: GifRequest) =>
    new Promise<number | Blob>((done, fail) => {
      worker.onmessage = (event: MessageEvent<number | Blob>) => done(event.data);
      worker.onerror = (event) => fail(new Error(event.message || 'The GIF could not be packed.'));
      worker.postMessage(request, request.kind === 'frame' ? [request.rgba.buffer as ArrayBuffer] : []);
    });
  const { width, height } = samples[0]!;
  worker.postMessage({ kind: 'begin', width, height, loop, samples: samples.map(pixels) } satisfies GifRequest);
  return {
    frame: async (picture) => void (await ask({ kind: 'frame', rgba: pixels(picture), seconds })),
    end: async () => (await ask({ kind: 'end' })) as Blob,
    close: () => worker.terminate(),
  };
}

const CODECS: [string, string][] = [['vp09.00.31.08', 'V_VP9'], ['vp8', 'V_VP8']];
const configOf = (codec: string, width: number, height: number, rate: number): VideoEncoderConfig => ({ codec, width, height, framerate: rate, bitrate: Math.round(Math.max(1e6, width * height * rate * 0.12)), latencyMode: 'quality' });

/** Why this browser writes no film; '' where it does. */
export async function whyNoFilm(): Promise<string> {
  return (await filmCodec(640, 480, 30)) ? '' : 'This browser has no video encoder; GIF works.';
}
async function filmCodec(width: number, height: number, rate: number): Promise<{ config: VideoEncoderConfig; id: string } | null> {
  if (typeof VideoEncoder === 'undefined') return null;
  for (const [codec, id] of CODECS) {
    const config = configOf(codec, width, height, rate);
    const known = await VideoEncoder.isConfigSupported(config).catch(() => null);
    if (known?.supported) return { config, id };
  }
  return null;
}

async function film(width: number, height: number, rate: number): Promise<Writer> {
  const codec = await filmCodec(width, height, rate);
  if (!codec) throw new Error(await whyNoFilm() || `This browser encodes no film of ${width} x ${height}.`);
  const packed: Packed[] = [];
  let failure: Error | null = null;
  const encoder = new VideoEncoder({
    output: (chunk) => {
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      packed.push({ bytes, time: chunk.timestamp / 1000, key: chunk.type === 'key' });
    },
    error: (error) => (failure = error),
  });
  encoder.configure(codec.config);
  return {
    async frame(picture, _frame, index) {
      if (failure) throw failure;
      const image = new VideoFrame(picture, { timestamp: Math.round((index * 1e6) / rate), duration: Math.round(1e6 / rate) });
      encoder.encode(image, { keyFrame: index % Math.max(1, Math.round(2 * rate)) === 0 });
      image.close();
      while (encoder.encodeQueueSize > 4) await new Promise((done) => setTimeout(done, 5));
    },
    async end() {
      await encoder.flush();
      if (failure) throw failure;
      return webm(packed, codec.id, width, height, 1000 / rate);
    },
    close: () => { if (encoder.state !== 'closed') encoder.close(); },
  };
}

const ENDINGS: Record<FilmKind, string> = { pictures: '_pictures.zip', gif: '.gif', webm: '.webm' };
export const filmName = (kind: FilmKind, name: string): string => `${name}${ENDINGS[kind]}`;

/** Pixels of the film: an even number both ways, as encoders want it. */
export function filmSize(width: number): { width: number; height: number; scale: number } {
  const view = views.stage?.size ?? { width: 640, height: 400 };
  const across = width > 0 ? width : 2 * view.width;
  const even = (v: number) => Math.max(2, 2 * Math.round(v / 2));
  return { width: even(across), height: even((across * view.height) / view.width), scale: across / view.width };
}

export async function exportFilm(asked: FilmSettings): Promise<void> {
  const stage = views.stage;
  player.pause();
  mechanism.pause();
  const source = reel();
  if (!stage || !source) return;
  if (ui.solving) return studio.toastError('No film yet', 'The motion is still being solved.');
  let stopped = false;
  const file = filmName(asked.kind, asked.name);
  const toast = ui.toast({ title: `Making ${file}`, text: '', sticky: true, actions: [{ label: 'Cancel', run: () => (stopped = true) }] });
  const { from, to, every } = asked;
  const all = Math.floor((to - from) / every) + 1;
  const rate = source.fps / every;
  const { width, height } = filmSize(asked.kind === 'pictures' ? 0 : asked.width);
  const picture = async (frame: number) => {
    source.show(frame);
    await drawn();
    return stage.canvas({ width, height, background: asked.background });
  };
  let writer: Writer | null = null;
  let result: Blob | null = null;
  ui.opening++;
  try {
    if (asked.kind === 'gif') {
      const samples: HTMLCanvasElement[] = [];
      for (const t of [0, 1 / 3, 2 / 3, 1]) if (!stopped) samples.push(await picture(from + every * Math.round(t * (all - 1))));
      if (!stopped) writer = gif(samples, asked.loop, 1 / rate);
    } else writer = asked.kind === 'webm' ? await film(width, height, rate) : pictures(asked.name);
    for (let i = 0; i < all && !stopped && views.stage === stage; i++) {
      await writer!.frame(await picture(from + i * every), from + i * every, i);
      ui.update(toast, { text: `Frame ${i + 1} of ${all}` });
    }
    if (!stopped && views.stage === stage) result = await writer!.end();
  } catch (error) {
    studio.toastError(`${file} was not made`, error instanceof Error ? error.message : String(error));
  } finally {
    writer?.close();
    ui.opening--;
    ui.dismiss(toast);
    source.restore();
  }
  if (!result) {
    if (stopped) ui.toast({ title: `${file} was not made`, text: 'Cancelled; nothing was saved.' });
    return;
  }
  download(result, file, result.type);
  ui.toast({ tone: 'ok', title: `${file} was saved`, text: `${count(all, asked.kind === 'pictures' ? 'picture' : 'frame')}, ${formatBytes(result.size)}` });
}
