// Puts the overlay of the current view together from the session: which pieces, in which order. Reads
// state, returns SVG; the stage calls it once per drawn frame.
import type { Camera } from '../logic/camera';
import type { Vec3 } from '../logic/scene';
import { limbOnly } from '../logic/dof';
import { add, dist, mul, origin, sub } from '../logic/vec';
import { rangePoses } from '../state/nullspace.svelte';
import { build } from '../state/build.svelte';
import { player } from '../state/player.svelte';
import { stepper } from '../state/stepper.svelte';
import { studio } from '../state/studio.svelte';
import { ui } from '../state/ui.svelte';
import { mechanismAbove, mechanismBelow } from './mechanism_svg';
import { finger } from './touch';
import { buildBelow, buildOverlay } from './build_svg';
import { bodiesOverlay } from './bodies_svg';
import { solutionGhosts } from './solutions_svg';
import { workspaceOverlay } from './workspace_svg';
import { drawnPath } from './path_svg';
import { drawGizmo, type Handle } from './gizmo';
import * as over from './overlay';
import { bars, chainReach, flatBody, grid, grounded, pedestal, reachCircle } from './planar';
import { circle, disc, escape, label, line, path, stadium } from './svg';

export interface SceneDraw {
  camera: Camera;
  frames: Float64Array;
  ghost: Float64Array | null;
  trail: Vec3[];
  dragging: boolean;
  handle: Handle | null;
  /** Compare side by side: only this method. */
  side: string;
}

export function drawScene(d: SceneDraw): string {
  const rig = studio.rig;
  if (!rig) return '';
  const model = rig.model;
  const active = studio.selectedGoal;
  const tip = active ? rig.link(active.link) : -1;
  const needJacobian = ui.show.limits || ui.show.ellipsoid;
  const jacobianLink = tip >= 0 ? tip : (model.effectors[0] ?? 0);
  const selectedJoint = studio.selectedJoint;
  const link = selectedJoint >= 0 && !studio.chain.includes(selectedJoint) ? model.joints[selectedJoint]!.child : jacobianLink;
  const input: over.OverlayInput = {
    camera: d.camera,
    model,
    frames: d.frames,
    q: rig.q,
    goals: studio.scene.goals,
    links: studio.scene.goals.map((g) => rig.link(g.link)),
    report: studio.report,
    tolerance: studio.tolerance,
    style: studio.style,
    units: ui.units,
    chain: studio.chain,
    activeGoal: active?.id ?? null,
    selectedJoint,
    selectedLink: studio.selected?.kind === 'link' ? rig.link(studio.selected.name) : -1,
    hoverLink: studio.hover?.kind === 'link' && !d.dragging ? rig.link(studio.hover.name) : -1,
    show: ui.show,
    dragging: d.dragging,
    ghost: d.ghost,
    trail: d.trail,
    pulled: studio.mode === 'build' ? build.limits : null,
    jacobian: needJacobian ? rig.core.jacobian(link, rig.q).data : null,
  };
  if (studio.mode === 'step') return drawStep(d, input, tip) + underFinger(d.camera);
  if (studio.mode === 'compare') return drawCompare(d, input, tip) + underFinger(d.camera);
  const building = studio.mode === 'build';
  return (building ? buildBelow(d.camera) : '') + drawPose(d, input, tip) + (building ? buildOverlay(d.camera) : '') + underFinger(d.camera);
}

/** The finger, and from it to what it moves above itself. */
function underFinger(camera: Camera): string {
  const { at } = finger;
  const to = at && (build.preview?.to ?? studio.selectedGoal?.position);
  return at && to ? `<g data-finger>${disc(at, 22, 'var(--text-2)', 0.18)}${line(camera.project(to), at, { color: 'var(--accent)', width: 1.6, dash: '1 4', cap: 'round' })}</g>` : '';
}

function ghosts(d: SceneDraw, poses: ArrayLike<number>[], opacity: (i: number) => number): string {
  const rig = studio.rig!;
  const keep = Array.from(rig.q);
  let out = '';
  poses.forEach((q, i) => {
    rig.setPose(q);
    out += `<g data-ghost>${flatBody(rig.model, rig.frames, d.camera, { style: 'ghost', opacity: opacity(i) })}</g>`;
  });
  rig.setPose(keep);
  return out;
}

