// Mechanisms, bodies and all solutions in a real browser: what is shown is what the core says.
import assert from 'node:assert/strict';
import { BIG, browser, distance, gallery, server, shot, state, test } from './harness.mjs';
import { open, settle } from './support.mjs';

const drive = (page, value) => state(page, (v) => { const { mechanism, studio } = window.armature; studio.begin('drive'); mechanism.seek(v); studio.end(); return { q: Array.from(studio.scene.q), error: mechanism.closureError }; }, value);

await test('four-bar: its drive, both modes, a closed path, closure error at 50 angles, one entry per mode', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'four_bar');
  await page.locator('aside [role=slider][aria-label="Drive angle"]').waitFor();
  assert.match(await page.locator('footer').innerText(), /Closed/);
  assert.equal(await page.locator('[data-closure="pin"]').count(), 1);
  assert.equal(await page.locator('[role=listbox][aria-label="Assembly modes"] [role=option]').count(), 2);
  await shot(page, '23-mechanism-fourbar');
  for (let i = 0; i < 50; i++) {
    const { error } = await drive(page, -3 + 0.37 * i);
    assert.ok(error < 1e-12, `closure error ${error}`);
  }
  const path = await state(page, () => window.armature.mechanism.pathOf(window.armature.mechanism.points[0]).stroke);
  assert.ok(distance(path[0], path.at(-1)) < 1e-9, 'a whole turn comes back');
  const before = await state(page, () => window.armature.studio.undoLabel);
  const rocker = await state(page, () => window.armature.studio.scene.q[2]);
  await page.locator('[aria-label="Assembly modes"] [role=option]').nth(1).click();
  await settle(page);
  assert.notEqual(await state(page, () => window.armature.studio.undoLabel), before);
  assert.ok(Math.abs((await state(page, () => window.armature.studio.scene.q[2])) - rocker) > 0.1, 'the other assembly');
  await page.keyboard.press('Control+z');
  assert.ok(Math.abs((await state(page, () => window.armature.studio.scene.q[2])) - rocker) < 1e-12);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('driven by the rocker it stops at dead points, says why, and plays back and forth between them', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'four_bar');
  await state(page, () => window.armature.mechanism.choose('rocker_pin'));
  await settle(page);
  const stroke = await state(page, () => { const { stroke } = window.armature.mechanism; return { full: stroke.full, low: stroke.values[0], high: stroke.values.at(-1), stops: stroke.stops.map((s) => ({ value: s.value, outcome: s.outcome, message: s.message, links: s.links })) }; });
  assert.equal(stroke.full, false);
  // Crank and coupler in line: lengths 4.2 + 1.5 and 4.2 - 1.5 against 4 and 2.6.
  const at = (c) => Math.PI - Math.acos((4 * 4 + 2.6 * 2.6 - c * c) / (2 * 4 * 2.6));
  const near = (a, b) => Math.abs(Math.abs(a) - Math.abs(b)) < 1e-6;
  assert.ok([stroke.low, stroke.high].some((v) => near(v, at(5.7))) && [stroke.low, stroke.high].some((v) => near(v, at(2.7))), JSON.stringify(stroke));
  for (const stop of stroke.stops) {
    assert.equal(stop.outcome, 'dead_point');
    assert.ok(stop.links.length > 0 && stop.message.length > 20, stop.message);
  }
  assert.equal(await page.locator('aside section[aria-label^="Dead point"]').count(), 2);
  await drive(page, stroke.high + 0.5);
  await settle(page);
  assert.match(await page.locator('footer').innerText(), /At a dead point/);
  const played = await state(page, async () => {
    const { mechanism, studio } = window.armature;
    mechanism.speed = 6;
    const seen = [];
    mechanism.play();
    const until = performance.now() + 90000;
    const turned = () => seen.reduce((n, [v], i) => n + (i > 1 && (v - seen[i - 1][0]) * (seen[i - 1][0] - seen[i - 2][0]) < 0 ? 1 : 0), 0);
    while (performance.now() < until && turned() < 2) { await new Promise((done) => requestAnimationFrame(done)); seen.push([mechanism.value, studio.scene.q[1]]); }
    mechanism.pause();
    return { seen, turns: turned(), error: mechanism.closureError };
  });
  assert.ok(played.turns >= 2, `${played.turns} turns back in ${played.seen.length} frames`);
  assert.ok(played.seen.every(([v]) => v >= stroke.low - 1e-9 && v <= stroke.high + 1e-9));
  await shot(page, '23-mechanism-dead-point');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('any link of a mechanism can be dragged: the loop stays closed, the point’s path is drawn', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await state(page, () => window.armature.files.openBuiltin('jansen'));
  await page.waitForFunction(() => window.armature.studio.open);
  await settle(page);
  await shot(page, '24-mechanism-jansen');
  const foot = await state(page, () => {
    const { studio, views, mechanism } = window.armature;
    const { link } = mechanism.points[0];
    const p = views.stage.camera.project(window.armature.position(link));
    const box = document.querySelector('[data-stage]').getBoundingClientRect();
    return { x: box.left + p.x, y: box.top + p.y, q: Array.from(studio.scene.q) };
  });
  await page.mouse.move(foot.x, foot.y - 12);
  await page.mouse.down();
  for (let i = 1; i <= 5; i++) { await page.mouse.move(foot.x - 6 * i, foot.y - 12 - 4 * i); await settle(page); }
  await page.mouse.up();
  await settle(page);
  const after = await state(page, () => ({ q: Array.from(window.armature.studio.scene.q), error: window.armature.mechanism.closureError, undo: window.armature.studio.undoLabel, paths: document.querySelectorAll('[data-path]').length }));
  assert.ok(after.q.some((v, i) => Math.abs(v - foot.q[i]) > 0.01), 'it moved');
  assert.ok(after.error < 1e-9, `closure error ${after.error}`);
  assert.match(after.undo, /^pull/);
  assert.ok(after.paths >= 1);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('bodies: distances as the core measures them, a box through the arm touches, free answers keep the margin', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'panda');
  await page.click('#tab-bodies');
  await page.locator('[data-pair]').first().waitFor();
  const shown = (await page.locator('[data-pair] em').first().innerText()).trim();
  const first = await state(page, () => window.armature.bodies.pairs[0]);
  assert.ok(Math.abs(parseFloat(shown) * (shown.includes('mm') ? 1e-3 : 1) - Math.abs(first.distance)) < 1e-4 * 5, `${shown} ${first.distance}`);
  assert.ok(Math.abs(distance(first.point_a, first.point_b) - Math.abs(first.distance)) < 1e-9);
  await page.click('[aria-label="Colour by clearance"]');
  await page.click('[data-add="box"]');
  await settle(page);
  await state(page, () => { const { bodies, studio, position } = window.armature; bodies.change(studio.scene.obstacles[0].name, { position: position('panda_link4') }, 'move it'); });
  await settle(page);
  assert.ok(await state(page, () => window.armature.bodies.touches.length > 0));
  assert.match(await page.locator('[aria-label="Nearest pairs"] .chip').innerText(), /touch/);
  assert.ok((await page.locator('[data-touch]').count()) > 0);
  await shot(page, '32-bodies');
  await state(page, () => { const { bodies, studio } = window.armature; bodies.change(studio.scene.obstacles[0].name, { position: [0.2, 0.5, 0.4] }, 'away'); bodies.setMargin(0.01); });
  await page.click('[aria-label="Free answers"]');
  await settle(page);
  const free = await state(page, () => ({ outcome: window.armature.studio.report.outcome, least: window.armature.studio.rig.scene.clearance().clearance, link: location.hash }));
  if (free.outcome === 'converged') assert.ok(free.least >= 0.01 - 1e-9, `${free.least}`);
  else assert.match(await page.locator('footer').innerText(), /No free answer/);
  const again = await open(browser, server.url + free.link, BIG);
  await again.page.waitForFunction(() => window.armature.studio.open);
  assert.deepEqual(await state(again.page, () => { const { obstacles, free, margin } = window.armature.studio.scene; return [obstacles.length, free, margin]; }), [1, true, 0.01], 'the address carries them');
  await again.context.close();
  assert.deepEqual(errors, []);
  await context.close();
});

