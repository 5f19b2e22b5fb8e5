// The module as JavaScript sees it: lists, models, pose, problem, solving, files; errors as values.
import { assert, done, load, test, value } from './support.mjs';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './support.mjs';
import { skinnedTube } from './skinned.mjs';

const module = await load();
const near = (a, b, tolerance = 1e-9) => assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b}`);
const tipOf = (figure) => {
  const model = figure.description();
  const tip = model.links.findIndex((l) => l.name === 'tip');
  return { tip, at: Array.from(figure.frames().slice(16 * tip + 12, 16 * tip + 15)) };
};

test('lists models, formats and solvers with described options', () => {
  assert.ok(module.models().some((m) => m.name === 'human' && m.dof > 50));
  assert.ok(module.formats().some((f) => f.name === 'json' && f.reads && f.writes));
  const dls = module.solvers().find((s) => s.name === 'dls');
  assert.equal(dls.label, 'Damped least squares');
  assert.equal(dls.group, 'jacobian');
  assert.equal(dls.control_term, true);
  const names = dls.options.map((o) => o.name);
  for (const name of ['max_iterations', 'tolerance', 'damping', 'jacobian_at']) assert.ok(names.includes(name), name);
  const damping = dls.options.find((o) => o.name === 'damping');
  assert.deepEqual([damping.label, damping.unit, damping.auto, damping.type], ['Damping', 'length', true, 'real']);
  assert.match(module.version(), /^\d+\.\d+\.\d+$/);
  assert.equal(module.simd(), true, 'the kernels are built with vectors');
});

test('every built-in model opens and describes itself', () => {
  for (const { name } of module.models()) {
    const figure = value(module.builtin(name));
    const model = figure.description();
    assert.equal(model.links.length, model.joints.length);
    assert.equal(figure.frames().length, 16 * model.links.length);
    assert.equal(figure.pose().length, model.nq);
    model.links.forEach((l, i) => assert.ok(l.parent < i, 'parents come first'));
    figure.delete();
  }
  assert.equal(module.builtin('planar_arm').value.description().planar, true);
  assert.equal(module.builtin('panda').value.description().planar, false);
});

test('errors are values with whole sentences', () => {
  const missing = module.builtin('pandaa');
  assert.equal(missing.ok, false);
  assert.match(missing.error.message, /panda/);
  const broken = module.open(new TextEncoder().encode('<robot name="x">\n<link name="a"/>\n<joint name="j" type="wobbly">\n<parent link="a"/><child link="b"/></joint></robot>'), 'x.urdf', {});
  assert.equal(broken.ok, false);
  assert.ok(broken.error.line > 0, broken.error.message);
  const figure = value(module.builtin('planar_arm'));
  assert.equal(figure.setSolver('dlss', {}).ok, false);
  assert.match(figure.setSolver('dls', { dampin: 1 }).error.message, /damping/);
  assert.equal(figure.setGoals([{ type: 'position', link: 99 }]).ok, false);
  figure.delete();
});

test('a model names files by relative paths only', () => {
  const gltf = (uri) => new TextEncoder().encode(JSON.stringify({ asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }],
    nodes: [{ name: 'a', children: [1] }, { name: 'b', translation: [1, 0, 0] }], buffers: [{ uri, byteLength: 1 }] }));
  const files = { 'left arm.bin': new Uint8Array([1]), passwd: new Uint8Array([1]) };
  value(module.open(gltf('buffers/left%20arm.bin'), 'arm.gltf', files)).delete();
  for (const uri of ['/etc/passwd', 'left arm.bin%00', '..\\passwd']) assert.equal(module.open(gltf(uri), 'arm.gltf', files).ok, false, uri);
  assert.match(module.open(gltf('other.bin'), 'arm.gltf', files).error.message, /'other\.bin', which was not opened with it/);
});

test('forward kinematics through views', () => {
  const figure = value(module.builtin('planar_arm'));
  figure.pose().set([Math.PI / 8, Math.PI / 4, Math.PI / 4]);
  figure.forward();
  const { at, tip } = tipOf(figure);
  near(at[0], 15.771610149495, 1e-9);
  near(at[1], 19.598444473146, 1e-9);
  const J = figure.jacobian(tip, undefined);
  assert.deepEqual([J.rows, J.columns], [6, 3]);
  near(J.data[0], -at[1], 1e-9);
  near(J.data[1], at[0], 1e-9);
  figure.delete();
});

test('solves, reports, traces', () => {
  const figure = value(module.builtin('planar_arm'));
  figure.pose().set([Math.PI / 8, Math.PI / 4, Math.PI / 4]);
  figure.forward();
  const { tip } = tipOf(figure);
  value(figure.setGoals([{ type: 'position', link: tip, position: [-20, 5, 0] }]));
  value(figure.setSolver('dls', {}));
  const trace = figure.trace(50);
  near(figure.pose()[0], Math.PI / 8, 0);
  assert.equal(trace.report.outcome, 'converged');
  assert.equal(trace.steps[0].jacobian.rows, 2);
  assert.ok(trace.steps.at(-1).error < trace.steps[0].error);
  const report = figure.solve();
  assert.equal(report.outcome, 'converged');
  assert.equal(report.iterations, trace.steps.length - 1);
  near(tipOf(figure).at[0], -20, 1e-3);
  assert.ok(figure.timing() > 0);
  figure.moveGoal(0, 60, 0, 0, NaN, NaN, NaN, NaN);
  const far = figure.solve();
  assert.equal(far.outcome, 'unreachable');
  near(far.reach, 30, 1e-9);
  assert.match(far.message, /beyond/);
  assert.equal(figure.measure().goals.length, 1);
  assert.equal(figure.nullSpace().rows, 3);
  figure.delete();
});

test('a solve within a time stops there, keeps its best pose, and leaves the method its own time', () => {
  const figure = value(module.builtin('panda'));
  const tcp = figure.description().links.findIndex((l) => l.name === 'panda_tcp');
  value(figure.setGoals([{ type: 'pose', link: tcp, position: [0, 0, 0.9], quaternion: [0, 0, 0, 1] }]));
  value(figure.setSolver('reach', {}));
  const short = figure.solve(1e-6);
  assert.equal(short.outcome, 'time_limit');
  near(figure.measure().error, short.error, 1e-9);
  assert.equal(figure.trace(1000, 1e-6).report.outcome, 'time_limit');
  const whole = figure.solve();
  assert.notEqual(whole.outcome, 'time_limit');
  assert.ok(whole.error <= short.error);
  assert.equal(figure.solve(0).outcome, whole.outcome);
  figure.delete();
});

test('locks, gains and limits of the call', () => {
  const figure = value(module.builtin('planar_arm'));
  const { tip } = tipOf(figure);
  value(figure.setGoals([{ type: 'position', link: tip, position: [10, 15, 0] }]));
  value(figure.setJoints({ 2: { locked: true }, 1: { rest: [0.2], gain: [0.5] } }));
  figure.pose().set([0.3, 0.4, 0.5]);
  figure.solve();
  near(figure.pose()[1], 0.4, 0);
  figure.delete();
});

test('every method either takes the chapter arm or says why', () => {
  const figure = value(module.builtin('planar_arm'));
  const { tip } = tipOf(figure);
  value(figure.setGoals([{ type: 'position', link: tip, position: [-12, 14, 0] }]));
  for (const { name } of module.solvers()) {
    figure.pose().set([Math.PI / 8, Math.PI / 4, Math.PI / 4]);
    const check = figure.check(name);
    value(figure.setSolver(name, {}));
    const report = figure.solve();
    if (check.ok) assert.equal(report.outcome, 'converged', name);
    else assert.equal(report.outcome, 'refused', name);
  }
  figure.delete();
});

const reference = join(process.env.ARMATURE_DATA ?? join(root, '../shared/data'), '../chapter/planar_sequences.json');
if (existsSync(reference)) {
  const options = { '5.20a': ['pseudoinverse', {}], '5.20b': ['dls', { damping: 1 }], '5.21b': ['dls', { damping: 5 }], '5.23': ['pseudoinverse', { jacobian_at: 'goal' }], '5.24': ['transpose', {}], '5.25': ['ccd', {}] };
  for (const wanted of JSON.parse(readFileSync(reference, 'utf8')).cases) {
    const chosen = options[wanted.figure];
    if (!chosen) continue;
    test(`sequence of figure ${wanted.figure}`, () => {
      const figure = value(module.builtin('planar_arm'));
      const { tip } = tipOf(figure);
      figure.pose().set([Math.PI / 8, Math.PI / 4, Math.PI / 4]);
      figure.forward();
      value(figure.setGoals([{ type: 'position', link: tip, position: [...wanted.goal, 0] }]));
      value(figure.setSolver(chosen[0], chosen[1]));
      const made = value(figure.sequence({ goal: 0, frames: 21, steps_per_frame: 1 }));
      for (const [frame, f] of Object.entries(wanted.frames)) f.pose.forEach((v, i) => near(made.poses[3 * frame + i], v, 1e-9));
      figure.delete();
    });
  }
} else console.log('SKIPPED: no reference sequences beside the project');

test('writes and reads again, with a motion', () => {
  const figure = value(module.builtin('panda'));
  const model = figure.description();
  const written = value(figure.write({ format: 'json' }));
  const again = value(module.open(written.bytes, 'again.json', {}));
  assert.deepEqual(again.description().links.map((l) => l.name), model.links.map((l) => l.name));
  assert.equal(figure.write({ format: 'nothing' }).ok, false);
  again.delete();
  figure.delete();
});

test('skins: vertices, influences and bones by link', () => {
  const figure = value(module.open(new TextEncoder().encode(skinnedTube(5)), 'tube.gltf', {}));
  const [skin, ...more] = figure.meshes();
  assert.equal(more.length, 0);
  assert.equal(skin.positions.length, 3 * 20);
  assert.equal(skin.indices.length, 3 * 32);
  assert.deepEqual([skin.joints.length, skin.weights.length, skin.inverse_bind.length], [80, 80, 32]);
  const names = figure.description().links.map((l) => l.name);
  assert.deepEqual(skin.links.map((l) => names[l]), ['lower', 'upper']);
  near(skin.weights[4 * 8], 0.5, 1e-6);
  figure.delete();
  const arm = value(module.builtin('planar_arm'));
  assert.deepEqual(arm.meshes(), []);
  arm.delete();
});

test('edits give a new figure and leave the old one', () => {
  const figure = value(module.builtin('planar_arm'));
  const renamed = value(figure.edit({ edit: 'rename_link', name: 'tip', to: 'point' }));
  assert.ok(renamed.description().links.some((l) => l.name === 'point'));
  assert.ok(figure.description().links.some((l) => l.name === 'tip'));
  near(value(figure.edit({ edit: 'scale', factor: 2 })).description().reach, 2 * figure.description().reach, 1e-9);
  assert.equal(figure.edit({ edit: 'remove', link: 'nobody' }).ok, false);
  figure.delete();
});

test('workspace and batch are deterministic', () => {
  const figure = value(module.builtin('planar_arm'));
  const { tip } = tipOf(figure);
  const a = figure.workspace(tip, 500, 7);
  assert.deepEqual(Array.from(a), Array.from(figure.workspace(tip, 500, 7)));
  value(figure.setGoals([{ type: 'position', link: tip, position: [0, 0, 0] }]));
  value(figure.setSolver('dls', {}));
  figure.pose().set([0.4, 0.5, 0.6]);
  const b = figure.batch('dls', 200, 3);
  assert.equal(b.goals, 200);
  assert.ok(b.solved >= 195, `${b.solved} of 200`);
  figure.delete();
});

done();
