// Pointer, touch and wheel in the view, as one small state machine. It picks, moves the camera, and
// drives the studio's gestures; it never draws. The latest pointer position is used once per frame.
import type { Camera } from '../logic/camera';
import type { Quat, Scene, Vec3 } from '../logic/scene';
import { changeGoal } from '../logic/scene';
import { add, apply, dot, matMul, mul, origin, quatAbout, quatMul, rayLine, rayPlane, sub, unit } from '../logic/vec';
import { stepper } from '../state/stepper.svelte';
import { studio } from '../state/studio.svelte';
import { ui } from '../state/ui.svelte';
import { axisDirection, pickGizmo, type Handle } from './gizmo';
import { pickGoal, pickLink, pickPole } from './pick';

export interface DragInfo {
  kind: 'goal' | 'pole' | 'link' | 'point' | 'camera';
  name: string;
}

type Drag =
  | { kind: 'goal'; id: string; handle: Handle; start: Vec3; turn: Quat; grab: Vec3; angle: number; offset: Vec3 }
  | { kind: 'pole'; id: string; start: Vec3; offset: Vec3 }
  | { kind: 'point'; link: number; local: Vec3; start: Vec3; offset: Vec3; only: number; name: string }
  | CameraDrag;
type CameraDrag = { kind: 'orbit' } | { kind: 'pan' } | { kind: 'zoom' };
type ThingDrag = Exclude<Drag, CameraDrag>;

export interface Host {
  camera: Camera;
  element: HTMLElement;
  redraw(): void;
  dragChanged(info: DragInfo | null): void;
  menu(x: number, y: number): void;
  frameSelection(): void;
}

const SNAP_ANGLE = (5 * Math.PI) / 180;

export class Interaction {
  private drag: Drag | null = null;
  private down: { x: number; y: number; moved: boolean; touch: boolean; button: number; shift: boolean } | null = null;
  private last = { x: 0, y: 0 };
  private pending: PointerEvent | null = null;
  private request = 0;
  private fineFrom: { x: number; y: number } | null = null;
  private touches = new Map<number, { x: number; y: number }>();
  private pinch: { distance: number; x: number; y: number } | null = null;
  private pressTimer = 0;
  private tap = { time: 0, x: 0, y: 0, fingers: 0 };
  /** Axis keys pressed while dragging: 'x' keeps to that axis, again: to its plane. */
  private constraint: { axis: 0 | 1 | 2; plane: boolean } | null = null;
  private space = false;

  constructor(private host: Host) {
    const el = host.element;
    el.addEventListener('pointerdown', this.onDown);
    el.addEventListener('pointermove', this.onMove);
    el.addEventListener('pointerup', this.onUp);
    el.addEventListener('pointercancel', this.onCancel);
    el.addEventListener('wheel', this.onWheel, { passive: false });
    el.addEventListener('contextmenu', this.onMenu);
    el.addEventListener('dblclick', this.onDouble);
    el.addEventListener('pointerleave', () => this.hover(null));
  }

  get dragging(): boolean {
    return this.drag !== null && this.drag.kind !== 'orbit' && this.drag.kind !== 'pan' && this.drag.kind !== 'zoom';
  }
  get activeHandle(): Handle | null {
    return this.drag?.kind === 'goal' ? this.drag.handle : null;
  }

  private at(e: PointerEvent | WheelEvent | MouseEvent): { x: number; y: number } {
    const box = this.host.element.getBoundingClientRect();
    return { x: e.clientX - box.left, y: e.clientY - box.top };
  }
  private gizmo() {
    const g = studio.selectedGoal;
    if (!g || !g.visible || g.pinned || !studio.rig) return null;
    return { position: g.position, quaternion: g.quaternion, local: ui.local, tool: ui.tool, planar: studio.rig.model.planar, active: this.activeHandle, goal: g };
  }

  private onDown = (e: PointerEvent): void => {
    const p = this.at(e);
    const touch = e.pointerType === 'touch';
    (this.host.element as HTMLElement).focus({ preventScroll: true });
    this.host.element.setPointerCapture(e.pointerId);
    if (touch) {
      this.touches.set(e.pointerId, p);
      this.tap.fingers = Math.max(this.tap.fingers, this.touches.size);
      if (this.touches.size === 1) this.tap = { time: performance.now(), x: p.x, y: p.y, fingers: 1 };
      if (this.touches.size >= 2) {
        clearTimeout(this.pressTimer);
        if (this.dragging) this.cancel();
        this.drag = null;
        this.pinch = this.pinchNow();
        return;
      }
    }
    this.last = p;
    this.down = { ...p, moved: false, touch, button: e.button, shift: e.shiftKey };
    this.constraint = null;
    if (e.button === 1 || (e.button === 2 && e.shiftKey) || (e.button === 0 && this.space)) this.drag = { kind: 'pan' };
    else if (e.button === 2) this.drag = { kind: 'orbit' };
    else if (e.button === 0 && e.ctrlKey && !this.pickAny(p, touch)) this.drag = { kind: 'zoom' };
    else if (e.button === 0) this.press(p, touch, e.altKey);
  };

