// The studio's scene as the one JSON form that the core, the command line and Python read (docs/formats/scene.md), and back. What
// only the page knows (which goals are pinned or hidden, view, camera) is under `view`, which others keep and do not read.
import type { Goal, Obstacle, SceneDescription } from '@armature';
import { clipFromJson, keysJson } from './keys_json';
import type { JointChoice, ModelSource, Quat, Scene, SceneGoal, SceneObstacle, Vec3 } from './scene';
import { EMPTY_CLIP, emptyScene } from './scene';

/** Methods that keep strict priorities; the others weigh all goals against each other, and a scene for them says so by weights. */
const ORDERED = new Set(['reach', 'auto', 'follow']);
/** What is pinned counts so many times more where goals are weighed, and what is soft so little. */
const FIRM = 10;
const GENTLE = 1e-4;
const POLE_WEIGHT = 0.3;
const NOT_REQUIRED = 1e9;

export interface JsonNames {
  joints: { name: string; q: number; nq: number; nv: number; mimic?: unknown }[];
  neutral: ArrayLike<number>;
  planar: boolean;
  up?: 'y' | 'z';
  /** The model's file holds a motion. */
  motion?: boolean;
}

type Plain = Goal & Record<string, unknown>;
const poleName = (id: string): string => `pole ${id}`;

function rank(g: { soft: boolean; pinned: boolean; weight: number }, ordered: boolean): Record<string, unknown> {
  if (g.soft) return ordered ? { weight: g.weight, preference: true, priority: 2 } : { weight: g.weight * GENTLE, tolerance: NOT_REQUIRED };
  if (g.pinned) return ordered ? { weight: g.weight, priority: 0 } : { weight: g.weight * FIRM };
  return { weight: g.weight, ...(ordered ? { priority: 1 } : {}) };
}

/** Goals in the order: the scene's (those that have a part), then their poles, then the posture that gains ask for. */
export function goalsJson(scene: Pick<Scene, 'goals' | 'joints' | 'solver'>, names: JsonNames): Goal[] {
  const ordered = ORDERED.has(scene.solver.method);
  const plain = scene.goals.every((g) => !g.soft && !g.pinned && !g.pole);
  const out: Plain[] = [];
  for (const g of scene.goals) {
    if (!g.usePosition && !g.useRotation) continue;
    const type = g.usePosition ? (g.useRotation ? 'pose' : 'position') : 'orientation';
    const place = names.planar && type === 'position' ? g.position.slice(0, 2) : g.position;
    const target = type === 'pose' ? [...g.position, ...g.quaternion] : type === 'position' ? place : g.quaternion;
    const order = plain ? (g.weight === 1 ? {} : { weight: g.weight }) : rank(g, ordered);
    out.push({ name: g.id, type, link: g.link, target, ...order } as Plain);
  }
  for (const g of scene.goals) {
    if (!g.pole) continue;
    const order = ordered ? { weight: POLE_WEIGHT, preference: true, priority: 2 } : { weight: POLE_WEIGHT * GENTLE, tolerance: NOT_REQUIRED };
    out.push({ name: poleName(g.id), type: 'pole', link: g.link, target: g.pole, ...order } as Plain);
  }
  const drawn = Object.entries(scene.joints).filter(([, j]) => j.gain?.some((x) => x > 0));
  if (drawn.length > 0) {
    const pose = Object.fromEntries(drawn.map(([name, j]) => [name, restOf(name, j, names)]));
    const gain = Object.fromEntries(drawn.map(([name, j]) => [name, one(filled(j.gain, names.joints.find((x) => x.name === name)?.nv ?? 1))]));
    out.push({ name: 'posture', type: 'posture', target: pose, gain } as unknown as Plain);
  }
  return out;
}
const one = (list: number[]): number | number[] => (list.length === 1 ? list[0]! : list);
const filled = (list: number[] | undefined, n: number): number[] => Array.from({ length: n }, (_, i) => list?.[i] ?? 0);

/** Desired coordinates of a joint; the rest of a rotation is given as a rotation vector. */
function restOf(name: string, choice: JointChoice, names: JsonNames): number | number[] {
  const joint = names.joints.find((j) => j.name === name);
  if (!joint) return 0;
  const rest = filled(choice.rest, joint.nv);
  if (joint.nq === joint.nv) return one(rest);
  const scalars = joint.nv - 3;
  const [x, y, z] = rest.slice(scalars) as Vec3;
  const angle = Math.hypot(x, y, z);
  const s = angle > 0 ? Math.sin(angle / 2) / angle : 0;
  return [...rest.slice(0, scalars), x * s, y * s, z * s, Math.cos(angle / 2)];
}

