// Changes of a linkage in its own JSON (docs/formats/json.md): pure functions from text object to text object. The core judges the
// result; nothing here is computed twice.
import type { Vec3 } from './scene';

export interface Origin {
  xyz?: Vec3;
  rpy?: Vec3;
  [key: string]: unknown;
}
export interface JointJson {
  name: string;
  type: string;
  parent?: string;
  child: string;
  origin?: Origin;
  axis?: Vec3;
  limits?: { lower?: number | number[]; upper?: number | number[]; [key: string]: unknown };
  [key: string]: unknown;
}
export interface VisualJson {
  geometry: { type: string; radius?: number; length?: number; size?: Vec3; [key: string]: unknown };
  origin?: Origin;
  color?: number[];
  [key: string]: unknown;
}
export interface LinkJson {
  name: string;
  visuals?: VisualJson[];
  [key: string]: unknown;
}
export interface ClosureJson {
  name: string;
  type: string;
  a: { link: string; origin?: Origin };
  b: { link: string; origin?: Origin };
  axis?: Vec3;
  [key: string]: unknown;
}
export interface LinkageJson {
  format: 'armature';
  version: number;
  name: string;
  links: LinkJson[];
  joints: JointJson[];
  closures?: ClosureJson[];
  drives?: string[];
  effectors?: string[];
  poses?: Record<string, Record<string, unknown>>;
  [key: string]: unknown;
}

/** What can be between two links, in the order of the picker. */
export const JOINT_TYPES = [
  { type: 'revolute', label: 'Hinge', dof: 1 },
  { type: 'prismatic', label: 'Slide', dof: 1 },
  { type: 'helical', label: 'Screw', dof: 1 },
  { type: 'cylindrical', label: 'Cylinder', dof: 2 },
  { type: 'universal', label: 'Universal', dof: 2 },
  { type: 'spherical', label: 'Ball', dof: 3 },
  { type: 'planar', label: 'Planar', dof: 3 },
  { type: 'free', label: 'Free', dof: 6 },
  { type: 'fixed', label: 'Fixed', dof: 0 },
] as const;
/** What can close a loop: a rod keeps its two ends apart, the others bring them together. */
export const CLOSING_TYPES = [...JOINT_TYPES.filter((t) => ['revolute', 'prismatic', 'spherical', 'fixed'].includes(t.type)), { type: 'rod', label: 'Rod' }];

const ALONG = Math.PI / 2;
const TIP = '_tip';

/** Nothing but the ground. What is drawn on the plane has y up; with z up the view is solid from the first link on (logic/model.ts). */
export function emptyLinkage(up: 'y' | 'z' = 'y'): LinkageJson {
  return { format: 'armature', version: 2, name: 'linkage', up, links: [{ name: 'ground' }], joints: [] };
}
export function parseLinkage(bytes: Uint8Array): LinkageJson {
  const json = JSON.parse(new TextDecoder().decode(bytes)) as LinkageJson;
  return { ...json, links: (json.links as (LinkJson | string)[]).map((l) => (typeof l === 'string' ? { name: l } : l)), joints: json.joints ?? [] };
}

/** A name nobody has: "link_3". */
export function freeName(json: LinkageJson, stem: string): string {
  const taken = new Set([...json.links.map((l) => l.name), ...json.joints.map((j) => j.name), ...(json.closures ?? []).map((c) => c.name)]);
  if (!/\d$/.test(stem) && !taken.has(stem) && stem !== 'link' && stem !== 'joint') return stem;
  let n = 1;
  while (taken.has(`${stem}_${n}`)) n++;
  return `${stem}_${n}`;
}
export const jointOf = (json: LinkageJson, link: string): JointJson | undefined => json.joints.find((j) => j.child === link);
export const isTip = (name: string): boolean => name.endsWith(TIP);

