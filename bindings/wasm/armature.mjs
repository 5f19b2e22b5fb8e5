// Armature for JavaScript: the classes that armature.d.ts describes, over the module that emscripten makes
// (armature_core.mjs, armature_core.wasm). Nothing is computed here: objects become JSON text, which the core's scene
// reader takes, and the core's JSON answers become objects.
import createCore from './armature_core.mjs';

/** A mistake in what was asked for, as a whole sentence; `line` and `column` where it stands in a text. */
export class ArmatureError extends Error {
  constructor(message) {
    super(message);
    this.name = 'ArmatureError';
    const line = /\bline (\d+)/i.exec(message);
    const column = /\bcolumn (\d+)/i.exec(message);
    if (line) this.line = Number(line[1]);
    if (column) this.column = Number(column[1]);
  }
}

const isList = (value) => Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));

/** A list as numbers: what is none is named, where a typed array would throw what it likes. */
function numbers(list, what) {
  const wrong = ArrayBuffer.isView(list) ? list instanceof BigInt64Array || list instanceof BigUint64Array : !Array.from(list).every((v) => typeof v === 'number');
  if (wrong) throw new ArmatureError(`${what} holds something that is not a number.`);
  return list;
}

function nameText(name) {
  if (typeof name !== 'string') throw new ArmatureError(`An exercise is given by its name, got ${name === null ? 'null' : typeof name}.`);
  return name;
}

/** JSON text of a value; typed arrays are lists. */
function text(value, what) {
  let json;
  try {
    json = JSON.stringify(value, (key, v) => (ArrayBuffer.isView(v) && isList(v) ? Array.from(v) : typeof v === 'bigint' ? Number(v) : v));
  } catch (error) {
    if (error instanceof TypeError) throw new ArmatureError(`${what} cannot be written as JSON: ${error.message}.`);
    throw error;
  }
  if (json === undefined) throw new ArmatureError(`${what} must be an object, got ${value === null ? 'null' : typeof value}.`);
  return json;
}
const infinite = (list, size, value) => (Array.isArray(list) ? list : size === 1 ? [list] : Array(size).fill(null)).map((x) => x ?? value);
const nameOf = (list, link, what) => {
  if (typeof link === 'string') return link;
  if (Number.isInteger(link) && link >= 0 && link < list.length) return list[link];
  throw new ArmatureError(`There is no ${what} number ${String(link)}.`);
};
const object = (value, what) => {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || isList(value)) throw new ArmatureError(`${what} must be an object.`);
  return value;
};
/** x, y, z, qx, qy, qz, qw; NaN leaves a part as it is. */
function targetNumbers(target) {
  const list = isList(target) ? target : target && typeof target === 'object' ? [...(target.position ?? [NaN, NaN, NaN]), ...(target.quaternion ?? [])] : [];
  if (list.length === 2) return [list[0], list[1], 0, NaN, NaN, NaN, NaN];
  if (list.length === 3) return [list[0], list[1], list[2], NaN, NaN, NaN, NaN];
  if (list.length === 4) return [NaN, NaN, NaN, ...list];
  if (list.length === 7) return [...list];
  throw new ArmatureError('A target has 2 or 3 numbers (a place), 4 (a quaternion) or 7 (both).');
}

/** Frames of all links at one pose. */
export class State {
  constructor(model, transforms) {
    this.model = model;
    this.transforms = transforms;
  }
  /** {position, quaternion, matrix} of a link; matrix is column-major. */
  transform(link) {
    const index = this.model.linkIndex(link);
    const m = this.transforms.slice(16 * index, 16 * index + 16);
    return { position: [m[12], m[13], m[14]], quaternion: quaternionOf(m), matrix: m };
  }
}

function quaternionOf(m) {
  const r = (row, column) => m[4 * column + row];
  const trace = r(0, 0) + r(1, 1) + r(2, 2);
  if (trace > 0) {
    const s = 2 * Math.sqrt(1 + trace);
    return [(r(2, 1) - r(1, 2)) / s, (r(0, 2) - r(2, 0)) / s, (r(1, 0) - r(0, 1)) / s, s / 4];
  }
  const i = r(0, 0) > r(1, 1) ? (r(0, 0) > r(2, 2) ? 0 : 2) : r(1, 1) > r(2, 2) ? 1 : 2;
  const j = (i + 1) % 3;
  const k = (i + 2) % 3;
  const s = 2 * Math.sqrt(Math.max(0, 1 + r(i, i) - r(j, j) - r(k, k)));
  const q = [0, 0, 0, 0];
  q[i] = s / 4;
  q[j] = (r(j, i) + r(i, j)) / s;
  q[k] = (r(k, i) + r(i, k)) / s;
  q[3] = (r(k, j) - r(j, k)) / s;
  return q;
}

