// One browser and one server for all test files; `test` prints a line per check, `finish` the summary that
// tools/count_tests.py reads. Screenshots go to build/studio-screenshots.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { browserPath, goalOnScreen, launch, page_dir, serve, settle, shots } from './support.mjs';

if (!browserPath()) {
  console.log('SKIPPED: there is no Chromium on this machine');
  process.exit(77);
}
if (!existsSync(join(page_dir, 'core/armature_core.wasm'))) {
  console.log(`FAILED: the page in ${page_dir} has no core; run tools/build_studio.sh`);
  process.exit(1);
}
const only = process.argv[2];
export const server = await serve();
export const browser = await launch();
let passed = 0;
const failed = [];

export async function test(name, run) {
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
export async function finish() {
  await browser.close();
  server.close();
  console.log(`Tests  ${failed.length ? `${failed.length} failed | ` : ''}${passed} passed (${passed + failed.length})`);
  process.exit(failed.length ? 1 : 0);
}

export const state = (page, f, ...args) => page.evaluate(f, ...args);
/** A picture of the page, once what WebGL was asked to draw is drawn. */
export const shot = async (page, name) => {
  await page.evaluate(() => {
    const gl = document.querySelector('canvas[aria-hidden]')?.getContext('webgl2');
    gl?.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4)); // waits for the drawing
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  });
  await page.screenshot({ path: join(shots, `${name}.png`) });
};
export const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
export const BIG = { viewport: { width: 1440, height: 900 } };
export const gallery = async (page, id) => {
  await page.click(`[data-model="${id}"]`);
  await page.waitForFunction(() => window.armature.studio.open);
  await settle(page);
};
/** Drags a goal by pixels, in a few moves, as a hand would. */
export const dragGoal = async (page, id, dx, dy, release = true) => {
  await settle(page); // panels that open move the view
  const from = await goalOnScreen(page, id);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let i = 1; i <= 4; i++) {
    await page.mouse.move(from.x + (dx * i) / 4, from.y + (dy * i) / 4);
    await settle(page);
  }
  await settle(page);
  if (release) await page.mouse.up();
  await settle(page);
};
