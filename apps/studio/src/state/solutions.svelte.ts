// Every pose that reaches the active goal, where the core can know them all. The panel lists them, the view shows them as ghosts.
import type { Goal } from '@armature';
import { mistake } from '../core/core';
import { player } from './player.svelte';
import { studio } from './studio.svelte';
import { ui } from './ui.svelte';

export interface Found {
  q: Float64Array[];
  /** Sum of the joint changes from the shown pose. */
  away: number[];
  /** Further poses that differ by whole turns only, over all. */
  turns: number;
  /** The core says that there is no other. */
  complete: boolean;
  note: string;
  /** Why there is no list. */
  why: string;
}
const none = (why: string): Found => ({ q: [], away: [], turns: 0, complete: false, note: '', why });

/** Every difference is a whole number of turns. */
const sameShape = (d: ArrayLike<number>): boolean => Array.from(d).every((v) => Math.abs(Math.sin(v / 2)) < 1e-6);

class Solutions {
  ghosts = $state(true);
  hover = $state(-1);
  private kept: { of: string; found: Found } = { of: '', found: none('') };

  /** Only while someone looks: a search takes a while where there are no equations. */
  get shown(): boolean {
    return studio.mode === 'pose' && ui.inspectorTab === 'solutions';
  }
  found = $derived.by<Found>(() => {
    void studio.tick;
    const goal = studio.selectedGoal;
    const rig = studio.rig;
    if (!this.shown) return none('');
    if (!rig || !goal || !goal.usePosition) return none('Select a goal with a position.');
    if (studio.gesture !== null || player.playing) return this.kept.found;
    const target = goal.useRotation ? [...goal.position, ...goal.quaternion] : rig.model.planar ? goal.position.slice(0, 2) : goal.position;
    const of = JSON.stringify([goal.link, target, studio.scene.q, studio.scene.name]);
    if (of === this.kept.of) return this.kept.found;
    let found: Found;
    try {
      const all = rig.core.solutions({ link: goal.link, target } as Goal, { start: studio.scene.q });
      const away = all.q.map((q) => rig.core.difference(studio.scene.q, q).reduce((s, v) => s + Math.abs(v), 0));
      const sorted = away.map((_, i) => i).sort((a, b) => away[a]! - away[b]!);
      // Poses that differ by whole turns look alike: the nearest of them stands for all.
      const order: number[] = [];
      for (const i of sorted) if (!order.some((k) => sameShape(rig.core.difference(all.q[k]!, all.q[i]!)))) order.push(i);
      found = { q: order.map((i) => all.q[i]!), away: order.map((i) => away[i]!), turns: sorted.length - order.length, complete: all.complete, note: all.message, why: '' };
    } catch (error) {
      found = none(mistake(error).message);
    }
    this.kept = { of, found };
    return found;
  });
  isCurrent(index: number): boolean {
    return (this.found.away[index] ?? 1) < 1e-6;
  }
  take(index: number): void {
    const q = this.found.q[index];
    if (!q || this.isCurrent(index)) return;
    this.hover = -1;
    studio.commit(`take solution ${index + 1}`, { ...studio.scene, q: Array.from(q) });
  }
  next(by: number): void {
    const { q } = this.found;
    if (q.length > 1) this.take((((by + q.findIndex((_, i) => this.isCurrent(i))) % q.length) + q.length) % q.length);
  }
}

export const solutions = new Solutions();
