// Step and Compare: traces of the current problem from one common start, and the iteration at which
// all of them are shown. The scene's own pose is where the search starts; leaving keeps what is shown.
import type { ComparisonRow, ExplainedStep, TraceStep } from '@armature';
import type { SceneReport } from '../core/core';
import type { CompareRow } from '../logic/explain';
import { studio } from './studio.svelte';

export interface MethodTrace {
  name: string;
  label: string;
  /** `anew`: where the search began again from another start. */
  trace: { report: SceneReport; steps: TraceStep[]; anew: number[] } | null;
  refused: string;
}

const MAX_STEPS = 60;

class Stepper {
  start = $state.raw<number[]>([]);
  traces = $state.raw<MethodTrace[]>([]);
  methods = $state<string[]>(['dls', 'fabrik', 'ccd', 'transpose']);
  iteration = $state(0);
  /** One step of each other method from the shown pose (Step's last table). */
  others = $state.raw<{ name: string; label: string; size: number; error: number }[]>([]);
  focused = $state('');
  hoverColumn = $state(-1);
  layout = $state<'overlaid' | 'side'>('overlaid');

  get current(): MethodTrace | null {
    const name = studio.mode === 'compare' ? this.focused || this.methods[0] : studio.scene.solver.method;
    return this.traces.find((t) => t.name === name) ?? this.traces[0] ?? null;
  }
  get length(): number {
    if (studio.mode === 'compare') return Math.max(0, ...this.traces.map((t) => (t.trace?.steps.length ?? 1) - 1));
    return Math.max(0, (this.current?.trace?.steps.length ?? 1) - 1);
  }
  at(trace: MethodTrace | null, i = this.iteration): TraceStep | null {
    const steps = trace?.trace?.steps;
    return steps && steps.length ? steps[Math.min(i, steps.length - 1)]! : null;
  }

  /** Where a search should begin: where the last drag began if the goal is already reached. */
  private startPose(): number[] {
    const reached = studio.report?.outcome === 'converged' || studio.report?.goals.every((g) => g.reached);
    if (reached && studio.solveStart && studio.solveStart.length === studio.scene.q.length) return studio.solveStart;
    return [...studio.scene.q];
  }

  enter(iteration = 0, start?: number[]): void {
    this.start = start ?? this.startPose();
    this.iteration = iteration;
    this.compute();
  }

  /** Recomputes all traces: after a change of goal, method, options or start. */
  compute(): void {
    const { rig, core } = studio;
    if (!rig || !core || studio.scene.goals.length === 0) {
      this.traces = [];
      return;
    }
    const names = studio.mode === 'compare' ? this.methods : [studio.scene.solver.method];
    this.traces = names.map((name) => this.traceOf(name, MAX_STEPS));
    this.iteration = Math.min(this.iteration, this.length);
    if (studio.mode === 'compare') this.timeSoon();
    if (studio.mode === 'step') this.compareOneStep();
    this.present();
  }

  private traceOf(name: string, most: number): MethodTrace {
    const { rig, core } = studio;
    const label = core!.solver(name)?.label ?? name;
    const options = name === studio.scene.solver.method ? studio.scene.solver.options : sharedOptions();
    rig!.setPose(this.start);
    const refused = rig!.setProblem({ ...studio.scene, solver: { method: name, options } });
    if (refused) return { name, label, trace: null, refused: refused.message };
    const why = rig!.scene.check();
    if (why) return { name, label, trace: null, refused: why };
    const { trace, began_anew, ...report } = rig!.scene.trace({ max_iterations: most, seconds: studio.solveSeconds });
    return { name, label, trace: { report: rig!.byScene(report), steps: trace, anew: began_anew }, refused: '' };
  }

  /** What repeated solves took, by method. Beside the traces: times that come later change nothing that is drawn. */
  times = $state.raw<Record<string, ComparisonRow>>({});
  /** Which method is clearly the fastest of those that arrived; '' where their times overlap. */
  fastest = $state('');
  private timer = 0;
  /** Times need quiet: they are taken when nothing moves any more. */
  private timeSoon(): void {
    clearTimeout(this.timer);
    this.fastest = '';
    this.times = {};
    this.timer = window.setTimeout(() => {
      const { rig } = studio;
      if (!rig || studio.mode !== 'compare' || studio.gesture) return;
      rig.setPose(this.start);
      rig.setProblem({ ...studio.scene, solver: { method: this.traces[0]!.name, options: sharedOptions() } });
      const { rows, fastest } = rig.scene.compare(this.traces.filter((t) => t.trace).map((t) => t.name), { seconds: 0.004 });
      this.times = Object.fromEntries(rows.map((r) => [r.method, r]));
      this.fastest = fastest;
      rig.setProblem(studio.scene);
      rig.setPose(this.shownPose());
    }, 300);
  }