/** The limb over the free stretch of a null-space motion, over the body in the pole's colour, and the way of its middle joint. */
function nullSpaceRange(d: SceneDraw): string {
  if (!ui.nullRange) return '';
  const rig = studio.rig!;
  const limb = limbOnly(rig.model, studio.chain).map((j) => rig.model.joints[j]!.child);
  const moved = new Set(limb);
  const middle = limb[Math.floor(limb.length / 2)];
  const keep = Array.from(rig.q);
  const way: string[] = [];
  let out = '';
  rangePoses(ui.nullDirection).forEach((q, i, all) => {
    rig.setPose(q);
    const bones = bars(rig.model, rig.frames).filter((bar) => moved.has(bar.link));
    out += `<g data-ghost>${bones.map((bar) => {
      const r = Math.min(16, Math.max(3, 0.16 * dist(bar.from, bar.to) * d.camera.pixelsPerUnit()));
      return path(stadium(d.camera.project(bar.from), d.camera.project(bar.to), r, r * 0.85), { color: 'var(--pole)', width: 1.1, fill: 'var(--pole)', fillOpacity: i === 0 || i === all.length - 1 ? 0.13 : 0.08, opacity: 0.9 });
    }).join('')}</g>`;
    if (middle === undefined) return;
    const at = d.camera.project(origin(rig.frames, middle));
    way.push(`${at.x.toFixed(1)} ${at.y.toFixed(1)}`);
  });
  rig.setPose(keep);
  return out + (way.length > 1 ? path(`M${way.join('L')}`, { color: 'var(--pole)', width: 1.8, dash: '1 4', cap: 'round' }) : '');
}

function onionSkins(d: SceneDraw): string {
  if (!ui.show.onion || !player.canPlay) return '';
  const shown: { by: number; q: ArrayLike<number> }[] = [];
  for (const by of [-24, -16, -8, 8, 16, 24]) {
    const f = player.frame + by;
    if (f < 0 || f > studio.scene.clip.frames) continue;
    const q = player.pose(f);
    if (q) shown.push({ by, q });
  }
  return ghosts(d, shown.map((s) => s.q), (i) => 0.55 - Math.abs(shown[i]!.by) * 0.014);
}

/** The figure as a clip tool would have it at this frame. */
const toolGhost = (d: SceneDraw): string => (player.preview ? `<g data-tool-ghost>${ghosts(d, [player.preview], () => 0.7)}</g>` : '');

function drawPose(d: SceneDraw, input: over.OverlayInput, tip: number): string {
  const { camera, model, frames } = input;
  let out = '';
  if (model.planar) {
    out += grid(camera) + workspaceOverlay(camera);
    const reach = chainReach(model, frames, input.chain, tip);
    if (reach && tip >= 0) out += reachCircle(reach.center, reach.radius, camera, studio.report?.outcome === 'unreachable');
    if (d.ghost) out += flatBody(model, d.ghost, camera, { style: 'ghost', opacity: 0.6 });
    out += onionSkins(d) + toolGhost(d) + mechanismBelow(camera) + solutionGhosts(camera);
    for (const at of grounded(input.model, input.frames)) out += pedestal(camera.project(at));
    if (ui.show.body) out += flatBody(model, frames, camera, { hover: input.hoverLink, selected: model.joints[input.selectedJoint]?.child ?? -1 });
    out += nullSpaceRange(d);
  } else {
    out += workspaceOverlay(camera) + onionSkins(d) + toolGhost(d) + mechanismBelow(camera) + solutionGhosts(camera) + nullSpaceRange(d);
    out += over.dragMemory(input);
    if (ui.show.bones) out += over.bones(input);
    if (studio.report?.outcome === 'unreachable' && studio.report.proof && tip >= 0) out += reachArc(input, tip, studio.report.proof.length);
  }
  if (ui.show.frames) out += over.frameAxes(input);
  if (ui.show.trails) {
    const link = tip >= 0 ? tip : trailLink();
    out += over.trailLine(player.trail(link), camera);
  }
  if (ui.show.ellipsoid) out += over.manipulability(input, tip >= 0 ? tip : (model.effectors[0] ?? 0));
  out += over.limitArcs(input);
  if (model.planar) out += over.dragMemory({ ...input, ghost: null });
  out += mechanismAbove(camera) + bodiesOverlay(camera);
  out += hoverMark(input);
  if (studio.mode === 'build' && !build.live) return out;
  out += drawnPath(camera) + over.goals(input);
  const g = studio.selectedGoal;
  if (g && g.visible && !g.pinned && (studio.mode !== 'build' || build.tool === 'select')) out += drawGizmo({ position: g.position, quaternion: g.quaternion, local: ui.local, tool: ui.gizmo, planar: model.planar, active: d.handle }, camera);
  return out;
}

