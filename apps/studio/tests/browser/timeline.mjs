// The timeline (SPEC2, section 8): pose keys and goal keys, tangents and curves, layers over a file's motion, clip tools.
import assert from 'node:assert/strict';
import { BIG, browser, distance, dragGoal, gallery, server, shot, state, test } from './harness.mjs';
import { goalOnScreen, open, settle } from './support.mjs';

const seek = (page, frame) => state(page, (f) => window.armature.player.seek(f), frame);
const pose = (page, frame) => state(page, (f) => Array.from(window.armature.player.pose(f)), frame);
const clip = (page) => state(page, () => window.armature.studio.scene.clip);
const different = (a, b) => a.some((v, i) => Math.abs(v - b[i]) > 1e-6);

await test('timeline: poses at 0 and 60, frame 30 differs from both, undo removes one key', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'human');
  assert.match(await page.locator('section.dock').innerText(), /No keys yet.*Key goal.*Key pose/s);
  await page.keyboard.press('y');
  await seek(page, 60);
  await dragGoal(page, 'right_hand', 60, -60);
  await page.keyboard.press('y');
  const [a, b, c] = [await pose(page, 0), await pose(page, 30), await pose(page, 60)];
  assert.ok(different(a, b) && different(b, c) && different(a, c));
  assert.equal(await page.getByRole('slider', { name: /Pose key/ }).count(), 2);
  await page.getByRole('slider', { name: 'Pose key pose 2 at frame 60' }).press('ArrowRight');
  assert.deepEqual((await clip(page)).poses.map((k) => k.frame), [0, 61]);
  await shot(page, 'timeline-poses');
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  assert.deepEqual((await clip(page)).poses.map((k) => k.frame), [0]);
  await page.keyboard.press('Control+Shift+z');
  // Saved, the core itself makes the same motion of it: what the command line runs.
  const same = await state(page, async () => {
    const { studio, player } = window.armature;
    const { model, ...scene } = window.armature.saved();
    const made = studio.rig.core.scene(scene);
    const q = Array.from(made.animate().clip.frame(30));
    made.delete();
    return q.every((v, i) => v === player.pose(30)[i]);
  });
  assert.ok(same);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('timeline: keys of a goal in the curve editor, a tangent pulled, a hold, a key deleted', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'human');
  for (const [frame, dy] of [[0, 0], [40, -60], [90, 40]]) {
    await seek(page, frame);
    if (dy) await dragGoal(page, 'right_hand', 20, dy);
    await page.keyboard.press('k');
  }
  assert.deepEqual((await clip(page)).keys.right_hand.map((k) => k.frame), [0, 40, 90]);
  await page.click('text=Rows and curves');
  await settle(page);
  const before = await page.locator('[data-curve="2"]').getAttribute('d');
  await page.getByRole('slider', { name: 'Key of right_hand at frame 40' }).click();
  const handle = await page.locator('[data-tangent="out"]').boundingBox();
  await page.mouse.move(handle.x + 4, handle.y + 4);
  await page.mouse.down();
  await page.mouse.move(handle.x + 14, handle.y + 40, { steps: 3 });
  await page.mouse.up();
  await settle(page);
  const pulled = (await clip(page)).keys.right_hand[1];
  assert.equal(pulled.way, 'cubic');
  assert.equal(pulled.rateIn[2], pulled.rateOut[2], 'both sides follow');
  assert.ok(pulled.rateOut[2] < 0, 'pulled down');
  assert.notEqual(await page.locator('[data-curve="2"]').getAttribute('d'), before);
  await shot(page, 'timeline-curves');
  // The curve drawn is the one that the hand follows.
  const off = await state(page, () => {
    const { studio, player, origin } = window.armature;
    let worst = 0;
    for (let f = 0; f <= 120; f += 10) {
      player.seek(f);
      const goal = studio.scene.goals.find((g) => g.id === 'right_hand').position;
      const hand = studio.linkPosition('right_hand');
      worst = Math.max(worst, Math.hypot(...goal.map((v, i) => v - hand[i])));
    }
    return worst;
  });
  assert.ok(off < 1e-3, `${off} m off its path`);
  // A key dragged in the curves changes its value; one undo brings it back.
  const key = await page.locator('[data-curve-key="90"]').boundingBox();
  await page.mouse.move(key.x + key.width / 2, key.y + key.height / 2);
  await page.mouse.down();
  await page.mouse.move(key.x + key.width / 2, key.y - 20, { steps: 3 });
  await page.mouse.up();
  const raised = (await clip(page)).keys.right_hand[2];
  assert.equal(raised.frame, 90);
  await page.keyboard.press('Control+z');
  assert.ok((await clip(page)).keys.right_hand[2].position[2] < raised.position[2]);
  // Hold: until the next key nothing moves.
  await page.getByRole('slider', { name: 'Key of right_hand at frame 40' }).click();
  await page.getByRole('radio', { name: 'Hold' }).click();
  await seek(page, 40);
  const at40 = await state(page, () => window.armature.studio.scene.goals[0].position);
  await seek(page, 89);
  assert.ok(distance(at40, await state(page, () => window.armature.studio.scene.goals[0].position)) < 1e-9);
  await page.getByRole('slider', { name: 'Key of right_hand at frame 40' }).press('Delete');
  assert.deepEqual((await clip(page)).keys.right_hand.map((k) => k.frame), [0, 90]);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('timeline: keys of poses on the curve of a joint: value and frame are dragged, another key is passed unharmed, limits hold; one undo entry', async () => {
  const { page, context, errors } = await open(browser, `${server.url}#/pose?model=panda`, BIG);
  await page.waitForFunction(() => window.armature.studio.open);
  await settle(page);
  for (const frame of [0, 40, 80]) {
    await seek(page, frame);
    if (frame) await dragGoal(page, 'panda_tcp', 30, -20);
    await page.keyboard.press('y');
  }
  await state(page, () => window.armature.studio.select({ kind: 'joint', name: 'panda_joint4' }));
  await page.click('text=Rows and curves');
  await settle(page);
  const joint = await state(page, () => { const { studio } = window.armature; const j = studio.model.joints[studio.rig.joint('panda_joint4')]; return { q: j.q, lower: j.lower[0], upper: j.upper[0] }; });
  const drag = async (frame, dx, dy) => {
    const box = await page.locator(`[data-pose-key="${frame} panda_joint4"]`).boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + dx, box.y + box.height / 2 + dy, { steps: 8 });
    await page.mouse.up();
    await settle(page);
  };
  const before = await clip(page);
  await drag(40, 0, -25);
  const raised = await clip(page);
  assert.deepEqual(raised.poses.map((k) => k.frame), [0, 40, 80]);
  assert.ok(raised.poses[1].q[joint.q] > before.poses[1].q[joint.q] + 1e-3, 'the key is higher');
  assert.deepEqual(raised.poses[1].q.filter((_, i) => i !== joint.q), before.poses[1].q.filter((_, i) => i !== joint.q), 'the other joints stay');
  assert.ok(Math.abs((await pose(page, 40))[joint.q] - raised.poses[1].q[joint.q]) < 1e-9, 'the motion passes through it');
  await shot(page, 'timeline-joint-curve');
  await page.keyboard.press('Control+z');
  assert.deepEqual((await clip(page)).poses, before.poses, 'one undo entry');
  // Past the last key and beyond its limit.
  const perFrame = await state(page, () => { const at = (f) => document.querySelector(`[data-pose-key="${f} panda_joint4"]`).getBoundingClientRect().left; return (at(80) - at(0)) / 80; });
  await drag(40, 60 * perFrame, -4000);
  const passed = await clip(page);
  assert.deepEqual(passed.poses.map((k) => k.frame), [0, 80, 100]);
  assert.deepEqual(passed.poses[1].q, before.poses[2].q);
  assert.equal(passed.poses[2].q[joint.q], joint.upper);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('timeline: IK over an imported clip; weight 0 is the clip bit for bit', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'walk');
  const plain = await pose(page, 30);
  await seek(page, 30);
  const hand = await state(page, () => window.armature.studio.rig.model.links.map((l) => l.name).find((n) => /right.*hand/i.test(n)));
  await state(page, (name) => window.armature.studio.select({ kind: 'link', name }), hand);
  await page.keyboard.press('g');
  await dragGoal(page, hand, 30, -40);
  await page.keyboard.press('k');
  const layered = await pose(page, 30);
  assert.ok(different(plain, layered), 'the goal moves the hand');
  assert.match(await page.locator('aside').innerText(), /Layers[\s\S]*IK layer/);
  await shot(page, 'timeline-layer');
  await state(page, () => { const { player, studio } = window.armature; player.change('weight', { ...studio.scene.clip, goalWeight: 0 }); });
  for (const f of [0, 30, 60]) assert.deepEqual(await pose(page, f), await state(page, (f) => Array.from(window.armature.studio.rig.clipFrame(f)), f));
  assert.deepEqual(errors, []);
  await context.close();
});

