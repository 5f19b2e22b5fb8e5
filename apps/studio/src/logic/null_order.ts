// Directions of the null space in an order people can use: those that move the limb in question most come first, each named after
// the joint that takes most part. Any orthonormal basis spans the same motions; this one is turned so that the limb is in front.

import { shortJoint } from './names';

/** A basis of `rows` x `columns`, column-major, as the core gives it. */
export interface Basis {
  rows: number;
  columns: number;
  data: Float64Array;
}

/** The same space, its directions sorted by how much of them lies in the chosen rows. */
export function turnedTo(basis: Basis, chosen: number[]): Basis {
  const { rows, columns: k, data } = basis;
  if (k < 2 || chosen.length === 0) return basis;
  const gram = Array.from({ length: k }, (_, a) => Array.from({ length: k }, (_, b) => chosen.reduce((sum, r) => sum + data[a * rows + r]! * data[b * rows + r]!, 0)));
  const { values, vectors } = eigen(gram);
  const order = values.map((_, i) => i).sort((a, b) => values[b]! - values[a]!);
  const out = new Float64Array(rows * k);
  order.forEach((v, c) => {
    for (let a = 0; a < k; a++) for (let r = 0; r < rows; r++) out[c * rows + r]! += vectors[a]![v]! * data[a * rows + r]!;
  });
  return { rows, columns: k, data: out };
}

/** Eigenvalues and vectors (as columns) of a symmetric matrix, by Jacobi's rotations. */
function eigen(matrix: number[][]): { values: number[]; vectors: number[][] } {
  const n = matrix.length;
  const a = matrix.map((row) => [...row]);
  const v: number[][] = a.map((_, i) => a.map((_, j) => (i === j ? 1 : 0)));
  for (let sweep = 0; sweep < 30; sweep++) {
    let off = 0;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) off += a[p]![q]! ** 2;
    if (off < 1e-22) break;
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        if (Math.abs(a[p]![q]!) < 1e-300) continue;
        const theta = (a[q]![q]! - a[p]![p]!) / (2 * a[p]![q]!);
        const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.hypot(theta, 1));
        const c = 1 / Math.hypot(t, 1);
        const s = t * c;
        for (let i = 0; i < n; i++) [a[i]![p], a[i]![q]] = [c * a[i]![p]! - s * a[i]![q]!, s * a[i]![p]! + c * a[i]![q]!];
        for (let i = 0; i < n; i++) [a[p]![i], a[q]![i]] = [c * a[p]![i]! - s * a[q]![i]!, s * a[p]![i]! + c * a[q]![i]!];
        for (let i = 0; i < n; i++) [v[i]![p], v[i]![q]] = [c * v[i]![p]! - s * v[i]![q]!, s * v[i]![p]! + c * v[i]![q]!];
      }
    }
  }
  return { values: a.map((row, i) => row[i]!), vectors: v };
}

/** What a joint's motion is called: words people use where the name gives them away, else the joint itself. */
export function motionName(joint: { name: string; nv: number }, floating: boolean, short: string): string {
  if (floating) return 'Drift of body';
  if (/spine|lumbar|thorac|abdomen|torso|chest|waist/i.test(joint.name)) return 'Lean of spine';
  const twist = /^(.*?)_?twist/i.exec(short)?.[1];
  return twist ? `Twist of ${twist}` : `Mostly ${shortJoint(short)}`;
}