await test('all solutions of a UR5: eight, proved, as ghosts to click; each leaves the tool where it was', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'ur5');
  const link = await state(page, () => window.armature.studio.scene.goals[0].link);
  await state(page, () => document.querySelector('[aria-label^="Rotation of"]').click());
  await page.click('#tab-solutions');
  await page.locator('[data-take]').first().waitFor();
  await settle(page);
  const found = await state(page, () => { const { found } = window.armature.solutions; return { count: found.q.length, complete: found.complete, away: found.away, q: found.q.map((q) => Array.from(q)) }; });
  assert.ok(found.count >= 2);
  const head = await page.locator('.sol .head').innerText();
  if (found.complete) assert.match(head, /proved: no other/);
  else assert.doesNotMatch(head, /proved/);
  assert.ok(found.away.every((a, i) => i === 0 || a >= found.away[i - 1]), 'nearest first');
  assert.ok((await page.locator('[data-solution]').count()) >= Math.min(15, found.count - 1), 'ghosts in the view');
  await shot(page, '33-solutions');
  const pose = (q) => state(page, ([q, link]) => window.armature.studio.rig.core.forward(q).transform(link), [q, link]);
  const here = await pose(found.q[0]);
  for (const q of found.q) {
    const there = await pose(q);
    assert.ok(distance(here.position, there.position) < 1e-9);
    assert.ok(Math.abs(Math.abs(here.quaternion.reduce((s, v, i) => s + v * there.quaternion[i], 0)) - 1) < 1e-9);
  }
  await page.locator('[data-take="2"]').click();
  await settle(page);
  assert.equal(await state(page, () => window.armature.studio.undoLabel), 'take solution 2');
  assert.ok(distance(await state(page, (l) => window.armature.position(l), link), here.position) < 1e-9);
  assert.deepEqual(errors, []);
  await context.close();
});