await test('timeline: clip tools are the core’s: trim, mirror twice, lock feet; one undo each', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'walk');
  const frames = (await clip(page)).frames;
  const first = await pose(page, 20);
  const tool = async (name) => { await page.click('text=Clip tools'); await page.getByRole('menuitem', { name }).click(); await settle(page); };
  await page.click('text=Clip tools');
  assert.ok(await page.getByRole('menuitem', { name: 'Trim to range' }).isDisabled(), 'without a range');
  await shot(page, 'timeline-tools');
  await page.keyboard.press('Escape');
  await tool('Mirror left and right');
  assert.ok(different(first, await pose(page, 20)));
  await tool('Mirror left and right');
  assert.ok(!different(first, await pose(page, 20)), 'twice is as before');
  await page.keyboard.press('Control+z');
  assert.deepEqual((await clip(page)).tools, ['mirror']);
  await page.keyboard.press('Control+z');
  // A range by Ctrl and a drag on the ruler.
  const ruler = await page.locator('.ruler').boundingBox();
  const x = (f) => ruler.x + 212 + (f / frames) * (ruler.width - 212 - 16);
  await page.keyboard.down('Control');
  await page.mouse.move(x(10), ruler.y + 10);
  await page.mouse.down();
  await page.mouse.move(x(40), ruler.y + 10, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up('Control');
  assert.deepEqual(await state(page, () => window.armature.player.range), [10, 40]);
  await tool(/Trim to range/);
  assert.equal((await clip(page)).frames, 30);
  assert.ok(!different(first, await pose(page, 10)), 'frame 20 is frame 10 now');
  await page.keyboard.press('Control+z');
  assert.equal((await clip(page)).frames, frames);
  const toes = () => state(page, () => Math.max(...window.armature.stats().stances.filter((x) => x.part === 'toe').map((x) => x.slide)));
  const before = await toes();
  await tool(/Lock feet/);
  const after = await toes();
  console.log(`     toes slide by ${before.toFixed(2)}, locked by ${after.toFixed(2)} cm`);
  assert.ok(after < 0.06 * before, `toes slide by ${after}, before ${before}`);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('timeline: a motion as a PNG sequence, one picture a frame', async () => {
  const { page, context, errors } = await open(browser, server.url, { viewport: { width: 1000, height: 640 } });
  await gallery(page, 'planar_arm');
  await page.keyboard.press('k');
  await seek(page, 60);
  await dragGoal(page, 'tip', 40, 30);
  await page.keyboard.press('k');
  await seek(page, 10);
  await page.click('header [title="Export"]');
  await page.click('[data-export="pictures"]');
  assert.match(await page.locator('[data-save]').innerText(), /planar_arm_pictures\.zip/);
  await page.keyboard.press('Escape');
  const [file] = await Promise.all([page.waitForEvent('download'), state(page, () => window.armature.exportFilm({ kind: 'pictures', name: 'planar_arm', from: 0, to: 60, every: 30, width: 0, loop: true, background: '' }))]);
  const { readFile } = await import('node:fs/promises');
  const bytes = await readFile(await file.path());
  const names = [...bytes.toString('latin1').matchAll(/PK\x01\x02[\s\S]{42}(planar_arm_\d+\.png)/g)].map((m) => m[1]);
  assert.deepEqual(names, ['planar_arm_00000.png', 'planar_arm_00030.png', 'planar_arm_00060.png']);
  assert.equal(bytes.toString('latin1').split('\x89PNG').length - 1, 3);
  assert.equal(await state(page, () => window.armature.player.frame), 10, 'back where it was');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('timeline: on a tablet by touch: rows of 44, no button squeezed, the header not cut', async () => {
  const { page, context, errors } = await open(browser, server.url, { viewport: { width: 820, height: 1180 }, hasTouch: true });
  await gallery(page, 'walk');
  await page.click('[data-tab="time"]');
  await state(page, () => { window.armature.player.seek(30); window.armature.player.keyPose(); });
  await settle(page);
  const seen = await state(page, () => ({
    cut: [...document.querySelectorAll('.dh1')].map((e) => e.scrollWidth - e.clientWidth),
    narrow: [...document.querySelectorAll('.dh1 .btn.ico')].filter((b) => b.getBoundingClientRect().width < 24).length,
    row: document.querySelector('[data-key=":30"]').getBoundingClientRect().y - document.querySelector('.ruler').getBoundingClientRect().bottom,
  }));
  assert.deepEqual(seen.cut, [0]);
  assert.equal(seen.narrow, 0);
  assert.ok(seen.row > 10, 'the key stands in the middle of a high row');
  await page.getByRole('button', { name: 'Clip tools' }).tap();
  assert.ok((await page.getByRole('menuitem', { name: 'Mirror left and right' }).boundingBox()).height >= 44);
  await shot(page, 'timeline-tablet');
  await page.getByRole('menuitem', { name: 'Cut after this frame' }).tap();
  assert.equal((await clip(page)).frames, 30, 'trimmed by touch alone');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('timeline: a path drawn on a plane becomes keys that the core solves for on every frame; closing it makes a loop; one undo entry', async () => {
  const { page, context, errors } = await open(browser, server.url, { viewport: { width: 1280, height: 720 } });
  await gallery(page, 'ur5');
  const before = await state(page, () => window.armature.hash());
  await page.keyboard.press('d');
  await settle(page);
  assert.equal(await page.locator('[data-draw-plane]').count(), 1);
  await page.getByRole('radio', { name: 'XZ' }).click();
  await settle(page);
  const goal = await state(page, () => ({ ...window.armature.studio.selectedGoal }));
  const at = await goalOnScreen(page, goal.id);
  // A ring of 60 px beside the goal, back to its start.
  const place = (i) => [at.x - 60 + 60 * Math.cos((i * Math.PI) / 12), at.y + 60 * Math.sin((i * Math.PI) / 12)];
  await page.mouse.move(...place(0));
  await page.mouse.down();
  for (let i = 1; i <= 24; i++) { await page.mouse.move(...place(i)); await settle(page); }
  await shot(page, 'path-drawing');
  await page.mouse.up();
  await settle(page);
  const made = await state(page, (id) => { const { clip } = window.armature.studio.scene; return { keys: clip.keys[id], loop: clip.loop, undo: window.armature.studio.undoLabel, tool: window.armature.ui.tool }; }, goal.id);
  assert.ok(made.keys.length >= 4, `${made.keys.length} keys`);
  assert.match(made.undo, /^draw a path/);
  assert.equal(made.tool, 'translate');
  assert.ok(made.loop);
  const [first, last] = [made.keys[0], made.keys.at(-1)];
  assert.deepEqual(first.position, last.position, 'a loop ends where it began');
  for (const k of made.keys) assert.ok(Math.abs(k.position[1] - goal.position[1]) < 1e-9, 'on the plane through the goal');
  // The hand is on the path on every frame that can be reached.
  const off = await state(page, (id) => {
    const { player, studio } = window.armature;
    const out = [];
    for (let f = 0; f <= studio.scene.clip.frames; f += 3) {
      player.seek(f);
      const g = studio.scene.goals.find((x) => x.id === id);
      const p = studio.linkPosition(g.link);
      out.push(Math.hypot(p[0] - g.position[0], p[1] - g.position[1], p[2] - g.position[2]));
    }
    return out;
  }, goal.id);
  assert.ok(Math.max(...off) < 1e-4, `${Math.max(...off)}`);
  await settle(page);
  assert.equal(Number(await page.locator('[data-path]').getAttribute('data-path')), made.keys.length);
  await shot(page, 'path-drawn');
  await page.keyboard.press('Control+z');
  await settle(page);
  assert.equal(await state(page, () => window.armature.hash()), before);
  // Esc puts the tool away, and nothing was drawn.
  await page.keyboard.press('d');
  await page.keyboard.press('Escape');
  assert.equal(await state(page, () => window.armature.ui.tool), 'translate');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('timeline: curves of the selected joint over the motion', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'walk');
  const joint = await state(page, () => { const { studio, ui } = window.armature; const j = studio.model.joints.find((x) => /knee|shin|leg/i.test(x.name)) ?? studio.model.joints[3]; studio.select({ kind: 'joint', name: j.name }); ui.curves = true; return { name: j.name, nv: j.nv }; });
  await settle(page);
  const lines = page.locator('[data-joint-curve]');
  assert.equal(await lines.count(), joint.nv);
  // As long as the motion, and not flat: a leg that walks.
  const d = await state(page, () => [...document.querySelectorAll('[data-joint-curve]')].map((e) => e.getBoundingClientRect()).map((b) => [b.width, b.height]));
  assert.ok(d.every(([w]) => w > 200) && Math.max(...d.map(([, h]) => h)) > 30, JSON.stringify(d));
  await shot(page, 'curves-joint');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('timeline: the walk is carried over to the human figure, and blended with a second motion; each one undo entry', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'walk');
  const before = await state(page, () => ({ hash: window.armature.hash(), frames: window.armature.player.frames, fps: window.armature.studio.scene.clip.fps, feet: window.armature.studio.model.links.length }));
  const tool = async (name) => { await page.getByRole('button', { name: 'Clip tools' }).click(); await page.getByRole('menuitem', { name }).click(); };
  const opened = (name) => page.waitForFunction((n) => window.armature.studio.scene.model.file?.name === n, name);
  await tool(/Retarget to human/);
  await opened('human_walk.glb');
  await settle(page);
  const human = await state(page, () => ({ frames: window.armature.player.frames, fps: window.armature.studio.scene.clip.fps, hand: window.armature.studio.rig.link('right_hand'), clip: window.armature.player.hasClip }));
  assert.ok(human.clip && human.hand >= 0, JSON.stringify(human));
  assert.equal(human.frames, before.frames);
  assert.ok(Math.abs(human.fps - before.fps) < 0.1);
  // It walks: a foot swings.
  const swing = await state(page, () => { const { player, position, studio } = window.armature; const foot = studio.model.links.map((l) => l.name).find((n) => /right.*foot|foot.*right/i.test(n)); const list = []; for (let f = 0; f < player.frames; f += 5) { player.seek(f); list.push(position(foot)); } return Math.max(...[0, 1, 2].map((c) => Math.max(...list.map((p) => p[c])) - Math.min(...list.map((p) => p[c])))); });
  assert.ok(swing > 0.15, `${swing}`);
  const stands = await state(page, () => { const { position, studio } = window.armature; const foot = studio.model.links.map((l) => l.name).find((n) => /right.*foot|foot.*right/i.test(n)); return position('head')[1] - position(foot)[1]; });
  assert.ok(stands > 1.2, `it stands: the head is ${stands} above a foot`);
  const seen = await state(page, () => { const { views, studio } = window.armature; const { width, height } = views.stage.size; return studio.model.links.every((_, i) => { const f = studio.rig.frames; const p = views.stage.camera.project([f[16 * i + 12], f[16 * i + 13], f[16 * i + 14]]); return p.x > 0 && p.x < width && p.y > 0 && p.y < height; }); });
  assert.ok(seen, 'the figure is in sight at its last frame, too');
  await shot(page, 'retargeted');
  await page.keyboard.press('Control+z');
  await settle(page);
  assert.equal(await state(page, () => window.armature.hash()), before.hash);
  // The same walk once more behind itself, blended over 0.3 s.
  const bytes = await state(page, () => atob(window.armature.studio.scene.model.file.base64));
  await page.getByRole('button', { name: 'Clip tools' }).click();
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByRole('menuitem', { name: /Blend with/ }).click()]);
  await chooser.setFiles({ name: 'again.bvh', mimeType: 'text/plain', buffer: Buffer.from(bytes, 'latin1') });
  await opened('walk_again.bvh');
  await settle(page);
  const both = await state(page, () => window.armature.player.frames);
  assert.ok(both > 1.7 * before.frames && both < 2 * before.frames, `${before.frames} frames became ${both}`);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('timeline: a clip tool that is pointed at is shown as a ghost, and changes nothing until it is clicked', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'walk');
  await seek(page, 30);
  const before = await state(page, () => window.armature.hash());
  await page.getByRole('button', { name: 'Clip tools' }).click();
  await page.getByRole('menuitem', { name: 'Mirror left and right' }).hover();
  await settle(page);
  assert.equal(await page.locator('[data-tool-ghost] [data-ghost]').count(), 1);
  const wide = await state(page, () => { const { player, studio } = window.armature; return Math.hypot(...studio.rig.core.difference(player.preview, studio.rig.q)); });
  assert.ok(wide > 0.1, `the mirrored pose differs: ${wide}`);
  await shot(page, 'clip-tool-ghost');
  await page.keyboard.press('Escape');
  await settle(page);
  assert.equal(await page.locator('[data-tool-ghost]').count(), 0);
  assert.equal(await state(page, () => window.armature.hash()), before);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('timeline: a long motion of keyed goals is solved beside the page, to the same bits', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'human');
  await state(page, () => { const { studio } = window.armature; studio.commit('length', { ...studio.scene, clip: { ...studio.scene.clip, frames: 1200 } }); });
  await page.keyboard.press('k');
  await seek(page, 1200);
  await dragGoal(page, 'right_hand', 60, -60);
  await page.keyboard.press('k');
  await page.waitForFunction(() => window.armature.ui.solving > 0 || window.armature.player.pose(600));
  await settle(page);
  assert.equal((await clip(page)).keys.right_hand.length, 2);
  const [a, b, c] = [await pose(page, 0), await pose(page, 600), await pose(page, 1200)];
  assert.ok(different(a, b) && different(b, c));
  const same = await state(page, () => {
    const { studio, player } = window.armature;
    const { model, ...scene } = window.armature.saved();
    const made = studio.rig.core.scene(scene);
    const from = performance.now();
    const clip = made.animate().clip;
    const ms = performance.now() - from;
    const equal = [0, 1, 600, 1199, 1200].every((f) => clip.frame(f).every((v, i) => v === player.pose(f)[i]));
    made.delete();
    return { equal, ms };
  });
  console.log(`     1201 frames take ${same.ms.toFixed(0)} ms on the page`);
  assert.ok(same.equal);
  assert.match(await page.locator('aside').innerText(), /1201 of 1201 frames reached|frames reached/);
  // A change begins anew, and what is shown follows.
  await state(page, () => { const { studio, player } = window.armature; const keys = studio.scene.clip.keys.right_hand; player.change('move', { ...studio.scene.clip, keys: { right_hand: [keys[0], { ...keys[1], position: keys[0].position }] } }); });
  await page.waitForFunction((was) => window.armature.player.pose(1200).some((v, i) => Math.abs(v - was[i]) > 1e-6), c); // solved again
  await settle(page);
  assert.ok(!different(await pose(page, 1200), await pose(page, 0)), 'the hand is where it was at the start');
  assert.deepEqual(errors, []);
  await context.close();
});
