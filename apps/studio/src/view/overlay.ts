// Everything drawn over the figure: bones, goals, residual lines, limit arcs, pole, ghosts, trails,
// change vectors, compare ghosts. One function from what is shown to a string of SVG; no state.
import type { TraceStep } from '@armature';
import type { GoalFacts } from '../core/core';
import type { ModelDescription } from '../logic/model';
import type { Camera } from '../logic/camera';
import { isQuaternion } from '../logic/dof';
import { limbOf } from '../logic/limb';
import { columnToken, methodLook } from '../logic/methods';
import type { AngleUnit, LengthStyle } from '../logic/numbers';
import { fixed, formatAngle, formatLength, significant } from '../logic/numbers';
import { residual } from '../logic/residual';
import type { SceneGoal, Vec3 } from '../logic/scene';
import { add, dist, mul, origin, sub, unit } from '../logic/vec';
import { coneArc, coneAxis, ellipsoid, limitArc, ring } from './arcs';
import { bars, flatBody } from './planar';
import { arrow, circle, disc, label, line, marker, path, polyline, stadium, type Point } from './svg';

export interface OverlayInput {
  camera: Camera;
  model: ModelDescription;
  frames: ArrayLike<number>;
  q: ArrayLike<number>;
  goals: SceneGoal[];
  links: number[]; // link of each goal
  report: { outcome: string; goals: GoalFacts[] } | null;
  tolerance: number;
  style: LengthStyle;
  units: AngleUnit;
  chain: number[];
  activeGoal: string | null;
  selectedJoint: number;
  selectedLink: number;
  hoverLink: number;
  show: Record<string, boolean>;
  dragging: boolean;
  /** Frames at drag start and the effector's way since. */
  ghost: ArrayLike<number> | null;
  trail: Vec3[];
  /** Angular axes of the chain's columns, from the Jacobian of the chain's link (6 per column). */
  /** Limits of a joint while they are pulled. */
  pulled?: { joint: string; lower: number; upper: number } | null;
  jacobian: Float64Array | null;
}

const RAISED = 'var(--surface-raised)';

export function bones(input: OverlayInput): string {
  const { model, frames, camera, chain } = input;
  const inChain = new Set(chain.map((j) => model.joints[j]!.child));
  let quiet = '';
  let lit = '';
  let rings = '';
  let dots = '';
  const drawn = new Set<string>();
  const children = new Set(input.links.filter((_, i) => input.goals[i]?.id === input.activeGoal));
  for (const bar of bars(model, frames)) {
    const a = camera.project(bar.from);
    const b = camera.project(bar.to);
    const end = model.links.findIndex((l, i) => l.parent === bar.link && dist(origin(frames, i), bar.to) < 1e-9);
    const on = inChain.has(bar.link) && (inChain.has(end) || children.has(end) || leadsTo(model, end, inChain, children));
    if (on) lit += line(a, b, { color: 'var(--accent)', width: 2.2, cap: 'round' });
    else quiet += line(a, b, { color: 'var(--bone)', width: 1.3, opacity: 0.45 });
    const key = `${Math.round(a.x)},${Math.round(a.y)}`;
    if (!drawn.has(key)) {
      drawn.add(key);
      if (on) rings += circle(a, 4, { color: 'var(--accent)', width: 2, fill: RAISED });
      else dots += circle(a, 2.6, { color: 'var(--bone)', width: 1, fill: 'var(--fig-hi)', opacity: 0.8 });
    }
  }
  return quiet + dots + lit + rings;
}

function leadsTo(model: ModelDescription, link: number, chain: Set<number>, ends: Set<number>): boolean {
  if (link < 0) return false;
  for (const end of [...ends, ...chain]) for (let at = end; at >= 0; at = model.links[at]!.parent) if (at === link) return true;
  return false;
}

