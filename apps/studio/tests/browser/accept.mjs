// What the studio must do whatever else changes: the same drag by mouse, touch and keys; Step's columns and scrubbing; an idle
// page; everything by keyboard.
import assert from 'node:assert/strict';
import { BIG, browser, distance, dragGoal, gallery, server, state, test } from './harness.mjs';
import { goalOnScreen, open, settle } from './support.mjs';

const facts = (page) => state(page, () => {
  const { studio, hash, linkStats } = window.armature;
  return { hash: hash(), writes: linkStats.writes, url: location.hash, undo: studio.undoLabel, verdict: document.querySelector('footer')?.innerText ?? document.querySelector('.verd')?.innerText ?? '' };
});
const released = (page) => page.waitForFunction(() => window.armature.studio.gesture === null);

const WAYS = {
  mouse: (page) => dragGoal(page, 'right_hand', -60, -60),
  async touch(page, context) {
    const client = await context.newCDPSession(page);
    const touch = (type, x, y) => client.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] });
    const from = await goalOnScreen(page, 'right_hand');
    await touch('touchStart', from.x, from.y);
    for (let i = 1; i <= 5; i++) { await touch('touchMove', from.x - 8 * i, from.y + 4 * i); await settle(page); }
    await touch('touchEnd');
  },
  async keys(page) {
    await state(page, () => window.armature.views.stage.focus());
    for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowUp');
    for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowLeft');
  },
};

for (const [way, drag] of Object.entries(WAYS)) {
  await test(`right_hand by ${way}: the verdict changes, one entry, the address once`, async () => {
    const touch = way === 'touch' ? { hasTouch: true } : {};
    const { page, context, errors } = await open(browser, server.url, { viewport: { width: 1240, height: 700 }, ...touch });
    await gallery(page, 'human');
    await settle(page);
    const before = await facts(page);
    await drag(page, context);
    await released(page);
    await settle(page);
    const after = await facts(page);
    assert.notEqual(after.verdict, before.verdict);
    assert.match(after.verdict, /Reached|Out of reach|Blocked|Not there yet|goals reached|Stalled/);
    assert.equal(after.undo, 'move right_hand');
    assert.equal(after.writes, before.writes + 1, 'the address was written once');
    assert.notEqual(after.url, before.url);
    const off = await state(page, () => { const { studio, position } = window.armature; return [studio.scene.goals.find((g) => g.id === 'right_hand').position, position('right_hand')]; });
    assert.ok(distance(...off) < 2e-3, `${way}: the hand is at its goal, ${off}`);
    await page.keyboard.press('Control+z');
    assert.equal((await facts(page)).hash, before.hash, 'one undo brings back the same bits');
    assert.deepEqual(errors, []);
    await context.close();
  });
}

const STEP = '#/step?model=planar_arm&method=dls&damping=3&tolerance=0.001&goal=tip=-20,5&start=0.392699082,0.785398163,0.785398163&iteration=3';

await test('step: column 2 lights joint2, its lever and g2; by pointer and by focus', async () => {
  const { page, context, errors } = await open(browser, server.url + STEP);
  await page.waitForSelector('[data-column="2"]');
  const lit = () => state(page, () => ({
    levers: [...document.querySelectorAll('[data-lever][data-lit]')].map((e) => e.dataset.lever),
    vectors: [...document.querySelectorAll('[data-vector][data-lit]')].map((e) => e.dataset.vector),
    joint: document.querySelector('[data-lit-joint]')?.dataset.litJoint,
  }));
  await settle(page);
  assert.deepEqual(await lit(), { levers: [], vectors: [], joint: '' });
  await page.hover('[data-column="2"]');
  await settle(page);
  assert.deepEqual(await lit(), { levers: ['2'], vectors: ['2'], joint: 'joint2' });
  await page.mouse.move(500, 300);
  await page.focus('[data-column="3"]');
  await settle(page);
  assert.deepEqual(await lit(), { levers: ['3'], vectors: ['3'], joint: 'joint3' });
  assert.deepEqual(errors, []);
  await context.close();
});