const bar = (link: LinkJson | undefined): VisualJson | undefined => link?.visuals?.find((v) => BARS.has(v.geometry.type) && v.origin?.xyz !== undefined && Math.abs(v.origin.xyz[1]) < 1e-12 && Math.abs(v.origin.xyz[2]) < 1e-12);
/** Length of a link along its x axis, as its bar has it; 0: it has none. */
export function lengthOf(json: LinkageJson, link: string): number {
  const own = bar(json.links.find((l) => l.name === link));
  if (own) return own.geometry.length ?? own.geometry.size?.[0] ?? 0;
  const tip = json.joints.find((j) => j.parent === link && j.child === link + TIP);
  return tip?.origin?.xyz?.[0] ?? 0;
}
/** Shapes that a bar can have. */
export type BarShape = 'capsule' | 'cylinder' | 'box';
const BARS = new Set<string>(['capsule', 'cylinder', 'box']);
function barOf(type: BarShape, length: number, radius: number): VisualJson {
  const xyz: Vec3 = [length / 2, 0, 0];
  return type === 'box' ? { geometry: { type, size: [length, 2 * radius, 2 * radius] }, origin: { xyz, rpy: [0, 0, 0] } } : { geometry: { type, radius, length }, origin: { xyz, rpy: [0, ALONG, 0] } };
}
export interface Look {
  type: BarShape;
  radius: number;
  color?: number[] | undefined;
}
/** How a link that was drawn looks; null: its shapes come from elsewhere. */
export function lookOf(json: LinkageJson, link: string): Look | null {
  const own = bar(json.links.find((l) => l.name === link));
  return own ? { type: own.geometry.type as BarShape, radius: own.geometry.radius ?? (own.geometry.size?.[1] ?? 0) / 2, color: own.color } : null;
}
const changeBar = (json: LinkageJson, link: string, change: (own: VisualJson) => VisualJson): LinkageJson => ({ ...json, links: json.links.map((l) => (l.name === link && bar(l) ? { ...l, visuals: l.visuals!.map((v) => (v === bar(l) ? change(v) : v)) } : l)) });
export function setLook(json: LinkageJson, link: string, look: Look): LinkageJson {
  const length = lengthOf(json, link);
  return changeBar(json, link, ({ color: _, ...v }) => ({ ...v, ...barOf(look.type, length, look.radius), ...(look.color ? { color: look.color } : {}) }));
}

function without(json: LinkageJson, gone: Set<string>): LinkageJson {
  const joints = json.joints.filter((j) => !gone.has(j.child));
  const left = new Set(joints.map((j) => j.name));
  const poses = json.poses && Object.fromEntries(Object.entries(json.poses).map(([name, pose]) => [name, Object.fromEntries(Object.entries(pose).filter(([joint]) => left.has(joint)))]));
  return tidy({
    ...json,
    links: json.links.filter((l) => !gone.has(l.name)),
    joints,
    closures: json.closures?.filter((c) => !gone.has(c.a.link) && !gone.has(c.b.link)),
    drives: json.drives?.filter((d) => left.has(d)),
    effectors: json.effectors?.filter((e) => !gone.has(e)),
    ...(poses ? { poses } : {}),
  });
}
/** Empty lists say nothing. */
function tidy(json: LinkageJson): LinkageJson {
  const out = { ...json };
  for (const key of ['closures', 'drives', 'effectors'] as const) if (out[key]?.length === 0) delete out[key];
  return out;
}
export function subtree(json: LinkageJson, link: string): string[] {
  const out = [link];
  for (let i = 0; i < out.length; i++) out.push(...json.joints.filter((j) => j.parent === out[i]).map((j) => j.child));
  return out;
}
export const removeLink = (json: LinkageJson, link: string): LinkageJson => without(json, new Set(subtree(json, link)));

export interface NewLink {
  parent: string;
  /** Where its joint is, in the parent's frame, and how it is turned there. */
  at: Vec3;
  rpy: Vec3;
  length: number;
  radius: number;
  type: string;
  axis?: Vec3;
  /** Names of its own, as far as they are free. */
  link?: string;
  joint?: string;
}
/** Slides go along their link, all else turns about what is drawn on. */
const usualAxis = (type: string): Vec3 => (type === 'prismatic' ? [1, 0, 0] : [0, 0, 1]);
const same = (a: number[], b: number[]): boolean => a.every((v, i) => v === b[i]);
/** A link with its joint and a tip at its end; the tip of a parent that it continues goes. */
export function addLink(json: LinkageJson, made: NewLink): { json: LinkageJson; link: string; joint: string } {
  const ends = Math.hypot(made.at[0] - lengthOf(json, made.parent), made.at[1], made.at[2]) < 1e-9;
  const base = ends ? without(json, new Set(json.links.some((l) => l.name === made.parent + TIP) ? [made.parent + TIP] : [])) : json;
  const link = freeName(base, made.link ?? 'link');
  const joint = freeName(base, made.joint ?? 'joint');
  const axis = made.axis ?? usualAxis(made.type);
  const next: LinkageJson = {
    ...base,
    links: [...base.links, { name: link, visuals: [barOf('capsule', made.length, made.radius)] }],
    joints: [...base.joints, withType({ name: joint, type: 'fixed', parent: made.parent, child: link, origin: { xyz: made.at, rpy: made.rpy } }, made.type, axis)],
  };
  return { json: addTip(next, link), link, joint };
}
export function addTip(json: LinkageJson, link: string, at = lengthOf(json, link)): LinkageJson {
  const name = link + TIP;
  if (json.links.some((l) => l.name === name)) return json;
  return {
    ...json,
    links: [...json.links, { name }],
    joints: [...json.joints, { name: `${name}_mount`, type: 'fixed', parent: link, child: name, origin: { xyz: [at, 0, 0] } }],
    effectors: [...(json.effectors ?? []), name],
  };
}

