// What a freshly opened model starts with: a pose, goals at its hands (feet pinned on a figure that has
// them), and a method that can take it.
import type { Core, Rig } from '../core/core';
import { EMPTY_CLIP, frameRate, type ModelSource, type Scene, type SceneGoal } from '../logic/scene';
import { firstTip, tips } from '../logic/tips';
import { origin, quatFromFrame } from '../logic/vec';

/** Poses the gallery opens with, where rest is not the nicest: by model name. */
const START: Record<string, string[]> = {
  human: ['rest'],
};

export function startPose(name: string, rig: Rig): number[] {
  const closed = rig.model.closures.length > 0 ? rig.model.poses.map((p) => p.name) : [];
  for (const pose of START[name] ?? ['ready', 'chapter', 'start', 'home', ...closed]) {
    const found = rig.model.poses.find((p) => p.name === pose);
    if (found) return [...found.q];
  }
  const rest = rig.names.neutral;
  return Array.from(rig.model.closures.length > 0 ? rig.core.assemble(rest).q : rest);
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

/** Hands first, then feet; otherwise the model's first effector (logic/tips.ts). */
export function firstGoals(rig: Rig): SceneGoal[] {
  const nameOf = (link: number) => rig.model.links[link]!.name.toLowerCase();
  const ends = tips(rig.model);
  const side = (list: number[], pattern: RegExp) => list.find((e) => pattern.test(nameOf(e)));
  const right = /(^|[^a-z])(right|r)([^a-z]|$)|^right|^r_/;
  const left = /(^|[^a-z])(left|l)([^a-z]|$)|^left|^l_/;
  const hands = ends.filter((e) => /hand|wrist|palm|gripper/.test(nameOf(e)));
  const feet = ends.filter((e) => /foot|toe|ankle|sole/.test(nameOf(e)));
  const [rh, lh, lf, rf] = [side(hands, right), side(hands, left), side(feet, left), side(feet, right)];
  if (rh !== undefined && lh !== undefined && lf !== undefined && rf !== undefined) {
    const held = { pinned: true, useRotation: true };
    return [goalFor(rig, rh), goalFor(rig, lh, { soft: true }), goalFor(rig, lf, held), goalFor(rig, rf, held)];
  }
  const first = rf ?? firstTip(rig.model);
  return first === undefined ? [] : [goalFor(rig, first)];
}

export function firstScene(source: ModelSource, name: string, rig: Rig, core: Core): Scene {
  const q = startPose(source.builtin ?? name, rig);
  rig.setPose(q);
  rig.scene.clamp();
  const turned = rig.model.closures.length > 0 && rig.model.mobility <= 1; // its drive is what one takes in hand
  const goals = turned ? [] : firstGoals(rig);
  const method = ['reach', 'dls'].find((name) => core.solver(name) && (name !== 'reach' || (!rig.model.planar && rig.model.closures.length === 0))) ?? core.solvers[0]?.name ?? 'dls';
  const clips = rig.clips;
  const clip = clips[0]
    ? { ...EMPTY_CLIP, fps: frameRate(clips[0].frame_time), frames: Math.max(1, clips[0].frames - 1) }
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
    obstacles: [],
    free: false,
    margin: 0,
  };
}
