// Every view at its size: panels as wide and high as the design says (within 4 px), and no text cut off unless the whole of it
// is in a tooltip. Pictures of the other screens come from the tests that need them anyway; beside.mjs lays them side by side.
import assert from 'node:assert/strict';
import { BIG, browser, gallery, server, shot, state, test } from './harness.mjs';
import { open, settle } from './support.mjs';

const resize = async (page, width, height) => {
  await page.setViewportSize({ width, height });
  await page.waitForFunction((w) => window.armature.ui.width === w, width);
  await settle(page);
};
const SIZES = {
  pose: { header: [1440, 44], nav: [236], aside: [344], '.dock': [860, 152], footer: [1440, 28] },
  step: { header: [1440, 44], nav: [236], aside: [444], '.dock': [760, 206], footer: [1440, 28] },
  compare: { header: [1440, 44], nav: [236], '.dock': [1204, 344], footer: [1440, 28] },
  chapter: { header: [1440, 44], nav: [236], footer: [1440, 28] },
};

/** Texts that do not fit and have no tooltip either. */
const clipped = (page) => state(page, () => {
  const out = [];
  for (const e of document.querySelectorAll('header *, nav *, aside *, footer *, .dock *, main *')) {
    if (!(e instanceof HTMLElement) || e.children.length > 0 || !e.innerText?.trim()) continue;
    if (e.closest('.hidden, [data-stage]')) continue;
    const style = getComputedStyle(e);
    if (style.overflow !== 'visible' && e.scrollWidth > e.clientWidth + 1 && !e.closest('[title]')) out.push(`${e.className}: ${e.innerText}`);
  }
  return out;
});

await test('each view at 1440 x 900: panels have their sizes, no text is cut off; light and dark', async () => {
  const { page, context, errors } = await open(browser, server.url, BIG);
  assert.deepEqual(await clipped(page), [], 'first page');
  await gallery(page, 'planar_arm');
  for (const [mode, sizes] of Object.entries(SIZES)) {
    await page.click(`[role=tab]:has-text("${mode[0].toUpperCase() + mode.slice(1)}")`);
    await settle(page);
    for (const [where, [width, height]] of Object.entries(sizes)) {
      const box = await page.locator(where).first().boundingBox();
      assert.ok(Math.abs(box.width - width) <= 4, `${mode} ${where}: ${box.width} wide, not ${width}`);
      if (height) assert.ok(Math.abs(box.height - height) <= 4, `${mode} ${where}: ${box.height} high, not ${height}`);
    }
    assert.deepEqual(await clipped(page), [], mode);
    await state(page, () => window.armature.ui.setTheme('dark'));
    await settle(page);
    await shot(page, `dark-${mode}`);
    await state(page, () => window.armature.ui.setTheme('light'));
  }
  assert.deepEqual(errors, []);
  await context.close();
});

await test('widths: 1100, 800 and 390 put panels away and never scroll sideways', async () => {
  const { page, context, errors } = await open(browser, server.url, { viewport: { width: 1100, height: 700 } });
  await gallery(page, 'planar_arm');
  assert.equal(await page.locator('nav').count(), 0, 'the tree is an overlay');
  assert.equal(await page.locator('aside').count(), 1);
  await state(page, () => window.armature.views.stage.focus());
  await page.keyboard.press('[');
  assert.equal(await page.locator('nav').count(), 1);
  await page.keyboard.press('[');
  await resize(page, 800, 700);
  assert.equal(await page.locator('aside').count(), 0, 'the inspector is in the shelf');
  assert.equal(await page.locator('.shelf [role=tab]').count(), 6);
  for (const width of [800, 390, 320]) {
    await resize(page, width, 700);
    assert.ok(await state(page, () => document.documentElement.scrollWidth <= innerWidth), `${width} px`);
  }
  assert.deepEqual(errors, []);
  await context.close();
});
