// Pointer, touch and wheel in the view, as one small state machine. It picks, moves the camera, and
// drives the studio's gestures; it never draws. The latest pointer position is used once per frame.
// Over 400 lines: its states share what is held and where the pointer went down.
import type { Camera } from '../logic/camera';
import { changeGoal, type Vec3 } from '../logic/scene';
import { add, mul, sub } from '../logic/vec';
import { mechanism } from '../state/mechanism.svelte';
import { build, type Anchor } from '../state/build.svelte';
import { pointer } from '../state/build_keys';
import { limbs } from '../state/build_limbs.svelte';
import { run } from '../state/commands';
import { pickAxis, pullAxis } from './axis_handle';
import { pickLimit, pullLimit } from './limit_handles';
import { bodies } from '../state/bodies.svelte';
import { drawing } from '../state/drawing.svelte';
import { solutions } from '../state/solutions.svelte';
import { stepper } from '../state/stepper.svelte';
import { studio } from '../state/studio.svelte';
import { ui } from '../state/ui.svelte';
import { angleAt, goalTarget, inverseApply, onPlane, type GoalDrag } from './drag_target';
import { pickGizmo, type Handle } from './gizmo';
import { pickObstacle } from './bodies_svg';
import { pickGoal, pickLink, pickPole } from './pick';
import { pickSolution } from './solutions_svg';
import { pickSlice, pullSlice } from './workspace_svg';
import { finger, Touches } from './touch';

export interface DragInfo {
  kind: 'goal' | 'pole' | 'obstacle' | 'link' | 'point' | 'camera';
  name: string;
}

type Drag =
  | GoalDrag
  | { kind: 'pole'; id: string; start: Vec3; offset: Vec3 }
  | { kind: 'draw'; from: Anchor; start: Vec3 }
  | { kind: 'limit'; side: 'lower' | 'upper' | 'axis' }
  | { kind: 'slice'; from: Vec3 }
  | { kind: 'path' }
  | { kind: 'obstacle'; name: string; start: Vec3; offset: Vec3 }
  | { kind: 'point'; link: number; local: Vec3; start: Vec3; offset: Vec3; only: number; name: string }
  | CameraDrag;
type CameraDrag = { kind: 'orbit' } | { kind: 'pan' } | { kind: 'zoom' };
type ThingDrag = Exclude<Drag, CameraDrag | { kind: 'draw' | 'limit' | 'slice' | 'path' }>;

const LONG_PRESS = 400;

export interface Host {
  camera: Camera;
  element: HTMLElement;
  redraw(): void;
  dragChanged(info: DragInfo | null): void;
  menu(x: number, y: number): void;
  frameSelection(): void;
}

export class Interaction {
  private drag: Drag | null = null;
  private down: { x: number; y: number; moved: boolean; touch: boolean; button: number; shift: boolean; time: number } | null = null;
  private last = { x: 0, y: 0 };
  private pending: PointerEvent | null = null;
  private request = 0;
  private fineFrom: { x: number; y: number } | null = null;
  private touches = new Touches();
  private pressTimer = 0;
  private held = false;
  /** Axis keys pressed while dragging: 'x' keeps to that axis, again: to its plane. */
  private constraint: { axis: 0 | 1 | 2; plane: boolean } | null = null;
  private space = false;

  constructor(private host: Host) {
    const el = host.element;
    el.addEventListener('pointerdown', this.onDown);
    el.addEventListener('pointermove', this.onMove);
    el.addEventListener('pointerup', this.onUp);
    el.addEventListener('pointercancel', this.onCancel);
    // No click follows a long press: it would land on what the press has opened.
    el.addEventListener('touchend', (e) => { if (this.held) e.preventDefault(); this.held = false; }, { passive: false });
    el.addEventListener('wheel', this.onWheel, { passive: false });
    el.addEventListener('contextmenu', this.onMenu);
    el.addEventListener('dblclick', this.onDouble);
    el.addEventListener('pointerleave', () => this.hover(null));
  }

