// The address of the scene: written 250 ms after the last change, never during a drag; changing the
// view makes a new history entry, so Back returns.
import { carried, nowhere } from '../core/carried';
import { decode, encode, linkOf, type Link, type PoseNames, type ViewState } from '../logic/url';
import { emptyScene, isKeyed, type Scene } from '../logic/scene';
import { formatBytes } from '../logic/numbers';
import { chapter } from './chapter.svelte';
import { lessons } from './lessons.svelte';
import { stepper } from './stepper.svelte';
import { studio } from './studio.svelte';
import { ui } from './ui.svelte';
import { views } from './views';
import { enterMode, setMode } from './commands';
import { firstGoals, firstScene } from './first_scene';

const NO_NAMES: PoseNames = { joints: [], neutral: [], planar: false };
let timer = 0;
let written = '';
let writtenMode = '';
export const linkStats = { writes: 0, pending: false };

export function viewState(): ViewState {
  const view: ViewState = { mode: studio.mode };
  if (studio.mode === 'chapter' && lessons.on) return { ...view, lesson: lessons.name };
  if (studio.mode === 'chapter') {
    view.figure = chapter.figure;
    view.i = chapter.frame;
    return view;
  }
  if (studio.mode === 'step' || studio.mode === 'compare') view.i = stepper.iteration;
  if (studio.mode === 'compare') view.methods = [...stepper.methods];
  if (ui.units === 'rad') view.units = 'rad';
  const camera = views.stage?.camera;
  if (camera) view.cam = { eye: camera.eyePosition, target: camera.state.target, ortho: camera.state.ortho };
  view.show = Object.entries(ui.show).filter(([, on]) => on).map(([name]) => name);
  if (studio.selected) view.selection = `${studio.selected.kind}:${studio.selected.name}`;
  return view;
}

function linked(): Scene {
  return studio.mode === 'step' || studio.mode === 'compare' ? { ...studio.scene, q: stepper.start.length ? [...stepper.start] : studio.scene.q } : studio.scene;
}

export function scheduleLink(): void {
  clearTimeout(timer);
  linkStats.pending = true;
  timer = window.setTimeout(() => void writeLink(), 250);
}

async function writeLink(): Promise<void> {
  if (studio.gesture) return scheduleLink();
  const names = studio.rig?.names ?? NO_NAMES;
  const asked = timer;
  const link = await encode(linked(), viewState(), names);
  if (asked === timer) linkStats.pending = false;
  if (!studio.rig && studio.mode !== 'chapter') return;
  if (!link.ok || link.fragment === written) return;
  written = link.fragment;
  linkStats.writes++;
  if (nowhere) return;
  // Back leads to the view before, and from the first scene to the gallery.
  if (writtenMode ? writtenMode !== studio.mode : location.hash === '') history.pushState(null, '', written);
  else history.replaceState(null, '', written);
  writtenMode = studio.mode;
}

export async function shareLink(): Promise<void> {
  if (!studio.rig && studio.mode !== 'chapter') {
    ui.toast({ title: 'Nothing to share yet', text: 'Open a model first.' });
    return;
  }
  const link = await encode(linked(), viewState(), studio.rig?.names ?? NO_NAMES);
  if (!link.ok) {
    ui.toast({ tone: 'warn', title: 'This scene does not fit into a link', text: `Packed it takes ${formatBytes(link.bytes)}; a link holds 24 kB. Save it as a file instead.`, sticky: true });
    return;
  }
  const url = new URL(link.fragment, location.href).href;
  try {
    await navigator.clipboard.writeText(url);
    ui.toast({ tone: 'ok', title: 'Link copied', text: location.protocol === 'file:' ? 'It leads to this file: whoever has it sees this scene.' : 'Whoever opens it sees this scene.' });
  } catch {
    ui.toast({ title: 'Copy this link', text: url, sticky: true });
  }
}

/** Back or forward in the browser: an address without a scene is the gallery, and from a gallery over the scene there is a way back. */
export async function goTo(fragment: string): Promise<void> {
  if (fragment && fragment === written) return void (ui.gallery = false);
  if (fragment) return void (await openLink(fragment));
  if (studio.mode !== 'chapter') views.linked = null;
  written = writtenMode = '';
  if (studio.mode === 'chapter' && studio.open) enterMode('pose');
  ui.gallery = studio.open;
}

