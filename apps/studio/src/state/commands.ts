// Every command by id: keys, menus, buttons and the command finder all end here.
import { nowhere } from '../core/carried';
import { changeGoal, changeJoint, freeGoalId, type NamedPose, type Vec3 } from '../logic/scene';
import type { Mode } from '../logic/url';
import { add, mul, origin, sub, unit } from '../logic/vec';
import { limbOf } from '../logic/limb';
import { tips } from '../logic/tips';
import { chapter } from './chapter.svelte';
import { chooseFile, saveJson } from './files';
import { drawing } from './drawing.svelte';
import { goalFor } from './first_scene';
import { shareLink } from './link';
import { mechanism } from './mechanism.svelte';
import { player } from './player.svelte';
import { solutions } from './solutions.svelte';
import { stepper } from './stepper.svelte';
import { studio } from './studio.svelte';
import { ui, type ShowFlag } from './ui.svelte';
import { views } from './views';

/** Changes the view without touching the address. */
export function enterMode(mode: Mode, iteration = 0): void {
  if (mode === studio.mode) return;
  player.pause();
  mechanism.pause();
  if (studio.mode === 'step' || studio.mode === 'compare') stepper.leave();
  studio.mode = mode;
  if (mode === 'step' || mode === 'compare') {
    if (studio.selected?.kind !== 'goal' && studio.selectedGoal && !studio.model?.planar) studio.select({ kind: 'goal', name: studio.selectedGoal.id });
    stepper.enter(iteration);
  } else if (mode === 'chapter') chapter.enter();
  else studio.sync();
}

/** What state/build_keys.ts does; it knows the commands, not they it. */
interface BuildHooks {
  open(): void;
  /** Drops what is in hand; whether there was something. */
  cancel(): boolean;
  run(id: string): void;
  key(event: KeyboardEvent, inView: boolean): boolean;
}
let hooks: BuildHooks | null = null;
export function onBuild(given: BuildHooks): void {
  hooks = given;
}
export const buildKey = (event: KeyboardEvent, inView: boolean): boolean => studio.mode === 'build' && (hooks?.key(event, inView) ?? false);

export function setMode(mode: Mode): void {
  if (mode === 'build' && !studio.open) return hooks?.open();
  if (mode !== 'chapter' && !studio.open) return;
  enterMode(mode);
  studio.changed();
}

/** The gallery over the scene; `adding`: for a model beside the one that is open. */
export function showGallery(adding = false): void {
  const camera = views.stage?.camera;
  views.linked = camera ? { eye: camera.eyePosition, target: camera.state.target, ortho: camera.state.ortho } : null; // for the way back
  ui.adding = adding;
  if (!ui.gallery && !nowhere) window.history.pushState(null, '', location.href); // Back leads to the scene
  ui.gallery = true;
}

export function chooseMethod(name: string): void {
  if (name === studio.scene.solver.method) return;
  const label = studio.core?.solver(name)?.label ?? name;
  const known = new Set(studio.core?.solver(name)?.options.map((o) => o.name) ?? []);
  const options = Object.fromEntries(Object.entries(studio.scene.solver.options).filter(([k]) => known.has(k)));
  studio.commit(`use ${label}`, { ...studio.scene, solver: { method: name, options } }, { solve: studio.mode === 'pose' });
  if (studio.mode === 'step') stepper.compute();
}
export function resetOptions(): void {
  studio.commit('reset the method', { ...studio.scene, solver: { ...studio.scene.solver, options: {} } }, { solve: studio.mode === 'pose' });
  if (studio.mode !== 'pose') stepper.compute();
}

export function addGoal(): void {
  const rig = studio.rig;
  if (!rig) return;
  const s = studio.selected;
  let link = s?.kind === 'link' ? rig.link(s.name) : s?.kind === 'joint' ? (rig.model.joints[rig.joint(s.name)]?.child ?? -1) : -1;
  if (link < 0) link = tips(rig.model).find((e) => !studio.scene.goals.some((g) => g.link === rig.model.links[e]!.name)) ?? rig.model.effectors[0] ?? -1;
  if (link < 0) return;
  const goal = goalFor(rig, link);
  goal.id = freeGoalId(studio.scene, goal.link);
  studio.commit(`add goal ${goal.id}`, { ...studio.scene, goals: [...studio.scene.goals, goal] });
  studio.select({ kind: 'goal', name: goal.id });
  if (studio.mode !== 'pose') stepper.compute();
}
export function deleteGoal(id: string): void {
  studio.commit(`delete goal ${id}`, { ...studio.scene, goals: studio.scene.goals.filter((g) => g.id !== id) });
  studio.select(null);
}

