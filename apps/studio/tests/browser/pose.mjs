// First page, dragging, robots, keyboard and phone, in a real browser.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { BIG, browser, distance, dragGoal, gallery, server, shot, state, test } from './harness.mjs';
import { goalOnScreen, open, page_dir, settle } from './support.mjs';

await test('first page: gallery, figure focused, ready, page under 400 kB and core under 1.4 MB packed, no error', async () => {
  const begin = Date.now();
  const { page, context, errors } = await open(browser, server.url, BIG);
  const ms = Date.now() - begin;
  assert.equal(await page.locator('[data-model]').count(), 10);
  assert.equal(await state(page, () => document.activeElement?.getAttribute('data-model')), 'human');
  await settle(page);
  await shot(page, '07-first-run-light');
  const bytes = { page: 0, core: 0 }; // without notices.html, which is fetched only when someone asks for it
  const walk = (dir) => readdirSync(dir).forEach((f) => { const p = join(dir, f); if (statSync(p).isDirectory()) walk(p); else if (f !== 'notices.html' && f !== 'armature_studio.html') bytes[/[\\/]core[\\/]/.test(p) ? 'core' : 'page'] += gzipSync(readFileSync(p)).length; });
  walk(page_dir);
  console.log(`     ready after ${ms} ms, ${Math.round(bytes.page / 1000)} kB of page and ${Math.round(bytes.core / 1000)} kB of core, gzipped`);
  assert.ok(bytes.page < 4e5 && bytes.core < 1.4e6, JSON.stringify(bytes));
  assert.deepEqual(errors, []);
  await context.close();
});

await test('human: drag the hand, it arrives; one entry, one address, undo brings back the same bits', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'human');
  await settle(page);
  const before = await state(page, () => ({ hash: window.armature.hash(), writes: window.armature.linkStats.writes }));
  await dragGoal(page, 'right_hand', -90, -150, false);
  await shot(page, '01-pose-light');
  await page.mouse.up();
  await settle(page);
  const after = await state(page, () => {
    const { studio, position, linkStats } = window.armature;
    const goal = studio.scene.goals.find((g) => g.id === 'right_hand');
    return { goal: goal.position, hand: position('right_hand'), outcome: studio.report.outcome, undo: studio.undoLabel, writes: linkStats.writes, ms: studio.solveMs, url: location.hash };
  });
  console.log(`     ${after.outcome}, solve ${after.ms.toFixed(2)} ms, off ${distance(after.goal, after.hand).toExponential(1)} m`);
  assert.ok(distance(after.goal, after.hand) < 2e-3, 'the hand is at the goal');
  assert.equal(after.undo, 'move right_hand');
  assert.equal(after.writes, before.writes + 1, 'the address was written once');
  assert.match(after.url, /^#\/pose\?/);
  assert.match(await page.locator('footer').innerText(), /Reached|goals reached/);
  await page.keyboard.press('Control+z');
  assert.equal(await state(page, () => window.armature.hash()), before.hash);
  await page.keyboard.press('Control+Shift+z');
  await state(page, () => window.armature.ui.setTheme('dark'));
  await page.mouse.move(700, 400);
  for (let i = 0; i < 2; i++) await page.mouse.wheel(0, 120); // room above the hand
  await settle(page);
  await dragGoal(page, 'right_hand', -40, -190, false);
  await shot(page, '01-pose-dark');
  const held = await state(page, () => window.armature.studio.report.goals.map((g) => g.position_error));
  assert.ok(held[0] > 0.05, 'the hand cannot get there');
  assert.ok(held[2] < 1e-3 && held[3] < 1e-3, `the pinned feet stay, ${held}`);
  await page.keyboard.press('Escape');
  await page.mouse.up();
  assert.deepEqual(errors, []);
  await context.close();
});

