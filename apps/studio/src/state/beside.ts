// Several models in one scene: the core puts the next one beside what is there, in one linkage, so that goals, bodies, methods, undo and
// files know all of them. Names that are taken get a prefix.
import { base64Of, mistake, Rig, type ErrorValue } from '../core/core';
import { EMPTY_CLIP, freeGoalId, type Clip, type ModelSource, type SceneGoal, type Vec3 } from '../logic/scene';
import { cross, origin, quatFromFrame, sub } from '../logic/vec';
import { extent } from '../view/pick';
import { firstGoals, startPose } from './first_scene';
import { studio } from './studio.svelte';
import { ui } from './ui.svelte';
import { views } from './views';

/** Longer motions of a file are left out: each of their frames becomes a pose key. */
const MOST_FRAMES = 600;

/** One undoable change. Returns the core's error instead of showing it. */
export function addBeside(source: ModelSource, name: string): ErrorValue | null {
  const { core, rig: old, scene } = studio;
  if (!core || !old) return { message: 'Open a model first.' };
  const opened = core.source(source);
  if (!opened.ok) return opened.error;
  let next = opened.rig;
  // Files without a unit: a figure of 170 beside a robot of 0.8 is in centimetres.
  const ratio = old.model.reach / next.model.reach;
  const factor = ratio > 20 ? 10 ** Math.round(Math.log10(ratio)) : ratio < 0.05 ? 10 ** Math.round(Math.log10(ratio)) : 1;
  try {
    if (factor !== 1) {
      const scaled = new Rig(next.core.edit({ edit: 'scale', factor }));
      next.dispose();
      next = scaled;
    }
    next.setPose(startPose(source.builtin ?? name, next));
    next.scene.clamp();
    const prefix = old.core.freePrefix(next.core);
    const both = old.core.graft(next.core, { prefix, position: placeBeside(old, next) });
    const bytes = both.write('json').bytes;
    both.delete();
    const beside = { ...scene.model.file?.beside, ...source.file?.beside };
    const plain = (text: string) => text.replace(/\.[^.]+$/, '');
    const title = `${plain(scene.name)} and ${plain(name)}`;
    const model: ModelSource = { file: { name: `${title.replaceAll(' ', '_')}.json`, base64: base64Of(bytes), ...(Object.keys(beside).length ? { beside } : {}) } };
    const made = core.source(model);
    if (!made.ok) return made.error;
    const rig = made.rig;
    /** A pose of the first with the second as it stands. */
    const carry = (q: ArrayLike<number>): number[] => {
      const out = Array.from(rig.names.neutral);
      const take = (from: Rig, values: ArrayLike<number>, word: string) => {
        for (const joint of from.model.joints) {
          const to = rig.model.joints[rig.joint(word + joint.name)];
          if (joint.nq > 0 && to?.nq === joint.nq) for (let i = 0; i < joint.nq; i++) out[to.q + i] = values[joint.q + i]!;
        }
      };
      take(next, next.q, prefix);
      take(old, q, '');
      return out;
    };
    rig.setPose(rig.model.closures.length > 0 ? rig.core.assemble(carry(scene.q)).q : carry(scene.q));
    const goals: SceneGoal[] = [...scene.goals];
    for (const g of next.model.closures.length > 0 ? [] : firstGoals(next)) {
      const link = prefix + g.link;
      const at = rig.link(link);
      if (at >= 0) goals.push({ ...g, id: freeGoalId({ ...scene, goals }, link), link, position: origin(rig.frames, at), quaternion: quatFromFrame(rig.frames, at) });
    }
    const { method } = scene.solver;
    const refused = rig.model.closures.length > 0 && method === 'reach';
    const { clip, note } = motionOf(old, carry);
    views.linked = null; // both come into sight
    ui.gallery = false;
    studio.replaceModel(`add ${name}`, rig, { ...scene, model, name: title, q: Array.from(rig.q), goals, clip, solver: refused ? { method: 'dls', options: {} } : scene.solver, poses: scene.poses.map((p) => ({ ...p, q: carry(p.q) })) });
    ui.toast({ tone: 'ok', title: `${name} was added`, text: [prefix ? `Its names begin with ${prefix}.` : '', factor === 1 ? '' : `Its lengths were multiplied by ${factor}.`, 'Build moves it: select its first joint.', note].filter(Boolean).join(' ') });
    return null;
  } catch (error) {
    return mistake(error);
  } finally {
    next.dispose();
  }
}

/** Keys as they were; the motion of a file becomes pose keys, as the new linkage has no file with a motion. */
function motionOf(old: Rig, carry: (q: ArrayLike<number>) => number[]): { clip: Clip; note: string } {
  const { clip } = studio.scene;
  const poses = clip.poses.map((k) => ({ ...k, q: carry(k.q) }));
  const start = clip.start ? { start: carry(clip.start) } : {};
  if (!old.names.motion) return { clip: { ...clip, poses, ...start }, note: '' };
  const frames = old.clips[0]!.frames;
  if (frames > MOST_FRAMES || clip.tools.length > 0 || poses.length > 0) return { clip: { ...EMPTY_CLIP, keys: clip.keys, fps: clip.fps, frames: clip.frames }, note: 'The motion of its file is left out.' };
  const keys = Array.from({ length: frames }, (_, frame) => ({ frame, name: '', q: carry(old.clipFrame(frame)), way: 'linear' as const }));
  return { clip: { ...clip, poses: keys, start: keys[0]!.q }, note: 'The motion of the first is kept as pose keys.' };
}

/** To the right as it is seen, clear of what is there. */
function placeBeside(old: Rig, next: Rig): Vec3 {
  const up = old.model.up === 'y' ? 1 : 2;
  const seen = views.linked; // the camera before the gallery
  const right = seen ? cross(sub(seen.target, seen.eye), up === 1 ? [0, 1, 0] : [0, 0, 1]) : [1, 0, 0];
  // Turned worlds share their x axis.
  const axis = old.model.planar || old.model.up !== next.model.up ? 0 : [0, 1, 2].filter((a) => a !== up).sort((a, b) => Math.abs(right[b]!) - Math.abs(right[a]!))[0]!;
  const sign = right[axis]! < 0 ? -1 : 1;
  const along = (rig: Rig) => extent(rig.model, rig.frames, []).map((p) => sign * p[axis]!);
  const gap = 0.15 * Math.max(old.model.reach, next.model.reach);
  const out: Vec3 = [0, 0, 0];
  out[axis] = sign * (Math.max(...along(old)) - Math.min(...along(next)) + gap);
  return out;
}