/** A pole beside the mid joint of the goal's chain, or no pole. */
export function togglePole(id?: string): void {
  const goal = id ? studio.scene.goals.find((g) => g.id === id) : studio.selectedGoal;
  const rig = studio.rig;
  if (!goal || !rig) return;
  if (goal.pole) {
    const { pole: _, ...bare } = goal;
    studio.commit(`remove pole of ${goal.id}`, { ...studio.scene, goals: studio.scene.goals.map((g) => (g.id === goal.id ? bare : g)) });
    return;
  }
  const tip = rig.link(goal.link);
  const limb = tip >= 0 ? limbOf(rig.model, rig.frames, tip) : null;
  if (!limb) {
    ui.toast({ title: 'No limb here', text: `A pole needs a joint that bends between two stretches on the way to ${goal.link}.` });
    return;
  }
  const upper = origin(rig.frames, limb.start);
  const mid = origin(rig.frames, limb.middle);
  const along = unit(sub(origin(rig.frames, tip), upper));
  const out = sub(mid, upper);
  const side = sub(out, mul(along, out[0] * along[0] + out[1] * along[1] + out[2] * along[2]));
  const direction: Vec3 = Math.hypot(...side) > 1e-6 ? unit(side) : unit(sub([0, 0, 1], mul(along, along[2])));
  studio.commit(`add pole to ${goal.id}`, changeGoal(studio.scene, goal.id, { pole: add(mid, mul(direction, rig.model.reach * 0.14)) }), { solve: true });
}

let lastReset = 0;
function resetJoint(): void {
  const now = performance.now();
  const index = studio.selectedJoint;
  const all = index < 0 || now - lastReset < 600;
  lastReset = now;
  const rig = studio.rig;
  if (!rig) return;
  const q = [...studio.scene.q];
  const joint = rig.model.joints[index];
  if (all || !joint) for (let i = 0; i < q.length; i++) q[i] = rig.names.neutral[i]!;
  else for (let i = 0; i < joint.nq; i++) q[joint.q + i] = rig.names.neutral[joint.q + i]!;
  studio.begin(all ? 'reset all joints' : `reset ${joint!.name}`);
  studio.setPoseLive(q, all ? -1 : index);
  studio.end();
}
function lockJoint(): void {
  const joint = studio.model?.joints[studio.selectedJoint];
  if (!joint) return;
  const on = !studio.scene.joints[joint.name]?.lock;
  studio.commit(`${on ? 'lock' : 'unlock'} ${joint.name}`, changeJoint(studio.scene, joint.name, { lock: on }));
}
function pinGoal(): void {
  const goal = studio.selectedGoal;
  if (goal) studio.commit(`${goal.pinned ? 'unpin' : 'pin'} ${goal.id}`, changeGoal(studio.scene, goal.id, { pinned: !goal.pinned }));
}
function nextMethod(): void {
  const names = studio.core?.solvers.map((s) => s.name) ?? [];
  const able = names.filter((n) => !studio.rig || studio.rig.scene.check(n) === '');
  const at = able.indexOf(studio.scene.solver.method);
  const next = able[(at + 1) % able.length];
  if (next) chooseMethod(next);
}

export function addPose(): void {
  const taken = new Set([...(studio.model?.poses ?? []), ...studio.scene.poses].map((p) => p.name));
  let n = 1;
  while (taken.has(`pose ${n}`)) n++;
  studio.commit(`keep pose ${n}`, { ...studio.scene, poses: [...studio.scene.poses, { name: `pose ${n}`, q: [...studio.scene.q] }] });
}
export function applyPose(pose: NamedPose): void {
  studio.begin(`pose ${pose.name}`);
  studio.setPoseLive(pose.q);
  studio.end();
}

/** Arrow keys in the view: the active goal by 10 mm (1 mm with Shift) in the screen's plane or in depth. */
export function nudgeGoal(dx: number, dy: number, dz: number, fine: boolean): void {
  const goal = studio.selectedGoal;
  const camera = views.stage?.camera;
  if (!goal || !camera || goal.pinned) return;
  const step = (studio.style === 'metric' ? 0.01 : Math.max(1e-9, (studio.model?.reach ?? 1) / 100)) * (fine ? 0.1 : 1);
  const { right, above, forward } = camera.basis;
  const to = add(goal.position, mul(add(add(mul(right, dx), mul(above, dy)), mul(forward, dz)), step));
  if (!studio.gesture) studio.begin(`move ${goal.id}`);
  studio.dragGoal(goal.id, to);
  if (studio.mode === 'step' || studio.mode === 'compare') {
    studio.scene = { ...studio.scene, q: [...stepper.start] };
    stepper.compute();
  }
  clearTimeout(nudgeTimer);
  nudgeTimer = window.setTimeout(() => {
    studio.end();
    if (studio.mode === 'step' || studio.mode === 'compare') stepper.compute();
  }, 500);
}
let nudgeTimer = 0;

/** Alt with an arrow: the next or previous solution. */
export function nextSolution(by: number): void {
  if (solutions.shown) solutions.next(by);
}

