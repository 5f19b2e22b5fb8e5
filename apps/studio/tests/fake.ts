// A small stand-in for the module, for unit tests only: one planar chain with real forward kinematics,
// and a "solver" that does nothing. Never part of the page.
import type { Figure, Goal, ModelDescription, Report } from '@armature';

const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
const shifted = (x: number) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, 0, 0, 1];

export function chainModel(lengths = [15, 10, 5]): ModelDescription {
  const n = lengths.length;
  const links = [...lengths.map((_, i) => `link${i + 1}`), 'tip'].map((name, i) => ({ name, joint: i, parent: i - 1, children: i < n ? [i + 1] : [], geometry: [] }));
  const joints = links.map((_, i) => {
    const turns = i < n;
    return {
      name: turns ? `joint${i + 1}` : 'tip_fixed',
      type: turns ? 'revolute' : 'fixed',
      parent: i - 1,
      child: i,
      placement: i === 0 ? identity : shifted(lengths[i - 1]!),
      axis: [0, 0, 1] as [number, number, number],
      q: Math.min(i, n),
      nq: turns ? 1 : 0,
      v: Math.min(i, n),
      nv: turns ? 1 : 0,
      lower: turns ? [-2] : [],
      upper: turns ? [2] : [],
      coordinates: turns ? [''] : [],
      units: turns ? (['angle'] as 'angle'[]) : [],
    };
  });
  return { name: 'chain', description: '', dof: n, nq: n, nv: n, links, joints, effectors: [n], planar: true, up: 'y', reach: lengths.reduce((a, b) => a + b, 0), poses: [], tolerance: 1e-3 };
}

export function fakeFigure(model = chainModel()): Figure & { goals: Goal[]; options: Record<string, unknown>; locks: Record<number, unknown> } {
  const q = new Float64Array(model.nq);
  const frames = new Float64Array(16 * model.links.length);
  const report = (): Report => ({ outcome: 'converged', message: '', method: 'dls', why: '', iterations: 1, restarts: 0, microseconds: 1, error: 0, goals: figure.goals.map(() => ({ position_error: 0, orientation_error: 0, reached: true })), joints_at_limits: [], singular_values: [1], manipulability: 1, condition_number: 1 });
  const figure = {
    goals: [] as Goal[],
    options: {},
    locks: {},
    description: () => model,
    notes: () => [],
    pose: () => q,
    frames: () => frames,
    forward() {
      let angle = 0;
      let [x, y] = [0, 0];
      model.links.forEach((_, i) => {
        const m = model.joints[i]!.placement;
        x += Math.cos(angle) * m[12]!;
        y += Math.sin(angle) * m[12]!;
        if (model.joints[i]!.nq) angle += q[model.joints[i]!.q]!;
        frames.set([Math.cos(angle), Math.sin(angle), 0, 0, -Math.sin(angle), Math.cos(angle), 0, 0, 0, 0, 1, 0, x, y, 0, 1], 16 * i);
      });
    },
    neutral: () => new Float64Array(model.nq),
    setGoals(goals: Goal[]) {
      figure.goals = goals;
      return { ok: true as const, value: null };
    },
    setJoints(s: Record<number, unknown>) {
      figure.locks = s;
      return { ok: true as const, value: null };
    },
    setSolver(_name: string, options: Record<string, unknown>) {
      figure.options = options;
      return { ok: true as const, value: null };
    },
    moveGoal(i: number, x: number, y: number, z: number) {
      figure.goals[i]!.position = [x, y, z];
    },
    solve: report,
    measure: report,
    clamp() {},
    clips: () => [],
    delete() {},
  };
  return figure as never;
}
