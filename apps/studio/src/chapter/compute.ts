// Poses of a chapter page, frame by frame, all computed by the core on figures of the chapter's own.
import type { ModelDescription } from '../logic/model';
import type { SceneDescription } from '@armature';
import { mistake, type Core, type Rig } from '../core/core';
import type { Vec3 } from '../logic/scene';
import { dist, origin, sub } from '../logic/vec';
import type { Page, StageSpec } from './pages';

export const FRAMES = 21;

export interface StageData {
  spec: StageSpec;
  model: ModelDescription;
  tip: number;
  poses: Float64Array[];
  frames: Float64Array[];
  tips: Vec3[];
  goals: Vec3[];
  /** 6 x nv, column-major, of the tip at each frame. */
  jacobians: Float64Array[];
  refused: string;
}

function tipOf(rig: Rig): number {
  const named = rig.link('tip');
  return named >= 0 ? named : (rig.model.effectors[0] ?? rig.model.links.length - 1);
}

function sized(list: number[] | undefined, rig: Rig, fallback: (i: number) => number): number[] {
  return list && list.length === rig.model.nq ? list : Array.from({ length: rig.model.nq }, (_, i) => fallback(i));
}

export function computeStage(core: Core, page: Page, spec: StageSpec, goal: [number, number] | undefined, damping: number | undefined): StageData | null {
  // A method that this core does not have: damped least squares shows the same thing.
  if (spec.method && !core.solver(spec.method)) spec = { ...spec, method: 'dls' };
  const opened = core.builtin(spec.model);
  if (!opened.ok) return null;
  const rig = opened.rig;
  const tip = tipOf(rig);
  const from = sized(spec.from, rig, (i) => 0.35 + 0.25 * (i % 3) * (i % 2 ? 1 : -1));
  const to = sized(spec.to, rig, (i) => from[i]! + (spec.to ? (i % 2 ? 0.9 : -0.7) : 0));
  const data: StageData = { spec, model: rig.model, tip, poses: [], frames: [], tips: [], goals: [], jacobians: [], refused: '' };
  const at: Vec3 = goal ? [goal[0], goal[1], 0] : page.goal ? [page.goal[0], page.goal[1], 0] : [0, 0, 0];
  if (spec.kind === 'sequence') sequence(rig, tip, spec, from, at, damping, data);
  else if (spec.kind === 'reach' || spec.kind === 'elbows') twoLink(rig, tip, spec, goal, data);
  else if (spec.kind === 'vectors' && spec.method && !spec.to) iterations(rig, tip, spec, from, at, data);
  else for (let f = 0; f < FRAMES; f++) data.poses.push(rig.core.interpolate(Float64Array.from(from), Float64Array.from(to), f / (FRAMES - 1)));
  for (const q of data.poses) {
    rig.setPose(q);
    data.frames.push(rig.frames.slice());
    data.tips.push(origin(rig.frames, tip));
    data.jacobians.push(rig.core.jacobian(tip, q).data);
    if (data.goals.length < data.poses.length && (spec.kind === 'vectors' || page.goal)) data.goals.push(at);
  }
  rig.dispose();
  return data;
}

function problem(rig: Rig, tip: number, spec: StageSpec, goal: Vec3, damping: number | undefined, path: object = {}, more: SceneDescription = {}): string {
  const options = { ...spec.options };
  if (damping !== undefined && 'damping' in options) options.damping = damping;
  const joints = rig.model.joints.filter((j) => j.nv > 0);
  const posture = { type: 'posture' as const, target: Object.fromEntries(joints.map((j) => [j.name, 0])), gain: Object.fromEntries(joints.map((j, i) => [j.name, spec.gains?.[i] ?? 0])) };
  try {
    rig.scene.replace({ ...more, goals: [{ type: 'position', link: rig.model.links[tip]!.name, target: goal.slice(0, 2), ...path }, ...(spec.gains ? [posture] : [])], method: spec.method ?? 'dls', options });
    return Object.keys(path).length > 0 ? '' : rig.scene.check(); // what follows a path has no goal of a moment
  } catch (error) {
    return mistake(error).message;
  }
}

