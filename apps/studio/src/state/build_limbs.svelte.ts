// Limbs in Build: a mirror that is seen before it is taken, a copy that hangs on the pointer, ready-made parts, the end of a link moved by keys.
import { addPart, copyLimb, mirrorLimb, mirrorName, type Part } from '../logic/limb_edit';
import * as edit from '../logic/linkage_edit';
import type { Mat } from '../logic/linkage_edit';
import type { Vec3 } from '../logic/scene';
import { add, axisOf, cross, dist, dot, len, mul, origin, rotate, sub, unit } from '../logic/vec';
import { inverseApply } from '../view/drag_target';
import { bars } from '../view/planar';
import { build, type Anchor } from './build.svelte';
import { plane } from './build_plane.svelte';
import { studio } from './studio.svelte';
import { views } from './views';

export const MIRRORS = ['yz', 'xz', 'xy'] as const;
export type MirrorPlane = (typeof MIRRORS)[number];
/** Rows of a link's rotation, in the world. */
const turnOf = (link: number): Mat => [0, 1, 2].map((r) => [0, 1, 2].map((c) => studio.rig!.frames[16 * link + 4 * c + r]!)) as Mat;
const transposed = (m: Mat): Mat => [0, 1, 2].map((r) => [0, 1, 2].map((c) => m[c]![r]!)) as Mat;
const within = (link: number, turn: Mat): Mat => edit.timesMat(transposed(turnOf(link)), turn);

class Limbs {
  /** The limb that is seen mirrored, and across which of the world's planes. */
  mirroring = $state.raw<{ link: string; across: MirrorPlane } | null>(null);
  /** The limb whose copy hangs on the pointer, where it is, and the place under it that would take it. */
  copying = $state.raw<{ link: string; at: Vec3; onto: Anchor | null } | null>(null);

  /** The selected limb's first link. */
  get link(): string {
    return build.joint?.parent === undefined ? '' : build.joint.child;
  }
  private parent(link: string): number {
    return studio.rig!.link(edit.jointOf(build.json, link)?.parent ?? '');
  }

  // Mirror -------------------------------------------------------------------------------------------------
  toggleMirror(): void {
    if (this.mirroring || !this.link) return void (this.mirroring = null);
    const joint = origin(studio.rig!.frames, studio.rig!.link(this.link));
    const off = sub(joint, origin(studio.rig!.frames, this.parent(this.link))).map(Math.abs);
    // To the side that it stands on; without one across a flat linkage's y axis, or a solid one's side.
    const side = studio.model!.planar ? 0 : studio.model!.up === 'y' ? 2 : 1;
    off[studio.model!.up === 'y' ? 1 : 2] = 0; // left and right, not up and down
    const most = off.indexOf(Math.max(...off));
    this.mirroring = { link: this.link, across: MIRRORS[off[most]! > 1e-9 ? most : side]! };
  }
  setMirror(across: MirrorPlane): void {
    if (this.mirroring) this.mirroring = { ...this.mirroring, across };
  }
  /** Bars of the mirrored limb as it would be now. */
  mirrored(): [Vec3, Vec3][] {
    const { mirroring } = this;
    if (!mirroring || studio.rig!.link(mirroring.link) < 0) return [];
    const at = MIRRORS.indexOf(mirroring.across);
    const through = origin(studio.rig!.frames, this.parent(mirroring.link))[at]!;
    const flip = (p: Vec3): Vec3 => p.map((v, i) => (i === at ? 2 * through - v : v)) as Vec3;
    return this.barsOf(mirroring.link).map(([a, b]) => [flip(a), flip(b)]);
  }
  get mirrorNames(): string[] {
    return this.mirroring ? edit.subtree(build.json, this.mirroring.link).filter((l) => !edit.isTip(l)).map(mirrorName) : [];
  }
  applyMirror(): void {
    const { mirroring } = this;
    if (!mirroring) return;
    const parent = this.parent(mirroring.link);
    const n = [0, 1, 2].map((i) => axisOf(studio.rig!.frames, parent, i)[MIRRORS.indexOf(mirroring.across)]!) as Vec3; // in the parent's frame
    this.mirror(mirroring.link, n.map((v) => (Math.abs(v) > 1 - 1e-12 ? Math.sign(v) : Math.abs(v) < 1e-12 ? 0 : v)) as Vec3);
  }
  /** At once: `normal` in the frame of the limb's parent. */
  mirror(link: string, normal: Vec3 | 0 | 1 | 2): void {
    this.mirroring = null;
    const made = mirrorLimb(build.json, link, normal);
    this.take(`mirror ${link}`, made);
  }
  private take(label: string, made: { json: edit.LinkageJson; link: string }): void {
    build.change(label, made.json);
    if (!build.problem) studio.select({ kind: 'joint', name: edit.jointOf(build.json, made.link)!.name });
  }
  private barsOf(link: string): [Vec3, Vec3][] {
    const rig = studio.rig!;
    const limb = new Set(edit.subtree(build.json, link));
    return bars(rig.model, rig.frames).filter((b) => limb.has(rig.model.links[b.link]!.name)).map((b) => [b.from, b.to]);
  }

