// Build: the linkage is drawn and changed in its own JSON; the core reads every change before it counts, and says what is wrong
// with it otherwise. Each change is one undo entry. Pose and Build share the scene: what is drawn can be posed at once.
import type { Edit } from '@armature';
import { base64Of, mistake, type Rig } from '../core/core';
import * as edit from '../logic/linkage_edit';
import type { LinkageJson, LoopEnd } from '../logic/linkage_edit';
import type { Scene, SceneGoal, Vec3 } from '../logic/scene';
import { apply, cross, dist, origin, quatFromFrame, segmentDistance, sub, unit } from '../logic/vec';
import { floats } from '../logic/model';
import { pickLink } from '../view/pick';
import { inverseApply } from '../view/drag_target';
import { plane } from './build_plane.svelte';
import { goalFor } from './first_scene';
import { studio } from './studio.svelte';
import { views } from './views';

export type BuildTool = 'select' | 'draw' | 'length' | 'limits' | 'tip' | 'close' | 'shape';

/** A place where links meet: a link's joint or its end. */
export interface Anchor extends LoopEnd {
  world: Vec3;
}
export interface Preview {
  from: Anchor;
  to: Vec3;
  /** The end is on another link: a loop would be closed. */
  onto: Anchor | null;
}
/** A loop that is about to be closed: which joint should close it. */
export interface Closing {
  json: LinkageJson;
  a: LoopEnd;
  b: LoopEnd;
  apart: number;
  /** What was drawn: seen until one is chosen. */
  drawn: Preview | null;
  choices: { type: string; label: string; mobility: number | null; why: string }[];
}
const PICK = 16;

class Build {
  tool = $state<BuildTool>('draw');
  /** Type of the joints that are drawn next. */
  next = $state<string>('revolute');
  /** Tips can be dragged, as in Pose. */
  live = $state(true);
  /** Where the strip of joint types stands, in the view. */
  picker = $state.raw<{ x: number; y: number } | null>(null);
  preview = $state.raw<Preview | null>(null);
  closing = $state.raw<Closing | null>(null);
  /** Limits of the selected joint while they are pulled. */
  limits = $state.raw<{ joint: string; lower: number; upper: number; /** The upper one is a ball's swing. */ swing?: boolean } | null>(null);
  /** The axis of the selected joint while it is turned, in the joint's own frame. */
  axis = $state.raw<{ joint: string; axis: Vec3 } | null>(null);
  /** The link whose thickness is pulled. */
  thick = $state.raw<{ link: string; radius: number } | null>(null);
  /** What the core said against the last change. */
  problem = $state('');
  private kept: { rig: Rig; json: LinkageJson } | null = null;

  /** The linkage as its own text has it. */
  get json(): LinkageJson {
    const { rig } = studio;
    if (!rig) return edit.emptyLinkage();
    if (this.kept?.rig !== rig) this.kept = { rig, json: edit.parseLinkage(rig.core.write('json').bytes) };
    return this.kept.json;
  }
  get empty(): boolean {
    return (studio.model?.links.length ?? 0) <= 1;
  }

  /** On its side, the linkage would lie in the plane of a flat view. */
  get flatWhenTurned(): boolean {
    const { core } = studio;
    if (!core || studio.model!.up === 'y') return studio.model!.planar;
    try {
      const turned = core.module.readModel(JSON.stringify(edit.turnedUp(this.json, 'y')), 'turned.json');
      const flat = turned.planar;
      turned.delete();
      return flat;
    } catch {
      return false;
    }
  }

  /** Begins with nothing but the ground. */
  fresh(up: 'y' | 'z' = 'y'): void {
    this.tool = 'draw';
    this.cancel();
    const bytes = new TextEncoder().encode(JSON.stringify(edit.emptyLinkage(up)));
    const error = studio.openModel({ file: { name: 'linkage.json', base64: base64Of(bytes) } }, 'linkage', { goals: [] });
    if (error) studio.toastError('Nothing was begun', error.message);
  }