await test('step: scrubbing the plot moves pose, matrix and bars', async () => {
  const { page, context, errors } = await open(browser, server.url + STEP, BIG);
  await page.waitForSelector('.u-over');
  await settle(page);
  const seen = () => state(page, () => ({
    i: window.armature.stepper.iteration,
    tip: window.armature.position('tip'),
    matrix: document.querySelector('table[aria-label^="Jacobian"]').innerText,
    values: document.querySelector('aside').innerText.match(/keeps [\d.]+ %/g).join(),
    changes: [...document.querySelectorAll('aside section')].map((e) => e.innerText).find((t) => t.startsWith('Change of each joint')),
  }));
  const three = await seen();
  assert.equal(three.i, 3);
  const box = await page.locator('.u-over').boundingBox();
  const x = (k, n) => box.x + (box.width * k) / n;
  const length = await state(page, () => window.armature.stepper.length);
  await page.mouse.move(x(3, length), box.y + 30);
  await page.mouse.down();
  for (const k of [4, 5, 6]) await page.mouse.move(x(k, length), box.y + 30);
  await settle(page);
  await page.mouse.up();
  await settle(page);
  const six = await seen();
  assert.equal(six.i, 6);
  const wanted = await state(page, () => Array.from(window.armature.stepper.current.trace.steps[6].q));
  assert.deepEqual(await state(page, () => Array.from(window.armature.studio.rig.q)), wanted, 'the pose is that of iteration 6');
  for (const part of ['matrix', 'values', 'changes']) assert.notEqual(six[part], three[part], part);
  assert.ok(distance(six.tip, three.tip) > 1e-3);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('idle for five seconds: no animation frame, no timer, an empty console', async () => {
  for (const where of ['#/pose?model=human', STEP, '#/compare?model=planar_chain&methods=dls,fabrik,ccd,transpose&goal=tip=-16,16&iteration=2']) {
    const { page, context, errors } = await open(browser, server.url + where);
    await page.waitForFunction(() => window.armature.studio.open);
    await settle(page);
    const calls = await state(page, () => new Promise((done) => {
      const real = { frame: window.requestAnimationFrame, timer: window.setTimeout };
      let [frames, timers] = [0, 0];
      window.requestAnimationFrame = (f) => { frames++; return real.frame.call(window, f); };
      window.setTimeout = (...rest) => { timers++; return real.timer.call(window, ...rest); };
      real.timer.call(window, () => { window.requestAnimationFrame = real.frame; window.setTimeout = real.timer; done({ frames, timers }); }, 5000);
    }));
    assert.deepEqual(calls, { frames: 0, timers: 0 }, where);
    assert.deepEqual(errors, []);
    await context.close();
  }
});

await test('Compare: times that are measured later fill the table and draw nothing', async () => {
  const { page, context, errors } = await open(browser, server.url + '#/compare?model=planar_chain&methods=dls,fabrik,ccd,transpose&goal=tip=-16,16&iteration=2');
  await page.waitForFunction(() => window.armature.studio.open);
  await settle(page);
  const seen = await state(page, async () => {
    const { stepper, views, studio } = window.armature;
    const timer = window.setTimeout;
    let measure = null; // held back until the view is at rest
    window.setTimeout = (f, ms, ...rest) => (ms === 300 ? ((measure = f), 0) : timer.call(window, f, ms, ...rest));
    stepper.compute();
    window.setTimeout = timer;
    do await new Promise(requestAnimationFrame); while (views.stage.busy);
    const before = { timed: Object.keys(stepper.times).length, q: Array.from(studio.rig.q) };
    const real = window.requestAnimationFrame;
    let frames = 0;
    window.requestAnimationFrame = (f) => { frames++; return real.call(window, f); };
    measure();
    await new Promise((done) => setTimeout(done, 200));
    window.requestAnimationFrame = real;
    return { before, frames, timed: Object.keys(stepper.times).length, same: Array.from(studio.rig.q).every((v, i) => v === before.q[i]) };
  });
  assert.equal(seen.before.timed, 0);
  assert.deepEqual({ frames: seen.frames, timed: seen.timed, same: seen.same }, { frames: 0, timed: 4, same: true });
  assert.match(await page.locator('td.c3').first().innerText(), /µs|ms/);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('keyboard only: open, move a goal, change the method, step, undo, share', async () => {
  const { page, context, errors } = await open(browser, server.url, { permissions: ['clipboard-read', 'clipboard-write'] });
  const press = async (...keys) => { for (const key of keys) { await page.keyboard.press(key); await settle(page); } };
  for (let i = 0; i < 10 && !(await state(page, () => document.activeElement?.matches('[data-model="planar_arm"]'))); i++) await press('ArrowRight');
  await press('Enter');
  await page.waitForFunction(() => window.armature.studio.open);
  assert.equal(await state(page, () => window.armature.studio.scene.name), 'planar_arm');
  for (let i = 0; i < 6 && !(await state(page, () => document.activeElement?.matches('[data-stage]'))); i++) await press('F6');
  assert.ok(await state(page, () => document.activeElement?.matches('[data-stage]')), 'F6 comes to the view');
  const before = await state(page, () => window.armature.studio.scene.goals[0].position);
  await press('ArrowLeft', 'ArrowLeft');
  await released(page);
  await settle(page);
  const moved = await facts(page);
  assert.ok((await state(page, () => window.armature.studio.scene.goals[0].position))[0] < before[0]);
  assert.match(moved.undo, /^move/);
  const method = await state(page, () => window.armature.studio.scene.solver.method);
  await press('m');
  assert.notEqual(await state(page, () => window.armature.studio.scene.solver.method), method);
  await press('2', '.');
  assert.equal(await state(page, () => window.armature.studio.mode), 'step');
  assert.equal(await state(page, () => window.armature.stepper.iteration), 1);
  await press('1');
  while ((await facts(page)).undo !== moved.undo) await press('Control+z');
  assert.equal((await facts(page)).hash, moved.hash);
  // A held key is one entry; two presses on a slow machine may be two.
  for (let i = 0; i < 2 && /^move/.test((await facts(page)).undo ?? ''); i++) await press('Control+z');
  assert.deepEqual(await state(page, () => window.armature.studio.scene.goals[0].position), before);
  // Share, found as a command.
  await press('Control+k');
  await page.keyboard.type('share');
  await press('Enter');
  await page.waitForFunction(() => window.armature.ui.toasts.some((t) => t.title === 'Link copied'));
  assert.match(await state(page, () => navigator.clipboard.readText()), /#\/pose\?.*planar_arm/);
  await press('?');
  assert.equal(await page.locator('[role=dialog]').count(), 1);
  await press('Escape');
  assert.equal(await page.locator('[role=dialog]').count(), 0);
  assert.deepEqual(errors, []);
  await context.close();
});
