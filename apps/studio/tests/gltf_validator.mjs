// Written glTF passes Khronos' own validator without an error: every built-in model with a motion, and the shared clips, robots and
// glTF sets where they are at hand. The core is the one that the page loads: `node tests/gltf_validator.mjs` after the wasm build.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import validator from 'gltf-validator';

const project = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
process.env.ARMATURE_ROOT ??= project;
const { assert, done, load, test, value } = await import('../../../bindings/wasm/test/support.mjs');
const module = await load();

/** Errors of a file; that files it refers to are not at hand is none. */
async function errorsOf(bytes) {
  const report = await validator.validateBytes(bytes, {
    maxIssues: 50,
    externalResourceFunction: () => Promise.reject(new Error('not loaded')),
  });
  return report.issues.messages.filter((m) => m.severity === 0 && m.code !== 'IO_ERROR').map((m) => `${m.code} ${m.pointer}`);
}

const errors = (figure, request) => errorsOf(value(figure.write(request)).bytes.slice());
const below = (folder, ending) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => ending.test(name)).map((name) => join(folder, name));

const found = {};
for (const { name } of module.models()) {
  const figure = value(module.builtin(name));
  const poses = new Float64Array([1, 2, 3].flatMap((seed) => Array.from(figure.random(seed))));
  for (const format of ['glb', 'gltf']) found[`${name} as ${format}`] = await errors(figure, { format, poses, seconds_per_frame: 0.1 });
  figure.delete();
}
const data = resolve(process.env.ARMATURE_DATA ?? join(project, '../shared/data'));
if (existsSync(data)) {
  const shared = [...below(join(data, 'bvh'), /\.bvh$/), ...below(join(data, 'urdf'), /\.urdf$/), ...below(join(data, 'gltf'), /\.gl(b|tf)$/)];
  test('the shared collection is whole', () => assert.equal(shared.length, 13 + 39 + 14));
  for (const path of shared) {
    const folder = dirname(path);
    const beside = Object.fromEntries(below(folder, /\.bin$/).map((file) => [relative(folder, file), new Uint8Array(readFileSync(file))]));
    const figure = value(module.open(new Uint8Array(readFileSync(path)), basename(path), beside));
    // What goes back into its file keeps the mistakes of that file: one of the sets has a skin without a common root.
    const before = /\.gl(b|tf)$/.test(path) ? await errorsOf(new Uint8Array(readFileSync(path))) : [];
    found[basename(path)] = (await errors(figure, { format: 'glb' })).filter((error) => !before.includes(error));
    figure.delete();
  }
} else {
  console.log('SKIPPED: needs the shared data');
}
for (const [name, list] of Object.entries(found)) test(`gltf-validator: ${name}`, () => assert.deepEqual(list, []));
done();
