// Time: the frame that is shown, playing, keys of goals, clips that a file brought along, trails and
// onion skins. Playing shows poses; it is not an undoable change.
import { goalAt, playFrame, removeKey, setKey } from '../logic/timeline';
import type { SceneGoal, Vec3 } from '../logic/scene';
import { origin } from '../logic/vec';
import { studio } from './studio.svelte';

class Player {
  frame = $state(0);
  playing = $state(false);
  speed = $state(1);
  /** Poses of the last tracked path, by frame: trails, onion skins and export use them. */
  track: Float64Array[] | null = null;
  private began = 0;
  private from = 0;
  private request = 0;

  /** Frames come from the file's own motion, or from keyed goals. */
  get hasClip(): boolean {
    return (studio.rig?.clips[0]?.frames ?? 0) > 1;
  }
  get hasKeys(): boolean {
    return Object.keys(studio.scene.clip.keys).length > 0;
  }
  get canPlay(): boolean {
    return this.hasClip || this.hasKeys;
  }

  seek(frame: number): void {
    const { clip } = studio.scene;
    this.frame = Math.max(0, Math.min(clip.frames, Math.round(frame)));
    this.apply();
  }

  private apply(): void {
    const rig = studio.rig;
    if (!rig) return;
    if (this.hasClip) {
      const q = rig.clipFrame(this.frame);
      rig.setPose(q);
      studio.scene = { ...studio.scene, q: Array.from(q) };
      studio.report = null;
      studio.tick++;
      return;
    }
    if (!this.hasKeys) return;
    studio.scene = { ...studio.scene, goals: this.goalsAt(this.frame) };
    studio.scene.goals.forEach((g, i) => rig.moveGoal(i, g));
    studio.solveNow();
  }

  goalsAt(frame: number): SceneGoal[] {
    return studio.scene.goals.map((g) => {
      const at = goalAt(studio.scene.clip.keys[g.id], frame);
      return at ? { ...g, position: at.position, ...(at.quaternion ? { quaternion: at.quaternion } : {}) } : g;
    });
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }
  play(): void {
    if (!this.canPlay || this.playing) return;
    this.playing = true;
    this.from = this.frame >= studio.scene.clip.frames ? 0 : this.frame;
    this.began = performance.now();
    this.request = requestAnimationFrame(this.tickFrame);
  }
  pause(): void {
    this.playing = false;
    cancelAnimationFrame(this.request);
    studio.changed();
  }
  private tickFrame = (now: number): void => {
    if (!this.playing) return;
    const next = playFrame(this.from, ((now - this.began) / 1000) * this.speed, studio.scene.clip);
    if (next.frame !== this.frame && !document.hidden) {
      this.frame = next.frame;
      this.apply();
    }
    if (!next.playing) this.pause();
    else this.request = requestAnimationFrame(this.tickFrame);
  };

  key(all = false): void {
    const goals = all ? studio.scene.goals.filter((g) => !g.pinned) : studio.selectedGoal ? [studio.selectedGoal] : [];
    if (goals.length === 0) return;
    let clip = studio.scene.clip;
    for (const g of goals) {
      clip = setKey(clip, g.id, { frame: this.frame, position: g.position, ...(g.useRotation ? { quaternion: g.quaternion } : {}) });
    }
    studio.commit(all ? 'key all goals' : `key ${goals[0]!.id}`, { ...studio.scene, clip });
    this.track = null;
  }
  removeKey(goal: string, frame: number): void {
    studio.commit(`remove key of ${goal}`, { ...studio.scene, clip: removeKey(studio.scene.clip, goal, frame) });
    this.track = null;
  }

  /** All frames' poses, solved one after the other from the first; the shown pose stays. */
  poses(): Float64Array[] {
    const rig = studio.rig;
    if (!rig) return [];
    const { clip } = studio.scene;
    if (this.hasClip) {
      return Array.from({ length: rig.clips[0]!.frames }, (_, f) => rig.clipFrame(f));
    }
    if (!this.hasKeys) return [Float64Array.from(studio.scene.q)];
    const keep = Array.from(rig.q);
    const out: Float64Array[] = [];
    for (let f = 0; f <= clip.frames; f++) {
      this.goalsAt(f).forEach((g, i) => rig.moveGoal(i, g));
      rig.solve();
      out.push(rig.q.slice());
    }
    rig.setPose(keep);
    rig.setProblem(studio.scene);
    this.track = out;
    return out;
  }

  private trailCache: { key: unknown; link: number; points: Vec3[] } | null = null;
  /** Where a link goes over all frames. */
  trail(link: number): Vec3[] {
    const rig = studio.rig;
    if (!rig || link < 0 || !this.canPlay) return [];
    const key = this.hasClip ? rig : studio.scene.clip;
    if (this.trailCache?.key === key && this.trailCache.link === link) return this.trailCache.points;
    const keep = Array.from(rig.q);
    const poses = this.hasClip ? null : (this.track ?? this.poses());
    const count = poses ? poses.length : rig.clips[0]!.frames;
    const stride = Math.max(1, Math.ceil(count / 600));
    const points: Vec3[] = [];
    for (let i = 0; i < count; i += stride) {
      rig.setPose(poses ? poses[i]! : rig.clipFrame(i));
      points.push(origin(rig.frames, link));
    }
    rig.setPose(keep);
    this.trailCache = { key, link, points };
    return points;
  }
}

export const player = new Player();
