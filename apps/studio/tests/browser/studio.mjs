// The studio in a real browser: what issue and specification ask to see. Prints one line per check and a summary
// that tools/count_tests.py reads; screenshots go to build/studio-screenshots.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { browserPath, data, drop, goalOnScreen, launch, open, page_dir, root, serve, settle, shots } from './support.mjs';

if (!browserPath()) {
  console.log('SKIPPED: there is no Chromium on this machine');
  process.exit(77);
}
if (!existsSync(join(page_dir, 'core/armature.wasm'))) {
  console.log(`FAILED: the page in ${page_dir} has no core; run tools/build_studio.sh`);
  process.exit(1);
}
const only = process.argv[2];
const server = await serve();
const browser = await launch();
let passed = 0;
const failed = [];

async function test(name, run) {
  if (only && !name.includes(only)) return;
  const begin = Date.now();
  try {
    await run();
    passed++;
    console.log(`ok   ${name} (${Date.now() - begin} ms)`);
  } catch (error) {
    failed.push(name);
    console.log(`FAIL ${name}\n${error.stack}`);
  }
}
const state = (page, f, ...args) => page.evaluate(f, ...args);
const shot = (page, name) => page.screenshot({ path: join(shots, `${name}.png`) });
const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
const BIG = { viewport: { width: 1440, height: 900 } };
const gallery = async (page, id) => {
  await page.click(`[data-model="${id}"]`);
  await page.waitForFunction(() => window.armature.studio.open);
  await settle(page, 500);
};
const dragGoal = async (page, id, dx, dy, release = true) => {
  const from = await goalOnScreen(page, id);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let i = 1; i <= 6; i++) {
    await page.mouse.move(from.x + (dx * i) / 6, from.y + (dy * i) / 6);
    await settle(page, 30);
  }
  await settle(page, 80);
  if (release) await page.mouse.up();
  await settle(page, 80);
};

await test('first page: gallery, figure focused, ready, under 1 MB, no error', async () => {
  const begin = Date.now();
  const { page, context, errors } = await open(browser, server.url, BIG);
  const ms = Date.now() - begin;
  assert.equal(await page.locator('[data-model]').count(), 8);
  assert.equal(await state(page, () => document.activeElement?.getAttribute('data-model')), 'human');
  await shot(page, '07-first-run-light');
  let bytes = 0;
  const walk = (dir) => readdirSync(dir).forEach((f) => { const p = join(dir, f); if (statSync(p).isDirectory()) walk(p); else bytes += gzipSync(readFileSync(p)).length; });
  walk(page_dir);
  console.log(`     ready after ${ms} ms, ${Math.round(bytes / 1000)} kB gzipped in all`);
  assert.ok(bytes < 1e6, `${bytes} bytes gzipped`);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('human: drag the hand, it arrives; one entry, one address, undo brings back the same bits', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'human');
  await settle(page, 600);
  const before = await state(page, () => ({ hash: window.armature.hash(), writes: window.armature.linkStats.writes }));
  await dragGoal(page, 'right_hand', -60, -120, false);
  await shot(page, '01-pose-light');
  await page.mouse.up();
  await settle(page, 700);
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
  await dragGoal(page, 'right_hand', -260, -160, false);
  await settle(page, 150);
  await shot(page, '01-pose-dark');
  await page.keyboard.press('Escape');
  await page.mouse.up();
  assert.deepEqual(errors, []);
  await context.close();
});

await test('idle: no animation frames for three seconds', async () => {
  const { page, context } = await open(browser, server.url);
  await gallery(page, 'planar_arm');
  await settle(page, 800);
  const frames = await state(page, () => new Promise((done) => {
    let n = 0;
    const real = window.requestAnimationFrame;
    window.requestAnimationFrame = (f) => { n++; return real(f); };
    setTimeout(() => { window.requestAnimationFrame = real; done(n); }, 3000);
  }));
  assert.equal(frames, 0);
  await context.close();
});

