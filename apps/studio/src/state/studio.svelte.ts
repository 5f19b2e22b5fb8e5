// The session: one scene, the figure that the core opened for it, the last report, undo. Every change
// goes through `commit` (one entry) or a gesture (pointer down to up, one entry). The scene is the
// truth; the figure in the core is brought in line with it by `sync`.
import { carried } from '../core/carried';
import type { ModelDescription } from '../logic/model';
import { loadCore, type Core, type Rig, type SceneReport } from '../core/core';
import { chainOf, dofRows, readDof, writeDof, type DofRow } from '../logic/dof';
import { History } from '../logic/history';
import type { LengthStyle } from '../logic/numbers';
import { changeGoal, emptyScene, type ModelSource, type Quat, type Scene, type SceneGoal, type Vec3 } from '../logic/scene';
import type { Mode } from '../logic/url';
import { origin, quatFromFrame } from '../logic/vec';
import { firstScene } from './first_scene';
import { save } from './prefs';
import { ui } from './ui.svelte';
import { keepView, views } from './views';

export interface Selection {
  kind: 'link' | 'joint' | 'goal' | 'pole' | 'world';
  name: string;
}

interface Gesture {
  label: string;
  before: Scene;
}

/** Seconds that a solve may take while something is dragged; what is released is solved without a limit. */
const DRAG_SECONDS = 0.003;

/** How long a drag goes on while the pointer rests: a posture may drift for much longer, and nobody waits for it. */
const REST_MS = 600;

/** What a released drag may take to come to rest. */
const SETTLE_MS = 60;

/** Methods that may answer with a pose far from the last one. */
const SEARCHES = new Set(['reach', 'auto', 'analytic', 'two_link']);

/** Opened figures kept at hand, the shown one among them. */
const KEPT_RIGS = 2;

class Studio {
  status = $state<'loading' | 'ready' | 'failed'>('loading');
  failure = $state('');
  loadMs = $state(0);
  core = $state.raw<Core | null>(null);
  mode = $state<Mode>('pose');
  scene = $state.raw<Scene>(emptyScene());
  rig = $state.raw<Rig | null>(null);
  report = $state.raw<SceneReport | null>(null);
  /** Why the core refuses the problem as it stands; shown instead of a verdict. */
  refusal = $state('');
  /** Counts changes of the pose: whoever draws frames reads it. */
  tick = $state(0);
  selection = $state.raw<Selection[]>([]);
  hover = $state.raw<Selection | null>(null);
  gesture = $state.raw<Gesture | null>(null);
  /** Pose at the start of the last solve that moved something: where Step and Compare begin. */
  solveStart: number[] | null = null;
  undoLabel = $state<string | null>(null);
  redoLabel = $state<string | null>(null);
  /** All entries, and how many of them are done. */
  entries = $state.raw<{ labels: string[]; done: number }>({ labels: [], done: 0 });
  solveMs = 0;
  /** What is shown was solved within a frame's time and is not at its goals: solved in full when the drag ends. */
  private cut = false;
  /** The follow method has begun at the pose where this drag started. */
  private following = false;
  private movedAt = 0;
  private history = new History<Scene>();
  private rigs = new Map<ModelSource, Rig>();
  private listeners: (() => void)[] = [];

  // Start ------------------------------------------------------------------------------------------
  async load(base: string): Promise<void> {
    const from = performance.now();
    try {
      this.core = await loadCore(base);
      this.loadMs = Math.round(performance.now() - from);
      this.status = 'ready';
    } catch (error) {
      this.status = 'failed';
      this.failure = error instanceof Error ? error.message : String(error);
    }
  }

