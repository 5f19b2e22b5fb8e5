// The only way from the studio to the computing: loads the WebAssembly module and holds one opened model with its scene.
// Everything here forwards; the scene crosses as the JSON of scene files (logic/scene_json.ts).
import type { Animation, Armature, ArmatureError, Clip, ClipStats, FormatEntry, Keys, MethodEntry, Model, ModelEntry, Report, Scene as CoreScene } from '@armature';
import { describe, type ModelDescription } from '../logic/model';
import { carried } from './carried';
import type { ModelSource, SceneGoal } from '../logic/scene';
import { problemJson, type JsonNames, type ProblemParts } from '../logic/scene_json';

/** A motion that the worker read: the poses of all frames, one after the other. */
export interface Motion {
  frames: number;
  frame_time: number;
  name: string;
  poses: Float64Array;
}
/** What stands for a long file on the page: the figure's own small text, and its motion. */
export interface Prepared {
  head: Uint8Array;
  /** Contacts and speeds of the motion. */
  stats: ClipStats | null;
  motion: Motion;
}

/** What is wrong, as the core says it. */
export type ErrorValue = Pick<ArmatureError, 'message' | 'line' | 'column'>;
export type Opened = { ok: true; rig: Rig } | { ok: false; error: ErrorValue };

function attempt(open: () => Rig): Opened {
  try {
    return { ok: true, rig: open() };
  } catch (error) {
    return { ok: false, error: mistake(error) };
  }
}
export function mistake(error: unknown): ErrorValue {
  const { message, line, column } = error as ErrorValue;
  return { message: message ?? String(error), ...(line ? { line } : {}), ...(column ? { column } : {}) };
}

export class Core {
  readonly models: ModelEntry[];
  readonly formats: FormatEntry[];
  readonly solvers: MethodEntry[];

  constructor(readonly module: Armature) {
    this.models = module.models();
    this.formats = module.formats();
    this.solvers = module.methods().filter((m) => m.name !== 'follow'); // what drags use (Rig.follow); not a search to choose
  }

  /** Long files by their source, as the worker prepared them. */
  readonly prepared = new WeakMap<ModelSource, Prepared>();

  solver(name: string): MethodEntry | undefined {
    return this.solvers.find((s) => s.name === name);
  }

  builtin(name: string): Opened {
    return attempt(() => new Rig(this.module.builtin(name)));
  }

  open(bytes: Uint8Array, fileName: string, files: Record<string, Uint8Array> = {}): Opened {
    return attempt(() => new Rig(this.module.readModel(bytes, fileName, files)));
  }

  /** The files a model refers to, by name. */
  static beside(model: ModelSource): Record<string, Uint8Array> {
    return Object.fromEntries(Object.entries(model.file?.beside ?? {}).map(([name, text]) => [name, bytesOf(text)]));
  }

  source(model: ModelSource): Opened {
    if (model.builtin) return this.builtin(model.builtin);
    const { file } = model;
    if (!file) return { ok: false, error: { message: 'The scene names no model.' } };
    const prepared = this.prepared.get(model);
    if (prepared) return attempt(() => new Rig(this.module.readModel(prepared.head, file.name, {}), prepared.motion, prepared.stats));
    return this.open(bytesOf(file.base64), file.name, Core.beside(model));
  }
}

/** Seen from the page, a goal of a report: soft ones count as reached within the tolerance, too. */
export interface GoalFacts {
  position_error: number;
  orientation_error: number;
  reached: boolean;
}
export type SceneReport = Omit<Report, 'goals'> & { goals: GoalFacts[] };

/** One opened model and its scene in the core. Owns module memory: call `dispose`. */
export class Rig {
  readonly model: ModelDescription;
  readonly names: JsonNames;
  /** Motions that the file brought along. */
  readonly clips: { name: string; frames: number; frame_time: number }[];
  readonly scene: CoreScene;
  private readonly linkIndex: Map<string, number>;
  private readonly jointIndex: Map<string, number>;
  /** Index of each of the page's goals in the core's list, -1 when it has no part that counts. */
  private goalIndex: number[] = [];
  private soft: boolean[] = [];
  private tolerance = 0;

  constructor(readonly core: Model, private readonly motion: Motion | null = null, readonly stats: ClipStats | null = null) {
    this.model = describe(core);
    this.scene = core.scene();
    this.clips = motion ? [motion] : core.clips;
    this.linkIndex = new Map(this.model.links.map((l, i) => [l.name, i]));
    this.jointIndex = new Map(this.model.joints.map((j, i) => [j.name, i]));
    this.names = { joints: this.model.joints, neutral: core.neutralPose(), planar: core.planar, up: this.model.up, motion: (this.clips[0]?.frames ?? 0) > 1 };
  }

