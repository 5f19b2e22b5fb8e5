// A small stand-in for the module, for unit tests only: one planar chain with real forward kinematics,
// and a "solver" that does nothing. Never part of the page.
import type { Joint, Model, Report, SceneDescription } from '@armature';
import type { ModelDescription } from '../src/logic/model';

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
  return { name: 'chain', description: '', dof: n, nq: n, nv: n, links, joints, effectors: [n], closures: [], drives: [], mobility: n, planar: true, up: 'y', reach: lengths.reduce((a, b) => a + b, 0), poses: [], tolerance: 1e-3 };
}

/** A model and its scene as the core's classes are seen by the page; `scene.given` is the last scene it was handed. */
export function fakeModel(model = chainModel()): Model & { fake: { given: SceneDescription; target: number[] } } {
  const q = new Float64Array(model.nq);
  const frames = new Float64Array(16 * model.links.length);
  const fake = { given: {} as SceneDescription, target: [] as number[] };
  const report = (): Report => ({ ok: true, outcome: 'converged', message: '', method: 'dls', q, pose: {}, iterations: 1, restarts: 0, microseconds: 1, position_error: 0, orientation_error: 0, goals: (fake.given.goals ?? []).map((g) => ({ name: String(g.name), type: 'position', priority: 0, position_error: 0, orientation_error: 0, reached: true })), joints_at_limits: [], blocking_joints: [] });
  const scene = {
    q,
    transforms: frames,
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
    setPose(values: ArrayLike<number>) {
      q.set(values);
      scene.forward();
    },
    replace(given: SceneDescription) {
      fake.given = given;
    },
    setTarget(index: number, target: number[]) {
      fake.target = [index, ...target];
    },
    solve: report,
    measure: report,
    clamp() {},
    delete() {},
  };
  const joints: Joint[] = model.joints.map((j) => ({ ...j, parent: j.parent < 0 ? null : model.links[j.parent]!.name, child: model.links[j.child]!.name, origin: { position: [j.placement[12]!, j.placement[13]!, 0], quaternion: [0, 0, 0, 1] }, q_index: j.q, q_size: j.nq, v_index: j.v, v_size: j.nv, mimic: undefined }) as Joint);
  return {
    fake,
    name: model.name, description: '', links: model.links.map((l) => l.name), joints, effectors: model.effectors.map((e) => model.links[e]!.name), poses: {}, q_size: model.nq, v_size: model.nv, size: model.reach, planar: model.planar, format: 'json', notes: [], clips: [],
    neutralPose: () => new Float64Array(model.nq), visuals: () => [], scene: () => scene, delete() {},
  } as never;
}
