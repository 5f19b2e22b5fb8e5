// Where a drag leads: the pointer's ray against planes and axes, for goals, and a grabbed point of a link.
import type { Camera } from '../logic/camera';
import type { Quat, Vec3 } from '../logic/scene';
import { add, dot, mul, origin, quatAbout, quatMul, rayLine, rayPlane, sub } from '../logic/vec';
import { axisDirection, type Handle } from './gizmo';

export interface Point {
  x: number;
  y: number;
}

export interface GoalDrag {
  kind: 'goal';
  id: string;
  handle: Handle;
  start: Vec3;
  turn: Quat;
  grab: Vec3;
  /** Of the pointer around the goal when it was pressed, for the rings. */
  angle: number;
  offset: Vec3;
}

const SNAP_ANGLE = (5 * Math.PI) / 180;

/** Where the pointer's ray meets the plane through `through` that faces the camera. */
export function onPlane(camera: Camera, p: Point, through: Vec3): Vec3 | null {
  return rayPlane(camera.ray(p.x, p.y), through, camera.basis.forward);
}

export function angleAt(camera: Camera, p: Point, center: Vec3, handle: Handle): number {
  if (handle.kind !== 'ring') return 0;
  const c = camera.project(center);
  return Math.atan2(-(p.y - c.y), p.x - c.x);
}

export interface DragOptions {
  /** Axes of the goal instead of the world's. */
  local: boolean;
  /** Step of positions in model units while Ctrl is held, 0 otherwise. */
  snap: number;
  /** Handle that a key put in place of the one under the pointer. */
  instead: Handle | null;
}

/** The goal's new place, and its new turn when a ring is dragged from `down` to `p`. */
export function goalTarget(camera: Camera, drag: GoalDrag, down: Point, p: Point, options: DragOptions): { position: Vec3; quaternion?: Quat } {
  const frame = { quaternion: drag.turn, local: options.local };
  const handle = options.instead ?? drag.handle;
  let position = drag.start;
  if (handle.kind === 'ring') {
    const axis = axisDirection(frame, handle.axis);
    const facing = dot(axis, camera.basis.forward) > 0 ? -1 : 1;
    let angle = (angleAt(camera, p, drag.start, handle) - drag.angle) * facing;
    if (options.snap > 0) angle = Math.round(angle / SNAP_ANGLE) * SNAP_ANGLE;
    return { position, quaternion: quatMul(quatAbout(axis, angle), drag.turn) };
  }
  if (handle.kind === 'axis') {
    const axis = axisDirection(frame, handle.axis);
    const from = rayLine(camera.ray(down.x, down.y), drag.start, axis);
    const to = rayLine(camera.ray(p.x, p.y), drag.start, axis);
    position = add(drag.start, mul(axis, to - from));
  } else if (handle.kind === 'plane') {
    const normal = axisDirection(frame, handle.axis);
    const from = rayPlane(camera.ray(down.x, down.y), drag.start, normal);
    const to = rayPlane(camera.ray(p.x, p.y), drag.start, normal);
    if (from && to) position = add(drag.start, sub(to, from));
  } else {
    const at = onPlane(camera, p, drag.start);
    if (at) position = add(at, drag.offset);
  }
  const { snap } = options;
  return { position: snap > 0 ? [Math.round(position[0] / snap) * snap, Math.round(position[1] / snap) * snap, Math.round(position[2] / snap) * snap] : position };
}

/** A world point in link i's frame (rigid inverse). */
export function inverseApply(frames: ArrayLike<number>, i: number, p: Vec3): Vec3 {
  const d = sub(p, origin(frames, i));
  const a = 16 * i;
  const col = (c: number): Vec3 => [frames[a + 4 * c]!, frames[a + 4 * c + 1]!, frames[a + 4 * c + 2]!];
  return [dot(d, col(0)), dot(d, col(1)), dot(d, col(2))];
}
