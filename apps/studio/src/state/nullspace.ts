// The null space of the goals: how many independent motions leave them alone, named after the joint
// that takes most part, and a jog along one of them.
import { studio } from './studio.svelte';

export interface NullSpace {
  count: number;
  /** Dimensions at an ordinary pose: degrees of freedom minus rows. */
  usual: number;
  labels: string[];
  basis: Float64Array;
  rows: number;
}

export function nullDirections(): NullSpace | null {
  const rig = studio.rig;
  if (!rig || studio.scene.goals.length === 0) return null;
  const basis = rig.figure.nullSpace();
  const goalRows = studio.scene.goals.reduce((n, g) => n + (g.usePosition ? (rig.model.planar ? 2 : 3) : 0) + (g.useRotation ? 3 : 0), 0);
  const labels = Array.from({ length: basis.columns }, (_, c) => {
    let best = 0;
    for (let r = 1; r < basis.rows; r++) if (Math.abs(basis.data[c * basis.rows + r]!) > Math.abs(basis.data[c * basis.rows + best]!)) best = r;
    const joint = rig.model.joints.find((j) => best >= j.v && best < j.v + j.nv && !j.mimic);
    return joint ? `Mostly ${joint.name}` : `Direction ${c + 1}`;
  });
  return { count: basis.columns, usual: Math.max(0, rig.model.nv - goalRows), labels, basis: basis.data, rows: basis.rows };
}

/** From a start pose, `amount` radians along direction i in small steps, the goals held at each. */
export function jog(start: number[], direction: number, amount: number): void {
  const rig = studio.rig;
  if (!rig) return;
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
  studio.report = rig.measure();
  studio.scene = { ...studio.scene, q: Array.from(rig.q) };
  studio.tick++;
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