  /** A linkage as a figure, when the core takes it. */
  private read(json: LinkageJson): { rig: Rig; named: Pick<Scene, 'model' | 'name'> } | null {
    const name = studio.scene.name.replace(/\.[^.]+$/, '') || json.name;
    const model = { file: { name: `${name}.json`, base64: base64Of(new TextEncoder().encode(JSON.stringify(json))) } };
    const opened = studio.core!.source(model);
    this.problem = opened.ok ? '' : opened.error.message;
    return opened.ok ? { rig: opened.rig, named: { model, name } } : null;
  }
  /** Makes a changed linkage the scene's model, with pose and goals as far as they still exist. */
  apply(label: string, json: LinkageJson, key?: string): boolean {
    const { rig: old, scene } = studio;
    const made = this.read(json);
    if (!made) return false;
    const { rig, named } = made;
    const q = Array.from(rig.names.neutral);
    for (const joint of rig.model.joints) {
      const before = old?.model.joints[old.joint(joint.name)];
      if (before && before.nq === joint.nq && before.type === joint.type) for (let i = 0; i < joint.nq; i++) q[joint.q + i] = scene.q[before.q + i] ?? q[joint.q + i]!;
    }
    // Loops that do not close are said by the checks: the linkage is changed all the same.
    rig.setPose(rig.model.closures.length > 0 ? rig.core.assemble(q).q : q);
    rig.scene.clamp();
    const kept = scene.goals.filter((g) => rig.link(g.link) >= 0).map((g) => follow(rig, g));
    const tip = rig.model.effectors[rig.model.effectors.length - 1];
    const goals = kept.length || tip === undefined || rig.model.dof === 0 || rig.model.closures.length > 0 ? kept : [goalFor(rig, tip)];
    studio.replaceModel(label, rig, { ...scene, ...named, q: Array.from(rig.q), goals, joints: {}, poses: [] }, key);
    return true;
  }
  /** `key`: changes of the same thing in a row, as a number that is scrubbed makes them, are one entry. */
  change(label: string, json: LinkageJson, key?: string): void {
    if (!this.apply(label, json, key)) studio.toastError('The linkage was not changed', this.problem);
  }

  // Drawing ------------------------------------------------------------------------------------------------

