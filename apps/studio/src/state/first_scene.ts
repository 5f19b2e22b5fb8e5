// What a freshly opened model starts with: a pose, goals at its hands (feet pinned on a figure that has
// them), and a method that can take it.
import type { Core, Rig } from '../core/core';
import { EMPTY_CLIP, type ModelSource, type Scene, type SceneGoal } from '../logic/scene';
import { origin, quatFromFrame } from '../logic/vec';

/** Poses the gallery opens with, where rest is not the nicest: by model name. */
const START: Record<string, string[]> = {
  human: ['rest'],
  four_bar: ['closed'],
};

export function startPose(name: string, rig: Rig): number[] {
  for (const pose of START[name] ?? ['ready', 'chapter', 'start', 'home']) {
    const found = rig.model.poses.find((p) => p.name === pose);
    if (found) return [...found.q];
  }
  return [...rig.names.neutral];
}

export function goalFor(rig: Rig, link: number, more: Partial<SceneGoal> = {}): SceneGoal {
  const name = rig.model.links[link]!.name;
  return {
    id: name,
    link: name,
    position: origin(rig.frames, link),
    quaternion: quatFromFrame(rig.frames, link),
    usePosition: true,
    useRotation: false,
    weight: 1,
    soft: false,
    pinned: false,
    visible: true,
    ...more,
  };
}

/** Hands first, then feet; otherwise the effector that most joints move. */
export function firstGoals(rig: Rig): SceneGoal[] {
  const byName = (pattern: RegExp) => rig.model.effectors.filter((e) => pattern.test(rig.model.links[e]!.name.toLowerCase()));
  const side = (list: number[], pattern: RegExp) => list.find((e) => pattern.test(rig.model.links[e]!.name.toLowerCase()));
  const right = /(^|[^a-z])(right|r)([^a-z]|$)|^right|^r_/;
  const left = /(^|[^a-z])(left|l)([^a-z]|$)|^left|^l_/;
  const hands = byName(/hand|wrist|palm/);
  const feet = byName(/foot|toe|ankle/);
  if (hands.length >= 2 && feet.length >= 2) {
    const goals: SceneGoal[] = [];
    const [rh, lh, lf, rf] = [side(hands, right), side(hands, left), side(feet, left), side(feet, right)];
    if (rh !== undefined) goals.push(goalFor(rig, rh));
    if (lh !== undefined) goals.push(goalFor(rig, lh, { soft: true }));
    if (lf !== undefined) goals.push(goalFor(rig, lf, { pinned: true, useRotation: true }));
    if (rf !== undefined) goals.push(goalFor(rig, rf, { pinned: true, useRotation: true }));
    return goals;
  }
  const movers = (link: number): number => {
    let n = 0;
    for (let at = link; at >= 0; at = rig.model.links[at]!.parent) n += rig.model.joints[rig.model.links[at]!.joint]?.nv ?? 0;
    return n;
  };
  const best = [...rig.model.effectors].sort((a, b) => movers(b) - movers(a))[0];
  return best === undefined || movers(best) === 0 ? [] : [goalFor(rig, best)];
}

export function firstScene(source: ModelSource, name: string, rig: Rig, core: Core): Scene {
  const q = startPose(source.builtin ?? name, rig);
  rig.setPose(q);
  rig.figure.clamp();
  rig.figure.forward();
  const goals = source.builtin === 'four_bar' ? fourBarGoals(rig) : firstGoals(rig);
  const method = ['reach', 'dls'].find((name) => core.solver(name) && (name !== 'reach' || !rig.model.planar)) ?? core.solvers[0]?.name ?? 'dls';
  const clips = rig.clips;
  const clip = clips[0]
    ? { ...EMPTY_CLIP, fps: Math.max(1, Math.round(1 / clips[0].seconds_per_frame)), frames: Math.max(1, clips[0].frames - 1) }
    : EMPTY_CLIP;
  return {
    model: source,
    name,
    q: Array.from(rig.q),
    goals: clips[0] && clips[0].frames > 1 ? [] : goals,
    solver: { method, options: {} },
    joints: {},
    clip,
    poses: [],
  };
}

/** The loop is closed by pinning the last link's end to the ground pivot. */
function fourBarGoals(rig: Rig): SceneGoal[] {
  const pivot = rig.link('pivot');
  return pivot >= 0 ? [goalFor(rig, pivot, { pinned: true, position: [4, 0, 0] })] : [];
}
