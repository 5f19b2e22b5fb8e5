// Time: the frame that is shown, playing, keys of goals and poses, clip tools, trails and onion skins. Playing shows poses; it is not
// an undoable change.
import { playFrame, removeKey, removePoseKey, setKey, setPoseKey } from '../logic/timeline';
import { frameRate, isKeyed, type Clip, type Vec3, type Way } from '../logic/scene';
import { origin } from '../logic/vec';
import { mistake } from '../core/core';
import { below, goalsAt, played, through, whenPlayed } from './animation';
import { studio } from './studio.svelte';

const MOST_PREVIEWED = 1000;

class Player {
  frame = $state(0);
  playing = $state(false);
  speed = $state(1);
  /** Frames chosen on the ruler, for Trim. */
  range = $state.raw<[number, number] | null>(null);
  /** The key in hand: of a goal, or of the pose ('' as the goal). */
  chosen = $state.raw<{ goal: string; frame: number }[]>([]);
  /** What a clip tool that is pointed at would make of the shown frame. */
  preview = $state.raw<Float64Array | null>(null);
  private began = 0;
  private from = 0;
  private request = 0;

  /** The file brought a motion along. */
  get hasClip(): boolean {
    return studio.rig?.names.motion ?? false;
  }
  get hasKeys(): boolean {
    return Object.keys(studio.scene.clip.keys).length > 0 || studio.scene.clip.poses.length > 0;
  }
  get canPlay(): boolean {
    return this.hasClip || this.hasKeys;
  }
  get frames(): number {
    return this.canPlay ? studio.scene.clip.frames + 1 : 1;
  }

  seek(frame: number): void {
    const { clip } = studio.scene;
    this.frame = Math.max(0, Math.min(clip.frames, Math.round(frame)));
    this.apply();
  }

  /** The pose of a frame as it is played; null where there is none. */
  pose(frame: number): Float64Array | null {
    const rig = studio.rig;
    if (!rig || !this.canPlay) return null;
    if (!this.hasKeys && studio.scene.clip.tools.length === 0) return rig.clipFrame(frame);
    return played()?.motion.frame(frame) ?? null;
  }

