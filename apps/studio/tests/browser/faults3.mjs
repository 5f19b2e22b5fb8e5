// Faults of the first release (SPEC2, section 3) at the sizes and in the cases that were found later.
import assert from 'node:assert/strict';
import { BIG, browser, gallery, server, shot, state, test } from './harness.mjs';
import { goalOnScreen, open, settle } from './support.mjs';

const apart = (a, b) => a.x + a.width <= b.x + 0.5 || b.x + b.width <= a.x + 0.5 || a.y + a.height <= b.y + 0.5 || b.y + b.height <= a.y + 0.5;
const move = (page, by) => state(page, (d) => { const { studio } = window.armature; const g = studio.scene.goals[0]; studio.begin('move'); studio.dragGoal(g.id, g.position.map((v, i) => v + d[i])); studio.end(); }, by);
const method = (page, name) => state(page, (m) => { const { studio } = window.armature; studio.scene = { ...studio.scene, solver: { ...studio.scene.solver, method: m } }; }, name);
const boxes = (page, selector) => page.locator(selector).evaluateAll((list) => list.map((e) => { const b = e.getBoundingClientRect(); return { what: e.getAttribute('aria-label') || e.textContent.trim(), x: b.x, y: b.y, width: b.width, height: b.height }; }).filter((b) => b.width > 0));
const TABLETS = [[600, 900], [834, 1112]];

for (const [width, height] of TABLETS) {
  await test(`faults 1, 11, 26 at ${width} x ${height}: no button over another, goals with their names, the axis ball free, nothing cut`, async () => {
    const { page, context, errors } = await open(browser, server.url, { viewport: { width, height }, hasTouch: true });
    for (const model of ['', 'human']) { // also where the button says "Open a model"
      if (model) await gallery(page, model);
      const bar = await boxes(page, 'header button');
      for (const b of bar) assert.ok(b.x >= 0 && b.x + b.width <= width + 0.5, `${b.what} is outside`);
      bar.forEach((a, i) => bar.slice(i + 1).forEach((b) => assert.ok(apart(a, b), `${a.what} and ${b.what}`)));
    }
    assert.deepEqual(await page.locator('[data-goal] .name').evaluateAll((list) => list.filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)), []);
    const ghosts = await page.locator('[aria-label="Show the range as ghosts"]').evaluate((e) => { const [a, b] = [e.getBoundingClientRect(), e.closest('section').getBoundingClientRect()]; return b.right - a.right; });
    assert.ok(ghosts >= 0, `the switch of the ghosts ends ${ghosts} px before its panel`);
    for (const slider of await boxes(page, '[aria-label="Null space"] [role=slider]')) assert.ok(slider.width >= 60, `${slider.what} has ${slider.width} px`);
    const joints = page.locator('.shelf [data-tab="joints"]');
    if (await joints.count()) await joints.tap();
    await settle(page);
    const rows = await state(page, () => { const list = document.querySelector('.shelf .rows').getBoundingClientRect(); return [...document.querySelectorAll('.shelf [data-dof]')].filter((e) => { const b = e.getBoundingClientRect(); return b.top >= list.top - 1 && b.bottom <= list.bottom + 1; }).length; });
    assert.ok(rows >= 6, `${rows} joint rows in sight`);
    await move(page, [0, 0.2, 0.2]);
    await page.keyboard.press('2');
    await settle(page);
    const verdict = () => page.locator('.verd .facts').evaluate((e) => [e.scrollWidth - e.clientWidth, e.scrollHeight - e.clientHeight]);
    assert.deepEqual((await verdict()).filter((v) => v > 1), [], 'the verdict of Step is whole');
    await page.keyboard.press('3');
    await settle(page);
    const [ball] = await boxes(page, '.ball');
    for (const other of await boxes(page, '.float.chips, .float.layout')) assert.ok(apart(ball, other), `the axis ball and ${other.what}`);
    assert.deepEqual(await page.locator('.shelf .dh1').evaluateAll((list) => list.filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)), []);
    assert.deepEqual((await verdict()).filter((v) => v > 1), [], 'the verdict of Compare is whole');
    await shot(page, `fault-compare-${width}`);
    assert.deepEqual(errors, []);
    await context.close();
  });
}

