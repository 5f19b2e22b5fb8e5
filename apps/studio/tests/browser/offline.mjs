// After the first visit the page opens without a network.
import assert from 'node:assert/strict';
import { browser, state, test } from './harness.mjs';
import { open, serve, settle } from './support.mjs';

await test('offline: visited once, it opens with its core and solves while nothing is served', async () => {
  const own = await serve();
  const { page, context, errors } = await open(browser, `${own.url}?offline`);
  await state(page, () => navigator.serviceWorker.ready.then(() => true));
  await page.waitForFunction(async () => (await caches.keys()).length === 1 && navigator.serviceWorker.controller !== null);
  own.close();
  await context.setOffline(true);
  await page.goto(`${own.url}?offline#/pose?model=planar_arm&method=dls&goal=tip=10,12`);
  await page.waitForFunction(() => window.armature?.studio.open, null, { timeout: 60000 });
  await settle(page);
  assert.equal(await state(page, () => window.armature.studio.report.outcome), 'converged');
  assert.deepEqual(errors, []);
  await context.close();
});