/** Ring, halo, residual line and label of each visible goal. Pinned ones are ovals on the ground. */
export function goals(input: OverlayInput): string {
  const { camera, report } = input;
  let out = '';
  input.goals.forEach((g, i) => {
    if (!g.visible || input.links[i]! < 0) return;
    const at = camera.project(g.position);
    const tip = camera.project(origin(input.frames, input.links[i]!));
    const facts = report?.goals[i];
    const error = facts?.position_error ?? 0;
    const turn = facts?.orientation_error ?? 0;
    const step = residual(facts?.reached ? 0 : Math.max(error, g.useRotation ? turn * input.model.reach * 0.1 : 0), input.tolerance);
    const color = `var(${step.token})`;
    const active = g.id === input.activeGoal;
    if (g.pinned) {
      out += ring(g.position, input.model.up === 'y' ? [0, 1, 0] : [0, 0, 1], 20 / camera.pixelsPerUnit(g.position), camera, color, 1.8);
      return;
    }
    if (step.level > 0 && g.usePosition) {
      out += line(tip, at, { color, width: 2.6, dash: step.dash, cap: 'butt' }) + disc(tip, 4, color);
    }
    out += disc(at, 17, color, 0.14);
    if (input.model.planar) out += path(`M${at.x - 14} ${at.y}h28M${at.x} ${at.y - 14}v28`, { color, width: 1.3 });
    out += circle(at, 9, { color, width: 2.4, fill: RAISED }) + (input.model.planar ? '' : disc(at, 3, color));
    const word = step.level === 0 ? `${g.id} ${formatLength(error, input.style)}` : `${g.id} ${formatLength(error, input.style)}${report?.outcome === 'converged' ? '' : ' short'}`;
    const text = input.model.planar && !active ? g.id : word;
    if (input.model.planar) {
      const digits = Math.max(0, Math.floor(Math.log10(camera.pixelsPerUnit() / 2))); // to about a pixel
      const name = `${g.id} (${fixed(g.position[0], digits)}, ${fixed(g.position[1], digits)})`;
      const left = active && at.x - 24 > textWidth(name); // of the gizmo's arrow, else below it
      out += label(left ? { x: at.x - 16, y: at.y - 20 } : { x: at.x, y: at.y + (active ? 34 : -24) }, name, { anchor: left ? 'end' : 'middle' });
    } else if (camera.width >= 600 || step.level > 0) { // a narrow view leaves what is reached to the list of goals
      const left = sideOf(camera, at, text, tip.x >= at.x - 1 && active);
      const below = active && !left ? 26 : 0; // clear of the gizmo's arrow
      const place = keepInside(camera, { x: at.x + (left ? -24 : 22), y: at.y + 4 + below }, text, left);
      out += label(place, text, { anchor: left ? 'end' : 'start' });
    }
    if (g.pole) out += pole(input, g, i);
  });
  return out;
}

/** About 6.4 px a letter. */
const textWidth = (text: string): number => text.length * 6.4;

/** Whether a label goes left of its point: as wished, unless only the other side has room for it. */
function sideOf(camera: Camera, at: Point, text: string, left: boolean): boolean {
  const roomLeft = at.x - 24 - camera.inset.left >= textWidth(text);
  const roomRight = camera.width - 8 - at.x - 22 >= textWidth(text);
  return left ? roomLeft || !roomRight : !roomRight && roomLeft;
}

/** A label's place, moved so that its text stays in the free part of the view. */
function keepInside(camera: Camera, at: Point, text: string, ends: boolean): Point {
  const long = textWidth(text);
  const [from, to] = [camera.inset.left + (ends ? long : 0), camera.width - 8 - (ends ? 0 : long)];
  return { x: Math.max(from, Math.min(to, at.x)), y: at.y };
}

function pole(input: OverlayInput, g: SceneGoal, i: number): string {
  const { camera, model, frames } = input;
  const at = camera.project(g.pole!);
  const limb = limbOf(model, frames, input.links[i]!);
  const elbow = origin(frames, limb ? limb.middle : input.links[i]!);
  const e = camera.project(elbow);
  return (
    line(at, e, { color: 'var(--pole)', width: 1.3, dash: '2 3' }) +
    path(`M${at.x} ${at.y - 6}L${at.x + 6} ${at.y}L${at.x} ${at.y + 6}L${at.x - 6} ${at.y}Z`, { color: 'var(--pole)', width: 1.6, fill: RAISED }) +
    label({ x: at.x + 11, y: at.y + 4 }, 'pole', { quiet: true })
  );
}

