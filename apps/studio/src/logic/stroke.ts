// The stroke of a drive: all poses between its two ends, as the core drives there from one pose both ways.
import type { DriveReport, Model } from '@armature';
import type { ModelDescription } from './model';

/** Where and why a drive stops. */
export interface Stop {
  value: number;
  q: Float64Array;
  message: string;
  /** Links that are in line at a dead point. */
  links: string[];
  /** A joint that could be driven there instead. */
  other: string;
  outcome: string;
}
export interface Stroke {
  /** Of the drive, ascending; a pose and a transmission index for each. */
  values: number[];
  poses: Float64Array[];
  transmission: number[];
  /** It turns round and round. */
  full: boolean;
  /** Its lower and its upper end. */
  stops: (Stop | null)[];
}

const TURN = 2 * Math.PI;

export const poseIndex = (model: ModelDescription, joint: string): number => model.joints.find((j) => j.name === joint)?.q ?? 0;

/** The same angle within one turn from `from` on. */
export const turnedInto = (value: number, from: number): number => from + ((((value - from) % TURN) + TURN) % TURN);

type Half = { values: number[]; poses: Float64Array[]; transmission: number[]; stop: Stop | null };

/** From a pose towards `to`, evenly, its end included. */
function half(core: Model, joint: string, start: ArrayLike<number>, to: number, from: number): { half: Half; reached: boolean } {
  const far = core.drive({ joint, to, frames: 181, start });
  if (far.ok) return { half: part(far, null), reached: true };
  const end = far.stopped_at ?? far.value;
  const stop: Stop = { value: end, q: far.stopped_q ?? far.q, message: far.message, links: far.in_line, other: far.other_drive, outcome: far.outcome };
  // Once more, up to just before the end, so that a short stroke has as many poses as a long one.
  const near = core.drive({ joint, to: end - (end - from) * 1e-4, frames: 91, start });
  const made = part(near.values.length > 1 ? near : far, stop);
  made.values.push(end);
  made.poses.push(stop.q);
  made.transmission.push(far.outcome === 'dead_point' ? 0 : (made.transmission[made.transmission.length - 1] ?? 1));
  return { half: made, reached: false };
}
function part(report: DriveReport, stop: Stop | null): Half {
  return { values: Array.from(report.values), poses: Array.from({ length: report.clip.frames }, (_, f) => report.clip.frame(f)), transmission: Array.from(report.transmission), stop };
}

/** A full turn, counted from -180 to 180 degrees. */
function fromHalfTurn({ values, poses, transmission }: Half): Stroke {
  const turned = values.slice(0, -1).map((v) => turnedInto(v, -Math.PI)); // the last pose is the first again
  const first = turned.indexOf(Math.min(...turned));
  const round = <T>(list: T[]): T[] => [...list.slice(first, turned.length), ...list.slice(0, first), list[first]!];
  return { values: [...round(turned).slice(0, -1), turned[first]! + TURN], poses: round(poses), transmission: round(transmission), full: true, stops: [] };
}

export function strokeOf(core: Model, joint: string, index: number, angle: boolean, start: ArrayLike<number>): Stroke {
  const from = start[index] ?? 0;
  const span = angle ? TURN : 2 * core.size;
  const up = half(core, joint, start, from + span, from);
  if (up.reached && angle) return fromHalfTurn(up.half);
  const down = half(core, joint, start, from - span, from).half;
  const join = <T>(a: T[], b: T[]): T[] => [...a.slice(1).reverse(), ...b];
  return {
    values: join(down.values, up.half.values),
    poses: join(down.poses, up.half.poses),
    transmission: join(down.transmission, up.half.transmission),
    full: false,
    stops: [down.stop, up.half.stop],
  };
}
