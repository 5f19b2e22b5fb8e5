// axe-core finds nothing at all, in every view, on a desk, a tablet and a phone.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { BIG, browser, gallery, server, state, test } from './harness.mjs';
import { open, root, settle } from './support.mjs';

const AXE = join(root, 'apps/studio/node_modules/axe-core/axe.min.js');
let found = [];
/** Gathers what axe says about the page as it is; `none` then wants nothing to be there. */
const look = async (page, where) => {
  await settle(page);
  if (!(await state(page, () => 'axe' in window))) await page.addScriptTag({ path: AXE });
  const { violations } = await state(page, () => window.axe.run(document, { resultTypes: ['violations'] }));
  found.push(...violations.map((v) => `${where}: ${v.id} (${v.impact}): ${v.nodes.slice(0, 3).map((n) => n.target.join(' ')).join(' | ')}`));
};
const none = () => { const all = found; found = []; assert.deepEqual(all, []); };

await test('axe-core: nothing in the gallery, Pose and its tabs, Step, Compare, Chapter, Build, dialogs', async () => {
  const { page, context } = await open(browser, server.url, BIG);
  await look(page, 'gallery');
  await gallery(page, 'panda');
  await look(page, 'pose');
  for (const tab of ['bodies', 'solutions']) {
    await page.click(`#tab-${tab}`);
    await settle(page);
    await look(page, tab);
  }
  await state(page, () => { const { studio } = window.armature; const g = studio.scene.goals[0]; studio.begin('move'); studio.dragGoal(g.id, [0.4, 0.2, 0.5]); studio.end(); });
  for (const [key, name] of [['2', 'step'], ['3', 'compare'], ['4', 'chapter'], ['0', 'build']]) {
    await state(page, () => document.activeElement?.blur());
    await page.keyboard.press(key);
    await settle(page);
    await look(page, name);
    if (name === 'chapter') {
      await state(page, () => window.armature.lessons.open('one_elbow'));
      await look(page, 'lesson');
      await state(page, () => window.armature.lessons.close());
    }
    if (name === 'build') { // a joint in hand, its axis, and a name that is taken
      const [first, second] = await state(page, () => { const { studio, build } = window.armature; build.tool = 'limits'; const names = studio.model.joints.filter((j) => j.nv).map((j) => j.name); studio.select({ kind: 'joint', name: names[0] }); return names; });
      await settle(page);
      await page.locator(`[data-row="joint:${first}"]`).dblclick();
      await page.keyboard.type(second);
      await page.keyboard.press('Enter');
      await page.locator('[role=tree] [role=alert]').waitFor();
      await look(page, 'build, a name that is taken');
      await page.keyboard.press('Escape');
    }
  }
  for (const dialog of ['export', 'help', 'find']) {
    await state(page, (d) => { window.armature.ui.dialog = d; }, dialog);
    await settle(page);
    await look(page, dialog);
  }
  await context.close();
  none();
});

await test('axe-core: nothing for a mechanism, on a tablet, on a phone, in dark', async () => {
  for (const [name, options, model] of [['mechanism', BIG, 'four_bar'], ['tablet', { viewport: { width: 820, height: 1180 }, hasTouch: true }, 'human'], ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true }, 'human']]) {
    const { page, context } = await open(browser, server.url, options);
    await gallery(page, model);
    await look(page, name);
    await state(page, () => window.armature.ui.setTheme('dark'));
    await settle(page);
    await look(page, `${name}, dark`);
    await page.click('[role=tab]:has-text("Build")');
    await look(page, `${name}, build`);
    await state(page, () => { window.armature.build.fresh(); window.armature.ui.tab = 'more'; window.armature.ui.shelfTab = 'checks'; window.armature.ui.buildTab = 'parts'; });
    await look(page, `${name}, build with nothing`);
    await state(page, () => document.querySelector('[data-part="Leg"]').click());
    await state(page, () => { window.armature.limbs.toggleMirror(); window.armature.build.picker = { x: 100, y: 100 }; });
    await look(page, `${name}, build, a leg`);
    await context.close();
  }
  none();
});
