// Lessons: answers are checked by the core, progress stays, one lesson can be linked to and embedded.
import assert from 'node:assert/strict';
import { BIG, browser, server, shot, state, test } from './harness.mjs';
import { open, settle } from './support.mjs';

await test('lessons: right, wrong and no number; a hint, the solution, progress after a reload', async () => {
  const { page, context, errors } = await open(browser, `${server.url}#/lesson/longest_reach`, BIG);
  const answer = page.locator('[aria-label="Answer"]');
  const check = async (text) => {
    await answer.fill(text);
    await page.keyboard.press('Enter');
    return page.locator('#lesson-result').innerText();
  };
  assert.match(await check('17'), /Not yet/);
  assert.match(await check('twelve'), /not a number/);
  assert.match(await check('sqrt(1.8^2)'), /Correct/);
  assert.match(await check('1 + 0.8'), /Correct/);
  await shot(page, '34-lesson');
  assert.match(await page.locator('footer').innerText(), /Correct:\s*question \d+ of \d+/);
  const done = await page.locator('[role=progressbar]').getAttribute('aria-valuenow');
  assert.equal(done, '1');
  await page.reload();
  await page.waitForFunction(() => window.armature?.studio.status === 'ready' && window.armature.lessons.list.length > 0);
  assert.equal(await page.locator('[role=progressbar]').getAttribute('aria-valuenow'), '1');
  assert.equal(await page.locator('[data-lesson="longest_reach"] .ring.right').count(), 1);
  // A pose, by the stage; then by its numbers.
  await page.click('[data-lesson="one_elbow"]');
  await page.click('button:has-text("Take this pose")');
  await page.click('button:has-text("Check")');
  assert.match(await page.locator('#lesson-result').innerText(), /Not yet/);
  const before = await state(page, () => window.armature.lessons.q.join());
  assert.match(await check('0.10722463, 1.3310049'), /Correct/);
  assert.notEqual(await state(page, () => window.armature.lessons.q.join()), before, 'the stage shows the answer');
  // A choice, and a solution that is shown counts as seen.
  await page.click('[data-lesson="trade_offs"]');
  await page.click('[role=radio]:has-text("damped least squares")');
  await page.click('button:has-text("Check")');
  assert.match(await page.locator('#lesson-result').innerText(), /Correct/);
  await page.click('[data-lesson="damped_step"]');
  const hints = await state(page, () => window.armature.lessons.current.hints.length);
  assert.equal(await page.locator('button:has-text("Show the solution")').isDisabled(), true);
  for (let i = 0; i < hints; i++) await page.click('button:has-text("Hint")');
  await page.click('button:has-text("Show the solution")');
  assert.match(await page.locator('#lesson-result').innerText(), /Correct/);
  assert.equal(await state(page, () => window.armature.lessons.progress.damped_step), 'seen');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('lessons: every solution passes in the page; embedded, nothing comes from elsewhere and the parent is told', async () => {
  const { page, context, errors } = await open(browser, `${server.url}?embed#/lesson/longest_reach?hints=0&report=1`, { viewport: { width: 1040, height: 640 } });
  const elsewhere = [];
  page.on('request', (r) => r.url().startsWith(server.url) || elsewhere.push(r.url()));
  await page.locator('[aria-label="Answer"]').waitFor();
  assert.equal(await page.locator('nav').count(), 0, 'the question only');
  assert.equal(await page.locator('button:has-text("Hint")').count(), 0);
  await shot(page, '35-lesson-embed');
  const wrong = await state(page, () => { const { lessons, studio } = window.armature; return lessons.list.filter((e) => e.solution && !studio.core.module.checkAnswer(e.name, { text: e.solution }).passed).map((e) => e.name); });
  assert.deepEqual(wrong, []);
  assert.ok(await state(page, () => document.documentElement.scrollWidth <= innerWidth));
  const told = await state(page, async (address) => {
    const frame = document.createElement('iframe');
    frame.src = address;
    const message = new Promise((done) => window.addEventListener('message', (e) => e.data.armature && done(e.data.armature)));
    document.body.append(frame);
    await new Promise((done) => (frame.onload = done));
    while (!frame.contentWindow.armature?.lessons?.current) await new Promise((done) => setTimeout(done, 50));
    frame.contentWindow.armature.lessons.answer = '1.8';
    frame.contentWindow.armature.lessons.check();
    return message;
  }, `${server.url}?embed&again#/lesson/longest_reach?report=1`);
  assert.deepEqual(told, { lesson: 'longest_reach', correct: true });
  assert.deepEqual([errors, elsewhere], [[], []]);
  await context.close();
});

await test('lessons: a figure of the chapter is embedded with its equation and text, its frames can be scrubbed', async () => {
  const { page, context, errors } = await open(browser, `${server.url}?embed#/chapter/5.20`, { viewport: { width: 1040, height: 640 } });
  await page.locator('main figure svg').first().waitFor();
  assert.equal(await page.locator('nav').count(), 0);
  assert.match(await page.locator('aside').innerText(), /What to watch/);
  const live = () => page.locator('main [role=math] .live').innerText();
  const before = await live();
  await page.focus('main [role=slider][aria-label="Frame"]');
  await page.keyboard.press('PageUp');
  assert.notEqual(await live(), before);
  assert.ok(await state(page, () => document.documentElement.scrollWidth <= innerWidth));
  await shot(page, 'chapter-embed');
  assert.deepEqual(errors, []);
  await context.close();
});
