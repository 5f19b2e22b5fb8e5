// Long work in the worker: the workspace cloud and batches of random goals. An answer for a scene that
// has changed is dropped.
import type { Benchmark } from '@armature';
import type { WorkerAnswer, WorkerRequest } from '../core/worker';
import { shellOf, type Shell } from '../logic/shell';
import { origin } from '../logic/vec';
import { stepper } from './stepper.svelte';
import { studio } from './studio.svelte';
import { ui } from './ui.svelte';

export function start(request: WorkerRequest, onAnswer: (answer: WorkerAnswer) => void): Worker {
  const worker = new Worker(new URL('../core/worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = (event: MessageEvent<WorkerAnswer>) => {
    if (event.data.kind === 'error') ui.toast({ tone: 'bad', title: 'The work beside the page failed', text: event.data.message });
    onAnswer(event.data);
    if (event.data.kind === 'done' || event.data.kind === 'error') worker.terminate();
  };
  worker.postMessage(request);
  return worker;
}

class Cloud {
  points = $state.raw<Float32Array | null>(null);
  link = $state('');
  /** What is drawn of them. */
  shell = $derived.by<Shell | null>(() => {
    const { rig, model } = studio;
    const first = studio.chain[0] ?? model?.joints.findIndex((j) => j.nv > 0) ?? -1;
    if (!this.points || !rig || !model || first < 0) return null;
    const center = origin(rig.frames, model.joints[first]!.child);
    const floor = model.planar ? -Infinity : Math.min(0, center[model.up === 'y' ? 1 : 2]!);
    return shellOf(this.points, center, model.up, model.planar, floor);
  });
  busy = $state(false);
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
    this.worker?.terminate();
    this.busy = true;
    this.worker = start({ kind: 'cloud', base: document.baseURI, model: studio.scene.model, link, samples: 20000 }, (answer) => {
      if (answer.kind === 'cloud' && key === this.key) this.points = answer.points;
      if (answer.kind !== 'cloud') this.busy = false;
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
