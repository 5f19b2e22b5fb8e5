// The only way from the studio to the computing: loads the WebAssembly module and wraps one opened
// figure with the scene's names. Everything here forwards; nothing is computed twice.
import type {
  ArmatureModule,
  ClipDescription,
  ErrorValue,
  Figure,
  FormatEntry,
  Goal,
  JointSetting,
  ModelDescription,
  ModelEntry,
  Report,
  SolverEntry,
} from '@armature';
import type { PoseNames } from '../logic/url';
import { limbOf } from '../logic/limb';
import type { JointChoice, ModelSource, Scene, SceneGoal } from '../logic/scene';

/** A motion that the worker read: the poses of all frames, one after the other. */
export interface Motion {
  frames: number;
  seconds_per_frame: number;
  name: string;
  poses: Float64Array;
}
/** What stands for a long file on the page: the figure's own small text, and its motion. */
export interface Prepared {
  head: Uint8Array;
  motion: Motion;
}

export type Opened = { ok: true; rig: Rig } | { ok: false; error: ErrorValue };

export class Core {
  readonly models: ModelEntry[];
  readonly formats: FormatEntry[];
  readonly solvers: SolverEntry[];

  constructor(readonly module: ArmatureModule) {
    this.models = module.models();
    this.formats = module.formats();
    this.solvers = module.solvers();
  }

  /** Long files by their source, as the worker prepared them. */
  readonly prepared = new WeakMap<ModelSource, Prepared>();

  solver(name: string): SolverEntry | undefined {
    return this.solvers.find((s) => s.name === name);
  }

  builtin(name: string): Opened {
    const result = this.module.builtin(name);
    return result.ok ? { ok: true, rig: new Rig(result.value) } : result;
  }

  open(bytes: Uint8Array, fileName: string, files: Record<string, Uint8Array> = {}): Opened {
    const result = this.module.open(bytes, fileName, files);
    return result.ok ? { ok: true, rig: new Rig(result.value) } : result;
  }

  /** The files a model refers to, by name. */
  static beside(model: ModelSource): Record<string, Uint8Array> {
    return Object.fromEntries(Object.entries(model.file?.beside ?? {}).map(([name, text]) => [name, bytesOf(text)]));
  }

  source(model: ModelSource): Opened {
    if (model.builtin) return this.builtin(model.builtin);
    const prepared = this.prepared.get(model);
    if (prepared && model.file) {
      const result = this.module.open(prepared.head, model.file.name, {});
      return result.ok ? { ok: true, rig: new Rig(result.value, prepared.motion) } : result;
    }
    if (model.file) {
      return this.open(bytesOf(model.file.base64), model.file.name, Core.beside(model));
    }
    return { ok: false, error: { message: 'The scene names no model.' } };
  }
}

/** One opened figure. Owns module memory: call `dispose`. */
export class Rig {
  readonly model: ModelDescription;
  readonly names: PoseNames;
  /** Motions that the file brought along. */
  readonly clips: ClipDescription[];
  private readonly linkIndex: Map<string, number>;
  private readonly jointIndex: Map<string, number>;
  /** Index of the first core goal of each scene goal, -1 when it has none. */
  private goalIndex: number[] = [];
  private soft: boolean[] = [];
  private tolerance = 0;

  constructor(readonly figure: Figure, private readonly motion: Motion | null = null) {
    this.model = figure.description();
    this.clips = motion ? [{ name: motion.name, frames: motion.frames, seconds_per_frame: motion.seconds_per_frame }] : figure.clips();
    this.linkIndex = new Map(this.model.links.map((l, i) => [l.name, i]));
    this.jointIndex = new Map(this.model.joints.map((j, i) => [j.name, i]));
    this.names = {
      joints: this.model.joints.map((j) => ({ name: j.name, q: j.q, nq: j.nq })),
      neutral: Array.from(figure.neutral()),
    };
  }

  link(name: string): number {
    return this.linkIndex.get(name) ?? -1;
  }
  joint(name: string): number {
    return this.jointIndex.get(name) ?? -1;
  }
  get q(): Float64Array {
    return this.figure.pose();
  }
  get frames(): Float64Array {
    return this.figure.frames();
  }

  /** Pose of a frame of the file's motion, a copy. */
  clipFrame(frame: number): Float64Array {
    if (!this.motion) return this.figure.clipFrame(0, frame);
    const at = Math.max(0, Math.min(this.motion.frames - 1, Math.trunc(frame))) * this.model.nq;
    return this.motion.poses.slice(at, at + this.model.nq);
  }

  setPose(q: ArrayLike<number>): void {
    this.figure.pose().set(q);
    this.figure.forward();
  }

