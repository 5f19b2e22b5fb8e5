// One row per degree of freedom, whatever the joint: a revolute joint is one row, a ball joint three
// (a rotation vector against rest), a free joint six. Rows know how to read and write the pose.
import type { JointDescription, ModelDescription } from './model';
import type { Quat } from './scene';

export interface DofRow {
  id: string; // "joint" or "joint.x"
  joint: number;
  /** Index within the joint's coordinates (pose or rotation vector). */
  coordinate: number;
  /** Column in velocities, gains and the Jacobian. */
  v: number;
  name: string;
  unit: 'angle' | 'length' | '';
  lower: number;
  upper: number;
  mimic?: { name: string; multiplier: number; offset: number };
}

const AXES = ['x', 'y', 'z'];

/** A quaternion joint shows a rotation vector; the others show their own coordinates. */
export function isQuaternion(joint: JointDescription): boolean {
  return joint.nq === joint.nv + 1;
}

export function dofRows(model: ModelDescription): DofRow[] {
  const rows: DofRow[] = [];
  model.joints.forEach((joint, index) => {
    const mimic = joint.mimic
      ? { name: model.joints[joint.mimic.joint]?.name ?? '?', multiplier: joint.mimic.multiplier, offset: joint.mimic.offset }
      : undefined;
    for (let c = 0; c < joint.nv; c++) {
      const quaternion = isQuaternion(joint);
      const label = quaternion ? quaternionLabel(joint, c) : joint.nv > 1 ? joint.coordinates[c] || AXES[c] || String(c) : '';
      const shown = /^angle\d$/.test(label) ? AXES[c]! : label; // of a universal joint: a number says nothing
      const isLength = quaternion ? joint.nv === 6 && c < 3 : joint.units[c] === 'length';
      const limited = !quaternion || (joint.nv === 6 && c < 3);
      rows.push({
        id: label ? `${joint.name}.${label}` : joint.name,
        joint: index,
        coordinate: c,
        v: joint.v + c,
        name: shown ? `${joint.name} ${shown}` : joint.name,
        unit: isLength ? 'length' : 'angle',
        lower: limited ? (joint.lower[c] ?? -Infinity) : ballLimit(joint, c, -1),
        upper: limited ? (joint.upper[c] ?? Infinity) : ballLimit(joint, c, 1),
        ...(mimic ? { mimic } : {}),
      });
    }
  });
  return rows;
}

function quaternionLabel(joint: JointDescription, c: number): string {
  if (joint.nv === 6) return c < 3 ? AXES[c]! : `turn ${AXES[c - 3]}`;
  return AXES[c]!;
}

function ballLimit(joint: JointDescription, c: number, sign: number): number {
  const axis = joint.nv === 6 ? c - 3 : c;
  if (axis === 2 && joint.twist) return joint.twist[sign < 0 ? 0 : 1];
  if (axis !== 2 && joint.swing !== undefined && joint.swing < Math.PI) return sign * joint.swing;
  return sign * Math.PI;
}

/** Rotation vector of a unit quaternion (x, y, z, w), the short way round. */
export function rotationVector(q: Quat): [number, number, number] {
  const sign = q[3] < 0 ? -1 : 1;
  const s = Math.hypot(q[0], q[1], q[2]);
  if (s < 1e-12) return [2 * sign * q[0], 2 * sign * q[1], 2 * sign * q[2]];
  const angle = 2 * Math.atan2(s, sign * q[3]);
  const k = (sign * angle) / s;
  return [k * q[0], k * q[1], k * q[2]];
}

export function quaternionOf(v: [number, number, number]): Quat {
  const angle = Math.hypot(...v);
  const k = angle < 1e-9 ? 0.5 : Math.sin(angle / 2) / angle;
  return [k * v[0], k * v[1], k * v[2], Math.cos(angle / 2)];
}

export function readDof(row: DofRow, model: ModelDescription, q: ArrayLike<number>): number {
  const joint = model.joints[row.joint]!;
  if (!isQuaternion(joint)) return q[joint.q + row.coordinate] ?? 0;
  const offset = joint.nv === 6 ? 3 : 0;
  if (row.coordinate < offset) return q[joint.q + row.coordinate] ?? 0;
  const at = joint.q + offset;
  return rotationVector([q[at]!, q[at + 1]!, q[at + 2]!, q[at + 3]!])[row.coordinate - offset]!;
}

export function writeDof(row: DofRow, model: ModelDescription, q: Float64Array | number[], value: number): void {
  const joint = model.joints[row.joint]!;
  const offset = joint.nv === 6 ? 3 : 0;
  if (!isQuaternion(joint) || row.coordinate < offset) {
    q[joint.q + row.coordinate] = value;
    return;
  }
  const at = joint.q + offset;
  const v = rotationVector([q[at]!, q[at + 1]!, q[at + 2]!, q[at + 3]!]);
  v[row.coordinate - offset] = value;
  const quat = quaternionOf(v);
  for (let i = 0; i < 4; i++) q[at + i] = quat[i]!;
}

/** The chain of a link with its own limb first: the joints after the last link from which several moving branches go out, then the
 *  way from the root to there. */
export function limbFirst(model: ModelDescription, chain: number[]): number[] {
  const from = limbStart(model, chain);
  return from > 0 ? [...chain.slice(from), ...chain.slice(0, from)] : chain;
}
/** Only the joints of the limb itself. */
export const limbOnly = (model: ModelDescription, chain: number[]): number[] => chain.slice(limbStart(model, chain));

function limbStart(model: ModelDescription, chain: number[]): number {
  const moves = model.links.map(() => false);
  const forks = model.links.map(() => 0);
  for (let i = model.links.length - 1; i >= 0; i--) {
    const { parent, joint } = model.links[i]!;
    moves[i] ||= (model.joints[joint]?.nv ?? 0) > 0;
    if (parent >= 0 && moves[i]) {
      forks[parent]!++;
      moves[parent] = true;
    }
  }
  let from = 0;
  const inChain = new Set(chain);
  for (let at = model.joints[chain.at(-1) ?? -1]?.child ?? -1; at >= 0; at = model.links[at]!.parent) {
    const parent = model.links[at]!.parent;
    if (parent < 0 || forks[parent]! < 2) continue;
    // The first joint of the chain below the fork.
    from = chain.findIndex((j) => below(model, model.joints[j]!.child, at));
    if (from > 0 && inChain.size - from >= 3) break; // fingers of a hand are not a limb
    from = 0;
  }
  return Math.max(0, from);
}
function below(model: ModelDescription, link: number, above: number): boolean {
  for (let at = link; at >= 0; at = model.links[at]!.parent) if (at === above) return true;
  return false;
}

/** Joints on the way from the root to a link, outermost last. */
export function chainOf(model: ModelDescription, link: number): number[] {
  const out: number[] = [];
  for (let at = link; at >= 0; at = model.links[at]!.parent) {
    const joint = model.links[at]!.joint;
    if (joint >= 0 && (model.joints[joint]?.nv ?? 0) > 0) out.unshift(joint);
  }
  return out;
}
