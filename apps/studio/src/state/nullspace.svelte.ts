// The null space of the goals: how many independent motions leave them alone, those of the active limb first, named after the joint
// that takes most part, a jog along one of them, and the poses that it leads through.
import { limbOnly } from '../logic/dof';
import { limbOf } from '../logic/limb';
import { withoutPrefix } from '../logic/names';
import { motionName, turnedTo, type Basis } from '../logic/null_order';
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
  const basis = directions();
  const goalRows = studio.scene.goals.reduce((n, g) => n + (g.usePosition ? (rig.model.planar ? 2 : 3) : 0) + (g.useRotation ? 3 : 0), 0);
  const { joints } = rig.model;
  const owner = new Int32Array(rig.model.nv);
  joints.forEach((joint, j) => owner.fill(j, joint.v, joint.v + joint.nv));
  const names = withoutPrefix(joints.map((joint) => joint.name));
  const elbow = swivelJoint();
  const taken = new Set<string>();
  const labels = Array.from({ length: Math.min(basis.columns, NAMED) }, (_, c) => {
    const part = joints.map(() => 0);
    for (let r = 0; r < basis.rows; r++) part[owner[r]!]! += basis.data[c * basis.rows + r]! ** 2;
    const order = joints.map((_, j) => j).filter((j) => joints[j]!.nv > 0 && !joints[j]!.mimic).sort((a, b) => part[b]! - part[a]!);
    const called = (j: number) => motionName(joints[j]!, joints[j]!.nv === 6 && rig.model.links[joints[j]!.child]!.parent < 0, names[j]!);
    const swivel = elbow >= 0 ? `Swivel of ${names[elbow]}` : '';
    const label = swivel && !taken.has(swivel) ? swivel : (order.map(called).find((name) => !taken.has(name)) ?? `Direction ${c + 1}`);
    taken.add(label);
    return label;
  });
  return { count: basis.columns, usual: Math.max(0, rig.model.nv - goalRows), labels, basis: basis.data, rows: basis.rows };
}
/** Directions that get a name: more are never shown. */
const NAMED = 8;

/** The null space here, turned to the limb of the active goal. */
function directions(): Basis {
  const rig = studio.rig!;
  const limb = limbOnly(rig.model, studio.chain);
  return turnedTo(rig.scene.nullSpace(), limb.flatMap((j) => Array.from({ length: rig.model.joints[j]!.nv }, (_, c) => rig.model.joints[j]!.v + c)));
}

/** The elbow or knee that circles the line from the limb's root to its end, when the goal holds the end in place and turned:
 *  then this is the one motion that is left to the limb. -1 otherwise. */
function swivelJoint(): number {
  const rig = studio.rig!;
  const goal = studio.selectedGoal;
  const link = goal?.usePosition && goal.useRotation && !rig.model.planar ? rig.link(goal.link) : -1;
  const limb = link >= 0 ? limbOf(rig.model, rig.frames, link) : null;
  return limb ? rig.model.links[limb.middle]!.joint : -1;
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

/** The free stretch of a direction from a pose: as far as the goals stay held and no limit stops the joints. */
function freeStretch(start: number[], direction: number): [number, number] | null {
  const rig = studio.rig!;
  let [spent, late] = [0, false];
  const end = (sign: number): number => {
    rig.setPose(start);
    const first = directions();
    if (direction >= first.columns) return 0;
    let heading = first.data.slice(direction * first.rows, (direction + 1) * first.rows);
    let amount = 0;
    for (; Math.abs(amount) < JOG_MOST; amount += sign * STEP) {
      late ||= spent > STRETCH_MS;
      if (late) break;
      const from = performance.now();
      const before = Array.from(rig.q);
      rig.scene.integrate(heading, sign * STEP);
      rig.scene.clamp();
      const held = rig.solve(STEP_SECONDS).goals.every((g) => g.reached);
      const moved = Math.hypot(...rig.core.difference(before, rig.q));
      spent += Math.min(2e3 * STEP_SECONDS, performance.now() - from); // what another program took meanwhile is not the step's
      if (!held || moved < 0.5 * STEP) break;
      heading = project(heading, rig.scene.nullSpace());
    }
    return Math.abs(amount) > JOG_MOST ? sign * JOG_MOST : amount;
  };
  const found: [number, number] = [end(-1), end(1)];
  rig.setPose(start);
  return late ? null : found;
}
const STEP = 0.05;
/** Seconds of a solve on the way, and milliseconds for a direction: beyond, its stretch is not shown. */
const STEP_SECONDS = 0.003;
const STRETCH_MS = 60;

class Stretches {
  /** The tick that the list belongs to. */
  of = $state(-1);
  list = $state.raw<([number, number] | null)[]>([]);
  pending = false;
  private timer = 0;

  /** One direction at a time, so that none holds the page for long. Returns how to stop. */
  find(tick: number, count: number): () => void {
    if (this.of === tick && this.list.length >= count) return () => {};
    const found: ([number, number] | null)[] = [];
    this.pending = true;
    const next = (): void => {
      if (!studio.rig || studio.tick !== tick || studio.mode !== 'pose') {
        this.pending = false;
        return;
      }
      found.push(freeStretch([...studio.scene.q], found.length));
      if (found.length < count) this.timer = window.setTimeout(next, 30);
      else {
        this.pending = false;
        this.list = found;
        this.of = tick;
      }
    };
    this.timer = window.setTimeout(next, 250);
    return () => {
      clearTimeout(this.timer);
      this.pending = false;
    };
  }
}
export const stretches = new Stretches();

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
  const first = directions();
  if (direction >= first.columns) return;
  let heading = first.data.slice(direction * first.rows, (direction + 1) * first.rows);
  const steps = Math.max(1, Math.ceil(Math.abs(amount) / 0.08));
  for (let s = 0; s < steps; s++) {
    rig.scene.integrate(heading, amount / steps);
    rig.scene.clamp();
    rig.solve();
    heading = project(heading, rig.scene.nullSpace());
  }
  rig.scene.forward();
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