  /** Pose vector from values by joint name; joints not named are at rest. */
  poseOf(values: Record<string, number[]>): number[] {
    const q = [...this.names.neutral];
    for (const [name, list] of Object.entries(values)) {
      const joint = this.model.joints[this.joint(name)];
      if (joint) for (let i = 0; i < Math.min(joint.nq, list.length); i++) q[joint.q + i] = list[i]!;
    }
    return q;
  }

  /** Hands goals, joint choices and method to the core. Returns the first thing it refuses. */
  setProblem(scene: Pick<Scene, 'goals' | 'joints' | 'solver'>): ErrorValue | null {
    const goals: Goal[] = [];
    const ordered = ORDERED.has(scene.solver.method);
    this.goalIndex = scene.goals.map((g) => {
      const link = this.link(g.link);
      if (link < 0 || (!g.usePosition && !g.useRotation)) return -1;
      goals.push(coreGoal(g, link, ordered));
      return goals.length - 1;
    });
    for (const g of scene.goals) {
      const link = this.link(g.link);
      const limb = g.pole && link >= 0 ? limbOf(this.model, this.frames, link) : null;
      if (limb) goals.push({ type: 'pole', link, ...limb, position: g.pole!, ...gentle(0.3, ordered) });
    }
    this.soft = scene.goals.map((g) => g.soft);
    const tolerance = scene.solver.options.tolerance;
    this.tolerance = typeof tolerance === 'number' && tolerance > 0 ? tolerance : this.model.tolerance;
    const set = this.figure.setGoals(goals);
    if (!set.ok) return set.error;
    const joints: Record<number, JointSetting> = {};
    for (const [name, choice] of Object.entries(scene.joints)) {
      const index = this.joint(name);
      if (index >= 0) joints[index] = coreJoint(choice, this.model.joints[index]!.nv);
    }
    const locked = this.figure.setJoints(joints);
    if (!locked.ok) return locked.error;
    const solver = this.figure.setSolver(scene.solver.method, scene.solver.options);
    return solver.ok ? null : solver.error;
  }

  /** Fast path of a drag: one goal moved, nothing rebuilt. */
  moveGoal(sceneIndex: number, g: SceneGoal): void {
    const index = this.goalIndex[sceneIndex] ?? -1;
    if (index < 0) return;
    this.figure.moveGoal(index, ...g.position, ...g.quaternion);
  }

  /** `seconds` 0: no limit but the method's own. */
  solve(seconds = 0): Report {
    return this.byScene(this.figure.solve(seconds));
  }
  measure(): Report {
    return this.byScene(this.figure.measure());
  }

  /** Reorders the core's goal list to the scene's; goals without any part count as reached. */
  byScene(report: Report): Report {
    const goals = this.goalIndex.map((i, k) => {
      const facts = report.goals[i] ?? { position_error: 0, orientation_error: 0, reached: true };
      return this.soft[k] ? { ...facts, reached: facts.position_error <= this.tolerance } : facts;
    });
    return { ...report, goals };
  }

  dispose(): void {
    this.figure.delete();
  }
}

/** Methods that keep strict priorities; the others weigh all goals against each other. */
const ORDERED = new Set(['reach', 'auto']);

/** A goal that should give way: lower priority where that exists, else a weight that hardly counts. */
function gentle(weight: number, ordered: boolean): Partial<Goal> {
  return { tolerance: 1e9, ...(ordered ? { weight, priority: 2 } : { weight: weight * 1e-4 }) };
}
/** What is pinned stays where it is before anything else arrives. */
function firm(weight: number, ordered: boolean): Partial<Goal> {
  return ordered ? { priority: 0 } : { weight: weight * 10 };
}

function coreGoal(g: SceneGoal, link: number, ordered: boolean): Goal {
  const type = g.usePosition ? (g.useRotation ? 'pose' : 'position') : 'orientation';
  const rank = g.soft ? gentle(g.weight, ordered) : g.pinned ? firm(g.weight, ordered) : ordered ? { priority: 1 } : {};
  return { type, link, position: g.position, quaternion: g.quaternion, weight: g.weight, ...rank };
}

function coreJoint(choice: JointChoice, nv: number): JointSetting {
  const fill = (list: number[] | undefined): number[] => Array.from({ length: nv }, (_, i) => list?.[i] ?? 0);
  const setting: JointSetting = {};
  if (choice.lock) setting.locked = true;
  if (choice.gain || choice.rest) {
    setting.rest = fill(choice.rest);
    setting.gain = fill(choice.gain);
  }
  return setting;
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
  const url = new URL('core/armature.mjs', base).href;
  const factory = (await import(/* @vite-ignore */ url)).default as (options?: object) => Promise<ArmatureModule>;
  return new Core(await factory());
}