  private apply(): void {
    const rig = studio.rig;
    const q = this.pose(this.frame);
    if (!rig || !q) return;
    rig.setPose(q);
    const goals = this.hasKeys ? goalsAt(this.frame) : studio.scene.goals;
    studio.scene = { ...studio.scene, q: Array.from(q), goals };
    const keyed = goals.some((g) => studio.scene.clip.keys[g.id]);
    if (keyed) goals.forEach((g, i) => rig.moveGoal(i, g));
    studio.report = keyed ? rig.measure() : null;
    studio.tick++;
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

  // Keys -----------------------------------------------------------------------------------------------
  /** One undoable change of the keys; what is shown follows them. */
  change(label: string, clip: Clip, key?: string): void {
    if (clip === studio.scene.clip) return;
    const start = (isKeyed(studio.scene.clip) && clip.start) || [...studio.scene.q];
    studio.commit(label, { ...studio.scene, clip: { ...clip, start } }, key ? { key } : {});
    if (this.hasKeys) this.apply();
  }
  key(all = false): void {
    const goals = all ? studio.scene.goals.filter((g) => !g.pinned) : studio.selectedGoal ? [studio.selectedGoal] : [];
    if (goals.length === 0) return;
    let clip = studio.scene.clip;
    for (const g of goals) {
      const before = clip.keys[g.id]?.find((k) => k.frame === this.frame);
      clip = setKey(clip, g.id, { ...before, frame: this.frame, position: g.position, ...(g.useRotation ? { quaternion: g.quaternion } : {}) });
    }
    this.chosen = goals.map((g) => ({ goal: g.id, frame: this.frame }));
    this.change(all ? 'key all goals' : `key ${goals[0]!.id}`, clip);
  }
  keyPose(): void {
    if (!studio.rig) return;
    const { clip } = studio.scene;
    const before = clip.poses.find((k) => k.frame === this.frame);
    const taken = new Set(clip.poses.map((k) => k.name));
    let n = clip.poses.length + 1;
    while (taken.has(`pose ${n}`)) n++;
    this.chosen = [{ goal: '', frame: this.frame }];
    this.change('key the pose', setPoseKey(clip, { ...before, frame: this.frame, name: before?.name ?? `pose ${n}`, q: [...studio.scene.q] }));
  }
  removeKeys(list: { goal: string; frame: number }[]): void {
    const clip = list.reduce((c, k) => (k.goal ? removeKey(c, k.goal, k.frame) : removePoseKey(c, k.frame)), studio.scene.clip);
    this.change(list.length > 1 ? 'remove keys' : list[0]?.goal ? `remove key of ${list[0].goal}` : 'remove a pose key', clip);
    this.chosen = [];
  }
  setPoseWay(frame: number, way: Way): void {
    const { clip } = studio.scene;
    this.change('change a tangent', { ...clip, poses: clip.poses.map((k) => (k.frame === frame ? { ...k, way } : k)) });
  }

  // Clip tools -----------------------------------------------------------------------------------------
  /** One tool more on the file's motion: one entry. Returns the core's sentence where it cannot. */
  tool(words: string, label: string): string {
    const rig = studio.rig;
    const { clip } = studio.scene;
    if (!rig) return '';
    try {
      const before = below(rig, clip.tools);
      if (!before) return 'The file of this model holds no motion.';
      const made = through(before, words);
      const fps = frameRate(made.frame_time);
      studio.commit(label, { ...studio.scene, clip: { ...clip, tools: [...clip.tools, words], frames: Math.max(1, made.frames - 1), fps } });
    } catch (error) {
      return mistake(error).message;
    }
    this.range = null;
    this.seek(Math.min(this.frame, studio.scene.clip.frames));
    return '';
  }

  /** Shows as a ghost what a tool would do here; '' ends it. Long motions take too long for a hover. */
  tryTool(words: string): void {
    const rig = studio.rig;
    const before = rig && words ? below(rig, studio.scene.clip.tools) : null;
    this.preview = null;
    if (!before || before.frames > MOST_PREVIEWED) return;
    try {
      const made = through(before, words);
      this.preview = made.frame(Math.min(made.frames - 1, Math.round((this.frame * before.frame_time) / made.frame_time)));
    } catch {
      // what cannot be done has no picture; the click says why
    }
  }

  /** All frames' poses; the shown pose stays. */
  poses(): Float64Array[] {
    if (!studio.rig) return [];
    if (!this.canPlay) return [Float64Array.from(studio.scene.q)];
    return Array.from({ length: this.frames }, (_, f) => this.pose(f)).filter((q) => q !== null);
  }

  private trailCache: { key: unknown; link: number; points: Vec3[] } | null = null;
  /** Where a link goes over all frames. */
  trail(link: number): Vec3[] {
    const rig = studio.rig;
    if (!rig || link < 0 || !this.canPlay) return [];
    const plain = !this.hasKeys && studio.scene.clip.tools.length === 0;
    const key = plain ? rig : played();
    if (this.trailCache?.key === key && this.trailCache.link === link) return this.trailCache.points;
    const points = this.way(link, 600);
    this.trailCache = { key, link, points };
    return points;
  }
  /** Where a link is at no more than so many frames, first to last. */
  way(link: number, most: number): Vec3[] {
    const rig = studio.rig;
    if (!rig || link < 0 || !this.canPlay) return [];
    const keep = Array.from(rig.q);
    const stride = Math.max(1, Math.ceil(this.frames / most));
    const points: Vec3[] = [];
    for (let i = 0; i < this.frames; i += stride) {
      const q = this.pose(i);
      if (!q) continue;
      rig.setPose(q);
      points.push(origin(rig.frames, link));
    }
    rig.setPose(keep);
    return points;
  }
}

export const player = new Player();
whenPlayed(() => player.seek(player.frame));