  get dragging(): boolean {
    return this.drag !== null && this.drag.kind !== 'orbit' && this.drag.kind !== 'pan' && this.drag.kind !== 'zoom';
  }
  /** A pointer event or an unfinished solve waits for the next frame. */
  get waiting(): boolean {
    return this.request !== 0;
  }
  get activeHandle(): Handle | null {
    return this.drag?.kind === 'goal' ? this.drag.handle : null;
  }

  private at(e: PointerEvent | WheelEvent | MouseEvent): { x: number; y: number } {
    const box = this.host.element.getBoundingClientRect();
    return { x: e.clientX - box.left, y: e.clientY - box.top };
  }
  /** Goals can be taken in hand. */
  private get solves(): boolean {
    return studio.mode !== 'build' || build.live;
  }
  private gizmo() {
    const g = studio.selectedGoal;
    if (!g || !g.visible || g.pinned || !studio.rig || !this.solves) return null;
    return { position: g.position, quaternion: g.quaternion, local: ui.local, tool: ui.gizmo, planar: studio.rig.model.planar, active: this.activeHandle, goal: g };
  }

  private onDown = (e: PointerEvent): void => {
    const p = this.at(e);
    const touch = e.pointerType === 'touch';
    (this.host.element as HTMLElement).focus({ preventScroll: true });
    this.host.element.setPointerCapture(e.pointerId);
    if (touch) {
      this.touches.down(e.pointerId, p, e.timeStamp);
      if (this.touches.count >= 2) {
        clearTimeout(this.pressTimer);
        if (this.dragging) this.cancel();
        this.drag = null;
        return;
      }
    }
    this.last = p;
    this.down = { ...p, moved: false, touch, button: e.button, shift: e.shiftKey, time: e.timeStamp };
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
    if (limbs.copying) return; // the click puts it down
    const side = this.handleAt(p, touch);
    if (side) {
      this.drag = { kind: 'limit', side };
      return;
    }
    if (studio.mode === 'build' && build.tool !== 'select') {
      const from = build.start(p.x, p.y);
      this.drag = from ? { kind: 'draw', from, start: from.world } : rig.model.planar ? { kind: 'pan' } : { kind: 'orbit' };
      return;
    }
    const slice = pickSlice(camera, p.x, p.y, touch);
    if (slice) {
      this.drag = { kind: 'slice', from: slice };
      return;
    }
    if (drawing.active && drawing.begin(camera, p)) {
      this.drag = { kind: 'path' };
      return;
    }
    const goals = this.solves ? studio.scene.goals : [];
    const pole = pickPole(goals, camera, p.x, p.y, touch);
    if (pole) return this.startPole(pole.id, p);
    const gizmo = this.gizmo();
    const handle = gizmo ? pickGizmo(gizmo, camera, p.x, p.y, touch) : null;
    if (gizmo && handle && (handle.kind !== 'center' || !alt)) return this.startGoal(gizmo.goal.id, handle, p);
    const goal = pickGoal(goals, camera, p.x, p.y, touch);
    if (goal && !alt) {
      studio.select({ kind: 'goal', name: goal.id });
      if (!goal.pinned) return this.startGoal(goal.id, { kind: 'center' }, p);
    }
    if (studio.mode !== 'pose' && studio.mode !== 'build') {
      this.drag = rig.model.planar ? { kind: 'pan' } : { kind: 'orbit' };
      return;
    }
    const hit = pickLink(rig.model, rig.frames, camera, p.x, p.y, touch);
    const obstacle = hit ? null : pickObstacle(camera, p.x, p.y);
    if (obstacle) {
      bodies.selected = obstacle.name;
      const grab = onPlane(camera, p, obstacle.position) ?? obstacle.position;
      this.drag = { kind: 'obstacle', name: obstacle.name, start: obstacle.position, offset: sub(obstacle.position, grab) };
      return;
    }
    if (hit && touch && !alt) {
      this.pressTimer = window.setTimeout(() => this.startLink(hit.link, hit.point, p, false), LONG_PRESS);
      this.drag = { kind: 'orbit' };
    } else if (hit) this.startLink(hit.link, hit.point, p, alt);
    else this.drag = rig.model.planar ? { kind: 'pan' } : { kind: 'orbit' };
  }

