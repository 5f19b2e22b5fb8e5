// Every exported function with arguments of every wrong kind, seeded: it answers, or throws an Error with a sentence; never a
// number, a pointer or an exception object of the compiler's, and the module goes on working.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { api, assert, done, load, test } from './support.mjs';

const armature = await load();
const { ArmatureError } = api;
const STATIC = ['version', 'simd', 'models', 'formats', 'methods', 'builtin', 'readModel', 'readScene', 'measures'];
const methodsOf = (type) => Object.getOwnPropertyNames(type.prototype).filter((n) => n !== 'constructor' && n !== 'delete' && typeof Object.getOwnPropertyDescriptor(type.prototype, n).value === 'function');
const MODEL = methodsOf(api.Model);
const SCENE = methodsOf(api.Scene);

let state = 20260; // a linear congruential generator: the same arguments on every machine
const random = () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
const below = (n) => Math.floor(random() * n);
const pick = (list) => list[below(list.length)];

const NUMBERS = [0, -0, 1, -1, 2, 0.5, NaN, Infinity, -Infinity, 1e-320, 1e308, -1e308, 2 ** 31, -(2 ** 31), 2 ** 32, 2 ** 53, 1e19];
const WORDS = ['', 'dls', 'reach', 'ccd', 'json', 'bvh', 'position', 'pose', 'pole', 'aim', 'posture', 'remove', 'scale', 'lock', 'tip', 'a'.repeat(5000), '\0', '\ud800', '../x', '%s%n', '__proto__'];
const KEYS = ['type', 'link', 'target', 'base', 'point', 'direction', 'middle', 'start', 'weight', 'priority', 'tolerance', 'preference', 'goals', 'method', 'options', 'edit', 'name', 'to', 'joint', 'factor', 'value', 'lower', 'upper', 'path', 'frame_time', 'steps_per_frame', 'locked', 'joint_weights', 'limits', 'gain', 'seconds', 'measures', 'samples', 'tip', 'seed', 'size', 'goal', 'function', 'max_iterations', 'damping', 'max_time', 'q', 'x', 'length'];
// The frames of one call and the iterations of one method are bounded here, so that the test ends: not what it looks for.
const BOUNDED = { samples: [0, 3, -1, 1e12, NaN, 'x'], steps_per_frame: [1, 2, 0, -1, NaN], max_iterations: [0, 1, 50, -1, 'x', 1.5], max_time: [0, 0.01, -1, NaN, 'x'], seconds: [0, 0.001, -1, NaN, 'x'] };
const thrower = () => ({ get type() { throw new Error('a getter of the caller'); }, get 0() { throw new Error('a getter of the caller'); }, get length() { throw new Error('a getter of the caller'); } });

// Now and then a goal as it should be, so that what follows has something to work on.
const goal = () => ({ type: pick(['position', 'pose', 'aim', 'posture', 'custom']), link: pick(['tip', 'panda_tcp', 'left_hand', 'nobody']), target: pick(['here', [random(), random(), random()], [0, 0, 0, 1]]), ...(random() < 0.3 ? { [pick(KEYS)]: any(1) } : {}) });

function any(depth = 0) {
  if (depth === 0 && random() < 0.2) return pick([[goal()], goal(), { goals: [goal()] }, 'dls', 'json', below(4), { edit: 'scale', factor: any(3) }]);
  switch (below(depth > 2 ? 9 : 16)) {
    case 0: return undefined;
    case 1: return null;
    case 2: return random() < 0.5;
    case 3: case 4: return pick(NUMBERS);
    case 5: return (random() - 0.5) * 10 ** below(8);
    case 6: return pick(WORDS);
    case 7: return pick([10n, Symbol('s'), () => 1, new Date(0), /x/, new Map([[1, 2]])]);
    case 8: return pick([new Uint8Array(below(9)), new Float64Array(below(9)).fill(NaN), new BigInt64Array(3), new DataView(new ArrayBuffer(8)), new ArrayBuffer(4)]);
    case 9: case 10: return Array.from({ length: below(9) }, () => any(depth + 1));
    case 11: return Array.from({ length: pick([0, 1, 3, 4, 7]) }, () => (random() - 0.5) * 4);
    case 12: return Object.assign([], { 3: any(depth + 1) }); // with holes
    case 13: return thrower();
    case 14: return { length: pick(NUMBERS), 0: any(depth + 1) };
    default: {
      const made = {};
      for (let i = below(6); i >= 0; i--) {
        const key = pick(KEYS);
        made[key] = BOUNDED[key] ? pick(BOUNDED[key]) : any(depth + 1);
      }
      return made;
    }
  }
}
const COUNTS = { benchmark: 0, trace: -1 }; // again so that a call ends
function call(object, name) {
  const args = Array.from({ length: below(4) }, () => any());
  if (COUNTS[name] === 0 && typeof args[0] === 'number' && args[0] > 20) args[0] = pick([20, 1e12, NaN]);
  if (name === 'compare') args[1] = { seconds: 0 };
  if (name === 'workspace') args[0] = pick([null, 7, 'x', { cells: pick([-1, 0, NaN, 1e12, 1.5, '3', 2]), samples: 20 }, { cells: 2, samples: 50, tip: any(3), base: any(3), point: any(3), orientations: pick([0, 1, -1]), region: pick([undefined, any(2), [[0, 0, 0], any(3)]]), cone: pick([undefined, any(3)]) }]);
  if (name === 'graft' || name === 'freePrefix') args[0] = pick([object, any(), any()]);
  try {
    return object[name](...args);
  } catch (error) {
    assert.ok(error instanceof Error, `${name} threw ${typeof error} ${String(error)}`);
    assert.ok(!(error instanceof WebAssembly.RuntimeError), `${name} trapped: ${error.message}`);
    if (error.message === 'a getter of the caller') return undefined;
    assert.ok(error instanceof ArmatureError, `${name} threw ${error.name}: ${error.message} ${error.stack}`);
    sentence(name, error.message);
    return undefined;
  }
}
function sentence(name, text) {
  assert.equal(typeof text, 'string', name);
  assert.ok(text.length > 8 && text.includes(' ') && !/^\d+$/.test(text), `${name} says only '${text}'`);
  assert.ok(!/Cannot read prop|is not a function|is not iterable|is not defined/.test(text), `${name} stumbled: ${text}`);
}

