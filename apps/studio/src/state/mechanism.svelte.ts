// A model with loops, turned by one of its joints. The core drives it, finds where it stops and why, and all ways to put it
// together; this keeps what the page shows of that: the stroke (every pose from one end to the other), paths of points, playing.
import type { AssemblyModes, Mechanism } from '@armature';
import { mistake, type Rig } from '../core/core';
import { formatAngle, formatLength, scientific } from '../logic/numbers';
import type { Vec3 } from '../logic/scene';
import { poseIndex, strokeOf, turnedInto, type Stop, type Stroke } from '../logic/stroke';
import { apply } from '../logic/vec';
import { studio } from './studio.svelte';

export interface PathPoint {
  link: string;
  /** In the link's frame. */
  at: Vec3;
}
interface Paths {
  /** Over the stroke, and over the whole circuit: the other mode's too. */
  stroke: Vec3[];
  circuit: Vec3[];
}

const MOST_PATHS = 4;
/** Beyond this the search for all modes would hold the page: it is asked for by a button. */
const FEW_JOINTS = 12;

class MechanismState {
  drive = $state('');
  /** Radians, or sizes of the model, per second. */
  speed = $state(Math.PI / 3);
  ends = $state<'back' | 'stop'>('back');
  playing = $state(false);
  points = $state.raw<PathPoint[]>([]);
  /** Why the drive did not get to where it was asked to go. */
  stopped = $state.raw<Stop | null>(null);
  private rig: Rig | null = null;
  private kept: { stroke: Stroke | null; joint: string } = { stroke: null, joint: '' };
  private paths = new Map<PathPoint, Paths>();
  private circuits: Float64Array[] | null = null;
  private forward = 1;
  private last = 0;
  private request = 0;

  get active(): boolean {
    return (studio.model?.closures.length ?? 0) > 0;
  }
  /** Joints of one coordinate, those of the model's drives first. */
  get choices(): string[] {
    const model = studio.model;
    if (!model) return [];
    const single = model.joints.filter((j) => j.nv === 1 && !j.mimic).map((j) => j.name);
    return [...model.drives.filter((d) => single.includes(d)), ...single.filter((d) => !model.drives.includes(d))];
  }
  get joint(): string {
    return this.choices.includes(this.drive) ? this.drive : (this.choices[0] ?? '');
  }
  get angle(): boolean {
    return studio.model?.joints[studio.rig?.joint(this.joint) ?? -1]?.units[0] !== 'length';
  }
  get value(): number {
    void studio.tick;
    const joint = studio.model?.joints[studio.rig?.joint(this.joint) ?? -1];
    return joint ? (studio.rig!.q[joint.q] ?? 0) : 0;
  }
  text(value: number): string {
    return this.angle ? formatAngle(value, 'deg') : formatLength(value, studio.style);
  }

  /** What the core says about it here; at rest only. */
  facts = $derived.by<Mechanism | null>(() => {
    void studio.tick;
    if (!this.active || studio.gesture !== null || this.playing) return this.lastFacts;
    return (this.lastFacts = studio.rig!.core.mechanism(studio.scene.q, { drives: this.joint ? [this.joint] : [] }));
  });
  private lastFacts: Mechanism | null = null;

  /** Poses from one end to the other, through the shown one. Made anew when the shown pose is not among them. */
  stroke = $derived.by<Stroke | null>(() => {
    void studio.tick;
    const rig = studio.rig;
    if (!rig || !this.active || !this.joint) return null;
    if (rig !== this.rig) this.begin(rig);
    const { stroke } = this.kept;
    if (stroke && this.kept.joint === this.joint && (this.playing || this.holds(stroke, rig))) return stroke;
    if (studio.gesture !== null && stroke) return stroke;
    this.paths.clear();
    this.circuits = null;
    try {
      this.kept = { stroke: strokeOf(rig.core, this.joint, poseIndex(rig.model, this.joint), this.angle, studio.scene.q), joint: this.joint };
    } catch (error) {
      this.kept = { stroke: null, joint: this.joint };
      void mistake(error);
    }
    return this.kept.stroke;
  });

