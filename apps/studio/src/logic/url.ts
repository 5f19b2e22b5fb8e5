// The scene in the URL's fragment (SPEC section 14): the command line's flags when they are enough
// (#/pose?model=panda&goal=panda_tcp=0.4,0.2,0.5&method=dls), else the scene's JSON, deflated and base64url. Only the fragment is
// used, so a static host never sees it.
import type { Quat, Scene, SceneGoal, Vec3 } from './scene';
import { emptyScene, isKeyed } from './scene';
import { jsonToScene, sceneToJson, type JsonNames } from './scene_json';

export const MAX_PACKED = 24_000;
/** What a packed scene may become: a link of 24 kB that holds text unpacks to far less; one made to harm unpacks to a thousand times its size. */
export const MAX_UNPACKED = 8_000_000;
export type Mode = 'build' | 'pose' | 'step' | 'compare' | 'chapter';
const MODES: Mode[] = ['build', 'pose', 'step', 'compare', 'chapter'];

export interface ViewState {
  mode: Mode;
  /** Iteration (Step, Compare), or frame of a chapter page. */
  i?: number;
  methods?: string[];
  figure?: string;
  /** Name of a lesson, and what a page that embeds it allows. */
  lesson?: string;
  allow?: { hints: boolean; solutions: boolean; report: boolean };
  cam?: { eye: Vec3; target: Vec3; ortho: boolean };
  show?: string[];
  units?: 'deg' | 'rad';
  selection?: string;
}

/** What the codec must know about the model. */
export type PoseNames = JsonNames;

export interface Link {
  view: ViewState;
  scene: Scene | null;
  /** Pose as written in the readable form, a bare list in the model's order. */
  q?: number[];
  /** Pose by joint name (packed form). */
  pose?: Record<string, number[]>;
  /** What the studio does not read of it, in words. */
  leftOut?: string[];
}

const short = (n: number): string => String(Number(n.toPrecision(9)));
const numbers = (text: string): number[] => text.split(',').map(Number);
const allFinite = (list: number[]): boolean => list.length > 0 && list.every(Number.isFinite);

/** Whether flags carry the whole scene. */
function plain(scene: Scene): boolean {
  return (
    scene.model.builtin !== undefined &&
    Object.keys(scene.joints).length === 0 &&
    !isKeyed(scene.clip) &&
    scene.poses.length === 0 &&
    scene.obstacles.length === 0 &&
    !scene.free &&
    scene.goals.every((g) => g.id === g.link && g.weight === 1 && !g.soft && !g.pinned && g.visible && !g.pole && g.usePosition)
  );
}

export function readable(scene: Scene, view: ViewState, names: PoseNames): string | null {
  if (view.lesson) return `#/lesson/${view.lesson}`;
  if (view.mode === 'chapter') {
    const frame = view.i === undefined ? '' : `?frame=${view.i}`;
    return `#/chapter/${view.figure ?? '5.7'}${frame}`;
  }
  if (!plain(scene)) return null;
  const parts = [`model=${scene.model.builtin}`];
  for (const g of scene.goals) {
    const place = names.planar && !g.useRotation ? g.position.slice(0, 2) : g.position;
    parts.push(`goal=${g.link}=${[...place, ...(g.useRotation ? g.quaternion : [])].map(short).join(',')}`);
  }
  if (view.mode === 'compare' && view.methods) parts.push(`methods=${view.methods.join(',')}`);
  else parts.push(`method=${scene.solver.method}`);
  for (const [name, value] of Object.entries(scene.solver.options)) {
    parts.push(`${name}=${typeof value === 'number' ? short(value) : value}`);
  }
  if (scene.q.some((v, i) => Math.abs(v - (names.neutral[i] ?? 0)) > 1e-12)) {
    parts.push(`start=${scene.q.map(short).join(',')}`);
  }
  if (view.i !== undefined && view.mode !== 'pose') parts.push(`iteration=${view.i}`);
  if (view.units === 'rad') parts.push('units=rad');
  const text = `#/${view.mode}?${parts.join('&')}`;
  return text.length <= 600 ? text : null;
}

type Decoded = { ok: true; link: Link } | { ok: false; why: string };

export function linkOf(raw: unknown): Decoded {
  const decoded = jsonToScene(raw);
  if (!decoded.ok) return decoded;
  const view = decoded.view as unknown as ViewState;
  return { ok: true, link: { view: { ...view, mode: MODES.includes(view.mode) ? view.mode : 'pose' }, scene: decoded.scene, ...(decoded.pose ? { pose: decoded.pose } : {}), ...(decoded.leftOut.length ? { leftOut: decoded.leftOut } : {}) } };
}

// Packing ----------------------------------------------------------------------------------------

export function toBase64Url(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

export function fromBase64Url(text: string): Uint8Array {
  const raw = atob(text.replace(/-/g, '+').replace(/_/g, '/'));
  return Uint8Array.from(raw, (c) => c.charCodeAt(0));
}

async function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new CompressionStream('deflate-raw') as ReadableWritablePair);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Inflates no further than `most` bytes: null beyond. */
async function inflate(bytes: Uint8Array, most: number): Promise<Uint8Array | null> {
  const reader = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream('deflate-raw') as ReadableWritablePair).getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = (await reader.read()) as ReadableStreamReadResult<Uint8Array>;
    if (done) break;
    size += value.length;
    if (size > most) {
      void reader.cancel().catch(() => {});
      return null;
    }
    parts.push(value);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export async function pack(json: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(json));
  return toBase64Url(await deflate(bytes));
}

