// The verdict: how the last solve ended, as one sentence for the status line (SPEC section 9). Facts
// come from the core's report; units follow the scene. At most 90 characters.
import type { SceneReport as Report } from '../core/core';
import type { ModelDescription } from './model';
import type { LengthStyle } from './numbers';
import { middle } from './names';
import { count, formatAngle, formatLength, formatMicroseconds, listNames, significant } from './numbers';
import type { SceneGoal } from './scene';

export type Tone = 'ok' | 'warn' | 'bad' | 'info';

export interface Verdict {
  tone: Tone;
  /** Outcome in two or three words, before the colon. */
  title: string;
  facts: string;
}

export interface VerdictContext {
  model: ModelDescription;
  goals: SceneGoal[];
  style: LengthStyle;
  tolerance: number;
  methodLabel: string;
}

const TONES: Record<string, Tone> = {
  converged: 'ok',
  unreachable: 'bad',
  blocked: 'warn',
  limits: 'warn',
  singular: 'warn',
  stalled: 'warn',
  iteration_limit: 'warn',
  time_limit: 'warn',
  diverged: 'bad',
  not_finite: 'bad',
  refused: 'bad',
};

const WORDS: Record<string, string> = {
  converged: 'converged',
  unreachable: 'unreachable',
  blocked: 'never free',
  limits: 'blocked by limits',
  singular: 'singular',
  stalled: 'stalled',
  iteration_limit: 'out of iterations',
  time_limit: 'out of time',
  diverged: 'diverged',
  not_finite: 'not finite',
  refused: 'refused',
};

export const outcomeTone = (outcome: string): Tone => TONES[outcome] ?? 'warn';
export const outcomeWord = (outcome: string): string => WORDS[outcome] ?? outcome.replace(/_/g, ' ');

/** Joints whose limits hold the goal back, or those at a limit when none does. */
export function limitNames(report: Report): string[] {
  const list = report.ok || report.blocking_joints.length === 0 ? report.joints_at_limits : report.blocking_joints;
  return [...new Set(list.map((l) => l.joint))];
}

/** How far off, in words: the worst goal that is not soft; angle when only the turn is off. */
export function shortfall(report: Report, goals: SceneGoal[], style: LengthStyle): string {
  let worst = 0;
  let turn = 0;
  report.goals.forEach((g, i) => {
    if (goals[i]?.soft) return;
    worst = Math.max(worst, g.position_error || 0);
    turn = Math.max(turn, g.orientation_error || 0);
  });
  if (worst === 0 && turn > 0) return formatAngle(turn, 'deg');
  return formatLength(worst, style);
}

/** The goal to speak of first: what was pinned should not have moved, else the one that is farthest off. Soft ones may be off. */
export function firstMissed(report: Report, goals: SceneGoal[]): SceneGoal | undefined {
  const off = (g: SceneGoal): number => report.goals[goals.indexOf(g)]!.position_error || 0;
  const missed = goals.filter((g, i) => !g.soft && report.goals[i] && !report.goals[i]!.reached);
  return missed.find((g) => g.pinned) ?? missed.sort((a, b) => off(b) - off(a))[0];
}
/** How far one goal is off: the turn where the place is right, and never "0.00 mm", which is not off. */
function offBy(goal: Report['goals'][number], style: LengthStyle): string {
  const place = formatLength(goal.position_error, style);
  if (style !== 'metric' || goal.position_error >= 5e-6) return place;
  return goal.orientation_error > 1e-4 ? formatAngle(goal.orientation_error, 'deg') : 'less than 0.01\u00a0mm';
}