const TAKES_AXIS = new Set(['revolute', 'continuous', 'prismatic', 'helical', 'cylindrical']);
export const takesAxis = (type: string): boolean => TAKES_AXIS.has(type);
function withType(joint: JointJson, type: string, axis: Vec3): JointJson {
  const { name, parent, child, origin } = joint;
  return { name, type, ...(parent === undefined ? {} : { parent }), child, ...(origin ? { origin } : {}), ...(TAKES_AXIS.has(type) ? { axis } : {}), ...(type === 'helical' ? { pitch: 0.01 } : {}) };
}
const changeJoint = (json: LinkageJson, name: string, change: (joint: JointJson) => JointJson): LinkageJson => ({ ...json, joints: json.joints.map((j) => (j.name === name ? change(j) : j)) });
/** Poses and drives that counted the old coordinates forget the joint. */
export function setJointType(json: LinkageJson, name: string, type: string): LinkageJson {
  const poses = json.poses && Object.fromEntries(Object.entries(json.poses).map(([pose, values]) => [pose, Object.fromEntries(Object.entries(values).filter(([joint]) => joint !== name))]));
  // An axis that nobody chose is that of the new type: a flat hinge becomes a slide along its link, not one out of the plane.
  const axisOf = (j: JointJson): Vec3 => (j.axis && !same(j.axis, usualAxis(j.type)) ? j.axis : usualAxis(type));
  const next = changeJoint(json, name, (j) => withType(j, type, axisOf(j)));
  return tidy({ ...next, drives: next.drives?.filter((d) => d !== name), ...(poses ? { poses } : {}) });
}
/** Where a joint is in its parent's frame, and how it is turned there. */
export const setOrigin = (json: LinkageJson, name: string, xyz: Vec3, rpy: Vec3): LinkageJson => changeJoint(json, name, (j) => ({ ...j, origin: { xyz, rpy } }));
export const setAxis = (json: LinkageJson, name: string, axis: Vec3): LinkageJson => changeJoint(json, name, (j) => ({ ...j, axis }));
/** Infinite: no limit on that side. */
export function setLimits(json: LinkageJson, name: string, lower: number, upper: number): LinkageJson {
  return changeJoint(json, name, ({ limits: _, ...j }) => (Number.isFinite(lower) || Number.isFinite(upper) ? { ...j, limits: { lower: Number.isFinite(lower) ? lower : (null as never), upper: Number.isFinite(upper) ? upper : (null as never) } } : j));
}
/** The cone of a ball joint, about its link's own direction; its twist stays as it is. */
export function setSwing(json: LinkageJson, name: string, swing: number): LinkageJson {
  return changeJoint(json, name, ({ limits, ...j }) => {
    const { cone, ...others } = limits ?? {};
    const next = { ...others, ...(Number.isFinite(swing) ? { cone: { axis: [1, 0, 0], ...(cone as object | undefined), swing } } : {}) };
    return Object.keys(next).length ? { ...j, limits: next } : j;
  });
}
/** Children and closures at the end move along. */
export function setLength(json: LinkageJson, link: string, length: number): LinkageJson {
  const old = lengthOf(json, link);
  const moved = (o: Origin | undefined): Origin | undefined => (o?.xyz && Math.hypot(o.xyz[0] - old, o.xyz[1], o.xyz[2]) < 1e-9 ? { ...o, xyz: [length, 0, 0] } : o);
  const side = (s: ClosureJson['a']) => (s.link === link ? { ...s, origin: moved(s.origin) } : s);
  return {
    ...json,
    links: changeBar(json, link, (v) => ({ ...v, ...barOf(v.geometry.type as BarShape, length, lookOf(json, link)!.radius) })).links,
    joints: json.joints.map((j) => (j.parent === link ? { ...j, origin: moved(j.origin) } : j)),
    ...(json.closures ? { closures: json.closures.map((c) => ({ ...c, a: side(c.a), b: side(c.b) })) } : {}),
  };
}
export interface LoopEnd {
  link: string;
  at: Vec3;
}
export function closeLoop(json: LinkageJson, a: LoopEnd, b: LoopEnd, type: string, axis: Vec3 = [0, 0, 1], length = 0): { json: LinkageJson; closure: string } {
  const closure = freeName(json, type === 'rod' ? 'rod' : 'pin');
  const gone = new Set([a, b].map((e) => e.link + TIP).filter((tip) => json.links.some((l) => l.name === tip)));
  const left = without(json, gone);
  const made: ClosureJson = { name: closure, type, a: { link: a.link, origin: { xyz: a.at } }, b: { link: b.link, origin: { xyz: b.at } }, ...(TAKES_AXIS.has(type) ? { axis } : {}), ...(type === 'rod' ? { length } : {}) };
  const next = { ...left, closures: [...(left.closures ?? []), made] };
  // A point to watch: the middle of the coupler, as its ends only draw arcs.
  return { json: next.effectors?.length ? next : addTip(next, a.link, lengthOf(next, a.link) / 2), closure };
}