/** The scene of a packed link; null when it would unpack to more than MAX_UNPACKED. */
export async function unpack(text: string): Promise<unknown> {
  const bytes = await inflate(fromBase64Url(text), MAX_UNPACKED);
  return bytes && JSON.parse(new TextDecoder().decode(bytes));
}

/** The link of a scene, or its packed size when it does not fit. */
export async function encode(
  scene: Scene,
  view: ViewState,
  names: PoseNames,
): Promise<{ ok: true; fragment: string } | { ok: false; bytes: number }> {
  const text = readable(scene, view, names);
  if (text !== null) return { ok: true, fragment: text };
  // A file of that size never fits; packing it after every change would only hold the page.
  const bytes = scene.model.file?.base64.length ?? 0;
  if (bytes > 20 * MAX_PACKED) return { ok: false, bytes };
  const packed = await pack(sceneToJson(scene, view, names));
  if (packed.length > MAX_PACKED) return { ok: false, bytes: packed.length };
  return { ok: true, fragment: `#/${view.mode}?scene=${packed}` };
}

export async function decode(fragment: string): Promise<Decoded | null> {
  const lesson = /^#\/lesson\/([a-z0-9_]+)(?:\?(.*))?$/.exec(fragment);
  if (lesson) {
    const given = new URLSearchParams(lesson[2] ?? '');
    const allow = { hints: given.get('hints') !== '0', solutions: given.get('solutions') !== '0', report: given.get('report') === '1' };
    return { ok: true, link: { view: { mode: 'chapter', lesson: lesson[1]!, allow }, scene: null } };
  }
  const match = /^#\/([a-z]+)(?:\/([\d.]+))?(?:\?(.*))?$/.exec(fragment);
  if (!match || !MODES.includes(match[1] as Mode)) return null;
  const mode = match[1] as Mode;
  const query = new URLSearchParams(match[3] ?? '');
  if (mode === 'chapter') {
    const frame = query.get('frame');
    const view: ViewState = { mode, figure: match[2] ?? '5.7' };
    if (frame !== null && Number.isInteger(Number(frame))) view.i = Number(frame);
    return { ok: true, link: { view, scene: null } };
  }
  const packed = query.get('scene');
  if (packed !== null) {
    try {
      const json = await unpack(packed);
      if (json === null) return { ok: false, why: `The link unpacks to more than ${MAX_UNPACKED / 1e6} MB, which no scene needs. It was not opened.` };
      const decoded = linkOf(json);
      if (decoded.ok) decoded.link.view.mode = mode;
      return decoded;
    } catch {
      return { ok: false, why: 'The link is damaged: its packed scene cannot be read. Ask for it again.' };
    }
  }
  return decodeReadable(mode, query);
}

function decodeReadable(mode: Mode, query: URLSearchParams): Decoded {
  const model = query.get('model');
  if (!model && mode === 'build') return { ok: true, link: { view: { mode }, scene: null } };
  if (!model) return { ok: false, why: 'The link names no model.' };
  const view: ViewState = { mode };
  const scene: Scene = { ...emptyScene(), model: { builtin: model }, name: model };
  let q: number[] | undefined;
  for (const [name, value] of query) {
    if (name === 'model') continue;
    else if (name === 'method') scene.solver = { ...scene.solver, method: value };
    else if (name === 'methods') view.methods = value.split(',').filter(Boolean);
    else if (name === 'iteration') view.i = Number(value) || 0;
    else if (name === 'units') view.units = value === 'rad' ? 'rad' : 'deg';
    else if (name === 'start') {
      q = numbers(value);
      if (!allFinite(q)) return { ok: false, why: `The link's start “${value}” is not a list of numbers.` };
    } else if (name === 'goal') {
      const [link, at] = value.split('=');
      const list = numbers(at ?? '');
      if (!link || !allFinite(list) || ![2, 3, 7].includes(list.length)) {
        return { ok: false, why: `The link's goal “${value}” should read LINK=x,y,z or LINK=x,y,z,qx,qy,qz,qw.` };
      }
      const goal: SceneGoal = {
        id: link,
        link,
        position: [list[0]!, list[1]!, list[2] ?? 0],
        quaternion: (list.length === 7 ? list.slice(3) : [0, 0, 0, 1]) as Quat,
        usePosition: true,
        useRotation: list.length === 7,
        weight: 1,
        soft: false,
        pinned: false,
        visible: true,
      };
      scene.goals = [...scene.goals, goal];
    } else {
      const asNumber = Number(value);
      const option = value === 'true' ? true : value === 'false' ? false : Number.isFinite(asNumber) ? asNumber : value;
      scene.solver = { ...scene.solver, options: { ...scene.solver.options, [name]: option } };
    }
  }
  return { ok: true, link: { view, scene, ...(q ? { q } : {}) } };
}