export function verdict(report: Report | null, context: VerdictContext): Verdict {
  const { goals, style } = context;
  if (!report) return { tone: 'info', title: 'Ready', facts: 'Drag a goal, a joint or a slider.' };
  const missed = shortfall(report, goals, style);
  const work = report.restarts > 0 ? `${count(report.restarts + 1, 'search', 'searches')}, ` : '';
  const effort = `${work}${count(report.iterations, 'iteration')}, ${formatMicroseconds(report.microseconds)}`;
  const soft = report.goals.findIndex((g, i) => goals[i]?.soft && !g.reached);
  const hard = goals.filter((g, i) => !g.soft && report.goals[i] && !report.goals[i]!.reached);
  if (goals.length > 1 && hard.length > 0 && hard.length < goals.length && report.outcome !== 'refused') {
    const reached = goals.filter((_, i) => report.goals[i]?.reached).length;
    const first = firstMissed(report, goals)!;
    const off = offBy(report.goals[goals.indexOf(first)]!, style);
    const facts = first.pinned ? `${first.id} was pulled ${off} off its pin.` : `${first.id} is ${off} off.`;
    return { tone: outcomeTone(report.outcome), title: `${reached} of ${goals.length} goals reached`, facts };
  }
  switch (report.outcome) {
    case 'converged': {
      if (soft >= 0 && goals.length > 1) {
        const reached = goals.filter((_, i) => report.goals[i]?.reached).length;
        if (reached < goals.length - 1) {
          const off = formatLength(report.goals[soft]!.position_error, style);
          return { tone: 'ok', title: `${reached} of ${goals.length} goals reached`, facts: `${goals[soft]!.id} ${off} off (soft).` };
        }
      }
      if (report.iterations === 0 && report.restarts === 0) return { tone: 'ok', title: 'Reached', facts: 'already at the goal.' };
      return { tone: 'ok', title: 'Reached', facts: `${missed}, ${effort}.` };
    }
    case 'unreachable': {
      const beyond = report.proof?.bound === 'beyond' ? formatLength(report.proof.distance - report.proof.length, style) : missed;
      const length = report.proof?.length;
      const reach = length ? ` reach ${style === 'metric' ? `${significant(length, 3)} m` : significant(length, 3)}` : ' reach';
      return { tone: 'bad', title: 'Out of reach', facts: `${beyond} beyond${reach}; nearest pose shown. ${effort}.` };
    }
    case 'blocked':
      return { tone: 'warn', title: 'No free answer found', facts: lowerFirst(report.message) };
    case 'limits':
    case 'stalled': {
      const names = limitNames(report);
      if (names.length > 0) {
        return { tone: 'warn', title: 'Blocked by limits', facts: `${listNames(names)}, ${missed} short; nearest pose shown.` };
      }
      return { tone: 'warn', title: 'Stalled', facts: `${missed} left after ${count(report.iterations, 'iteration')}; probably out of reach.` };
    }
    case 'singular':
      return { tone: 'warn', title: 'Stuck at a singular pose', facts: 'no joint moves it towards the goal. Nudge the goal.' };
    case 'iteration_limit':
      return { tone: 'warn', title: 'Not there yet', facts: `${missed} left after ${count(report.iterations, 'iteration')}.` };
    case 'time_limit':
      return { tone: 'warn', title: 'Not there yet', facts: `${missed} left after ${formatMicroseconds(report.microseconds)}.` };
    case 'refused':
      return { tone: 'bad', title: `${context.methodLabel} cannot take this`, facts: lowerFirst(report.message) };
    default:
      return { tone: outcomeTone(report.outcome), title: capital(outcomeWord(report.outcome)), facts: lowerFirst(report.message) };
  }
}

/** The verdict card's sentence: at most 120 characters, in the scene's units, three digits, no exponents and no option names. */
export function cardSentence(report: Report, context: VerdictContext): string {
  const { goals, style } = context;
  const missed = shortfall(report, goals, style);
  const names = limitNames(report);
  const first = firstMissed(report, goals);
  if (first?.pinned) return fit(`${middle(first.id, 40)} was pulled ${offBy(report.goals[goals.indexOf(first)]!, style)} off its pin.`);
  if (report.outcome === 'unreachable' && report.proof?.bound === 'no_solution') return fit(`All solutions are known, and none lies inside the limits. The nearest pose found is ${missed} away.`);
  if (report.outcome === 'unreachable' && report.proof) {
    const { bound, distance, length } = report.proof;
    const off = formatLength(Math.abs(distance - length), style);
    const how = bound === 'beyond' ? `beyond the reach of ${formatLength(length, style)}` : 'too near the first joint';
    return fit(`The goal is ${off} ${how}. The nearest pose found is shown.`);
  }
  if (report.outcome === 'unreachable') return fit(`The goal cannot be reached; the nearest pose found is ${missed} away.`);
  if (names.length > 0 && ['limits', 'stalled'].includes(report.outcome)) return fit(`${listNames(names.map((n) => middle(n, 40)), 1)} ${names.length === 1 ? 'is' : 'are'} at a limit; ${missed} are missing.`);
  if (report.outcome === 'refused') return fit(report.message);
  const { facts } = verdict(report, context);
  return fit(goals.some((g) => facts.startsWith(g.id)) ? facts : capital(facts)); // a name stays as it is
}
const fit = (text: string): string => (text.length <= 120 ? text : `${text.slice(0, 119)}…`);

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
/** "The chain has..." -> "the chain has...", but leaves names such as FABRIK alone. */
export function lowerFirst(text: string): string {
  return /^[A-Z][a-z ]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

/** A verdict for two lines of a phone: whole sentences, else whole clauses, as many as fit. */
export function brief(line: { title: string; facts: string }, most: number): string {
  const room = most - line.title.length - 2;
  if (line.facts.length <= room) return line.facts;
  let out = '';
  for (const part of line.facts.match(/[^.;,]+(?:[.;,](?!\s|$)[^.;,]*)*[.;,]?\s*/g) ?? []) {
    if ((out + part).trimEnd().length > room) break;
    out += part;
  }
  out = out.trimEnd().replace(/[;,]$/, '.');
  return out || `${line.facts.slice(0, Math.max(0, room - 1)).replace(/\s+\S*$/, '')}…`;
}