  /** Called after every commit (not during gestures): the URL writer listens. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }
  changed(): void {
    for (const listener of this.listeners) listener();
  }

  // What the panels ask ------------------------------------------------------------------------------
  get open(): boolean {
    return this.rig !== null;
  }
  get model(): ModelDescription | null {
    return this.rig?.model ?? null;
  }
  rows = $derived.by<DofRow[]>(() => (this.rig ? dofRows(this.rig.model) : []));
  get style(): LengthStyle {
    return this.rig && (this.rig.model.planar || this.rig.model.reach > 20) ? 'model' : 'metric';
  }
  get tolerance(): number {
    const option = this.scene.solver.options.tolerance;
    return typeof option === 'number' && option > 0 ? option : (this.rig?.model.tolerance ?? 1e-4);
  }
  get methodLabel(): string {
    return this.core?.solver(this.scene.solver.method)?.label ?? this.scene.solver.method;
  }
  get selected(): Selection | null {
    return this.selection[this.selection.length - 1] ?? null;
  }
  get selectedGoal(): SceneGoal | null {
    const s = this.selected;
    if (s && (s.kind === 'goal' || s.kind === 'pole')) return this.scene.goals.find((g) => g.id === s.name) ?? null;
    return this.scene.goals.find((g) => !g.pinned && g.visible) ?? null;
  }
  get selectedJoint(): number {
    const s = this.selected;
    if (!s || !this.rig) return -1;
    if (s.kind === 'joint') return this.rig.joint(s.name);
    if (s.kind === 'link') return this.rig.model.links[this.rig.link(s.name)]?.joint ?? -1;
    return -1;
  }
  /** Joints between root and the active goal's link: "the solved chain". */
  chain = $derived.by<number[]>(() => {
    const goal = this.selectedGoal;
    const next = this.rig && goal ? chainOf(this.rig.model, this.rig.link(goal.link)) : [];
    // The same list while a goal is only moved, so that nothing that hangs on it is made anew each frame.
    if (next.length !== this.lastChain.length || next.some((j, i) => j !== this.lastChain[i])) this.lastChain = next;
    return this.lastChain;
  });
  private lastChain: number[] = [];
  linkPosition(name: string): Vec3 | null {
    const index = this.rig?.link(name) ?? -1;
    return index >= 0 ? origin(this.rig!.frames, index) : null;
  }

  select(selection: Selection | null, add = false): void {
    if (!selection) this.selection = [];
    else if (add) this.selection = [...this.selection.filter((s) => s.name !== selection.name || s.kind !== selection.kind), selection];
    else this.selection = [selection];
  }

  // Models -------------------------------------------------------------------------------------------
  /** Opens a model as one undoable change. Returns the core's error instead of showing it. */
  openModel(source: ModelSource, name: string, made?: Partial<Scene>): { message: string; line?: number; column?: number } | null {
    if (!this.core) return { message: 'The solver core is still loading.' };
    const opened = this.core.source(source);
    if (!opened.ok) return opened.error;
    if (ui.gallery) views.linked = null; // the camera kept for the way back
    ui.gallery = false;
    this.keep(source, opened.rig);
    const scene = { ...firstScene(source, name, opened.rig, this.core), ...made };
    this.commit(`open ${name}`, scene, { bytes: source.file?.base64.length ?? 0 });
    this.selection = [];
    this.solveStart = null;
    return null;
  }

  /** Another model with its scene, opened already: one entry. */
  replaceModel(label: string, rig: Rig, scene: Scene, key?: string): void {
    this.keep(scene.model, rig);
    if (this.mode === 'build') keepView(rig.model.planar);
    this.commit(label, scene, { ...(key ? { key } : {}), bytes: scene.model.file?.base64.length ?? 0 });
    this.solveStart = null;
  }

  private rigFor(scene: Scene): Rig | null {
    if (!this.core || (!scene.model.builtin && !scene.model.file)) return null;
    let rig = this.rigs.get(scene.model) ?? null;
    if (!rig) {
      const opened = this.core.source(scene.model);
      if (!opened.ok) return null;
      rig = opened.rig;
    }
    this.keep(scene.model, rig);
    return rig;
  }
  /** Remembers a figure as the one used last, and lets go of those not used for longest: they own memory of the core.
   *  Undo opens them again from their source. */
  private keep(source: ModelSource, rig: Rig): void {
    this.rigs.delete(source);
    this.rigs.set(source, rig);
    for (const [old, unused] of this.rigs) {
      if (this.rigs.size <= KEPT_RIGS) break;
      this.rigs.delete(old);
      unused.dispose();
    }
  }