/** What a problem is made of. */
export type ProblemParts = Pick<Scene, 'goals' | 'joints' | 'solver'> & Partial<Pick<Scene, 'obstacles' | 'free' | 'margin'>>;

function obstacleJson(o: SceneObstacle, up: 'y' | 'z'): Obstacle {
  const shape: Obstacle['shape'] = o.type === 'box' ? { type: 'box', size: o.size } : o.type === 'sphere' ? { type: 'sphere', radius: o.size[0] } : { type: 'plane', normal: up === 'y' ? [0, 1, 0] : [0, 0, 1] };
  return { name: o.name, shape, origin: { position: o.position } };
}
function obstacleOf(o: Record<string, any>): SceneObstacle | null {
  const position = (o.origin?.position ?? o.origin?.xyz ?? (Array.isArray(o.origin) ? o.origin.slice(0, 3) : [0, 0, 0])) as Vec3;
  const shape = o.shape ?? {};
  // They stand upright here: one that is turned is left out rather than shown elsewhere.
  const quaternion = (o.origin?.quaternion ?? (Array.isArray(o.origin) ? o.origin.slice(3) : [])) as number[];
  const turned = [...((o.origin?.rpy ?? []) as number[]), ...quaternion.slice(0, 3)].some((x) => Math.abs(x) > 1e-9);
  const wall = shape.type === 'plane' && Array.isArray(shape.normal) && !['0,0,1', '0,1,0'].includes(shape.normal.join());
  if (wall || (turned && shape.type !== 'sphere')) return null;
  if (shape.type === 'box') return { name: String(o.name), type: 'box', position, size: shape.size };
  if (shape.type === 'sphere') return { name: String(o.name), type: 'sphere', position, size: [shape.radius, shape.radius, shape.radius] };
  return shape.type === 'plane' ? { name: String(o.name), type: 'plane', position, size: [1, 1, 1] } : null;
}

/** What the core needs for solving. */
export function problemJson(scene: ProblemParts, names: JsonNames): SceneDescription {
  const locked = Object.entries(scene.joints).filter(([, j]) => j.lock).map(([name]) => name);
  return {
    goals: goalsJson(scene, names),
    ...(locked.length ? { locked } : {}),
    ...(scene.obstacles?.length ? { obstacles: scene.obstacles.map((o) => obstacleJson(o, names.up ?? 'z')) } : {}),
    ...(scene.free ? { collision: 'search' as const, margin: scene.margin ?? 0 } : scene.obstacles?.length ? { collision: 'off' as const } : {}),
    method: scene.solver.method,
    ...(Object.keys(scene.solver.options).length ? { options: scene.solver.options } : {}),
  };
}

export interface StudioView {
  mode?: string;
  pinned?: string[];
  hidden?: string[];
  /** Goals without any part that counts, with what they would ask for. */
  off?: { name: string; link: string; target: number[] }[];
  /** Orientations of goals that do not use them now. */
  turned?: Record<string, number[]>;
  /** Places of goals that use their orientation only. */
  placed?: Record<string, number[]>;
  rest?: Record<string, number[]>;
  loop?: boolean;
  frames?: number;
  pose_names?: string[];
  poses?: Scene['poses'];
  [key: string]: unknown;
}

const modelJson = (model: ModelSource): string | object | undefined =>
  model.builtin ?? (model.file ? { file_name: model.file.name, base64: model.file.base64, ...(model.file.beside ? { files: model.file.beside } : {}) } : undefined);