  /** The shown iteration with all that its equation needs (Step). */
  explained = $state.raw<ExplainedStep | null>(null);
  /** Of the error: a length, which the rotation weight makes of turns; a turn alone has no unit here. */
  get errorUnit(): string {
    return studio.style === 'metric' && (this.explained?.rotation_weight || studio.scene.goals.some((g) => g.usePosition)) ? '\u00a0m' : '';
  }
  private explain(): void {
    const { rig } = studio;
    const steps = this.current?.trace?.steps;
    this.explained = null;
    if (!rig || !steps?.length || studio.mode !== 'step') return;
    rig.setPose(this.start);
    if (rig.setProblem(studio.scene)) return;
    rig.scene.trace({ max_iterations: MAX_STEPS, seconds: studio.solveSeconds });
    this.explained = rig.scene.explain(Math.min(this.iteration, steps.length - 1));
  }

  private compareOneStep(): void {
    const step = this.at(this.current);
    const { rig, core } = studio;
    if (!step || !rig || !core) return;
    const keep = this.start;
    this.start = Array.from(step.q);
    const names = ['dls', 'pseudoinverse', 'transpose', 'ccd', 'sdls', 'fabrik'].filter((n) => core.solver(n));
    const chosen = studio.scene.solver.method;
    const list = [chosen, ...names.filter((n) => n !== chosen)].slice(0, 4);
    this.others = list.flatMap((name) => {
      const one = this.traceOf(name, 1);
      const steps = one.trace?.steps;
      if (!steps || steps.length < 2) return [];
      const size = Math.hypot(...steps[0]!.step);
      return [{ name, label: one.label, size, error: steps[1]!.error_norm }];
    });
    this.start = keep;
    this.explain();
  }

  /** Shows the pose of the current iteration. */
  present(): void {
    studio.rig?.setProblem(studio.scene);
    studio.show(this.shownPose());
  }
  private shownPose(): ArrayLike<number> {
    return this.at(this.current)?.q ?? studio.scene.q;
  }

  go(iteration: number): void {
    const next = Math.max(0, Math.min(this.length, Math.round(iteration)));
    if (next === this.iteration) return;
    this.iteration = next;
    if (studio.mode === 'step') this.compareOneStep();
    this.present();
    studio.changed();
  }

  /** Leaving Step or Compare: what is shown becomes the scene's pose, as one entry. */
  leave(): void {
    const step = this.at(this.current);
    if (step && this.iteration > 0) {
      const label = studio.mode === 'step' ? `step to iteration ${this.iteration}` : 'compare run';
      studio.commit(label, { ...studio.scene, q: Array.from(step.q) });
    } else studio.sync();
    this.traces = [];
  }

  setMethods(methods: string[]): void {
    this.methods = methods;
    this.compute();
    studio.changed();
  }

  /** Path and largest step are of the joints that turn: metres of a slide are no radians. */
  rows(): CompareRow[] {
    const turning = studio.rows.filter((r) => r.unit !== 'length' && !r.mimic).map((r) => r.v);
    return this.traces.flatMap((t) => {
      if (!t.trace) return [];
      const { steps, report } = t.trace;
      let path = 0;
      let largest = 0;
      for (const s of steps) {
        const turns = turning.map((v) => s.step[v] ?? 0);
        path += Math.hypot(...turns);
        largest = Math.max(largest, ...turns.map(Math.abs));
      }
      return [
        {
          name: t.name,
          label: t.label,
          outcome: report.outcome,
          converged: report.outcome === 'converged',
          iterations: steps.length - 1,
          error: steps[steps.length - 1]?.error_norm ?? NaN,
          path,
          largest,
        },
      ];
    });
  }
}

/** Tolerance is common to all methods that are compared; the rest stays each method's own. */
function sharedOptions(): Record<string, number | boolean | string> {
  const { tolerance, orientation_tolerance } = studio.scene.solver.options;
  return { ...(tolerance !== undefined ? { tolerance } : {}), ...(orientation_tolerance !== undefined ? { orientation_tolerance } : {}) };
}

export const stepper = new Stepper();