/** The same linkage in a world whose y (or z) axis points up, where it had the other: turned as a whole at its root. */
export function turnedUp(json: LinkageJson, up: 'y' | 'z'): LinkageJson {
  const below = new Set(json.joints.filter((j) => j.parent !== undefined && j.parent !== null).map((j) => j.child));
  const root = json.links.find((l) => !below.has(l.name))?.name ?? '';
  const turned = (o: Origin | undefined): Origin => {
    const { xyz: [x, y, z], turn: m } = placed(o);
    const minus = (v: Vec3) => v.map((c) => -c) as Vec3;
    return up === 'y' ? { xyz: [x, z, -y], rpy: rpyOfMatrix([m[0], m[2], minus(m[1])]) } : { xyz: [x, -z, y], rpy: rpyOfMatrix([m[0], minus(m[2]), m[1]]) };
  };
  const own = jointOf(json, root);
  if (own) return { ...changeJoint(json, own.name, (j) => ({ ...j, origin: turned(j.origin) })), up };
  return { ...json, up, joints: [{ name: freeName(json, 'up_axis'), type: 'fixed', child: root, origin: turned(undefined) }, ...json.joints] };
}

// Rotations ----------------------------------------------------------------------------------------------

export type Mat = [Vec3, Vec3, Vec3]; // rows
export const timesMat = (a: Mat, b: Mat): Mat => a.map((row) => [0, 1, 2].map((k) => row[0] * b[0][k]! + row[1] * b[1][k]! + row[2] * b[2][k]!)) as Mat;
export const timesVec = (a: Mat, v: Vec3): Vec3 => a.map((row) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]) as Vec3;
export function matrixOfRpy([r, p, y]: Vec3): Mat {
  const [cr, sr, cp, sp, cy, sy] = [Math.cos(r), Math.sin(r), Math.cos(p), Math.sin(p), Math.cos(y), Math.sin(y)];
  return [
    [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
    [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
    [-sp, cp * sr, cp * cr],
  ];
}
/** Place and turn of an origin, whichever way it is written: the core writes a matrix where no angles give its bits. */
export function placed(o: Origin | undefined): { xyz: Vec3; turn: Mat } {
  const m = o?.matrix as number[] | undefined;
  return { xyz: o?.xyz ?? [0, 0, 0], turn: m?.length === 9 ? ([0, 3, 6].map((r) => m.slice(r, r + 3)) as Mat) : matrixOfRpy(o?.rpy ?? [0, 0, 0]) };
}
const clean = (v: Vec3): Vec3 => v.map((x) => (Math.abs(x) < 1e-15 ? 0 : x)) as Vec3;
export const originAt = (xyz: Vec3, turn: Mat): Origin => ({ xyz: clean(xyz), rpy: clean(rpyOfMatrix(turn)) });
export function rpyOfMatrix(m: Mat): Vec3 {
  const p = Math.asin(Math.max(-1, Math.min(1, -m[2][0])));
  if (Math.abs(m[2][0]) > 1 - 1e-12) return [0, p, Math.atan2(-m[0][1], m[1][1])];
  return [Math.atan2(m[2][1], m[2][2]), p, Math.atan2(m[1][0], m[0][0])];
}
