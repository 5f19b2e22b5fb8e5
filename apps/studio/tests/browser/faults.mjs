// Faults that were found once, each with what it must do now, in a real browser.
import assert from 'node:assert/strict';
import { BIG, browser, distance, gallery, server, shot, state, test } from './harness.mjs';
import { drop, open, settle } from './support.mjs';

/** Elements inside `root` that are wider than their box and cut, names with an ellipsis excepted. */
const overflowing = (page, root) => state(page, (selector) => [...document.querySelectorAll(`${selector}, ${selector} *`)].filter((e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'visible' && getComputedStyle(e).textOverflow !== 'ellipsis' && !e.classList.contains('hidden')).map((e) => `${e.tagName}.${e.className} ${e.scrollWidth} > ${e.clientWidth}`), root);

await test('tablet: every panel is one tap away in the shelf, nothing is wider than it', async () => {
  const { page, context, errors } = await open(browser, server.url, { viewport: { width: 820, height: 1180 }, hasTouch: true });
  await page.tap('[data-model="human"]');
  await page.waitForFunction(() => window.armature.studio.open);
  await settle(page);
  assert.deepEqual(await page.locator('.shelf [role=tab]').allInnerTexts(), ['Goals and joints', 'Tree', 'Timeline', 'Bodies', 'Solutions', 'Report']);
  const inside = await state(page, () => {
    const list = document.querySelector('.shelf .rows').getBoundingClientRect();
    return [...document.querySelectorAll('.shelf [data-dof]')].filter((e) => { const b = e.getBoundingClientRect(); return b.top >= list.top - 1 && b.bottom <= Math.min(list.bottom, innerHeight - 28) + 1; }).length;
  });
  assert.ok(inside >= 6, `${inside} joint rows in sight`);
  const marks = { goals: '[data-goal]', tree: '[role="tree"]', time: '[aria-label="Play"]', bodies: '[aria-label="Free answers"]', solutions: '.sol', report: '[aria-label="Report"]' };
  for (const [tab, mark] of Object.entries(marks)) {
    await page.tap(`.shelf [data-tab="${tab}"]`);
    await page.locator(`.shelf ${mark}`).first().waitFor();
    await settle(page);
    assert.deepEqual(await overflowing(page, '.shelf .body'), [], tab);
  }
  await page.tap('.shelf [data-tab="goals"]');
  const heights = await page.locator('.shelf [role=tab], .shelf [data-goal]').evaluateAll((list) => list.map((e) => e.getBoundingClientRect().height));
  for (const h of heights) assert.ok(h >= 44, `${heights}`);
  await shot(page, 'fault-tablet-shelf');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('joints: the limb of the picked effector comes first; goals at rest have no error', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'human');
  const first = await page.locator('aside [data-dof]').first().getAttribute('data-dof');
  assert.match(first, /right|clavicle|shoulder/, first);
  assert.deepEqual(await page.locator('[data-goal] .res').evaluateAll((list) => list.map((e) => e.lastChild.textContent.trim())), ['0', '0', '0', '0']);
  assert.equal(await page.locator('select').count(), 0, 'no native list');
  const weights = await page.locator('[aria-label="Angle unit"] button').evaluateAll((list) => list.map((b) => [b.getAttribute('aria-checked'), Number(getComputedStyle(b).fontWeight)]));
  for (const [chosen, weight] of weights) assert.equal(weight, chosen === 'true' ? 500 : 400);
  const motions = await page.locator('[aria-label="Null space"] .opt .name').allInnerTexts();
  assert.match(motions[0], /right_/, `the limb of the goal first: ${motions}`);
  for (const name of motions) assert.doesNotMatch(name, /angle\d/);
  await shot(page, 'fault-pose-human');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('R on keeps the hand as it is', async () => {
  const { page, context, errors } = await open(browser, `${server.url}#/pose?model=panda&method=reach&goal=panda_tcp=0.4,0.2,0.5`, BIG);
  await page.waitForSelector('[data-goal="panda_tcp"]');
  await settle(page);
  const before = await state(page, () => Array.from(window.armature.studio.scene.q));
  await page.click('[aria-label="Rotation of panda_tcp"]');
  await settle(page);
  const after = await state(page, () => ({ q: Array.from(window.armature.studio.scene.q), used: window.armature.studio.scene.goals[0].useRotation }));
  assert.equal(after.used, true);
  after.q.forEach((v, i) => assert.ok(Math.abs(v - before[i]) < 1e-3, `joint ${i} turned by ${v - before[i]}`));
  assert.deepEqual(errors, []);
  await context.close();
});

await test('step: slides in millimetres, six rows of the root by name, nothing wider than the panel', async () => {
  const { page, context, errors } = await open(browser, server.url, { viewport: { width: 1280, height: 720 } });
  await gallery(page, 'scara');
  const slide = await state(page, () => window.armature.studio.rows.find((r) => r.unit === 'length').name);
  await state(page, () => { const { studio } = window.armature; const g = studio.scene.goals[0]; studio.begin('move'); studio.dragGoal(g.id, [g.position[0] - 0.05, g.position[1] + 0.05, g.position[2] - 0.03]); studio.end(); });
  await page.keyboard.press('2');
  await settle(page);
  const values = await page.locator(`[aria-label="Change of each joint"] tr:has-text("${slide}")`).innerText();
  assert.match(values, /mm/);
  assert.doesNotMatch(values, /°/);
  await shot(page, 'fault-step-scara');
  await state(page, () => { window.armature.studio.mode = 'pose'; });
  await context.close();
  const human = await open(browser, server.url, { viewport: { width: 1280, height: 720 } });
  await gallery(human.page, 'human');
  await state(human.page, () => { const { studio } = window.armature; const g = studio.scene.goals[0]; studio.begin('move'); studio.dragGoal(g.id, [g.position[0], g.position[1] + 0.2, g.position[2] + 0.2]); studio.end(); });
  await human.page.keyboard.press('2');
  await settle(human.page);
  const places = await human.page.locator('nav [aria-label="root x value"]').innerText();
  assert.match(places, /mm/, 'a place of the root is no angle');
  const names = await human.page.locator('[aria-label="Change of each joint"] tbody td:first-child').allInnerTexts();
  assert.ok(names.length > 8 && names.filter((n) => /root/.test(n)).length === 6, `${names}`);
  assert.equal(new Set(names).size, names.length, `every row has a name of its own: ${names}`);
  assert.deepEqual(await overflowing(human.page, 'aside'), []);
  await shot(human.page, 'fault-step-human');
  assert.deepEqual([...errors, ...human.errors], []);
  await human.context.close();
});

await test('help: opens at its heading, closes, and leads to the notices', async () => {
  const { page, context, errors } = await open(browser, server.url, { viewport: { width: 1000, height: 560 } });
  await page.click('[aria-label="Keyboard shortcuts"]');
  await settle(page);
  const sheet = await state(page, () => { const d = document.querySelector('[role="dialog"]'); const box = d.getBoundingClientRect(); return { scroll: d.scrollTop, focus: document.activeElement.textContent, top: box.top, bottom: box.bottom, close: d.querySelector('[aria-label="Close"]').getBoundingClientRect().top }; });
  assert.equal(sheet.scroll, 0);
  assert.equal(sheet.focus, 'Shortcuts');
  assert.ok(sheet.top >= 0 && sheet.bottom <= 560 && sheet.close >= sheet.top);
  await shot(page, 'fault-help');
  const href = await page.locator('[role="dialog"] a:has-text("Third-party notices")').getAttribute('href');
  const notices = await (await page.request.get(new URL(href, server.url).href)).text();
  for (const name of ['three', 'svelte', 'uplot', 'libeigen3-dev', 'nlohmann-json3-dev', 'librapidxml-dev', 'emscripten']) assert.ok(notices.includes(`<summary>${name} `), name);
  assert.match(notices, /MIT License|Permission is hereby granted/);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('gallery: a way there and back, the scene and the camera as they were', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'planar_arm');
  await state(page, () => { window.armature.views.stage.camera.zoom(0.6, 300, 300); window.armature.views.stage.redraw(); });
  await settle(page);
  const before = await state(page, () => ({ hash: window.armature.hash(), eye: window.armature.views.stage.camera.eyePosition }));
  for (const back of [() => page.keyboard.press('Escape'), () => page.click('[data-back]'), () => page.goBack()]) {
    await page.click('header [aria-haspopup="menu"]');
    await page.click('[role="menuitem"]:has-text("Gallery")');
    await page.locator('[data-model="human"]').waitFor();
    await back();
    await page.waitForFunction(() => window.armature.views.stage);
    await settle(page);
    const after = await state(page, () => ({ hash: window.armature.hash(), eye: window.armature.views.stage.camera.eyePosition }));
    assert.equal(after.hash, before.hash);
    assert.ok(distance(after.eye, before.eye) < 1e-6 * Math.hypot(...before.eye), `${after.eye} ${before.eye}`);
  }
  await page.click('header [aria-haspopup="menu"]');
  await page.click('[role="menuitem"]:has-text("Gallery")');
  await gallery(page, 'chain10');
  assert.equal(await page.locator('[data-model]').count(), 0, 'opening another model leaves the gallery');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('verdict card: plain units, and never over the limb', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'panda');
  await state(page, () => { const { studio } = window.armature; const g = studio.scene.goals[0]; studio.begin('move'); studio.dragGoal(g.id, [1.1, -0.7, 0.2]); studio.end(); });
  await page.locator('[data-verdict-card]').waitFor();
  await settle(page);
  const text = await page.locator('[data-verdict-card]').innerText();
  assert.doesNotMatch(text, /e[-+]\d|\b0\.0{4,}/, text);
  const inside = await state(page, () => {
    const { studio, views } = window.armature;
    const stage = document.querySelector('[data-stage]').getBoundingClientRect();
    const card = document.querySelector('[data-verdict-card]').getBoundingClientRect();
    return studio.chain.map((j) => views.stage.camera.project(Array.from(studio.rig.frames.slice(16 * j + 12, 16 * j + 15)))).filter((p) => p.x + stage.left > card.left && p.x + stage.left < card.right && p.y + stage.top > card.top && p.y + stage.top < card.bottom).length;
  });
  assert.equal(inside, 0);
  await shot(page, 'fault-verdict-card');
  assert.deepEqual(errors, []);
  await context.close();
});

const link = (i, parent, xyz) => `<link name="l${i}"/><joint name="j${i}" type="revolute"><parent link="l${parent}"/><child link="l${i}"/><origin xyz="${xyz}"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>`;
const robot = (n, parent, xyz) => Buffer.from(`<robot name="big"><link name="l0"/>${Array.from({ length: n }, (_, k) => link(k + 1, parent(k + 1), xyz(k + 1))).join('')}</robot>`);

await test('large hierarchies: 2,000 links deep, 3,000 links wide, and a BVH root that floats', async () => {
  const { page, context, errors } = await open(browser, server.url, { viewport: { width: 940, height: 420 } });
  for (const [name, bytes, links] of [['deep.urdf', robot(2000, (i) => i - 1, () => '0 0 0.01'), 2001], ['wide.urdf', robot(3000, (i) => Math.floor((i - 1) / 3), (i) => `0.1 0 ${0.05 * (i % 3)}`), 3001]]) {
    await state(page, () => { window.armature.ui.show.body = false; }); // software drawing of thousands of parts is not what this is about
    await drop(page, [{ name, bytes }]);
    assert.equal(await state(page, () => window.armature.studio.model?.links.length), links, name);
    assert.deepEqual(errors, [], name);
    await state(page, () => { window.armature.ui.treeOpen = true; });
    await settle(page);
    assert.ok((await page.locator('[role="treeitem"]').count()) > 5);
    assert.ok((await state(page, () => document.querySelectorAll('*').length)) < 12000, 'only what is in sight is in the page');
    await state(page, () => { window.armature.ui.treeOpen = false; });
  }
  await drop(page, [{ name: 'one.bvh', bytes: Buffer.from('HIERARCHY\nROOT hips\n{\n OFFSET 0 0 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n End Site\n {\n  OFFSET 0 1 0\n }\n}\nMOTION\nFrames: 1\nFrame Time: 0.03\n0 0 0 1 2 3\n') }]);
  assert.equal(await state(page, () => window.armature.studio.model.joints[0].type), 'free_euler');
  await context.close();
});

await test('two hundred opens keep the memory', async () => {
  const { page, context, errors } = await open(browser, server.url, { viewport: { width: 640, height: 420 } });
  const session = await page.context().newCDPSession(page);
  const used = async () => {
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    return { heap: usedSize, core: await state(page, () => window.armature.studio.rig.q.buffer.byteLength) };
  };
  const opens = (n) => state(page, async (count) => {
    const { files } = window.armature;
    for (let i = 0; i < count; i++) {
      files.openBuiltin(['human', 'planar_chain', 'hand', 'panda'][i % 4]);
      if (i % 10 === 9) await new Promise((done) => setTimeout(done));
    }
  }, n);
  await opens(40);
  const before = await used();
  await opens(200);
  const after = await used();
  console.log(`     heap ${(before.heap / 1e6).toFixed(1)} to ${(after.heap / 1e6).toFixed(1)} MB, core ${(before.core / 1e6).toFixed(1)} to ${(after.core / 1e6).toFixed(1)} MB`);
  assert.equal(after.core, before.core, 'the core’s memory did not grow');
  assert.ok(after.heap < before.heap + 6e6, `${before.heap} to ${after.heap}`);
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  assert.equal(await state(page, () => window.armature.studio.scene.name), 'human', 'a figure that was let go is opened again by undo');
  assert.ok(await state(page, () => window.armature.studio.rig.frames.length > 0));
  assert.deepEqual(errors, []);
  await context.close();
});