  private begin(rig: Rig): void {
    this.rig = rig;
    this.kept = { stroke: null, joint: '' };
    const effector = rig.model.effectors[0];
    this.points = effector === undefined || rig.model.mobility > 1 ? [] : [{ link: rig.model.links[effector]!.name, at: [0, 0, 0] }];
  }
  private holds(stroke: Stroke, rig: Rig): boolean {
    const at = this.poseAt(stroke, this.value, false);
    return rig.core.difference(at, studio.scene.q).every((d) => Math.abs(this.angle ? Math.sin(d / 2) : d) < 1e-3 * Math.max(1, rig.model.reach));
  }
  /** The pose of the stroke at a value of the drive, its loops closed exactly. */
  private poseAt(stroke: Stroke, value: number, exact = true): Float64Array {
    const core = studio.rig!.core;
    const { values, poses } = stroke;
    const v = stroke.full ? turnedInto(value, values[0]!) : Math.min(values[values.length - 1]!, Math.max(values[0]!, value));
    let i = values.findIndex((x) => x >= v);
    if (i <= 0) i = i === 0 ? 1 : values.length - 1;
    const [a, b] = [values[i - 1] ?? v, values[i] ?? v];
    const q = core.interpolate(poses[i - 1] ?? poses[i]!, poses[i]!, b > a ? (v - a) / (b - a) : 0);
    return exact ? core.assemble(q, [this.joint]).q : q;
  }

  modes = $derived.by<AssemblyModes | null>(() => {
    void studio.tick;
    const rig = studio.rig;
    if (!rig || !this.active) return null;
    if (studio.gesture !== null || this.playing) return this.lastModes;
    if (rig.model.nv > FEW_JOINTS && this.askedModes !== rig) return (this.lastModes = null);
    return (this.lastModes = rig.core.modes(studio.scene.q, { drives: this.joint ? [this.joint] : [], max_modes: 16 }));
  });
  private lastModes: AssemblyModes | null = null;
  private askedModes = $state.raw<Rig | null>(null);
  findModes(): void {
    this.askedModes = studio.rig;
  }
  takeMode(index: number): void {
    const q = this.modes?.q[index];
    if (!q) return;
    studio.begin(`assembly ${index + 1}`);
    studio.setPoseLive(q);
    studio.end();
  }

  closureError = $derived.by(() => {
    void studio.tick;
    const rig = studio.rig;
    if (!rig || !this.active) return 0;
    return rig.core.assemble(rig.q.slice(), rig.model.joints.filter((j) => j.nv > 0).map((j) => j.name)).closure_error;
  });