  anchors(): Anchor[] {
    const rig = studio.rig;
    if (!rig) return [];
    const place = (i: number, x: number): Anchor => ({ link: rig.model.links[i]!.name, at: [x, 0, 0], world: apply(rig.frames, [x, 0, 0], 16 * i) });
    const links = rig.model.links.map((_, i) => i).filter((i) => !edit.isTip(rig.model.links[i]!.name));
    // A body that floats carries what is drawn at its own start (a hip); other joints belong to the link that they end.
    return [...links.filter((i) => i > 0 && floats(rig.model, i)).map((i) => place(i, 0)), ...links.map((i) => place(i, i === 0 ? 0 : edit.lengthOf(this.json, rig.model.links[i]!.name)))];
  }
  anchorAt(x: number, y: number, but = ''): Anchor | null {
    const camera = views.stage!.camera;
    return this.anchors().find((a) => { const p = camera.project(a.world); return a.link !== but && Math.hypot(p.x - x, p.y - y) < PICK; }) ?? null;
  }
  /** Steps lead to a place where links meet: that is meant, not the ground behind it. */
  private anchorOn(at: Vec3, but = ''): Anchor | null {
    return this.anchors().find((a) => a.link !== but && dist(a.world, at) < 1e-6) ?? null;
  }
  /** Where a press at this place begins a link; null: not here. */
  start(x: number, y: number): Anchor | null {
    const rig = studio.rig;
    if (!rig) return null;
    if (this.tool === 'limits' || this.tool === 'tip') return null; // these are clicks
    const anchor = this.tool === 'shape' ? null : this.anchorAt(x, y);
    if (anchor || (this.tool !== 'draw' && this.tool !== 'shape')) return anchor;
    const hit = pickLink(rig.model, rig.frames, views.stage!.camera, x, y);
    const length = hit ? edit.lengthOf(this.json, rig.model.links[hit.link]!.name) : 0;
    if (hit && hit.link > 0 && length > 0) { // on a link's side: there, in steps
      const step = plane.stepLength || 1e-9;
      const along = Math.max(0, Math.min(length, Math.round(inverseApply(rig.frames, hit.link, hit.point)[0] / step) * step));
      return { link: rig.model.links[hit.link]!.name, at: [along, 0, 0], world: apply(rig.frames, [along, 0, 0], 16 * hit.link) };
    }
    if (this.tool === 'shape') return null;
    const ground = plane.point(x, y, plane.through);
    const there = ground && this.anchorOn(ground);
    return there ?? (ground ? { link: rig.model.links[0]!.name, at: inverseApply(rig.frames, 0, ground), world: ground } : null);
  }
  /** `free`: in no steps; `same`: as long as the last link. */
  move(from: Anchor, x: number, y: number, free: boolean, same = false): void {
    if (this.tool === 'shape') return this.pullSide(from, x, y);
    const last = same ? edit.lengthOf(this.json, this.json.links.filter((l) => !edit.isTip(l.name)).at(-1)!.name) : 0;
    const point = plane.point(x, y, from.world, { free, from: this.tool === 'draw' ? from.world : null, length: last }) ?? from.world;
    const onto = this.tool === 'length' || last > 0 ? null : (this.anchorAt(x, y, from.link) ?? this.anchorOn(point, from.link));
    const to = onto?.world ?? point;
    this.preview = { from, to, onto: onto && (onto.link !== studio.model!.links[0]!.name || this.tool === 'close') ? onto : null };
  }
  /** Shape: as thick as the pointer is away from the link's axis. */
  private pullSide(from: Anchor, x: number, y: number): void {
    const { camera } = views.stage!;
    const [a, b] = this.axisOf(from.link).map((p) => camera.project(p));
    const px = segmentDistance(x, y, a!.x, a!.y, b!.x, b!.y);
    this.thick = { link: from.link, radius: Math.max(1e-3 * studio.model!.reach, Number((px / camera.pixelsPerUnit(from.world)).toPrecision(2))) };
  }
  /** Both ends of a drawn link. */
  axisOf(link: string): [Vec3, Vec3] {
    const { frames } = studio.rig!;
    const at = 16 * studio.rig!.link(link);
    return [apply(frames, [0, 0, 0], at), apply(frames, [edit.lengthOf(this.json, link), 0, 0], at)];
  }
  /** A click that a tool takes for itself. */
  click(x: number, y: number): boolean {
    if (this.tool !== 'tip') return false;
    const anchor = this.anchorAt(x, y);
    if (anchor) this.addTip(anchor.link);
    return anchor !== null;
  }
  finish(): void {
    const { preview: drawn, thick } = this;
    this.preview = null;
    this.thick = null;
    const look = thick && edit.lookOf(this.json, thick.link);
    if (look) return this.setLook(thick.link, { ...look, radius: thick.radius });
    if (!drawn || !studio.rig) return;
    if (this.tool === 'length') return this.setLength(drawn.from.link, Math.max(1e-3, this.along(drawn)));
    if (this.tool === 'close') return drawn.onto ? this.close(this.json, drawn.from, drawn.onto, drawn) : undefined;
    const length = dist(drawn.from.world, drawn.to);
    if (length < 1e-6) return;
    const made = this.linkAlong(drawn, length);
    if (drawn.onto) this.close(made.json, { link: made.link, at: [length, 0, 0] }, drawn.onto, drawn);
    else this.change(`draw ${made.link}`, made.json);
    if (this.next === 'planar') this.next = 'revolute'; // one body floats, its limbs turn
    studio.select({ kind: 'joint', name: made.joint });
  }
  /** The limits or the axis that were pulled become the joint's. */
  finishHandle(): void {
    const { limits, axis } = this;
    this.limits = this.axis = null;
    studio.seal(); // an entry of its own, however soon after another
    if (axis) this.setAxis(axis.joint, axis.axis);
    if (!limits) return;
    if (limits.swing) this.setSwing(limits.joint, limits.upper);
    else this.setLimits(limits.joint, limits.lower, limits.upper);
  }
  /** Drops what is in hand. Returns whether there was something. */
  cancel(): boolean {
    const was = this.preview ?? this.closing ?? this.picker ?? this.thick;
    this.preview = this.limits = this.axis = this.closing = this.picker = this.thick = null;
    return was !== null;
  }
  /** How far along its link an end was pulled. */
  private along({ from, to }: Preview): number {
    const rig = studio.rig!;
    return inverseApply(rig.frames, rig.link(from.link), to)[0];
  }
  private linkAlong({ from, to }: Preview, length: number) {
    const rig = studio.rig!;
    const z = plane.normal;
    const x = unit(sub(to, from.world));
    const y = cross(z, x);
    const parent = rig.link(from.link);
    const axes = [0, 1, 2].map((k) => [0, 1, 2].map((r) => rig.frames[16 * parent + 4 * k + r]!) as Vec3); // columns of the parent's frame
    const relative = axes.map((a) => [x, y, z].map((b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2])) as [Vec3, Vec3, Vec3];
    const clean = (v: Vec3): Vec3 => v.map((c) => Number(c.toPrecision(12))) as Vec3;
    const widest = Math.max(length, ...rig.model.links.map((l) => edit.lengthOf(this.json, l.name)));
    return edit.addLink(this.json, { parent: from.link, at: clean(from.at), rpy: clean(edit.rpyOfMatrix(relative)), length: Number(length.toPrecision(12)), radius: Number((0.04 * widest).toPrecision(3)), type: this.next });
  }

