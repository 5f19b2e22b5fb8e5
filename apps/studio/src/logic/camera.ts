// One camera for everything that is drawn: an orbit camera, perspective or orthographic, with its own
// projection, so that the WebGL body, the SVG overlay and picking agree to the pixel. Planar models
// use the same camera, orthographic and facing the xy plane.
import type { Vec3 } from './scene';
import type { Ray } from './vec';
import { add, cross, dot, mul, sub, unit } from './vec';

export interface CameraState {
  target: Vec3;
  /** Distance from eye to target; in orthographic views it sets the scale. */
  distance: number;
  yaw: number; // about the up axis; 0 looks along -z (y up) or +y (z up)
  pitch: number; // above the horizon
  ortho: boolean;
}

export interface Projected {
  x: number;
  y: number;
  depth: number;
  visible: boolean;
}

const FOV = (32 * Math.PI) / 180; // vertical
const TAN = Math.tan(FOV / 2);
const PITCH_MAX = (89.5 * Math.PI) / 180;

export class Camera {
  state: CameraState;
  width = 1;
  height = 1;
  /** Part of the view that floating panels leave free; framing aims there. */
  inset = { left: 0, right: 0, top: 0, bottom: 0 };
  private eye: Vec3 = [0, 0, 1];
  private right: Vec3 = [1, 0, 0];
  private above: Vec3 = [0, 1, 0];
  private forward: Vec3 = [0, 0, -1];
  private focal = 1;

  constructor(
    public up: 'y' | 'z' = 'y',
    public planar = false,
  ) {
    this.state = { target: [0, 0, 0], distance: 4, yaw: -0.45, pitch: 0.22, ortho: planar };
    if (planar) this.state = { ...this.state, yaw: 0, pitch: 0 };
    this.update();
  }

  set(state: Partial<CameraState>): void {
    this.state = { ...this.state, ...state };
    this.state.pitch = Math.max(-PITCH_MAX, Math.min(PITCH_MAX, this.state.pitch));
    this.update();
  }

  resize(width: number, height: number): void {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.update();
  }

  private update(): void {
    const { yaw, pitch, distance, target } = this.state;
    const cp = Math.cos(pitch);
    // Direction from target to eye.
    const back: Vec3 =
      this.up === 'y'
        ? [Math.sin(yaw) * cp, Math.sin(pitch), Math.cos(yaw) * cp]
        : this.planar
          ? [0, 0, 1]
          : [Math.sin(yaw) * cp, -Math.cos(yaw) * cp, Math.sin(pitch)];
    const worldUp: Vec3 = this.up === 'y' || this.planar ? [0, 1, 0] : [0, 0, 1];
    this.forward = mul(back, -1);
    this.right = unit(cross(this.forward, worldUp));
    this.above = cross(this.right, this.forward);
    this.eye = add(target, mul(back, distance));
    this.focal = this.height / 2 / TAN;
  }

  get eyePosition(): Vec3 {
    return this.eye;
  }
  get basis(): { right: Vec3; above: Vec3; forward: Vec3 } {
    return { right: this.right, above: this.above, forward: this.forward };
  }
  get fov(): number {
    return FOV;
  }
  /** Half height of the orthographic view, in model units. */
  get halfHeight(): number {
    return this.state.distance * TAN;
  }

  project(p: Vec3): Projected {
    const d = sub(p, this.eye);
    const depth = dot(d, this.forward);
    const scale = this.state.ortho ? this.focal / this.state.distance : this.focal / Math.max(depth, 1e-6);
    return {
      x: this.width / 2 + dot(d, this.right) * scale,
      y: this.height / 2 - dot(d, this.above) * scale,
      depth,
      visible: this.state.ortho || depth > 1e-3 * this.state.distance,
    };
  }

  /** Pixels for one model unit at a point. */
  pixelsPerUnit(p: Vec3 = this.state.target): number {
    if (this.state.ortho) return this.focal / this.state.distance;
    return this.focal / Math.max(dot(sub(p, this.eye), this.forward), 1e-6);
  }

  ray(x: number, y: number): Ray {
    const u = (x - this.width / 2) / this.focal;
    const v = (this.height / 2 - y) / this.focal;
    if (this.state.ortho) {
      const k = this.state.distance;
      return { from: add(add(this.eye, mul(this.right, u * k)), mul(this.above, v * k)), to: this.forward };
    }
    return { from: this.eye, to: unit(add(add(this.forward, mul(this.right, u)), mul(this.above, v))) };
  }

  orbit(dx: number, dy: number): void {
    if (this.planar) return this.pan(dx, dy);
    this.set({ yaw: this.state.yaw - dx * 0.008, pitch: this.state.pitch + dy * 0.008 });
  }

  pan(dx: number, dy: number): void {
    const k = 1 / this.pixelsPerUnit();
    this.set({ target: add(this.state.target, add(mul(this.right, -dx * k), mul(this.above, dy * k))) });
  }

  /** Zooms so that what is under the pointer stays there. */
  zoom(factor: number, x = this.width / 2, y = this.height / 2): void {
    const limited = Math.max(1e-4, Math.min(1e5, this.state.distance * factor));
    const k = limited / this.state.distance;
    const before = this.pointOnTargetPlane(x, y);
    this.set({ distance: limited, target: add(before, mul(sub(this.state.target, before), k)) });
  }

  private pointOnTargetPlane(x: number, y: number): Vec3 {
    const k = 1 / this.pixelsPerUnit();
    return add(
      this.state.target,
      add(mul(this.right, (x - this.width / 2) * k), mul(this.above, (this.height / 2 - y) * k)),
    );
  }