  choose(joint: string): void {
    this.drive = joint;
    this.stopped = null;
  }
  /** One frame of a drag of the slider, or a jump. */
  seek(value: number): void {
    const stroke = this.stroke;
    if (!stroke) return;
    const [low, high] = [stroke.values[0]!, stroke.values[stroke.values.length - 1]!];
    this.stopped = stroke.full ? null : value > high + 1e-9 ? (stroke.stops[1] ?? null) : value < low - 1e-9 ? (stroke.stops[0] ?? null) : null;
    studio.setPoseLive(this.poseAt(stroke, value), studio.rig!.joint(this.joint));
  }
  /** A joint that something else than the drive's panel moves: everything follows, and stops where loops stop it. */
  moveJoint(joint: string, value: number): void {
    const report = studio.rig!.core.drive({ joint, to: value, frames: 2, start: studio.scene.q });
    this.stopped = report.ok ? null : { value: report.stopped_at ?? report.value, q: report.stopped_q ?? report.q, message: report.message, links: report.in_line, other: report.other_drive, outcome: report.outcome };
    studio.setPoseLive(report.q, studio.rig!.joint(joint));
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }
  play(): void {
    if (!this.stroke || this.stroke.values.length < 2) return;
    this.stopped = null;
    this.playing = true;
    this.last = performance.now();
    this.request = requestAnimationFrame(this.frame);
  }
  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    cancelAnimationFrame(this.request);
    studio.sync();
    studio.changed();
  }
  /** Shows a value of the drive, as playing does; `pause` ends it. */
  turnTo(value: number): void {
    if (!this.stroke) return;
    this.playing = true;
    this.show(this.poseAt(this.stroke, value));
  }
  private frame = (now: number): void => {
    const { stroke } = this.kept;
    if (!this.playing || !stroke || !studio.rig) return;
    const step = Math.min(0.1, (now - this.last) / 1000) * this.speed * (this.angle ? 1 : (studio.model?.reach ?? 1) / 6);
    this.last = now;
    if (!document.hidden) this.advance(stroke, step);
    if (this.playing) this.request = requestAnimationFrame(this.frame);
  };
  private advance(stroke: Stroke, step: number): void {
    const [low, high] = [stroke.values[0]!, stroke.values[stroke.values.length - 1]!];
    let next = this.value + this.forward * step;
    if (!stroke.full && (next >= high || next <= low)) {
      next = Math.min(high, Math.max(low, next));
      this.forward = next >= high ? -1 : 1;
      if (this.ends === 'stop') {
        this.stopped = stroke.stops[next >= high ? 1 : 0] ?? null;
        this.show(this.poseAt(stroke, next));
        return this.pause();
      }
    }
    this.show(this.poseAt(stroke, next));
  }
  private show(q: Float64Array): void {
    studio.rig!.setPose(q);
    studio.scene = { ...studio.scene, q: Array.from(q) };
    studio.tick++;
  }

  addPoint(point: PathPoint): void {
    this.points = [...this.points.filter((p) => p.link !== point.link || p.at.some((x, i) => Math.abs(x - point.at[i]!) > 1e-9)), point].slice(-MOST_PATHS);
  }
  removePoint(index: number): void {
    this.points = this.points.filter((_, i) => i !== index);
  }
  pathOf(point: PathPoint): Paths {
    const rig = studio.rig!;
    const { stroke } = this;
    const known = this.paths.get(point);
    if (known || !stroke) return known ?? { stroke: [], circuit: [] };
    const link = rig.link(point.link);
    const keep = rig.q.slice();
    const trail = (poses: Float64Array[]): Vec3[] => poses.map((q) => {
      rig.setPose(q);
      return apply(rig.frames, point.at, 16 * link);
    });
    if (!this.circuits && !stroke.full) {
      const { clip } = rig.core.circuit(this.joint, Array.from(keep), { largest_step: 0.05 });
      this.circuits = Array.from({ length: clip.frames }, (_, f) => clip.frame(f));
    }
    const found = link < 0 ? { stroke: [], circuit: [] } : { stroke: trail(stroke.poses), circuit: trail(this.circuits ?? []) };
    rig.setPose(keep);
    this.paths.set(point, found);
    return found;
  }

  status(): { tone: 'ok' | 'warn' | 'info'; title: string; facts: string } {
    const { stopped } = this;
    if (this.playing) return { tone: 'info', title: 'Playing', facts: `${this.joint} ${this.text(this.value)}.` };
    if (stopped) return { tone: 'warn', title: stopped.outcome === 'dead_point' ? 'At a dead point' : stopped.outcome === 'limit' ? 'At a limit' : 'Stopped', facts: stopped.message };
    // A gap that no joint can change is not among the errors that closing tries to lessen.
    const error = Math.max(this.closureError, ...(this.facts?.never_close ?? []).map((n) => n.gap));
    if (error > 1e-9 * (studio.model?.reach ?? 1)) return { tone: 'warn', title: 'Does not close', facts: `the loops are ${formatLength(error, studio.style)} apart.` };
    const loops = studio.model!.closures.length;
    return { tone: 'ok', title: 'Closed', facts: `${loops === 1 ? 'one loop' : `${loops} loops`}, closure error ${error === 0 ? '0' : scientific(error)}; ${this.joint} ${this.text(this.value)}.` };
  }
}

export const mechanism = new MechanismState();
studio.moveInLoop = (joint, value) => mechanism.moveJoint(joint, value);