  // Changes ------------------------------------------------------------------------------------------
  commit(label: string, scene: Scene, options: { key?: string; solve?: boolean; bytes?: number } = {}): void {
    const before = this.gesture?.before ?? this.scene;
    this.scene = scene;
    this.sync();
    if (options.solve) this.solveNow();
    if (this.gesture) return;
    this.history.push(label, before, this.scene, { key: options.key, bytes: 256 + (options.bytes ?? 0) });
    this.afterEntry();
  }

  private afterEntry(): void {
    this.undoLabel = this.history.undoLabel;
    this.redoLabel = this.history.redoLabel;
    this.entries = { labels: this.history.labels, done: this.history.size };
    const small = (this.scene.model.file?.base64.length ?? 0) < 400_000;
    if (small && this.rig && !ui.embed && !carried?.given.scene) save('last', { time: Date.now(), scene: this.scene });
    this.changed();
  }

  /** The next change is an entry of its own. */
  seal(): void { this.history.seal(); }
  begin(label: string): void {
    if (this.gesture) this.end();
    this.gesture = { label, before: this.scene };
    this.cut = false;
    this.solveStart = [...this.scene.q];
    this.following = false;
  }
  end(): void {
    const gesture = this.gesture;
    this.gesture = null;
    if (!gesture || gesture.before === this.scene) return;
    if (this.following && this.rig && this.scene.goals.length) this.settle(this.rig);
    else if (this.cut && (this.mode === 'pose' || this.mode === 'build')) this.solveNow();
    this.following = false;
    this.history.push(gesture.label, gesture.before, this.scene);
    this.afterEntry();
  }
  cancel(): void {
    const gesture = this.gesture;
    this.gesture = null;
    if (!gesture) return;
    this.scene = gesture.before;
    this.sync();
  }

  undo(): void { this.goTo(-1); }
  redo(): void { this.goTo(1); }
  /** So many entries back or forth, at once. */
  goTo(by: number): void {
    this.end();
    const scene = this.history.goTo(this.history.size + by);
    if (!scene) return;
    const bare = (s: Scene): string => s.name.replace(/\.[^.]+$/, '');
    if (this.mode === 'build' && scene.model !== this.scene.model && bare(scene) === bare(this.scene)) keepView(this.rigFor(scene)?.model.planar);
    this.scene = scene;
    this.sync();
    this.afterEntry();
  }

  /** Brings the core's figure in line with the scene and measures; solves nothing. */
  sync(): void {
    const rig = this.rigFor(this.scene);
    this.rig = rig;
    if (!rig) {
      this.report = null;
      this.tick++;
      return;
    }
    rig.setPose(this.scene.q);
    this.refusal = rig.setProblem(this.scene)?.message ?? '';
    this.report = this.scene.goals.length ? rig.measure() : null;
    this.tick++;
  }

  // Solving ------------------------------------------------------------------------------------------
  /** Solves from the shown pose; the scene's pose becomes the best one found. */
  solveNow(): void {
    const rig = this.rig;
    if (!rig || this.scene.goals.length === 0) return;
    const from = performance.now();
    this.report = this.follows ? this.followOn(rig) : rig.solve(this.solveSeconds);
    this.solveMs = performance.now() - from;
    this.cut = this.gesture !== null && this.report.outcome !== 'converged';
    this.scene = { ...this.scene, q: Array.from(rig.q) };
    this.tick++;
  }
  /** While something is dragged, searches are replaced by the method that continues the last pose: never a jump. Methods that walk
   *  step by step are shown as they are. */
  private get follows(): boolean {
    return this.gesture !== null && (this.mode === 'pose' || this.mode === 'build') && SEARCHES.has(this.scene.solver.method) && this.rig?.model.closures.length === 0;
  }
  /** What is released comes to rest as it would have under a pointer that rests, on the way that it was on. */
  private settle(rig: Rig): void {
    const until = performance.now() + SETTLE_MS;
    let { iterations, microseconds } = this.report!; // what the last frame of the drag took, and what coming to rest adds
    for (let i = 0; i < 200 && performance.now() < until; i++) {
      const before = rig.q.slice();
      const report = rig.follow();
      iterations += report.iterations;
      microseconds += report.microseconds;
      if (report.ok || rig.q.every((v, k) => Math.abs(v - before[k]!) < 1e-7)) break;
    }
    this.report = { ...rig.measure(), iterations, microseconds };
    this.scene = { ...this.scene, q: Array.from(rig.q) };
    this.tick++;
  }
  private followOn(rig: Rig): SceneReport {
    if (!this.following) rig.begin();
    this.following = true;
    return rig.follow(this.solveSeconds);
  }

