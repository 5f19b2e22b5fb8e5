// What is played: the file's motion through its clip tools, then pose keys, then keyed goals, all computed by the core and kept until
// something that they depend on changes.
import type { Animation, Clip as Motion, ClipStats, Keys } from '@armature';
import type { WorkerRequest } from '../core/worker';
import { goalKeysJson, keysJson } from '../logic/keys_json';
import { isKeyed, type Clip, type Quat, type SceneGoal, type Vec3 } from '../logic/scene';
import { base64Of, mistake, type Rig } from '../core/core';
import { start } from './beside_page';
import { studio } from './studio.svelte';
import { ui } from './ui.svelte';

export interface Played {
  motion: Motion;
  notReached: number[];
  largestError: number;
}

/** The last answer, for as long as what it was made of is the same. */
function kept<T>(): (parts: unknown[], make: () => T) => T {
  let last: { parts: unknown[]; value: T } | null = null;
  return (parts, make) => {
    if (!last || last.parts.length !== parts.length || last.parts.some((p, i) => p !== parts[i])) last = { parts, value: make() };
    return last.value;
  };
}

const keepBelow = kept<Motion | null>();
/** The file's motion after the clip tools; null: the file has none. */
export function below(rig: Rig, tools: string[]): Motion | null {
  if (!rig.names.motion) return null;
  return keepBelow([rig, tools.join('\n')], () => tools.reduce<Motion | null>((clip, words) => clip && through(clip, words), rig.clip));
}
/** One tool in the words of the command line. Throws the core's sentence. */
export function through(clip: Motion, words: string): Motion {
  const [name, argument] = /^(\S+) ?(.*)$/.exec(words)!.slice(1) as [string, string];
  return clip.tool(name, argument);
}

/** Frames times keyed goals that are solved at once, within a tenth of a second; more are solved beside the page. */
const MOST_HERE = 600;

type Made = Played | { error: string } | null;
const keepPlayed = kept<{ value: Made }>();
/** All frames; null without anything to play, or where the core refuses the keys. */
export function played(): Played | null {
  const made = attempt();
  return made && 'motion' in made ? made : null;
}
/** Why the keys give no motion; '' when they do. */
export function refusal(): string {
  const made = attempt();
  return made && 'error' in made ? made.error : '';
}
function attempt(): Made {
  const { rig, scene } = studio;
  void ui.solving; // what was solved beside the page has come
  if (!rig) return null;
  const { clip } = scene;
  // A keyed goal is where its keys have it, wherever it was dragged to.
  const goals = scene.goals.map((g) => (clip.keys[g.id] ? { ...g, position: 0, quaternion: 0 } : g));
  const parts = [rig, clip.keys, clip.poses, clip.tools, clip.weight, clip.goalWeight, clip.fade, clip.fps, clip.frames, clip.start, scene.solver, scene.joints, scene.obstacles, scene.free, scene.margin, JSON.stringify(goals)];
  return keepPlayed(parts, () => {
    try {
      const base = below(rig, clip.tools);
      const keys = keysJson({ ...clip, tools: [] }, base !== null);
      const keyed = Object.keys(clip.keys).length;
      if (!keys || (keyed === 0 && clip.poses.length === 0)) return { value: base ? { motion: base, notReached: [], largestError: 0 } : null };
      if (keyed * clip.frames > MOST_HERE) return beside(rig, keys, base);
      return { value: playedOf(rig.animate(scene, clip.start ?? scene.q, keys, clip.fps, base)) };
    } catch (error) {
      return { value: { error: mistake(error).message } };
    }
  }).value;
}
const playedOf = (made: Animation): Played => ({ motion: made.clip, notReached: made.not_reached, largestError: made.largest_error });