  // Copy ---------------------------------------------------------------------------------------------------
  copy(): void {
    if (this.copying || !this.link) return void (this.copying = null);
    this.copying = { link: this.link, at: origin(studio.rig!.frames, studio.rig!.link(this.link)), onto: null };
  }
  hang(x: number, y: number): void {
    if (!this.copying) return;
    const onto = build.anchorAt(x, y);
    const at = onto?.world ?? plane.point(x, y, this.copying.at, { free: true });
    if (at) this.copying = { ...this.copying, at, onto };
  }
  hanging(): [Vec3, Vec3][] {
    const { copying } = this;
    if (!copying || studio.rig!.link(copying.link) < 0) return [];
    const by = sub(copying.at, origin(studio.rig!.frames, studio.rig!.link(copying.link)));
    return this.barsOf(copying.link).map(([a, b]) => [add(a, by), add(b, by)]);
  }
  /** Puts the copy on the place under it, turned as it is seen. Without one it stays in hand. */
  drop(onto = this.copying?.onto ?? null): void {
    const { copying } = this;
    if (!copying || !onto) return;
    this.copying = null;
    const rig = studio.rig!;
    const world = edit.timesMat(turnOf(this.parent(copying.link)), edit.placed(edit.jointOf(build.json, copying.link)!.origin).turn);
    this.take(`copy ${copying.link}`, copyLimb(build.json, copying.link, { link: onto.link, at: onto.at }, within(rig.link(onto.link), world)));
  }
  /** Where the original is: for keys, which have no pointer. */
  dropBeside(): void {
    const joint = this.copying && edit.jointOf(build.json, this.copying.link);
    if (joint) this.drop({ link: joint.parent!, at: edit.placed(joint.origin).xyz, world: [0, 0, 0] });
  }

  // Parts --------------------------------------------------------------------------------------------------
  /** Where a part goes: the end of the selected link, else the ground. */
  get target(): string {
    return this.link;
  }
  addPart(part: Part): void {
    const rig = studio.rig!;
    const { json } = build;
    const scale = build.empty ? 1 : 10 ** Math.round(Math.log10(rig.model.reach / 1.5));
    const up = build.empty ? (part.solid || json.up === 'z' ? 'z' : 'y') : rig.model.up;
    const stands = edit.matrixOfRpy([up === 'z' ? Math.PI / 2 : 0, 0, 0]); // y of a part is up, on links as well
    if (this.target) {
      const at: Vec3 = [edit.lengthOf(json, this.target), 0, 0];
      this.take(`add ${part.name}`, addPart(json, part, { link: this.target, at }, within(rig.link(this.target), stands), scale));
    } else {
      const taken = build.anchors().slice(1).map((a) => a.world[0]);
      const low = Math.min(0, ...part.links.flatMap((l) => [l[3][1], l[4][1]])) * scale;
      const place: Vec3 = [taken.length ? (Math.ceil(Math.max(...taken) / scale / 0.05) * 0.05 + 0.2) * scale : 0, 0, 0];
      place[up === 'z' ? 2 : 1] = -low;
      const ground = rig.model.links[0]!.name;
      this.take(`add ${part.name}`, addPart({ ...json, ...(build.empty ? { up } : {}) }, part, { link: ground, at: inverseApply(rig.frames, 0, place) }, within(0, stands), scale));
    }
    requestAnimationFrame(() => views.stage?.frameAll());
  }

