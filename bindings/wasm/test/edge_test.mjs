// Every exported function with arguments of every wrong kind, seeded: it answers, or throws an Error with a sentence; never a
// number, a pointer or an exception object of the compiler's, and the module goes on working.
import { readFileSync } from 'node:fs';
import { assert, done, load, test, value } from './support.mjs';

const module = await load();
const STATIC = ['version', 'simd', 'models', 'formats', 'solvers', 'builtin', 'open'];
const METHODS = Object.getOwnPropertyNames(module.Figure.prototype).filter((n) => n !== 'constructor' && typeof module.Figure.prototype[n] === 'function');
const RESULTS = new Set(['builtin', 'open', 'setGoals', 'setJoints', 'setSolver', 'check', 'sequence', 'edit', 'write']);

let state = 20260; // a linear congruential generator: the same arguments on every machine
const random = () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
const below = (n) => Math.floor(random() * n);
const pick = (list) => list[below(list.length)];

const NUMBERS = [0, -0, 1, -1, 2, 0.5, NaN, Infinity, -Infinity, 1e-320, 1e308, -1e308, 2 ** 31, -(2 ** 31), 2 ** 32, 2 ** 53, 1e19];
const WORDS = ['', 'dls', 'reach', 'ccd', 'json', 'bvh', 'position', 'pose', 'pole', 'aim', 'posture', 'remove', 'scale', 'lock', 'tip', 'a'.repeat(5000), '\0', '\ud800', '../x', '%s%n', '__proto__'];
const KEYS = ['type', 'link', 'position', 'quaternion', 'point', 'direction', 'middle', 'start', 'weight', 'priority', 'tolerance', 'edit', 'name', 'to', 'joint', 'factor', 'value', 'lower', 'upper', 'format', 'poses', 'seconds_per_frame', 'frames', 'goal', 'steps_per_frame', 'locked', 'gain', 'rest', 'max_iterations', 'damping', 'max_time', '0', '1', '2', '99', '-1', 'x', 'length'];
// The frames of one call and the iterations of one method are bounded here, so that the test ends: not what it looks for.
const BOUNDED = { frames: [2, 3, -1, 1e9, NaN, 'x'], steps_per_frame: [1, 2, 0, -1, NaN], max_iterations: [0, 1, 50, -1, 'x', 1.5], max_time: [0, 0.01, -1, NaN, 'x'] };
const thrower = () => ({ get type() { throw new Error('a getter of the caller'); }, get 0() { throw new Error('a getter of the caller'); }, get length() { throw new Error('a getter of the caller'); } });

// Now and then a goal as it should be, so that what follows has something to work on.
const goal = () => ({ type: pick(['position', 'orientation', 'pose', 'aim', 'pole', 'posture']), link: below(9), position: [random(), random(), random()], ...(random() < 0.3 ? { [pick(KEYS)]: any(1) } : {}) });