function toggleShow(flag: ShowFlag): void {
  ui.show[flag] = !ui.show[flag];
  views.stage?.redraw();
}

export function cancel(): void {
  if (views.stage?.cancelDrag() || hooks?.cancel()) return;
  if (ui.dialog) ui.dialog = null;
  else if (ui.gallery) ui.gallery = false;
  else if (ui.treeOpen) ui.treeOpen = false;
  else if (ui.tool === 'path') ui.tool = 'translate';
  else if (ui.toasts.length) ui.dismiss(ui.toasts[ui.toasts.length - 1]!.id);
  else studio.select(null);
}

export function run(id: string): void {
  switch (id) {
    case 'tool.select':
    case 'tool.translate':
    case 'tool.rotate':
    case 'tool.path':
      if (id === 'tool.path' && !drawing.possible) return;
      ui.tool = id.slice(5) as typeof ui.tool;
      views.stage?.redraw();
      break;
    case 'tool.space':
      ui.local = !ui.local;
      views.stage?.redraw();
      break;
    case 'cancel': return cancel();
    case 'goal.pole': return togglePole();
    case 'goal.add': return addGoal();
    case 'goal.delete': return studio.selectedGoal ? deleteGoal(studio.selectedGoal.id) : undefined;
    case 'goal.pin': return pinGoal();
    case 'joint.reset': return resetJoint();
    case 'joint.resetAll': lastReset = performance.now(); return resetJoint();
    case 'joint.lock': return lockJoint();
    case 'method.next': return nextMethod();
    case 'camera.frame': return views.stage?.frameSelection();
    case 'camera.all': return views.stage?.frameAll();
    case 'camera.front': return views.stage?.look(studio.model?.up === 'z' ? 'y' : 'z', studio.model?.up === 'z' ? -1 : 1);
    case 'camera.side': return views.stage?.look('x', 1);
    case 'camera.top': return views.stage?.look(studio.model?.up ?? 'y', 1);
    case 'camera.ortho': return views.stage?.toggleOrtho();
    case 'step.next': return stepKey(1);
    case 'step.back': return stepKey(-1);
    case 'step.end': return studio.mode === 'pose' ? undefined : stepper.go(stepper.length);
    case 'time.play': return studio.mode === 'chapter' ? chapter.toggle() : turning() ? mechanism.toggle() : player.toggle();
    case 'time.key': return player.key();
    case 'time.keyAll': return player.key(true);
    case 'time.keyPose': return studio.mode === 'pose' ? player.keyPose() : undefined;
    case 'view.build':
      if (studio.open) return setMode('build');
      return hooks?.open();
    case 'view.pose':
    case 'view.step':
    case 'view.compare':
    case 'view.chapter': return setMode(id.slice(5) as Mode);
    case 'panel.tree': return ui.toggle('tree');
    case 'panel.inspector': return ui.toggle('inspector');
    case 'panel.dock': return ui.toggle('dock');
    case 'tree.filter':
      if (ui.medium) ui.treeOpen = true;
      requestAnimationFrame(() => document.getElementById('tree-filter')?.focus());
      break;
    case 'theme': return ui.setTheme(ui.theme === 'dark' ? 'light' : 'dark');
    case 'help': ui.dialog = ui.dialog === 'help' ? null : 'help'; break;
    case 'find': ui.dialog = ui.dialog === 'find' ? null : 'find'; break;
    case 'export': ui.dialog = 'export'; break;
    case 'undo': return history(-1);
    case 'redo': return history(1);
    case 'open': return chooseFile();
    case 'model.add': return studio.open && studio.mode !== 'chapter' ? showGallery(true) : undefined;
    case 'save': return studio.open ? saveJson() : undefined;
    case 'share': void shareLink(); break;
    default:
      if (id.startsWith('build.')) hooks?.run(id);
      else if (id.startsWith('show.')) toggleShow(id.slice(5) as ShowFlag);
  }
}

function history(by: -1 | 1): void {
  if (studio.mode === 'chapter') return by < 0 ? chapter.undo() : chapter.redo();
  if (by < 0) studio.undo();
  else studio.redo();
  if (studio.mode === 'step' || studio.mode === 'compare') stepper.enter(0, [...studio.scene.q]);
}
/** Time is the drive's: the model has loops and nothing else to play. */
const turning = (): boolean => studio.mode === 'pose' && mechanism.active && !player.canPlay;
function stepKey(by: number): void {
  if (turning()) {
    studio.begin(`drive ${mechanism.joint}`);
    mechanism.seek(mechanism.value + by * (mechanism.angle ? Math.PI / 180 : (studio.model?.reach ?? 1) / 200));
    return studio.end();
  }
  if (studio.mode === 'chapter') chapter.seek(chapter.frame + by);
  else if (studio.mode === 'pose' && player.canPlay) player.seek(player.frame + by);
  else if (studio.mode === 'pose') setMode('step');
  else stepper.go(stepper.iteration + by);
}