/** The chapter's way: the goal slides in a straight line, one step of the method a frame. */
function sequence(rig: Rig, tip: number, spec: StageSpec, from: number[], goal: Vec3, damping: number | undefined, data: StageData): void {
  rig.setPose(from);
  const first = origin(rig.frames, tip);
  const path = { path: { curve: 'line', duration: FRAMES - 1, profile: 'steady' } };
  data.refused = problem(rig, tip, spec, goal, damping);
  if (!data.refused) data.refused = problem(rig, tip, spec, goal, damping, path, { start: from, frame_rate: 1, steps_per_frame: 1 });
  if (data.refused) return;
  rig.setPose(from);
  const { clip } = rig.scene.track();
  for (let f = 0; f < FRAMES; f++) {
    const t = f / (FRAMES - 1);
    data.poses.push(clip.frame(f));
    data.goals.push([first[0] + (goal[0] - first[0]) * t, first[1] + (goal[1] - first[1]) * t, first[2]]);
  }
}

/** Iterations of the method towards a fixed goal, spread over the frames. */
function iterations(rig: Rig, tip: number, spec: StageSpec, from: number[], goal: Vec3, data: StageData): void {
  rig.setPose(from);
  data.refused = problem(rig, tip, { ...spec, options: { ...spec.options, step_size: 0.12 } }, goal, undefined);
  if (data.refused) return;
  const { trace } = rig.scene.trace({ max_iterations: FRAMES - 1 });
  for (let f = 0; f < FRAMES; f++) data.poses.push(trace[Math.min(f, trace.length - 1)]!.q);
}

/** The analytic arm follows a goal on a line through its ring; the seed's side chooses the elbow. */
function twoLink(rig: Rig, tip: number, spec: StageSpec, goal: [number, number] | undefined, data: StageData): void {
  const side = spec.elbow ?? 1;
  const seed = Array.from({ length: rig.model.nq }, (_, i) => (i === 1 ? 0.9 * side : 0.3));
  rig.setPose(seed);
  const reach = rig.model.reach;
  for (let f = 0; f < FRAMES; f++) {
    const t = f / (FRAMES - 1);
    const at: Vec3 = goal ? [goal[0], goal[1], 0] : [reach * (0.25 + 0.85 * t), reach * (0.62 - 0.24 * t), 0];
    rig.setPose(seed);
    data.refused = problem(rig, tip, spec, at, undefined);
    if (!data.refused) rig.scene.solve({ measures: false });
    data.poses.push(rig.q.slice());
    data.goals.push(at);
  }
}

/** Distance of the last tip from the last goal, the largest turn between two frames, and the farthest from the path. */
export function stageFacts(data: StageData): { off: number; jump: number; drift: number } {
  const last = data.tips.length - 1;
  const off = data.goals[last] && data.tips[last] ? dist(data.tips[last]!, data.goals[last]!) : 0;
  let jump = 0;
  for (let f = 1; f < data.poses.length; f++) data.poses[f]!.forEach((v, i) => (jump = Math.max(jump, Math.abs(v - data.poses[f - 1]![i]!))));
  const drift = Math.max(0, ...data.tips.map((_, f) => offPath(data, f)));
  return { off, jump, drift };
}

/** The frame that a page speaks of, looked for in what was computed. */
export function findFrame(stages: StageData[], what: 'meet' | 'whip' | 'drift'): number {
  const [first, second] = stages;
  if (!first) return 0;
  if (what === 'meet') {
    const apart = first.frames.map((f, i) => Math.hypot(...f.map((v, k) => v - (second?.frames[i]?.[k] ?? v))));
    const found = apart.findIndex((d) => d < 1e-6 * first.model.reach + 1e-9);
    return found >= 0 ? found : apart.indexOf(Math.min(...apart));
  }
  const value = (f: number): number => {
    if (what === 'drift') return offPath(first, f);
    return f === 0 ? 0 : Math.max(...Array.from(first.poses[f]!, (v, i) => Math.abs(v - first.poses[f - 1]![i]!)));
  };
  const all = first.poses.map((_, f) => value(f));
  return all.indexOf(Math.max(...all));
}

/** How far the tip is from the straight line of the sliding goal at a frame. */
export function offPath(data: StageData, frame: number): number {
  const a = data.goals[0];
  const b = data.goals[data.goals.length - 1];
  const p = data.tips[frame];
  if (!a || !b || !p) return 0;
  const d = sub(b, a);
  const l = Math.hypot(d[0], d[1]);
  if (l === 0) return dist(p, a);
  return Math.abs((p[0] - a[0]) * d[1] - (p[1] - a[1]) * d[0]) / l;
}
