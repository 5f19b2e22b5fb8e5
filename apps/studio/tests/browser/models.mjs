// Several models in one scene; the gallery's search, filters and moving pictures; looks and places of links in Build.
import assert from 'node:assert/strict';
import { BIG, browser, distance, dragGoal, gallery, server, shot, state, test } from './harness.mjs';
import { drop, open, settle } from './support.mjs';

const goals = (page) => state(page, () => window.armature.studio.scene.goals.map((g) => g.id));
const place = (page, link) => state(page, (l) => window.armature.position(l), link);
const add = async (page) => {
  await page.click('header [aria-haspopup="menu"]');
  await page.click('[role="menuitem"]:has-text("Add a model")');
  await page.locator('h1:has-text("Add a model beside")').waitFor();
};

await test('several models: a human, a Panda and another Panda are one scene; both goals are dragged, undo takes the last away', async () => {
  const { page, context, errors } = await open(browser, server.url, { viewport: { width: 1240, height: 640 } });
  await gallery(page, 'human');
  const alone = await state(page, () => ({ hash: window.armature.hash(), hand: window.armature.position('right_hand') }));
  await add(page);
  await shot(page, 'models-add');
  await gallery(page, 'panda');
  assert.deepEqual(await goals(page), ['right_hand', 'left_hand', 'left_foot', 'right_foot', 'panda_tcp']);
  assert.ok(distance(await place(page, 'right_hand'), alone.hand) < 1e-9, 'the first stays where it was');
  assert.equal(await state(page, () => window.armature.studio.undoLabel), 'add panda');
  await shot(page, 'models-two');
  for (const id of ['panda_tcp', 'right_hand']) {
    const before = await place(page, id);
    await dragGoal(page, id, -40, -30);
    const at = await state(page, (g) => { const { studio, position } = window.armature; return [studio.scene.goals.find((x) => x.id === g).position, position(g)]; }, id);
    assert.ok(distance(at[0], at[1]) < 2e-3, id);
    assert.ok(distance(before, at[1]) > 0.02, id);
  }
  // The one that was not dragged stays.
  const tcp = await place(page, 'panda_tcp');
  await dragGoal(page, 'right_hand', 30, 0);
  assert.ok(distance(await place(page, 'panda_tcp'), tcp) < 1e-3);
  await add(page);
  await gallery(page, 'panda');
  assert.ok((await goals(page)).includes('panda_panda_tcp'));
  assert.ok(distance(await place(page, 'panda_panda_tcp'), await place(page, 'panda_tcp')) > 0.5, 'beside, not inside');
  // Bodies know both.
  await page.getByRole('tab', { name: /Bodies/ }).click();
  await settle(page);
  await shot(page, 'models-three');
  // Saved and opened again it is the same model.
  const text = await state(page, () => new TextDecoder().decode(window.armature.studio.rig.core.write('json').bytes));
  await page.keyboard.press('Control+z');
  assert.ok(!(await goals(page)).includes('panda_panda_tcp'));
  for (let i = 0; i < 10; i++) if (await state(page, () => window.armature.studio.scene.name) !== 'human') await page.keyboard.press('Control+z');
  assert.equal(await state(page, () => window.armature.hash()), alone.hash);
  await drop(page, [{ name: 'three.json', bytes: Buffer.from(text) }]);
  assert.equal(await state(page, () => new TextDecoder().decode(window.armature.studio.rig.core.write('json').bytes)), text);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('several models: a walking figure keeps its motion beside a robot; a mechanism beside it closes; Build moves what was added', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'walk');
  const frames = await state(page, () => window.armature.player.frames);
  const at = () => state(page, () => { const { studio, player } = window.armature; player.seek(40); return Array.from(studio.rig.frames.slice(16 * studio.rig.link('LeftFoot') + 12, 16 * studio.rig.link('LeftFoot') + 15)); });
  const foot = await state(page, () => window.armature.studio.rig.link('LeftFoot'));
  const before = foot >= 0 ? await at() : null;
  await add(page);
  await gallery(page, 'ur5');
  assert.equal(await state(page, () => window.armature.player.frames), frames);
  if (before) assert.ok(distance(await at(), before) < 1e-9);
  const up = await state(page, () => { const { studio, position } = window.armature; return [studio.model.up, position('tool0')]; });
  assert.equal(up[0], 'y');
  await shot(page, 'models-walk');
  const sizes = await state(page, () => { const { studio, position } = window.armature; return [studio.model.reach, Math.hypot(...position('tool0').map((v, i) => v - position('base_link')[i]))]; });
  assert.ok(sizes[1] > 0.1 * sizes[0], `a robot in metres is not a dot beside a figure in centimetres: ${sizes}`);
  await add(page);
  await gallery(page, 'four_bar');
  assert.ok(await state(page, () => window.armature.mechanism.closureError < 1e-9));
  // The robot is moved by numbers.
  const first = await state(page, () => { const { studio } = window.armature; const root = studio.model.links[studio.rig.link('tool0')]; let i = studio.rig.link('tool0'); while (studio.model.links[studio.model.links[i].parent].parent >= 0) i = studio.model.links[i].parent; return studio.model.joints[studio.model.links[i].joint].name; });
  const tool = await place(page, 'tool0');
  await state(page, (name) => { window.armature.studio.select({ kind: 'joint', name }); window.armature.build.setOrigin(name, [9, 0, 0], [0, 0, 0]); }, first);
  assert.ok(distance(await place(page, 'tool0'), tool) > 1);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('gallery: search and filters, every model has a picture, a tile that is pointed at moves and stops', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  assert.equal(await page.locator('[data-model]').count(), 10);
  await page.fill('[aria-label="Find a model"]', 'platform');
  assert.deepEqual(await page.locator('[data-model]').evaluateAll((l) => l.map((e) => e.dataset.model)), ['delta', 'stewart']);
  await page.fill('[aria-label="Find a model"]', '');
  await page.click('[role=radio]:has-text("Mechanisms")');
  assert.ok(await page.locator('[data-model]').count() >= 9);
  await page.waitForFunction(() => [...document.querySelectorAll('[data-model] svg')].every((s) => s.childElementCount > 0));
  await shot(page, 'gallery-mechanisms');
  const art = () => page.locator('[data-model="jansen"] svg').innerHTML();
  const still = await art();
  await page.hover('[data-model="jansen"]');
  await page.waitForFunction((was) => document.querySelector('[data-model="jansen"] svg').innerHTML !== was, still);
  const now = await art();
  await page.waitForFunction((was) => document.querySelector('[data-model="jansen"] svg').innerHTML !== was, now); // it goes on
  await page.mouse.move(2, 2);
  await page.waitForFunction((was) => document.querySelector('[data-model="jansen"] svg').innerHTML === was, still);
  await page.click('[role=radio]:has-text("All")');
  await page.click('button:has-text("more models")');
  await page.waitForFunction(() => document.querySelectorAll('[data-model]').length >= 20);
  for (const id of ['human', 'walk', 'hand', 'panda', 'stewart', 'orbit']) {
    const was = await page.locator(`[data-model="${id}"] svg`).innerHTML();
    await page.hover(`[data-model="${id}"]`);
    await page.waitForFunction(([i, w]) => document.querySelector(`[data-model="${i}"] svg`).innerHTML !== w, [id, was]);
  }
  await page.mouse.move(2, 2);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('build: shape, thickness, colour and place of a link by its panel; each one entry, seen in the view and kept in the file', async () => {
  const { page, context, errors } = await open(browser, `${server.url}#/build`, BIG);
  await page.waitForFunction(() => window.armature.studio.open);
  await settle(page);
  const box = await page.locator('[data-stage]').boundingBox();
  await page.mouse.move(box.x + 300, box.y + 300);
  await page.mouse.down();
  await page.mouse.move(box.x + 460, box.y + 240, { steps: 3 });
  await page.mouse.up();
  await settle(page);
  const json = () => state(page, () => window.armature.build.json);
  await page.click('[aria-label="Shape"] [role=radio]:has-text("Box")');
  await settle(page);
  await page.click('[aria-label="Colour"] [aria-label="red"]');
  await settle(page);
  const visual = (await json()).links.find((l) => l.name === 'link_1').visuals[0];
  assert.equal(visual.geometry.type, 'box');
  assert.ok(visual.color[0] > 0.7 && visual.color[1] < 0.2);
  assert.match(await page.locator('svg.overlay').innerHTML(), /--axis-x\) 75%/);
  assert.equal(await state(page, () => window.armature.studio.undoLabel), 'look of link_1');
  const length = await state(page, () => window.armature.position('link_1_tip'));
  const field = page.locator('[aria-label="X of joint_1"]');
  await field.click();
  await page.locator('aside input:focus').fill('0.5');
  await page.keyboard.press('Enter');
  await settle(page);
  assert.equal((await json()).joints.find((j) => j.name === 'joint_1').origin.xyz[0], 0.5);
  assert.notDeepEqual(await state(page, () => window.armature.position('link_1_tip')), length);
  await shot(page, 'build-look');
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  assert.equal((await json()).links.find((l) => l.name === 'link_1').visuals[0].geometry.type, 'capsule');
  assert.deepEqual(errors, []);
  await context.close();
});
