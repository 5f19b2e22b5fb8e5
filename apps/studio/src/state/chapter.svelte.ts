// The chapter: which page, which frame, and what was changed on it. It runs on figures of its own and
// has its own undo, so nothing here touches the person's scene.
import { computeStage, FRAMES, offPath, type StageData, findFrame } from '../chapter/compute';
import { PAGES, pageOf, type TryIt } from '../chapter/pages';
import { History } from '../logic/history';
import { fixed } from '../logic/numbers';
import type { Tone } from '../logic/verdict';
import { lessons } from './lessons.svelte';
import { load, save } from './prefs';
import { studio } from './studio.svelte';

interface Change {
  figure: string;
  goal?: [number, number];
  damping?: number;
}

class Chapter {
  change = $state.raw<Change>({ figure: '5.7' });
  frame = $state(0);
  playing = $state(false);
  speed = $state<'0.5' | '1' | '2'>('1');
  seen = $state<string[]>(load('chapter.seen', []));
  private history = new History<Change>();
  private request = 0;
  private began = 0;
  private from = 0;

  get figure(): string {
    return this.change.figure;
  }
  page = $derived(pageOf(this.change.figure));
  stages = $derived.by<StageData[]>(() => {
    const core = studio.core;
    if (!core || studio.mode !== 'chapter' || lessons.on) return [];
    return this.page.stages.flatMap((spec) => computeStage(core, this.page, spec, this.change.goal ?? this.page.goal, this.change.damping) ?? []);
  });
  get goal(): [number, number] | undefined {
    return this.change.goal ?? this.page.goal;
  }

  enter(): void {
    this.mark();
  }
  open(figure: string, frame?: number): void {
    this.pause();
    this.change = { figure: PAGES.some((p) => p.figure === figure) ? figure : '5.7' };
    this.frame = Math.max(0, Math.min(FRAMES - 1, frame ?? 0));
    this.mark();
    studio.changed();
  }
  private mark(): void {
    if (!this.seen.includes(this.figure)) {
      this.seen = [...this.seen, this.figure];
      save('chapter.seen', this.seen);
    }
  }
  neighbour(by: number): (typeof PAGES)[number] | undefined {
    return PAGES[PAGES.findIndex((p) => p.figure === this.figure) + by];
  }

  seek(frame: number): void {
    this.frame = Math.max(0, Math.min(FRAMES - 1, Math.round(frame)));
    studio.changed();
  }
  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }
  private play(): void {
    this.playing = true;
    this.from = this.frame >= FRAMES - 1 ? 0 : this.frame;
    this.began = performance.now();
    this.request = requestAnimationFrame(this.tick);
  }
  pause(): void {
    this.playing = false;
    cancelAnimationFrame(this.request);
  }
  private tick = (now: number): void => {
    if (!this.playing) return;
    const frame = Math.floor(this.from + ((now - this.began) / 1000) * 10 * Number(this.speed));
    this.frame = Math.min(FRAMES - 1, frame);
    if (frame >= FRAMES - 1) {
      this.pause();
      studio.changed();
    } else this.request = requestAnimationFrame(this.tick);
  };

  apply(change: Partial<Change>, label: string, key = ''): void {
    const next = { ...this.change, ...change };
    this.history.push(label, this.change, next, { key });
    this.change = next;
  }
  undo(): void {
    this.change = this.history.undo() ?? this.change;
  }
  redo(): void {
    this.change = this.history.redo() ?? this.change;
  }

  tryIt(item: TryIt): void {
    if (item.frame !== undefined) this.seek(item.frame);
    if (item.find) this.seek(findFrame(this.stages, item.find));
    if (item.goal) {
      this.apply({ goal: item.goal }, 'move the goal');
      this.seek(FRAMES - 1);
    }
    if (item.damping !== undefined) this.apply({ damping: item.damping }, `damping ${item.damping}`);
  }

  status(): { tone: Tone; title: string; facts: string } {
    if (lessons.on) return lessons.status();
    const sequences = this.stages.filter((s) => s.spec.kind === 'sequence');
    const title = `Frame ${this.frame}`;
    const refused = this.stages.find((s) => s.refused);
    if (refused) return { tone: 'bad', title: refused.spec.title, facts: refused.refused };
    if (sequences.length === 0) return { tone: 'info', title: `Figure ${this.figure}`, facts: `${this.page.heading}.` };
    const worst = Math.max(...sequences.map((s) => offPath(s, this.frame)));
    const who = sequences.length > 1 ? 'both arms on the path within' : 'the arm is on the path within';
    return { tone: worst < 1 ? 'ok' : 'warn', title, facts: `${who} ${fixed(Math.ceil(worst * 100) / 100, 2)} of the moving goal.` };
  }
  facts(): { text: string; quiet?: boolean }[] {
    if (lessons.on) return [{ text: `lesson ${lessons.index + 1} of ${lessons.list.length}` }];
    const model = this.stages[0]?.model;
    const one = this.stages.some((s) => s.spec.kind === 'sequence') ? ', one step a frame' : '';
    return [{ text: model ? `${model.dof} DOF, planar${one}` : '' }, { text: 'model units, deg' }];
  }
}

export const chapter = new Chapter();