  link(name: string): number {
    return this.linkIndex.get(name) ?? -1;
  }
  joint(name: string): number {
    return this.jointIndex.get(name) ?? -1;
  }
  get q(): Float64Array {
    return this.scene.q;
  }
  get frames(): Float64Array {
    return this.scene.transforms;
  }

  /** Pose of a frame of the file's motion, a copy. */
  clipFrame(frame: number): Float64Array {
    if (!this.motion) return this.core.clips[0]!.frame(frame);
    const at = Math.max(0, Math.min(this.motion.frames - 1, Math.trunc(frame))) * this.model.nq;
    return this.motion.poses.slice(at, at + this.model.nq);
  }

  /** The file's motion, for the clip tools. */
  get clip(): Clip | null {
    if (!this.motion) return this.core.clips[0] ?? null;
    return this.core.clip({ name: this.motion.name, frame_time: this.motion.frame_time, q: this.motion.poses });
  }

  /** What keys make of a scene (docs/formats/motion_files.md), on top of the motion given. Throws the core's sentence. */
  animate(scene: ProblemParts, start: ArrayLike<number>, keys: Keys, fps: number, below: Clip | null): Animation {
    const known = { ...scene, goals: scene.goals.filter((g) => this.link(g.link) >= 0) };
    const made = this.core.scene({ ...problemJson(known, this.names), start: Array.from(start), frame_rate: fps, keys });
    try {
      return made.animate(below ?? undefined);
    } finally {
      made.delete();
    }
  }

  setPose(q: ArrayLike<number>): void {
    this.scene.setPose(q);
  }

  /** Pose vector from values by joint name; joints not named are at rest. */
  poseOf(values: Record<string, number[]>): number[] {
    const q = Array.from(this.names.neutral);
    for (const [name, list] of Object.entries(values)) {
      const joint = this.model.joints[this.joint(name)];
      if (joint && !joint.mimic) for (let i = 0; i < Math.min(joint.nq, list.length); i++) q[joint.q + i] = list[i]!;
    }
    return q;
  }

  /** Hands goals, joint choices and method to the core. Returns what it refuses. */
  setProblem(scene: ProblemParts): ErrorValue | null {
    const known = { ...scene, goals: scene.goals.filter((g) => this.link(g.link) >= 0) };
    let next = 0;
    this.goalIndex = scene.goals.map((g) => (this.link(g.link) >= 0 && (g.usePosition || g.useRotation) ? next++ : -1));
    this.soft = scene.goals.map((g) => g.soft);
    const tolerance = scene.solver.options.tolerance;
    this.tolerance = typeof tolerance === 'number' && tolerance > 0 ? tolerance : this.model.tolerance;
    try {
      this.scene.replace(problemJson(known, this.names));
      return null;
    } catch (error) {
      return mistake(error);
    }
  }

  /** Fast path of a drag: one goal moved, nothing rebuilt. */
  moveGoal(sceneIndex: number, g: SceneGoal): void {
    const index = this.goalIndex[sceneIndex] ?? -1;
    if (index >= 0) this.scene.setTarget(index, [...g.position, ...g.quaternion]);
  }

  /** `seconds` 0: no limit but the method's own. */
  solve(seconds = 0): SceneReport {
    return this.byScene(this.scene.solve({ seconds, measures: seconds === 0 }));
  }
  /** A gesture: `begin` where it starts, then one `follow` a frame. */
  begin(): void {
    this.scene.begin();
  }
  follow(seconds = 0): SceneReport {
    return this.byScene(this.scene.follow({ seconds, measures: false }));
  }
  measure(): SceneReport {
    return this.byScene(this.scene.measure());
  }

  /** The core's goal list in the page's order; goals without any part count as reached. */
  byScene(report: Report): SceneReport {
    const goals = this.goalIndex.map((i, k) => {
      const facts = report.goals[i];
      if (!facts) return { position_error: 0, orientation_error: 0, reached: true };
      const { position_error, orientation_error } = facts;
      return { position_error, orientation_error, reached: this.soft[k] ? position_error <= this.tolerance : (facts.reached ?? true) };
    });
    return { ...report, goals };
  }

  dispose(): void {
    this.scene.delete();
    this.core.delete();
  }
}

export function bytesOf(base64: string): Uint8Array {
  const raw = atob(base64);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

export function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}

/** Fetches and starts the core. The files lie beside the page, in core/. */
export async function loadCore(base: string): Promise<Core> {
  if (typeof WebAssembly === 'undefined') {
    throw new Error('This browser has no WebAssembly. Any browser of the last five years has it.');
  }
  if (carried) return new Core(await carried.core());
  const url = new URL('core/armature.mjs', base).href;
  const { createArmature } = (await import(/* @vite-ignore */ url)) as typeof import('@armature');
  return new Core(await createArmature());
}
