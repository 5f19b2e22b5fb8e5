// The second half of the faults of the first release (SPEC2, section 3), by their numbers there.
import assert from 'node:assert/strict';
import { BIG, browser, dragGoal, gallery, server, shot, state, test } from './harness.mjs';
import { goalOnScreen, open, settle } from './support.mjs';

const cut = (page, selector) => state(page, (s) => [...document.querySelectorAll(s)].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => `${e.className} ${e.scrollWidth} > ${e.clientWidth}`), selector);
const apart = (a, b) => a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;

await test('fault 8: the printed J, V, lambda and s give the printed change of every joint', async () => {
  for (const more of ['', '&max_step=0.05']) {
    const { page, context, errors } = await open(browser, `${server.url}#/step?model=planar_arm&method=dls&damping=3&tolerance=0.001&goal=tip=-20,5&start=0.392699082,0.785398163,0.785398163&iteration=1${more}`, BIG);
    await page.waitForSelector('table[aria-label^="Jacobian"]');
    await settle(page);
    const printed = await state(page, () => {
      const number = (t) => Number(t.replace('−', '-').replace(/[^\d.e-]/g, ''));
      const rows = (label) => [...document.querySelectorAll(`table[aria-label^="${label}"] tbody tr`)].map((tr) => [...tr.querySelectorAll('td')].map((td) => number(td.textContent)));
      const chip = (letter) => { const c = [...document.querySelectorAll('.chips .chip')].find((e) => e.textContent.trim().startsWith(letter)); return c ? number(/[\d.]+/.exec(c.textContent)[0]) : undefined; };
      const changes = [...document.querySelectorAll('[aria-label="Change of each joint"] tbody tr')].map((tr) => number(tr.querySelector('td.bold').textContent));
      return { J: rows('Jacobian'), V: rows('Wanted').map((r) => r[0]), lambda: chip('λ') ?? 0, s: chip('s') ?? 1, changes };
    });
    const { J, V, lambda, s } = printed;
    const [a, b, d] = [[0, 0], [0, 1], [1, 1]].map(([i, k]) => J[i].reduce((sum, v, c) => sum + v * J[k][c], i === k ? lambda * lambda : 0));
    const det = a * d - b * b;
    const y = [(d * V[0] - b * V[1]) / det, (a * V[1] - b * V[0]) / det];
    J[0].forEach((_, c) => {
      const change = s * (J[0][c] * y[0] + J[1][c] * y[1]);
      assert.ok(Math.abs(change - (printed.changes[c] * Math.PI) / 180) < 2e-3, `joint ${c + 1}${more}: ${change} and ${printed.changes[c]} degrees, s ${s}`);
    });
    assert.deepEqual(errors, []);
    await context.close();
  }
});

await test('faults 10, 11: every decade has its number, the header of Step is never cut', async () => {
  for (const [width, model] of [[1440, 'planar_arm'], [1100, 'planar_arm'], [940, 'planar_arm'], [1366, 'stanford_arm'], [1320, 'stanford_arm'], [1280, 'stanford_arm']]) {
    const { page, context, errors } = await open(browser, `${server.url}#/step?model=${model}&method=dls&goal=${model === 'planar_arm' ? 'tip=-20,5' : 'tool=0.4,0.2,0.6'}&iteration=1`, { viewport: { width, height: 760 } });
    await page.waitForSelector('.u-over');
    await settle(page);
    assert.deepEqual(await cut(page, '.dock .dh1'), [], `${width}`);
    // What is seen of the numbers is seen whole: with a unit they are longer.
    const tail = await page.locator('.dock .tail').evaluate((e) => { const box = e.getBoundingClientRect(); return [...e.children].map((c) => c.getBoundingClientRect()).filter((b) => b.top < box.bottom - 1).map((b) => [b.left - box.left, box.right - b.right]); });
    assert.ok(tail.length >= 1 && tail.every(([left, right]) => left >= -1 && right >= -1), `${width}: ${tail}`);
    assert.deepEqual(errors, []);
    await context.close();
  }
});