function any(depth = 0) {
  if (depth === 0 && random() < 0.15) return pick([[goal()], [goal(), goal()], 'dls', 'ccd', below(4), { format: 'json' }, { edit: 'scale', factor: any(3) }]);
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
// How many arguments each takes; mostly that many are given, since another number never comes as far as C++.
const ARITY = { builtin: 1, open: 3, random: 1, interpolate: 3, integrate: 2, jacobian: 2, setGoals: 1, moveGoal: 8, setJoints: 1, setSolver: 2, check: 1, solve: 1, trace: 2, sequence: 1, workspace: 3, batch: 3, clipFrame: 2, edit: 1, write: 1 };
const arity = (name) => (random() < 0.9 ? (ARITY[name] ?? 0) : below(9));
// Counts of samples, goals and iterations, again so that a call ends.
const COUNTS = { workspace: 1, batch: 1, trace: 0 };

function call(object, name, count) {
  const args = Array.from({ length: count }, () => any());
  if (COUNTS[name] !== undefined && typeof args[COUNTS[name]] === 'number' && args[COUNTS[name]] > 20) args[COUNTS[name]] = pick([20, 1e9, NaN]);
  if (name === 'solve' || (name === 'trace' && count > 1)) args[count - 1] = pick([0, 0.01, -1, NaN, 'x', undefined, {}]);
  try {
    const answer = object[name](...args);
    if (!RESULTS.has(name)) return answer;
    assert.equal(typeof answer?.ok, 'boolean', `${name} returns a result`);
    if (!answer.ok) sentence(name, answer.error.message);
    return answer;
  } catch (error) {
    assert.ok(error instanceof Error, `${name} threw ${typeof error} ${String(error)}`);
    assert.ok(!(error instanceof WebAssembly.RuntimeError), `${name} trapped: ${error.message}`);
    sentence(name, error.message);
    return undefined;
  }
}
function sentence(name, text) {
  assert.equal(typeof text, 'string', name);
  assert.ok(text.length > 8 && text.includes(' ') && !/^\d+$/.test(text), `${name} says only '${text}'`);
  assert.ok(!/Cannot read prop|is not a function|is not iterable|is not defined/.test(text), `${name} stumbled: ${text}`);
}

test('all of the contract is there', () => {
  for (const name of STATIC) assert.equal(typeof module[name], 'function', name);
  const contract = readFileSync(new URL('../armature.d.ts', import.meta.url), 'utf8');
  const figure = contract.slice(contract.indexOf('interface Figure {'), contract.indexOf('interface ArmatureModule'));
  const declared = [...new Set([...figure.matchAll(/^  (\w+)\(/gm)].map((m) => m[1]))].filter((n) => n !== 'delete');
  assert.deepEqual([...METHODS].sort(), declared.sort());
});

test('functions of the module take anything', () => {
  for (const name of STATIC) for (let i = 0; i < 400; i++) {
    const answer = call(module, name, arity(name));
    if (answer?.ok && answer.value?.delete) answer.value.delete();
  }
});

for (const model of ['planar_arm', 'panda', 'human']) {
  test(`methods of ${model} take anything, and it still solves`, () => {
    const figure = value(module.builtin(model));
    const rest = figure.neutral();
    for (let round = 0; round < 6000; round++) {
      const name = pick(METHODS);
      const answer = call(figure, name, arity(name));
      if (name === 'edit' && answer?.ok) answer.value.delete();
      if (round % 10 === 0) figure.pose().set(rest);
      else if (random() < 0.02) figure.pose()[below(rest.length)] = pick(NUMBERS);
    }
    figure.pose().set(rest);
    figure.forward();
    value(figure.setJoints({}));
    const tip = figure.description().effectors[0];
    const at = Array.from(figure.frames().slice(16 * tip + 12, 16 * tip + 15));
    value(figure.setGoals([{ type: 'position', link: tip, position: at }]));
    value(figure.setSolver('dls', {}));
    assert.equal(figure.solve().outcome, 'converged');
    figure.delete();
    assert.throws(() => figure.solve(), /deleted/);
  });
}

test('exceptions leave the module’s stack where it was', () => {
  const figure = value(module.builtin('planar_arm'));
  for (let i = 0; i < 30000; i++) assert.throws(() => figure.setGoals([thrower()]), /getter of the caller/);
  for (let i = 0; i < 30000; i++) assert.throws(() => figure.jacobian(99, undefined), /link number/);
  value(figure.setGoals([{ type: 'position', link: figure.description().effectors[0], position: [10, 15, 0] }]));
  assert.equal(figure.solve().outcome, 'converged');
  figure.delete();
});

test('wrong arguments are named', () => {
  const figure = value(module.builtin('planar_arm'));
  assert.match(figure.setGoals('x').error.message, /goals must be an array, got string/);
  assert.match(figure.setGoals([{ type: 'position', link: 3, position: [1, 2] }]).error.message, /position must hold 3 numbers/);
  assert.match(figure.setGoals([{ type: 'pose', link: 3, quaternion: [0, 0, 0, 0] }]).error.message, /not a rotation/);
  assert.match(figure.setJoints({ two: { locked: true } }).error.message, /no joint number 'two'/);
  assert.match(module.open('text', 'x.json', {}).error.message, /must be a Uint8Array/);
  assert.throws(() => figure.interpolate([0, 0], [0, 0, 0], 0.5), /holds 3 numbers, got 2/);
  assert.throws(() => figure.integrate([0, 0, NaN], 0.5), /NaN/);
  assert.throws(() => figure.workspace(1, 1e12, 0), /samples must be a whole number/);
  figure.pose()[1] = NaN;
  assert.throws(() => figure.solve(), /not finite/);
  figure.delete();
});

done();