await test('step: matrix, hover lights a column, scrub moves the pose', async () => {
  const { page, context, errors } = await open(browser, `${server.url}#/step?model=planar_arm&method=dls&damping=3&tolerance=0.001&goal=tip:-20,5&q=0.392699082,0.785398163,0.785398163&i=3`, BIG);
  await page.waitForSelector('[data-column="2"]');
  await settle(page, 400);
  await page.hover('[data-column="2"]');
  assert.equal(await state(page, () => window.armature.stepper.hoverColumn), 1);
  await shot(page, '02-step-hover');
  await page.mouse.move(500, 400);
  await settle(page);
  await shot(page, '02-step-light');
  const q3 = await state(page, () => window.armature.position('tip'));
  await page.keyboard.press('.');
  await settle(page);
  assert.equal(await state(page, () => window.armature.stepper.iteration), 4);
  assert.ok(distance(q3, await state(page, () => window.armature.position('tip'))) > 1e-3);
  await page.keyboard.press('Shift+.');
  const end = await state(page, () => ({ i: window.armature.stepper.iteration, n: window.armature.stepper.length, tip: window.armature.position('tip') }));
  assert.equal(end.i, end.n);
  assert.ok(distance(end.tip, [-20, 5, 0]) < 1e-2, `the last iteration is at the goal, ${end.tip}`);
  await state(page, () => window.armature.ui.setTheme('dark'));
  await page.keyboard.press(',');
  await settle(page);
  await shot(page, '02-step-dark');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('compare: four methods, table, plot, drag the goal', async () => {
  const { page, context, errors } = await open(browser, `${server.url}#/compare?model=planar_chain&methods=dls,fabrik,ccd,transpose&tolerance=0.001&goal=tip:-16,16&i=2`, BIG);
  await page.waitForSelector('.chips');
  await settle(page, 500);
  assert.equal(await page.locator('.right tbody tr').count(), 4);
  await shot(page, '03-compare-light');
  await state(page, () => window.armature.ui.setTheme('dark'));
  await settle(page);
  await shot(page, '03-compare-dark');
  const before = await state(page, () => window.armature.stepper.traces.map((t) => t.trace.steps.at(-1).error));
  await dragGoal(page, 'tip', 40, 30);
  const after = await state(page, () => window.armature.stepper.traces.map((t) => t.trace.steps.at(-1).error));
  assert.notDeepEqual(before, after);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('robot: limit arcs, out of reach, verdict card, nearest', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'panda');
  await state(page, () => { window.armature.ui.show.ellipsoid = true; window.armature.studio.select({ kind: 'joint', name: 'panda_joint4' }); });
  await settle(page, 400);
  const goal = await state(page, () => window.armature.studio.scene.goals[0].id);
  await state(page, (id) => { const { studio } = window.armature; studio.begin(`move ${id}`); studio.dragGoal(id, [0.95, -0.35, 0.85]); studio.end(); }, goal);
  await settle(page, 800);
  assert.equal(await page.locator('[data-verdict-card]').count(), 1);
  await shot(page, '04-robot-light');
  const outcome = await state(page, () => window.armature.studio.report.outcome);
  assert.notEqual(outcome, 'converged');
  await page.click('[data-verdict-card] .pri');
  await settle(page, 500);
  assert.equal(await state(page, () => window.armature.studio.report.outcome), 'converged');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('chapter: 19 pages, poses as the references, scrub, film strip', async () => {
  const { page, context, errors } = await open(browser, `${server.url}#/chapter/5.20?frame=10`, BIG);
  await page.waitForSelector('.strip .cell');
  await settle(page, 300);
  await shot(page, '05-chapter-light');
  const reference = join(root, '../shared/chapter/planar_sequences.json');
  if (existsSync(reference)) {
    const cases = JSON.parse(await readFile(reference, 'utf8')).cases;
    for (const [figure, stage] of [['5.20a', 0], ['5.20b', 1]]) {
      const wanted = cases.find((c) => c.figure === figure);
      const got = await state(page, (s) => window.armature.chapter.stages[s].poses.map((p) => Array.from(p)), stage);
      for (const [frame, values] of Object.entries(wanted.frames)) values.pose.forEach((v, i) => assert.ok(Math.abs(v - got[frame][i]) < 1e-9, `${figure} frame ${frame}`));
    }
  }
  for (let i = 7; i <= 25; i++) {
    await state(page, (f) => window.armature.chapter.open(f), `5.${i}`);
    await settle(page, 60);
    const seen = await state(page, () => ({ stages: window.armature.chapter.stages.length, refused: window.armature.chapter.stages.map((s) => s.refused).join('') }));
    assert.ok(seen.stages > 0, `5.${i} has a stage`);
    assert.equal(seen.refused, '', `5.${i}`);
    if ([8, 13, 15, 19, 22].includes(i)) { await state(page, () => window.armature.chapter.seek(12)); await settle(page, 60); await shot(page, `chapter-5.${i}`); }
  }
  assert.deepEqual(errors, []);
  await context.close();
});

await test('walking clip: plays, trails, onion skins', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  if (!(await state(page, () => window.armature.studio.core.formats.some((f) => f.name === 'bvh' && f.reads)))) {
    console.log('SKIPPED: this build does not read BVH');
    return context.close();
  }
  await gallery(page, 'walk');
  const clip = await state(page, () => window.armature.studio.rig.clips[0]);
  assert.equal(clip.frames, 96);
  await state(page, () => window.armature.player.seek(40));
  await settle(page, 200);
  const at40 = await state(page, () => Array.from(window.armature.studio.scene.q));
  await page.keyboard.press('Space');
  await settle(page, 500);
  await page.keyboard.press('Space');
  assert.notDeepEqual(await state(page, () => Array.from(window.armature.studio.scene.q)), at40);
  await page.keyboard.press('o');
  await state(page, () => window.armature.player.seek(48));
  await settle(page, 300);
  await shot(page, 'walk-trails');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('files: each format drops; a broken one changes nothing and says where', async () => {
  const { page, context, errors } = await open(browser, server.url);
  await gallery(page, 'planar_arm');
  const good = [];
  for (const [kind, dir, ext] of [['URDF', 'urdf', '.urdf'], ['BVH', 'bvh', '.bvh'], ['MJCF', 'mjcf', '.xml'], ['DH', 'dh', '.json'], ['glTF', 'gltf', '.glb']]) {
    const folder = join(data, dir);
    if (!existsSync(folder)) { console.log(`SKIPPED: no ${kind} files in ${folder}`); continue; }
    const walk = (d) => readdirSync(d).flatMap((f) => (statSync(join(d, f)).isDirectory() ? walk(join(d, f)) : [join(d, f)]));
    const file = walk(folder).filter((f) => f.endsWith(ext)).sort((a, b) => statSync(a).size - statSync(b).size)[0];
    if (file) good.push({ kind, name: file.split('/').pop(), bytes: readFileSync(file) });
  }
  const reads = await state(page, () => window.armature.studio.core.formats.filter((f) => f.reads).map((f) => f.name).join(' '));
  for (const file of good) {
    if (!reads.includes(file.kind.toLowerCase().slice(0, 3))) { console.log(`SKIPPED: this build does not read ${file.kind}`); continue; }
    await drop(page, [file]);
    assert.equal(await state(page, () => window.armature.studio.scene.name), file.name, `${file.kind} ${file.name}: ${await page.locator('[data-toast]').allInnerTexts()}`);
    if (file.kind === 'URDF') { await settle(page, 500); await shot(page, 'dropped-urdf'); }
  }
  const hash = await state(page, () => window.armature.hash());
  const broken = [
    { name: 'broken.urdf', bytes: '<robot name="x">\n <link name="a"/>\n <joint name="j" type="wobbly">\n  <parent link="a"/>\n  <child link="zzz"/>\n </joint>\n</robot>' },
    { name: 'broken.json', bytes: '{"format": "armature",\n "links": [ }' },
    { name: 'walk_broken.bvh', bytes: 'HIERARCHY\nROOT a\n{\n OFFSET 0 0 0\n CHANNELS 3 Zrotation Xrotation Yrotation\n End Site\n {\n  OFFSET 0 1 0\n }\n}\nMOTION\nFrames: 2\nFrame Time: 0.03\n1 2 3\n1 2\n' },
  ].filter((f) => reads.includes(f.name.split('.').pop()));
  for (const file of broken) {
    await drop(page, [{ name: file.name, bytes: Buffer.from(file.bytes) }]);
    const toast = await page.locator('[data-toast="bad"]').last().innerText();
    assert.match(toast, new RegExp(file.name.replace('.', '\\.')));
    assert.match(toast, /line \d+/i, toast);
    assert.match(toast, /Your scene is unchanged/);
    assert.equal(await state(page, () => window.armature.hash()), hash, file.name);
  }
  await shot(page, '08-error-toast');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('export and open again: the same frames', async () => {
  const { page, context, errors } = await open(browser, server.url);
  await gallery(page, 'panda');
  await page.click('header button:has-text("Export"), header [title="Export"]');
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('[data-export="json"]')]);
  const bytes = await readFile(await file.path());
  const before = await state(page, () => { const { studio } = window.armature; studio.rig.setPose(studio.rig.names.neutral); return Array.from(studio.rig.frames); });
  await drop(page, [{ name: 'again.json', bytes }]);
  const after = await state(page, () => { const { studio } = window.armature; studio.rig.setPose(studio.rig.names.neutral); return Array.from(studio.rig.frames); });
  assert.equal(after.length, before.length);
  after.forEach((v, i) => assert.ok(Math.abs(v - before[i]) < 1e-12));
  await page.click('header [title="Export"]');
  const [png] = await Promise.all([page.waitForEvent('download'), page.click('[data-export="png"]')]);
  assert.ok((await readFile(await png.path())).length > 5000);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('keyboard only: open, move a goal, change the method, step, undo', async () => {
  const { page, context, errors } = await open(browser, server.url);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => window.armature.studio.open);
  await settle(page, 300);
  assert.equal(await state(page, () => window.armature.studio.scene.name), 'planar_arm');
  await state(page, () => document.querySelector('[data-stage]').focus());
  const before = await state(page, () => window.armature.studio.scene.goals[0].position);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await settle(page, 700);
  assert.ok((await state(page, () => window.armature.studio.scene.goals[0].position))[0] < before[0]);
  assert.match(await state(page, () => window.armature.studio.undoLabel), /^move/);
  const method = await state(page, () => window.armature.studio.scene.solver.method);
  await page.keyboard.press('m');
  assert.notEqual(await state(page, () => window.armature.studio.scene.solver.method), method);
  await page.keyboard.press('2');
  await page.keyboard.press('.');
  assert.equal(await state(page, () => window.armature.studio.mode), 'step');
  await page.keyboard.press('1');
  await page.keyboard.press('Control+z');
  await page.keyboard.press('?');
  assert.equal(await page.locator('[role=dialog]').count(), 1);
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('[role=dialog]').count(), 0);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('phone: 390 wide, sheet and tabs, touch drag, no sideways scrolling', async () => {
  const { page, context, errors } = await open(browser, server.url, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 1 });
  await gallery(page, 'human');
  await settle(page, 700);
  await shot(page, '06-phone-light');
  assert.ok(await state(page, () => document.documentElement.scrollWidth <= innerWidth));
  await page.click('[role=tab]:has-text("Joints")');
  await settle(page, 300);
  await shot(page, '06-phone-joints');
  await page.click('[role=tab]:has-text("Goals")');
  await state(page, () => { window.armature.ui.sheet = 'half'; });
  await settle(page, 300);
  const from = await goalOnScreen(page, 'right_hand');
  const client = await context.newCDPSession(page);
  const touch = (type, x, y) => client.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] });
  await touch('touchStart', from.x, from.y);
  for (let i = 1; i <= 5; i++) { await touch('touchMove', from.x - 6 * i, from.y - 10 * i); await settle(page, 40); }
  await touch('touchEnd');
  await settle(page, 300);
  assert.equal(await state(page, () => window.armature.studio.undoLabel), 'move right_hand');
  assert.deepEqual(errors, []);
  await context.close();
});

await browser.close();
server.close();
console.log(`Tests  ${failed.length ? `${failed.length} failed | ` : ''}${passed} passed (${passed + failed.length})`);
process.exit(failed.length ? 1 : 0);
