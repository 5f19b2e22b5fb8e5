// Shapes of links for WebGL: the model's own boxes, spheres, cylinders and capsules; capsules along the
// bones where a file has none; housings at the joints of robots. Geometry is shared between equal shapes.
import { standsApart, type GeometryDescription, type ModelDescription } from '../logic/model';
import { BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, CylinderGeometry, Matrix4, Quaternion, SphereGeometry, Vector3 } from 'three';
import { meshKey, type Triangles } from '../logic/mesh_files';
import { paintOf } from '../logic/paint';
import { isRobot } from '../logic/robot';
import type { Vec3 } from '../logic/scene';
import { len } from '../logic/vec';

export type Finish = 'figure' | 'shell' | 'housing';

export interface Part {
  link: number;
  geometry: BufferGeometry;
  matrix: Matrix4;
  finish: Finish;
  /** Token of the colour that Build gave it. */
  paint?: string;
}

const Z_TO_Y = new Matrix4().makeRotationX(Math.PI / 2);

export class ShapeStore {
  private made = new Map<string, BufferGeometry>();

  private get(key: string, make: () => BufferGeometry): BufferGeometry {
    let geometry = this.made.get(key);
    if (!geometry) this.made.set(key, (geometry = make()));
    return geometry;
  }
  capsule(radius: number, length: number): BufferGeometry {
    return this.get(`c ${radius.toPrecision(6)} ${length.toPrecision(6)}`, () => new CapsuleGeometry(radius, length, 8, 24).applyMatrix4(Z_TO_Y));
  }
  cylinder(radius: number, length: number): BufferGeometry {
    return this.get(`y ${radius.toPrecision(6)} ${length.toPrecision(6)}`, () => new CylinderGeometry(radius, radius, length, 32).applyMatrix4(Z_TO_Y));
  }
  sphere(radius: number): BufferGeometry {
    return this.get(`s ${radius.toPrecision(6)}`, () => new SphereGeometry(radius, 28, 18));
  }
  box(size: [number, number, number]): BufferGeometry {
    return this.get(`b ${size.map((v) => v.toPrecision(6)).join(' ')}`, () => new BoxGeometry(...size));
  }
  mesh(key: string, triangles: Triangles): BufferGeometry {
    return this.get(`m ${key}`, () => {
      const geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(triangles, 3));
      geometry.computeVertexNormals();
      return geometry;
    });
  }
  dispose(): void {
    for (const geometry of this.made.values()) geometry.dispose();
    this.made.clear();
  }
}

/** Triangles of a mesh by its reference, null when the file was not opened with the model. */
export type MeshOf = (uri: string) => Triangles | null;

function ownShape(shape: GeometryDescription, store: ShapeStore, meshOf: MeshOf): BufferGeometry | null {
  switch (shape.type) {
    case 'box':
      return store.box(shape.size ?? [1, 1, 1]);
    case 'sphere':
      return store.sphere(shape.radius ?? 1);
    case 'cylinder':
      return store.cylinder(shape.radius ?? 1, shape.length ?? 1);
    case 'capsule':
      return store.capsule(shape.radius ?? 1, shape.length ?? 1);
    case 'mesh': {
      const triangles = meshOf(shape.uri ?? '');
      return triangles && store.mesh(meshKey(shape.uri ?? ''), triangles);
    }
    default:
      return null;
  }
}

/** Short cylinders are the housings of joints, long ones the links between. */
const isHousing = (shape: GeometryDescription): boolean => shape.type === 'cylinder' && (shape.length ?? 0) < 2.6 * (shape.radius ?? 0);

/** Capsule from a to b in a link's frame. */
function along(a: Vec3, b: Vec3): Matrix4 {
  const d = new Vector3(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
  const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), d.clone().normalize());
  return new Matrix4().compose(new Vector3((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2), turn, new Vector3(1, 1, 1));
}

