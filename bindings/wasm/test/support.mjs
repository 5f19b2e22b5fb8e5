// Loads the built module in node, and a very small test harness.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const root = process.env.ARMATURE_ROOT ?? process.cwd();
const dir = process.env.ARMATURE_WASM_DIR ?? join(root, 'build/wasm/bindings/wasm');

export const api = await import(pathToFileURL(join(dir, 'armature.mjs')).href);
export const load = () => api.createArmature({ wasmBinary: readFileSync(join(dir, 'armature_core.wasm')) });

let passed = 0;
let failed = 0;
export async function test(name, run) {
  try {
    await run();
    passed++;
  } catch (error) {
    failed++;
    console.log(`FAIL ${name}\n${error.stack}`);
  }
}
export function done() {
  console.log(`Tests  ${failed ? `${failed} failed | ` : ''}${passed} passed (${passed + failed})`);
  process.exit(failed ? 1 : 0);
}
export { assert };
