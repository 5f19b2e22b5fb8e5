// The null space of the goals: how many independent motions leave them alone, named after the degree of freedom that takes most
// part, a jog along one of them, and the poses that it leads through.
import { dofRows } from '../logic/dof';
import { withoutPrefix } from '../logic/names';
import { player } from './player.svelte';
import { studio } from './studio.svelte';

export interface NullSpace {
  count: number;
  /** Dimensions at an ordinary pose: degrees of freedom minus rows. */
  usual: number;
  labels: string[];
  basis: Float64Array;
  rows: number;
}

/** Beyond this a decomposition would hold the page, and nobody would choose among so many directions. */
const MOST_DOF = 400;

export function nullDirections(): NullSpace | null {
  const rig = studio.rig;
  if (!rig || studio.scene.goals.length === 0 || rig.model.nv > MOST_DOF) return null;
  const basis = rig.figure.nullSpace();
  const goalRows = studio.scene.goals.reduce((n, g) => n + (g.usePosition ? (rig.model.planar ? 2 : 3) : 0) + (g.useRotation ? 3 : 0), 0);
  // An arm of seven joints that holds its hand has one motion left, and people have a name for it.
  const only = studio.scene.goals.length === 1 ? studio.scene.goals[0] : undefined;
  const swivel = basis.columns === 1 && only?.usePosition && only.useRotation && !rig.model.planar;
  const rows = dofRows(rig.model).filter((row) => !row.mimic);
  const names = withoutPrefix(rows.map((row) => row.name));
  const taken = new Set<string>();
  const labels = Array.from({ length: basis.columns }, (_, c) => {
    if (swivel) return 'Elbow swivel';
    const share = (r: number) => Math.abs(basis.data[c * basis.rows + r]!);
    const order = rows.map((_, i) => i).sort((a, b) => share(rows[b]!.v) - share(rows[a]!.v));
    const label = names[order.find((i) => !taken.has(names[i]!)) ?? -1] ?? `Direction ${c + 1}`;
    taken.add(label);
    return label;
  });
  return { count: basis.columns, usual: Math.max(0, rig.model.nv - goalRows), labels, basis: basis.data, rows: basis.rows };
}

export const JOG_MOST = 1.2; // radians either way

/** From a start pose, `amount` radians along direction i in small steps, the goals held at each. */
export function jog(start: number[], direction: number, amount: number): void {
  const rig = studio.rig;
  if (!rig) return;
  walk(start, direction, amount);
  studio.report = rig.measure();
  studio.scene = { ...studio.scene, q: Array.from(rig.q) };
  studio.tick++;
}

let range: { of: string; poses: number[][] } = { of: '', poses: [] };
/** Poses along a direction, both ways; while something moves, those of the last rest. */
export function rangePoses(direction: number): number[][] {
  const of = `${studio.tick}:${direction}`;
  if (studio.gesture !== null || player.playing || range.of === of || !studio.rig) return range.poses;
  const start = [...studio.scene.q];
  const poses = studio.scene.goals.length === 0 ? [] : [-1, -0.5, 0.5, 1].map((part) => {
    walk(start, direction, part * JOG_MOST);
    return Array.from(studio.rig!.q);
  });
  studio.rig.setPose(start);
  range = { of, poses };
  return poses;
}

function walk(start: number[], direction: number, amount: number): void {
  const rig = studio.rig!;
  rig.setPose(start);
  const first = rig.figure.nullSpace();
  if (direction >= first.columns) return;
  let heading = first.data.slice(direction * first.rows, (direction + 1) * first.rows);
  const steps = Math.max(1, Math.ceil(Math.abs(amount) / 0.08));
  for (let s = 0; s < steps; s++) {
    rig.figure.integrate(heading, amount / steps);
    rig.figure.clamp();
    rig.solve();
    heading = project(heading, rig.figure.nullSpace());
  }
  rig.figure.forward();
}

/** The heading as far as it lies in the null space now, at unit length. */
function project(v: Float64Array, space: { rows: number; columns: number; data: Float64Array }): Float64Array<ArrayBuffer> {
  const out = new Float64Array(space.rows);
  for (let c = 0; c < space.columns; c++) {
    let dot = 0;
    for (let r = 0; r < space.rows; r++) dot += v[r]! * space.data[c * space.rows + r]!;
    for (let r = 0; r < space.rows; r++) out[r]! += dot * space.data[c * space.rows + r]!;
  }
  const norm = Math.hypot(...out) || 1;
  return out.map((x) => x / norm);
}