/** Opens what the address holds. Returns whether it held something. */
export async function openLink(fragment: string): Promise<boolean> {
  const given = fragment ? undefined : carried?.given.scene;
  const decoded = given ? linkOf(given) : await decode(fragment);
  if (decoded === null) return false;
  if (!decoded.ok) {
    studio.toastError('The link was not opened', decoded.why);
    return false;
  }
  written = fragment;
  writtenMode = decoded.link.view.mode;
  const opened = apply(decoded.link);
  const left = opened ? decoded.link.leftOut : undefined;
  if (left) ui.toast({ title: 'Parts of this scene are not shown', text: `${left.join('; ')}.`, sticky: true });
  if (opened && given && studio.mode === 'pose' && decoded.link.scene?.goals.length) studio.solveNow(); // from the pose that it names
  return opened;
}

function apply(link: Link): boolean {
  const { view } = link;
  if (view.mode === 'chapter') {
    enterMode('chapter');
    if (view.allow) lessons.allow = view.allow;
    if (view.lesson) {
      lessons.open(view.lesson);
      return true;
    }
    lessons.on = false;
    chapter.open(view.figure ?? '5.7', view.i);
    return true;
  }
  if (view.mode === 'build' && !link.scene) {
    setMode('build');
    return true;
  }
  if (!link.scene || !studio.core) return false;
  const made = sceneFrom(link);
  if (typeof made === 'string') {
    studio.toastError('The link was not opened', made);
    return false;
  }
  const cam = view.cam;
  views.linked = cam && [...cam.eye, ...cam.target].every(Number.isFinite) ? cam : null;
  const error = studio.openModel(made.model, made.name, made);
  if (error) {
    views.linked = null;
    studio.toastError('The link was not opened', error.message);
    return false;
  }
  studio.solveStart = [...made.q];
  if (view.units) ui.setUnits(view.units);
  if (view.show) for (const flag of Object.keys(ui.show) as (keyof typeof ui.show)[]) ui.show[flag] = view.show.includes(flag);
  if (view.methods?.length) stepper.methods = view.methods.slice(0, 4);
  if (view.mode === 'step' || view.mode === 'compare') {
    studio.mode = view.mode;
    stepper.enter(view.i ?? 0, [...made.q]);
  } else {
    studio.mode = view.mode === 'build' ? 'build' : 'pose';
    if (!link.q && !link.pose) studio.solveNow();
  }
  if (view.selection) {
    const [kind, ...name] = view.selection.split(':');
    studio.select({ kind: kind as 'joint', name: name.join(':') });
  }
  return true;
}

/** The linked scene on the model as it is today: pose by name, goals only of links that exist. */
function sceneFrom(link: Link): Scene | string {
  const base = link.scene ?? emptyScene();
  const opened = studio.core!.source(base.model);
  if (!opened.ok) return opened.error.message;
  const rig = opened.rig;
  const first = firstScene(base.model, base.name, rig, studio.core!);
  if (link.q && link.q.length !== rig.model.nq) {
    rig.dispose();
    return `The link's pose has ${link.q.length} numbers; ${base.name} needs ${rig.model.nq}.`;
  }
  const q = link.q ?? (link.pose ? rig.poseOf(link.pose) : first.q);
  const missing = base.goals.find((g) => rig.link(g.link) < 0);
  const known = studio.core!.solver(base.solver.method);
  if (q !== first.q) rig.setPose(q);
  const goals = base.goals.length || q === first.q || first.goals.length === 0 ? base.goals : firstGoals(rig); // where that pose has them
  rig.dispose();
  if (missing) return `The link has a goal for “${missing.link}”, which ${base.name} does not have.`;
  if (!known) return `The link asks for a method “${base.solver.method}” that this studio does not know.`;
  const clip = isKeyed(base.clip) ? { ...base.clip, start: Array.from(q) } : first.clip;
  return { ...base, q: Array.from(q), clip, goals: goals.length ? goals : first.goals };
}
