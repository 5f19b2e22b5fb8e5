// Build's tools: keys, live IK, the mirror that is seen before it is taken, copies, planes, parts, handles; by hand, by keys alone and on a phone.
import assert from 'node:assert/strict';
import { BIG, browser, distance, server, shot, state, test } from './harness.mjs';
import { open, settle } from './support.mjs';

const start = async (options = BIG, fragment = '#/build') => {
  const opened = await open(browser, `${server.url}${fragment}`, options);
  await opened.page.waitForFunction(() => window.armature.studio.open && window.armature.studio.mode === 'build');
  await settle(opened.page);
  return opened;
};
const screen = (page, at) => state(page, (p) => { const q = window.armature.views.stage.camera.project(p); const box = document.querySelector('[data-stage]').getBoundingClientRect(); return { x: box.left + q.x, y: box.top + q.y }; }, at);
const draw = async (page, from, to) => {
  const [a, b] = [await screen(page, from), await screen(page, to)];
  await page.mouse.move(a.x, a.y);
  await page.mouse.down();
  for (let i = 1; i <= 3; i++) { await page.mouse.move(a.x + ((b.x - a.x) * i) / 3, a.y + ((b.y - a.y) * i) / 3); await settle(page); }
  await page.mouse.up();
  await settle(page);
};
const hash = (page) => state(page, () => window.armature.hash());
const entries = (page) => state(page, () => window.armature.studio.entries.done);
const links = (page) => state(page, () => window.armature.studio.model.links.map((l) => l.name).filter((n) => !n.endsWith('_tip')));
const end = (page, link) => state(page, (l) => window.armature.build.anchors().find((a) => a.link === l).world, link);
const select = async (page, joint) => { await state(page, (name) => window.armature.studio.select({ kind: 'joint', name }), joint); await settle(page); };
const press = async (page, keys) => { await page.focus('[data-stage]'); await page.keyboard.press(keys); await settle(page); };
const leg = async (page) => { await draw(page, [0, 0.6, 0], [0.1, 0.3, 0]); await draw(page, await end(page, 'link_1'), [0, 0, 0]); };