export function limitArcs(input: OverlayInput): string {
  const { model, frames, camera, jacobian } = input;
  if (!jacobian) return '';
  const selected = input.selectedJoint;
  const list = new Set(input.show.limits ? input.chain : []);
  if (selected >= 0 && input.show.limits) list.add(selected);
  const few = model.joints.filter((j) => j.nv > 0).length <= 12;
  let out = '';
  let top = '';
  for (const index of list) {
    const joint = model.joints[index]!;
    if (joint.mimic || (index !== selected && !few)) continue;
    const center = origin(frames, joint.child);
    const next = model.links[joint.child]!.children[0];
    const before = joint.parent >= 0 ? origin(frames, joint.parent) : center;
    const after = next !== undefined ? origin(frames, next) : center;
    const lengths = [dist(center, before), dist(center, after)].filter((l) => l > 1e-6 * model.reach);
    // Offsets between the frames of one joint are no links.
    const links = lengths.filter((l) => l > 0.12 * model.reach);
    const neighbour = links.length ? Math.min(...links) : lengths.length ? Math.max(...lengths) : model.reach * 0.12;
    const toward = dist(center, after) > 1e-6 * model.reach ? sub(after, center) : sub(center, before);
    if (isQuaternion(joint)) {
      const swing = input.pulled?.joint === joint.name ? input.pulled.upper : (joint.swing ?? Math.PI);
      if (swing < 3.1 && index === selected) top += coneArc(center, coneAxis(joint, frames), toward, swing, neighbour, camera, true);
      continue;
    }
    for (let c = 0; c < joint.nv; c++) {
      if (joint.units[c] !== 'angle' || (joint.nv > 1 && index !== selected)) continue;
      const k = 6 * (joint.v + c);
      const axis = unit([jacobian[k + 3]!, jacobian[k + 4]!, jacobian[k + 5]!]);
      if (axis[0] === 0 && axis[1] === 0 && axis[2] === 0) continue;
      const value = input.q[joint.q + c]!;
      const pulled = input.pulled?.joint === joint.name ? input.pulled : null;
      const lower = pulled?.lower ?? joint.lower[c]!;
      const upper = pulled?.upper ?? joint.upper[c]!;
      const atLimit = value <= lower + 1e-6 || value >= upper - 1e-6;
      const arc = limitArc(
        { name: joint.nv > 1 ? `${joint.name} ${joint.coordinates[c]}` : joint.name, center, axis, toward, value, lower, upper, neighbour: neighbour * (1 - 0.18 * c), selected: index === selected, atLimit },
        camera,
        input.units,
      );
      if (index === selected) top += arc;
      else out += arc;
    }
  }
  return out + top;
}

/** Dashed outline of the chain where the drag began, and the effector's way since. */
export function dragMemory(input: OverlayInput): string {
  const { model, camera, ghost } = input;
  let out = '';
  if (ghost) {
    const scale = camera.pixelsPerUnit();
    const moved = new Set(input.chain.map((j) => model.joints[j]!.child));
    for (const bar of bars(model, ghost)) {
      if (!moved.has(bar.link)) continue;
      const r = Math.min(16, Math.max(3, 0.16 * dist(bar.from, bar.to) * scale));
      out += path(stadium(camera.project(bar.from), camera.project(bar.to), r, r * 0.85), { color: 'var(--ghost)', width: 1.1, dash: '4 3', fill: 'var(--ghost)', fillOpacity: 0.12, opacity: 0.8 });
    }
  }
  const points = input.trail;
  points.forEach((p, i) => (out += disc(camera.project(p), 2, 'var(--accent)', 0.25 + (0.65 * i) / Math.max(1, points.length))));
  return out;
}

/** Pixels of a trail that are dotted: browsers take seconds for the dots of a line that goes to and fro a thousand times. */
const MOST_DOTTED = 8000;
export function trailLine(points: Vec3[], camera: Camera): string {
  const at = points.map((p) => camera.project(p)).filter((p) => p.visible);
  const length = at.reduce((sum, p, i) => sum + (i ? Math.hypot(p.x - at[i - 1]!.x, p.y - at[i - 1]!.y) : 0), 0);
  return polyline(at, { color: 'var(--accent)', width: length < MOST_DOTTED ? 1.6 : 0.7, ...(length < MOST_DOTTED ? { dash: '1 5', cap: 'round' } : { opacity: 0.5 }) });
}

