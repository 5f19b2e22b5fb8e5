// How near things are at the shown pose, as the core measures it; obstacles.
import type { BodiesReport, NearPair } from '@armature';
import type { Rig } from '../core/core';
import { band, type Band } from '../logic/bands';
import { changeObstacle, type SceneObstacle, type Vec3 } from '../logic/scene';
import { origin } from '../logic/vec';
import { player } from './player.svelte';
import { studio } from './studio.svelte';
import { ui } from './ui.svelte';

class BodiesState {
  selected = $state('');
  private facts: { rig: Rig; report: BodiesReport } | null = null;

  get shown(): boolean {
    return studio.mode === 'pose' && (ui.show.clearance || ui.inspectorTab === 'bodies' || studio.scene.obstacles.length > 0);
  }
  /** What the model's links occupy, and which pairs are asked. */
  get report(): BodiesReport | null {
    const { rig } = studio;
    if (!rig) return null;
    if (this.facts?.rig !== rig) this.facts = { rig, report: rig.core.bodies() };
    return this.facts.report;
  }
  /** Pairs that are near, nearest first; negative distances touch. */
  pairs = $derived.by<NearPair[]>(() => {
    void [studio.tick, studio.scene.obstacles];
    const { rig } = studio;
    if (!rig || !this.shown || player.playing) return [];
    return rig.scene.clearance({ within: this.seen }).pairs;
  });
  /** Farther than this nothing is near. */
  get seen(): number {
    return 0.25 * (studio.model?.reach ?? 1);
  }
  get touches(): NearPair[] {
    return this.pairs.filter((p) => p.distance < 0);
  }
  bandOf(distance: number): Band {
    return band(distance, studio.model?.reach ?? 1);
  }
  /** Token per link, by its nearest pair; undefined: nothing near. */
  tints = $derived.by<Map<string, string>>(() => {
    const out = new Map<string, string>();
    for (const pair of this.pairs) {
      for (const name of [pair.a, pair.b]) if (!out.has(name)) out.set(name, this.bandOf(pair.distance).token);
    }
    return out;
  });

  add(type: SceneObstacle['type']): void {
    const { rig, model } = studio;
    if (!rig || !model) return;
    const taken = new Set(studio.scene.obstacles.map((o) => o.name));
    let n = 1;
    while (taken.has(`${type}_${n}`)) n++;
    const name = type === 'plane' && !taken.has('floor') ? 'floor' : `${type}_${n}`;
    const size = Number((0.12 * model.reach).toPrecision(2));
    const tip = studio.selectedGoal?.position ?? origin(rig.frames, model.effectors[0] ?? model.links.length - 1);
    const up = model.up === 'y' ? 1 : 2;
    const at: Vec3 = [...tip];
    at[model.planar ? 0 : up] -= 2 * size;
    const lowest = Math.min(...model.links.map((_, i) => origin(rig.frames, i)[up]!));
    const position: Vec3 = type === 'plane' ? (up === 1 ? [0, lowest - size, 0] : [0, 0, lowest - size]) : at;
    studio.commit(`add ${name}`, { ...studio.scene, obstacles: [...studio.scene.obstacles, { name, type, position, size: [size, size, size] }] });
    this.selected = name;
  }
  change(name: string, change: Partial<SceneObstacle>, label: string): void {
    studio.commit(label, changeObstacle(studio.scene, name, change), { key: label });
  }
  remove(name: string): void {
    studio.commit(`delete ${name}`, { ...studio.scene, obstacles: studio.scene.obstacles.filter((o) => o.name !== name) });
  }
  /** One frame of a drag. */
  move(name: string, position: Vec3): void {
    studio.scene = changeObstacle(studio.scene, name, { position });
    studio.rig?.setProblem(studio.scene);
    if (studio.scene.free && studio.scene.goals.length) studio.solveNow();
    studio.tick++;
  }
  setFree(free: boolean): void {
    const method = free && !['auto', 'reach'].includes(studio.scene.solver.method) ? { method: 'reach', options: {} } : studio.scene.solver;
    studio.commit(free ? 'free answers' : 'any answers', { ...studio.scene, free, solver: method }, { solve: true });
  }
  setMargin(margin: number): void {
    studio.commit('margin', { ...studio.scene, margin }, { key: 'margin', solve: studio.scene.free });
  }
}

export const bodies = new BodiesState();
