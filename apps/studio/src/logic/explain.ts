// The equation of a step as markup, and the summary under the table in Compare. Pure text from numbers of the core.
import type { ExplainedStep } from '@armature';
import { DEG, fixed, listNames, significant } from './numbers';

export interface CompareRow {
  name: string;
  label: string;
  outcome: string;
  converged: boolean;
  iterations: number;
  error: number;
  path: number; // radians, summed over iterations
  largest: number; // radians, largest change of one joint in one iteration
}

export function explainCompare(rows: CompareRow[]): string {
  const done = rows.filter((r) => r.converged).sort((a, b) => a.iterations - b.iterations);
  const not = rows.filter((r) => !r.converged);
  const parts: string[] = [];
  if (done.length > 0) {
    const words = done.map((r, i) => `${r.label} ${i === 0 ? 'is there after' : 'after'} ${r.iterations}`);
    parts.push(`${words.join('; ')}.`);
    const calm = [...done].sort((a, b) => a.largest - b.largest)[0]!;
    if (done.length > 1) parts.push(`${calm.label} moves no joint more than ${fixed(calm.largest / DEG, 0)}° at once.`);
  }
  if (not.length > 0) {
    const errors = listNames(not.map((r) => significant(r.error)), not.length);
    const left = not.length === 1 ? 'is' : 'are';
    parts.push(`${listNames(not.map((r) => r.label), not.length)} ${left} still ${errors} away after ${listNames([...new Set(not.map((r) => String(r.iterations)))], 4)}.`);
  }
  return parts.join(' ');
}

export function compareVerdict(rows: CompareRow[]): { tone: 'ok' | 'warn' | 'bad'; title: string; facts: string } {
  const done = rows.filter((r) => r.converged);
  const tone = done.length === rows.length ? 'ok' : done.length > 0 ? 'warn' : 'bad';
  const title = `${done.length} of ${rows.length} reached the goal`;
  if (done.length === 0) {
    const near = [...rows].sort((a, b) => a.error - b.error)[0];
    return { tone, title, facts: near ? `nearest ${near.label} (${significant(near.error)} away).` : 'choose a method.' };
  }
  const fast = [...done].sort((a, b) => a.iterations - b.iterations)[0]!;
  const path = [...done].sort((a, b) => a.path - b.path)[0]!;
  return { tone, title, facts: `fewest iterations ${fast.label} (${fast.iterations}), shortest joint path ${path.label} (${fixed(path.path, 2)} rad).` };
}

/** The equation of one step as markup, of the terms that are in use, and in words. */
export interface Equation {
  html: string;
  words: string;
  number: string;
}
const T = '<sup>T</sup>';
const inv = '<sup>−1</sup>';

export function equation(step: ExplainedStep): Equation {
  const weighted = step.reproducible && step.columns.some((c) => c.scale !== 1);
  const controlled = step.columns.some((c) => c.z);
  const A = weighted ? '<i>A</i>' : '<i>J</i>';
  const k = step.step_size === 1 ? '' : '<i>k</i> ';
  const control = controlled ? ` <span class="z">− (<i>I</i> − ${A}<sup>+</sup>${A}) <i>z</i></span>` : '';
  const s = step.step_limit < 1 ? '<span class="s"><i>s</i></span> ' : '';
  const w = weighted ? '<i>w</i> ∘ ' : '';
  const whole = (core: string, words: string, number: string): Equation => {
    const bracket = s || w || control ? `[ ${core}${control} ]` : core;
    const said = `delta theta equals ${s ? 's times ' : ''}${weighted ? 'the weights times ' : ''}${words}${controlled ? ', minus the control term in the null space' : ''}`;
    const of = weighted ? ', <i>A</i> = <i>J</i> diag(<i>w</i>)' : '';
    return { html: `Δ<i>θ</i> = ${s}${w}${bracket}${of}`, words: said, number: controlled ? `${number}, 5.28` : number };
  };
  switch (step.reproducible ? step.method : `${step.method}?`) {
    case 'inverse':
      return whole(`${k}${A}${inv} <i>V</i>`, 'J inverse V', 'eq. 5.19');
    case 'pseudoinverse':
      return whole(`${k}${A}<sup>+</sup> <i>V</i>`, 'the pseudoinverse of J times V', 'eqs 5.20–5.23');
    case 'dls':
      return whole(`${k}${A}${T}(${A}${A}${T} + <i>λ</i>²<i>I</i>)${inv} <i>V</i>`, 'J transposed times the inverse of J J transposed plus lambda squared, times V', 'eq. 5.24');
    case 'transpose':
      return whole(`${k}<i>α</i> ${A}${T} <i>V</i>`, 'alpha J transposed V', 'section 5.3.3');
    case 'sdls':
      return whole(`${k}clamp<sub>γ</sub> Σ<sub>i</sub> clamp<sub>i</sub>((<i>u</i><sub>i</sub>·<i>V</i> / <i>σ</i><sub>i</sub>) <i>v</i><sub>i</sub>)`, 'the clamped sum over singular vectors', 'Buss and Kim 2005');
    case 'ccd?':
      return { html: 'joint by joint, from the tip inwards: the turn that brings the tip nearest', words: 'one joint after the other', number: 'section 5.3.3' };
    case 'ccd_ranked?':
      return { html: 'the joint that gains most turns alone', words: 'one joint', number: 'section 5.3.3' };
    case 'fabrik?':
      return { html: 'forward and backward along the joints’ positions', words: 'points are pulled along the chain', number: 'Aristidou 2011' };
    case 'two_link?':
      return { html: 'cos <i>β</i> = (<i>a</i>² + <i>b</i>² − <i>d</i>²) / 2<i>ab</i>', words: 'law of cosines at the elbow', number: 'fig. 5.15' };
    default:
      return { html: '', words: '', number: '' };
  }
}
