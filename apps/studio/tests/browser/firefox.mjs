// The studio in Firefox: the same page, with its body where software WebGL is there, else drawn as bones.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launchFirefox } from './bidi.mjs';
import { distance, dragGoal, gallery, server, state, test } from './harness.mjs';
import { page_dir, settle, shots } from './support.mjs';

const LAPTOP = { width: 1280, height: 720 };
const browser = await launchFirefox();
if (!browser) console.log('SKIPPED: there is no Firefox on this machine');
else {
  const picture = (page, name) => page.screenshot({ path: join(shots, `firefox-${name}.png`) });
  const off = async (page, id) => distance(...(await state(page, (g) => { const { studio, position } = window.armature; const goal = studio.scene.goals.find((x) => x.id === g); return [goal.position, position(goal.link)]; }, id)));

  await test('Firefox: the figure opens and its hand is dragged; undo, keys, every view', async () => {
    const page = await browser.open(server.url, LAPTOP);
    await gallery(page, 'human');
    console.log(`     ${(await state(page, () => !!document.querySelector('canvas[aria-hidden]')?.getContext('webgl2'))) ? 'with WebGL' : 'without WebGL: bones'}`);
    const before = await state(page, () => window.armature.hash());
    await dragGoal(page, 'right_hand', -60, -90);
    assert.ok((await off(page, 'right_hand')) < 2e-3);
    await picture(page, 'pose');
    await page.keyboard.press('Control+z');
    assert.equal(await state(page, () => window.armature.hash()), before);
    for (const [key, view] of [['2', 'step'], ['3', 'compare'], ['0', 'build'], ['4', 'chapter'], ['1', 'pose']]) {
      await page.keyboard.press(key);
      await settle(page);
      assert.equal(await state(page, () => window.armature.studio.mode), view);
      await picture(page, view);
    }
    assert.deepEqual(page.errors, []);
    await page.close();
  });

  await test('Firefox: a flat arm, what it exports opens again, a mechanism, a long motion in a worker, a lesson', async () => {
    const page = await browser.open(`${server.url}#/pose?model=planar_arm`, LAPTOP);
    await page.waitForFunction(() => window.armature.studio.open);
    await dragGoal(page, 'tip', -40, -30);
    assert.ok((await off(page, 'tip')) < 0.03);
    assert.equal(await state(page, () => window.armature.files.openBytes(window.armature.exportBytes('json'), 'again.json')), true);
    await state(page, () => window.armature.files.openBuiltin('four_bar'));
    await settle(page);
    await state(page, () => document.querySelector('aside [role=slider][aria-label="Drive angle"]').focus());
    await page.keyboard.press('ArrowRight');
    await settle(page);
    assert.ok(await state(page, () => window.armature.mechanism.closureError < 1e-9));
    await state(page, () => { const { files, player, studio } = window.armature; files.openBuiltin('planar_arm'); studio.commit('length', { ...studio.scene, clip: { ...studio.scene.clip, frames: 800 } }); player.key(); player.seek(800); studio.begin('move'); studio.dragGoal('tip', [-10, 12, 0]); studio.end(); player.key(); });
    await page.waitForFunction(() => window.armature.player.pose(400) && !window.armature.ui.solving);
    await page.goto(`${server.url}?lesson#/lesson/longest_reach`);
    await page.waitForFunction(() => document.querySelector('[aria-label="Answer"]'));
    await page.click('[aria-label="Answer"]');
    await page.keyboard.type('1.8');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => /Correct/.test(document.querySelector('#lesson-result')?.textContent ?? ''));
    assert.deepEqual(page.errors, []);
    await page.close();
  });
  await test('Firefox: the studio in one file, from file://, and a worker of it', async () => {
    const page = await browser.open(`${pathToFileURL(join(page_dir, 'armature_studio.html')).href}#/pose?model=planar_arm&method=dls&goal=tip=10,12`, LAPTOP);
    await page.waitForFunction(() => window.armature?.studio.open);
    await settle(page);
    assert.equal(await state(page, () => window.armature.studio.report.outcome), 'converged');
    await state(page, () => window.armature.cloud.ensure());
    await page.waitForFunction(() => window.armature.cloud.points?.length > 0);
    assert.deepEqual(page.errors, []);
    await page.close();
  });
  await browser.close();
}
