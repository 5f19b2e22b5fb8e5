// Lessons: the exercises of the core, one question each, checked by the core when an answer is given. Progress stays in this browser;
// nothing is sent, unless a page that embeds a lesson asks to be told (report=1).
import type { ExerciseEntry } from '@armature';
import { mistake, type Rig } from '../core/core';
import { evaluateList } from '../logic/expression';
import { origin } from '../logic/vec';
import type { Tone } from '../logic/verdict';
import { player } from './player.svelte';
import { load, save } from './prefs';
import { studio } from './studio.svelte';

/** right: answered; seen: the solution was shown before; tried: a wrong answer so far. */
export type Progress = 'right' | 'seen' | 'tried';
export interface Result {
  tone: Tone;
  title: string;
  text: string;
}

class Lessons {
  /** Lessons instead of figures. */
  on = $state(false);
  name = $state('');
  /** What was written, by exercise. */
  answers = $state<Record<string, string>>({});
  progress = $state<Record<string, Progress>>(load('lessons', {}));
  result = $state.raw<Result | null>(null);
  hints = $state(0);
  shown = $state(false);
  /** Pose of the stage. */
  q = $state.raw<number[]>([]);
  rig = $state.raw<Rig | null>(null);
  /** A page that embeds the lesson: may hints and solutions be seen, does it want to know? */
  allow = $state({ hints: true, solutions: true, report: false });

  list = $derived<ExerciseEntry[]>(studio.core ? studio.core.module.exercises() : []);
  current = $derived(this.list.find((e) => e.name === this.name) ?? this.list[0] ?? null);
  get index(): number {
    return this.current ? this.list.indexOf(this.current) : -1;
  }
  get done(): number {
    return this.list.filter((e) => this.progress[e.name] === 'right' || this.progress[e.name] === 'seen').length;
  }

  open(name = ''): void {
    this.on = true;
    const next = this.list.find((e) => e.name === name) ?? this.list.find((e) => !this.progress[e.name]) ?? this.list[0];
    if (!next) return;
    this.name = next.name;
    this.result = null;
    this.hints = 0;
    this.shown = false;
    this.stage(next);
    studio.changed();
  }
  close(): void {
    this.on = false;
    studio.changed();
  }
  go(by: number): void {
    const next = this.list[this.index + by];
    if (next) this.open(next.name);
  }

  /** The flat model that an exercise speaks of, to be moved by hand; null for others. */
  private stage(exercise: ExerciseEntry): void {
    this.rig?.dispose();
    this.rig = null;
    const named = [exercise.model, ...[...exercise.task.matchAll(/`(\w+)`/g)].map((m) => m[1]!)].find((n) => n && studio.core!.models.some((m) => m.name === n));
    const opened = named ? studio.core!.builtin(named) : null;
    if (!opened?.ok) return;
    if (!opened.rig.model.planar || opened.rig.model.closures.length > 0) return opened.rig.dispose();
    this.rig = opened.rig;
    this.move(Array.from(opened.rig.core.startPose()));
  }
  move(q: number[]): void {
    if (!this.rig) return;
    this.rig.setPose(q);
    this.rig.scene.clamp();
    this.rig.scene.forward();
    this.q = Array.from(this.rig.q);
  }
  /** Where the end of the stage's arm is. */
  get tip(): [number, number] | null {
    if (!this.rig || this.q.length === 0) return null;
    const at = origin(this.rig.frames, this.rig.model.effectors[0] ?? this.rig.model.links.length - 1);
    return [at[0], at[1]];
  }

  get answer(): string {
    return (this.current && this.answers[this.current.name]) ?? '';
  }
  set answer(text: string) {
    if (this.current) this.answers = { ...this.answers, [this.current.name]: text };
  }
  /** What the written answer comes to, where it is an expression. */
  get value(): string {
    const list = /[a-z(^*/°π]/i.test(this.answer) ? evaluateList(this.answer) : null;
    return list ? list.map((v) => Number(v.toPrecision(5))).join(', ') : '';
  }

  check(): void {
    const { current } = this;
    if (!current || !studio.core) return;
    try {
      const verdict = studio.core.module.checkAnswer(current.name, this.handedIn(current));
      this.judged(current.name, verdict.passed);
      this.result = { tone: verdict.passed ? 'ok' : 'bad', title: verdict.passed ? 'Correct.' : 'Not yet.', text: verdict.passed ? '' : verdict.message };
    } catch (error) {
      this.result = { tone: 'warn', title: 'That cannot be checked.', text: mistake(error).message };
    }
  }
  private handedIn(current: ExerciseEntry): { text?: string; model?: Rig['core']; clip?: ReturnType<Rig['core']['clip']> } {
    if (current.answer === 'choice') return { text: this.answer };
    if (current.answer === 'model' || current.answer === 'motion') {
      if (!studio.rig) throw new Error('Open or build a model first; the one that is open is handed in.');
      if (current.answer === 'model') return { model: studio.rig.core };
      const q = player.poses().flatMap((pose) => Array.from(pose));
      return { clip: studio.rig.core.clip({ frame_time: 1 / studio.scene.clip.fps, q }) };
    }
    if (this.answer.includes('=')) return { text: this.answer };
    const list = evaluateList(this.answer);
    if (!list) throw new Error(this.answer.trim() ? 'That is not a number.' : 'Write an answer first.');
    if (current.answer === 'pose' && list.length === this.rig?.model.nq) this.move(list);
    return { text: list.join(',') };
  }
  private judged(name: string, passed: boolean): void {
    const before = this.progress[name];
    const now: Progress = passed ? (before === 'seen' ? 'seen' : 'right') : (before ?? 'tried');
    this.progress = { ...this.progress, [name]: now };
    save('lessons', this.progress);
    if (this.allow.report && window.parent !== window) window.parent.postMessage({ armature: { lesson: name, correct: passed } }, '*');
  }
  hint(): void {
    if (this.current && this.allow.hints) this.hints = Math.min(this.current.hints.length, this.hints + 1);
  }
  /** Marked as seen: it counts as done, not as correct. */
  showSolution(): void {
    const { current } = this;
    if (!current?.solution || !this.allow.solutions) return;
    this.shown = true;
    this.answer = current.solution;
    if (this.progress[current.name] !== 'right') {
      this.progress = { ...this.progress, [current.name]: 'seen' };
      save('lessons', this.progress);
    }
    this.check();
  }

  status(): { tone: Tone; title: string; facts: string } {
    const place = `question ${this.index + 1} of ${this.list.length}.`;
    if (this.result?.tone === 'ok') return { tone: 'ok', title: 'Correct', facts: place };
    if (this.result?.tone === 'bad') return { tone: 'warn', title: 'Not yet', facts: place };
    return { tone: 'info', title: this.current?.title ?? 'Lessons', facts: place };
  }
}

export const lessons = new Lessons();
