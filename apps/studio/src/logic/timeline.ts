// Keys of goals over frames: where a goal is between its keys (Catmull-Rom through positions, slerp of
// rotations), and the editing moves of the timeline. Frames count from 0.
import type { Clip, Key, Quat, Vec3 } from './scene';

export function setKey(clip: Clip, goal: string, key: Key): Clip {
  const list = (clip.keys[goal] ?? []).filter((k) => k.frame !== key.frame);
  list.push(key);
  list.sort((a, b) => a.frame - b.frame);
  return { ...clip, keys: { ...clip.keys, [goal]: list } };
}

export function removeKey(clip: Clip, goal: string, frame: number): Clip {
  const list = (clip.keys[goal] ?? []).filter((k) => k.frame !== frame);
  const keys = { ...clip.keys, [goal]: list };
  if (list.length === 0) delete keys[goal];
  return { ...clip, keys };
}

export interface KeyId {
  goal: string;
  frame: number;
}

/** Moves (or with `copy` duplicates) keys by whole frames; a moved key replaces one it lands on. */
export function moveKeys(clip: Clip, chosen: KeyId[], by: number, copy = false): Clip {
  if (by === 0) return clip;
  const keys: Record<string, Key[]> = { ...clip.keys };
  for (const goal of new Set(chosen.map((c) => c.goal))) {
    const frames = new Set(chosen.filter((c) => c.goal === goal).map((c) => c.frame));
    const list = clip.keys[goal] ?? [];
    const moved = list.filter((k) => frames.has(k.frame)).map((k) => ({ ...k, frame: clampFrame(k.frame + by, clip) }));
    const landed = new Set(moved.map((k) => k.frame));
    const rest = list.filter((k) => (copy || !frames.has(k.frame)) && !landed.has(k.frame));
    keys[goal] = [...rest, ...moved].sort((a, b) => a.frame - b.frame);
  }
  return { ...clip, keys };
}

export function clampFrame(frame: number, clip: Clip): number {
  return Math.min(clip.frames, Math.max(0, Math.round(frame)));
}

function catmullRom(a: Vec3, b: Vec3, c: Vec3, d: Vec3, t: number): Vec3 {
  const out: Vec3 = [0, 0, 0];
  for (let i = 0; i < 3; i++) {
    const p0 = a[i]!;
    const p1 = b[i]!;
    const p2 = c[i]!;
    const p3 = d[i]!;
    out[i] = 0.5 * (2 * p1 + (p2 - p0) * t + (2 * p0 - 5 * p1 + 4 * p2 - p3) * t * t + (3 * p1 - p0 - 3 * p2 + p3) * t ** 3);
  }
  return out;
}

export function slerp(a: Quat, b: Quat, t: number): Quat {
  let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = dot < 0 ? -1 : 1;
  dot = Math.min(1, Math.abs(dot));
  const angle = Math.acos(dot);
  const s = Math.sin(angle);
  const [wa, wb] = s < 1e-9 ? [1 - t, t * sign] : [Math.sin((1 - t) * angle) / s, (sign * Math.sin(t * angle)) / s];
  const q: Quat = [wa * a[0] + wb * b[0], wa * a[1] + wb * b[1], wa * a[2] + wb * b[2], wa * a[3] + wb * b[3]];
  const norm = Math.hypot(...q) || 1;
  return [q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm];
}

/** Where a keyed goal is at a (possibly fractional) frame; null without keys. */
export function goalAt(list: Key[] | undefined, frame: number): { position: Vec3; quaternion?: Quat } | null {
  if (!list || list.length === 0) return null;
  const first = list[0]!;
  const last = list[list.length - 1]!;
  if (frame <= first.frame) return { position: first.position, ...(first.quaternion ? { quaternion: first.quaternion } : {}) };
  if (frame >= last.frame) return { position: last.position, ...(last.quaternion ? { quaternion: last.quaternion } : {}) };
  let i = 0;
  while (list[i + 1]!.frame <= frame) i++;
  const a = list[i]!;
  const b = list[i + 1]!;
  const t = (frame - a.frame) / (b.frame - a.frame);
  const position = catmullRom((list[i - 1] ?? a).position, a.position, b.position, (list[i + 2] ?? b).position, t);
  const quaternion = a.quaternion && b.quaternion ? slerp(a.quaternion, b.quaternion, t) : undefined;
  return quaternion ? { position, quaternion } : { position };
}

/** The frame to show `seconds` after playing began, and whether playing goes on. */
export function playFrame(start: number, seconds: number, clip: Clip): { frame: number; playing: boolean } {
  const raw = Math.floor(start + seconds * clip.fps + 1e-9);
  if (raw <= clip.frames) return { frame: raw, playing: true };
  if (!clip.loop) return { frame: clip.frames, playing: false };
  return { frame: raw % (clip.frames + 1), playing: true };
}

/** Labelled ruler steps so that labels stand at least `minPx` apart: 1, 2, 5, 10, 20, 50, ... */
export function rulerStep(frames: number, width: number, minPx = 56): number {
  const raw = (frames * minPx) / Math.max(width, 1);
  const power = 10 ** Math.floor(Math.log10(Math.max(raw, 1)));
  for (const m of [1, 2, 5, 10]) if (m * power >= raw) return m * power;
  return 10 * power;
}
