// Fingers in the view: two pan and pinch the camera; tapping with two undoes, with three redoes.
import type { Camera } from '../logic/camera';
import type { Point } from './drag_target';

/** Where the finger is while what it moves floats above it; a line leads there. */
export const finger = { at: null as Point | null };
/** Fingers are the first means of pointing here: handles are larger, and farther from what they belong to. */
export const coarse = (): boolean => matchMedia('(pointer: coarse)').matches;

export class Touches {
  private at = new Map<number, Point>();
  private pinch: (Point & { distance: number }) | null = null;
  private tap = { time: 0, x: 0, y: 0, fingers: 0 };

  get count(): number {
    return this.at.size;
  }
  get pinching(): boolean {
    return this.pinch !== null;
  }

  /** `time`: when it happened (the event's own), however late a busy page hears of it. */
  down(id: number, p: Point, time: number): void {
    this.at.set(id, p);
    if (this.at.size === 1) this.tap = { time, ...p, fingers: 1 };
    this.tap.fingers = Math.max(this.tap.fingers, this.at.size);
    if (this.at.size >= 2) this.pinch = this.now();
  }
  /** Moves the camera while two fingers are down. Returns whether it did. */
  move(id: number, p: Point, camera: Camera): boolean {
    if (this.at.has(id)) this.at.set(id, p);
    const was = this.pinch;
    if (!was || this.at.size < 2) return false;
    const now = this.now();
    if (Math.hypot(now.x - this.tap.x, now.y - this.tap.y) > 60 || Math.abs(now.distance - was.distance) > 6) this.tap.time = 0;
    camera.zoom(was.distance / Math.max(1, now.distance), now.x, now.y);
    camera.pan(now.x - was.x, now.y - was.y);
    this.pinch = now;
    return true;
  }
  /** A finger left. Returns the number of fingers of a finished tap, 0 when it was none. */
  up(id: number, time: number): number {
    this.at.delete(id);
    if (!this.pinch || this.at.size > 0) return 0;
    this.pinch = null;
    return time - this.tap.time > 350 ? 0 : this.tap.fingers;
  }
  cancel(id: number): void {
    this.at.delete(id);
  }

  private now(): Point & { distance: number } {
    const [a, b] = [...this.at.values()];
    return { distance: Math.hypot(a!.x - b!.x, a!.y - b!.y), x: (a!.x + b!.x) / 2, y: (a!.y + b!.y) / 2 };
  }
}
