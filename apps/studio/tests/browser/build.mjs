// Build: a linkage from nothing, by mouse: drawn, posed, changed, mirrored, closed, saved, undone.
import assert from 'node:assert/strict';
import { BIG, browser, distance, server, shot, state, test } from './harness.mjs';
import { drop, open, settle } from './support.mjs';

const screen = (page, at) => state(page, (p) => { const q = window.armature.views.stage.camera.project(p); const box = document.querySelector('[data-stage]').getBoundingClientRect(); return { x: box.left + q.x, y: box.top + q.y }; }, at);
const draw = async (page, from, to) => {
  const [a, b] = [await screen(page, from), await screen(page, to)];
  await page.mouse.move(a.x, a.y);
  await page.mouse.down();
  for (let i = 1; i <= 3; i++) { await page.mouse.move(a.x + ((b.x - a.x) * i) / 3, a.y + ((b.y - a.y) * i) / 3); await settle(page); }
  await page.mouse.up();
  await settle(page);
};
const degrees = (v) => Number(((v * 180) / Math.PI).toFixed(6));
const model = (page) => state(page, () => { const { model, scene, undoLabel } = window.armature.studio; return { links: model.links.map((l) => l.name), joints: model.joints.filter((j) => j.nv).map((j) => [j.name, j.type]), dof: model.dof, closures: model.closures.length, mobility: model.mobility, undo: undoLabel, goals: scene.goals.map((g) => g.link) }; });
const end = (page, link) => state(page, (l) => window.armature.build.anchors().find((a) => a.link === l).world, link);