await test('faults 14, 15: labels, arrows and goal of the chapter’s stages stay inside them', async () => {
  const { page, context, errors } = await open(browser, `${server.url}#/chapter/5.12`, BIG);
  for (const figure of ['5.12', '5.13', '5.18', '5.19']) {
    await state(page, (f) => window.armature.chapter.open(f), figure);
    for (const frame of [0, 7, 14, 20]) {
      await state(page, (f) => window.armature.chapter.seek(f), frame);
      await page.waitForTimeout(60);
      const outside = await state(page, () => [...document.querySelectorAll('main figure svg')].flatMap((svg) => {
        const box = svg.getBoundingClientRect();
        return [...svg.querySelectorAll('text')].filter((t) => { const b = t.getBoundingClientRect(); return b.width > 0 && (b.left < box.left - 1 || b.right > box.right + 1 || b.top < box.top - 1 || b.bottom > box.bottom + 1); }).map((t) => t.textContent);
      }));
      assert.deepEqual(outside, [], `figure ${figure}, frame ${frame}`);
    }
  }
  await shot(page, 'fault-chapter-5.19');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('faults 17, 30: export says why a format is off, stands in its own axis, and is read back before it is saved', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'human');
  await page.click('header [title="Export"]');
  const off = await page.locator('[data-export]:disabled small').allInnerTexts();
  for (const text of off) assert.match(text, /^Off: .{10,}/);
  await page.click('[data-export="glb"]');
  await page.waitForSelector('[data-read-back]');
  assert.ok(Number(await page.locator('[data-read-back]').getAttribute('data-read-back')) < 1e-5);
  assert.match(await page.locator('[role="radiogroup"][aria-label="Up axis"] [aria-checked="true"]').innerText(), /^Y/);
  assert.match(await page.locator('.info').innerText(), /Z up/);
  await shot(page, '37-export');
  // Machines stand as well, not only figures, whose limbs tell what is up.
  const stands = await state(page, async () => {
    const { files, studio, exportBytes } = window.armature;
    files.openBuiltin('panda');
    const made = exportBytes('glb');
    const again = studio.core.module.readModel(made, 'panda.glb');
    const [x, y, z] = again.forward(again.neutralPose()).transform('panda_link8').position;
    const own = studio.rig.core.forward(studio.rig.core.neutralPose()).transform('panda_link8').position;
    again.delete();
    studio.undo();
    return Math.hypot(x - own[0], y - own[2], z + own[1]);
  });
  assert.ok(stands < 1e-6, `${stands}`);
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('[role=dialog]').count(), 0);
  assert.equal(await state(page, () => document.activeElement?.getAttribute('title')), 'Export', 'the focus is back');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('fault 21: while dragging in a narrow view the hint and the display bar do not meet', async () => {
  const { page, context, errors } = await open(browser, server.url, { viewport: { width: 940, height: 700 } });
  await gallery(page, 'human');
  await dragGoal(page, 'right_hand', -20, -30, false);
  const [hint, bar] = [await page.locator('.hint').boundingBox(), await page.locator('[role=toolbar][aria-label="Show"]').boundingBox()];
  assert.ok(apart(hint, bar), JSON.stringify([hint, bar]));
  assert.equal(await page.locator('[aria-label="More to show"]').count(), 1, 'folded');
  await page.mouse.up();
  await page.click('[aria-label="More to show"]');
  assert.ok(await page.locator('[aria-label="Workspace"]').isVisible());
  assert.deepEqual(errors, []);
  await context.close();
});

await test('fault 25: a figure begins as limbs, the one in hand open; names are whole', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  await gallery(page, 'human');
  const rows = await page.locator('[role=tree] [role=treeitem]').allInnerTexts();
  assert.ok(rows.length < 25, `${rows.length} rows`);
  const names = rows.map((r) => r.split('\n')[0].trim());
  for (const limb of ['Right arm', 'Left arm', 'Right leg', 'Head', 'Spine']) assert.ok(names.includes(limb), `${limb}: ${names}`);
  assert.ok(names.includes('right_shoulder') && !names.includes('left_shoulder'), `${names}`);
  assert.ok(names.every((n) => !n.includes('…')), `${names}`);
  await page.click('[role=radio]:has-text("Links")');
  assert.ok((await page.locator('[role=tree] [role=treeitem]').count()) > 80);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('fault 26: Compare: the axis ball is free, no column is cut, the figure fills the view', async () => {
  const { page, context, errors } = await open(browser, server.url, { viewport: { width: 1280, height: 720 } });
  await gallery(page, 'panda');
  await state(page, () => { const { studio } = window.armature; const g = studio.scene.goals[0]; studio.begin('move'); studio.dragGoal(g.id, [0.45, 0.25, 0.35]); studio.end(); });
  await page.keyboard.press('3');
  await settle(page);
  const [ball, layout] = [await page.locator('.ball').boundingBox(), await page.locator('.layout').boundingBox()];
  assert.ok(apart(ball, layout), JSON.stringify([ball, layout]));
  assert.deepEqual(await cut(page, '.right .scroll'), []);
  await page.waitForFunction(() => {
    const { studio, views } = window.armature;
    const box = document.querySelector('[data-stage]').getBoundingClientRect();
    return studio.chain.every((j) => { const p = views.stage.camera.project(Array.from(studio.rig.frames.slice(16 * j + 12, 16 * j + 15))); return p.x > 40 && p.x < box.width - 40 && p.y > 80 && p.y < box.height - 8; });
  }, null, { timeout: 20000 });
  await shot(page, 'fault-compare-panda');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('fault 27: phone: the verdict is whole in two lines, buttons are 44 high and inside, the goal’s label too', async () => {
  const { page, context, errors } = await open(browser, server.url, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 1 });
  await gallery(page, 'human');
  await dragGoal(page, 'right_hand', -130, -40); // to the left edge
  for (const mode of ['Pose', 'Step', 'Compare']) {
    await page.click(`.modes [role=tab]:has-text("${mode}")`);
    await settle(page);
    const seen = await state(page, () => ({
      out: [...document.querySelectorAll('header button, .modes button, .tabs button')].filter((b) => { const r = b.getBoundingClientRect(); return r.left < -1 || r.right > innerWidth + 1; }).length,
      low: [...document.querySelectorAll('header .btn.ico, .tabs button')].filter((b) => b.getBoundingClientRect().height < 44).length,
      verdict: (() => { const v = document.querySelector('.verd'); return v.scrollHeight - v.clientHeight; })(),
      lines: (() => { const v = document.querySelector('.verd'); return v.clientHeight > 2 * parseFloat(getComputedStyle(v).lineHeight) + 2 ? 'more than two' : 'two at most'; })(),
    }));
    assert.deepEqual(seen, { out: 0, low: 0, verdict: 0, lines: 'two at most' }, mode);
    const words = await page.locator('.overlay text').evaluateAll((list) => list.filter((t) => /^goal|right_hand/.test(t.textContent)).map((t) => { const b = t.getBoundingClientRect(); return [t.textContent, b.left, b.right]; }));
    for (const [word, left, right] of words) assert.ok(left >= 0 && right <= 390, `${mode}: ${word} from ${left} to ${right}`);
    if (mode === 'Compare') assert.deepEqual([words.length, await cut(page, '.right .scroll')], [1, []]);
  }
  assert.ok((await goalOnScreen(page, 'right_hand')).x < 390);
  assert.deepEqual(errors, []);
  await context.close();
});