  /** What a solve may take now; 0 is no limit. */
  get solveSeconds(): number {
    return this.gesture ? DRAG_SECONDS : 0;
  }
  /** The last solve of this drag took all the time it had. */
  get unfinished(): boolean {
    return this.gesture !== null && this.cut && (this.following || this.report!.outcome === 'time_limit' || this.report!.microseconds >= DRAG_SECONDS * 1e6);
  }
  /** Goes on from the best pose so far, the goal being where it was. Returns whether that brought it nearer. */
  goOn(): boolean {
    const before = this.report?.position_error ?? 0;
    const pose = this.scene.q;
    this.solveNow();
    if (this.following) return performance.now() - this.movedAt < REST_MS && this.scene.q.some((v, i) => Math.abs(v - pose[i]!) > 1e-6);
    return (this.report?.position_error ?? 0) < before * (1 - 1e-3);
  }

  /** One frame of a goal drag: no objects beyond the new goal. */
  dragGoal(id: string, position: Vec3, quaternion?: Quat): void {
    const index = this.scene.goals.findIndex((g) => g.id === id);
    if (index < 0 || !this.rig) return;
    this.scene = changeGoal(this.scene, id, quaternion ? { position, quaternion } : { position });
    this.rig.moveGoal(index, this.scene.goals[index]!);
    this.movedAt = performance.now();
    this.solveNow();
  }

  /** Sets one degree of freedom; free goals follow their links, pinned ones are held by solving. */
  setDof(row: DofRow, value: number): void {
    const rig = this.rig;
    if (!rig) return;
    if (rig.model.closures.length > 0 && rig.model.joints[row.joint]!.nv === 1) return this.moveInLoop(rig.model.joints[row.joint]!.name, value);
    const q = [...this.scene.q];
    writeDof(row, rig.model, q, value);
    this.setPoseLive(q, row.joint);
  }
  /** How a joint of a loop is moved: state/mechanism says. */
  moveInLoop: (joint: string, value: number) => void = () => {};
  readDof(row: DofRow): number {
    return this.rig ? readDof(row, this.rig.model, this.scene.q) : 0;
  }

  /** A pose made by hand: `held` is the joint in hand, which solving for pins must not move. */
  setPoseLive(q: ArrayLike<number>, held = -1): void {
    const rig = this.rig;
    if (!rig) return;
    this.cut = false;
    rig.setPose(q);
    rig.scene.clamp();
    const pinned = this.scene.goals.filter((g) => g.pinned);
    if (pinned.length > 0) {
      const joints = { ...this.scene.joints };
      const name = rig.model.joints[held]?.name;
      if (name) joints[name] = { ...joints[name], lock: true };
      if (!rig.setProblem({ ...this.scene, goals: pinned, joints })) rig.solve(this.solveSeconds);
    }
    const frames = rig.frames;
    const goals = this.scene.goals.map((g) => {
      const link = rig.link(g.link);
      if (g.pinned || link < 0) return g;
      return { ...g, position: origin(frames, link), quaternion: quatFromFrame(frames, link) };
    });
    this.scene = { ...this.scene, q: Array.from(rig.q), goals };
    rig.setProblem(this.scene);
    this.report = goals.length ? rig.measure() : null;
    this.tick++;
  }

  /** Shows a pose without making it the scene's (Step, Compare, playing). */
  show(q: ArrayLike<number>): void {
    this.rig?.setPose(q);
    this.tick++;
  }

  /** Joint index of each chain column, for colours in Step. */
  get frames(): Float64Array | null {
    return this.rig?.frames ?? null;
  }

  /** After a trap in the core: everything is rebuilt from the scene. */
  rebuild(): void {
    this.rigs.clear();
    this.rig = null;
    this.sync();
  }

  toastError(title: string, text: string): void {
    ui.toast({ tone: 'bad', title, text, actions: [{ label: 'Copy message', run: () => void navigator.clipboard?.writeText(`${title}. ${text}`) }] });
  }
}

export const studio = new Studio();
