// The studio in one file: from file://, and in a frame's srcdoc as a notebook's cell holds it. Neither asks the network for anything.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { browser, state, test } from './harness.mjs';
import { goalOnScreen, open, page_dir, root, settle, shots } from './support.mjs';

const single = join(page_dir, 'armature_studio.html');
/** Work beside the page, by a worker that is inside the file too. */
const workspace = async (frame) => {
  await frame.evaluate(() => window.armature.cloud.ensure());
  await frame.waitForFunction(() => window.armature.cloud.points?.length > 0, null, { timeout: 60000 });
};
/** What a statement of Python prints, with the module at hand. */
const python = (code) => execFileSync('/usr/bin/python3', ['-c', `import armature\n${code}`], { encoding: 'utf8', maxBuffer: 1e8, env: { ...process.env, PYTHONPATH: join(root, 'build/dev/python') } });

await test('notebook: the single file opens from file://, solves, and works beside the page', async () => {
  const { page, context, errors } = await open(browser, `${pathToFileURL(single).href}?embed#/pose?model=planar_arm&method=dls&goal=tip=10,12`);
  await page.waitForFunction(() => window.armature?.studio.open);
  await settle(page);
  assert.equal(await state(page, () => window.armature.ui.embed), true);
  assert.equal(await state(page, () => window.armature.studio.report.outcome), 'converged');
  await workspace(page);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('notebook: without a scene the file begins with the gallery; what is saved from Python opens by itself', async () => {
  const gallery = await open(browser, pathToFileURL(single).href);
  await gallery.page.locator('[data-model="human"]').waitFor();
  assert.ok(await state(gallery.page, () => document.getElementById('armature-notices').textContent.includes('Third-party notices')));
  assert.deepEqual(gallery.errors, []);
  await gallery.context.close();
  const folder = mkdtempSync(join(tmpdir(), 'armature-'));
  try {
    const file = join(folder, 'arm.html');
    // A model of one's own under the name of a built-in one, and names that would end an element.
    python(`m = armature.load_model({'name': 'panda', 'links': ['base', 'a', '</script><b>'], 'joints': [
 {'name': 'one', 'type': 'revolute', 'parent': 'base', 'child': 'a', 'axis': [0, 0, 1]},
 {'name': 'two', 'type': 'revolute', 'parent': 'a', 'child': '</script><b>', 'axis': [0, 0, 1], 'origin': {'xyz': [1, 0, 0]}}]})
m.view(start=[0.5, 0.25]).save(${JSON.stringify(file)})`);
    const { page, context, errors } = await open(browser, pathToFileURL(file).href);
    await page.waitForFunction(() => window.armature?.studio.open);
    await settle(page);
    assert.deepEqual(await state(page, () => window.armature.studio.model.links.map((l) => l.name)), ['base', 'a', '</script><b>']);
    assert.deepEqual(await state(page, () => [...window.armature.studio.rig.q]), [0.5, 0.25]);
    assert.equal(await state(page, () => window.armature.ui.embed), false);
    assert.deepEqual(errors, []);
    await context.close();
    // A pose to reach, fingers that follow each other, and a goal that the studio has not, which it says.
    const q = JSON.parse(python(`import json
m = armature.load_model('hand')
tip = m.effectors[0]
start = m.pose({'index_middle_joint': 1, 'thumb_knuckle': 0.5})
m.view(goals=[{'link': tip, 'target': m.transform(tip, start)}, {'name': 'look', 'type': 'aim', 'link': tip, 'target': [0, 0, 1]}], start=start).save(${JSON.stringify(file)})
print(json.dumps(list(start)))`));
    const hand = await open(browser, pathToFileURL(file).href);
    await hand.page.waitForFunction(() => window.armature?.studio.open);
    await settle(hand.page);
    const shown = await state(hand.page, () => ({ q: [...window.armature.studio.rig.q], goals: window.armature.studio.scene.goals.map((g) => [g.usePosition, g.useRotation]), outcome: window.armature.studio.report.outcome }));
    assert.ok(shown.q.every((v, i) => Math.abs(v - q[i]) < 1e-6), `${shown.q} instead of ${q}`);
    assert.deepEqual([shown.goals, shown.outcome], [[[true, true]], 'converged']);
    await hand.page.locator('text=Parts of this scene are not shown').waitFor();
    await hand.page.locator('text=goal look').waitFor();
    assert.deepEqual(hand.errors, []);
    await hand.context.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

await test('notebook: in a cell without a network a dragged goal takes the link along', async () => {
  const context = await browser.newContext({ viewport: { width: 740, height: 520 } });
  const page = await context.newPage();
  const asked = [];
  const errors = [];
  await page.route('**', (route) => (asked.push(route.request().url()), route.abort()));
  page.on('console', (m) => (m.type() === 'error' ? errors.push(m.text()) : 0));
  page.on('pageerror', (e) => errors.push(String(e)));
  const cell = python(`print(armature.load_model('planar_arm').view([10, 12], start='chapter', method='dls', height=460)._repr_html_())`);
  assert.match(cell, /^<iframe /);
  const began = Date.now();
  await page.setContent(`<body style="margin: 0">${cell}</body>`);
  const frame = await (await page.waitForSelector('iframe')).contentFrame();
  await frame.waitForFunction(() => window.armature?.studio.open, null, { timeout: 60000 });
  await settle(frame);
  console.log(`     ${(cell.length / 1e6).toFixed(1)} MB, ${((Date.now() - began) / 1000).toFixed(1)} s to the first picture`);
  const box = await (await page.$('iframe')).boundingBox();
  const at = await goalOnScreen(frame, await frame.evaluate(() => window.armature.studio.scene.goals[0].id));
  const before = await frame.evaluate(() => [...window.armature.position('tip')]);
  await page.mouse.move(box.x + at.x, box.y + at.y);
  await page.mouse.down();
  await page.mouse.move(box.x + at.x - 60, box.y + at.y + 20, { steps: 6 });
  await page.mouse.up();
  await settle(frame);
  const [tip, goal] = await frame.evaluate(() => [[...window.armature.position('tip')], [...window.armature.studio.scene.goals[0].position]]);
  await page.screenshot({ path: join(shots, 'notebook.png') });
  assert.ok(Math.hypot(tip[0] - before[0], tip[1] - before[1]) > 0.5, `the tip stayed at ${before}`);
  assert.ok(Math.hypot(tip[0] - goal[0], tip[1] - goal[1]) < 0.01, `the tip is at ${tip}, its goal at ${goal}`);
  await workspace(frame);
  assert.deepEqual(asked.filter((url) => !url.startsWith('blob:')), []);
  assert.deepEqual(errors, []);
  await context.close();
});