/** A hand or head when there is one: what one would watch in a clip. */
function trailLink(): number {
  const model = studio.rig!.model;
  const by = (p: RegExp) => model.links.findIndex((l) => p.test(l.name.toLowerCase()));
  for (const p of [/right.?(hand|wrist)|r_?hand/, /hand|wrist/, /head/]) if (by(p) >= 0) return by(p);
  return model.effectors[0] ?? model.links.length - 1;
}

function hoverMark(input: over.OverlayInput): string {
  if (input.hoverLink < 0 || input.model.planar) return '';
  const p = input.camera.project(origin(input.frames, input.hoverLink));
  const joint = input.model.joints[input.model.links[input.hoverLink]!.joint];
  return circle(p, 6, { color: 'var(--accent)', width: 2, fill: 'var(--surface-raised)', fillOpacity: 0.6 }) + label({ x: p.x + 12, y: p.y - 8 }, joint && joint.nv > 0 ? joint.name : input.model.links[input.hoverLink]!.name, { quiet: true });
}

/** Part of the reach sphere in the plane of shoulder, goal and up. */
function reachArc(input: over.OverlayInput, tip: number, radius: number): string {
  const { model, frames, camera } = input;
  const g = studio.selectedGoal;
  const first = input.chain.find((j) => model.joints[j]!.nv > 0);
  if (!g || first === undefined || tip < 0) return '';
  const shoulder = origin(frames, model.joints[input.chain[Math.min(1, input.chain.length - 1)]!]!.child);
  const to = sub(g.position, shoulder);
  const l = Math.hypot(...to) || 1;
  const u: Vec3 = mul(to, 1 / l);
  const up: Vec3 = model.up === 'z' ? [0, 0, 1] : [0, 1, 0];
  const k = u[0] * up[0] + u[1] * up[1] + u[2] * up[2];
  const v0 = sub(up, mul(u, k));
  const lv = Math.hypot(...v0) || 1;
  const v = mul(v0, 1 / lv);
  const points: string[] = [];
  for (let i = -24; i <= 24; i++) {
    const t = (i / 24) * 1.1;
    const p = camera.project(add(shoulder, add(mul(u, radius * Math.cos(t)), mul(v, radius * Math.sin(t)))));
    points.push(`${p.x.toFixed(1)} ${p.y.toFixed(1)}`);
  }
  return path(`M${points.join('L')}`, { color: 'var(--limit)', width: 1.4, dash: '7 5' });
}

function framesAt(q: ArrayLike<number>): Float64Array {
  const rig = studio.rig!;
  rig.setPose(q);
  return rig.frames.slice();
}

function drawStep(d: SceneDraw, input: over.OverlayInput, tip: number): string {
  const rig = studio.rig!;
  const { camera, model } = input;
  const trace = stepper.current?.trace;
  const step = stepper.at(stepper.current);
  if (!trace || !step || tip < 0) return drawPose(d, input, tip);
  const i = Math.min(stepper.iteration, trace.steps.length - 1);
  const next = trace.steps[i + 1] ?? null;
  const frames = framesAt(step.q);
  const here = { ...input, frames, q: step.q };
  const tipAt = origin(frames, tip);
  let out = model.planar ? grid(camera) : '';
  const reach = chainReach(model, frames, input.chain, tip);
  if (model.planar && reach) out += reachCircle(reach.center, reach.radius, camera);
  const way: Vec3[] = [];
  for (let k = 0; k <= i; k++) {
    const f = framesAt(trace.steps[k]!.q);
    way.push(origin(f, tip));
    if (k < i && k >= i - 4) out += flatBody(model, f, camera, { style: 'ghost', opacity: 0.12 + 0.1 * (k - i + 5) });
  }
  if (ui.show.trails || model.planar) out += over.trailLine(way, camera);
  if (next) out += flatBody(model, framesAt(next.q), camera, { style: 'next', opacity: 0.9 });
  rig.setPose(step.q);
  if (model.planar) {
    out += pedestal(camera.project(origin(frames, 0)));
    const lit = stepper.hoverColumn >= 0 ? model.joints[stepColumns(here)[stepper.hoverColumn]?.joint ?? -1] : undefined;
    const chosen = lit ?? model.joints[input.selectedJoint];
    out += `<g data-lit-joint="${chosen ? escape(chosen.name) : ''}">${flatBody(model, frames, camera, { selected: chosen?.child ?? -1 })}</g>`;
  } else out += over.bones(here);
  const goal = studio.selectedGoal!;
  out += over.errorLine(tipAt, goal.position, step.error_norm, studio.tolerance, camera, stepper.errorUnit);
  const columns = stepColumns(here);
  if (step.jacobian.columns > 0 && next) {
    const data: over.StepInput = { step, next, tip: tipAt, link: tip, columns, hover: stepper.hoverColumn };
    out += over.stepVectors(data, camera, over.vectorScale(data, camera));
  } else out += circle(camera.project(tipAt), 5.5, { color: 'var(--needle)', width: 2, fill: 'var(--surface-raised)' });
  if (model.planar && ui.show.limits) out += over.jointLabels(model, frames, step.q, input.chain.slice(0, 6), camera, ui.units);
  out += over.goals({ ...here, report: stepReport(step.error_norm), activeGoal: null });
  return out;
}

