// What was stumbled over in use, at 1280 x 720 and on a tablet: nothing covers anything, and names can be told apart.
import assert from 'node:assert/strict';
import { browser, server, shot, state, test } from './harness.mjs';
import { open, settle } from './support.mjs';

const LAPTOP = { viewport: { width: 1280, height: 720 } };
const TABLET = { viewport: { width: 820, height: 1180 }, hasTouch: true };
const STEP = '#/step?model=panda&goal=panda_tcp=0.4,0.2,0.5&method=dls';
const boxes = (page, selector) => page.locator(selector).evaluateAll((list) => list.map((e) => { const b = e.getBoundingClientRect(); return { left: b.left, right: b.right, top: b.top, bottom: b.bottom }; }));
const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;

await test('tablet: Step has its buttons above every tab, large enough for a finger', async () => {
  const { page, context, errors } = await open(browser, server.url + STEP, TABLET);
  await page.waitForFunction(() => window.armature.studio.open);
  await settle(page);
  const columns = await boxes(page, '[data-vector] + text');
  assert.ok(columns.length >= 4, `${columns.length} columns are named`);
  columns.forEach((a, i) => columns.slice(i + 1).forEach((b) => assert.ok(!meet(a, b), `names of columns meet: ${JSON.stringify([a, b])}`)));
  for (const tab of ['step', 'plot', 'tree']) {
    await page.tap(`[data-tab="${tab}"]`);
    await settle(page);
    const button = page.getByRole('button', { name: 'Step', exact: true });
    assert.equal(await button.count(), 1, tab);
    assert.ok((await button.boundingBox()).height >= 44, tab);
  }
  await page.getByRole('button', { name: 'Step', exact: true }).tap();
  assert.equal(await state(page, () => window.armature.stepper.iteration), 1);
  await page.tap('[data-tab="step"]');
  await settle(page);
  await shot(page, '27-step-tablet-bar');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('tablet: the methods of Compare cover no tool, tools are 44 px', async () => {
  const { page, context, errors } = await open(browser, server.url + '#/compare?model=planar_chain&methods=dls,fabrik,ccd,transpose&goal=tip=-16,16&iteration=2', TABLET);
  await page.waitForFunction(() => window.armature.studio.open);
  await settle(page);
  const [tools] = await boxes(page, '[aria-label="Tools"]');
  const [chips] = await boxes(page, '[role=group][aria-label="Methods"]');
  assert.ok(!meet(tools, chips), JSON.stringify({ tools, chips }));
  for (const b of await boxes(page, '[aria-label="Tools"] button')) assert.ok(b.right - b.left >= 44 && b.bottom - b.top >= 44);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('1280 x 720: names of joints can be told apart where there is little room; the last column of Compare is whole', async () => {
  const { page, context, errors } = await open(browser, server.url + STEP, LAPTOP);
  await page.waitForFunction(() => window.armature.studio.open);
  await settle(page);
  const tails = await state(page, () => [...document.querySelectorAll('nav section .r .n')].map((n) => ({ text: n.querySelector('b').textContent, seen: n.querySelector('b').getBoundingClientRect().right <= n.getBoundingClientRect().right + 0.5 })));
  assert.ok(tails.length >= 7);
  assert.ok(tails.every((t) => t.seen), JSON.stringify(tails));
  assert.equal(new Set(tails.slice(0, 7).map((t) => t.text)).size, 7);
  await page.keyboard.press('3');
  await settle(page);
  const wide = await state(page, () => { const box = document.querySelector('.dock .scroll'); return box.scrollWidth - box.clientWidth; });
  assert.ok(wide <= 0, `the table is ${wide} px too wide`);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('bodies: words beside touches do not meet, and no joint is called angle1', async () => {
  const { page, context, errors } = await open(browser, server.url + '#/pose?model=human', LAPTOP);
  await page.waitForFunction(() => window.armature.studio.open);
  await settle(page);
  assert.doesNotMatch(await page.locator('aside').innerText(), /angle\d/);
  await page.getByRole('tab', { name: /Bodies/ }).click();
  await settle(page);
  // At rest the figure touches nothing: the nearest pair is named, beside the hand, and not over the words of its goal.
  const [nearest] = await boxes(page, '[data-nearest] text');
  const others = await boxes(page, '.overlay > :not([data-nearest]) text, .overlay > text');
  assert.ok(nearest && others.length >= 2, `${others.length} other words`);
  others.forEach((other) => assert.ok(!meet(nearest, other), JSON.stringify([nearest, other])));
  await state(page, () => {
    const { studio } = window.armature;
    const obstacles = ['left_hand', 'right_hand'].map((name) => ({ name: `ball_${name}`, type: 'sphere', position: Array.from(window.armature.position(name)), size: [0.05, 0.05, 0.05] }));
    studio.commit('two balls', { ...studio.scene, obstacles });
  });
  await settle(page);
  const words = await boxes(page, '[data-touch] text');
  assert.ok(words.length >= 2, `${words.length} touches`);
  words.forEach((a, i) => words.slice(i + 1).forEach((b) => assert.ok(!meet(a, b), JSON.stringify([a, b]))));
  assert.deepEqual(errors, []);
  await context.close();
});

await test('Compare side by side: its controls stay above, and lead back', async () => {
  const { page, context, errors } = await open(browser, server.url + '#/compare?model=planar_chain&methods=dls,fabrik,ccd,transpose&goal=tip=-16,16&iteration=2', LAPTOP);
  await page.waitForFunction(() => window.armature.studio.open);
  await settle(page);
  await page.getByRole('radio', { name: 'Side by side' }).click();
  await settle(page);
  assert.equal(await page.locator('.cell > svg').count(), 4);
  const above = await state(page, () => [...document.querySelectorAll('[aria-label="Layout"] button, [aria-label="Methods"] button, [aria-label="Tools"] button')].map((b) => { const r = b.getBoundingClientRect(); const shown = [...document.elementsFromPoint(r.x + r.width / 2, r.y + r.height / 2)]; return shown.findIndex((e) => b.contains(e)); }));
  assert.ok(above.length > 6 && above.every((i) => i === 0), JSON.stringify(above));
  // Seen, not only reached: nothing that is painted later lies over them.
  const order = await state(page, () => { const grid = document.querySelector('.cell').parentElement; const layout = document.querySelector('[aria-label="Layout"]'); return { after: !!(grid.compareDocumentPosition(layout) & Node.DOCUMENT_POSITION_FOLLOWING), z: getComputedStyle(grid).zIndex }; });
  assert.deepEqual(order, { after: true, z: 'auto' });
  const [methods] = await boxes(page, '[role=group][aria-label="Methods"]');
  for (const cell of await boxes(page, '.cell')) assert.ok(!meet(methods, cell), 'the methods cover no picture');
  await shot(page, 'compare-side');
  await page.getByRole('radio', { name: 'Overlaid' }).click();
  await settle(page);
  assert.equal(await page.locator('.cell > svg').count(), 0);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('export fits a phone and a tablet: every part inside the screen, Save in sight', async () => {
  for (const viewport of [{ width: 390, height: 844 }, { width: 820, height: 1180 }]) {
    const { page, context, errors } = await open(browser, server.url + '#/pose?model=four_bar', { viewport, hasTouch: true });
    await page.waitForFunction(() => window.armature.studio.open);
    await settle(page);
    await state(page, () => (window.armature.ui.dialog = 'export'));
    await page.tap('[data-export="gif"]');
    await settle(page);
    const parts = await boxes(page, '[role=dialog], [role=dialog] [aria-label="Close"], [data-save], [role=dialog] img');
    for (const b of parts) assert.ok(b.left >= 0 && b.right <= viewport.width, JSON.stringify(b));
    const [save] = await boxes(page, '[data-save]');
    assert.ok(save.bottom <= viewport.height && save.top > 0, JSON.stringify(save));
    await shot(page, `export-${viewport.width}`);
    assert.deepEqual(errors, []);
    await context.close();
  }
});
