// Speed of the module in node: `node bindings/wasm/test/bench.mjs`. Compare with `armature ik` or bench/ natively.
import { load, value } from './support.mjs';

const module = await load();
function time(name, run) {
  for (let i = 0; i < 200; i++) run();
  const begin = performance.now();
  let calls = 0;
  while (performance.now() - begin < 400) {
    for (let i = 0; i < 20; i++) run();
    calls += 20;
  }
  console.log(`${name.padEnd(48)} ${((1000 * (performance.now() - begin)) / calls).toFixed(2).padStart(9)} us`);
}
for (const name of ['planar_arm', 'panda', 'human']) {
  const figure = value(module.builtin(name));
  const model = figure.description();
  const tip = model.effectors[model.effectors.length > 1 ? 1 : 0];
  const start = figure.random(3);
  figure.pose().set(start);
  figure.forward();
  const at = Array.from(figure.frames().slice(16 * tip + 12, 16 * tip + 15));
  value(figure.setGoals([{ type: 'position', link: tip, position: at }]));
  value(figure.setSolver('dls', {}));
  const rest = figure.neutral();
  time(`${name}: forward, ${model.links.length} links`, () => figure.forward());
  time(`${name}: jacobian`, () => figure.jacobian(tip, undefined));
  time(`${name}: solve (dls, from rest), report`, () => {
    figure.pose().set(rest);
    figure.solve();
  });
  figure.pose().set(rest);
  figure.solve();
  console.log(`${''.padEnd(48)} ${figure.timing().toFixed(2).padStart(9)} us inside the core`);
  figure.delete();
}
