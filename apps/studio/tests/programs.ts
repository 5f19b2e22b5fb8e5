// The fourteen programs of the public interface in TypeScript, as a user would write them: typed by armature.d.ts (svelte-check), run on
// the built core by programs.mjs.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import type { Armature, State } from '@armature';

type Test = (name: string, run: () => void | Promise<void>) => Promise<void>;

/** In an empty folder that is the working directory. */
export async function programs(armature: Armature, test: Test): Promise<void> {
  const X = [0.4, 0.2, 0.5, 1, 0, 0, 0];
  const human = armature.builtin('human');
  const frames = Array.from({ length: 12 }, (_, f) => Array.from(human.interpolate(human.startPose(), human.pose('wave'), f / 11))).flat();
  writeFileSync('panda.urdf', armature.builtin('panda').write('urdf').bytes);
  writeFileSync('walk.bvh', human.write('bvh', { frame_time: 1 / 30, q: frames }).bytes);
  writeFileSync('hero.glb', human.write('glb').bytes);
  writeFileSync('arm.json', JSON.stringify({ model: 'planar_arm', goals: [{ link: 'tip', target: [-20, 5] }], start: 'chapter' }));
  const panda = await armature.loadModel('panda.urdf');
  const q = panda.pose({ panda_joint2: -Math.PI / 4, panda_joint4: -2.1 });

  await test('1: where the links of a robot are', () => {
    const state = panda.forward(q);
    for (const link of panda.links) assert.ok(state.transform(link).position.every(Number.isFinite), link);
  });
  await test('2: the Jacobian and its condition', () => {
    const J = panda.jacobian('panda_tcp', q);
    assert.deepEqual([J.rows, J.columns], [6, panda.v_size]);
    assert.ok(armature.measures(J).condition! > 1);
  });
  await test('3: a pose within limits, or why not', () => {
    const report = panda.solve({ link: 'panda_tcp', target: X });
    assert.ok(report.ok, report.message);
    panda.forward(report.q).transform('panda_tcp').position.forEach((v, i) => assert.ok(Math.abs(v - X[i]!) < 1e-5));
    const far = panda.solve({ link: 'panda_tcp', target: [3, 0, 0] });
    assert.ok(!far.ok && far.message.length > 20 && Array.isArray(far.blocking_joints));
  });
  await test('4: several goals with priorities', () => {
    const report = human.solve([{ link: 'left_hand', target: [0.35, 0.2, 1.1] }, { type: 'aim', link: 'head', target: [2, 0.3, 1.5], priority: 1 }, { type: 'posture' }], { locked: ['root'] });
    assert.ok(report.goals[0]!.reached, report.message);
  });
  await test('5: all solutions', () => {
    const ur5 = armature.builtin('ur5');
    const at = ur5.forward(ur5.pose()).transform(ur5.effectors[0]!);
    const found = ur5.solutions({ target: [...at.position, ...at.quaternion] });
    assert.ok(found.q.length >= 8, found.message); // eight, and those a full turn away
  });
  await test('6: a batch', () => assert.deepEqual(panda.solveBatch(new Float64Array([...X, ...X]), { tip: 'panda_tcp' }).ok, [true, true]));
  await test('7: a control loop', () => {
    const follower = panda.follower({ link: 'panda_tcp' }, { start: Array.from(q), velocity_scale: 0.5 });
    follower.setTarget(0, X);
    const before = Float64Array.from(q);
    const { q: next } = follower.step(0.002);
    assert.ok(next.every((v, i) => Math.abs(v - before[i]!) < 0.05), 'never a jump');
    follower.delete();
  });
  await test('8: along a path, as a table', () => {
    const path = { curve: 'line' as const, points: [[0, -0.05, 0], [0, 0.05, 0]] as [number, number, number][], relative: true, profile: 'ease' as const, duration: 1 };
    const motion = armature.builtin('panda').track([{ type: 'pose', link: 'panda_tcp', path }], { start: 'ready', frame_rate: 30 });
    assert.deepEqual(motion.not_reached, []);
    assert.ok(new TextDecoder().decode(motion.clip.write('csv').bytes).split('\n').length > 30);
  });
  await test('9: free of a shelf', () => {
    const shelf = [{ name: 'board', shape: { type: 'box' as const, size: [0.3, 0.8, 0.02] as [number, number, number] }, origin: { position: [0.62, 0, 0.3] as [number, number, number] } }];
    const report = armature.builtin('panda').solve({ link: 'panda_tcp', target: X }, { obstacles: shelf, margin: 0.005 });
    assert.ok(report.ok && report.clearance! >= 0.005, report.message);
  });
  await test('10: a four-bar through a turn', async () => {
    const turn = (await armature.loadModel('four_bar')).drive({ joint: 'crank', to: 2 * Math.PI, frames: 61 });
    assert.equal(turn.clip.trail('coupler', [1.4, 1.2, 0]).length, 61);
  });
  await test('11: a motion onto a character', async () => {
    const result = armature.retarget(await armature.loadClip('walk.bvh'), await armature.loadModel('hero.glb'), { keep_hands: false });
    assert.equal(result.clip.frames, 12);
    assert.ok(result.clip.write('glb').bytes.length > 1000);
  });
  await test('12: the workspace', () => {
    const space = panda.workspace({ tip: 'panda_tcp', cells: 8, samples: 20000 });
    assert.ok(space.volume > 1 && space.reachable.length === space.grid.count.reduce((a, b) => a * b, 1));
  });
  await test('13: a goal of one’s own', () => {
    const level = (s: State) => ({ error: [s.transform('right_hand').position[2] - s.transform('left_hand').position[2]] });
    assert.ok(human.solve([{ type: 'custom', name: 'level', function: level }]).ok);
  });
  await test('14: a method of one’s own, compared', async () => {
    armature.registerMethod({ name: 'steepest', step: (rows) => rows.gradient(0.002) });
    const { rows } = armature.compare(await armature.loadScene('arm.json'), ['steepest', 'dls', 'ccd', 'reach']);
    assert.deepEqual(rows.map((r) => r.method), ['steepest', 'dls', 'ccd', 'reach']);
    assert.ok(rows[1]!.report.ok);
  });
  await test('a file that is not there is named', () => assert.rejects(armature.loadModel('nobody.urdf'), /nobody\.urdf could not be read/));
}
