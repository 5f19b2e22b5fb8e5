// Keys and layers as the core reads them (docs/formats/motion_files.md), and back: what is saved here moves the same everywhere.
import type { Keys } from '@armature';
import { EMPTY_CLIP, isKeyed, type Clip, type Key, type Quat, type Vec3, type Way } from './scene';

const way = (k: { way?: Way }) => (k.way && k.way !== 'auto' ? { interpolation: k.way } : {});
const rates = (k: Key) => ({ ...(k.rateIn ? { rate_in: k.rateIn } : {}), ...(k.rateOut ? { rate_out: k.rateOut } : {}) });

type GoalKeys = NonNullable<Keys['goals']>;
/** Keys of goals; rotations count where every key has one. */
export function goalKeysJson(clip: Clip): GoalKeys {
  return Object.fromEntries(
    Object.entries(clip.keys).map(([id, list]) => {
      const turned = list.every((k) => k.quaternion);
      return [id, list.map((k) => ({ time: k.frame / clip.fps, target: turned ? [...k.position, ...k.quaternion!] : [...k.position], ...way(k), ...rates(k) }))];
    }),
  );
}

/** `below`: the model's file has a motion, which lies under the keys. */
export function keysJson(clip: Clip, below: boolean): Keys | null {
  if (!isKeyed(clip)) return null;
  const goals = Object.keys(clip.keys).length > 0;
  return {
    ...(clip.poses.length ? { poses: clip.poses.map((k) => ({ time: k.frame / clip.fps, pose: k.q, ...way(k) })) } : {}),
    ...(goals ? { goals: goalKeysJson(clip) } : {}),
    ...(below ? { clip: clip.tools } : { duration: clip.frames / clip.fps }),
    ...(below && clip.weight !== 1 ? { weight: clip.weight } : {}),
    ...(clip.goalWeight !== 1 ? { goal_weight: clip.goalWeight } : {}),
    ...(clip.fade > 0 ? { fade: clip.fade } : {}),
  };
}

/** `own`: what only the page knows of a clip. */
export function clipFromJson(raw: unknown, fps: number, own: { frames?: number; loop?: boolean; pose_names?: string[] }): Clip {
  if (typeof raw !== 'object' || raw === null) return EMPTY_CLIP;
  const json = raw as Record<string, any>;
  const usual = json.interpolation as Way | undefined;
  const frame = (time: number) => Math.round(time * fps);
  const named = (k: Record<string, any>): { way?: Way } => {
    const its = (k.interpolation ?? usual) as Way | undefined;
    return its && its !== 'auto' ? { way: its } : {};
  };
  const keys = Object.fromEntries(
    Object.entries((json.goals ?? {}) as Record<string, Record<string, any>[]>).map(([id, list]) => [
      id,
      list.map((k): Key => ({
        frame: frame(k.time),
        position: (k.target.length === 4 ? [NaN, NaN, NaN] : [k.target[0], k.target[1], k.target[2] ?? 0]) as Vec3, // four: a rotation alone
        ...(k.target.length === 7 ? { quaternion: k.target.slice(3) as Quat } : {}),
        ...named(k),
        ...(k.rate_in ? { rateIn: k.rate_in.slice(0, 3) as Vec3 } : {}),
        ...(k.rate_out ? { rateOut: k.rate_out.slice(0, 3) as Vec3 } : {}),
      })),
    ]),
  );
  // Key poses of all numbers; those that name joints, and keys of single joints, are for files made by hand.
  const poses = ((json.poses ?? []) as Record<string, any>[])
    .filter((k) => Array.isArray(k.pose))
    .map((k, i) => ({ frame: frame(k.time), name: own.pose_names?.[i] ?? `pose ${i + 1}`, q: k.pose as number[], ...named(k) }));
  const last = Math.max(0, ...Object.values(keys).flat().map((k) => k.frame), ...poses.map((k) => k.frame));
  return {
    ...EMPTY_CLIP,
    fps,
    frames: own.frames ?? (json.duration > 0 ? frame(json.duration) : Math.max(last, 1)),
    loop: own.loop ?? true,
    keys,
    poses,
    tools: (json.clip ?? []) as string[],
    weight: json.weight ?? 1,
    goalWeight: json.goal_weight ?? 1,
    fade: json.fade ?? 0,
  };
}