  /** Asks which joint should close the loop, each with the mobility that it gives. */
  private close(json: LinkageJson, a: LoopEnd, b: LoopEnd, drawn: Preview): void {
    const { core } = studio;
    if (!core) return;
    const rig = studio.rig!;
    const at = (end: LoopEnd) => (rig.link(end.link) >= 0 ? apply(rig.frames, end.at, 16 * rig.link(end.link)) : null);
    const [pa, pb] = [at(a), at(b)];
    const apart = pa && pb ? Number(dist(pa, pb).toPrecision(12)) : 0;
    const choices = edit.CLOSING_TYPES.map(({ type, label }) => {
      if (type === 'rod' && apart < 1e-9) return { type, label, mobility: null, why: 'The ends meet: there is no length to keep.' };
      try {
        const model = core.module.readModel(JSON.stringify(edit.closeLoop(json, a, b, type, undefined, apart).json), 'loop.json');
        const found = model.mechanism();
        model.delete();
        return { type, label, mobility: found.assembled ? found.mobility : null, why: found.assembled ? '' : (found.notes[0] ?? 'does not close') };
      } catch (error) {
        return { type, label, mobility: null, why: mistake(error).message };
      }
    });
    this.closing = { json, a, b, apart, drawn, choices };
  }
  closeWith(type: string): void {
    const { closing } = this;
    this.closing = null;
    if (!closing) return;
    const made = edit.closeLoop(closing.json, closing.a, closing.b, type, undefined, closing.apart);
    this.change(`close ${made.closure}`, made.json);
  }

  // Panel --------------------------------------------------------------------------------------------------