  /** Build's handle of the selected joint there. */
  private handleAt(p: { x: number; y: number }, touch: boolean): 'lower' | 'upper' | 'axis' | null {
    const { camera } = this.host;
    return pickLimit(camera, p.x, p.y, touch)?.side ?? (pickAxis(camera, p.x, p.y, touch) ? 'axis' : null);
  }
  private startGoal(id: string, handle: Handle, p: { x: number; y: number }): void {
    const goal = studio.scene.goals.find((g) => g.id === id)!;
    studio.select({ kind: 'goal', name: id });
    const grab = onPlane(this.host.camera, p, goal.position) ?? goal.position;
    const lift = this.down?.touch && handle.kind === 'center' ? 56 / this.host.camera.pixelsPerUnit(goal.position) : 0;
    const offset = add(sub(goal.position, grab), mul(this.host.camera.basis.above, lift));
    this.drag = { kind: 'goal', id, handle, start: goal.position, turn: goal.quaternion, grab, angle: angleAt(this.host.camera, p, goal.position, handle), offset };
  }
  private startPole(id: string, p: { x: number; y: number }): void {
    const goal = studio.scene.goals.find((g) => g.id === id)!;
    studio.select({ kind: 'pole', name: id });
    const grab = onPlane(this.host.camera, p, goal.pole!) ?? goal.pole!;
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
    if (locked && !alt && rig.model.closures.length === 0) {
      this.drag = { kind: 'orbit' };
      return;
    }
    const grab = onPlane(this.host.camera, p, point) ?? point;
    const local = inverseApply(rig.frames, link, grab);
    const looped = rig.model.closures.length > 0; // nothing in a loop turns by itself
    this.drag = { kind: 'point', link, local, start: grab, offset: [0, 0, 0], only: alt || looped ? -1 : joint, name: rig.model.joints[joint]!.name };
  }

  private onMove = (e: PointerEvent): void => {
    if (this.touches.move(e.pointerId, this.at(e), this.host.camera)) return this.host.redraw();
    this.pending = e;
    this.nextFrame();
  };
  private nextFrame(): void {
    if (!this.request) this.request = requestAnimationFrame(this.frame);
  }

  private frame = (): void => {
    this.request = 0;
    const e = this.pending;
    this.pending = null;
    if (!e) return this.goOn();
    const p = this.at(e);
    if (!this.down) return this.hoverAt(p, e.pointerType === 'touch');
    const far = Math.hypot(p.x - this.down.x, p.y - this.down.y);
    if (!this.down.moved && far < (this.down.touch ? 8 : 3)) return;
    if (!this.down.moved) this.firstMove();
    this.down.moved = true;
    const drag = this.drag;
    if (!drag) return;
    const { camera } = this.host;
    finger.at = this.down.touch && (drag.kind === 'draw' || (drag.kind === 'goal' && drag.handle.kind === 'center')) ? p : null;
    if (drag.kind === 'orbit') camera.orbit(p.x - this.last.x, p.y - this.last.y);
    else if (drag.kind === 'pan') camera.pan(p.x - this.last.x, p.y - this.last.y);
    else if (drag.kind === 'zoom') camera.zoom(Math.exp((p.y - this.last.y) * 0.01), this.down.x, this.down.y);
    else if (drag.kind === 'slice') pullSlice(camera, drag.from, p.x, p.y);
    else if (drag.kind === 'path') drawing.move(camera, p);
    else if (drag.kind === 'limit') drag.side = drag.side === 'axis' ? pullAxis(camera, p.x, p.y, e.shiftKey) : pullLimit(camera, drag.side, p.x, p.y, e.shiftKey);
    else if (drag.kind === 'draw') build.move(drag.from, p.x, p.y - (this.down.touch ? 56 : 0), e.shiftKey, e.ctrlKey || e.metaKey);
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
    if (!drag || drag.kind === 'draw' || drag.kind === 'limit' || drag.kind === 'slice' || drag.kind === 'path') return;
    if (drag.kind === 'goal') studio.begin(`move ${drag.id}`);
    else if (drag.kind === 'pole') studio.begin(`move pole of ${drag.id}`);
    else if (drag.kind === 'obstacle') studio.begin(`move ${drag.name}`);
    else if (drag.kind === 'point') studio.begin(drag.only >= 0 ? `turn ${drag.name}` : `pull ${studio.rig!.model.links[drag.link]!.name}`);
    else return;
    if (drag.kind === 'point') {
      if (studio.rig!.model.closures.length > 0) mechanism.addPoint({ link: studio.rig!.model.links[drag.link]!.name, at: drag.local });
      this.preparePoint(drag);
    }
    this.host.dragChanged(drag.kind === 'point' ? { kind: drag.only >= 0 ? 'link' : 'point', name: drag.only >= 0 ? drag.name : studio.rig!.model.links[drag.link]!.name } : { kind: drag.kind, name: drag.kind === 'obstacle' ? drag.name : drag.id });
  }

