// What a model of the gallery looks like and does: one pose as a picture, and the poses that it goes through while it is pointed at. Opened
// models are kept no longer than they are looked at.
import type { Core, Rig } from '../core/core';
import type { GalleryItem } from '../logic/gallery';
import { poseIndex, strokeOf } from '../logic/stroke';
import { walkBvh } from '../logic/walk';
import { startPose } from '../state/first_scene';
import { miniPose } from '../view/mini';

const [WIDTH, HEIGHT] = [240, 142];
const STEPS = 30;

function opened<T>(core: Core, item: GalleryItem, look: (rig: Rig) => T): T | null {
  const made = item.file === 'walk' ? core.open(new TextEncoder().encode(walkBvh()), 'walk.bvh') : core.builtin(item.model);
  if (!made.ok) return null;
  try {
    return look(made.rig);
  } finally {
    made.rig.dispose();
  }
}
const framesAt = (rig: Rig, q: ArrayLike<number>): Float64Array => {
  rig.setPose(q);
  return rig.frames.slice();
};

const kept = new Map<string, string>();
/** A picture of a model that has none of its own. */
export function picture(core: Core, item: GalleryItem): string {
  let art = kept.get(item.id);
  if (art === undefined) kept.set(item.id, (art = opened(core, item, (rig) => miniPose(rig.model, framesAt(rig, startPose(item.model, rig)), WIDTH, HEIGHT)) ?? ''));
  return art;
}

/** Pictures one after the other, over and over: its motion, the stroke of its drive, or from one named pose to the next. */
export function movement(core: Core, item: GalleryItem): string[] {
  const made = opened(core, item, (rig) => {
    const frames = poses(rig, startPose(item.model, rig)).map((q) => framesAt(rig, q));
    const around = frames.filter((_, i) => i % Math.ceil(frames.length / 12) === 0);
    return frames.map((f) => miniPose(rig.model, f, WIDTH, HEIGHT, around));
  });
  return made ?? [];
}
function poses(rig: Rig, start: number[]): ArrayLike<number>[] {
  const { core, model } = rig;
  if (rig.names.motion) return Array.from({ length: rig.clips[0]!.frames }, (_, f) => rig.clipFrame(f));
  const [drive] = model.drives;
  if (model.closures.length > 0 && drive) {
    try {
      const angle = model.joints[rig.joint(drive)]?.units[0] !== 'length';
      const stroke = strokeOf(core, drive, poseIndex(model, drive), angle, start);
      const there = stroke.poses.filter((_, i) => i % 3 === 0);
      return stroke.full ? there : [...there, ...there.slice(0, -1).reverse()];
    } catch {
      return [];
    }
  }
  const named = model.poses.map((p) => p.q);
  const way = named.length > 1 ? named : [start, core.clamp(core.integrate(start, Array.from({ length: model.nv }, (_, i) => 0.7 * Math.cos(1.7 * i))))];
  return way.flatMap((from, i) => Array.from({ length: STEPS }, (_, k) => core.interpolate(from, way[(i + 1) % way.length]!, 0.5 - 0.5 * Math.cos((Math.PI * k) / STEPS))));
}