/** The whole scene, as a file. */
export function sceneToJson(scene: Scene, view: object, names: JsonNames): SceneDescription {
  const start: Record<string, number | number[]> = {};
  // A motion of goals alone begins at this pose, wherever it was left.
  const shown = scene.clip.start && Object.keys(scene.clip.keys).length && !scene.clip.poses.length && !names.motion ? scene.clip.start : scene.q;
  for (const joint of names.joints) {
    const values = shown.slice(joint.q, joint.q + joint.nq);
    const rest = Array.from(names.neutral).slice(joint.q, joint.q + joint.nq);
    if (joint.nq > 0 && joint.name && !joint.mimic && values.some((v, i) => v !== rest[i])) start[joint.name] = one(values);
  }
  const own: StudioView = { ...view };
  const pinned = scene.goals.filter((g) => g.pinned).map((g) => g.id);
  const hidden = scene.goals.filter((g) => !g.visible).map((g) => g.id);
  const off = scene.goals.filter((g) => !g.usePosition && !g.useRotation);
  if (pinned.length) own.pinned = pinned;
  if (hidden.length) own.hidden = hidden;
  if (off.length) own.off = off.map((g) => ({ name: g.id, link: g.link, target: [...g.position, ...g.quaternion] }));
  const turned = scene.goals.filter((g) => g.usePosition && !g.useRotation && g.quaternion[3] !== 1);
  if (turned.length) own.turned = Object.fromEntries(turned.map((g) => [g.id, g.quaternion]));
  const placed = scene.goals.filter((g) => !g.usePosition && g.useRotation && g.position.some((x) => x !== 0));
  if (placed.length) own.placed = Object.fromEntries(placed.map((g) => [g.id, g.position]));
  if (scene.poses.length) own.poses = scene.poses;
  const idle = Object.entries(scene.joints).filter(([, j]) => j.rest && !j.gain?.some((x) => x > 0));
  if (idle.length) own.rest = Object.fromEntries(idle.map(([name, j]) => [name, j.rest!]));
  const keys = keysJson(scene.clip, names.motion ?? false);
  if (keys) {
    own.frames = scene.clip.frames;
    own.loop = scene.clip.loop;
    if (scene.clip.poses.length) own.pose_names = scene.clip.poses.map((k) => k.name);
  }
  const model = modelJson(scene.model);
  return {
    format: 'armature-scene',
    version: 1,
    ...(scene.name && scene.name !== model ? { name: scene.name } : {}),
    ...(model === undefined ? {} : { model }),
    start,
    ...problemJson(scene, names),
    ...(keys ? { frame_rate: scene.clip.fps, keys } : {}),
    view: own,
  };
}

/** `leftOut`: what the studio does not read of a scene that was made elsewhere, in words. */
export type Decoded = { ok: true; scene: Scene; view: StudioView; pose: Record<string, number[]> | undefined; leftOut: string[] } | { ok: false; why: string };

const READ = ['format', 'version', 'name', 'model', 'start', 'goals', 'locked', 'obstacles', 'collision', 'margin', 'method', 'options', 'keys', 'frame_rate', 'view', 'comment'];
const READ_GOAL = ['name', 'type', 'link', 'target', 'weight', 'priority', 'preference', 'tolerance', 'gain', 'comment'];
const READ_KEYS = ['poses', 'goals', 'clip', 'duration', 'weight', 'goal_weight', 'fade', 'interpolation'];
/** Of `track` alone, written with these values where nobody chose others. */
const USUAL: Record<string, number> = { steps_per_frame: 0, max_joint_step: 0.2 };
const besides = (json: object, read: string[]): string[] => Object.keys(json).filter((key) => !read.includes(key));

/** Two, three, four or seven numbers; null for what is none of these (a path). */
function targetOf(target: unknown): number[] | null {
  if (Array.isArray(target)) return target.every((v) => typeof v === 'number') ? target : null;
  const { position, quaternion } = (target ?? {}) as { position?: number[]; quaternion?: number[] };
  return position && quaternion ? [...position, ...quaternion] : (position ?? quaternion ?? null);
}

