// Limbs as wholes, in the linkage's own JSON: mirrored, copied to another link, and ready-made parts.
import { addLink, closeLoop, emptyLinkage, freeName, lengthOf, matrixOfRpy, originAt, placed, rpyOfMatrix, subtree, timesMat, timesVec, type ClosureJson, type JointJson, type LinkageJson, type LoopEnd, type Mat, type Origin, type VisualJson } from './linkage_edit';
import type { Vec3 } from './scene';

/** Left and right change places in a name; other names get "_mirror", before what makes them a tip. */
export function mirrorName(name: string): string {
  const swap: [RegExp, string][] = [[/left/, 'right'], [/Left/, 'Right'], [/right/, 'left'], [/Right/, 'Left'], [/_l(?=_|$)/, '_r'], [/_r(?=_|$)/, '_l'], [/_L(?=_|$)/, '_R'], [/_R(?=_|$)/, '_L'], [/^l_/, 'r_'], [/^r_/, 'l_']];
  const found = swap.find(([pattern]) => pattern.test(name));
  return found ? name.replace(found[0], found[1]) : name.replace(/(_tip(_mount)?)?$/, '_mirror$1');
}
/** "link_2" is "link_3", or the next that is free. */
const nextName = (name: string): string => name.replace(/_\d+$/, '');

interface Change {
  name(old: string): string;
  origin(o: Origin | undefined, first: boolean): Origin;
  joint?(made: JointJson): JointJson;
}
/** The limb from `link` on once more; tips keep the name of their link. */
function again(json: LinkageJson, link: string, change: Change): { json: LinkageJson; link: string } {
  const limb = new Set(subtree(json, link));
  const links = json.links.filter((l) => limb.has(l.name));
  const joints = json.joints.filter((j) => limb.has(j.child));
  const closures = (json.closures ?? []).filter((c) => limb.has(c.a.link) && limb.has(c.b.link));
  const names = new Map<string, string>();
  let taken = json; // grows by the names that are given
  for (const name of [...links, ...joints, ...closures].map((x) => x.name).sort((a, b) => a.length - b.length)) {
    const [, stem, tail] = /^(.*?)(_tip(?:_mount)?)$/.exec(name) ?? [];
    const wanted = stem && names.has(stem) ? names.get(stem)! + tail : change.name(name);
    const free = stem && names.has(stem) ? wanted : freeName(taken, wanted);
    names.set(name, free);
    taken = { ...taken, links: [...taken.links, { name: free }] };
  }
  const named = (name: string): string => names.get(name) ?? name;
  const side = (s: ClosureJson['a']) => ({ link: named(s.link), origin: change.origin(s.origin, false) });
  const shape = (v: VisualJson): VisualJson => ({ ...v, ...(v.origin ? { origin: change.origin(v.origin, false) } : {}) });
  const made = joints.map((j) => {
    const own = { ...j, name: named(j.name), parent: named(j.parent!), child: named(j.child), origin: change.origin(j.origin, j.child === link) };
    return change.joint ? change.joint(own) : own;
  });
  return {
    link: named(link),
    json: {
      ...json,
      links: [...json.links, ...links.map((l) => ({ ...l, name: named(l.name), ...(l.visuals ? { visuals: l.visuals.map(shape) } : {}) }))],
      joints: [...json.joints, ...made],
      ...(json.closures ? { closures: [...json.closures, ...closures.map((c) => ({ ...c, name: named(c.name), a: side(c.a), b: side(c.b) }))] } : {}),
      ...(json.effectors ? { effectors: [...json.effectors, ...json.effectors.filter((e) => limb.has(e)).map(named)] } : {}),
    },
  };
}

