// The model as the page draws and lists it: links and joints by number, parents before children, made once from what the core
// says by name.
import type { Model, SkinnedMesh, Visual } from '@armature';

export type { SkinnedMesh };

/** 16 numbers, column-major, as WebGL and three.js store them. */
export type Matrix16 = number[];

export interface GeometryDescription extends Omit<Visual, 'link' | 'matrix'> {
  /** Pose and scale of the shape in the link's frame. */
  placement: Matrix16;
}
export interface LinkDescription {
  name: string;
  /** Joint that moves this link: its own number. */
  joint: number;
  /** Parent link, -1 for the root (whose parent is the world). */
  parent: number;
  children: number[];
  geometry: GeometryDescription[];
}
export interface JointDescription {
  name: string;
  type: string;
  parent: number; // link, -1: world
  child: number; // link
  placement: Matrix16;
  axis: [number, number, number];
  /** First index and count in the pose vector q, and in velocities. */
  q: number;
  nq: number;
  v: number;
  nv: number;
  lower: number[];
  upper: number[];
  coordinates: string[];
  units: ('angle' | 'length' | '')[];
  order?: string;
  swing?: number;
  twist?: [number, number];
  cone_axis?: [number, number, number];
  mimic?: { joint: number; multiplier: number; offset: number };
}
/** Two points that a closure holds together, each in its link's frame; link -1 is the world. */
export interface ClosureDescription {
  name: string;
  type: string;
  a: { link: number; at: [number, number, number] };
  b: { link: number; at: [number, number, number] };
}
export interface ModelDescription {
  name: string;
  description: string;
  dof: number;
  nq: number;
  nv: number;
  links: LinkDescription[];
  joints: JointDescription[];
  effectors: number[];
  closures: ClosureDescription[];
  /** Joints that a mechanism is driven by. */
  drives: string[];
  mobility: number;
  planar: boolean;
  up: 'y' | 'z';
  /** The model's size: the scale of everything. */
  reach: number;
  poses: { name: string; q: number[] }[];
  /** Default solve tolerance. */
  tolerance: number;
}

/** The root's child that no joint ties to a place. */
export function floats(model: ModelDescription, link: number): boolean {
  const { parent, joint } = model.links[link]!;
  return parent === 0 && (model.joints[joint]!.nv === 6 || model.joints[joint]!.type === 'planar');
}
/** Whether a link stands in the world by itself, floating or beside another model (state/beside.ts): there is nothing between it and the root to draw. */
export function standsApart(model: ModelDescription, link: number): boolean {
  const { parent, joint, name } = model.links[link]!;
  if (parent !== 0) return false;
  const root = model.links[0]!;
  const above = model.joints[joint]!;
  return (root.geometry.length === 0 && /^ground(_\d+)?$/.test(root.name)) || floats(model, link) || (above.nv === 0 && above.name === `${name}_mount` && !name.endsWith('_tip'));
}

function matrixOf(position: number[], [x, y, z, w]: [number, number, number, number]): Matrix16 {
  return [
    1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0,
    2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0,
    2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0,
    position[0]!, position[1]!, position[2]!, 1,
  ];
}

export function describe(model: Model): ModelDescription {
  const index = new Map(model.links.map((name, i) => [name, i]));
  const links: LinkDescription[] = model.links.map((name, i) => ({ name, joint: i, parent: -1, children: [], geometry: [] }));
  const joints: JointDescription[] = model.links.map((_, i) => ({
    name: '', type: 'fixed', parent: -1, child: i, placement: matrixOf([0, 0, 0], [0, 0, 0, 1]), axis: [0, 0, 1],
    q: 0, nq: 0, v: 0, nv: 0, lower: [], upper: [], coordinates: [], units: [],
  }));
  const byName = new Map(model.joints.map((j) => [j.name, index.get(j.child)!]));
  for (const j of model.joints) {
    const child = index.get(j.child)!;
    const parent = j.parent === null ? -1 : index.get(j.parent)!;
    links[child]!.parent = parent;
    if (parent >= 0) links[parent]!.children.push(child);
    joints[child] = {
      name: j.name,
      type: j.type,
      parent,
      child,
      placement: matrixOf(j.origin.position, j.origin.quaternion),
      axis: j.axis ?? [0, 0, 1],
      q: j.q_index,
      nq: j.q_size,
      v: j.v_index,
      nv: j.v_size,
      lower: j.lower,
      upper: j.upper,
      coordinates: j.q_size > 1 ? j.coordinates : j.coordinates.map(() => ''),
      units: j.units,
      ...(j.order ? { order: j.order } : {}),
      ...(j.cone ? { swing: j.cone.swing, twist: j.cone.twist, cone_axis: j.cone.axis } : {}),
      ...(j.mimic ? { mimic: { joint: byName.get(j.mimic.joint) ?? -1, multiplier: j.mimic.multiplier, offset: j.mimic.offset } } : {}),
    };
  }
  for (const { link, matrix, ...shape } of model.visuals()) links[index.get(link)!]!.geometry.push({ ...shape, placement: matrix });
  // Flat, unless its text says that z points up: that is what Build's switch to 3-D writes. Nothing yet is drawn on the plane.
  const flat = model.up === 'y' && (model.planar || (model.v_size === 0 && model.links.length === 1));
  return {
    name: model.name,
    description: model.description,
    dof: model.v_size,
    nq: model.q_size,
    nv: model.v_size,
    links,
    joints,
    effectors: model.effectors.map((name) => index.get(name)!),
    closures: closuresOf(model, index),
    drives: model.drives ?? [],
    mobility: model.mobility ?? model.v_size,
    planar: flat,
    up: model.up,
    reach: model.size || 1,
    poses: Object.keys(model.poses).map((name) => ({ name, q: Array.from(model.pose(name)) })),
    tolerance: 1e-6 * (model.size || 1),
  };
}

/** Where loops are closed, as the model's own text has it. */
function closuresOf(model: Model, index: Map<string, number>): ClosureDescription[] {
  if (!model.closures?.length) return [];
  const text = JSON.parse(new TextDecoder().decode(model.write('json').bytes)) as { closures?: Record<string, any>[] };
  const side = (s: Record<string, any>) => ({ link: index.get(s.link) ?? -1, at: (s.origin?.xyz ?? s.origin?.position ?? (Array.isArray(s.origin) ? s.origin : [0, 0, 0])).slice(0, 3) });
  return (text.closures ?? []).filter((c) => c.a && c.b).map((c) => ({ name: String(c.name), type: String(c.type), a: side(c.a), b: side(c.b) }));
}