  private pickAny(p: { x: number; y: number }, touch: boolean): boolean {
    const gizmo = this.gizmo();
    return (gizmo && pickGizmo(gizmo, this.host.camera, p.x, p.y, touch) !== null) || pickGoal(studio.scene.goals, this.host.camera, p.x, p.y, touch) !== null;
  }

  private press(p: { x: number; y: number }, touch: boolean, alt: boolean): void {
    const { camera } = this.host;
    const rig = studio.rig;
    if (!rig) return;
    const pole = pickPole(studio.scene.goals, camera, p.x, p.y, touch);
    if (pole) return this.startPole(pole.id, p);
    const gizmo = this.gizmo();
    const handle = gizmo ? pickGizmo(gizmo, camera, p.x, p.y, touch) : null;
    if (gizmo && handle && (handle.kind !== 'center' || !alt)) return this.startGoal(gizmo.goal.id, handle, p);
    const goal = pickGoal(studio.scene.goals, camera, p.x, p.y, touch);
    if (goal && !alt) {
      studio.select({ kind: 'goal', name: goal.id });
      if (!goal.pinned) return this.startGoal(goal.id, { kind: 'center' }, p);
    }
    if (studio.mode !== 'pose') {
      this.drag = rig.model.planar ? { kind: 'pan' } : { kind: 'orbit' };
      return;
    }
    const hit = pickLink(rig.model, rig.frames, camera, p.x, p.y, touch);
    if (hit && touch && !alt) {
      this.pressTimer = window.setTimeout(() => this.startLink(hit.link, hit.point, p, false), 400);
      this.drag = { kind: 'orbit' };
    } else if (hit) this.startLink(hit.link, hit.point, p, alt);
    else this.drag = rig.model.planar ? { kind: 'pan' } : { kind: 'orbit' };
  }

  private startGoal(id: string, handle: Handle, p: { x: number; y: number }): void {
    const goal = studio.scene.goals.find((g) => g.id === id)!;
    studio.select({ kind: 'goal', name: id });
    const grab = this.onPlane(p, goal.position) ?? goal.position;
    const lift = this.down?.touch && handle.kind === 'center' ? 56 / this.host.camera.pixelsPerUnit(goal.position) : 0;
    const offset = add(sub(goal.position, grab), mul(this.host.camera.basis.above, lift));
    this.drag = { kind: 'goal', id, handle, start: goal.position, turn: goal.quaternion, grab, angle: this.angleAt(p, goal.position, handle), offset };
  }
  private startPole(id: string, p: { x: number; y: number }): void {
    const goal = studio.scene.goals.find((g) => g.id === id)!;
    studio.select({ kind: 'pole', name: id });
    const grab = this.onPlane(p, goal.pole!) ?? goal.pole!;
    this.drag = { kind: 'pole', id, start: goal.pole!, offset: sub(goal.pole!, grab) };
  }
  /** FK about the link's own joint, or (Alt) IK on the grabbed point with every joint. */
  private startLink(link: number, point: Vec3, p: { x: number; y: number }, alt: boolean): void {
    const rig = studio.rig!;
    let moving = link;
    while (moving >= 0 && (rig.model.joints[rig.model.links[moving]!.joint]?.nv ?? 0) === 0) moving = rig.model.links[moving]!.parent;
    if (moving < 0) {
      this.drag = rig.model.planar ? { kind: 'pan' } : { kind: 'orbit' };
      return;
    }
    const joint = rig.model.links[moving]!.joint;
    const locked = studio.scene.joints[rig.model.joints[joint]!.name]?.lock;
    if (locked && !alt) {
      this.drag = { kind: 'orbit' };
      return;
    }
    const grab = this.onPlane(p, point) ?? point;
    const local = inverseApply(rig.frames, link, grab);
    this.drag = { kind: 'point', link, local, start: grab, offset: [0, 0, 0], only: alt ? -1 : joint, name: rig.model.joints[joint]!.name };
  }

