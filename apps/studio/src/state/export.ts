// The scene as bytes of a format: with its motion where the format holds one, turned to the format's own up axis, and read back by the
// core before anybody saves it.
import type { Model } from '@armature';
import { mistake } from '../core/core';
import { standing } from '../core/standing';
import type { Vec3 } from '../logic/scene';
import { player } from './player.svelte';
import { studio } from './studio.svelte';
import { ui } from './ui.svelte';

export interface ExportSettings {
  up: 'y' | 'z';
  /** Frames of the motion, both ends included, and every how many. */
  from: number;
  to: number;
  every: number;
  /** Without travel over the ground. */
  inPlace: boolean;
}

/** What a format's other readers take for up. */
export const ownUp = (format: string): 'y' | 'z' => (['gltf', 'glb', 'bvh'].includes(format) ? 'y' : 'z');
/** Formats that hold only numbers of joints: nothing to turn. */
const TURNS = ['gltf', 'glb', 'bvh', 'urdf', 'mjcf', 'sdf'];
export const canTurn = (format: string): boolean => TURNS.includes(format) && !!studio.rig && !studio.rig.model.planar;

export function plainSettings(format: string): ExportSettings {
  const up = canTurn(format) ? ownUp(format) : (studio.rig?.model.up ?? 'z');
  return { up, from: 0, to: Math.max(0, frameCount() - 1), every: 1, inPlace: false };
}
export const frameCount = (): number => player.frames;

/** Why a format cannot hold the model, as the core says it; '' when it can. */
export function whyNot(format: string): string {
  try {
    studio.rig!.core.write(format);
    return '';
  } catch (error) {
    return mistake(error).message;
  }
}

export interface Exported {
  ok: true;
  bytes: Uint8Array;
  notes: string[];
  /** The first pose that was written. */
  q: Float64Array;
}

export function exportBytes(format: string, settings: ExportSettings): Exported | { ok: false; message: string } {
  const rig = studio.rig;
  const entry = studio.core?.formats.find((f) => f.name === format);
  if (!rig || !entry) return { ok: false, message: 'Open a model first.' };
  if (ui.solving && entry.motion) return { ok: false, message: 'The motion is still being solved. Try again when it is done.' };
  const frame_time = settings.every / studio.scene.clip.fps;
  const frames = entry.motion ? player.poses().slice(settings.from, settings.to + 1).filter((_, i) => i % settings.every === 0) : [];
  let q: Float64Array<ArrayBufferLike> = new Float64Array(frames.length * rig.model.nq);
  frames.forEach((pose, i) => q.set(pose, i * rig.model.nq));
  let turned: Model | null = null;
  try {
    if (settings.up !== rig.model.up && canTurn(format)) turned = standing(studio.core!, rig.core, settings.up);
    if (settings.inPlace && frames.length > 1) q = rig.core.clip({ frame_time, q }).inPlace().q;
    const first = frames.length ? q.slice(0, rig.model.nq) : Float64Array.from(studio.scene.q);
    return { ok: true, ...(turned ?? rig.core).write(format, frames.length ? { name: 'motion', q, frame_time } : undefined), q: first };
  } catch (error) {
    return { ok: false, message: mistake(error).message };
  } finally {
    turned?.delete();
  }
}

/** What another program will see: the file parsed again. Null where this core cannot read the format. */
export interface ReadBack {
  joints: number;
  height: number;
  /** Largest distance of a link from where it was, as a share of the model's size; NaN when no link has its name. */
  off: number;
  /** Links and their parents' places, for a picture. */
  bones: [Vec3, Vec3][];
}
const READ_BACK_MOST = 4e6;

export function readBack(format: string, made: Exported, up: 'y' | 'z'): ReadBack | null {
  const rig = studio.rig!;
  const entry = studio.core?.formats.find((f) => f.name === format);
  if (!entry?.reads || made.bytes.length > READ_BACK_MOST || ['csv', 'jsonl'].includes(format)) return null;
  let model: Model | null = null;
  try {
    model = studio.core!.module.readModel(made.bytes, `again${entry.extensions[0] ?? ''}`);
    const state = model.forward(model.clips[0]?.frame(0) ?? (model.q_size === made.q.length ? made.q : undefined));
    const before = rig.core.forward(made.q);
    const at = (index: number): Vec3 => [state.transforms[16 * index + 12]!, state.transforms[16 * index + 13]!, state.transforms[16 * index + 14]!];
    const turn = (p: Vec3): Vec3 => (up === rig.model.up ? p : up === 'y' ? [p[0], p[2], -p[1]] : [p[0], -p[2], p[1]]);
    let off = NaN;
    let [low, high] = [Infinity, -Infinity];
    const bones: [Vec3, Vec3][] = [];
    const parents = new Map(model.joints.map((j) => [j.child, j.parent]));
    model.links.forEach((name, i) => {
      const p = at(i);
      low = Math.min(low, p[up === 'y' ? 1 : 2]);
      high = Math.max(high, p[up === 'y' ? 1 : 2]);
      const parent = parents.get(name);
      if (parent) bones.push([at(model!.linkIndex(parent)), p]);
      const own = rig.link(name);
      if (own < 0) return;
      const was = turn([before.transforms[16 * own + 12]!, before.transforms[16 * own + 13]!, before.transforms[16 * own + 14]!]);
      off = Math.max(Number.isNaN(off) ? 0 : off, Math.hypot(p[0] - was[0], p[1] - was[1], p[2] - was[2]) / rig.model.reach);
    });
    return { joints: model.joints.length, height: high - low, off, bones };
  } catch {
    return null;
  } finally {
    model?.delete();
  }
}