  private moveThing(drag: ThingDrag, p: { x: number; y: number }, snap: boolean): void {
    if (drag.kind === 'goal') return this.moveGoal(drag, p, snap);
    const at = onPlane(this.host.camera, p, drag.start);
    if (!at) return;
    if (drag.kind === 'obstacle') return bodies.move(drag.name, add(at, drag.offset));
    if (drag.kind === 'pole') {
      studio.scene = changeGoal(studio.scene, drag.id, { pole: add(at, drag.offset) });
      studio.rig!.setProblem(studio.scene);
      studio.solveNow();
      this.afterMove();
      return;
    }
    this.movePoint(drag, add(at, drag.offset));
  }

  private moveGoal(drag: GoalDrag, p: { x: number; y: number }, snap: boolean): void {
    const rig = studio.rig!;
    if (!studio.scene.goals.some((g) => g.id === drag.id)) return;
    const instead: Handle | null = this.constraint ? { kind: this.constraint.plane ? 'plane' : 'axis', axis: this.constraint.axis } : null;
    const { position, quaternion } = goalTarget(this.host.camera, drag, this.down!, p, { local: ui.local, snap: snap ? snapStep(rig.model.reach) : 0, instead });
    studio.dragGoal(drag.id, rig.model.planar ? [position[0], position[1], drag.start[2]] : position, quaternion);
    this.afterMove();
    if (studio.unfinished && studio.mode === 'pose') this.nextFrame();
  }

  /** A solve of the last frame ran out of time and the pointer rests: another frame, as long as each brings it nearer. */
  private goOn(): void {
    if (this.drag?.kind !== 'goal' || !studio.gesture || !studio.unfinished) return;
    if (studio.goOn() && studio.unfinished) this.nextFrame();
    this.host.redraw();
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
    const locked = rig.model.joints.filter((j, i) => j.nv > 0 && !j.mimic && (studio.scene.joints[j.name]?.lock || (drag.only >= 0 && i !== drag.only))).map((j) => j.name);
    const place = rig.model.planar ? drag.start.slice(0, 2) : drag.start;
    const goal = { type: 'position' as const, link: rig.model.links[drag.link]!.name, point: drag.local, target: place };
    // Loops are kept closed by the methods that walk; following does not know them.
    const walks = drag.only >= 0 || rig.model.closures.length > 0;
    rig.scene.replace({ goals: [goal], locked, ...(walks ? { method: 'dls', options: { max_iterations: 30 } } : { method: 'reach' }) });
    if (!walks) rig.begin();
  }

  private movePoint(drag: Extract<Drag, { kind: 'point' }>, target: Vec3): void {
    const rig = studio.rig!;
    rig.scene.setTarget(0, target);
    if (drag.only >= 0 || rig.model.closures.length > 0) rig.solve(studio.solveSeconds);
    else rig.follow(studio.solveSeconds);
    const q = Array.from(rig.q);
    studio.setPoseLive(q, drag.only);
    this.preparePoint(drag);
  }

