// Build: names in the tree, axes by hand, checks that mend, fingers, rods and units.
import assert from 'node:assert/strict';
import { BIG, browser, distance, server, shot, state, test } from './harness.mjs';
import { open, settle } from './support.mjs';

const start = async (fragment = '#/build', options = BIG) => {
  const opened = await open(browser, `${server.url}${fragment}`, options);
  await opened.page.waitForFunction(() => window.armature.studio.open && window.armature.studio.mode === 'build');
  await settle(opened.page);
  return opened;
};
const screen = (page, at) => state(page, (p) => { const q = window.armature.views.stage.camera.project(p); const box = document.querySelector('[data-stage]').getBoundingClientRect(); return { x: box.left + q.x, y: box.top + q.y }; }, at);
const drag = async (page, a, b) => {
  await page.mouse.move(a.x, a.y);
  await page.mouse.down();
  for (let i = 1; i <= 3; i++) { await page.mouse.move(a.x + ((b.x - a.x) * i) / 3, a.y + ((b.y - a.y) * i) / 3); await settle(page); }
  await page.mouse.up();
  await settle(page);
};
const draw = async (page, from, to) => drag(page, await screen(page, from), await screen(page, to));
const end = (page, link) => state(page, (l) => window.armature.build.anchors().find((a) => a.link === l).world, link);
const leg = async (page) => { await draw(page, [0, 0.6, 0], [0.1, 0.3, 0]); await draw(page, await end(page, 'link_1'), [0, 0, 0]); };
const hash = (page) => state(page, () => window.armature.hash());
const entries = (page) => state(page, () => window.armature.studio.entries.done);
const select = async (page, joint) => { await state(page, (name) => window.armature.studio.select({ kind: 'joint', name }), joint); await settle(page); };
const joint = (page, name) => state(page, (n) => window.armature.build.json.joints.find((j) => j.name === n), name);

await test('build: the empty view shows what to do, whole, at every size; it leaves with the first stroke', async () => {
  for (const [name, viewport, drawn] of [['1440', { width: 1440, height: 900 }, true], ['1280', { width: 1280, height: 720 }, false], ['tablet', { width: 820, height: 1180 }, true], ['phone', { width: 390, height: 844 }, true]]) {
    const { page, context, errors } = await start('#/build', { viewport, ...(viewport.width < 1000 ? { hasTouch: true, isMobile: true } : {}) });
    await shot(page, `build-empty-${name}`);
    assert.equal(await page.locator('.invite .demo').isVisible(), drawn, name);
    const box = await page.locator('.invite').evaluate((el) => { const outer = document.querySelector('[data-stage]').getBoundingClientRect(); const inside = [...el.children].filter((c) => c.getClientRects().length).map((c) => c.getBoundingClientRect()); return { top: Math.min(...inside.map((r) => r.top)) - outer.top, bottom: outer.bottom - Math.max(...inside.map((r) => r.bottom)) }; });
    assert.ok(box.top >= 0 && box.bottom >= 0, `${name}: ${JSON.stringify(box)}`);
    await draw(page, [0, 0, 0], [0.2, 0.2, 0]);
    assert.equal(await page.locator('.invite').count(), 0);
    assert.deepEqual(errors, []);
    await context.close();
  }
});

await test('build: the address of a solid linkage opens in Build; its plane is named as the view turns', async () => {
  const { page, context, errors } = await start('#/build?model=panda', { viewport: { width: 1280, height: 720 } });
  assert.deepEqual(errors, []);
  assert.equal(await page.locator('[role=toolbar][aria-label="Build tools"]').count(), 1);
  const words = page.locator('[aria-label^="Plane:"]');
  for (const [axis, name] of [['z', 'XY'], ['x', 'YZ'], ['y', 'XZ']]) {
    await state(page, (a) => window.armature.views.stage.look(a, 1), axis);
    await settle(page);
    assert.match(await words.innerText(), new RegExp(`^${name}`));
  }
  await context.close();
});

