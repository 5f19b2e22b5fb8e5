// Pose at every size: how many joint rows can be seen, the report's outcome always in sight, nothing cut (SPEC2, section 7.1).
import assert from 'node:assert/strict';
import { browser, gallery, server, shot, state, test } from './harness.mjs';
import { open, settle } from './support.mjs';

/** Joint rows that are wholly inside their list and the window. */
const rowsSeen = (page) => state(page, () => {
  const list = document.querySelector('.rows')?.getBoundingClientRect();
  let scroller = document.querySelector('.rows')?.parentElement;
  let [top, bottom] = [list.top, Math.min(list.bottom, innerHeight)];
  for (; scroller; scroller = scroller.parentElement) if (getComputedStyle(scroller).overflowY !== 'visible') { const b = scroller.getBoundingClientRect(); top = Math.max(top, b.top); bottom = Math.min(bottom, b.bottom); }
  return [...document.querySelectorAll('[data-dof]')].filter((e) => { const b = e.getBoundingClientRect(); return b.top >= top - 1 && b.bottom <= bottom + 1; }).length;
});

for (const [width, height, touch, least, tab] of [[1440, 900, false, 9, ''], [1280, 720, false, 12, 'aside [role=tab]:has-text("Joints")'], [1180, 820, true, 10, 'aside [role=tab]:has-text("Joints")'], [820, 1180, true, 9, ''], [390, 844, true, 6, '[role=tab]:has-text("Joints")']]) {
  await test(`pose at ${width} x ${height}: at least ${least} joint rows, the limb first, the outcome in sight`, async () => {
    const { page, context, errors } = await open(browser, server.url, { viewport: { width, height }, hasTouch: touch, isMobile: width < 600 });
    await gallery(page, 'human');
    if (tab) await page.click(tab);
    await settle(page);
    const seen = await rowsSeen(page);
    console.log(`     ${seen} rows`);
    await shot(page, `pose-${width}`);
    assert.ok(seen >= least, `${seen} rows in sight`);
    assert.match(await page.locator('[data-dof]').first().getAttribute('data-dof'), /right|clavicle|shoulder/);
    if (width > 900) assert.ok(await page.locator('.pin .chip').isVisible());
    assert.ok(await state(page, () => document.documentElement.scrollWidth <= innerWidth));
    assert.deepEqual(errors, []);
    await context.close();
  });
}