await test('all of the contract is there', () => {
  const contract = readFileSync(new URL('../armature.d.ts', import.meta.url), 'utf8');
  for (const [type, from, to] of [[api.Model, 'class Model', 'class Scene'], [api.Scene, 'class Scene', 'class Follower'], [api.Clip, 'class Clip', 'class Model'], [armature.constructor, 'interface Armature {', 'interface ModuleOptions']]) {
    const text = contract.slice(contract.indexOf(from), contract.indexOf(to));
    const declared = [...new Set([...text.matchAll(/^  (\w+)\(/gm)].map((m) => m[1]))].filter((n) => n !== 'delete');
    assert.deepEqual(methodsOf(type).sort(), declared.sort(), from);
  }
});

await test('goals are typed as their schema describes them', () => {
  const made = execFileSync('python3', [new URL('../../../tools/make_types.py', import.meta.url).pathname, '--print']).toString();
  assert.equal(readFileSync(new URL('../goals.d.ts', import.meta.url), 'utf8'), made, 'run tools/make_types.py');
});

await test('functions of the module take anything', () => {
  for (const name of STATIC) for (let i = 0; i < 300; i++) call(armature, name)?.delete?.();
});

for (const name of ['planar_arm', 'panda', 'human']) {
  await test(`methods of ${name} take anything, and it still solves`, () => {
    const model = armature.builtin(name);
    const scene = model.scene();
    const rest = model.neutralPose();
    for (let round = 0; round < 3000; round++) {
      const answer = random() < 0.5 ? call(model, pick(MODEL)) : call(scene, pick(SCENE));
      if (answer instanceof api.Model || answer instanceof api.Scene || answer instanceof api.Follower) answer.delete();
      if (round % 10 === 0) scene.q.set(rest);
      else if (random() < 0.02) scene.q[below(rest.length)] = pick(NUMBERS);
    }
    const start = Array.from(model.pose());
    const target = model.forward(start).transform(model.effectors[0]).position;
    scene.replace({ goals: [{ link: model.effectors[0], target }], method: 'dls', start }, false);
    assert.equal(scene.solve().outcome, 'converged');
    scene.delete();
    model.delete();
    assert.throws(() => scene.solve(), /deleted/);
  });
}

await test('exceptions leave the module’s stack where it was', () => {
  const arm = armature.builtin('planar_arm');
  for (let i = 0; i < 10000; i++) assert.throws(() => arm.jacobian('nobody'), ArmatureError);
  for (let i = 0; i < 3000; i++) assert.throws(() => arm.scene({ goals: [{ link: 'nobody' }] }), ArmatureError);
  assert.equal(arm.solve({ link: 'tip', target: [10, 15] }).ok, true);
});

await test('wrong arguments are named', () => {
  const arm = armature.builtin('planar_arm');
  assert.throws(() => arm.scene({ goals: 'x' }), /goals/);
  assert.throws(() => arm.scene({ goals: [{ link: 'tip', target: { position: [1] } }] }), /position/);
  assert.throws(() => arm.scene({ goals: [{ link: 'tip', target: [0, 0, 0, 0] }] }), ArmatureError);
  assert.throws(() => arm.interpolate([0, 0], [0, 0, 0], 0.5), /holds 3 numbers, got 2/);
  assert.throws(() => arm.integrate([0, 0, 0], [0, 0, NaN]), /NaN/);
  assert.throws(() => arm.randomPlaces({ samples: 1e12 }), /samples must be a whole number/);
  const scene = arm.scene({ goals: [{ link: 'tip', target: [1, 2] }] });
  scene.q[1] = NaN;
  assert.throws(() => scene.solve(), /not finite/);
});

done();
