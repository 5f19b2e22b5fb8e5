// A static server for the built page, a Chromium of the system, and a few helpers. Never downloads a browser.
import { createServer } from 'node:http';
import { readFile, mkdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { extname, join, normalize, resolve } from 'node:path';
import { chromium } from 'playwright-core';

export const root = resolve(new URL('../../../..', import.meta.url).pathname);
export const page_dir = process.env.ARMATURE_STUDIO_OUT ?? join(root, 'build/studio');
export const shots = join(root, 'build/studio-screenshots');
export const data = process.env.ARMATURE_DATA ?? join(root, '../shared/data');

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };

export async function serve() {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname)).replace(/^(\.\.[/\\])+/, '');
    try {
      const bytes = await readFile(join(page_dir, path === '/' ? 'index.html' : path));
      response.writeHead(200, { 'Content-Type': TYPES[extname(path)] ?? 'text/html' });
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

export function browserPath() {
  return ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
}

export async function launch() {
  await mkdir(shots, { recursive: true });
  return chromium.launch({
    executablePath: browserPath(),
    headless: true,
    args: ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  });
}

/** A page whose console is watched; `errors` fills with everything that should not be there. */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1000, height: 640 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(120000); // a busy machine is not a failure
  const errors = [];
  page.on('console', (m) => {
    if (m.type() === 'error' || m.type() === 'warning') if (!/GPU stall|GL Driver Message|swiftshader/i.test(m.text())) errors.push(m.text());
  });
  page.on('pageerror', (e) => errors.push(String(e)));
  await page.goto(url);
  await page.waitForFunction(() => window.armature?.studio.status === 'ready', null, { timeout: 120000 });
  return { page, context, errors };
}

/** Screen position of a goal, from the page's own camera. */
export const goalOnScreen = (page, id) =>
  page.evaluate((id) => {
    const { studio, views } = window.armature;
    const goal = studio.scene.goals.find((g) => g.id === id);
    const p = views.stage.camera.project(goal.position);
    const box = document.querySelector('[data-stage]').getBoundingClientRect();
    return { x: box.left + p.x, y: box.top + p.y };
  }, id);

/** Until nothing is under way: no frame, camera flight, file or animation, and the address is written. */
export const settle = (page) => page.waitForFunction(() => window.armature.atRest());

/** Drops files onto the page, as a person would. */
export async function drop(page, files) {
  const handle = await page.evaluateHandle((list) => {
    const transfer = new DataTransfer();
    for (const f of list) transfer.items.add(new File([Uint8Array.from(atob(f.base64), (c) => c.charCodeAt(0))], f.name));
    return transfer;
  }, files.map((f) => ({ name: f.name, base64: Buffer.from(f.bytes).toString('base64') })));
  await page.dispatchEvent('body', 'drop', { dataTransfer: handle });
  await settle(page);
}
