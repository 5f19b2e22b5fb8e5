// The module as JavaScript sees it: lists, models, poses, scenes, solving, motions, files; mistakes as ArmatureError.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { skinnedTube } from './skinned.mjs';
import { api, assert, done, load, root, test } from './support.mjs';

const armature = await load();
const { ArmatureError } = api;
const near = (a, b, tolerance = 1e-9) => assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b}`);
const CHAPTER = [Math.PI / 8, Math.PI / 4, Math.PI / 4];
const mistake = (run, pattern) => assert.throws(run, (error) => error instanceof ArmatureError && pattern.test(error.message));

await test('lists models, formats and methods with described options', () => {
  assert.ok(armature.models().some((m) => m.name === 'human' && m.v_size > 50));
  assert.ok(armature.formats().some((f) => f.name === 'json' && f.reads && f.writes && f.extensions.includes('.json')));
  const dls = armature.methods().find((s) => s.name === 'dls');
  assert.equal(dls.label, 'Damped least squares');
  const names = dls.options.map((o) => o.name);
  for (const name of ['max_iterations', 'tolerance', 'damping', 'jacobian_at']) assert.ok(names.includes(name), name);
  const damping = dls.options.find((o) => o.name === 'damping');
  assert.deepEqual([damping.label, damping.unit, damping.auto, damping.type], ['Damping', 'length', true, 'real']);
  assert.match(armature.version(), /^\d+\.\d+\.\d+$/);
  assert.equal(armature.simd(), true, 'the kernels are built with vectors');
});

await test('every built-in model opens and describes itself', () => {
  for (const { name, v_size } of armature.models()) {
    const model = armature.builtin(name);
    assert.equal(model.v_size, v_size);
    assert.equal(model.forward().transforms.length, 16 * model.links.length);
    assert.equal(model.pose().length, model.q_size);
    for (const joint of model.joints) assert.equal(joint.lower.length, joint.q_size, `${name} ${joint.name}`);
    for (const link of model.effectors) assert.ok(model.links.includes(link));
    model.delete();
  }
  assert.equal(armature.builtin('planar_arm').planar, true);
  assert.equal(armature.builtin('panda').planar, false);
});

await test('programs of the documentation', async () => {
  const panda = await armature.loadModel('panda');
  const q = panda.pose({ panda_joint2: -Math.PI / 4, panda_joint4: -2.1 });
  assert.equal(panda.forward(q).transform('panda_tcp').position.length, 3);
  const J = panda.jacobian('panda_tcp', q);
  assert.deepEqual([J.rows, J.columns], [6, panda.v_size]);
  assert.ok(armature.measures(J).condition > 1);
  const report = panda.solve({ link: 'panda_tcp', target: [0.4, 0.2, 0.5, 1, 0, 0, 0] });
  assert.equal(report.ok, true, report.message);
  near(panda.forward(report.q).transform('panda_tcp').position[0], 0.4, 1e-4);
  const human = await armature.loadModel('human');
  const two = human.solve([{ link: 'left_hand', target: [0.35, 0.2, 1.1] }, { type: 'posture' }], { locked: ['root'] });
  assert.equal(two.goals.length, 2);
  assert.equal(two.goals[1].preference, true);
  const all = (await armature.loadModel('ur5')).solutions({ target: [0.3, 0.2, 0.4, 0, 1, 0, 0] });
  assert.ok(all.q.length > 1 && typeof all.complete === 'boolean');
  const batch = panda.solveBatch(Float64Array.from([0.4, 0.2, 0.5, 0.4, -0.2, 0.5]), { goal: { type: 'position', link: 'panda_tcp', target: 'here' }, size: 3 });
  assert.deepEqual(batch.ok, [true, true]);
  assert.equal(batch.q.length, 2 * panda.q_size);
  const follower = panda.follower({ link: 'panda_tcp' }, { start: 'ready', velocity_scale: 0.5 });
  const before = panda.forward(panda.pose('ready')).transform('panda_tcp').position;
  follower.setTarget(0, [before[0] + 0.02, before[1], before[2]]);
  let last;
  for (let i = 0; i < 200; i++) last = follower.step(0.01);
  near(panda.forward(last.q).transform('panda_tcp').position[0], before[0] + 0.02, 1e-3);
  follower.setTwist(0, [0, 0.05, 0]);
  for (let i = 0; i < 100; i++) last = follower.step(0.01);
  near(panda.forward(last.q).transform('panda_tcp').position[1], before[1] + 0.05, 2e-3);
  assert.throws(() => follower.setTwist(0, [0, 1]), /three numbers/);
  const path = { curve: 'line', points: [[0, -0.05, 0], [0, 0.05, 0]], relative: true, profile: 'ease', duration: 1 };
  const motion = panda.track([{ type: 'pose', link: 'panda_tcp', path }], { start: 'ready', frame_rate: 30 });
  assert.equal(motion.not_reached.length, 0);
  assert.equal(motion.clip.frames, 31);
  assert.ok(motion.clip.write('csv').bytes.length > 100);
  assert.equal(motion.clip.trail('panda_tcp').length, 31);
  const scene = armature.readScene({ model: 'planar_arm', goals: [{ target: [-20, 5] }] });
  const rows = armature.compare(scene, ['dls', 'ccd', 'two_link']).rows;
  assert.deepEqual(rows.map((r) => r.method), ['dls', 'ccd', 'two_link']);
  assert.equal(rows[2].report.outcome, 'refused');
  assert.ok(rows[0].microseconds[0] <= rows[0].microseconds[1] && rows[0].microseconds[1] <= rows[0].microseconds[2]);
});

await test('a goal of one’s own: both hands at one height', () => {
  const human = armature.builtin('human');
  const level = (s) => ({ error: [s.transform('right_hand').position[2] - s.transform('left_hand').position[2]] });
  const start = human.pose();
  const turned = human.pose({ left_shoulder: human.poseValues(start).left_shoulder }, start);
  const raised = human.solve([{ link: 'left_hand', target: [0.35, 0.2, 1.3] }], { start: Array.from(turned), locked: ['root'] });
  const report = human.solve([{ type: 'custom', name: 'level', function: level }], { start: Array.from(raised.q), locked: ['root'] });
  assert.equal(report.ok, true, report.message);
  assert.equal(report.goals[0].name, 'level');
  const at = human.forward(report.q);
  near(at.transform('left_hand').position[2], at.transform('right_hand').position[2], 1e-4);
  assert.throws(() => human.solve([{ type: 'custom', function: () => { throw new RangeError('mine'); } }]), RangeError);
  let calls = 0;
  const late = (s) => { if (++calls > 20) throw new RangeError('mine, later'); return { error: [s.transform('left_hand').position[2] - 9] }; };
  assert.throws(() => human.solve([{ type: 'custom', function: late }]), /mine, later/);
});

await test('a method of one’s own', () => {
  armature.registerMethod({ name: 'steepest', label: 'Steepest descent', options: { gain: 0.002 }, step: (rows, options) => rows.gradient(options.gain) });
  assert.ok(armature.methods().some((m) => m.name === 'steepest' && m.options.some((o) => o.name === 'gain' && o.default === 0.002)));
  const arm = armature.builtin('planar_arm');
  const before = arm.solve({ link: 'tip', target: [-20, 5] }, { method: 'steepest', options: { max_iterations: 1 }, start: CHAPTER });
  const after = arm.solve({ link: 'tip', target: [-20, 5] }, { method: 'steepest', options: { max_iterations: 100 }, start: CHAPTER });
  assert.ok(after.position_error < 0.5 * before.position_error, after.message);
  mistake(() => armature.registerMethod({ name: 'dls', step: () => [] }), /already/);
  armature.registerMethod({ name: 'wrong_size', step: () => [1] });
  mistake(() => arm.solve({ link: 'tip', target: [-20, 5] }, { method: 'wrong_size' }), /must return 3 numbers/);
});

await test('mistakes are whole sentences with their place', () => {
  mistake(() => armature.builtin('pandaa'), /panda/);
  const broken = '<robot name="x">\n<link name="a"/>\n<joint name="j" type="wobbly">\n<parent link="a"/><child link="b"/></joint></robot>';
  assert.throws(() => armature.readModel(broken, 'x.urdf'), (e) => e instanceof ArmatureError && e.line > 0);
  const arm = armature.builtin('planar_arm');
  mistake(() => arm.scene({ method: 'dlss', goals: [{ target: [1, 2] }] }), /dls/);
  mistake(() => arm.scene({ method: 'dls', options: { dampin: 1 } }), /damping/);
  mistake(() => arm.scene({ goals: [{ link: 'nobody', target: [1, 2] }] }), /nobody/);
  mistake(() => arm.scene({ goal: [] }), /goals/);
  mistake(() => arm.jacobian(99), /link number/);
  mistake(() => arm.solve({ link: 'tip', target: [1, NaN] }), /number/);
  mistake(() => arm.edit({ edit: 'remove', link: 'nobody' }), /nobody/);
  mistake(() => arm.write('nothing'), /nothing/);
  mistake(() => armature.readModel(new Uint8Array([1, 2, 3]), 'x.bin'), /x\.bin|read/);
});

await test('a model names files by relative paths only', () => {
  const gltf = (uri) => JSON.stringify({ asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }],
    nodes: [{ name: 'a', children: [1] }, { name: 'b', translation: [1, 0, 0] }], buffers: [{ uri, byteLength: 1 }] });
  const files = { 'left arm.bin': new Uint8Array([1]), passwd: new Uint8Array([1]) };
  armature.readModel(gltf('buffers/left%20arm.bin'), 'arm.gltf', files).delete();
  for (const uri of ['/etc/passwd', 'left arm.bin%00', '..\\passwd']) assert.throws(() => armature.readModel(gltf(uri), 'arm.gltf', files), ArmatureError, uri);
  mistake(() => armature.readModel(gltf('other.bin'), 'arm.gltf', files), /'other\.bin', which was not opened with it/);
});

await test('forward kinematics, through views and by value', () => {
  const arm = armature.builtin('planar_arm');
  const scene = arm.scene();
  scene.q.set(CHAPTER);
  scene.forward();
  const tip = arm.linkIndex('tip');
  near(scene.transforms[16 * tip + 12], 15.771610149495);
  near(arm.forward(CHAPTER).transform('tip').position[1], 19.598444473146);
  const J = arm.jacobian('tip', CHAPTER);
  near(J.data[0], -19.598444473146);
  scene.delete();
  assert.throws(() => scene.solve(), /deleted/);
});

await test('solves, reports, traces, explains', () => {
  const arm = armature.builtin('planar_arm');
  const scene = arm.scene({ goals: [{ name: 'tip', link: 'tip', target: [-20, 5] }], method: 'dls', start: CHAPTER });
  const traced = scene.trace({ max_iterations: 50 });
  near(scene.q[0], CHAPTER[0], 0);
  assert.equal(traced.outcome, 'converged');
  assert.deepEqual(Array.from(traced.trace[0].q), CHAPTER);
  assert.equal(traced.trace[0].jacobian.rows, 2);
  assert.ok(traced.trace.at(-1).error_norm < traced.trace[0].error_norm);
  const step = scene.explain(0);
  assert.equal(step.reproducible, true);
  assert.deepEqual(step.rows.map((r) => r.name), ['v_x', 'v_y']);
  assert.match(step.system, /lambda/);
  const report = scene.solve();
  assert.equal(report.iterations, traced.trace.length - 1);
  scene.setTarget('tip', [60, 0]);
  const far = scene.solve();
  assert.equal(far.outcome, 'unreachable');
  near(far.proof.length, 30);
  assert.match(far.message, /beyond/);
  assert.equal(scene.measure().goals.length, 1);
  assert.equal(scene.nullSpace().rows, 3);
  assert.equal(scene.check('two_link') !== '', true);
  const json = scene.json();
  assert.deepEqual([json.format, json.method, json.goals[0].target[0], json.model], ['armature-scene', 'dls', 60, 'planar_arm']);
  const again = armature.readScene(JSON.stringify(json));
  assert.equal(again.measure().position_error, scene.measure().position_error);
});

await test('every method begins where the scene is', () => {
  const panda = armature.builtin('panda');
  const start = panda.pose('ready');
  for (const { name } of armature.methods()) {
    if (name === 'wrong_size') continue; // that of the test above
    const scene = panda.scene({ goals: [{ link: 'panda_tcp', target: [0.4, 0.2, 0.5] }], method: name, start: Array.from(start) });
    if (scene.check() !== '') continue;
    const { trace } = scene.trace({ max_iterations: 40 });
    assert.deepEqual(Array.from(trace[0].q), Array.from(start), name);
    scene.delete();
  }
});

await test('a gesture never jumps, and ends at the goal', () => {
  const panda = armature.builtin('panda');
  const scene = panda.scene({ goals: [{ type: 'position', link: 'panda_tcp', target: 'here' }], method: 'reach', start: 'ready' });
  const at = panda.forward(scene.q).transform('panda_tcp').position;
  scene.begin();
  let last = scene.q.slice();
  for (let i = 1; i <= 60; i++) {
    scene.setTarget(0, [at[0] + 0.002 * i, at[1], at[2]]);
    scene.follow();
    const change = Math.max(...panda.difference(last, scene.q).map(Math.abs));
    assert.ok(change < 0.1, `frame ${i}: ${change}`);
    last = scene.q.slice();
  }
  assert.ok(scene.measure().position_error < 5e-3);
});

await test('a solve within a time stops there, keeps its best pose, and leaves the method its own time', () => {
  const panda = armature.builtin('panda');
  const scene = panda.scene({ goals: [{ type: 'pose', link: 'panda_tcp', target: [0, 0, 0.9, 0, 0, 0, 1] }], method: 'reach', start: Array.from(panda.neutralPose()) });
  const short = scene.solve({ seconds: 1e-6 });
  assert.equal(short.outcome, 'time_limit');
  near(scene.measure().position_error, short.position_error, 1e-9);
  const whole = scene.solve();
  assert.notEqual(whole.outcome, 'time_limit');
});

await test('locks and limits of the call', () => {
  const arm = armature.builtin('planar_arm');
  const joint = arm.joints.filter((j) => j.v_size)[1];
  const report = arm.solve({ link: 'tip', target: [10, 15] }, { start: [0.3, 0.4, 0.5], locked: [joint.name], method: 'dls' });
  near(report.q[1], 0.4, 0);
});

const reference = join(process.env.ARMATURE_DATA ?? join(root, '../shared/data'), '../chapter/planar_sequences.json');
if (existsSync(reference)) {
  const options = { '5.20a': ['pseudoinverse', {}], '5.20b': ['dls', { damping: 1 }], '5.21b': ['dls', { damping: 5 }], '5.23': ['pseudoinverse', { jacobian_at: 'target' }], '5.24': ['transpose', {}], '5.25': ['ccd', {}] };
  for (const wanted of JSON.parse(readFileSync(reference, 'utf8')).cases) {
    const chosen = options[wanted.figure];
    if (!chosen) continue;
    await test(`sequence of figure ${wanted.figure}`, () => {
      const arm = armature.builtin('planar_arm');
      const path = { curve: 'line', duration: 20, profile: 'steady' };
      const { clip } = arm.track({ link: 'tip', target: wanted.goal, path }, { start: CHAPTER, method: chosen[0], options: chosen[1], frame_rate: 1, steps_per_frame: 1 });
      for (const [frame, f] of Object.entries(wanted.frames)) f.pose.forEach((v, i) => near(clip.frame(Number(frame))[i], v, 1e-9));
    });
  }
} else console.log('SKIPPED: no reference sequences beside the project');

await test('mechanisms: mobility, both assemblies, a whole turn with its loop closed, dead points', () => {
  const bar = armature.builtin('four_bar');
  assert.deepEqual([bar.closures[0].name, bar.mobility, bar.drives], ['pin', 1, ['crank']]);
  const m = bar.mechanism();
  assert.deepEqual([m.assembled, m.mobility, m.kutzbach_reduced, m.drives], [true, 1, 1, ['crank']]);
  assert.ok(m.closure_error < 1e-12 && m.transmission > 0.2);
  const turn = bar.drive({ joint: 'crank', to: bar.pose('closed')[0] + 2 * Math.PI, frames: 181 });
  assert.equal(turn.outcome, 'reached', turn.message);
  assert.ok(turn.closure_error < 1e-12);
  assert.equal(turn.transmission.length, 181);
  const curve = turn.clip.trail('coupler', [1.4, 1.2, 0]);
  assert.ok(Math.hypot(...curve[0].map((x, i) => x - curve[180][i])) < 1e-9, 'the coupler curve closes');
  const modes = bar.modes();
  assert.deepEqual([modes.q.length, modes.complete], [2, true]);
  for (const q of modes.q) near(q[0], bar.pose()[0], 1e-9);
  // Driven by the rocker it has dead points, where the crank is in line with the coupler.
  const way = bar.circuit('rocker_pin');
  assert.equal(way.full_turn, false);
  assert.ok(way.dead_points.length >= 2);
  const stopped = bar.drive({ joint: 'rocker_pin', to: 9, frames: 50, start: Array.from(bar.pose('closed')) });
  assert.equal(stopped.outcome, 'dead_point');
  assert.ok(way.dead_points.some((d) => Math.abs(d.value - stopped.stopped_at) < 1e-6), stopped.message);
  assert.ok(stopped.in_line.length > 0 && stopped.message.length > 20);
  const opened = Float64Array.from(bar.pose('closed'));
  opened[0] += 0.4;
  const closed = bar.assemble(opened, ['crank']);
  assert.equal(closed.ok, true, closed.message);
  assert.equal(closed.q[0], opened[0]);
  assert.ok(closed.closure_error < 1e-11);
  mistake(() => bar.drive({ joint: 'nobody', to: 1 }), /nobody/);
  mistake(() => bar.drive({ joint: 'crank', to: NaN }), /finite/);
  mistake(() => bar.circuit('nobody'), /nobody/);
});

await test('bodies: distances with their points, an obstacle in the way, answers that touch nothing', () => {
  const panda = armature.builtin('panda');
  const all = panda.bodies();
  assert.ok(all.bodies.length > 5 && all.pairs.length > 5 && all.ignored_pairs.some((p) => p.reason === 'adjacent'));
  const scene = panda.scene({ start: 'ready', goals: [{ link: 'panda_tcp', target: [0.5, 0.1, 0.5] }], method: 'auto' });
  const clear = scene.clearance({ within: 0.5 });
  for (const pair of clear.pairs) near(Math.hypot(...pair.point_a.map((x, i) => x - pair.point_b[i])), Math.abs(pair.distance), 1e-9);
  assert.ok(clear.pairs.every((p, i) => i === 0 || p.distance >= clear.pairs[i - 1].distance), 'nearest first');
  const box = { name: 'box', shape: { type: 'box', size: [0.1, 0.1, 0.1] }, origin: { position: panda.forward(scene.q).transform('panda_link4').position } };
  scene.set({ obstacles: [box], collision: 'off' });
  const touching = scene.clearance();
  assert.ok(touching.clearance < 0 && touching.pairs[0].b === 'box', JSON.stringify(touching.pairs[0]));
  scene.set({ collision: 'search', margin: 0.005 });
  const free = scene.solve();
  assert.equal(free.outcome, 'converged', free.message);
  assert.ok(free.clearance >= 0.005 && free.collisions.length === 0);
  assert.ok(scene.clearance().clearance >= 0.005 - 1e-9);
  mistake(() => scene.set({ method: 'dls' }), /touch/);
  mistake(() => scene.clearance({ within: -1 }), /within/);
  const human = armature.builtin('human').centerOfMass();
  assert.ok(human.position[2] > 0.5 && human.position[2] < 1.3);
});

await test('writes and reads again; a scene carries a file', () => {
  const panda = armature.builtin('panda');
  const { bytes } = panda.write('json');
  const again = armature.readModel(bytes, 'again.json');
  assert.deepEqual(again.links, panda.links);
  const base64 = Buffer.from(bytes).toString('base64');
  const scene = armature.readScene({ model: { file_name: 'again.json', base64 }, goals: [{ link: 'panda_tcp', target: [0.4, 0.2, 0.5] }] });
  assert.equal(scene.solve().ok, true);
  assert.equal(scene.json().model.file_name, 'again.json');
});

await test('skins: vertices, influences and bones by link', () => {
  const model = armature.readModel(skinnedTube(5), 'tube.gltf');
  const [skin, ...more] = model.meshes();
  assert.equal(more.length, 0);
  assert.deepEqual([skin.positions.length, skin.indices.length, skin.joints.length, skin.weights.length, skin.inverse_bind.length], [60, 96, 80, 80, 32]);
  assert.deepEqual(skin.links.map((l) => model.links[l]), ['lower', 'upper']);
  assert.deepEqual(armature.builtin('planar_arm').meshes(), []);
});

await test('edits give a new model and leave the old one', () => {
  const arm = armature.builtin('planar_arm');
  assert.ok(arm.edit({ edit: 'rename', link: 'tip', to: 'point' }).links.includes('point'));
  assert.ok(arm.links.includes('tip'));
  near(arm.edit({ edit: 'scale', factor: 2 }).size, 2 * arm.size);
});

await test('models side by side: one model, both where they were; taken names get a prefix', () => {
  const human = armature.builtin('human');
  const panda = armature.builtin('panda');
  const two = human.graft(panda, { position: [1.5, 0, 0] });
  assert.equal(two.v_size, human.v_size + panda.v_size);
  const at = (model, link) => model.forward(model.neutralPose()).transform(link).position;
  at(two, 'panda_tcp').forEach((v, i) => near(v, at(panda, 'panda_tcp')[i] + (i === 0 ? 1.5 : 0)));
  at(two, 'left_hand').forEach((v, i) => near(v, at(human, 'left_hand')[i]));
  assert.equal(human.freePrefix(panda), '');
  assert.equal(two.freePrefix(panda), 'panda_');
  const three = two.graft(panda, { position: [3, 0, 0], quaternion: [0, 0, 1, 0] });
  near(at(three, 'panda_panda_tcp')[0], 3 - at(panda, 'panda_tcp')[0]);
  assert.equal(panda.graft(armature.builtin('hand'), { link: 'panda_tcp' }).joints.some((j) => j.parent === 'panda_tcp'), true);
  // Files keep both; the world's up axis is known.
  const again = armature.readModel(three.write('json').bytes, 'three.json');
  assert.deepEqual(again.links, three.links);
  assert.equal(two.up, 'z');
  assert.equal(armature.readModel(human.write('bvh', { frame_time: 0.1, q: human.neutralPose() }).bytes, 'h.bvh').edit({ edit: 'scale', factor: 2 }).up, 'y');
  mistake(() => human.graft('panda'), /model/);
  mistake(() => human.graft(panda, { link: 'nobody' }), /nobody/);
  mistake(() => human.graft(panda, { position: [1, 2] }), /3 numbers/);
  mistake(() => human.graft(panda, { quaternion: [0, 0, 0, 0] }), /quaternion/);
  mistake(() => two.graft(panda, { prefix: '' }), /taken/);
});

await test('workspace and benchmark are deterministic', () => {
  const arm = armature.builtin('planar_arm');
  assert.deepEqual(Array.from(arm.randomPlaces({ samples: 500, seed: 7 })), Array.from(arm.randomPlaces({ samples: 500, seed: 7 })));
  const scene = arm.scene({ goals: [{ link: 'tip', target: [0, 0] }], method: 'dls', start: [0.4, 0.5, 0.6] });
  const b = scene.benchmark(200, 3);
  assert.equal(b.goals, 200);
  assert.ok(b.solved >= 195, `${b.solved} of 200`);
});

await test('a motion from one figure to another', () => {
  const walk = readFileSync(join(root, 'bindings/wasm/test/skinned.mjs')); // any bytes: not a motion
  mistake(() => armature.readModel(new Uint8Array(walk), 'x.txt'), /./);
  const human = armature.builtin('human');
  const q = Float64Array.from([...human.pose(), ...human.pose()]);
  const clip = new api.Clip(human, { name: 'still', frame_time: 0.1, q });
  const { clip: made, bone_map } = armature.retarget(clip, human, { keep_hands: false });
  assert.equal(made.frames, 2);
  assert.ok(Object.keys(bone_map).length > 10);
});

await test('clip tools: by name as on the command line, each gives a new clip', () => {
  const human = armature.builtin('human');
  const q = Array.from({ length: 41 }, (_, f) => Array.from(human.interpolate(human.pose(), human.randomPose(3), f / 40))).flat();
  const clip = human.clip({ frame_time: 0.05, q });
  near(clip.duration, 2);
  const part = clip.trim(0.5, 1.5);
  assert.equal(part.frames, 21);
  assert.deepEqual(Array.from(part.frame(0)), Array.from(clip.frame(10)));
  assert.deepEqual(Array.from(clip.reverse().frame(0)), Array.from(clip.frame(40)));
  const twice = clip.mirror().mirror();
  twice.q.forEach((v, i) => near(v, clip.q[i], 1e-9));
  assert.equal(clip.resample(40).frames, 81);
  assert.equal(clip.concat(clip, { blend: 0.2 }).frames > 60, true);
  assert.equal(clip.layer(clip.reverse(), { links: ['head'], weight: 0 }).q.every((v, i) => Math.abs(v - clip.q[i]) < 1e-9), true);
  const { frames, joints, stances } = clip.stats();
  assert.equal(frames, 41);
  assert.ok(Object.keys(joints).length > 10 && Array.isArray(stances));
  mistake(() => clip.trim('x', 'y'), /seconds/);
  mistake(() => clip.tool('trimm', '1..2'), /trim/);
  mistake(() => human.clip({ frame_time: 0, q }), /frame_time/);
});

await test('keys: poses, goals and a motion below, by the one implementation', () => {
  const arm = armature.builtin('planar_arm');
  const first = arm.pose([0.2, 0.3, 0.1]);
  const last = arm.pose([0.8, 0.5, 0.4]);
  const tip = (q) => arm.forward(q).transform('tip').position;
  const goals = [{ name: 'hand', link: 'tip', target: tip(first).slice(0, 2) }];
  const keys = { duration: 2, goals: { hand: [{ time: 0, target: tip(first).slice(0, 2) }, { time: 1, target: tip(last).slice(0, 2), interpolation: 'linear' }, { time: 2, target: tip(first).slice(0, 2) }] } };
  const solved = arm.scene({ goals, start: [0.2, 0.3, 0.1], frame_rate: 10, keys }).animate();
  assert.equal(solved.clip.frames, 21);
  assert.deepEqual(solved.not_reached, []);
  tip(solved.clip.frame(10)).forEach((v, i) => near(v, tip(last)[i], 1e-3));
  tip(solved.clip.frame(15)).slice(0, 2).forEach((v, i) => near(v, (tip(first)[i] + tip(last)[i]) / 2, 1e-3));
  // Pose keys on top of a motion, by their weight: none of it changes no bit.
  const below = arm.clip({ frame_time: 0.1, q: Array.from({ length: 21 }, () => Array.from(first)).flat() });
  const poses = [{ time: 1, pose: Array.from(last) }];
  const layered = (weight, more) => arm.scene({ goals, frame_rate: 10, keys: { clip: [], poses, weight, ...more } }).animate(below).clip;
  assert.deepEqual(Array.from(layered(0).q), Array.from(below.q));
  assert.deepEqual(Array.from(layered(1).frame(10)), Array.from(last));
  layered(0.5).frame(10).forEach((v, i) => near(v, (first[i] + last[i]) / 2, 1e-12));
  const faded = layered(1, { fade: 0.5 });
  assert.deepEqual(Array.from(faded.frame(3)), Array.from(first));
  assert.deepEqual(Array.from(faded.frame(10)), Array.from(last));
  assert.equal(arm.scene({ keys: { clip: ['trim 0.5..1.5'], poses } }).animate(below).clip.frames, 11);
  // A tangent of its own.
  const pulled = (rate_out) => arm.scene({ frame_rate: 100, keys: { joints: { joint1: [{ time: 0, value: 0, interpolation: 'cubic', rate_out }, { time: 1, value: 1 }] } } }).animate().clip.frame(1)[0] * 100;
  near(pulled(0), 0, 0.05);
  near(pulled(3), 3, 0.1);
  mistake(() => arm.scene({ keys: { joints: { joint1: [{ time: 0, value: 0, rate_out: [1, 2] }] } } }), /tangent.*1 finite number/i);
  mistake(() => arm.scene({ goals, keys: { goals: { hnd: [{ time: 0, target: [1, 2] }] } } }).animate(), /hand/);
  mistake(() => arm.scene({ keys: { clip: [], poses } }).animate(), /holds none/);
  mistake(() => arm.scene({ keys: { poses, weight: 2 } }), /from 0 to 1/);
});

await test('workspace: cells, volume, the share of orientations', () => {
  const arm = armature.builtin('two_link');
  const space = arm.workspace({ cells: 40, samples: 20000 });
  assert.equal(space.reachable.length, space.grid.count[0] * space.grid.count[1] * space.grid.count[2]);
  assert.equal(space.reachable.reduce((a, b) => a + b, 0), space.reachable_cells);
  near(space.volume, Math.PI * (1.8 ** 2 - 0.2 ** 2), 0.03 * space.volume); // a ring between |1 - 0.8| and 1 + 0.8
  const turned = armature.builtin('planar_arm').workspace({ cells: 8, samples: 5000, orientations: 8 });
  assert.ok(turned.mean_dexterity > 0 && turned.mean_dexterity <= 1);
  // A region: only that box; a cone: only orientations within it.
  const part = arm.workspace({ cells: 40, samples: 20000, region: [[0.5, -2, -1], [2, 2, 1]] });
  assert.ok(part.volume > 0 && part.volume < 0.5 * space.volume, `${part.volume} of ${space.volume}`);
  assert.ok(part.grid.origin[0] >= 0.5 - part.grid.cell);
  const panda = armature.builtin('panda');
  const share = (options) => panda.workspace({ cells: 4, samples: 3000, orientations: 6, seed: 1, ...options }).mean_dexterity;
  assert.notEqual(share({ cone: 0.2 }), share({}));
  assert.notEqual(share({ cone: 0.2 }), share({ cone: 0.2, cone_axis: [1, 0, 0] }));
  mistake(() => arm.workspace({ region: [[0, 0, 0]] }), /two corners/);
  mistake(() => arm.workspace({ region: [[0, 0], [1, 1, 1]] }), /3 finite/);
  mistake(() => arm.workspace({ cone: 'wide' }), /cone/);
});

await test('exercises: every solution that is a text passes, a wrong one does not', () => {
  const all = armature.exercises();
  assert.ok(all.length >= 25);
  for (const e of all.filter((x) => x.solution)) assert.equal(armature.checkAnswer(e.name, { text: e.solution }).passed, true, e.name);
  const reach = armature.checkAnswer('longest_reach', { text: '1.9' });
  assert.equal(reach.passed, false);
  assert.ok(reach.message.length > 10);
  mistake(() => armature.checkAnswer('longest_reach', { text: 'twelve' }), /twelve/);
  mistake(() => armature.checkAnswer('nobody', { text: '1' }), /nobody/);
  const copy = armature.builtin('planar_arm');
  assert.equal(armature.checkAnswer('limit_a_joint', { model: copy }).passed, false);
});

done();