const flipOf = (axis: number): Mat => [0, 1, 2].map((r) => [0, 1, 2].map((c) => (r !== c ? 0 : r === axis ? -1 : 1))) as Mat;
/** The limb from `link` on once more on the other side of a plane through its parent's origin: `normal` in the parent's frame, or one of its axes. */
export function mirrorLimb(json: LinkageJson, link: string, normal: Vec3 | 0 | 1 | 2): { json: LinkageJson; link: string } {
  const n: Vec3 = typeof normal === 'number' ? ([0, 1, 2].map((i) => (i === normal ? 1 : 0)) as Vec3) : normal;
  const reflect = n.map((a, r) => n.map((b, c) => (r === c ? 1 : 0) - 2 * a * b)) as Mat;
  // Frames of the copy are flipped once more, across x: bars stay along it. Across the plane of its hinges a limb stays as it is.
  const flip = flipOf(Math.abs(n[2]) > 1 - 1e-9 ? 2 : 1);
  const minus = (v: Vec3): Vec3 => timesVec(flip, v).map((x) => (x ? -x : 0)) as Vec3;
  const turned = (j: JointJson): JointJson => {
    const out: JointJson = { ...j };
    // A turn about an axis is seen in a mirror as one about the axis turned round.
    for (const key of ['axis', 'axis2', 'normal'] as const) if (out[key]) out[key] = key === 'axis' && j.type === 'prismatic' ? timesVec(flip, out[key] as Vec3) : minus(out[key] as Vec3);
    if (out.x_axis) out.x_axis = timesVec(flip, out.x_axis as Vec3);
    if (out.pitch) out.pitch = -(out.pitch as number);
    const cone = j.limits?.cone as { axis?: Vec3; twist_lower?: number; twist_upper?: number } | undefined;
    if (cone) out.limits = { ...j.limits, cone: { ...cone, ...(cone.axis ? { axis: timesVec(flip, cone.axis) } : {}), ...(cone.twist_lower === undefined ? {} : { twist_lower: -cone.twist_upper!, twist_upper: -cone.twist_lower }) } };
    const { lower, upper } = j.limits ?? {};
    if (j.type === 'cylindrical' && Array.isArray(lower) && Array.isArray(upper)) out.limits = { ...j.limits, lower: [lower[0]!, -upper[1]!], upper: [upper[0]!, -lower[1]!] };
    return out;
  };
  return again(json, link, {
    name: mirrorName,
    origin: (o, first) => {
      const { xyz, turn } = placed(o);
      const across = first ? reflect : flip;
      return originAt(timesVec(across, xyz), timesMat(timesMat(across, turn), flip));
    },
    joint: turned,
  });
}

/** The limb once more, on another link: where, and how it is turned in that link's frame. */
export const copyLimb = (json: LinkageJson, link: string, to: LoopEnd, turn: Mat): { json: LinkageJson; link: string } =>
  again(json, link, { name: nextName, origin: (o, first) => (first ? originAt(to.at, turn) : (o ?? {})), joint: (j) => (j.parent === json.joints.find((x) => x.child === link)?.parent ? { ...j, parent: to.link } : j) });

// Parts --------------------------------------------------------------------------------------------------