  /** Where the pointer's ray meets the plane through `through` that faces the camera. */
  private onPlane(p: { x: number; y: number }, through: Vec3): Vec3 | null {
    return rayPlane(this.host.camera.ray(p.x, p.y), through, this.host.camera.basis.forward);
  }
  private angleAt(p: { x: number; y: number }, center: Vec3, handle: Handle): number {
    if (handle.kind !== 'ring') return 0;
    const c = this.host.camera.project(center);
    return Math.atan2(-(p.y - c.y), p.x - c.x);
  }

  private onMove = (e: PointerEvent): void => {
    if (this.touches.has(e.pointerId)) this.touches.set(e.pointerId, this.at(e));
    if (this.pinch && this.touches.size >= 2) return this.movePinch();
    this.pending = e;
    if (!this.request) this.request = requestAnimationFrame(this.frame);
  };

  private frame = (): void => {
    this.request = 0;
    const e = this.pending;
    this.pending = null;
    if (!e) return;
    const p = this.at(e);
    if (!this.down) return this.hoverAt(p, e.pointerType === 'touch');
    const far = Math.hypot(p.x - this.down.x, p.y - this.down.y);
    if (!this.down.moved && far < (this.down.touch ? 8 : 3)) return;
    if (!this.down.moved) this.firstMove();
    this.down.moved = true;
    const drag = this.drag;
    if (!drag) return;
    const { camera } = this.host;
    if (drag.kind === 'orbit') camera.orbit(p.x - this.last.x, p.y - this.last.y);
    else if (drag.kind === 'pan') camera.pan(p.x - this.last.x, p.y - this.last.y);
    else if (drag.kind === 'zoom') camera.zoom(Math.exp((p.y - this.last.y) * 0.01), this.down.x, this.down.y);
    else this.moveThing(drag, this.slowed(p, e.shiftKey), e.ctrlKey || e.metaKey);
    this.last = p;
    this.host.redraw();
  };

  /** Shift: a tenth of the motion since it was pressed. */
  private slowed(p: { x: number; y: number }, fine: boolean): { x: number; y: number } {
    if (!fine) {
      this.fineFrom = null;
      return p;
    }
    this.fineFrom ??= p;
    return { x: this.fineFrom.x + (p.x - this.fineFrom.x) * 0.1, y: this.fineFrom.y + (p.y - this.fineFrom.y) * 0.1 };
  }

  private firstMove(): void {
    clearTimeout(this.pressTimer);
    const drag = this.drag;
    if (!drag) return;
    if (drag.kind === 'goal') studio.begin(`move ${drag.id}`);
    else if (drag.kind === 'pole') studio.begin(`move pole of ${drag.id}`);
    else if (drag.kind === 'point') studio.begin(drag.only >= 0 ? `turn ${drag.name}` : `pull ${studio.rig!.model.links[drag.link]!.name}`);
    else return;
    if (drag.kind === 'point') this.preparePoint(drag);
    this.host.dragChanged(drag.kind === 'point' ? { kind: drag.only >= 0 ? 'link' : 'point', name: drag.only >= 0 ? drag.name : studio.rig!.model.links[drag.link]!.name } : { kind: drag.kind, name: drag.id });
  }

  private moveThing(drag: ThingDrag, p: { x: number; y: number }, snap: boolean): void {
    if (drag.kind === 'goal') return this.moveGoal(drag, p, snap);
    const at = this.onPlane(p, drag.start);
    if (!at) return;
    if (drag.kind === 'pole') {
      studio.scene = changeGoal(studio.scene, drag.id, { pole: add(at, drag.offset) });
      studio.rig!.setProblem(studio.scene);
      studio.solveNow();
      this.afterMove();
      return;
    }
    this.movePoint(drag, add(at, drag.offset));
  }