  get joint(): edit.JointJson | null {
    const s = studio.selected;
    if (s?.kind === 'joint') return this.json.joints.find((j) => j.name === s.name) ?? null;
    const link = s?.kind === 'link' ? s.name : s?.kind === 'goal' ? studio.scene.goals.find((g) => g.id === s.name)?.link : undefined;
    const joint = link ? edit.jointOf(this.json, link) : undefined;
    if (joint && edit.isTip(joint.child)) return edit.jointOf(this.json, joint.parent!) ?? null;
    return joint ?? null;
  }
  setType(joint: string, type: string): void {
    this.change(`make ${joint} a ${type} joint`, edit.setJointType(this.json, joint, type));
  }
  setAxis(joint: string, axis: Vec3): void {
    if (axis.some((v) => Math.abs(v) > 1e-9)) this.change(`axis of ${joint}`, edit.setAxis(this.json, joint, unit(axis).map((v) => Number(v.toFixed(12))) as Vec3), `axis ${joint}`);
  }
  setOrigin(joint: string, xyz: Vec3, rpy: Vec3): void {
    this.change(`place of ${joint}`, edit.setOrigin(this.json, joint, xyz, rpy), `place ${joint}`);
  }
  setLook(link: string, look: edit.Look): void {
    const old = edit.lookOf(this.json, link);
    this.change(`look of ${link}`, edit.setLook(this.json, link, look), old?.radius === look.radius ? undefined : `thickness ${link}`);
  }
  setLimits(joint: string, lower: number, upper: number): void {
    this.change(`limits of ${joint}`, edit.setLimits(this.json, joint, Math.min(lower, upper), Math.max(lower, upper)));
  }
  /** How far a ball swings from where its link points at rest; infinite: any way. */
  setSwing(joint: string, swing: number): void {
    this.change(`swing of ${joint}`, edit.setSwing(this.json, joint, swing), `swing ${joint}`);
  }
  setLength(link: string, length: number): void {
    this.change(`length of ${link}`, edit.setLength(this.json, link, Number(length.toPrecision(6))), `length ${link}`);
  }
  /** The core renames, with every reference; pose, goals and locks stay. Returns why not. */
  rename(kind: 'link' | 'joint', from: string, to: string): string {
    const name = to.trim();
    const { rig, scene } = studio;
    if (name === from || !name || !rig) return '';
    const taken = (n: string) => (kind === 'link' ? rig.link(n) : rig.joint(n)) >= 0;
    if (taken(name)) return `${name} is already a ${kind}. Try ${edit.freeName(this.json, name.replace(/_?\d+$/, ''))}.`;
    // A tip is called after its link, and its mount after both.
    const ends = kind === 'link' && taken(`${from}_tip`) && !taken(`${name}_tip`) ? ['', '_tip'] : [''];
    const names = new Map(ends.map((end) => [from + end, name + end]));
    const mount = [from, name].map((n) => `${n}_tip_mount`);
    const changes: Edit[] = [...names].map(([n, next]) => ({ edit: 'rename', [kind]: n, to: next }));
    if (names.size > 1 && rig.joint(mount[0]!) >= 0 && rig.joint(mount[1]!) < 0) changes.push({ edit: 'rename', joint: mount[0]!, to: mount[1]! });
    let json: LinkageJson;
    try {
      const edited = rig.core.edit(changes);
      json = edit.parseLinkage(edited.write('json').bytes);
      edited.delete();
    } catch (error) {
      return mistake(error).message;
    }
    const made = this.read(json);
    if (!made) return this.problem;
    made.rig.setPose(scene.q);
    const after = (n: string, what: string) => (what === kind ? names.get(n) : undefined) ?? n;
    studio.replaceModel(`rename ${from}`, made.rig, { ...scene, ...made.named, goals: scene.goals.map((g) => ({ ...g, link: after(g.link, 'link') })), joints: Object.fromEntries(Object.entries(scene.joints).map(([n, v]) => [after(n, 'joint'), v])) });
    studio.select({ kind, name });
    return '';
  }
  remove(link: string): void {
    studio.select(null);
    this.change(`delete ${link}`, edit.removeLink(this.json, link));
  }
  addTip(link: string): void {
    this.change(`tip of ${link}`, edit.addTip(this.json, link));
  }
  setRod(closure: string, length: number): void {
    const json = this.json;
    this.change(`length of ${closure}`, { ...json, closures: json.closures!.map((c) => (c.name === closure ? { ...c, length } : c)) }, `length ${closure}`);
  }
  openLoop(closure: string): void {
    const json = this.json;
    this.change(`open ${closure}`, { ...json, closures: json.closures?.filter((c) => c.name !== closure) });
  }
}

function follow(rig: Rig, goal: SceneGoal): SceneGoal {
  const link = rig.link(goal.link);
  return { ...goal, position: origin(rig.frames, link), quaternion: quatFromFrame(rig.frames, link) };
}

export const build = new Build();