await test('faults 6, 7: Step names joints as the list does, V stands beside its rows, slides stay in millimetres whatever the unit of angles', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'human');
  await move(page, [0, 0.2, 0.2]);
  await page.keyboard.press('2');
  await settle(page);
  const names = await page.locator('[aria-label="Change of each joint"] tbody td:first-child').allInnerTexts();
  assert.deepEqual(names.slice(0, 6).map((n) => n.trim()), ['root x', 'root y', 'root z', 'root turn x', 'root turn y', 'root turn z']);
  for (const name of names) assert.doesNotMatch(name, /\.|angle\d/);
  await context.close();

  const scara = await open(browser, server.url, BIG);
  await gallery(scara.page, 'scara');
  await move(scara.page, [-0.05, 0.05, -0.03]);
  await method(scara.page, 'dls');
  await scara.page.keyboard.press('2');
  await settle(scara.page);
  const tops = (label) => scara.page.locator(`table[aria-label^="${label}"] tbody tr`).evaluateAll((list) => list.map((e) => e.getBoundingClientRect().top));
  const [J, V] = [await tops('Jacobian'), await tops('Wanted')];
  assert.equal(J.length, 3);
  J.forEach((y, r) => assert.ok(Math.abs(y - V[r]) < 2, `row ${r}: J at ${y}, V at ${V[r]}`));
  // What is printed of the slide is what the core did, in millimetres: the change, where it was and where it is.
  const slide = await state(scara.page, () => { const { studio, stepper } = window.armature; const row = studio.rows.find((r) => r.unit === 'length'); const joint = studio.model.joints[row.joint]; return { name: row.name, before: stepper.start[joint.q], step: stepper.explained.columns[row.v].step }; });
  assert.ok(Math.abs(slide.step) > 0.005, 'the slide moves in this step');
  const cells = () => scara.page.locator(`[aria-label="Change of each joint"] tr:has-text("${slide.name}") td`).allInnerTexts();
  const number = (t) => Number(t.replace('−', '-').replace(/[^\d.-]/g, ''));
  const check = (printed) => {
    const [from, to] = printed.at(-1).split('→');
    for (const [text, metres, digit] of [[printed.at(-2), slide.step, 0.1], [from, slide.before, 1], [to, slide.before + slide.step, 1]]) {
      assert.match(text, /\smm\s*$/);
      assert.ok(Math.abs(number(text) - 1000 * metres) <= 0.51 * digit, `${text} for ${metres} m`);
    }
  };
  check(await cells());
  await scara.page.locator('aside [role=radio]:has-text("rad")').last().click();
  await settle(scara.page);
  check(await cells());
  const column = await state(scara.page, () => { const { studio } = window.armature; const at = studio.rows.findIndex((r) => r.unit === 'length'); return [...document.querySelectorAll('table[aria-label^="Jacobian"] tbody tr')].map((tr) => tr.querySelectorAll('td')[at].textContent); });
  assert.ok(Math.abs(Math.hypot(...column.map(number)) - 1) < 2e-3, `a slide’s column is a direction, in metres per metre: ${column}`);
  // Methods without a Jacobian print their own table; a slide’s way is no angle there either.
  await method(scara.page, 'ccd');
  await state(scara.page, () => window.armature.stepper.enter(0));
  await settle(scara.page);
  const turns = await scara.page.locator(`section[aria-label="This step"] tr:has-text("${slide.name}")`).allInnerTexts();
  assert.ok(turns.length > 0);
  for (const text of turns) { assert.match(text, /mm/); assert.doesNotMatch(text, /°/); }
  await shot(scara.page, 'fault-step-slide');
  assert.deepEqual([...errors, ...scara.errors], []);
  await scara.context.close();
});

await test('fault 9: iteration 0 is the scene’s pose for every method, bit for bit', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'panda');
  await move(page, [-0.3, 0.35, -0.2]);
  await page.keyboard.press('2');
  await settle(page);
  const off = await state(page, () => {
    const { studio, stepper } = window.armature;
    const start = [...stepper.start];
    return studio.core.solvers.map((s) => s.name).map((name) => {
      studio.scene = { ...studio.scene, solver: { ...studio.scene.solver, method: name } };
      stepper.enter(0, start);
      const { current } = stepper;
      return { name, q: current.trace ? Array.from(current.trace.steps[0].q) : current.refused, start };
    });
  });
  assert.ok(off.filter((m) => Array.isArray(m.q)).length >= 8, 'most methods take an arm of seven joints');
  for (const m of off) if (Array.isArray(m.q)) assert.deepEqual(m.q, m.start, m.name);
    else assert.ok(m.q.length > 10, `${m.name} says why not`);
  assert.deepEqual(errors, []);
  await context.close();
});