  /** The camera that shows a ball of points in the free part of the view. */
  framing(center: Vec3, radius: number, share?: number): CameraState {
    const w = Math.max(40, this.width - this.inset.left - this.inset.right);
    const h = Math.max(40, this.height - this.inset.top - this.inset.bottom);
    const r = Math.max(radius, 1e-6);
    const distance = (r / TAN) * (share ? 1 / share : Math.max(1, this.height / h, this.height / w)) * 1.08;
    const scale = this.height / 2 / TAN / distance;
    const dx = (this.inset.left - this.inset.right) / 2 / scale;
    const dy = (this.inset.bottom - this.inset.top) / 2 / scale;
    const target = add(center, add(mul(this.right, -dx), mul(this.above, -dy)));
    return { ...this.state, target, distance };
  }

  /** The nearest camera, looking the same way, that shows all points in the free part of the view. `share` of it is filled. */
  framingPoints(points: Vec3[], share = 1): CameraState {
    const { center, radius } = ballOf(points);
    const kept = this.state;
    this.set(this.framing(center, radius));
    const w = Math.max(40, this.width - this.inset.left - this.inset.right) * share;
    const h = Math.max(40, this.height - this.inset.top - this.inset.bottom) * share;
    const middle = { x: (this.width + this.inset.left - this.inset.right) / 2, y: (this.height + this.inset.top - this.inset.bottom) / 2 };
    for (let round = 0; round < 6; round++) {
      const seen = points.map((p) => this.project(p));
      const xs = seen.map((p) => p.x);
      const ys = seen.map((p) => p.y);
      const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
      const least = 0.2; // of the ball: a set of points seen end on does not fill the view
      const size = Math.max((x1 - x0) / w, (y1 - y0) / h, (least * radius * this.pixelsPerUnit(center)) / Math.min(w, h));
      this.pan(middle.x - (x0 + x1) / 2, middle.y - (y0 + y1) / 2);
      const nearest = Math.max(...points.map((p) => -dot(sub(p, this.state.target), this.forward)));
      this.set({ distance: Math.max(this.state.distance * Math.max(0.3, Math.min(3, size)), 1.4 * nearest + 0.2 * radius) });
    }
    const found = this.state;
    this.set(kept);
    return found;
  }

  /** The camera that shows a flat set of points: fitted to their box, not to a ball around it. */
  framingFlat(points: Vec3[]): CameraState {
    const xs = points.map((p) => p[0]);
    const ys = points.map((p) => p[1]);
    const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const w = Math.max(40, this.width - this.inset.left - this.inset.right);
    const h = Math.max(40, this.height - this.inset.top - this.inset.bottom);
    const half = Math.max(((x1 - x0) * h) / w, y1 - y0, 1e-6) / 2;
    return this.framing([(x0 + x1) / 2, (y0 + y1) / 2, 0], half, h / this.height);
  }

  /** The camera at `eye` that looks at `target`. */
  looking(eye: Vec3, target: Vec3, ortho: boolean): CameraState {
    const back = sub(eye, target);
    const distance = Math.hypot(...back) || 1;
    const [x, y, z] = mul(back, 1 / distance);
    if (this.planar) return { ...this.state, target, distance };
    const yaw = this.up === 'y' ? Math.atan2(x!, z!) : Math.atan2(x!, -y!);
    return { target, distance, yaw, pitch: Math.asin(Math.max(-1, Math.min(1, this.up === 'y' ? y! : z!))), ortho };
  }

  /** Yaw and pitch that look along an axis towards the origin. */
  static along(axis: 'x' | 'y' | 'z', sign: number, up: 'y' | 'z'): { yaw: number; pitch: number } {
    const flat = Math.PI / 2;
    if (axis === up) return { yaw: 0, pitch: sign * PITCH_MAX };
    if (axis === 'x') return { yaw: sign * flat, pitch: 0 };
    if (up === 'y') return { yaw: sign > 0 ? 0 : Math.PI, pitch: 0 };
    return { yaw: sign > 0 ? Math.PI : 0, pitch: 0 };
  }
}

/** Between two camera states, for the 320 ms flight; eased by the caller. */
export function blendCamera(a: CameraState, b: CameraState, t: number): CameraState {
  const mix = (x: number, y: number) => x + (y - x) * t;
  let turn = b.yaw - a.yaw;
  turn -= 2 * Math.PI * Math.round(turn / (2 * Math.PI));
  return {
    target: [mix(a.target[0], b.target[0]), mix(a.target[1], b.target[1]), mix(a.target[2], b.target[2])],
    distance: Math.exp(mix(Math.log(a.distance), Math.log(b.distance))),
    yaw: a.yaw + turn * t,
    pitch: mix(a.pitch, b.pitch),
    ortho: t < 1 ? a.ortho : b.ortho,
  };
}

/** Centre and radius of a cloud of points. */
export function ballOf(points: Vec3[]): { center: Vec3; radius: number } {
  if (points.length === 0) return { center: [0, 0, 0], radius: 1 };
  const lo: Vec3 = [...points[0]!];
  const hi: Vec3 = [...points[0]!];
  for (const p of points) {
    for (let i = 0; i < 3; i++) {
      lo[i] = Math.min(lo[i]!, p[i]!);
      hi[i] = Math.max(hi[i]!, p[i]!);
    }
  }
  const center = mul(add(lo, hi), 0.5);
  return { center, radius: Math.max(...points.map((p) => Math.hypot(p[0] - center[0], p[1] - center[1], p[2] - center[2])), 1e-6) };
}
