// The page as `armature studio FILE` serves it: its Content-Security-Policy stops nothing that the page needs, and the file opens with the
// mesh that it names.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { browser, test } from './harness.mjs';
import { open, page_dir, root } from './support.mjs';

const program = [process.env.ARMATURE, join(root, 'build/release/armature'), join(root, 'build/dev/armature')].find((path) => path && existsSync(path));

const TRIANGLE = `solid t
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 1 0
endloop
endfacet
endsolid t
`;
const ARM = `<robot name="served_arm"><link name="base"><visual><geometry><mesh filename="base.stl"/></geometry></visual></link><link name="tip"/>
<joint name="turn" type="continuous"><parent link="base"/><child link="tip"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/></joint></robot>`;

if (!program) console.log('SKIPPED: the command line is not built, so the page is not tried as it serves it');
else
  await test('served by armature studio: the file opens with its mesh, and the policy stops nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'armature-'));
    writeFileSync(join(folder, 'arm.urdf'), ARM);
    writeFileSync(join(folder, 'base.stl'), TRIANGLE);
    const served = spawn(program, ['studio', '--no-browser', '--page', page_dir, join(folder, 'arm.urdf')], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const address = await new Promise((done) => served.stdout.once('data', (text) => done(/http:\S+/.exec(String(text))[0])));
      const { page, context, errors } = await open(browser, address);
      await page.waitForFunction(() => window.armature.studio.open && window.armature.studio.scene.model.file?.name === 'arm.urdf');
      assert.ok(await page.evaluate(() => window.armature.mesh('base.stl')), 'the mesh came with the file');
      assert.ok(['dark', 'light'].includes(await page.evaluate(() => document.documentElement.dataset.theme)), 'the theme is set before the page paints');
      assert.ok(await page.evaluate(() => crossOriginIsolated), 'the fine clock');
      assert.deepEqual(errors, []);
      await context.close();
    } finally {
      served.kill();
      rmSync(folder, { recursive: true });
    }
  });