for (const [width, height, touch] of [[1280, 720, false], [600, 900, true]]) {
  await test(`fault 12 at ${width} x ${height}: the verdict card covers neither the limb nor the tools`, async () => {
    const { page, context, errors } = await open(browser, server.url, { viewport: { width, height }, hasTouch: touch });
    await gallery(page, 'panda');
    await move(page, [0.6, -0.9, 0]);
    await page.locator('[data-verdict-card]').waitFor();
    await settle(page);
    const [card] = await boxes(page, '[data-verdict-card]');
    for (const tool of await boxes(page, 'main [role=toolbar]')) assert.ok(apart(card, tool), `the card and ${tool.what}`);
    const covered = await state(page, (c) => {
      const { studio, views } = window.armature;
      const stage = document.querySelector('[data-stage]').getBoundingClientRect();
      const points = studio.chain.map((j) => views.stage.camera.project(Array.from(studio.rig.frames.slice(16 * studio.model.joints[j].child + 12, 16 * studio.model.joints[j].child + 15))));
      const along = points.slice(1).flatMap((b, i) => [0, 0.2, 0.4, 0.6, 0.8, 1].map((t) => ({ x: stage.left + points[i].x + t * (b.x - points[i].x), y: stage.top + points[i].y + t * (b.y - points[i].y) })));
      return along.filter((p) => p.x > c.x && p.x < c.x + c.width && p.y > c.y && p.y < c.y + c.height).length;
    }, card);
    assert.equal(covered, 0);
    assert.ok(await page.locator('[data-verdict-card] :text("Move goal to nearest")').isVisible());
    await shot(page, `fault-verdict-card-${width}`);
    assert.deepEqual(errors, []);
    await context.close();
  });
}

