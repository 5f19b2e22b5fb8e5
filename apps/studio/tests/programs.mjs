// Runs programs.ts on the built core, in an empty folder.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
process.env.ARMATURE_ROOT ??= resolve(here, '../../..');
const { done, load, test } = await import('../../../bindings/wasm/test/support.mjs');
const folder = mkdtempSync(join(tmpdir(), 'armature-programs-'));
writeFileSync(join(folder, 'programs.mjs'), transformSync(readFileSync(join(here, 'programs.ts'), 'utf8'), { loader: 'ts', format: 'esm' }).code);
const armature = await load();
process.chdir(folder);
const { programs } = await import(pathToFileURL(join(folder, 'programs.mjs')).href);
await programs(armature, test);
done();
