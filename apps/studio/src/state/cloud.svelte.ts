// Long work in the worker: the workspace and batches of random goals. An answer for a scene that
// has changed is dropped.
import type { Benchmark } from '@armature';
import { shellOf, type Shell } from '../logic/shell';
import { extentOf, frameOf, stripsOf, type Cells, type Strip } from '../logic/slice';
import type { Vec3 } from '../logic/scene';
import { origin } from '../logic/vec';
import { start } from './beside_page';
import { stepper } from './stepper.svelte';
import { studio } from './studio.svelte';

class Cloud {
  points = $state.raw<Float32Array | null>(null);
  /** Which places, and with how many hand orientations: coarse first. */
  cells = $state.raw<Cells | null>(null);
  link = $state('');
  look = $state<'shell' | 'slice' | 'both'>('both');
  /** Normal of the slice, and where it stands on it. */
  axis = $state<0 | 1 | 2>(1);
  at = $state(0);
  private center = $derived.by<Vec3 | null>(() => {
    const { rig, model } = studio;
    const first = studio.chain[0] ?? model?.joints.findIndex((j) => j.nv > 0) ?? -1;
    return rig && model && first >= 0 ? origin(rig.frames, model.joints[first]!.child) : null;
  });
  private up = $derived(studio.model?.up === 'y' ? 1 : 2);
  private floor = $derived(!this.center || studio.model?.planar ? -Infinity : Math.min(0, this.center[this.up]!));
  /** The root floats: there is no limit to show. */
  endless = $derived(studio.model?.joints[studio.chain[0] ?? -1]?.nv === 6);
  /** What is drawn of them. */
  shell = $derived.by<Shell | null>(() => (this.points && this.center && !this.endless ? shellOf(this.points, this.center, studio.model!.up, studio.model!.planar, this.floor) : null));
  strips = $derived.by<Strip[]>(() => (this.cells && this.look !== 'shell' && !this.endless ? stripsOf(this.cells, this.axis, this.at, this.up, this.floor) : []));
  frame = $derived(this.cells ? frameOf(this.cells, this.axis, this.at, this.strips) : null);
  busy = $state(false);

  setAxis(axis: 0 | 1 | 2): void {
    this.axis = axis;
    this.at = this.center?.[axis] ?? 0;
    this.move(this.at);
  }
  move(at: number): void {
    const [low, high] = this.cells ? extentOf(this.cells, this.axis) : [-Infinity, Infinity];
    this.at = Math.max(low, Math.min(high, at));
  }
  private key = '';
  private worker: Worker | null = null;

  /** Samples the workspace of the active goal's link, once per model and link. */
  ensure(): void {
    const rig = studio.rig;
    if (!rig) return;
    const link = studio.selectedGoal?.link ?? rig.model.links[rig.model.effectors[0] ?? 0]?.name ?? '';
    const key = `${studio.scene.model.builtin ?? studio.scene.model.file?.name} ${link}`;
    if (key === this.key) return;
    this.key = key;
    this.link = link;
    this.points = null;
    this.cells = null;
    this.worker?.terminate();
    this.busy = !this.endless;
    if (this.endless) return;
    this.setAxis(rig.model.planar || rig.model.up === 'y' ? 2 : 1);
    this.worker = start({ kind: 'cloud', base: document.baseURI, model: studio.scene.model, link, samples: 20000 }, (answer) => {
      if (key !== this.key) return;
      if (answer.kind === 'cloud') this.points = answer.points;
      else if (answer.kind === 'cells') this.cells = answer.cells;
      else this.busy = false;
    });
  }
}

class Batch {
  results = $state<Record<string, Benchmark>>({});
  busy = $state(false);
  private worker: Worker | null = null;

  run(goals = 1000): void {
    if (!studio.rig) return;
    this.cancel();
    this.results = {};
    this.busy = true;
    const { goals: sceneGoals, joints, solver } = plain(studio.scene);
    this.worker = start(
      { kind: 'batch', base: document.baseURI, model: studio.scene.model, scene: { goals: sceneGoals, joints, solver }, q: [...stepper.start], methods: [...stepper.methods], goals },
      (answer) => {
        if (answer.kind === 'batch') this.results = { ...this.results, [answer.method]: answer.result };
        else this.busy = false;
      },
    );
  }
  cancel(): void {
    this.worker?.terminate();
    this.worker = null;
    this.busy = false;
  }
}

const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

export const cloud = new Cloud();
export const batch = new Batch();