await test('build: undo leaves the camera where it is; the history leads to any entry', async () => {
  const { page, context, errors } = await open(browser, `${server.url}#/build?model=planar_arm`, BIG);
  await page.waitForFunction(() => window.armature.studio.mode === 'build' && window.armature.studio.open);
  await state(page, () => { const { views } = window.armature; views.stage.camera.zoom(0.6, 300, 300); views.stage.redraw(); });
  await settle(page);
  const place = () => state(page, () => [[0, 0, 0], [10, 5, 0]].flatMap((p) => { const q = window.armature.views.stage.camera.project(p); return [q.x, q.y]; }));
  const before = await place();
  await state(page, () => window.armature.build.setLength('link2', 13));
  await settle(page);
  for (const key of ['', 'Control+z', 'Control+Shift+z']) {
    if (key) await page.keyboard.press(key);
    await settle(page);
    (await place()).forEach((v, i) => assert.ok(Math.abs(v - before[i]) < 0.01, `${key || 'the change'}: ${v} for ${before[i]}`));
  }
  // The list of what was done leads to any of it, in one go, and forth again.
  await state(page, () => window.armature.build.setLength('link3', 6));
  await state(page, () => window.armature.build.setType('joint2', 'prismatic'));
  await settle(page);
  await page.click('[role=tab]:has-text("History")');
  const list = page.locator('section[aria-label="History"] button');
  assert.deepEqual((await list.allInnerTexts()).slice(-3), ['length of link2', 'length of link3', 'make joint2 a prismatic joint']);
  const lengths = () => state(page, () => { const { build, studio } = window.armature; return [studio.model.joints[studio.rig.joint('joint2')].type, build.anchors().map((a) => a.at[0])]; });
  const last = await lengths();
  const first = list.nth((await list.count()) - 3);
  await first.click();
  await settle(page);
  assert.notDeepEqual(await lengths(), last);
  assert.equal((await lengths())[0], 'revolute');
  assert.equal(await first.getAttribute('aria-current'), 'step');
  await list.last().click();
  await settle(page);
  assert.deepEqual(await lengths(), last);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('faults 14, 15: names in a tree meet nothing and stand outside their branch; small pictures show the arm', async () => {
  for (const [width, height] of [[1440, 900], [600, 900]]) {
    const { page, context, errors } = await open(browser, `${server.url}#/chapter/5.12`, { viewport: { width, height } });
    await settle(page);
    for (const frame of [0, 10, 20]) {
      await state(page, (f) => window.armature.chapter.seek(f), frame);
      await page.waitForTimeout(60);
      const texts = await page.locator('main figure').first().locator('svg text').evaluateAll((list) => list.map((e) => { const b = e.getBoundingClientRect(); return { what: e.textContent, quiet: e.classList.contains('q'), x: b.x, y: b.y + 2, width: b.width, height: b.height - 4 }; }));
      texts.forEach((a, i) => texts.slice(i + 1).forEach((b) => assert.ok(apart(a, b), `${width}, frame ${frame}: ${a.what} and ${b.what}`)));
      const discs = await page.locator('main figure').first().locator('svg circle').evaluateAll((list) => list.map((e) => { const b = e.getBoundingClientRect(); return { x: b.x, y: b.y, width: b.width, height: b.height }; }));
      for (const t of texts) for (const d of discs) assert.ok(apart(t, d), `${width}, frame ${frame}: ${t.what} lies on a node`);
      const node = (name) => { const b = texts.find((t) => t.what === name); return b.x + b.width / 2; };
      for (const t of texts.filter((x) => x.quiet && /elbow|mount/.test(x.what))) {
        const left = t.what.startsWith('left');
        const at = node(left ? 'left_arm' : 'right_arm');
        assert.ok(left ? t.x + t.width < at : t.x > at, `${width}: ${t.what} is on the outer side`);
      }
    }
    await shot(page, `fault-chapter-5.12-${width}`);
    if (width > 600) {
      await state(page, () => window.armature.chapter.open('5.19'));
      await settle(page);
      const arms = await page.locator('.strip .cell svg').evaluateAll((list) => list.map((svg) => { const parts = [...svg.querySelectorAll('[fill*="fig-"]')].map((e) => e.getBoundingClientRect()); return (Math.max(...parts.map((b) => b.right)) - Math.min(...parts.map((b) => b.left))) / svg.getBoundingClientRect().width; }));
      assert.equal(arms.length, 5);
      for (const share of arms) assert.ok(share > 0.4, `the arm fills ${share} of its picture`);
      await shot(page, 'fault-chapter-strip');
      // An arm that reaches as far as it can is whole in its picture.
      await state(page, () => window.armature.chapter.open('5.14'));
      await settle(page);
      const past = await page.locator('.strip .cell svg').evaluateAll((list) => list.map((svg) => Math.max(...[...svg.querySelectorAll('[fill*="fig-"]')].map((e) => e.getBoundingClientRect().right)) - svg.getBoundingClientRect().right));
      assert.ok(past.length === 5 && past.every((px) => px <= 0), `${past}`);
    }
    assert.deepEqual(errors, []);
    await context.close();
  }
});

await test('fault 22: no native control in the sheet of shortcuts or at a goal; its switches work', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'human');
  await page.click('[aria-label="Keyboard shortcuts"]');
  const natives = 'select, input:is([type=checkbox], [type=radio], [type=range], [type=number], [type=color])';
  assert.equal(await page.locator(natives).count(), 0);
  await page.click('[role=switch][aria-label="Single-letter shortcuts"]');
  assert.equal(await state(page, () => window.armature.ui.letters), false);
  await page.click('[role=switch][aria-label="Single-letter shortcuts"]');
  await page.keyboard.press('Escape');
  await page.click('[data-goal="right_hand"] .name');
  await settle(page);
  assert.equal(await page.locator(natives).count(), 0);
  await page.click('[role=switch][aria-label="right_hand pinned"]');
  await settle(page);
  assert.equal(await state(page, () => window.armature.studio.scene.goals.find((g) => g.id === 'right_hand').pinned), true);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('20: the hand is dragged to the floor: knees bend, the feet stay, nothing jumps, and the page says so', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'human');
  const from = await goalOnScreen(page, 'right_hand');
  const to = await state(page, () => {
    const { views, studio, position } = window.armature;
    const [x, y] = studio.scene.goals.find((g) => g.id === 'right_hand').position;
    const p = views.stage.camera.project([x, y, 0.05]);
    const box = document.querySelector('[data-stage]').getBoundingClientRect();
    window.feet = ['left_foot', 'right_foot'].map(position);
    return { x: box.left + p.x, y: box.top + p.y };
  });
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  let last = await state(page, () => [...window.armature.studio.scene.q]);
  let most = 0;
  for (let i = 1; i <= 20; i++) {
    await page.mouse.move(from.x + ((to.x - from.x) * i) / 20, from.y + ((to.y - from.y) * i) / 20);
    await settle(page);
    const q = await state(page, () => [...window.armature.studio.scene.q]);
    most = Math.max(most, ...q.map((v, k) => Math.abs(v - last[k])));
    last = q;
  }
  await page.mouse.up();
  await settle(page);
  const end = await state(page, () => {
    const { studio, position } = window.armature;
    const angle = (name) => (studio.scene.q[studio.model.joints[studio.rig.joint(name)].q] * 180) / Math.PI;
    return { knees: [angle('left_knee'), angle('right_knee')], feet: ['left_foot', 'right_foot'].map((f, i) => Math.hypot(...position(f).map((v, k) => v - window.feet[i][k]))), height: position('right_hand')[2], off: studio.report.goals.map((g) => g.position_error) };
  });
  console.log(`     knees ${end.knees.map((v) => v.toFixed(0))} degrees, feet moved ${Math.max(...end.feet).toExponential(1)} m, largest change of a joint in 1/20 of the way ${most.toFixed(3)}`);
  assert.ok(end.height < 0.2 && end.off[0] < 1e-3, `the hand is at ${end.height}`);
  assert.ok(end.knees.every((v) => v > 20), `${end.knees}`);
  assert.ok(end.feet.every((v) => v < 1e-4), `${end.feet}`);
  assert.ok(most < 0.6, `${most}`);
  assert.match(await page.locator('footer').innerText(), /^Reached/);
  await shot(page, 'fault-floor-drag');
  assert.deepEqual(errors, []);
  await context.close();
});