await test('robot: limit arcs, out of reach, verdict card, nearest', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'panda');
  await state(page, () => { window.armature.ui.show.ellipsoid = true; window.armature.studio.select({ kind: 'joint', name: 'panda_joint4' }); });
  await settle(page);
  const goal = await state(page, () => window.armature.studio.scene.goals[0].id);
  await state(page, (id) => { const { studio } = window.armature; studio.begin(`move ${id}`); studio.dragGoal(id, [0.95, -0.35, 0.85]); studio.end(); }, goal);
  await page.waitForSelector('[data-verdict-card]', { timeout: 20000 });
  await page.keyboard.press('Shift+F');
  await settle(page);
  await shot(page, '04-robot-light');
  await state(page, () => window.armature.ui.setTheme('dark'));
  await settle(page);
  await shot(page, '04-robot-dark');
  const outcome = await state(page, () => window.armature.studio.report.outcome);
  assert.notEqual(outcome, 'converged');
  await page.click('[data-verdict-card] .pri');
  await settle(page);
  assert.equal(await state(page, () => window.armature.studio.report.outcome), 'converged');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('phone: 390 wide, sheet and tabs, touch drag, no sideways scrolling', async () => {
  const { page, context, errors } = await open(browser, server.url, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 1 });
  await gallery(page, 'human');
  await settle(page);
  await shot(page, '06-phone-light');
  assert.ok(await state(page, () => document.documentElement.scrollWidth <= innerWidth));
  await page.click('[role=tab]:has-text("Joints")');
  await settle(page);
  await shot(page, '06-phone-joints');
  await state(page, () => window.armature.ui.setTheme('dark'));
  await page.click('[role=tab]:has-text("Goals")');
  await state(page, () => { window.armature.ui.sheet = 'half'; });
  await settle(page);
  const from = await goalOnScreen(page, 'right_hand');
  const client = await context.newCDPSession(page);
  const touch = (type, x, y) => client.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] });
  await touch('touchStart', from.x, from.y);
  for (let i = 1; i <= 5; i++) { await touch('touchMove', from.x - 6 * i, from.y - 10 * i); await settle(page); }
  await touch('touchEnd');
  await settle(page);
  assert.equal(await state(page, () => window.armature.studio.undoLabel), 'move right_hand');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('null space: a jog swivels the elbow and leaves the hand; its range as ghosts', async () => {
  const { page, context, errors } = await open(browser, server.url, { viewport: { width: 1240, height: 700 } });
  await gallery(page, 'panda');
  await state(page, () => { const { studio } = window.armature; studio.commit('both', { ...studio.scene, goals: [{ ...studio.scene.goals[0], useRotation: true }] }); });
  await settle(page);
  const bodies = () => state(page, () => document.querySelectorAll('[data-stage] svg [data-ghost]').length);
  const pose = () => state(page, () => ({ q: Array.from(window.armature.studio.scene.q), hand: window.armature.position('panda_tcp'), elbow: window.armature.position('panda_link4') }));
  const before = await pose();
  assert.equal(await bodies(), 0);
  await page.click('aside [role=tab]:has-text("Goals")'); // a low window has a tab each for goals and joints
  await page.click('[role=switch][aria-label="Show the range as ghosts"]');
  await settle(page);
  assert.equal(await bodies(), 4);
  assert.ok((await page.locator('[data-stage] svg [data-ghost] path[fill="var(--pole)"]').count()) >= 8, 'the limb is seen over the body, in the colour of the pole');
  assert.deepEqual(await pose(), before, 'looking changes nothing');
  await page.focus('[role=slider][aria-label^="Swivel of"]');
  for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowRight');
  await settle(page);
  const after = await pose();
  assert.ok(distance(before.hand, after.hand) < 1e-4, `the hand stays, ${distance(before.hand, after.hand)}`);
  assert.ok(distance(before.elbow, after.elbow) > 1e-3, 'the elbow moves');
  await shot(page, 'null-space');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('address: a scene opens again from its link, Back returns', async () => {
  const { page, context, errors } = await open(browser, server.url);
  await gallery(page, 'scara');
  const goal = await state(page, () => window.armature.studio.scene.goals[0].id);
  await dragGoal(page, goal, -30, -20);
  await settle(page);
  const before = await state(page, () => ({ url: location.href, q: Array.from(window.armature.studio.scene.q), goals: window.armature.studio.scene.goals }));
  await page.keyboard.press('2');
  await page.waitForFunction(() => location.hash.startsWith('#/step'));  // the address follows a moment later
  await page.goBack();
  await page.waitForFunction(() => window.armature.studio.mode === 'pose');
  const again = await open(browser, before.url);
  await again.page.waitForFunction(() => window.armature.studio.open);
  const after = await state(again.page, () => ({ q: Array.from(window.armature.studio.scene.q), goals: window.armature.studio.scene.goals }));
  after.q.forEach((v, i) => assert.ok(Math.abs(v - before.q[i]) < 1e-6));
  assert.ok(distance(after.goals[0].position, before.goals[0].position) < 1e-6);
  // A scene that needs the packed form also keeps where it was looked at from.
  await state(page, () => { const { studio, views } = window.armature; const g = studio.scene.goals[0]; studio.commit('weigh', { ...studio.scene, goals: [{ ...g, weight: 0.5 }] }); views.stage.look('x', 1); });
  await settle(page);
  await state(page, () => window.armature.studio.changed());
  await settle(page);
  const eye = (p) => state(p, () => window.armature.views.stage.camera.eyePosition);
  const third = await open(browser, await state(page, () => location.href));
  await third.page.waitForFunction(() => window.armature.studio.open && window.armature.views.stage);
  await settle(third.page);
  const [a, b] = [await eye(page), await eye(third.page)];
  assert.ok(distance(a, b) < 1e-6 * Math.hypot(...a) + 1e-9, `${a} and ${b}`);
  await third.context.close();
  assert.deepEqual([...errors, ...again.errors], []);
  await again.context.close();
  await context.close();
});

await test('workspace as shell and slice with their legend, made beside the page; the slice follows its handle', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'ur5');
  await page.keyboard.press('c');
  await page.waitForFunction(() => window.armature.cloud.points !== null, null, { timeout: 60000 });
  assert.equal(await state(page, () => window.armature.cloud.points.length), 60000);
  await page.waitForFunction(() => window.armature.cloud.cells !== null && !window.armature.cloud.busy, null, { timeout: 120000 });
  await settle(page);
  assert.ok((await page.locator('[data-shell] path').count()) > 10);
  const seen = await state(page, () => { const { lines, reach } = window.armature.cloud.shell; return { reach, lowest: Math.min(...lines.flat().map((p) => p[2])) }; });
  assert.ok(seen.reach > 0.7 && seen.reach < 1.2 && seen.lowest > -0.01, JSON.stringify(seen));
  const card = page.locator('[aria-label^="Workspace of"]');
  assert.match(await card.innerText(), /nearly every direction[\s\S]*many directions[\s\S]*few directions[\s\S]*hand orientations/);
  // The cut: in its plane, above the floor, within the reach.
  const cut = () => state(page, () => { const { strips, at, axis } = window.armature.cloud; return { at, axis, n: strips.length, off: Math.max(...strips.flatMap((s) => s.corners.map((p) => Math.abs(p[axis] - at)))), far: Math.max(...strips.flatMap((s) => s.corners.map((p) => Math.hypot(...p)))), low: Math.min(...strips.flatMap((s) => s.corners.map((p) => p[2]))) }; });
  const before = await cut();
  assert.ok(before.axis === 1 && before.n > 5 && before.off === 0 && before.far < 1.4 && before.low > -0.12, JSON.stringify(before));
  const handle = await state(page, () => { const c = document.querySelector('[data-slice] circle').getBoundingClientRect(); return { x: c.x + c.width / 2, y: c.y + c.height / 2 }; });
  const hash = await state(page, () => window.armature.hash());
  await page.mouse.move(handle.x, handle.y);
  await page.mouse.down();
  for (let i = 1; i <= 4; i++) { await page.mouse.move(handle.x + 15 * i, handle.y); await settle(page); }
  await page.mouse.up();
  await settle(page);
  const after = await cut();
  assert.ok(Math.abs(after.at - before.at) > 0.05 && after.off === 0, JSON.stringify([before, after]));
  assert.equal(await state(page, () => window.armature.hash()), hash, 'the scene is as it was');
  // By keyboard, and another normal.
  await card.getByRole('radio', { name: 'Z' }).click();
  await card.getByRole('slider', { name: 'Slice at z' }).press('ArrowRight');
  assert.equal((await cut()).axis, 2);
  await card.getByRole('radio', { name: 'Y', exact: true }).click();
  await shot(page, '36-workspace');
  await card.getByRole('radio', { name: 'Shell' }).click();
  await settle(page);
  assert.equal(await page.locator('[data-slice]').count(), 0);
  assert.equal((await state(page, () => window.armature.cloud.strips)).length, 0);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('workspace of a flat arm: one slice in its plane, and of a floating figure: no limit', async () => {
  const { page, context, errors } = await open(browser, server.url);
  await gallery(page, 'planar_arm');
  await page.keyboard.press('c');
  await page.waitForFunction(() => window.armature.cloud.cells !== null, null, { timeout: 60000 });
  await settle(page);
  assert.ok((await page.locator('path[data-band]').count()) >= 1);
  assert.equal(await page.getByRole('radio', { name: 'X', exact: true }).count(), 0);
  await context.close();
  const other = await open(browser, server.url + '#/pose?model=human');
  await other.page.waitForFunction(() => window.armature.studio.open);
  await settle(other.page);
  await other.page.keyboard.press('c');
  await settle(other.page);
  assert.match(await other.page.locator('[aria-label^="Workspace of"]').innerText(), /no limit/);
  assert.deepEqual([...errors, ...other.errors], []);
  await other.context.close();
});