await test('build: three links drawn, the tip dragged, types, limits, names, mirror and undo', async () => {
  const { page, context, errors } = await open(browser, `${server.url}#/build`, BIG);
  await page.waitForFunction(() => window.armature.studio.open);
  await settle(page);
  assert.equal(await page.locator('h1:has-text("Drag to draw the first link")').count(), 1);
  await shot(page, '21-build-empty');
  await draw(page, [-0.3, 0, 0], [0, 0.4, 0]);
  assert.equal(await page.locator('h1:has-text("Drag to draw the first link")').count(), 0);
  let made = await model(page);
  assert.deepEqual([made.links, made.joints], [['ground', 'link_1', 'link_1_tip'], [['joint_1', 'revolute']]]);
  await draw(page, await end(page, 'link_1'), [0.3, 0.3, 0]);
  await draw(page, await end(page, 'link_2'), [0.45, 0, 0]);
  made = await model(page);
  assert.deepEqual([made.dof, made.links.at(-1), made.goals], [3, 'link_3_tip', ['link_3_tip']]);
  assert.equal(made.undo, 'draw link_3');
  await shot(page, '20-build');
  // Live: the tip reaches while one builds.
  await state(page, () => { const { studio } = window.armature; const g = studio.scene.goals[0]; studio.begin('move'); studio.dragGoal(g.id, [0.35, 0.1, 0]); studio.end(); });
  await settle(page);
  assert.match(await page.locator('footer').innerText(), /Reached/);
  // Types and limits of a joint.
  await state(page, () => window.armature.studio.select({ kind: 'joint', name: 'joint_2' }));
  assert.equal(await page.locator('[role=radiogroup][aria-label="Joint type"] [role=radio]').count(), 9);
  await page.click('[role=radio]:has-text("Ball")');
  await settle(page);
  assert.equal((await model(page)).dof, 5);
  await page.keyboard.press('Control+z');
  assert.equal((await model(page)).dof, 3);
  await state(page, () => { const { build } = window.armature; build.setLimits('joint_2', -1, 1); });
  await settle(page);
  assert.deepEqual(await state(page, () => { const j = window.armature.studio.model.joints.find((x) => x.name === 'joint_2'); return [j.lower[0], j.upper[0]]; }), [-1, 1]);
  // A name that is taken is refused; a free one goes everywhere.
  assert.match(await state(page, () => window.armature.build.rename('link', 'link_1', 'link_2')), /already a link/);
  await state(page, () => { window.armature.build.rename('link', 'link_1', 'left_leg'); window.armature.build.rename('joint', 'joint_1', 'left_hip'); });
  const before = await state(page, () => window.armature.hash());
  await state(page, () => window.armature.limbs.mirror('left_leg', 1));
  await settle(page);
  made = await model(page);
  assert.equal(made.dof, 6);
  assert.ok(made.links.includes('right_leg') && made.joints.some(([n]) => n === 'right_hip'));
  await page.keyboard.press('Control+z');
  assert.equal(await state(page, () => window.armature.hash()), before, 'undo brings back the same linkage');
  // Saved and opened again it is the same.
  const text = await state(page, () => new TextDecoder().decode(window.armature.studio.rig.core.write('json').bytes));
  await drop(page, [{ name: 'again.json', bytes: Buffer.from(text) }]);
  assert.equal(await state(page, () => new TextDecoder().decode(window.armature.studio.rig.core.write('json').bytes)), text);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('build: a four-bar by four strokes; the loop closes with mobility 1 and is driven', async () => {
  const { page, context, errors } = await open(browser, `${server.url}#/build`, BIG);
  await page.waitForFunction(() => window.armature.studio.open);
  await settle(page);
  await draw(page, [-0.5, 0, 0], [-0.5, 0.3, 0]);
  await draw(page, [0.5, 0, 0], [0.6, 0.7, 0]);
  await draw(page, await end(page, 'link_1'), await end(page, 'link_2'));
  await page.locator('[role=dialog][aria-label="Close the loop"]').waitFor();
  const hinge = page.locator('[data-close="revolute"]');
  assert.match(await hinge.innerText(), /mobility 1/);
  await shot(page, '20b-build-close-loop');
  await hinge.click();
  await settle(page);
  const made = await model(page);
  assert.deepEqual([made.closures, made.mobility], [1, 1]);
  assert.equal(await page.locator('[data-closure]').count(), 1);
  await page.keyboard.press('1');
  await page.locator('aside [role=slider][aria-label="Drive angle"]').waitFor();
  assert.ok(await state(page, () => window.armature.mechanism.closureError < 1e-12));
  // What is watched at first is a curve of the coupler: not the circle of the crank's pin.
  assert.deepEqual(await state(page, () => window.armature.mechanism.points.map((p) => p.link)), ['link_3_tip']);
  // It is the answer to an exercise: handed in, the crank is found to turn round.
  await state(page, () => window.armature.lessons.open('close_a_chain'));
  await page.keyboard.press('4');
  await page.click('button:has-text("Check")');
  assert.match(await page.locator('#lesson-result').innerText(), /^Correct/);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('build: limits by dragging the ends of their arc, one undo entry each; the fields say the same', async () => {
  const { page, context, errors } = await open(browser, `${server.url}#/build?model=planar_arm`, BIG);
  await page.waitForFunction(() => window.armature.studio.mode === 'build' && window.armature.studio.open);
  await state(page, () => { window.armature.build.tool = 'select'; window.armature.studio.select({ kind: 'joint', name: 'joint2' }); });
  await settle(page);
  const handle = (side) => state(page, (s) => { const b = document.querySelector(`[data-limit="${s}"]`).getBoundingClientRect(); return { x: b.left + b.width / 2, y: b.top + b.height / 2 }; }, side);
  const center = await state(page, () => { const { studio, views } = window.armature; const j = studio.rig.joint('joint2'); const p = views.stage.camera.project(Array.from(studio.rig.frames.slice(16 * studio.model.joints[j].child + 12, 16 * studio.model.joints[j].child + 15))); const box = document.querySelector('[data-stage]').getBoundingClientRect(); return { x: box.left + p.x, y: box.top + p.y }; });
  const limits = () => state(page, () => { const { studio } = window.armature; const j = studio.model.joints[studio.rig.joint('joint2')]; return [j.lower[0], j.upper[0]]; });
  assert.deepEqual(await limits(), [-Infinity, Infinity]);
  const pull = async (side, turn) => { // about the joint, counter-clockwise, by small moves
    const from = await handle(side);
    const [dx, dy] = [from.x - center.x, from.y - center.y];
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    for (let i = 1; i <= 6; i++) { const a = (-turn * i) / 6; await page.mouse.move(center.x + dx * Math.cos(a) - dy * Math.sin(a), center.y + dx * Math.sin(a) + dy * Math.cos(a)); await settle(page); }
    await page.mouse.up();
    await settle(page);
  };
  await pull('upper', -Math.PI / 3);
  const [, upper] = await limits();
  assert.equal(degrees(upper), 115, 'from 176.6 by 60 degrees, in steps of 5');
  await pull('lower', Math.PI / 2);
  assert.deepEqual((await limits()).map(degrees), [-90, 115]);
  assert.match(await page.locator('[aria-label="Upper limit of joint2"]').innerText(), new RegExp(`\\b${Math.round((upper * 180) / Math.PI)}\\b`));
  await shot(page, '20-build-limits');
  await page.keyboard.press('Control+z');
  assert.equal((await limits())[1], upper, 'one entry per pull');
  assert.ok((await limits())[0] < -3);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('build: a biped that floats: legs hang on its hip, limbs on the side of the body; a leg copied; limits whichever handle is pulled', async () => {
  const { page, context, errors } = await open(browser, `${server.url}#/build`, { viewport: { width: 1280, height: 720 } });
  await page.waitForFunction(() => window.armature.studio.open);
  await settle(page);
  await state(page, () => { const { views } = window.armature; views.stage.camera.pan(0, -60); views.stage.redraw(); }); // feet above the dock
  await settle(page);
  const hangs = () => state(page, () => Object.fromEntries(window.armature.build.json.joints.filter((j) => !j.name.endsWith('_mount')).map((j) => [j.child, [j.parent, j.type]])));
  await page.click('[aria-label="Joint type"] [role=radio]:has-text("Planar")');
  await draw(page, [0, 0, 0], [0, 0.4, 0]); // the body: it begins where the ground's own mark is
  await draw(page, [0, 0, 0], [0.1, -0.3, 0]);
  await draw(page, [0.13, -0.33, 0], [0, -0.6, 0]); // beside the knee, in steps at it
  await draw(page, await end(page, 'link_3'), [0.2, -0.6, 0]);
  await draw(page, [0, 0.3, 0], [0.3, 0.2, 0]); // an arm, from the body's side
  assert.deepEqual(await hangs(), { link_1: ['ground', 'planar'], link_2: ['link_1', 'revolute'], link_3: ['link_2', 'revolute'], link_4: ['link_3', 'revolute'], link_5: ['link_1', 'revolute'] });
  // A goal says where it is in the steps of the view, not in whole units.
  assert.match(await page.locator('[data-stage]').textContent(), /link_1_tip \(0\.00, 0\.40\)/);
  // The other leg: in the plane a mirror would turn the knee round.
  await state(page, () => window.armature.studio.select({ kind: 'joint', name: 'joint_2' }));
  await page.click('button:has-text("Mirror limb")');
  await page.click('[aria-label="Mirror plane"] button:has-text("In place")');
  await page.click('[aria-label="Mirror"] button:has-text("Apply")');
  await settle(page);
  const made = await hangs();
  assert.deepEqual([made.link_2_mirror, made.link_4_mirror], [['link_1', 'revolute'], ['link_3_mirror', 'revolute']]);
  assert.ok(distance(await end(page, 'link_4_mirror'), await end(page, 'link_4')) < 1e-9);
  // Where there are no limits both handles lie together: the way that one is pulled says which limit is meant.
  await state(page, () => window.armature.studio.select({ kind: 'joint', name: 'joint_5' }));
  await settle(page);
  assert.match(await page.locator('[aria-label="Upper limit of joint_5"]').innerText(), /none/);
  const at = (side) => state(page, (s) => { const b = document.querySelector(`[data-limit="${s}"]`).getBoundingClientRect(); return { x: b.left + b.width / 2, y: b.top + b.height / 2 }; }, side);
  const center = await screen(page, [0, 0.3, 0]);
  for (const [turn, expected] of [[1.6, [-180, 90]], [-1.6, [-85, 180]]]) { // the same handle, both ways: from -176.6 by 91.7 degrees, in steps of 5
    const from = await at('lower');
    const [dx, dy] = [from.x - center.x, from.y - center.y];
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    for (let i = 1; i <= 5; i++) { const a = (turn * i) / 5; await page.mouse.move(center.x + dx * Math.cos(a) - dy * Math.sin(a), center.y + dx * Math.sin(a) + dy * Math.cos(a)); await settle(page); }
    await page.mouse.up();
    await settle(page);
    const [low, high] = await state(page, () => { const j = window.armature.studio.model.joints.find((x) => x.name === 'joint_5'); return [j.lower[0], j.upper[0]]; });
    assert.deepEqual([low, high].map(degrees), expected);
    if (turn > 0) await page.keyboard.press('Control+z');
    await settle(page);
  }
  await shot(page, '20-build-biped');
  assert.deepEqual(errors, []);
  await context.close();
});