  // Keys ---------------------------------------------------------------------------------------------------
  /** The end of the selected link by one step, to the right and up as it is seen; what hangs there goes along. */
  nudge(dx: number, dy: number, fine: boolean): boolean {
    const { joint } = build;
    const length = joint ? edit.lengthOf(build.json, joint.child) : 0;
    if (!joint || length <= 0) return false;
    const rig = studio.rig!;
    const [u, v] = plane.directions;
    const { right, above } = views.stage!.camera.basis;
    /** Of the plane's directions the one that is seen that way. */
    const seen = (to: Vec3): Vec3 => { const best = Math.abs(dot(u, to)) >= Math.abs(dot(v, to)) ? u : v; return mul(best, Math.sign(dot(best, to)) || 1); };
    const [from, end] = build.axisOf(joint.child);
    const step = (plane.stepLength || 0.01) * (fine ? 0.1 : 1);
    const to = add(end, mul(add(mul(seen(right), dx), mul(seen(above), dy)), step));
    const way = sub(to, from);
    if (len(way) < 1e-6) return false;
    const old = unit(sub(end, from));
    const axis = cross(old, unit(way));
    const angle = Math.atan2(len(axis), dot(old, unit(way)));
    const { xyz, turn } = edit.placed(joint.origin);
    const parent = joint.parent === undefined ? 0 : rig.link(joint.parent);
    const turned = (p: Vec3): Vec3 => (angle > 1e-12 ? rotate(p, unit(axis), angle) : p);
    const columns = transposed(edit.timesMat(turnOf(parent), turn)).map(turned) as Mat; // of the joint's frame in the world
    const placed = edit.originAt(xyz, within(parent, transposed(columns)));
    const json = edit.setLength(build.json, joint.child, Number(dist(from, to).toPrecision(12)));
    build.change(`move the end of ${joint.child}`, edit.setOrigin(json, joint.name, placed.xyz!, placed.rpy!), `end ${joint.child}`);
    return true;
  }
  /** The next joint from the root on; false behind the last. */
  walk(by: 1 | -1): boolean {
    const moving = studio.model?.joints.filter((j) => j.nv > 0) ?? [];
    const at = moving.findIndex((j) => j.name === build.joint?.name);
    const next = moving[at < 0 ? (by > 0 ? 0 : moving.length - 1) : at + by];
    studio.select(next ? { kind: 'joint', name: next.name } : null);
    return next !== undefined;
  }
  cancel(): boolean {
    const was = this.mirroring ?? this.copying;
    this.mirroring = this.copying = null;
    return was !== null;
  }
  /** Flat or solid: the same linkage with z up instead of y, or back where that leaves it flat. */
  setSolid(solid: boolean): void {
    if (solid !== studio.model!.planar) return;
    if (build.empty) return build.fresh(solid ? 'z' : 'y');
    build.change(solid ? 'draw in space' : 'draw on the plane', edit.turnedUp(build.json, solid ? 'z' : 'y'));
    requestAnimationFrame(() => views.stage?.frameAll());
  }
}
export const limbs = new Limbs();

/** A point of the world in the draw plane's own two directions, for its picture. */
export const planeCorner = (a: number, b: number): Vec3 => { const [u, v] = plane.directions; return add(plane.through, add(mul(u, a), mul(v, b))); };