export function parts(model: ModelDescription, store: ShapeStore, meshOf: MeshOf = () => null): Part[] {
  const robot = isRobot(model);
  // A figure has balls; what has hinges and slides alone (a PR2) is a machine, however many it has.
  const machine = robot || (!model.planar && model.joints.every((j) => j.nv <= 1 || j.parent < 0));
  const out: Part[] = [];
  const bare = new Set<number>();
  model.links.forEach((link, i) => {
    const before = out.length;
    for (const shape of link.geometry) {
      if (shape.collision) continue;
      const geometry = ownShape(shape, store, meshOf);
      if (!geometry) continue;
      const dark = shape.color && shape.color[0] + shape.color[1] + shape.color[2] < 1.2;
      out.push({
        link: i,
        geometry,
        matrix: new Matrix4().fromArray(shape.placement),
        finish: robot ? (dark || isHousing(shape) ? 'housing' : 'shell') : 'figure',
        paint: paintOf(shape.color),
      });
    }
    if (out.length === before) bare.add(i);
  });
  const sizes = model.links.filter((l) => l.parent >= 0).map((l) => len(placementOf(model, l.joint)));
  const typical = Math.max(...sizes, 1e-9);
  for (const i of bare) {
    for (const child of model.links[i]!.children) {
      const at = placementOf(model, model.links[child]!.joint);
      const length = len(at);
      if (length < model.reach * 1e-5 || standsApart(model, child)) continue;
      if (!machine && HEAD.test(model.links[i]!.name) && model.links[i]!.children.length === 1) {
        const up: Vec3 = [at[0] / length, at[1] / length, at[2] / length];
        const tall = 0.12 * typical;
        const middle = 0.17 * typical;
        out.push({ link: i, geometry: store.capsule(0.16 * typical, tall), matrix: along([up[0] * (middle - tall / 2), up[1] * (middle - tall / 2), up[2] * (middle - tall / 2)], [up[0] * (middle + tall / 2), up[1] * (middle + tall / 2), up[2] * (middle + tall / 2)]), finish: 'figure' });
        continue;
      }
      const radius = machine ? robotRadius(model, i, length) : figureRadius(model.links[i]!.name, length, typical);
      out.push({ link: i, geometry: store.capsule(radius, length), matrix: along([0, 0, 0], at), finish: robot ? 'shell' : 'figure' });
    }
    const joint = model.joints[model.links[i]!.joint];
    if (robot && joint && joint.nv === 1 && joint.units[0] === 'angle') {
      const bones = [len(placementOf(model, model.links[i]!.joint)), ...model.links[i]!.children.map((c) => len(placementOf(model, model.links[c]!.joint)))].filter((l) => l > model.reach * 1e-5);
      const radius = 1.15 * Math.max(model.reach * 0.004, ...bones.map((l) => robotRadius(model, i, l)));
      out.push({ link: i, geometry: store.cylinder(radius, radius * 2.1), matrix: along([-joint.axis[0], -joint.axis[1], -joint.axis[2]], joint.axis), finish: 'housing' });
    }
  }
  return out;
}

/** Half the thickness of a machine's link without a shape: an eighth of its length, no more than half way to the next bone that
 *  leaves the same joint, and 60 mm (of something that is not in metres: 6 % of it). */
function robotRadius(model: ModelDescription, link: number, length: number): number {
  const ends = model.links[link]!.children.map((c) => placementOf(model, model.links[c]!.joint)).filter((p) => len(p) > model.reach * 1e-5);
  let apart = Infinity;
  for (let a = 0; a < Math.min(ends.length, 12); a++) for (let b = 0; b < a; b++) apart = Math.min(apart, Math.hypot(ends[a]![0] - ends[b]![0], ends[a]![1] - ends[b]![1], ends[a]![2] - ends[b]![2]));
  return Math.max(model.reach * 0.004, Math.min(0.12 * length, apart / 2, 0.06 * (model.reach > 0.2 && model.reach < 20 ? 1 : model.reach)));
}

const HEAD = /head$/i;
const TRUNK = /spine|back|chest|thorax|torso|abdomen|lumbar/i;
/** Half the thickness of a bone without a shape: a figure's trunk is thick, the rest goes with its length. */
function figureRadius(name: string, length: number, typical: number): number {
  return TRUNK.test(name) && !/shoulder|clavicle|collar/i.test(name) && length > 0.1 * typical ? 0.2 * typical : Math.min(length * 0.19, typical * 0.12);
}

function placementOf(model: ModelDescription, joint: number): Vec3 {
  const m = model.joints[joint]!.placement;
  return [m[12]!, m[13]!, m[14]!];
}