  private moveGoal(drag: Extract<Drag, { kind: 'goal' }>, p: { x: number; y: number }, snap: boolean): void {
    const { camera } = this.host;
    const goal = studio.scene.goals.find((g) => g.id === drag.id);
    if (!goal) return;
    const frame = { quaternion: drag.turn, local: ui.local };
    let position = drag.start;
    let quaternion: Quat | undefined;
    const handle: Handle = this.constraint ? { kind: this.constraint.plane ? 'plane' : 'axis', axis: this.constraint.axis } : drag.handle;
    if (handle.kind === 'ring') {
      const axis = axisDirection(frame, handle.axis);
      const facing = dot(axis, camera.basis.forward) > 0 ? -1 : 1;
      let angle = (this.angleAt(p, drag.start, handle) - drag.angle) * facing;
      if (snap) angle = Math.round(angle / SNAP_ANGLE) * SNAP_ANGLE;
      quaternion = quatMul(quatAbout(axis, angle), drag.turn);
    } else if (handle.kind === 'axis') {
      const axis = axisDirection(frame, handle.axis);
      const s0 = rayLine(camera.ray(this.down!.x, this.down!.y), drag.start, axis);
      const s = rayLine(camera.ray(p.x, p.y), drag.start, axis);
      position = add(drag.start, mul(axis, s - s0));
    } else if (handle.kind === 'plane') {
      const normal = axisDirection(frame, handle.axis);
      const from = rayPlane(camera.ray(this.down!.x, this.down!.y), drag.start, normal);
      const to = rayPlane(camera.ray(p.x, p.y), drag.start, normal);
      if (from && to) position = add(drag.start, sub(to, from));
    } else {
      const at = this.onPlane(p, drag.start);
      if (at) position = add(at, drag.offset);
    }
    if (snap && !quaternion) position = snapped(position);
    if (studio.rig!.model.planar) position = [position[0], position[1], drag.start[2]];
    studio.dragGoal(drag.id, position, quaternion);
    this.afterMove();
  }

  private afterMove(): void {
    if (studio.mode === 'step' || studio.mode === 'compare') {
      // The search starts where it started; only the goal moved.
      studio.scene = { ...studio.scene, q: [...stepper.start] };
      stepper.compute();
    }
  }

  /** A goal at the grabbed point, for as long as the drag lasts. */
  private preparePoint(drag: Extract<Drag, { kind: 'point' }>): void {
    const rig = studio.rig!;
    const joints: Record<number, { locked?: boolean }> = {};
    rig.model.joints.forEach((j, i) => {
      const locked = studio.scene.joints[j.name]?.lock ?? false;
      if (j.nv > 0 && (locked || (drag.only >= 0 && i !== drag.only))) joints[i] = { locked: true };
    });
    rig.figure.setGoals([{ type: 'position', link: drag.link, point: drag.local, position: drag.start }]);
    rig.figure.setJoints(joints);
    rig.figure.setSolver(drag.only >= 0 ? 'dls' : studio.scene.solver.method, drag.only >= 0 ? { max_iterations: 30 } : studio.scene.solver.options);
  }

  private movePoint(drag: Extract<Drag, { kind: 'point' }>, target: Vec3): void {
    const rig = studio.rig!;
    rig.figure.moveGoal(0, ...target, NaN, NaN, NaN, NaN);
    rig.figure.solve();
    const q = Array.from(rig.q);
    studio.setPoseLive(q, drag.only);
    this.preparePoint(drag);
  }

  private onUp = (e: PointerEvent): void => {
    this.touches.delete(e.pointerId);
    if (this.pinch) {
      if (this.touches.size === 0) {
        this.pinch = null;
        this.fingerTap();
      }
      return;
    }
    clearTimeout(this.pressTimer);
    if (this.pending) this.frame();
    const down = this.down;
    this.down = null;
    const drag = this.drag;
    this.drag = null;
    this.fineFrom = null;
    if (!down) return;
    if (!down.moved) {
      if (down.button === 0) this.click(down);
      return;
    }
    if (drag && drag.kind !== 'orbit' && drag.kind !== 'pan' && drag.kind !== 'zoom') this.finish(drag.kind === 'point');
    else studio.changed();
    this.host.redraw();
  };

  private finish(point: boolean): void {
    if (point) studio.rig?.setProblem(studio.scene);
    studio.end();
    if (studio.mode === 'step' || studio.mode === 'compare') stepper.compute();
    this.host.dragChanged(null);
  }

  private onCancel = (e: PointerEvent): void => {
    this.touches.delete(e.pointerId);
    this.cancel();
  };

  /** Esc: puts a drag back. Returns whether there was one. */
  cancel(): boolean {
    clearTimeout(this.pressTimer);
    const was = this.dragging && (this.down?.moved ?? false);
    this.drag = null;
    this.down = null;
    this.pending = null;
    if (was) {
      studio.cancel();
      if (studio.mode === 'step' || studio.mode === 'compare') stepper.compute();
      this.host.dragChanged(null);
      this.host.redraw();
    }
    return was;
  }

  /** X, Y, Z while dragging a goal; true when the key was used. */
  axisKey(key: string): boolean {
    const axis = ['x', 'y', 'z'].indexOf(key.toLowerCase());
    if (axis < 0 || this.drag?.kind !== 'goal') return false;
    const same = this.constraint?.axis === axis;
    this.constraint = same && this.constraint!.plane ? null : { axis: axis as 0 | 1 | 2, plane: same };
    return true;
  }
  holdSpace(on: boolean): void {
    this.space = on;
  }