export function frameAxes(input: OverlayInput): string {
  const { camera, frames, model } = input;
  let out = '';
  const size = 22 / camera.pixelsPerUnit();
  for (let i = 0; i < model.links.length; i++) {
    const o = origin(frames, i);
    const c = camera.project(o);
    (['x', 'y', 'z'] as const).forEach((name, k) => {
      const at = 16 * i + 4 * k;
      const d: Vec3 = [frames[at]!, frames[at + 1]!, frames[at + 2]!];
      out += line(c, camera.project(add(o, mul(d, size))), { color: `var(--axis-${name})`, width: 1.6 });
    });
  }
  return out;
}

export function manipulability(input: OverlayInput, link: number): string {
  if (!input.jacobian || link < 0) return '';
  const center = origin(input.frames, link);
  const factor = input.style === 'metric' ? 0.17 : 0.12 * input.model.reach * (1 / Math.max(1e-9, input.model.reach));
  const drawn = ellipsoid(center, input.jacobian, input.model.nv, factor, input.camera);
  const c = input.camera.project(center);
  const note = drawn.flat && !input.model.planar ? label({ x: c.x, y: c.y - 90 }, 'manipulability 0: no outward motion', { quiet: true, anchor: 'middle' }) : '';
  return drawn.svg + note;
}

// Step ---------------------------------------------------------------------------------------------

export interface StepInput {
  step: TraceStep;
  next: TraceStep | null;
  tip: Vec3;
  link: number;
  /** Columns of J that belong to joints of the chain: index in J, joint, joint's place. */
  columns: { column: number; joint: number; at: Vec3 }[];
  hover: number; // position in `columns`, -1 none
}

/** One common factor so that the longest change vector is 76 px. */
export function vectorScale(input: StepInput, camera: Camera): number {
  const J = input.step.jacobian;
  let longest = 0;
  for (const c of input.columns) longest = Math.max(longest, Math.hypot(...columnOf(J.data, J.rows, c.column)));
  return longest > 0 ? 76 / (longest * camera.pixelsPerUnit(input.tip)) : 1;
}

function columnOf(data: Float64Array, rows: number, column: number): Vec3 {
  const at = rows * column;
  return [data[at] ?? 0, data[at + 1] ?? 0, rows > 2 ? (data[at + 2] ?? 0) : 0];
}

