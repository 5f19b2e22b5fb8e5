// Long work beside the page: the workspace, batches of random goals, large files. One request at a time;
// the page ends the worker to cancel, and drops an answer whose scene has changed.
import type { Benchmark, Clip, Keys } from '@armature';
import type { ErrorValue } from './core';
import type { ModelSource, Scene } from '../logic/scene';
import type { ProblemParts } from '../logic/scene_json';
import type { Cells } from '../logic/slice';
import { firstFrameOnly } from '../logic/bvh_split';
import { describe } from '../logic/model';
import { base64Of, Core, loadCore, type Prepared, type Rig } from './core';
import { standing } from './standing';

export interface MotionData {
  name: string;
  frame_time: number;
  q: Float64Array;
}
export type WorkerRequest =
  | { kind: 'read'; base: string; name: string; bytes: Uint8Array; beside: Record<string, string> }
  | { kind: 'second'; base: string; act: 'retarget' | 'blend'; model: ModelSource; motion: MotionData; other: ModelSource; format: string }
  | { kind: 'animate'; base: string; model: ModelSource; scene: ProblemParts; start: number[]; keys: Keys; fps: number; below: MotionData | null }
  | { kind: 'cloud'; base: string; model: ModelSource; link: string; samples: number }
  | { kind: 'batch'; base: string; model: ModelSource; scene: Pick<Scene, 'goals' | 'joints' | 'solver'>; q: number[]; methods: string[]; goals: number };
export type WorkerAnswer =
  | { kind: 'read'; error: ErrorValue | null; base64: string; prepared: Prepared | null }
  | { kind: 'second'; bytes: Uint8Array; frames: number; notes: string[] }
  | { kind: 'animate'; motion: MotionData; notReached: number[]; largestError: number }
  | { kind: 'cloud'; points: Float32Array }
  | { kind: 'cells'; cells: Cells }
  | { kind: 'batch'; method: string; result: Benchmark }
  | { kind: 'done' }
  | { kind: 'error'; message: string };

self.onmessage = async (event: MessageEvent<WorkerRequest>) => {
  const request = event.data;
  const post = (answer: WorkerAnswer) => (self as unknown as Worker).postMessage(answer);
  try {
    const core = await loadCore(request.base);
    if (request.kind === 'read') {
      const read = core.open(request.bytes, request.name, Core.beside({ file: { name: request.name, base64: '', beside: request.beside } }));
      const prepared = read.ok && /\.bvh$/i.test(request.name) ? prepare(request.bytes, read.rig) : null;
      const answer: WorkerAnswer = { kind: 'read', error: read.ok ? null : read.error, base64: read.ok ? base64Of(request.bytes) : '', prepared };
      (self as unknown as Worker).postMessage(answer, prepared ? [prepared.head.buffer, prepared.motion.poses.buffer] : []);
      return post({ kind: 'done' });
    }
    const opened = core.source(request.model);
    if (!opened.ok) return post({ kind: 'error', message: opened.error.message });
    const rig = opened.rig;
    if (request.kind === 'second') post(second(core, rig, request));
    else if (request.kind === 'animate') {
      const { scene, start, keys, fps, below } = request;
      const made = rig.animate(scene, start, keys, fps, below && rig.core.clip(below));
      post({ kind: 'animate', motion: { name: made.clip.name, frame_time: made.clip.frame_time, q: Float64Array.from(made.clip.q) }, notReached: made.not_reached, largestError: made.largest_error });
    }
    else if (request.kind === 'cloud') {
      const points = rig.core.randomPlaces({ tip: request.link, samples: request.samples });
      post({ kind: 'cloud', points: Float32Array.from(points) });
      for (const { cells, samples, orientations } of [{ cells: 12, samples: 20000, orientations: 4 }, { cells: 20, samples: 60000, orientations: 16 }, { cells: 30, samples: 100000, orientations: 16 }]) {
        const { grid, reachable, dexterity } = rig.core.workspace({ tip: request.link, cells, samples, orientations });
        post({ kind: 'cells', cells: { ...grid, reachable, share: dexterity, tried: orientations } });
      }
    } else {
      rig.setPose(request.q);
      for (const method of request.methods) {
        const options = method === request.scene.solver.method ? request.scene.solver.options : {};
        rig.setProblem({ ...request.scene, solver: { method, options } });
        post({ kind: 'batch', method, result: rig.scene.benchmark(request.goals) });
      }
    }
    rig.dispose();
    post({ kind: 'done' });
  } catch (error) {
    post({ kind: 'error', message: error instanceof Error ? error.message : String(error) });
  }
};

/** A motion with a second model or motion: carried over to that figure, or followed by that motion. */
function second(core: Core, rig: Rig, { act, motion, other, format }: Extract<WorkerRequest, { kind: 'second' }>): WorkerAnswer {
  const opened = core.source(other);
  if (!opened.ok) throw new Error(opened.error.message);
  const own = rig.core.clip(motion);
  const names = (joints: { name: string }[]) => joints.map((j) => j.name).join();
  if (act === 'retarget') {
    const { clip, notes } = core.module.retarget(own, opened.rig.core);
    return { kind: 'second', bytes: written(core, clip, format), frames: clip.frames, notes };
  }
  const next = opened.rig.clip;
  if (!next || next.frames < 2) throw new Error(`${other.file?.name ?? other.builtin} holds no motion.`);
  const same = names(opened.rig.core.joints) === names(rig.core.joints);
  const made = own.concat(same ? rig.core.clip({ frame_time: next.frame_time, q: next.q }) : core.module.retarget(next, rig.core).clip, { blend: BLEND });
  return { kind: 'second', bytes: written(core, made, format), frames: made.frames, notes: made.notes ?? [] };
}
/** glTF has y up, whatever the model has. */
function written(core: Core, clip: Clip, format: string): Uint8Array {
  const { up, planar } = describe(clip.model);
  if (format !== 'glb' || up === 'y' || planar) return clip.write(format).bytes;
  const turned = standing(core, clip.model, 'y');
  try {
    return turned.write(format, { name: clip.name, frame_time: clip.frame_time, q: clip.q }).bytes;
  } finally {
    turned.delete();
  }
}
/** Seconds over which one motion becomes the next. */
const BLEND = 0.3;

/** The parts of a long motion: what the page opens itself, and all poses. */
function prepare(bytes: Uint8Array, rig: Rig): Prepared | null {
  const clip = rig.clips[0];
  const head = clip && clip.frames > 1 ? firstFrameOnly(bytes) : null;
  if (!clip || !head) return null;
  const poses = new Float64Array(clip.frames * rig.model.nq);
  for (let f = 0; f < clip.frames; f++) poses.set(rig.clipFrame(f), f * rig.model.nq);
  let stats: Prepared['stats'] = null;
  try {
    stats = rig.clip?.stats() ?? null;
  } catch {
    // no contacts then
  }
  return { head, stats, motion: { frames: clip.frames, frame_time: clip.frame_time, name: clip.name, poses } };
}