  private onUp = (e: PointerEvent): void => {
    const pinched = this.touches.pinching;
    const tapped = this.touches.up(e.pointerId, e.timeStamp);
    if (tapped === 2) studio.undo();
    else if (tapped >= 3) studio.redo();
    if (pinched) return;
    clearTimeout(this.pressTimer);
    if (this.pending) this.frame();
    const down = this.down;
    this.down = null;
    const drag = this.drag;
    this.drag = null;
    this.fineFrom = null;
    finger.at = null;
    if (!down) return;
    if (!down.moved) {
      drawing.cancel();
      if (down.button === 0) this.click(down);
      if (down.touch && e.timeStamp - down.time > LONG_PRESS) this.longPress(e, down);
      return;
    }
    if (drag?.kind === 'draw') build.finish();
    if (drag?.kind === 'slice') return this.host.redraw();
    if (drag?.kind === 'path') drawing.finish();
    else if (drag?.kind === 'limit') build.finishHandle();
    else if (drag && drag.kind !== 'orbit' && drag.kind !== 'pan' && drag.kind !== 'zoom') this.finish(drag.kind === 'point');
    else studio.changed();
    this.host.redraw();
  };

  /** Held and let go where it was: in Build the types of that joint, else the menu, as a right button has it. */
  private longPress(e: PointerEvent, at: { x: number; y: number }): void {
    this.held = true;
    Object.assign(pointer, { x: at.x, y: at.y });
    if (studio.mode === 'build' && build.joint) run('build.type');
    else this.host.menu(e.clientX, e.clientY);
  }
  private finish(point: boolean): void {
    if (point) studio.rig?.setProblem(studio.scene);
    studio.end();
    if (studio.mode === 'step' || studio.mode === 'compare') stepper.compute();
    this.host.dragChanged(null);
  }

  private onCancel = (e: PointerEvent): void => {
    this.touches.cancel(e.pointerId);
    this.cancel();
  };

  /** Esc: puts a drag back. Returns whether there was one. */
  cancel(): boolean {
    clearTimeout(this.pressTimer);
    const was = this.dragging && (this.down?.moved ?? false);
    this.drag = null;
    this.down = null;
    this.pending = null;
    finger.at = null;
    build.cancel();
    drawing.cancel();
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
    if (limbs.copying) {
      limbs.hang(down.x, down.y);
      return limbs.drop();
    }
    if (studio.mode === 'build' && build.click(down.x, down.y)) return;
    const goal = pickGoal(studio.mode === 'build' && build.tool !== 'select' ? [] : this.solves ? studio.scene.goals : [], this.host.camera, down.x, down.y, down.touch);
    const hit = pickLink(rig.model, rig.frames, this.host.camera, down.x, down.y, down.touch);
    const ghost = goal || hit ? -1 : pickSolution(this.host.camera, down.x, down.y);
    if (goal) studio.select({ kind: 'goal', name: goal.id }, down.shift);
    else if (ghost >= 0) return solutions.take(ghost);
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
    Object.assign(pointer, p);
    if (limbs.copying) return limbs.hang(p.x, p.y);
    const own = pickSlice(camera, p.x, p.y, false) || this.handleAt(p, false) ? 'grab' : drawing.active ? 'crosshair' : '';
    if (own) {
      this.host.element.style.cursor = own;
      return this.hover(null);
    }
    const goal = this.pickAny(p, false) ? (pickGoal(studio.scene.goals, camera, p.x, p.y, false) ?? studio.selectedGoal) : null;
    const hit = goal ? null : pickLink(rig.model, rig.frames, camera, p.x, p.y);
    this.host.element.style.cursor = goal ? 'grab' : hit && studio.mode === 'pose' ? 'pointer' : 'default';
    const ghost = goal || hit ? -1 : pickSolution(camera, p.x, p.y);
    if (ghost !== solutions.hover && solutions.shown) {
      solutions.hover = ghost;
      this.host.redraw();
    }
    if (ghost >= 0) this.host.element.style.cursor = 'pointer';
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
    if ((e as PointerEvent).pointerType === 'touch') return; // the browser's own long press
    const p = this.at(e);
    if (Math.hypot(p.x - this.last.x, p.y - this.last.y) > 4 || this.down?.moved) return;
    const rig = studio.rig;
    if (!rig) return;
    this.click({ ...p, shift: false, touch: false });
    this.host.menu(e.clientX, e.clientY);
  };
  private onDouble = (): void => this.host.frameSelection();
}

/** 10 mm, or a round thirtieth of a model without metres. */
function snapStep(reach: number): number {
  return studio.style === 'metric' ? 0.01 : Math.max(1e-6, 10 ** Math.round(Math.log10(reach / 30)));
}