await test('build: names are changed in the tree; one that is taken says so; pose, goal and tip stay with their link', async () => {
  const { page, context, errors } = await start();
  await leg(page);
  await state(page, () => { const { studio } = window.armature; studio.begin('turn'); studio.setPoseLive([0.3, -0.4]); studio.end(); });
  await settle(page);
  const before = { hash: await hash(page), done: await entries(page), q: await state(page, () => window.armature.studio.scene.q), goals: await state(page, () => window.armature.studio.scene.goals.map((g) => g.position)) };
  const row = (id) => page.locator(`[data-row="${id}"]`);
  const field = page.locator('[role=tree] input');
  await row('joint:joint_1').dblclick();
  await settle(page);
  assert.equal(await field.getAttribute('aria-label'), 'New name of joint_1');
  assert.deepEqual(await state(page, () => { const f = document.querySelector('[role=tree] input'); return [document.activeElement === f, f.selectionEnd - f.selectionStart]; }), [true, 7], 'ready to type over');
  await page.keyboard.type('joint_2');
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('[role=tree] [role=alert]').innerText(), 'joint_2 is already a joint. Try joint_3.');
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  await shot(page, 'build-rename-taken');
  await page.keyboard.press('Escape');
  assert.equal(await field.count(), 0);
  assert.equal(await hash(page), before.hash, 'the old name stays');
  await page.keyboard.press('F2'); // on the row, which has the focus again
  await page.keyboard.type('hip');
  await page.keyboard.press('Enter');
  await settle(page);
  assert.equal(await state(page, () => document.activeElement.dataset.row), 'joint:hip');
  // From the view: the selected one. A goal's link takes its tip along.
  await select(page, 'joint_2');
  await page.focus('[data-stage]');
  await page.keyboard.press('F2');
  await page.keyboard.type('knee');
  await page.keyboard.press('Enter');
  await row('link:link_2').dblclick();
  await page.keyboard.type('shin');
  await page.keyboard.press('Enter');
  await settle(page);
  const after = await state(page, () => { const { build, studio } = window.armature; return { joints: build.json.joints.map((j) => `${j.name} ${j.child}`), goals: studio.scene.goals.map((g) => g.link), at: studio.scene.goals.map((g) => g.position), q: studio.scene.q, effectors: build.json.effectors }; });
  assert.deepEqual(after.joints, ['hip link_1', 'knee shin', 'shin_tip_mount shin_tip']);
  assert.deepEqual([after.goals, after.effectors], [['shin_tip'], ['shin_tip']]);
  assert.deepEqual([after.q, after.at], [before.q, before.goals], 'nothing moved');
  assert.equal(await entries(page), before.done + 3);
  await shot(page, 'build-renamed');
  for (let i = 0; i < 3; i++) await page.keyboard.press('Control+z');
  await settle(page);
  assert.equal(await hash(page), before.hash);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('build: an axis is turned by the end of its line; it snaps to the world, to its own frame and to the plane; one undo entry', async () => {
  const { page, context, errors } = await start();
  await page.click('[aria-label="Plane or space"] button:has-text("3-D")');
  await settle(page);
  await page.click('[aria-label^="Plane:"]');
  await page.locator('[role=option]').getByText('XZ', { exact: true }).click();
  await draw(page, [0, 0, 0.5], [0.3, 0, 0.3]);
  await draw(page, await end(page, 'link_1'), [0.6, 0, 0.5]);
  await state(page, () => { const { studio } = window.armature; studio.begin('turn'); studio.setPoseLive([0.3, -0.5]); studio.end(); });
  await select(page, 'joint_2');
  assert.equal(await page.locator('[data-axis]').count(), 0, 'not while one draws');
  await page.focus('[data-stage]');
  await page.keyboard.press('v');
  await settle(page);
  const word = () => page.locator('[data-axis]').getAttribute('data-axis');
  assert.equal(await word(), 'Y', 'across the plane that it was drawn on');
  const handle = () => state(page, () => { const b = document.querySelector('[data-axis] circle').getBoundingClientRect(); return { x: b.left + b.width / 2, y: b.top + b.height / 2 }; });
  // The axis in the world, from what the core computed: where a turn about it takes nothing.
  const axis = () => state(page, () => { const { rig, model } = window.armature.studio; const j = model.joints[rig.joint('joint_2')]; const m = rig.frames.slice(16 * j.child, 16 * j.child + 16); return [0, 1, 2].map((r) => m[r] * j.axis[0] + m[4 + r] * j.axis[1] + m[8 + r] * j.axis[2]); });
  // Where its end would be, were the axis this way.
  const toward = (way) => state(page, (d) => { const { views, studio } = window.armature; const { camera } = views.stage; const j = studio.model.joints[studio.rig.joint('joint_2')]; const c = Array.from(studio.rig.frames.slice(16 * j.child + 12, 16 * j.child + 15)); const k = 64 / camera.pixelsPerUnit(c) / Math.hypot(...d); const q = camera.project(c.map((v, i) => v + k * d[i])); const box = document.querySelector('[data-stage]').getBoundingClientRect(); return { x: box.left + q.x, y: box.top + q.y }; }, way);
  const near = async (a, b, why) => { const d = await axis(); assert.ok(Math.abs(distance(d, [0, 0, 0]) - 1) < 1e-9 && Math.min(distance(d, b), distance(d, b.map((v) => -v))) < 1e-9, `${why}: ${d}`); assert.equal(await word(), a); };
  // Drags in one moment: each is an entry of its own, on a fast machine too.
  await state(page, () => { const now = Date.now(); Date.now = () => now; });
  const before = await hash(page);
  const done = await entries(page);
  const at = await handle();
  assert.ok(Math.hypot(at.x - (await toward(await axis())).x, at.y - (await toward(await axis())).y) < 1.5, 'the end is drawn where the axis points');
  await drag(page, at, await toward([1, 0.05, 0.04]));
  await near('X', [1, 0, 0], 'snapped to the world');
  assert.equal(await entries(page), done + 1);
  await shot(page, 'build-axis');
  // Slanted, in the plane that is drawn on (XZ).
  await drag(page, await handle(), await toward([1, -0.06, 0.8]));
  const [x, y, z] = await axis();
  assert.ok(Math.abs(y) < 1e-9 && Math.abs(z / x - 0.8) < 0.15, `${[x, y, z]}`);
  assert.equal(await word(), 'in the plane');
  const fields = await Promise.all(['X', 'Y', 'Z'].map((l) => page.locator(`[aria-label="Axis ${l} of joint_2"]`).getAttribute('aria-valuenow')));
  assert.ok(Math.abs(Math.hypot(...fields.map(Number)) - 1) < 1e-5, `the fields say it: ${fields}`);
  // Shift: where the pointer is. Escape: as it was.
  const slanted = await hash(page);
  const from = await handle();
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  const x2 = await toward([1, -0.06, 0.04]);
  await page.mouse.move(x2.x, x2.y, { steps: 3 });
  await settle(page);
  await shot(page, 'build-axis-drag');
  await page.keyboard.press('Escape');
  await page.mouse.up();
  assert.equal(await hash(page), slanted);
  await page.keyboard.down('Shift');
  await drag(page, await handle(), await toward([1, -0.06, 0.04]));
  await page.keyboard.up('Shift');
  assert.ok(distance(await axis(), [1, 0, 0]) > 0.01 && distance(await axis(), [1, 0, 0]) < 0.3, `${await axis()}`);
  for (let i = 0; i < 3; i++) await page.keyboard.press('Control+z');
  await settle(page);
  assert.equal(await hash(page), before);
  // The field of a component, and a slide of a flat linkage, which stays in its plane.
  await page.locator('[aria-label="Axis"] [role=radio]').first().click();
  await settle(page);
  assert.deepEqual((await joint(page, 'joint_2')).axis, [1, 0, 0]);
  await page.click('button:has-text("Begin anew")');
  await settle(page);
  await leg(page);
  await select(page, 'joint_2');
  await page.keyboard.press('v');
  assert.equal(await page.locator('[data-axis]').count(), 0, 'a flat hinge has none to turn');
  await state(page, () => { const { build } = window.armature; build.setType('joint_2', 'prismatic'); build.setAxis('joint_2', [1, 0, 0]); });
  await settle(page);
  await drag(page, await handle(), await toward([0.02, 1, 0]));
  await near('Y', [0, 1, 0], 'flat');
  assert.equal(await state(page, () => window.armature.studio.model.planar), true);
  await shot(page, 'build-axis-flat');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('build: a check selects what it is about, and its button mends it, one undo entry each', async () => {
  const { page, context, errors } = await start();
  await page.click('[data-part="Four-bar"]');
  await settle(page);
  const rows = page.locator('section[aria-label="Checks"] .row');
  const said = (text) => rows.filter({ hasText: text });
  const mend = async (text, label) => {
    const [done, before] = [await entries(page), await hash(page)];
    assert.equal(await said(text).count(), 1, `${text} in: ${await rows.allInnerTexts()}`);
    await said(text).getByRole('button', { name: label, exact: true }).click();
    await settle(page);
    assert.equal(await said(text).count(), 0, `mended, but: ${await rows.allInnerTexts()}`);
    assert.equal(await entries(page), done + 1);
    assert.notEqual(await hash(page), before);
  };
  const change = async (f) => { await state(page, `(() => { const { build } = window.armature; const json = structuredClone(build.json); (${f})(json); build.apply('test', json); })()`); await settle(page); };
  const [crank, coupler] = await state(page, () => window.armature.build.json.joints.filter((j) => j.type === 'revolute').map((j) => j.name));
  await shot(page, 'build-checks-drive');
  await state(page, () => window.armature.studio.select(null));
  await said('No drive is chosen').getByRole('button', { name: /^No drive/ }).click();
  assert.deepEqual(await state(page, () => ({ ...window.armature.studio.selected })), { kind: 'joint', name: crank }, 'a click on the sentence selects the joint');
  await mend('No drive is chosen', `Drive ${crank}`);
  assert.deepEqual(await state(page, () => window.armature.build.json.drives), [crank]);
  await change(`(json) => json.drives.push('${coupler}')`);
  await mend('The drives fight', `Do not drive ${coupler}`);
  assert.deepEqual(await state(page, () => window.armature.build.json.drives), [crank]);
  // A pin that stands out of the plane: no joint can bring it back.
  await change('(json) => { json.closures[0].b.origin = { ...json.closures[0].b.origin, xyz: [...json.closures[0].b.origin.xyz.slice(0, 2), 0.0032] }; }');
  assert.equal(await page.locator('section[aria-label="Checks"] .tone-bad').count() > 0, true);
  assert.match(await page.locator('footer').innerText(), /^Does not close/);
  await shot(page, 'build-checks-plane');
  await mend('can never close', 'Move to plane');
  assert.ok(await state(page, () => { const { rig, scene } = window.armature.studio; const m = rig.core.mechanism(scene.q); return m.assembled && m.mobility === 1 && m.closure_error < 1e-9; }));
  await change('(json) => json.effectors.push("gone")');
  await mend("The effector 'gone' is not a link", 'Forget it');
  await change(`(json) => { for (const [name, at] of [['${crank}', 0], ['${coupler}', 3]]) json.joints.find((j) => j.name === name).limits = { lower: at, upper: at + 0.1 }; }`);
  await mend('inside the limits', 'Remove its limits');
  assert.deepEqual(errors, []);
  await context.close();
});

for (const [name, viewport] of [['tablet', { width: 820, height: 1180 }], ['phone', { width: 390, height: 844 }]]) {
  await test(`touch, ${name}: a long press opens the types of a joint in Build and the menu in Pose; what is drawn or dragged floats above the finger`, async () => {
    const { page, context, errors } = await start('#/build', { viewport, hasTouch: true, isMobile: true });
    await page.click('[aria-label^="Steps:"]');
    await page.locator('[role=option]').getByText('Off', { exact: true }).click();
    await draw(page, [-0.2, 0, 0], [0, 0.2, 0]);
    await draw(page, await end(page, 'link_1'), [0.15, 0.05, 0]);
    const client = await context.newCDPSession(page);
    const send = (type, p) => client.send('Input.dispatchTouchEvent', { type, touchPoints: p ? [p] : [] });
    const hold = async (p) => { await send('touchStart', p); await page.waitForTimeout(600); await send('touchEnd'); await settle(page); };
    const done = await entries(page);
    // Drawing: the point is 56 px above the finger, with a line between them.
    const [a, b] = [await screen(page, await end(page, 'link_2')), await screen(page, [-0.25, -0.25, 0])];
    await send('touchStart', a);
    for (const t of [0.25, 0.5, 0.75, 1]) { await send('touchMove', { x: a.x + (b.x - a.x) * t, y: a.y + (b.y + 56 - a.y) * t }); await settle(page); }
    await page.waitForFunction((b) => { const r = document.querySelector('[data-finger]')?.getBoundingClientRect(); return r && r.height > 70 && Math.abs(r.x + r.width / 2 - b.x) < 3; }, b);
    await shot(page, `build-finger-${name}`);
    await send('touchEnd');
    await settle(page);
    assert.equal(await page.locator('[data-finger]').count(), 0);
    assert.ok(distance(await end(page, 'link_3'), [-0.25, -0.25, 0]) < 0.02, `${await end(page, 'link_3')}`);
    // Held on a joint, let go where it was.
    await state(page, () => window.armature.studio.select(null));
    const [, knee] = [0, await screen(page, await state(page, () => { const [p, q] = window.armature.build.axisOf('link_2'); return p.map((v, i) => 0.6 * v + 0.4 * q[i]); }))];
    await hold(knee);
    const strip = page.locator('[role=dialog][aria-label="Joint type"]');
    assert.equal(await strip.count(), 1);
    assert.equal(await state(page, () => window.armature.build.joint.name), 'joint_2');
    await shot(page, `build-long-press-${name}`);
    const s = await strip.boundingBox();
    assert.ok(s.x >= 0 && s.x + s.width <= viewport.width && s.y >= 0 && s.y + s.height <= viewport.height, JSON.stringify(s));
    await strip.locator('[role=radio]:has-text("Slide")').tap();
    await settle(page);
    assert.equal((await joint(page, 'joint_2')).type, 'prismatic');
    assert.equal(await entries(page), done + 2);
    // Pose: the menu of the joint; a short tap has none.
    await state(page, () => { window.armature.studio.undo(); });
    await page.focus('[data-stage]');
    await page.keyboard.press('1');
    await settle(page);
    const shin = await screen(page, await state(page, () => { const [p, q] = window.armature.build.axisOf('link_1'); return p.map((v, i) => 0.5 * (v + q[i])); }));
    await page.touchscreen.tap(shin.x, shin.y);
    await settle(page);
    assert.equal(await page.locator('[role=menu]').count(), 0);
    await hold(shin);
    assert.equal(await page.locator('[role=menu][aria-label="What can be done here"]').count(), 1);
    await shot(page, `pose-long-press-${name}`);
    await page.locator('[role=menuitem]:has-text("Lock joint")').tap();
    await settle(page);
    assert.deepEqual(await state(page, () => window.armature.studio.scene.joints.joint_1?.lock), true);
    assert.deepEqual(errors, []);
    await context.close();
  });
}

await test('build: a rod closes a loop at the distance that its ends have; its length is a field', async () => {
  const { page, context, errors } = await start();
  await draw(page, [-0.4, 0, 0], [-0.4, 0.4, 0]);
  await draw(page, [0.4, 0, 0], [0.4, 0.6, 0]);
  await page.focus('[data-stage]');
  await page.keyboard.press('c');
  await draw(page, await end(page, 'link_1'), await end(page, 'link_2'));
  const card = page.locator('[role=dialog][aria-label="Close the loop"]');
  assert.deepEqual(await card.locator('[data-close]').evaluateAll((all) => all.map((b) => b.dataset.close)), ['revolute', 'prismatic', 'spherical', 'fixed', 'rod']);
  assert.match(await card.locator('[data-close=rod]').innerText(), /mobility 1/);
  await shot(page, 'build-rod-card');
  const ends = async () => [await end(page, 'link_1'), await end(page, 'link_2')];
  const [a, b] = await ends();
  await card.locator('[data-close=rod]').click();
  await settle(page);
  const apart = Math.hypot(0.8, 0.2);
  const after = await ends();
  assert.ok(distance(a, after[0]) < 1e-9 && distance(b, after[1]) < 1e-9, 'nothing moves to be closed');
  assert.deepEqual(await state(page, () => [window.armature.studio.model.mobility, window.armature.build.json.closures[0].type]), [1, 'rod']);
  assert.ok(Math.abs((await state(page, () => window.armature.build.json.closures[0].length)) - apart) < 1e-9);
  assert.equal(await page.locator('[data-rod=rod]').count(), 1);
  // Its length.
  await page.click('[aria-label="Length of rod"]');
  await page.locator('input[aria-label="Length of rod"]:focus').waitFor();
  await page.keyboard.press('Enter');
  await settle(page);
  assert.ok(Math.abs((await state(page, () => window.armature.build.json.closures[0].length)) - apart) < 1e-9, 'not rounded by looking at it');
  await page.click('[aria-label="Length of rod"]');
  await page.locator('input[aria-label="Length of rod"]:focus').waitFor();
  await page.keyboard.type('0.7');
  await page.keyboard.press('Enter');
  await settle(page);
  const [c, d] = await ends();
  assert.ok(Math.abs(distance(c, d) - 0.7) < 1e-6, `${distance(c, d)}`);
  await shot(page, 'build-rod');
  await page.focus('[data-stage]');
  await page.keyboard.press('1');
  await settle(page);
  assert.equal(await page.locator('[data-rod=rod]').count(), 1, 'it is seen in Pose');
  assert.ok(await state(page, () => window.armature.mechanism.closureError < 1e-9));
  for (let i = 0; i < 2; i++) await page.keyboard.press('Control+z');
  await settle(page);
  assert.equal(await state(page, () => window.armature.studio.model.closures.length), 0);
  // Where a drawn end meets another there is no distance to keep.
  await page.keyboard.press('0');
  await page.keyboard.press('d');
  await draw(page, await end(page, 'link_1'), await end(page, 'link_2'));
  assert.equal(await page.locator('[data-close=rod]').isDisabled(), true);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('build: lengths in m, cm or mm: labels, fields and what is typed there; obstacles as well', async () => {
  const { page, context, errors } = await start();
  await draw(page, [0, 0, 0], [0.4, 0, 0]);
  await state(page, () => window.armature.studio.select(null));
  await page.locator('[aria-label="Unit of length"] [role=radio]:has-text("mm")').click();
  await select(page, 'joint_1');
  const field = page.locator('[aria-label="Length of link_1"]');
  const edit = async () => { await field.click(); await page.locator('input[aria-label="Length of link_1"]:focus').waitFor(); };
  assert.equal(await field.innerText().then((t) => t.replace(/[‹›\s]/g, '')), '400.0mm');
  await edit();
  await page.keyboard.press('Enter'); // as it stands
  await settle(page);
  assert.ok(Math.abs((await end(page, 'link_1'))[0] - 0.4) < 1e-9);
  await edit();
  await page.keyboard.type('250');
  await page.keyboard.press('Enter');
  await settle(page);
  assert.ok(Math.abs((await end(page, 'link_1'))[0] - 0.25) < 1e-9, `${await end(page, 'link_1')}`);
  await edit();
  await page.keyboard.type('0.3 m');
  await page.keyboard.press('Enter');
  await settle(page);
  assert.ok(Math.abs((await end(page, 'link_1'))[0] - 0.3) < 1e-9);
  await page.click('[aria-label^="Steps:"]');
  assert.deepEqual((await page.locator('[role=option]').allInnerTexts()).map((t) => t.replace(/\s/g, ' ').trim()), ['Grid', 'Off', '1 mm', '10 mm', '50 mm']);
  await page.keyboard.press('Escape');
  const [p, q] = [await screen(page, [0.3, 0, 0]), await screen(page, [0.3, 0.2, 0])];
  await page.mouse.move(p.x, p.y);
  await page.mouse.down();
  await page.mouse.move(q.x, q.y, { steps: 4 });
  await settle(page);
  assert.match(await page.locator('[data-drawing]').textContent(), /200\smm, 90°/);
  await shot(page, 'build-units');
  await page.mouse.up();
  await settle(page);
  assert.match(await page.locator('footer').innerText(), /mm, deg/);
  assert.deepEqual(errors, []);
  await context.close();
  // A field in millimetres reads millimetres in the other views too: 120 there was 120 metres.
  const other = await open(browser, `${server.url}#/pose?model=ur5`, BIG);
  await other.page.waitForFunction(() => window.armature.studio.open);
  await settle(other.page);
  await other.page.click('[role=tab]:has-text("Bodies")');
  await other.page.click('button:has-text("Sphere")');
  await settle(other.page);
  const name = await state(other.page, () => window.armature.studio.scene.obstacles[0].name);
  await other.page.click(`[aria-label="${name} radius"]`);
  await other.page.locator(`input[aria-label="${name} radius"]:focus`).waitFor();
  await other.page.keyboard.type('120');
  await other.page.keyboard.press('Enter');
  await settle(other.page);
  assert.ok(Math.abs((await state(other.page, () => window.armature.studio.scene.obstacles[0].size[0])) - 0.12) < 1e-12);
  await other.context.close();
});
