// The editing moves of the timeline: keys of goals and of poses over frames, which count from 0. What lies between keys is the core's
// to say (state/animation.ts).
import type { Clip, Key, PoseKey, Vec3 } from './scene';

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

/** One key changed; tangents given by hand belong to `cubic` alone. */
export function changeKey(clip: Clip, id: KeyId, change: Partial<Key>): Clip {
  const list = (clip.keys[id.goal] ?? []).map((k) => {
    if (k.frame !== id.frame) return k;
    const next = { ...k, ...change };
    if (next.way !== 'cubic') {
      delete next.rateIn;
      delete next.rateOut;
    }
    return next;
  });
  return { ...clip, keys: { ...clip.keys, [id.goal]: list } };
}

/** A tangent of one coordinate pulled to a slope (per second); the other side follows unless it is broken. `now` is the velocity
 *  there without a hand on it. */
export function pullTangent(clip: Clip, id: KeyId, axis: 0 | 1 | 2, slope: number, side: 'in' | 'out', broken: boolean, now: { in: Vec3; out: Vec3 }): Clip {
  const key = clip.keys[id.goal]?.find((k) => k.frame === id.frame);
  if (!key || !Number.isFinite(slope)) return clip;
  const rate = { in: [...(key.rateIn ?? now.in)] as Vec3, out: [...(key.rateOut ?? now.out)] as Vec3 };
  rate[side][axis] = slope;
  if (!broken) rate[side === 'in' ? 'out' : 'in'][axis] = slope;
  return changeKey(clip, id, { way: 'cubic', rateIn: rate.in, rateOut: rate.out });
}

export function setPoseKey(clip: Clip, key: PoseKey): Clip {
  return { ...clip, poses: [...clip.poses.filter((k) => k.frame !== key.frame), key].sort((a, b) => a.frame - b.frame) };
}
export function removePoseKey(clip: Clip, frame: number): Clip {
  return { ...clip, poses: clip.poses.filter((k) => k.frame !== frame) };
}
export function movePoseKey(clip: Clip, frame: number, by: number, copy = false): Clip {
  const key = clip.poses.find((k) => k.frame === frame);
  if (!key || by === 0) return clip;
  return setPoseKey(copy ? clip : removePoseKey(clip, frame), { ...key, frame: clampFrame(frame + by, clip) });
}

/** Runs of planted frames of one foot, from the core's stances. */
export interface Contact {
  side: 'left' | 'right';
  first: number;
  last: number;
}
export function contactsOf(stances: { link: string; first: number; last: number }[]): Contact[] {
  const out: Contact[] = [];
  for (const side of ['left', 'right'] as const) {
    const other = side === 'left' ? /right|(^|[^a-z])r([^a-z]|$)/i : /left|(^|[^a-z])l([^a-z]|$)/i;
    const runs = stances.filter((s) => !other.test(s.link)).sort((a, b) => a.first - b.first);
    for (const { first, last } of runs) {
      const before = out[out.length - 1];
      if (before?.side === side && first <= before.last + 1) before.last = Math.max(before.last, last);
      else out.push({ side, first, last });
    }
  }
  return out;
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
