// Speed of the module in node, beside the native library on the same questions:
//
//   node bindings/wasm/test/bench.mjs [build/release/bench_wasm_peer]
//
// Random goals that a pose reaches, solved from the neutral pose; the median time of the solve itself, without the way into and
// out of JavaScript, which the last lines show. Runs are taken in turns, three of each, and the quickest of each counts.
import { execFileSync } from 'node:child_process';
import { load } from './support.mjs';

const GOALS = 1000;
const CASES = [
  ['panda', 'reach', [['pose', 'panda_tcp']]],
  ['panda', 'dls', [['position', 'panda_tcp']]],
  ['human', 'reach', [['position', 'right_hand'], ['pose', 'left_foot'], ['pose', 'right_foot']]],
  ['human', 'dls', [['position', 'right_hand'], ['pose', 'left_foot'], ['pose', 'right_foot']]],
];
const native = process.argv[2];
const armature = await load();

function inModule() {
  return CASES.map(([model, method, goals]) => {
    const opened = armature.builtin(model);
    const scene = opened.scene({ goals: goals.map(([type, link]) => ({ type, link, target: 'here' })), method, start: Array.from(opened.neutralPose()) });
    const r = scene.benchmark(GOALS, 1);
    scene.delete();
    opened.delete();
    return { model, method, solved: r.solved, iterations: r.median_iterations, microseconds: r.median_microseconds };
  });
}
function natively() {
  return execFileSync(native, [String(GOALS)]).toString().trim().split('\n').map((line) => {
    const [model, method, solved, iterations, microseconds] = line.split(' ');
    return { model, method, solved: Number(solved), iterations: Number(iterations), microseconds: Number(microseconds) };
  });
}
const rounds = [0, 1, 2].map(() => ({ wasm: inModule(), native: native ? natively() : null }));
const least = (side, i) => Math.min(...rounds.map((r) => r[side][i].microseconds));
console.log('model   method   solved wasm/native  iterations wasm/native   wasm us  native us   ratio');
CASES.forEach(([model, method], i) => {
  const w = rounds[0].wasm[i];
  const n = rounds[0].native?.[i];
  const us = least('wasm', i);
  const other = n ? least('native', i) : NaN;
  console.log(`${model.padEnd(7)} ${method.padEnd(8)} ${`${w.solved}/${n?.solved ?? '-'}`.padStart(18)} ${`${w.iterations}/${n?.iterations ?? '-'}`.padStart(23)} ${us.toFixed(1).padStart(9)} ${other.toFixed(1).padStart(10)} ${(us / other).toFixed(2).padStart(7)}`);
});

function time(name, run) {
  for (let i = 0; i < 200; i++) run();
  const begin = performance.now();
  let calls = 0;
  while (performance.now() - begin < 300) {
    for (let i = 0; i < 20; i++) run();
    calls += 20;
  }
  console.log(`${name.padEnd(48)} ${((1000 * (performance.now() - begin)) / calls).toFixed(2).padStart(9)} us`);
}
for (const name of ['planar_arm', 'panda', 'human']) {
  const model = armature.builtin(name);
  const scene = model.scene({ goals: [{ type: 'position', link: model.effectors[0], target: 'here' }], method: 'dls' });
  time(`${name}: forward, ${model.links.length} links`, () => scene.forward());
  time(`${name}: a solve that is there already, with its report`, () => scene.solve());
  time(`${name}: the same without measures`, () => scene.solve({ measures: false }));
  scene.delete();
  model.delete();
}