// Long motions are solved in the worker. Until the answer comes the last one is shown, where it fits; a change begins anew.
let worker: Worker | null = null;
let waiting = 0;
let last: { rig: Rig; value: Played } | null = null;
function beside(rig: Rig, keys: Keys, base: Motion | null): { value: Made } {
  const { scene, core } = studio;
  const { clip } = scene;
  const head = core!.prepared.get(scene.model)?.head; // of a long file the figure alone
  const model = head ? { file: { name: scene.model.file!.name, base64: base64Of(head) } } : scene.model;
  const { goals, joints, solver, obstacles, free, margin } = scene;
  const request = JSON.parse(JSON.stringify({ kind: 'animate', base: document.baseURI, model, scene: { goals, joints, solver, obstacles, free, margin }, start: clip.start ?? scene.q, keys, fps: clip.fps })) as Extract<WorkerRequest, { kind: 'animate' }>;
  const holder: { value: Made } = { value: last?.rig === rig && last.value.motion.frames === clip.frames + 1 ? last.value : null };
  worker?.terminate();
  clearTimeout(waiting);
  // A key that is dragged changes with each move: the worker begins when it rests.
  waiting = window.setTimeout(() => {
    worker = start({ ...request, below: base && { name: base.name, frame_time: base.frame_time, q: Float64Array.from(base.q) } }, (answer) => {
      if (answer.kind === 'animate') {
        try {
          last = { rig, value: { motion: rig.core.clip(answer.motion), notReached: answer.notReached, largestError: answer.largestError } };
          holder.value = last.value;
        } catch (error) {
          holder.value = { error: mistake(error).message }; // its model is gone by now
        }
      } else if (answer.kind === 'error') holder.value = { error: answer.message };
      else return;
      ui.solving = 0;
      onPlayed();
    });
  }, 120);
  queueMicrotask(() => (ui.solving = clip.frames + 1)); // not while something is being derived
  return holder;
}
/** What is shown follows when a motion was solved: the player says how. */
let onPlayed = (): void => {};
export function whenPlayed(then: () => void): void {
  onPlayed = then;
}

/** Targets of keyed goals frame by frame, and their curves: keys of goals are keys of free joints to the core. */
const keepTargets = kept<Record<string, Motion> | null>();
export function targets(): Record<string, Motion> | null {
  const { core, scene } = studio;
  const { clip } = scene;
  if (!core || Object.keys(clip.keys).length === 0) return null;
  return keepTargets([clip.keys, clip.fps, clip.frames], () => Object.fromEntries(Object.entries(goalKeysJson(clip)).map(([id, keys]) => [id, curve(keys, clip)])));
}
function curve(keys: NonNullable<Keys['goals']>[string], clip: Clip): Motion {
  const turned = keys[0]!.target.length === 7;
  const value = (target: number[]) => (turned ? target : [target[0]!, target[1]!, target[2] ?? 0, 0, 0, 0, 1]);
  const six = (rate?: number | number[]) => (Array.isArray(rate) ? [...rate, 0, 0, 0].slice(0, 6) : undefined);
  const list = keys.map(({ target, rate_in, rate_out, ...k }) => ({ ...k, value: value(target), ...(rate_in ? { rate_in: six(rate_in) } : {}), ...(rate_out ? { rate_out: six(rate_out) } : {}) }));
  const made = freeJoint().scene({ frame_rate: clip.fps, keys: { joints: { target: list as never }, duration: clip.frames / clip.fps } });
  try {
    return made.animate().clip;
  } finally {
    made.delete();
  }
}
let free: Rig['core'] | null = null;
function freeJoint(): Rig['core'] {
  const text = JSON.stringify({ name: 'goal', links: [{ name: 'world_link' }, { name: 'goal' }], joints: [{ name: 'target', type: 'free', parent: 'world_link', child: 'goal' }] });
  return (free ??= studio.core!.module.readModel(text, 'goal.json'));
}

/** The goals as they are at a frame. */
export function goalsAt(frame: number): SceneGoal[] {
  const curves = targets();
  return studio.scene.goals.map((g) => {
    const at = curves?.[g.id]?.frame(frame);
    if (!at) return g;
    const turned = studio.scene.clip.keys[g.id]!.every((k) => k.quaternion);
    return { ...g, position: [at[0], at[1], at[2]] as Vec3, ...(turned ? { quaternion: [at[3], at[4], at[5], at[6]] as Quat } : {}) };
  });
}

const keepStats = kept<ClipStats | null>();
/** Contacts, speeds and travel of the file's motion as it is now. */
export function stats(): ClipStats | null {
  const { rig, scene } = studio;
  if (!rig?.names.motion) return null;
  if (rig.stats && scene.clip.tools.length === 0) return rig.stats; // a long motion: the worker has looked at it
  return keepStats([rig, scene.clip.tools.join('\n')], () => {
    try {
      return below(rig, scene.clip.tools)?.stats() ?? null;
    } catch {
      return null;
    }
  });
}

export const hasLayers = (): boolean => isKeyed(studio.scene.clip);