await test('build: every tool has its key, Shift shows; T opens the types at the pointer; Ctrl D hangs a copy on the pointer', async () => {
  const { page, context, errors } = await start();
  await leg(page);
  for (const [key, tool] of [['v', 'select'], ['d', 'draw'], ['l', 'length'], ['a', 'limits'], ['c', 'close'], ['s', 'shape']]) {
    await press(page, key);
    assert.equal(await page.locator('[data-build-tool][aria-pressed=true]').getAttribute('data-build-tool'), tool);
  }
  const shown = await state(page, () => ({ ...window.armature.ui.show }));
  await press(page, 'Shift+A');
  assert.equal(await state(page, () => window.armature.ui.show.limits), !shown.limits);
  await press(page, 'Shift+A');
  // Joint type, by keys alone.
  await select(page, 'joint_2');
  const at = await screen(page, [-0.3, 0.5, 0]);
  await page.mouse.move(at.x, at.y);
  await press(page, 't');
  const strip = page.locator('[role=dialog][aria-label="Joint type"]');
  const box = await strip.boundingBox();
  assert.ok(Math.hypot(box.x - at.x, box.y - at.y) < 4, `${JSON.stringify(box)} at the pointer`);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await settle(page);
  assert.equal(await strip.count(), 0);
  assert.equal(await state(page, () => window.armature.build.joint.type), 'prismatic');
  await press(page, 'Control+z');
  // A copy of the shin on the hip: Esc drops it, a click on a place where links meet takes it.
  const before = await hash(page);
  const done = await entries(page);
  await press(page, 'Control+d');
  await page.mouse.move(at.x, at.y);
  await settle(page);
  assert.equal(await page.locator('[data-preview=copy] path').count(), 1);
  await page.keyboard.press('Escape');
  await settle(page);
  assert.equal(await page.locator('[data-preview=copy]').count(), 0);
  assert.equal(await hash(page), before);
  await select(page, 'joint_2');
  await press(page, 'Control+d');
  const knee = await screen(page, await end(page, 'link_2'));
  await page.mouse.move(knee.x, knee.y);
  await page.mouse.down();
  await page.mouse.up();
  await settle(page);
  assert.deepEqual(await links(page), ['ground', 'link_1', 'link_2', 'link_3']);
  assert.equal(await entries(page), done + 1);
  const [a, b, c] = [await end(page, 'link_1'), await end(page, 'link_2'), await end(page, 'link_3')];
  assert.ok(distance([b[0] - a[0], b[1] - a[1], 0], [c[0] - b[0], c[1] - b[1], 0]) < 1e-9, 'turned as the original');
  await press(page, 'Control+z');
  assert.equal(await hash(page), before);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('build: thickness by its side, arrows move an end, Tab walks the joints, Ctrl keeps the length; each undone', async () => {
  const { page, context, errors } = await start();
  await leg(page);
  await select(page, 'joint_1');
  await press(page, 's');
  const [a, b] = [await screen(page, [0.05, 0.45, 0]), await screen(page, [0.145, 0.4817, 0])]; // 0.1 across
  await page.mouse.move(a.x, a.y);
  await page.mouse.down();
  await page.mouse.move(b.x, b.y, { steps: 3 });
  await page.mouse.up();
  await settle(page);
  const radius = await state(page, () => window.armature.build.json.links[1].visuals[0].geometry.radius);
  assert.ok(Math.abs(radius - 0.1) < 0.006, `${radius}`);
  const [before, done] = [await hash(page), await entries(page)];
  await select(page, 'joint_2');
  for (let i = 0; i < 2; i++) await press(page, 'ArrowRight');
  await press(page, 'Shift+ArrowUp');
  const to = await end(page, 'link_2');
  const step = await state(page, () => window.armature.plane.stepLength);
  assert.ok(distance(to, [2 * step, 0.1 * step, 0]) < 1e-9, `${to}`);
  assert.ok(distance(await end(page, 'link_1'), [0.1, 0.3, 0]) < 1e-12, 'the knee stays');
  while ((await entries(page)) > done) await press(page, 'Control+z'); // one entry, where the keys come within a second
  assert.equal(await hash(page), before);
  await state(page, () => window.armature.studio.select(null));
  const walked = [];
  for (const keys of ['Tab', 'Tab', 'Shift+Tab']) { await press(page, keys); walked.push(await state(page, () => window.armature.build.joint?.name)); }
  assert.deepEqual(walked, ['joint_1', 'joint_2', 'joint_1']);
  await press(page, 'd');
  const [from, toward] = [await screen(page, [0.5, 0, 0]), await screen(page, [0.9, 0, 0])];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(toward.x - 8, toward.y);
  await page.keyboard.down('Control');
  await page.mouse.move(toward.x, toward.y);
  await settle(page);
  await page.mouse.up();
  await page.keyboard.up('Control');
  await settle(page);
  assert.ok(Math.abs(distance(await end(page, 'link_3'), [0.5, 0, 0]) - Math.hypot(0.1, 0.3)) < 1e-9, `${await end(page, 'link_3')}`);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('build: Live IK on solves a dragged tip as in Pose, off it is not there', async () => {
  const { page, context, errors } = await start();
  await leg(page);
  const toggle = page.locator('[role=switch][aria-label="Live IK"]');
  assert.equal(await toggle.getAttribute('aria-checked'), 'true');
  await press(page, 'v');
  const done = await entries(page);
  const at = await end(page, 'link_2');
  await draw(page, at, [0.15, 0.1, 0]);
  assert.ok(distance(await end(page, 'link_2'), [0.15, 0.1, 0]) < 0.02);
  assert.match(await page.locator('footer').innerText(), /^Reached/);
  assert.equal(await entries(page), done + 1);
  assert.match(await page.locator('.live .chip').innerText(), /Reached/);
  await shot(page, 'build-live-ik');
  await press(page, 'Control+z');
  await toggle.click();
  await settle(page);
  assert.equal(await page.locator('[data-stage] .overlay').evaluate((o) => /link_2_tip/.test(o.textContent)), false, 'no goal is drawn');
  const knee = await end(page, 'link_1');
  await draw(page, await end(page, 'link_2'), [0.25, 0.05, 0]);
  assert.ok(distance(await end(page, 'link_1'), knee) < 1e-9, 'only the joint in hand turns');
  await page.keyboard.press('d');
  await toggle.click();
  assert.equal(await state(page, () => window.armature.build.tool), 'select', 'switched on, tips can be dragged at once');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('build: a mirror is seen before it is taken, lives with its original, and is one undo entry', async () => {
  const { page, context, errors } = await start();
  await page.click('[aria-label="Plane or space"] button:has-text("3-D")');
  await settle(page);
  await page.click('[aria-label^="Plane:"]');
  await page.click('[role=option]:has-text("XZ")');
  await settle(page);
  await state(page, () => { const { build, studio } = window.armature; build.apply('body', { ...build.json, links: [...build.json.links, { name: 'right_thigh', visuals: [{ geometry: { type: 'capsule', radius: 0.03, length: 0.4 }, origin: { xyz: [0.2, 0, 0], rpy: [0, Math.PI / 2, 0] } }] }], joints: [...build.json.joints, { name: 'right_hip', type: 'revolute', parent: 'ground', child: 'right_thigh', origin: { xyz: [0, -0.2, 0.8], rpy: [Math.PI / 2, Math.PI / 2, 0] }, axis: [0, 0, 1] }] }); studio.select({ kind: 'joint', name: 'right_hip' }); });
  await draw(page, await end(page, 'right_thigh'), [0.1, -0.2, 0.1]);
  await state(page, () => { const { build } = window.armature; build.rename('link', 'link_1', 'right_shin'); build.rename('joint', 'joint_1', 'right_knee'); window.armature.studio.select({ kind: 'joint', name: 'right_hip' }); });
  await settle(page);
  const [before, count] = [await hash(page), (await links(page)).length];
  await press(page, 'm');
  assert.equal(await page.locator('[data-preview=mirror] path').count(), 2);
  assert.equal(await hash(page), before, 'a preview changes nothing');
  assert.match(await page.locator('[role=tree]').innerText(), /left_thigh\s*mirror/);
  assert.match(await page.locator('section[aria-label="Checks"]').innerText(), /2 links are mirror previews/);
  assert.equal(await page.locator('[aria-label="Mirror plane"] [aria-checked=true]').innerText(), 'XZ', 'to the side that it stands on');
  const drawn = () => page.locator('[data-preview=mirror] path').first().getAttribute('d');
  const old = await drawn();
  await state(page, () => { const { studio } = window.armature; studio.begin('turn'); studio.setPoseLive([0.3, 0]); studio.end(); });
  await settle(page);
  assert.notEqual(await drawn(), old, 'it moves with its original');
  await shot(page, '20-build-mirror');
  await press(page, 'Enter');
  const made = await links(page);
  assert.deepEqual(made.filter((n) => n.startsWith('left_')).sort(), ['left_shin', 'left_thigh']);
  assert.equal(made.length, count + 2);
  assert.equal(await page.locator('[data-preview=mirror]').count(), 0);
  // At rest, and with the same angles, both legs are images of each other.
  for (const q of [0, 0.4]) {
    await state(page, (v) => window.armature.studio.rig.setPose(Array(4).fill(v)), q);
    const [r, l] = [await end(page, 'right_shin'), await end(page, 'left_shin')];
    assert.ok(distance([r[0], -r[1], r[2]], l) < 1e-9, `${r} ${l}`);
  }
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  assert.equal(await hash(page), before);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('build: planes of a solid linkage, steps and angles; what leaves the plane cannot be laid back on it', async () => {
  const { page, context, errors } = await start();
  const choose = async (list, word) => { await page.click(`[aria-label^="${list}:"]`); await page.locator('[role=option]').getByText(word, { exact: true }).click(); await settle(page); };
  await choose('Steps', '0.01');
  await choose('Angles', '15°');
  await draw(page, [0, 0, 0], [0.301, 0.083, 0]);
  assert.ok(distance(await end(page, 'link_1'), [0.31 * Math.cos(Math.PI / 12), 0.31 * Math.sin(Math.PI / 12), 0]) < 1e-9, `${await end(page, 'link_1')}`);
  const flat = await hash(page);
  await page.click('[aria-label="Plane or space"] button:has-text("3-D")');
  await settle(page);
  const stood = await end(page, 'link_1');
  assert.ok(Math.abs(stood[1]) < 1e-9 && stood[2] > 0.08, `it stands upright, ${stood}`);
  assert.equal(await page.locator('[aria-label="Plane or space"] button:has-text("Planar")').isDisabled(), false);
  await choose('Angles', 'Any angle');
  for (const [name, axis] of [['XY', 2], ['XZ', 1], ['YZ', 0]]) {
    await choose('Plane', name);
    const from = await end(page, 'link_1');
    assert.match(await page.locator('[aria-label^="Plane:"]').innerText(), new RegExp(`^${name}`));
    assert.equal(await page.locator('[data-plane]').count(), 1);
    const to = [from[0] + 0.2, from[1] + 0.15, from[2] + 0.1];
    to[axis] = from[axis];
    const made = (await links(page)).length;
    await draw(page, from, to);
    const drawn = await end(page, `link_${made}`);
    assert.ok(Math.abs(drawn[axis] - from[axis]) < 1e-9 && distance(drawn, to) < 0.03, `${name}: ${drawn} for ${to}`);
    if (name !== 'YZ') await page.keyboard.press('Control+z');
    await settle(page);
  }
  await shot(page, 'build-plane');
  assert.equal(await page.locator('[aria-label="Plane or space"] button:has-text("Planar")').isDisabled(), true);
  for (let i = 0; i < 2; i++) await page.keyboard.press('Control+z');
  await settle(page);
  assert.equal(await hash(page), flat);
  assert.equal(await state(page, () => window.armature.studio.model.planar), true);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('build: a slide’s rail and a ball’s cone are pulled by their handles; the fields say the same', async () => {
  const { page, context, errors } = await start();
  await leg(page);
  const handle = (side) => state(page, (s) => { const b = document.querySelector(`[data-limit="${s}"]`).getBoundingClientRect(); return { x: b.left + b.width / 2, y: b.top + b.height / 2 }; }, side);
  const pull = async (side, dx, dy) => {
    const from = await handle(side);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x + dx, from.y + dy, { steps: 4 });
    await settle(page);
    await page.mouse.up();
    await settle(page);
  };
  await state(page, () => window.armature.build.setType('joint_1', 'prismatic'));
  await state(page, () => window.armature.build.setAxis('joint_1', [1, 0, 0]));
  await select(page, 'joint_1');
  await press(page, 'a');
  assert.equal(await page.locator('[data-rail]').count(), 1);
  const range = () => state(page, () => { const j = window.armature.studio.model.joints[window.armature.studio.rig.joint('joint_1')]; return [j.lower[0], j.upper[0]]; });
  assert.deepEqual(await range(), [-Infinity, Infinity]);
  const along = await state(page, () => { const { studio, views } = window.armature; const a = studio.rig.frames.slice(16, 19); const k = views.stage.camera.pixelsPerUnit(); return [a[0] * k, -a[1] * k, studio.model.reach]; });
  await pull('upper', 0.1 * along[0], 0.1 * along[1]);
  const [low, high] = await range();
  assert.ok(Math.abs(high - (0.25 * along[2] + 0.1)) < 0.03 && Math.abs(low + 0.25 * along[2]) < 1e-9, `${low} ${high}`);
  assert.match(await page.locator('[aria-label="Upper limit of joint_1"]').innerText(), new RegExp(high.toPrecision(3).replace(/0+$/, '')));
  await shot(page, 'build-rail');
  await state(page, () => window.armature.build.setType('joint_1', 'spherical'));
  await settle(page);
  await select(page, 'joint_1');
  const swing = () => state(page, () => window.armature.studio.model.joints[window.armature.studio.rig.joint('joint_1')].swing ?? Math.PI);
  assert.ok((await swing()) > 3.1);
  const done = await entries(page);
  const center = await screen(page, await state(page, () => Array.from(window.armature.studio.rig.frames.slice(28, 31))));
  const from = await handle('upper');
  await pull('upper', (center.x - from.x) * 0.3 + (from.y - center.y) * 0.5, (center.y - from.y) * 0.3 - (from.x - center.x) * 0.5);
  const first = await swing();
  assert.ok(first < 3.1 && Math.abs(first / (Math.PI / 36) - Math.round(first / (Math.PI / 36))) < 1e-9, `${first}`);
  assert.equal(await entries(page), done + 1);
  assert.match(await page.locator('[aria-label="Swing of joint_1"]').innerText(), new RegExp(((first * 180) / Math.PI).toFixed(1)));
  await shot(page, 'build-cone');
  await page.click('button:has-text("No limits")');
  assert.ok((await swing()) > 3.1);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('build: parts from nothing and on a link; loops close, one undo entry each', async () => {
  for (const [part, dof, mobility] of [['Two-link arm', 2, 2], ['Finger', 3, 3], ['Leg', 4, 4], ['Four-bar', 3, 1], ['SCARA', 3, 3], ['Slider-crank', 3, 1]]) {
    const { page, context, errors } = await start();
    const before = await hash(page);
    await page.click(`[data-part="${part}"]`);
    await settle(page);
    const made = await state(page, () => { const { model } = window.armature.studio; return [model.dof, model.closures.length ? model.mobility : model.dof, window.armature.build.problem]; });
    assert.deepEqual(made, [dof, mobility, ''], part);
    assert.equal(await page.locator('.invite').count(), 0);
    if (part === 'SCARA') await shot(page, 'build-part');
    await page.keyboard.press('Control+z');
    assert.equal(await hash(page), before);
    assert.deepEqual(errors, []);
    await context.close();
  }
  const { page, context, errors } = await start();
  await draw(page, [0, 0, 0], [0.4, 0, 0]);
  await page.click('[role=tab]:has-text("Parts")');
  assert.match(await page.locator('section.dock').innerText(), /goes to the end of link_1/);
  await page.click('[data-part="Two-link arm"]');
  await settle(page);
  assert.deepEqual(await state(page, () => window.armature.build.json.joints.filter((j) => !j.name.endsWith('_mount')).map((j) => [j.name, j.parent])), [['joint_1', 'ground'], ['shoulder', 'link_1'], ['elbow', 'upper']]);
  await shot(page, 'build-parts-dock');
  // A leg on a link that was drawn in space hangs down, whichever way the link's own axes point.
  await page.click('button:has-text("Checks")');
  await page.click('button:has-text("Begin anew")');
  await page.click('[aria-label="Plane or space"] button:has-text("3-D")');
  await settle(page);
  await page.click('[aria-label^="Plane:"]');
  await page.locator('[role=option]').getByText('XZ', { exact: true }).click();
  await draw(page, [0, 0, 0.6], [0.3, 0, 0.6]);
  await page.click('[role=tab]:has-text("Parts")');
  await page.click('[data-part="Leg"]');
  await settle(page);
  const [hip, foot] = [await end(page, 'link_1'), await end(page, 'shin')];
  assert.ok(foot[2] < hip[2] - 0.5 && Math.abs(foot[1] - hip[1]) < 1e-9, `${hip} ${foot}`);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('build: on a phone the views hold Build, its bar the tools; a link by one finger, nothing sideways', async () => {
  const { page, context, errors } = await open(browser, `${server.url}#/pose?model=planar_arm`, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await page.waitForFunction(() => window.armature.studio.open);
  await settle(page);
  await page.click('[role=tablist][aria-label="View"] [role=tab]:has-text("Build")');
  await settle(page);
  assert.equal(await state(page, () => window.armature.studio.mode), 'build');
  assert.deepEqual(await page.locator('.phone > nav [role=tab]').allInnerTexts(), ['Draw', 'Joint', 'Tip', 'Mirror', 'More']);
  await page.click('.phone > nav [role=tab]:has-text("More")');
  await page.click('button:has-text("Begin anew")');
  await settle(page);
  assert.equal(await page.locator('h1:has-text("Drag to draw the first link")').count(), 1);
  await shot(page, '22-build-phone-empty');
  await page.click('.phone > nav [role=tab]:has-text("Draw")');
  const [a, b] = [await screen(page, [0, 0, 0]), await screen(page, [0.2, 0.2, 0])];
  const touch = await context.newCDPSession(page);
  const send = (type, p) => touch.send('Input.dispatchTouchEvent', { type, touchPoints: p ? [p] : [] });
  await send('touchStart', a);
  for (let i = 1; i <= 4; i++) { await send('touchMove', { x: a.x + ((b.x - a.x) * i) / 4, y: a.y + ((b.y + 56 - a.y) * i) / 4 }); await settle(page); }
  await send('touchEnd');
  await settle(page);
  assert.deepEqual(await links(page), ['ground', 'link_1']);
  assert.equal(await state(page, () => document.documentElement.scrollWidth), 390);
  await shot(page, '22-build-phone');
  assert.deepEqual(errors, []);
  await context.close();
});