  private click(down: { x: number; y: number; shift: boolean; touch: boolean }): void {
    const rig = studio.rig;
    if (!rig) return;
    const goal = pickGoal(studio.scene.goals, this.host.camera, down.x, down.y, down.touch);
    const hit = pickLink(rig.model, rig.frames, this.host.camera, down.x, down.y, down.touch);
    if (goal) studio.select({ kind: 'goal', name: goal.id }, down.shift);
    else if (hit) {
      const joint = rig.model.joints[rig.model.links[hit.link]!.joint];
      if (joint && joint.nv > 0) studio.select({ kind: 'joint', name: joint.name }, down.shift);
      else studio.select({ kind: 'link', name: rig.model.links[hit.link]!.name }, down.shift);
    } else if (!down.shift) studio.select(null);
    this.host.redraw();
  }

  private hoverAt(p: { x: number; y: number }, touch: boolean): void {
    const rig = studio.rig;
    if (!rig || touch) return;
    const { camera } = this.host;
    const goal = this.pickAny(p, false) ? (pickGoal(studio.scene.goals, camera, p.x, p.y, false) ?? studio.selectedGoal) : null;
    const hit = goal ? null : pickLink(rig.model, rig.frames, camera, p.x, p.y);
    this.host.element.style.cursor = goal ? 'grab' : hit && studio.mode === 'pose' ? 'pointer' : 'default';
    if (goal) this.hover({ kind: 'goal', name: goal.id });
    else if (hit) this.hover({ kind: 'link', name: rig.model.links[hit.link]!.name });
    else this.hover(null);
  }
  private hover(to: typeof studio.hover): void {
    const was = studio.hover;
    if (was?.kind === to?.kind && was?.name === to?.name) return;
    studio.hover = to;
    this.host.redraw();
  }

  private onWheel = (e: WheelEvent): void => {
    e.preventDefault();
    const p = this.at(e);
    this.host.camera.zoom(Math.exp(Math.max(-0.4, Math.min(0.4, e.deltaY * 0.0016))), p.x, p.y);
    this.host.redraw();
    studio.changed();
  };
  private onMenu = (e: MouseEvent): void => {
    e.preventDefault();
    const p = this.at(e);
    if (Math.hypot(p.x - this.last.x, p.y - this.last.y) > 4 || this.down?.moved) return;
    const rig = studio.rig;
    if (!rig) return;
    this.click({ ...p, shift: false, touch: false });
    this.host.menu(e.clientX, e.clientY);
  };
  private onDouble = (): void => this.host.frameSelection();

  private pinchNow() {
    const [a, b] = [...this.touches.values()];
    return { distance: Math.hypot(a!.x - b!.x, a!.y - b!.y), x: (a!.x + b!.x) / 2, y: (a!.y + b!.y) / 2 };
  }
  private movePinch(): void {
    const now = this.pinchNow();
    const was = this.pinch!;
    if (Math.hypot(now.x - this.tap.x, now.y - this.tap.y) > 60 || Math.abs(now.distance - was.distance) > 6) this.tap.time = 0;
    this.host.camera.zoom(was.distance / Math.max(1, now.distance), now.x, now.y);
    this.host.camera.pan(now.x - was.x, now.y - was.y);
    this.pinch = now;
    this.host.redraw();
  }
  /** Two fingers tapped: undo; three: redo. */
  private fingerTap(): void {
    if (performance.now() - this.tap.time > 350) return;
    if (this.tap.fingers === 2) studio.undo();
    else if (this.tap.fingers >= 3) studio.redo();
  }
}

function snapped(p: Vec3): Vec3 {
  const step = studio.style === 'metric' ? 0.01 : Math.max(1e-6, 10 ** Math.round(Math.log10((studio.rig?.model.reach ?? 1) / 30)));
  return [Math.round(p[0] / step) * step, Math.round(p[1] / step) * step, Math.round(p[2] / step) * step];
}

/** A world point in link i's frame (rigid inverse). */
export function inverseApply(frames: ArrayLike<number>, i: number, p: Vec3): Vec3 {
  const d = sub(p, origin(frames, i));
  const a = 16 * i;
  const col = (c: number): Vec3 => [frames[a + 4 * c]!, frames[a + 4 * c + 1]!, frames[a + 4 * c + 2]!];
  return [dot(d, col(0)), dot(d, col(1)), dot(d, col(2))];
}

export type { Scene };
export { apply, matMul, unit };