/** A motion of a model: `q` has frames x q_size numbers. */
export class Clip {
  #q;
  #load;
  constructor(model, { name = '', frame_time, q, frames, load }) {
    this.model = model;
    this.name = name;
    this.frame_time = frame_time;
    this.#q = q;
    this.#load = load;
    this.frames = frames ?? Math.round((q?.length ?? 0) / Math.max(1, model.q_size));
  }
  get q() {
    return (this.#q ??= this.#load());
  }
  get duration() {
    return Math.max(0, this.frames - 1) * this.frame_time;
  }
  /** The pose of a frame, a copy. */
  frame(index) {
    const at = Math.max(0, Math.min(this.frames - 1, Math.trunc(index) || 0)) * this.model.q_size;
    return this.q.slice(at, at + this.model.q_size);
  }
  /** Where a point of a link is in every frame. */
  trail(link, point = [0, 0, 0]) {
    return Array.from({ length: this.frames }, (_, f) => {
      const m = this.model.forward(this.frame(f)).transform(link).matrix;
      return [0, 1, 2].map((i) => m[12 + i] + m[i] * point[0] + m[4 + i] * point[1] + m[8 + i] * point[2]);
    });
  }
  write(format) {
    return this.model.write(format, this);
  }
  #plain() {
    return { name: this.name, frame_time: this.frame_time, q: this.q };
  }
  /** A new clip by one of the clip tools, by the name and the words of the command line; `other` where it needs a second motion. */
  tool(name, argument = '', other) {
    if (other !== undefined && !(other instanceof Clip)) throw new ArmatureError('A second motion must be a clip of this module.');
    for (const word of [name, argument]) if (typeof word !== 'string' && typeof word !== 'number') throw new ArmatureError('A clip tool takes its name and its argument as text.');
    const made = this.model.handle.clipTool(this.#plain(), String(name), String(argument), other?.#plain());
    const clip = new Clip(this.model, made.clip);
    clip.notes = made.notes;
    return clip;
  }
  /** The part between two times in seconds. */
  trim(from, to) {
    return this.tool('trim', `${from ?? ''}..${to ?? ''}`);
  }
  resample(frame_rate) {
    return this.tool('resample', frame_rate);
  }
  reverse() {
    return this.tool('reverse');
  }
  speed(factor) {
    return this.tool('speed', factor);
  }
  /** Its ends changed, over so many seconds, so that the end leads into the start. */
  loop(blend = '') {
    return this.tool('loop', blend);
  }
  concat(next, options) {
    const { blend, align = true } = object(options, 'The options');
    return this.tool('concat', ['other', ...(blend === undefined ? [] : [`blend=${blend}`]), ...(align ? [] : ['no_align'])].join(), next);
  }
  mirror() {
    return this.tool('mirror');
  }
  /** Without its travel over the ground. */
  inPlace(options) {
    const { turn = false, smooth } = object(options, 'The options');
    return this.tool('in_place', [...(turn ? ['turn'] : []), ...(smooth === undefined ? [] : [smooth])].join());
  }
  /** Another motion on top, for the links given and all below them. */
  layer(over, options) {
    const { links = [], weight, start, fade, additive = false } = object(options, 'The options');
    if (!isList(links)) throw new ArmatureError('links is a list of names.');
    const values = Object.entries({ weight, start, fade }).filter(([, v]) => v !== undefined).map(([k, v]) => `${k}=${v}`);
    return this.tool('layer', ['other', ...Array.from(links, (l) => `link=${nameOf(this.model.links, l, 'link')}`), ...values, ...(additive ? ['additive'] : [])].join(), over);
  }
  smooth(seconds) {
    return this.tool('smooth', seconds);
  }
  /** Few keys: no link further from its way than this length. */
  reduce(tolerance) {
    return this.tool('reduce', tolerance);
  }
  /** Feet held still while they stand. */
  feet() {
    return this.tool('feet');
  }
  /** Travel, speeds and where feet stand. */
  stats() {
    return JSON.parse(this.model.handle.clipStats(this.#plain()));
  }
}

/** One opened model. Owns memory of the module: call delete(). */
const modelOf = (value) => {
  if (!(value instanceof Model)) throw new ArmatureError('What is put beside a model is a model of this module.');
  return value;
};
export class Model {
  #handle;
  #core;
  #indices;
  #jointNames;
  constructor(core, handle) {
    this.#core = core;
    this.#handle = handle;
    const info = JSON.parse(handle.info());
    this.#indices = new Map(info.links.map((name, i) => [name, i]));
    this.#jointNames = info.joints.map((joint) => joint.name);
    for (const joint of info.joints) {
      joint.lower = infinite(joint.lower, joint.q_size, -Infinity);
      joint.upper = infinite(joint.upper, joint.q_size, Infinity);
    }
    const clips = info.clips.map((clip, i) => new Clip(this, { ...clip, load: () => this.#handle.clipFrames(i) }));
    Object.assign(this, info, { clips, notes: handle.notes() });
  }
  get handle() {
    return this.#handle;
  }
  linkIndex(link) {
    const index = this.#indices.get(nameOf(this.links, link, 'link'));
    if (index === undefined) throw new ArmatureError(`There is no link '${link}'; the model has ${this.links.slice(0, 40).join(', ')}.`);
    return index;
  }
  /** A pose vector: by name, by joints ({elbow: 1.2}), all numbers, or nothing for the start pose. */
  pose(values, from) {
    if (values === undefined) return this.#handle.start();
    return this.#handle.pose(text(values, 'A pose'), from);
  }
  /** {joint: value or [values]} of a pose vector. */
  poseValues(q) {
    return JSON.parse(this.#handle.poseJson(q));
  }
  /** Where a search starts by default. */
  startPose() {
    return this.#handle.start();
  }
  neutralPose() {
    return this.#handle.neutral();
  }
  /** A pose within the limits; the same seed gives the same pose. */
  randomPose(seed = 1) {
    return this.#handle.random(seed);
  }
  clamp(q) {
    return this.#handle.clamp(q);
  }
  integrate(q, velocity) {
    return this.#handle.integrate(q, velocity);
  }
  difference(from, to) {
    return this.#handle.difference(from, to);
  }
  interpolate(from, to, t) {
    return this.#handle.interpolate(from, to, t);
  }
  forward(q = this.pose()) {
    return new State(this, this.#handle.forward(q));
  }
  jacobian(link, q = this.pose(), point) {
    return this.#handle.jacobian(nameOf(this.links, link, 'link'), q, point);
  }
  /** Shapes of links, as they are drawn. */
  visuals() {
    return this.#handle.visuals();
  }
  /** Skinned surfaces that the file brought along. */
  meshes() {
    return this.#handle.meshes();
  }
  scene(description = {}) {
    return new Scene(this.#core, this, description);
  }
  #once(goals, options, run) {
    const { trace, ...rest } = object(options, 'The options');
    const scene = this.scene(sceneOf(goals, rest));
    try {
      return run(scene, trace);
    } finally {
      scene.delete();
    }
  }
  /** One question: a goal or a list of them, and what else a scene may say. */
  solve(goals, options) {
    return this.#once(goals, options, (scene, trace) => (trace ? scene.trace() : scene.solve()));
  }
  /** A scene that is kept, for many questions of one kind. */
  solver(goals, options) {
    return this.scene(sceneOf(goals, object(options, 'The options')));
  }
  /** Targets of 3 or 7 numbers each, in a flat array; every one from the same start. */
  solveBatch(targets, options = {}) {
    const { size = isList(targets) && targets.length % 7 === 0 ? 7 : 3, goal, ...rest } = object(options, 'The options');
    const first = goal ?? { type: size === 7 ? 'pose' : 'position', target: 'here' };
    return this.#once(first, rest, (scene) => scene.handle.solveBatch(targets, size));
  }
  /** Every pose that reaches the goal, where the chain has a closed form. */
  solutions(goal, options = {}) {
    const { start } = object(options, 'The options');
    return this.#handle.solutions(text(goal, 'A goal'), start === undefined ? undefined : this.pose(start));
  }
  /** What a linkage with loops can do at a pose: mobility, drives, groups, transmission, closure_error. */
  mechanism(q, options) {
    const { drives } = object(options, 'The options');
    const found = JSON.parse(this.#handle.mechanism(q, drives));
    return { ...found, q: Float64Array.from(found.q) };
  }
  /** The ways to put it together with its drives where they are. */
  modes(q, options) {
    const { drives, max_modes = 64 } = object(options, 'The options');
    return this.#handle.modes(q, drives, max_modes);
  }
  /** All poses that a drive leads through, dead points included. */
  circuit(joint, q, options) {
    const { largest_step = 0.1 } = object(options, 'The options');
    const { clip, ...rest } = this.#handle.circuit(nameOf(this.#jointNames, joint, 'joint'), q, largest_step);
    return { ...rest, clip: new Clip(this, clip) };
  }
  /** Moves one joint and lets everything else follow with its loops closed. */
  drive(options) {
    const { start, ...rest } = object(options, 'The options');
    const { clip, ...report } = this.#handle.drive({ ...rest, start: start === undefined ? undefined : this.pose(start) });
    return { ...report, clip: new Clip(this, clip) };
  }
  /** Closes the loops of a pose by moving what is not held. */
  assemble(q, held = []) {
    return this.#handle.assemble(q, held);
  }
  /** What the links occupy, and which pairs of them can touch. */
  bodies() {
    return JSON.parse(this.#handle.bodies());
  }
  /** Where all masses are together. */
  centerOfMass(q) {
    return this.#handle.centerOfMass(q);
  }
  follower(goals, options = {}) {
    const { velocity_scale = 1, ...rest } = object(options, 'The options');
    return new Follower(this.#core, this, sceneOf(defaultTarget(goals), rest), velocity_scale);
  }
  /** Follows the goals' paths. */
  track(goals, options) {
    return this.#once(goals, options, (scene) => scene.track());
  }
  /** Random places that a link reaches, three numbers each. */
  randomPlaces(options) {
    const { tip = this.effectors[0], samples = 10000, seed = 1 } = object(options, 'The options');
    return this.#handle.randomPlaces(nameOf(this.links, tip, 'link'), samples, seed);
  }
  /** Cells that a point of a link reaches, and with `orientations` the share of them it reaches there. Takes seconds: a
   *  page asks for it in a worker. */
  workspace(options) {
    const { tip, base, ...rest } = object(options, 'The options');
    const link = (name) => (name === undefined || name === 'world' ? undefined : nameOf(this.links, name, 'link'));
    return this.#handle.workspace({ ...rest, tip: link(tip), base: link(base) });
  }
  /** A motion of this model from its poses, frames x q_size numbers. */
  clip(motion) {
    const { name = 'motion', frame_time, q } = object(motion ?? null, 'A motion');
    if (!isList(q) || q.length % Math.max(1, this.q_size) !== 0) throw new ArmatureError(`The poses of a motion are a list of ${this.q_size} numbers per frame.`);
    if (!(frame_time > 0 && frame_time < Infinity)) throw new ArmatureError("A motion's frame_time is a number of seconds above 0.");
    return new Clip(this, { name: String(name), frame_time, q: Float64Array.from(numbers(q, 'A motion')) });
  }
  /** A new model, changed. */
  edit(change) {
    return new Model(this.#core, this.#handle.edit(text(change, 'An edit')));
  }
  /** A new model with `branch` below a link, or without one beside this model. Names that are taken get a prefix. */
  graft(branch, options) {
    const { link, prefix = this.freePrefix(branch), position = [0, 0, 0], quaternion = [0, 0, 0, 1] } = object(options, 'The options');
    if (!isList(position) || !isList(quaternion) || typeof prefix !== 'string') throw new ArmatureError('A graft has a position of 3 numbers, a quaternion of 4, and a text as its prefix.');
    return new Model(this.#core, this.#handle.graft(modelOf(branch).handle, link === undefined ? '' : nameOf(this.links, link, 'link'), prefix, [...position, ...quaternion]));
  }
  /** What the names of `branch` need in front of them to be free here; '' where they are. */
  freePrefix(branch) {
    return this.#handle.freePrefix(modelOf(branch).handle);
  }
  /** {bytes, notes}: what a format could not carry is in the notes. */
  write(format, clip) {
    const motion = clip === undefined ? undefined : { name: String(clip.name ?? 'motion'), frame_time: clip.frame_time, q: clip.q };
    return this.#handle.write(format, motion);
  }
  delete() {
    this.#handle.delete();
  }
}
if (Symbol.dispose) Model.prototype[Symbol.dispose] = Model.prototype.delete;

const sceneOf = (goals, rest) => ({ ...rest, ...(goals === undefined ? {} : { goals: isList(goals) ? Array.from(goals) : [goals] }) });
const defaultTarget = (goals) => (isList(goals) ? Array.from(goals) : [goals ?? {}]).map((g) => (g && g.target === undefined && g.path === undefined ? { type: 'pose', ...g, target: 'here' } : g));

/** A model with a pose, goals and a method: the object of scene files. `q` and `transforms` are views into the module's
 *  memory, valid until the next call that may allocate. */
export class Scene {
  #core;
  #handle;
  #description = {};
  constructor(core, model, description) {
    this.#core = core;
    this.model = model;
    this.#handle = core.makeScene(model.handle);
    try {
      this.#apply(object(description, 'A scene'), false);
    } catch (error) {
      this.#handle.delete();
      throw error;
    }
  }
  get handle() {
    return this.#handle;
  }
  #apply(description, keep) {
    const { model, ...rest } = description;
    const goals = isList(rest.goals) ? rest.goals : rest.goals === undefined ? [] : [rest.goals];
    const own = goals.filter((g) => g && typeof g === 'object' && g.type === 'custom');
    const plain = own.length ? { ...rest, goals: goals.filter((g) => !own.includes(g)) } : rest;
    const customs = own.map((g) => customGoal(this, g));
    this.#handle.set(text(plain, 'A scene'), customs, keep);
    this.#description = description;
  }
  get notes() {
    return this.#handle.notes();
  }
  get q() {
    return this.#handle.q();
  }
  get transforms() {
    return this.#handle.transforms();
  }
  /** Brings `transforms` up to date after writing into `q`. */
  forward() {
    this.#handle.forward();
  }
  /** Another pose, then its transforms. */
  setPose(q) {
    const own = this.#handle.q();
    if (!isList(q) || q.length !== own.length) throw new ArmatureError(`A pose of this model holds ${own.length} numbers, got ${q?.length}.`);
    own.set(numbers(q, 'A pose'));
    this.#handle.forward();
  }
  clamp() {
    this.#handle.clamp();
    this.#handle.forward();
  }
  integrate(velocity, dt = 1) {
    this.#handle.integrate(velocity, dt);
  }
  /** Moves the target of goal i (a number, or its name); no object is kept. */
  setTarget(goal, target) {
    const index = typeof goal === 'string' ? this.goalIndex(goal) : goal;
    this.#handle.setTarget(index, ...targetNumbers(target));
  }
  goalIndex(name) {
    const goals = this.#description.goals ?? [];
    const index = goals.findIndex((g) => g.name === name);
    if (index < 0) throw new ArmatureError(`There is no goal '${name}'.`);
    return index;
  }
  /** Changes of the scene by its keys; what they do not name stays, the pose too unless `start` is among them. */
  set(patch) {
    const change = object(patch, 'A change of a scene');
    this.#apply({ ...this.#description, ...change }, !('start' in change));
  }
  /** All of it anew; the pose stays unless `keep` is false. */
  replace(description, keep = true) {
    this.#apply(object(description, 'A scene'), keep);
  }
  #report(json) {
    throwPending();
    const report = JSON.parse(json);
    report.q = Float64Array.from(report.q);
    return report;
  }
  /** From the pose in `q`, which then holds the answer. */
  solve(options) {
    const { seconds = 0, measures = true } = object(options, 'The options');
    return this.#report(this.#handle.solve(seconds, measures));
  }
  /** A gesture by the follow method begins at the pose in `q`. */
  begin() {
    this.#handle.begin();
  }
  /** One frame of the gesture: the pose that continues the last one. */
  follow(options) {
    const { seconds = 0, measures = true } = object(options, 'The options');
    return this.#report(this.#handle.follow(seconds, measures));
  }
  measure() {
    return this.#report(this.#handle.measure());
  }
  /** A solve with its iterations; the pose in `q` stays. */
  trace(options) {
    const { max_iterations = 1e6, seconds = 0 } = object(options, 'The options');
    const report = this.#report(this.#handle.trace(max_iterations, seconds));
    report.trace = report.trace.map((step) => ({
      ...step,
      q: Float64Array.from(step.q),
      error: Float64Array.from(step.error),
      step: Float64Array.from(step.step),
      jacobian: matrixOf(step.jacobian),
    }));
    return report;
  }
  /** An iteration of the last trace, with all that is needed to compute it again. */
  explain(iteration) {
    return JSON.parse(this.#handle.explain(iteration));
  }
  /** Orthonormal basis of the motions that leave all goals alone: v_size x k. */
  nullSpace() {
    return this.#handle.nullSpace();
  }
  /** Why a method cannot take the scene; '' when it can. */
  check(method = '') {
    return this.#handle.check(method);
  }
  /** What is nearer than `within` to each other at the pose in `q`, nearest first; negative distances touch. */
  clearance(options) {
    const { within = 0.12 * this.model.size } = object(options, 'The options');
    return JSON.parse(this.#handle.clearance(within));
  }
  compare(methods, options) {
    const { seconds = 0.02 } = object(options, 'The options');
    const answer = JSON.parse(this.#handle.compare(text(methods, 'The methods'), seconds));
    throwPending();
    return answer;
  }
  track() {
    const { clip, ...rest } = this.#handle.track();
    throwPending();
    return { ...rest, clip: new Clip(this.model, clip) };
  }
  /** What the scene's keys make; `below`: the motion of the model's file, where the file itself is not open here. */
  animate(below) {
    if (below !== undefined && !(below instanceof Clip)) throw new ArmatureError('The motion below the keys must be a clip of this module.');
    const { clip, ...rest } = this.#handle.animate(below && { name: below.name, frame_time: below.frame_time, q: below.q });
    throwPending();
    return { ...rest, clip: new Clip(this.model, clip) };
  }
  /** The method on random goals that some pose reaches. */
  benchmark(goals, seed = 1) {
    return this.#handle.benchmark(goals, seed);
  }
  /** The scene as it is now, as in a file. */
  json() {
    const own = this.#description.model ?? this.model.source;
    return { ...JSON.parse(this.#handle.json()), ...(own === undefined ? {} : { model: own }) };
  }
  delete() {
    this.#handle.delete();
  }
}
if (Symbol.dispose) Scene.prototype[Symbol.dispose] = Scene.prototype.delete;

function matrixOf(rows) {
  const columns = rows[0]?.length ?? 0;
  const data = new Float64Array(rows.length * columns);
  rows.forEach((row, r) => row.forEach((x, c) => (data[c * rows.length + r] = x)));
  return { rows: rows.length, columns, data };
}

/** A control loop: one short step a tick, within velocity limits. */
export class Follower {
  #handle;
  constructor(core, model, description, scale) {
    this.model = model;
    this.#handle = core.makeFollower(model.handle, text(description, 'A scene'), scale);
  }
  setTarget(goal, target) {
    this.#handle.setTarget(goal, ...targetNumbers(target));
  }
  /** A velocity instead of a target: metres and radians a second, world axes, until another target or twist is set. */
  setTwist(goal, linear, angular = [0, 0, 0]) {
    this.#handle.setTwist(goal, linear, angular);
  }
  step(dt) {
    return this.#handle.step(dt);
  }
  stop() {
    this.#handle.stop();
  }
  resume() {
    this.#handle.resume();
  }
  delete() {
    this.#handle.delete();
  }
}
if (Symbol.dispose) Follower.prototype[Symbol.dispose] = Follower.prototype.delete;

// Goals and methods of one's own ---------------------------------------------------------------------

/** What one of the caller's functions threw while the core was running: thrown when the control is back. */
let pending = null;
function throwPending() {
  const error = pending;
  pending = null;
  if (error) throw error.value;
}
const kept = (run) => {
  try {
    return run();
  } catch (value) {
    pending ??= { value };
    return null;
  }
};

/** The frames that a goal's function looks at, each of which can be moved by a little. */
class Probe extends State {
  constructor(model) {
    super(model, new Float64Array(16 * model.links.length));
    this.seen = [];
    this.moved = -1;
    this.frame = null;
  }
  transform(link) {
    const index = this.model.linkIndex(link);
    if (!this.seen.includes(index)) this.seen.push(index);
    if (index !== this.moved) return super.transform(index);
    return { position: [this.frame[12], this.frame[13], this.frame[14]], quaternion: quaternionOf(this.frame), matrix: this.frame };
  }
}

const STEP = 1e-6;
/** Frame m shifted along (k < 3) or turned about (k >= 3) a world axis, about its own origin. */
function nudged(m, k, by) {
  const out = Float64Array.from(m);
  if (k < 3) {
    out[12 + k] += by;
    return out;
  }
  const a = (k - 2) % 3;
  const b = (k - 1) % 3;
  const c = Math.cos(by);
  const s = Math.sin(by);
  for (let column = 0; column < 3; column++) {
    const x = m[4 * column + a];
    const y = m[4 * column + b];
    out[4 * column + a] = c * x - s * y;
    out[4 * column + b] = s * x + c * y;
  }
  return out;
}

function customGoal(scene, goal) {
  if (typeof goal.function !== 'function') throw new ArmatureError("A goal of type 'custom' needs a function.");
  const probe = new Probe(scene.model);
  const errors = () => {
    const answer = goal.function(probe);
    const list = isList(answer) ? answer : answer?.error;
    if (!isList(list) || list.length === 0) throw new ArmatureError("The function of a goal returns { error: [numbers] }.");
    return Array.from(list, Number);
  };
  probe.transforms.set(scene.handle.transforms());
  const first = errors();
  const measure = (transforms) =>
    kept(() => {
      probe.transforms.set(transforms);
      probe.moved = -1;
      const error = errors();
      const links = [...probe.seen];
      const wrenches = [];
      for (const link of links) {
        const m = probe.transforms.slice(16 * link, 16 * link + 16);
        probe.moved = link;
        const slopes = [0, 1, 2, 3, 4, 5].map((k) => {
          probe.frame = nudged(m, k, STEP);
          const up = errors();
          probe.frame = nudged(m, k, -STEP);
          return errors().map((down, r) => (down - up[r]) / (2 * STEP));
        });
        for (let r = 0; r < error.length; r++) for (let k = 0; k < 6; k++) wrenches.push(slopes[k][r]);
      }
      probe.moved = -1;
      return { error, links, wrenches };
    });
  measure.rows = first.length;
  measure.length_rows = goal.length_rows ?? first.length;
  if (probe.seen.length > 4) throw new ArmatureError('A goal of one’s own looks at no more than 4 links.');
  const { name = 'custom', weight, tolerance, priority } = goal;
  return { name, weight, tolerance, priority, function: measure };
}

/** What a method's step sees. */
class Rows {
  constructor(given) {
    Object.assign(this, given);
  }
  /** factor * J'e. */
  gradient(factor = 1) {
    const { rows, columns, data } = this.J;
    const out = new Float64Array(columns);
    for (let c = 0; c < columns; c++) for (let r = 0; r < rows; r++) out[c] += factor * data[c * rows + r] * this.error[r];
    return out;
  }
}

class Armature {
  #core;
  constructor(core) {
    this.#core = core;
  }
  version() {
    return this.#core.version();
  }
  simd() {
    return this.#core.simd();
  }
  models() {
    return JSON.parse(this.#core.models());
  }
  formats() {
    return JSON.parse(this.#core.formats());
  }
  methods() {
    return JSON.parse(this.#core.methods());
  }
  /** A built-in model. */
  builtin(name) {
    const model = new Model(this.#core, this.#core.builtin(name));
    model.source = name;
    return model;
  }
  /** Any format, found by content and by the file's name; `files`: what it refers to, by name. */
  readModel(bytes, file_name, files = {}) {
    const data = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes;
    return new Model(this.#core, this.#core.read(data, file_name, files));
  }
  /** A built-in model by its name, or a file by its address. */
  async loadModel(name) {
    if (this.models().some((m) => m.name === name)) return this.builtin(name);
    const bytes = await fetched(name);
    const files = {};
    if (/\.gltf$/i.test(new URL(name, base()).pathname)) {
      const buffers = JSON.parse(new TextDecoder().decode(bytes)).buffers ?? [];
      for (const { uri } of buffers) if (uri && !uri.startsWith('data:')) files[decodeURIComponent(uri)] = await fetched(new URL(uri, new URL(name, base())).href);
    }
    return this.readModel(bytes, name.split('/').pop(), files);
  }
  async loadClip(name) {
    const model = await this.loadModel(name);
    if (model.clips.length === 0) throw new ArmatureError(`${name} holds no motion.`);
    return model.clips[0];
  }
  /** A scene from its text or object; its model is built in or stands in place, unless one is given. */
  readScene(scene, model) {
    let description = scene;
    if (typeof scene === 'string') {
      try {
        description = JSON.parse(scene);
      } catch (error) {
        throw new ArmatureError(`The scene is not JSON: ${error.message}.`);
      }
    }
    description = object(description, 'A scene');
    const own = model ?? this.#modelOf(description.model);
    if (!(own instanceof Model)) throw new ArmatureError('A scene needs a model that this module opened.');
    return own.scene(description);
  }
  #modelOf(source) {
    if (typeof source === 'string') return this.builtin(source);
    if (!source || typeof source !== 'object') throw new ArmatureError('The scene names no model.');
    if (source.base64 === undefined) return this.readModel(text(source, 'A model'), 'model.json');
    const files = Object.fromEntries(Object.entries(source.files ?? {}).map(([name, data]) => [name, bytesOf(data)]));
    const made = this.readModel(bytesOf(source.base64), String(source.file_name), files);
    made.source = source;
    return made;
  }
  async loadScene(address) {
    const description = JSON.parse(new TextDecoder().decode(await fetched(address)));
    const named = typeof description.model === 'string' && !this.models().some((m) => m.name === description.model);
    const model = named ? await this.loadModel(new URL(description.model, new URL(address, base())).href) : undefined;
    return this.readScene(description, model);
  }
  retarget(clip, model, options = {}) {
    if (!(clip instanceof Clip) || !(model instanceof Model)) throw new ArmatureError('retarget takes a clip and a model of this module.');
    const { clip: made, model: freed, ...rest } = this.#core.retarget(clip.model.handle, { name: clip.name, frame_time: clip.frame_time, q: clip.q }, model.handle, text(options, 'The options'));
    return { ...rest, clip: new Clip(freed ? new Model(this.#core, freed) : model, made) };
  }
  compare(scene, methods, options) {
    if (!(scene instanceof Scene)) throw new ArmatureError('Methods are compared on a scene of this module.');
    return scene.compare(methods, options);
  }
  /** {name, step(rows, options), label, doc, options: {name: number}}. */
  registerMethod(method) {
    const { step, ...description } = object(method, 'A method');
    if (typeof step !== 'function') throw new ArmatureError('A method needs a function step(rows, options).');
    this.#core.registerMethod(description, (rows, options) =>
      kept(() => {
        const change = step(new Rows(rows), options);
        if (!isList(change) || change.length !== rows.J.columns) throw new ArmatureError(`The step of method '${method.name}' must return ${rows.J.columns} numbers.`);
        return Float64Array.from(numbers(change, `The step of method '${method.name}'`));
      }),
    );
  }
  /** The exercises of the chapter, in its order. */
  exercises() {
    return JSON.parse(this.#core.exercises());
  }
  /** Whether an answer to an exercise passes, and why: {text} of numbers, a pose or a choice, {model}, or a {clip}. */
  checkAnswer(exercise, answer) {
    const { text: words, model, clip } = object(answer ?? null, 'An answer');
    if (clip !== undefined && !(clip instanceof Clip)) throw new ArmatureError('The motion of an answer must be a clip of this module.');
    const own = clip?.model ?? model;
    if (own !== undefined && !(own instanceof Model)) throw new ArmatureError('The model of an answer must be one that this module opened.');
    return this.#core.checkExercise(nameText(exercise), {
      text: words === undefined ? undefined : String(words),
      model: own?.handle,
      clip: clip && { name: clip.name, frame_time: clip.frame_time, q: clip.q },
    });
  }
  /** Singular values, manipulability and condition of a matrix. */
  measures(matrix) {
    const { rows, data } = object(matrix ?? null, 'A matrix');
    return this.#core.measures(rows, data);
  }
}

const node = globalThis.process?.versions?.node !== undefined;
const base = () => globalThis.location?.href ?? `file://${encodeURI(node ? globalThis.process.cwd() : '')}/`;
async function fetched(address) {
  const { protocol, href } = new URL(address, base());
  if (node && protocol === 'file:') { // which fetch does not read
    const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ 'node:fs/promises');
    return readFile(new URL(href)).catch((error) => {
      throw new ArmatureError(`${address} could not be read (${error.code}).`);
    });
  }
  const answer = await fetch(address);
  if (!answer.ok) throw new ArmatureError(`${address} was not found (${answer.status}).`);
  return new Uint8Array(await answer.arrayBuffer());
}
function bytesOf(base64) {
  const raw = atob(base64);
  return Uint8Array.from(raw, (c) => c.charCodeAt(0));
}

/** Starts the core. `wasmBinary`: its bytes, where they are neither fetched nor, in node, read beside this file. */
export async function createArmature(options = {}) {
  const { wasmBinary = await ownBytes(), ...rest } = object(options, 'The options');
  return new Armature(await createCore({ ...rest, ...(wasmBinary ? { wasmBinary } : {}), ArmatureError }));
}
async function ownBytes() {
  if (!globalThis.process?.versions?.node) return undefined;
  const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ 'node:fs/promises');
  return readFile(new URL('./armature_core.wasm', import.meta.url));
}
export default createArmature;