const stepReport = (error: number) =>
  studio.report ? { ...studio.report, goals: studio.scene.goals.map((_, i) => (i === studio.scene.goals.indexOf(studio.selectedGoal!) ? { position_error: error, orientation_error: 0, reached: error <= studio.tolerance } : studio.report!.goals[i]!)) } : null;

/** Columns of J that belong to the active chain, in order from the root. */
export function stepColumns(input: { model: over.OverlayInput['model']; frames: ArrayLike<number>; chain: number[] }): { column: number; joint: number; at: Vec3 }[] {
  return input.chain.flatMap((j) => {
    const joint = input.model.joints[j]!;
    return Array.from({ length: joint.nv }, (_, c) => ({ column: joint.v + c, joint: j, at: origin(input.frames, joint.child) }));
  });
}

function drawCompare(d: SceneDraw, input: over.OverlayInput, tip: number): string {
  const { camera, model } = input;
  const goal = studio.selectedGoal;
  if (!goal || tip < 0) return model.planar ? grid(camera) : '';
  const known = studio.core?.solvers.map((s) => s.name) ?? [];
  let out = model.planar ? grid(camera) : '';
  const start = framesAt(stepper.start.length ? stepper.start : studio.scene.q);
  const startPoints = input.chain.map((j) => camera.project(origin(start, model.joints[j]!.child)));
  startPoints.push(camera.project(origin(start, tip)));
  out += path(`M${startPoints.map((p) => `${p.x.toFixed(1)} ${p.y.toFixed(1)}`).join('L')}`, { color: 'var(--ghost)', width: 6, opacity: 0.22, cap: 'round', extra: 'stroke-linejoin="round"' });
  const end = startPoints[startPoints.length - 1]!;
  out += label({ x: end.x - 4, y: end.y + 26 }, 'start', { quiet: true, anchor: 'middle' });
  if (model.planar) out += pedestal(camera.project(origin(start, 0)));
  for (const t of [...stepper.traces].reverse()) {
    const step = stepper.at(t);
    if (!step || (d.side && d.side !== t.name)) continue;
    out += over.methodGhost(t.name, known, model, framesAt(step.q), input.chain, tip, goal.position, camera);
  }
  studio.rig!.setPose(stepper.at(stepper.current)?.q ?? studio.scene.q);
  const first = startPoints[0];
  if (first) out += circle(first, 5, { color: 'var(--bone)', width: 2, fill: 'var(--surface-raised)' });
  const g = camera.project(goal.position);
  out += circle(g, 13, { color: 'var(--text)', width: 2 }) + path(`M${g.x - 20} ${g.y}h10M${g.x + 10} ${g.y}h10M${g.x} ${g.y - 20}v10M${g.x} ${g.y + 10}v10`, { color: 'var(--text)', width: 1.6 });
  const side = g.x < 64 ? 1 : -1; // at the left edge the word stands on the inner side
  out += label({ x: g.x + 26 * side, y: g.y + 4 }, 'goal', { anchor: side > 0 ? 'start' : 'end' });
  return out + disc(g, 1.5, 'var(--text)');
}
