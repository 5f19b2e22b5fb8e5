// What the core has to say about the linkage in Build, each sentence with the thing it is about and, where one change mends it, that change: one undo entry.
import { placed, timesVec } from '../logic/linkage_edit';
import type { Vec3 } from '../logic/scene';
import { add, apply, applyDirection, dot, mul, sub } from '../logic/vec';
import { inverseApply } from '../view/drag_target';
import { build } from './build.svelte';
import { studio } from './studio.svelte';
import { views } from './views';

export interface Check {
  tone: 'ok' | 'warn' | 'bad' | 'info';
  text: string;
  /** Selects what it is about, and brings it into view. */
  show?: (() => void) | undefined;
  mend?: { label: string; run: () => void } | undefined;
}

function showing(kind: 'joint' | 'link', name: string): () => void {
  return () => {
    studio.select({ kind, name });
    views.stage?.frameSelection();
  };
}
const jointIn = (text: string): string | undefined => [...text.matchAll(/'([^']+)'/g)].map((m) => m[1]!).find((n) => studio.rig!.joint(n) >= 0);
/** Of a sentence that quotes a name. */
function quoted(text: string): Check['show'] {
  const { rig } = studio;
  for (const [, name = ''] of text.matchAll(/'([^']+)'/g)) {
    if (rig!.joint(name) >= 0) return showing('joint', name);
    if (rig!.link(name) >= 0) return showing('link', name);
    const closure = build.json.closures?.find((c) => c.name === name);
    if (closure?.a.link) return showing('link', closure.a.link);
  }
  return undefined;
}

/** Moves the second frame of a loop into the plane of the first, along the axis that no joint of the loop can cross. */
function moveToPlane(name: string): void {
  const { json } = build;
  const rig = studio.rig!;
  const closure = json.closures!.find((c) => c.name === name)!;
  const [a, b] = [closure.a, closure.b].map((s) => ({ link: rig.link(s.link), ...placed(s.origin) })) as [Side, Side];
  const world = (s: Side) => (s.link < 0 ? s.xyz : apply(rig.frames, s.xyz, 16 * s.link));
  const own = timesVec(a.turn, closure.axis ?? [0, 0, 1]);
  const axis = a.link < 0 ? own : applyDirection(rig.frames, own, 16 * a.link);
  const to = add(world(b), mul(axis, dot(sub(world(a), world(b)), axis)));
  const xyz = (b.link < 0 ? to : inverseApply(rig.frames, b.link, to)).map((v) => Number(v.toPrecision(12))) as Vec3;
  build.change(`move ${name} to the plane`, { ...json, closures: json.closures!.map((c) => (c === closure ? { ...c, b: { ...c.b, origin: { ...c.b.origin, xyz } } } : c)) });
}
type Side = { link: number } & ReturnType<typeof placed>;

const driving = (label: string, drives: string[]): Check['mend'] => ({ label, run: () => build.change(label.toLowerCase(), { ...build.json, drives }) });
const unlimited = (joint: string | undefined): Check['mend'] => (joint === undefined ? undefined : { label: 'Remove its limits', run: () => build.setLimits(joint, -Infinity, Infinity) });

function loops(): Check[] {
  const m = studio.rig!.core.mechanism(studio.scene.q);
  const drives = build.json.drives ?? [];
  const [free, fights] = [m.free_joints[0], m.fighting.find((f) => drives.includes(f))];
  const out: Check[] = m.notes.map((text) => {
    const open = m.never_close.find((n) => text.includes(`'${n.closure}'`));
    const joint = /limits/.test(text) ? jointIn(text) : undefined;
    if (open) return { tone: 'bad', text, show: quoted(text), mend: { label: 'Move to plane', run: () => moveToPlane(open.closure) } };
    if (joint) return { tone: 'warn', text, show: quoted(text), mend: unlimited(joint) };
    if (fights && /^The drives fight/.test(text)) return { tone: 'warn', text, show: showing('joint', fights), mend: driving(`Do not drive ${fights}`, drives.filter((d) => d !== fights)) };
    if (free && /^The drives leave/.test(text)) return { tone: 'info', text, show: showing('joint', free), mend: driving(`Drive ${free}`, [...drives, free]) };
    return { tone: m.assembled ? 'info' : 'bad', text, show: quoted(text) };
  });
  const first = m.drives[0];
  if (m.assembled && first && !m.drives_given && m.mobility > 0) out.push({ tone: 'info', text: `No drive is chosen. ${first} would move ${m.mobility === 1 ? 'everything' : 'a part of it'}.`, show: showing('joint', first), mend: driving(`Drive ${first}`, [first]) });
  return out;
}

export function checks(): Check[] {
  const { rig } = studio;
  if (!rig) return [];
  const out: Check[] = build.problem ? [{ tone: 'bad', text: build.problem, show: quoted(build.problem) }] : [];
  for (const text of rig.core.notes) {
    const effector = /^The effector '(.+?)' is not a link/.exec(text)?.[1];
    const mend = effector !== undefined ? { label: 'Forget it', run: () => build.change(`forget ${effector}`, { ...build.json, effectors: build.json.effectors!.filter((e) => e !== effector) }) } : /limits/.test(text) ? unlimited(jointIn(text)) : undefined;
    out.push({ tone: 'warn', text, show: quoted(text), mend });
  }
  if (rig.model.closures.length > 0) out.push(...loops());
  if (out.length === 0) out.push({ tone: 'ok', text: build.empty ? 'Drag in the view to draw the first link.' : 'The core reads this linkage without a remark.' });
  return out;
}
