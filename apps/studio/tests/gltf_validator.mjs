// Written glTF passes Khronos' own validator without an error: every built-in model with a motion, and the shared clips, robots and
// glTF sets where they are at hand. The core is the one that the page loads: `node tests/gltf_validator.mjs` after the wasm build.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import validator from 'gltf-validator';

const project = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
process.env.ARMATURE_ROOT ??= project;
const { assert, done, load, test } = await import('../../../bindings/wasm/test/support.mjs');
const module = await load();

/** Errors of a file; that files it refers to are not at hand is none. */
async function errorsOf(bytes) {
  const report = await validator.validateBytes(bytes, {
    maxIssues: 50,
    externalResourceFunction: () => Promise.reject(new Error('not loaded')),
  });
  return report.issues.messages.filter((m) => m.severity === 0 && m.code !== 'IO_ERROR').map((m) => `${m.code} ${m.pointer}`);
}

const errors = (model, format, clip) => errorsOf(model.write(format, clip).bytes);
const below = (folder, ending) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => ending.test(name)).map((name) => join(folder, name));

const found = {};
for (const { name } of module.models()) {
  const model = module.builtin(name);
  const q = [1, 2, 3].flatMap((seed) => Array.from(model.randomPose(seed)));
  const clip = q.length ? { frame_time: 0.1, q } : undefined; // a model without joints cannot move
  for (const format of ['glb', 'gltf']) found[`${name} as ${format}`] = await errors(model, format, clip);
  model.delete();
}
const data = resolve(process.env.ARMATURE_DATA ?? join(project, '../shared/data'));
if (existsSync(data)) {
  const shared = [...below(join(data, 'bvh'), /\.bvh$/), ...below(join(data, 'urdf'), /\.urdf$/), ...below(join(data, 'gltf'), /\.gl(b|tf)$/)];
  await test('the shared collection is whole', () => assert.equal(shared.length, 13 + 39 + 14));
  for (const path of shared) {
    const folder = dirname(path);
    const beside = Object.fromEntries(below(folder, /\.bin$/).map((file) => [relative(folder, file), new Uint8Array(readFileSync(file))]));
    const model = module.readModel(new Uint8Array(readFileSync(path)), basename(path), beside);
    // What goes back into its file keeps the mistakes of that file: one of the sets has a skin without a common root.
    const before = /\.gl(b|tf)$/.test(path) ? await errorsOf(new Uint8Array(readFileSync(path))) : [];
    found[basename(path)] = (await errors(model, 'glb')).filter((error) => !before.includes(error));
    model.delete();
  }
} else {
  console.log('SKIPPED: needs the shared data');
}
for (const [name, list] of Object.entries(found)) await test(`gltf-validator: ${name}`, () => assert.deepEqual(list, []));
done();
