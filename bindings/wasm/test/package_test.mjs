// The npm package: packed, installed into an empty project without a network, used in node and, with three.js, in Chromium.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { assert, done, root, test } from './support.mjs';

const tarball = join(root, execFileSync(join(root, 'tools/pack_core.sh'), { encoding: 'utf8' }).trim());
const project = mkdtempSync(join(tmpdir(), 'armature-npm-'));
const npm = (...args) => execFileSync('npm', args, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

await test('installs from the tarball alone, with types, licence and notices', () => {
  writeFileSync(join(project, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }');
  npm('install', '--offline', '--no-audit', '--no-fund', tarball);
  const at = join(project, 'node_modules/@armature/core');
  for (const file of ['armature.mjs', 'armature.d.ts', 'goals.d.ts', 'armature_core.wasm', 'LICENSE', 'NOTICES.txt', 'README.md']) assert.ok(existsSync(join(at, file)), file);
  assert.match(readFileSync(join(at, 'NOTICES.txt'), 'utf8'), /libeigen3-dev/);
  assert.equal(JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')).dependencies, undefined);
});

await test('solves in node as its page shows it', () => {
  writeFileSync(join(project, 'use.mjs'), `import { createArmature } from '@armature/core';
    const armature = await createArmature();
    const panda = await armature.loadModel('panda');
    const report = panda.solve({ link: 'panda_tcp', target: [0.4, 0.2, 0.5] });
    console.log(JSON.stringify({ ok: report.ok, at: panda.forward(report.q).transform('panda_tcp').position }));`);
  const answer = JSON.parse(execFileSync(process.execPath, ['use.mjs'], { cwd: project, encoding: 'utf8' }));
  assert.equal(answer.ok, true);
  answer.at.forEach((x, i) => assert.ok(Math.abs(x - [0.4, 0.2, 0.5][i]) < 1e-4));
});

const three = join(root, 'apps/studio/node_modules/three');
const playwright = join(root, 'apps/studio/node_modules/playwright-core/index.mjs');
const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
if (!existsSync(three) || !existsSync(playwright) || !chromium) console.log('SKIPPED: no Chromium or no packages of the studio here');
else {
  await test('the example with three.js: a URDF, dragged, solved, nothing from other hosts', async () => {
    cpSync(join(root, 'bindings/wasm/example'), project, { recursive: true });
    mkdirSync(join(project, 'node_modules'), { recursive: true });
    symlinkSync(three, join(project, 'node_modules/three'));
    const armature = await (await import(pathToFileURL(join(project, 'node_modules/@armature/core/armature.mjs')).href)).createArmature();
    writeFileSync(join(project, 'robot.urdf'), armature.builtin('ur5').write('urdf').bytes);
    const types = { '.html': 'text/html', '.mjs': 'text/javascript', '.js': 'text/javascript', '.wasm': 'application/wasm' };
    const server = createServer((request, response) => {
      const path = new URL(request.url, 'http://x').pathname;
      try {
        const bytes = readFileSync(join(project, path === '/' ? 'index.html' : path));
        response.writeHead(200, { 'Content-Type': types[extname(path)] ?? 'text/html' }).end(bytes);
      } catch {
        response.writeHead(404).end();
      }
    });
    await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
    const origin = `http://127.0.0.1:${server.address().port}`;
    const { chromium: browsers } = await import(pathToFileURL(playwright).href);
    const browser = await browsers.launch({ executablePath: chromium, headless: true, args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'] });
    const page = await browser.newPage();
    const [errors, elsewhere] = [[], []];
    page.on('pageerror', (e) => errors.push(String(e)));
    page.on('request', (r) => r.url().startsWith(origin) || elsewhere.push(r.url()));
    await page.goto(origin);
    await page.waitForSelector('canvas', { timeout: 120000 });
    await page.waitForFunction(() => { window.dispatchEvent(new PointerEvent('pointermove', { clientX: innerWidth / 2 + 60, clientY: innerHeight / 2 })); return globalThis.report?.ok; }, null, { timeout: 120000 });
    await browser.close();
    server.close();
    assert.deepEqual([errors, elsewhere], [[], []]);
  });
}
rmSync(project, { recursive: true, force: true });
done();