/** A link of a part: its name and joint, what it hangs on ('' is what the part is put on), from where to where (y is up). */
type PartLink = [link: string, joint: string, on: string, from: [number, number], to: [number, number], type?: string, axis?: Vec3, limits?: [number, number]];
export interface Part {
  name: string;
  note: string;
  links: PartLink[];
  /** Ends that are held together by a hinge: of the first, and the place on the second. */
  close?: [string, string, Vec3];
  /** Leaves the plane. */
  solid?: boolean;
}
export const PARTS: Part[] = [
  { name: 'Two-link arm', note: '2 hinges', links: [['upper', 'shoulder', '', [0, 0], [0.25, 0.3]], ['fore', 'elbow', 'upper', [0.25, 0.3], [0.55, 0.2]]] },
  { name: 'Finger', note: '3 hinges', links: [['proximal', 'knuckle', '', [0, 0], [0.18, 0.06], 'revolute', undefined, [-1.6, 0.3]], ['middle', 'finger', 'proximal', [0.18, 0.06], [0.3, 0.05], 'revolute', undefined, [-1.9, 0.1]], ['distal', 'fingertip', 'middle', [0.3, 0.05], [0.38, 0], 'revolute', undefined, [-1.4, 0.6]]] },
  { name: 'Leg', note: 'ball and hinge', solid: true, links: [['thigh', 'hip', '', [0, 0], [0.05, -0.4], 'spherical'], ['shin', 'knee', 'thigh', [0.05, -0.4], [-0.02, -0.8], 'revolute', undefined, [-2.4, 0.3]]] },
  { name: 'Four-bar', note: 'closed loop', links: [['crank', 'crank_pivot', '', [0, 0], [0.05, 0.2]], ['coupler', 'crank_pin', 'crank', [0.05, 0.2], [0.55, 0.4]], ['rocker', 'rocker_pivot', '', [0.5, 0], [0.55, 0.4]]], close: ['coupler', 'rocker', [1, 0, 0]] },
  { name: 'SCARA', note: 'hinges and slide', solid: true, links: [['post', 'foot', '', [0, 0], [0, 0.35], 'fixed'], ['arm', 'shoulder', 'post', [0, 0.35], [0.3, 0.35], 'revolute', [0, 1, 0], [-2.3, 2.3]], ['forearm', 'elbow', 'arm', [0.3, 0.35], [0.55, 0.35], 'revolute', [0, 1, 0], [-2.5, 2.5]], ['quill', 'lift', 'forearm', [0.55, 0.35], [0.55, 0.15], 'prismatic', undefined, [-0.15, 0.15]]] },
  { name: 'Slider-crank', note: 'closed loop', links: [['crank', 'crank_pivot', '', [0, 0], [0.12, 0.16]], ['rod', 'crank_pin', 'crank', [0.12, 0.16], [0.6, 0]], ['slider', 'slide', '', [0.6, 0], [0.72, 0], 'prismatic']], close: ['rod', 'slider', [0, 0, 0]] },
];
/** A part put on a link: at a place, turned, and `scale` times its size. */
export function addPart(json: LinkageJson, part: Part, to: LoopEnd, turn: Mat, scale: number): { json: LinkageJson; link: string } {
  let out = json;
  const made = new Map<string, { link: string; angle: number }>();
  for (const [link, joint, on, from, end, type = 'revolute', axis, limits] of part.links) {
    const parent = made.get(on);
    const way = [end[0] - from[0], end[1] - from[1]] as const;
    const angle = Math.atan2(way[1], way[0]);
    const length = scale * Math.hypot(...way);
    const own = matrixOfRpy([0, 0, angle - (parent?.angle ?? 0)]);
    const at: Vec3 = parent ? [lengthOf(out, parent.link), 0, 0] : (timesVec(turn, [scale * from[0], scale * from[1], 0]).map((v, i) => v + to.at[i]!) as Vec3);
    const next = addLink(out, { parent: parent?.link ?? to.link, at, rpy: rpyOfMatrix(parent ? own : timesMat(turn, own)), length, radius: 0.02 * scale, type, link, joint, ...(axis ? { axis } : {}) });
    const range = limits?.map((v) => (type === 'prismatic' ? scale * v : v));
    out = range ? { ...next.json, joints: next.json.joints.map((j) => (j.name === next.joint ? { ...j, limits: { lower: range[0]!, upper: range[1]! } } : j)) } : next.json;
    made.set(link, { link: next.link, angle });
  }
  const first = made.get(part.links[0]![0])!.link;
  if (!part.close) return { json: out, link: first };
  const [a, b] = [made.get(part.close[0])!.link, made.get(part.close[1])!.link];
  const at = (link: string, share: number): LoopEnd => ({ link, at: [share * lengthOf(out, link), 0, 0] });
  return { json: closeLoop(out, at(a, 1), at(b, part.close[2][0]), 'revolute').json, link: first };
}
/** A part by itself, for its picture. */
export const partAlone = (part: Part): LinkageJson => addPart(emptyLinkage(part.solid ? 'z' : 'y'), part, { link: 'ground', at: [0, 0, 0] }, matrixOfRpy([part.solid ? Math.PI / 2 : 0, 0, 0]), 1).json;
