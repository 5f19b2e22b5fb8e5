// A path drawn in the view: the pointer's stroke on a plane through the goal becomes the goal's keys, which the core solves for frame by frame.
import type { Camera } from '../logic/camera';
import { pathKeys } from '../logic/drawn_path';
import type { SceneGoal, Vec3 } from '../logic/scene';
import { rayPlane } from '../logic/vec';
import { player } from './player.svelte';
import { studio } from './studio.svelte';
import { ui } from './ui.svelte';

export type PathPlane = 'xy' | 'xz' | 'yz' | 'view';
/** Ends this near to each other, in pixels, make a loop. */
const CLOSE_PX = 14;

class Drawing {
  /** '': level. */
  chosen = $state<PathPlane | ''>('');
  stroke = $state.raw<Vec3[]>([]);
  closed = $state(false);
  private normal: Vec3 = [0, 0, 1];
  private anchor: Vec3 = [0, 0, 0];
  private first = { x: 0, y: 0 };

  get plane(): PathPlane {
    return this.chosen || (studio.model?.up === 'y' ? 'xz' : 'xy');
  }
  get goal(): SceneGoal | null {
    const g = studio.selectedGoal;
    return g && g.visible && !g.pinned && g.usePosition ? g : null;
  }
  get possible(): boolean {
    return studio.mode === 'pose' && this.goal !== null;
  }
  get active(): boolean {
    return ui.tool === 'path' && this.possible;
  }
  /** The plane's normal; it goes through the goal. */
  normalOf(camera: Camera): Vec3 {
    if (camera.planar || this.plane === 'xy') return [0, 0, 1];
    return this.plane === 'xz' ? [0, 1, 0] : this.plane === 'yz' ? [1, 0, 0] : camera.basis.forward;
  }

  begin(camera: Camera, p: { x: number; y: number }): boolean {
    if (!this.goal) return false;
    this.normal = this.normalOf(camera);
    this.anchor = this.goal.position;
    this.first = p;
    this.closed = false;
    this.stroke = [];
    return this.add(camera, p);
  }
  move(camera: Camera, p: { x: number; y: number }): void {
    this.add(camera, p);
    this.closed = this.stroke.length > 8 && Math.hypot(p.x - this.first.x, p.y - this.first.y) < CLOSE_PX;
  }
  private add(camera: Camera, p: { x: number; y: number }): boolean {
    const at = rayPlane(camera.ray(p.x, p.y), this.anchor, this.normal);
    // A plane that is seen on edge runs away to the horizon.
    if (!at || !studio.model || Math.hypot(at[0] - this.anchor[0], at[1] - this.anchor[1], at[2] - this.anchor[2]) > 6 * studio.model.reach) return false;
    this.stroke = [...this.stroke, at];
    return true;
  }
  cancel(): void {
    if (this.stroke.length) this.stroke = [];
  }

  /** The stroke becomes the goal's keys: one entry. */
  finish(): void {
    const { goal, closed } = this;
    const stroke = closed ? [...this.stroke.slice(0, -1), this.stroke[0]!] : this.stroke;
    this.stroke = [];
    if (!goal || !studio.model) return;
    const { clip } = studio.scene;
    const keys = pathKeys(stroke, clip.frames, studio.model.reach / 24, goal.useRotation ? goal.quaternion : undefined);
    if (keys.length < 2) return;
    player.frame = 0;
    player.chosen = [];
    player.change(`draw a path for ${goal.id}`, { ...clip, keys: { ...clip.keys, [goal.id]: keys }, ...(closed ? { loop: true } : {}) });
    ui.tool = 'translate';
  }
}

export const drawing = new Drawing();