/** The studio's scene from a scene file's object. The pose comes by joint name. */
export function jsonToScene(raw: unknown): Decoded {
  if (typeof raw !== 'object' || raw === null) return { ok: false, why: 'The link does not hold a scene.' };
  const json = raw as Record<string, any>;
  if (!(Number(json.version ?? 1) <= 1)) return { ok: false, why: `The link was made by a newer studio (scene version ${json.version}; this one knows 1).` };
  const model = sourceOf(json.model);
  if (!model) return { ok: false, why: 'The link names no model.' };
  const view = (json.view ?? {}) as StudioView;
  const method = String(json.method ?? 'auto');
  const ordered = ORDERED.has(method);
  const list = (Array.isArray(json.goals) ? json.goals : json.goals ? [json.goals] : []) as Record<string, any>[];
  const poles = new Map(list.filter((g) => g.type === 'pole').map((g) => [String(g.name).replace(/^pole /, ''), g.target as Vec3]));
  const leftOut = besides(json, READ).filter((key) => json[key] !== USUAL[key]).map((key) => `the scene’s ${key}`);
  const ids = new Set<string>();
  const priorities = new Set(list.map((g) => g.priority ?? 0));
  const joints: Record<string, JointChoice> = Object.fromEntries(((json.locked ?? []) as string[]).map((name) => [name, { lock: true }]));
  const goals: SceneGoal[] = [];
  for (const g of list) {
    if (g.type === 'posture' && typeof g.gain === 'object' && !Array.isArray(g.gain)) {
      for (const [name, gain] of Object.entries((typeof g.gain === 'object' ? g.gain : {}) as Record<string, number | number[]>)) {
        const rest = (g.target ?? {})[name];
        joints[name] = { ...joints[name], gain: [gain].flat(), rest: [rest ?? 0].flat() };
      }
      continue;
    }
    if (g.type === 'pole' && [...list, ...(view.off ?? [])].some((other) => g.name === poleName(String(other.name ?? other.link)))) continue;
    const t = targetOf(g.target);
    if (!['position', 'orientation', 'pose', undefined].includes(g.type) || typeof g.link !== 'string' || !t) {
      leftOut.push(`goal ${g.name ?? g.type ?? g.link}`);
      continue;
    }
    let id = String(g.name ?? g.link);
    for (let n = 2; ids.has(id); n++) id = `${g.name ?? g.link} ${n}`;
    ids.add(id);
    const pinned = (view.pinned ?? []).includes(id);
    const soft = g.preference === true || g.tolerance === NOT_REQUIRED;
    const weight = Number(g.weight ?? 1) / (ordered ? 1 : soft ? GENTLE : pinned ? FIRM : 1);
    const pole = poles.get(id);
    const lost = besides(g, READ_GOAL);
    if (g.tolerance !== undefined && g.tolerance !== NOT_REQUIRED) lost.push('tolerance');
    if (priorities.size > 1 && (g.priority ?? 0) !== (soft ? 2 : pinned ? 0 : 1)) lost.push('priority');
    if (lost.length) leftOut.push(`${lost.join(', ')} of goal ${id}`);
    goals.push({
      id,
      link: g.link,
      position: (t.length === 4 ? (view.placed?.[id] ?? [0, 0, 0]) : [t[0]!, t[1]!, t[2] ?? 0]) as Vec3,
      quaternion: (t.length === 4 ? t : t.length === 7 ? t.slice(3) : (view.turned?.[id] ?? [0, 0, 0, 1])) as Quat,
      usePosition: t.length !== 4,
      useRotation: t.length === 4 || t.length === 7,
      weight,
      soft,
      pinned,
      visible: !(view.hidden ?? []).includes(id),
      ...(pole ? { pole } : {}),
    });
  }
  for (const g of view.off ?? []) {
    ids.add(g.name);
    goals.push({ id: g.name, link: g.link, position: g.target.slice(0, 3) as Vec3, quaternion: g.target.slice(3) as Quat, usePosition: false, useRotation: false, weight: 1, soft: false, pinned: false, visible: !(view.hidden ?? []).includes(g.name) });
  }
  for (const [name, rest] of Object.entries(view.rest ?? {})) joints[name] = { ...joints[name], rest };
  const fps = Number(json.frame_rate ?? EMPTY_CLIP.fps);
  const clip = json.keys ? clipFromJson(json.keys, fps, view) : EMPTY_CLIP;
  if (json.keys) leftOut.push(...besides(json.keys, READ_KEYS).map((key) => `${key} of the keys`));
  const named = clip.poses.length < (json.keys?.poses?.length ?? 0);
  if (named) leftOut.push('key poses that name joints');
  for (const id of Object.keys(clip.keys).filter((each) => !ids.has(each) || clip.keys[each]!.some((k) => !k.position.every(Number.isFinite)))) {
    delete clip.keys[id];
    leftOut.push(`keys of goal ${id}`);
  }
  const start = json.start as Record<string, number | number[]> | undefined;
  const pose = start && typeof start === 'object' && !Array.isArray(start) ? Object.fromEntries(Object.entries(start).map(([n, v]) => [n, [v].flat()])) : undefined;
  const name = String(json.name ?? model.builtin ?? model.file?.name ?? '');
  const asked = (json.obstacles ?? []) as Record<string, any>[];
  const obstacles = asked.map(obstacleOf).filter((o) => o !== null);
  leftOut.push(...asked.filter((o) => !obstacleOf(o)).map((o) => `obstacle ${o.name}`));
  const free = json.collision ? json.collision === 'search' : obstacles.length > 0 || json.margin > 0;
  return { ok: true, leftOut, scene: { ...emptyScene(), obstacles, free, margin: Number(json.margin ?? 0), model, name, goals, solver: { method, options: json.options ?? {} }, joints, clip, poses: view.poses ?? [] }, view, pose };
}

function sourceOf(model: unknown): ModelSource | null {
  if (typeof model === 'string') return { builtin: model };
  if (typeof model !== 'object' || model === null) return null;
  const m = model as Record<string, any>;
  if (typeof m.base64 === 'string') return { file: { name: String(m.file_name), base64: m.base64, ...(m.files ? { beside: m.files } : {}) } };
  if (Array.isArray(m.links)) return { file: { name: `${m.name ?? 'model'}.json`, base64: btoa(unescape(encodeURIComponent(JSON.stringify(m)))) } };
  return null;
}