/** g_i at the effector, levers, g_i times its step tip to tail, V and J dtheta: figures 5.17 and 5.18. */
export function stepVectors(input: StepInput, camera: Camera, scale: number): string {
  const { step, tip } = input;
  const J = step.jacobian;
  const e = camera.project(tip);
  let levers = '';
  let vectors = '';
  let chain = '';
  const names: Point[] = [];
  let at: Vec3 = tip;
  input.columns.forEach((c, i) => {
    const look = columnToken(i);
    const lit = input.hover === i;
    const faded = input.hover >= 0 && !lit;
    const color = i >= 6 && lit ? 'var(--accent)' : `var(${look.token})`;
    const opacity = faded ? 0.25 : look.lighter ? 0.7 : 1;
    const g = columnOf(J.data, J.rows, c.column);
    const lights = lit ? ' data-lit=""' : '';
    levers += `<g data-lever="${i + 1}"${lights}>${line(camera.project(c.at), e, { color, width: lit ? 2 : 1.1, dash: '3 4', opacity: faded ? 0.2 : 0.85 })}</g>`;
    const end = camera.project(add(tip, mul(g, scale)));
    vectors += `<g data-vector="${i + 1}"${lights}>${arrow(e, end, { color, width: lit ? 3.4 : 2.6, opacity })}</g>`;
    const l = Math.hypot(end.x - e.x, end.y - e.y) || 1;
    // A joint that moves nothing here has no arrow to name; names that would meet move on along their arrows, or are left to pointing at them.
    const beyond = (by: number): Point => ({ x: e.x + (end.x - e.x) * (1 + by / l), y: e.y + (end.y - e.y) * (1 + by / l) });
    const free = [15, 32, 49].map(beyond).find((p) => names.every((n) => Math.abs(n.x - p.x) > 15 || Math.abs(n.y - p.y) > 16)) ?? null;
    const place = i === input.hover ? (free ?? beyond(15)) : input.columns.length <= 8 && l > 2 ? free : null;
    if (place) names.push(place);
    if (place) vectors += `<text class="pt" x="${place.x}" y="${place.y + 4}" text-anchor="middle" fill="${color}" opacity="${opacity}"><tspan font-style="italic">g</tspan><tspan dy="3" font-size="9">${i + 1}</tspan></text>`;
    const moved = mul(g, step.step[c.column] ?? 0);
    const to = add(at, moved);
    chain += line(camera.project(at), camera.project(to), { color, width: 1.6, dash: '4 2.500', opacity });
    at = to;
  });
  const whole: Vec3 = [step.error[0] ?? 0, step.error[1] ?? 0, step.error[2] ?? 0];
  const predicted = camera.project(at);
  // V reaches to the goal; drawn no longer than it takes to compare it with what the step does.
  const pixels = Math.hypot(...whole) * camera.pixelsPerUnit(tip) || 1;
  const most = Math.max(104, 1.15 * Math.hypot(predicted.x - e.x, predicted.y - e.y));
  const v = camera.project(add(tip, mul(whole, Math.min(1, most / pixels))));
  const out = Math.hypot(v.x - e.x, v.y - e.y) || 1;
  const name = `<text class="pt" x="${v.x + ((v.x - e.x) / out) * 12}" y="${v.y + 18}" text-anchor="middle" fill="var(--col-v)" font-style="italic">V</text>`;
  return levers + vectors + chain + arrow(e, v, { color: 'var(--col-v)', width: 3 }, 12) + name + arrow(e, predicted, { color: 'var(--col-pred)', width: 2.2 }, 10) + circle(e, 5.5, { color: 'var(--needle)', width: 2, fill: RAISED });
}

export function jointLabels(model: ModelDescription, frames: ArrayLike<number>, q: ArrayLike<number>, joints: number[], camera: Camera, units: AngleUnit): string {
  return joints
    .map((j) => {
      const joint = model.joints[j]!;
      if (joint.nq !== 1) return '';
      const p = camera.project(origin(frames, joint.child));
      const value = joint.units[0] === 'length' ? significant(q[joint.q]!) : formatAngle(q[joint.q]!, units);
      return label({ x: p.x + 20, y: p.y + 24 }, `${joint.name} ${value}`, { quiet: true });
    })
    .join('');
}

export function errorLine(tip: Vec3, goal: Vec3, error: number, tolerance: number, camera: Camera, unit: string): string {
  const a = camera.project(tip);
  const b = camera.project(goal);
  const step = residual(error, tolerance);
  const mid: Point = { x: a.x + (b.x - a.x) * 0.55, y: a.y + (b.y - a.y) * 0.55 + 22 };
  return line(a, b, { color: `var(${step.token})`, width: 1.8, dash: step.dash || '3 4', opacity: 0.9 }) + label(mid, `error ${significant(error, 4)}${unit}`, { quiet: true });
}

// Compare --------------------------------------------------------------------------------------------

/** The chain of one method as a thick line with its marker at the end. */
export function methodGhost(name: string, known: string[], model: ModelDescription, frames: ArrayLike<number>, chain: number[], tip: number, goal: Vec3 | null, camera: Camera): string {
  const look = methodLook(name, known);
  const color = `var(${look.token})`;
  const points = chain.map((j) => origin(frames, model.joints[j]!.child));
  points.push(origin(frames, tip));
  const px = points.map((p) => camera.project(p));
  const last = px[px.length - 1]!;
  let out = goal ? line(last, camera.project(goal), { color, width: 1.2, dash: look.dash || '4 3' }) : '';
  out += polyline(px, { color, width: 7, opacity: 0.78, cap: 'round' });
  for (const p of px.slice(1, -1)) out += disc(p, 1.8, 'var(--surface-canvas-hi)');
  return out + marker(last, look.marker, look.open, color, 1.05);
}

export { flatBody };
