// Sentences about what was computed: "What happened" in Step, the summary under the table in Compare.
// Pure text from numbers; the same words for every method.
import { DEG, fixed, listNames, significant } from './numbers';

export interface StepFacts {
  tip: string;
  wanted: number; // |V|, as clamped
  predicted: number; // |J dtheta|
  moved: number; // how far the tip really went
  errorBefore: number;
  errorAfter: number;
  hasJacobian: boolean;
  /** It turns one joint after the other. */
  jointwise?: boolean;
  last: boolean;
}

export function explainStep(f: StepFacts): string {
  if (f.last) return `The search ended here with an error of ${significant(f.errorBefore)}. No further step is taken.`;
  const fell = f.errorAfter <= f.errorBefore;
  const change = `the error ${fell ? 'fell' : 'rose'} from ${significant(f.errorBefore, 4)} to ${significant(f.errorAfter, 4)}`;
  if (!f.hasJacobian) {
    const how = f.jointwise ? 'This method uses no Jacobian: it turns one joint after the other.' : 'The solver recorded no Jacobian for this step.';
    return `${how} The ${f.tip} moved ${significant(f.moved)}; ${change}.`;
  }
  const ratio = f.predicted > 0 ? f.moved / f.predicted : 1;
  const why =
    Math.abs(ratio - 1) < 0.02
      ? 'almost exactly as promised, since the step is small'
      : ratio < 1
        ? 'less than promised, since the joints turn along arcs'
        : 'more than promised, since the joints turn along arcs';
  return `The step asked the ${f.tip} to move ${significant(f.wanted)} towards the goal. The linear model promised ${significant(f.predicted)}. The ${f.tip} moved ${significant(f.moved)}, ${why}; ${change}.`;
}

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

/** The equation a method solves in one step, as markup for the Step panel, with its number. */
export interface Equation {
  html: string;
  number: string;
}
const J = '<i>J</i>';
const T = '<sup>T</sup>';
const EQUATIONS: Record<string, Equation> = {
  inverse: { html: `Δ<i>θ</i> = ${J}<sup>−1</sup> <i>V</i>`, number: 'eq. 5.19' },
  pseudoinverse: { html: `Δ<i>θ</i> = ${J}${T} (${J}${J}${T})<sup>−1</sup> <i>V</i>`, number: 'eq. 5.21' },
  dls: { html: `Δ<i>θ</i> = ${J}${T} (${J}${J}${T} + <i>λ</i><sup>2</sup><i>I</i>)<sup>−1</sup> <i>V</i>`, number: 'eq. 5.24' },
  sdls: { html: 'Δ<i>θ</i> = Σ<sub>i</sub> clamp(<i>σ</i><sub>i</sub><sup>−1</sup> (<i>u</i><sub>i</sub>·<i>V</i>) <i>v</i><sub>i</sub>, <i>γ</i><sub>i</sub>)', number: 'Buss and Kim 2005' },
  transpose: { html: `Δ<i>θ</i> = <i>α</i> ${J}${T} <i>V</i>`, number: 'section 5.3.3' },
  ccd: { html: 'joint by joint: <i>θ</i><sub>i</sub> turns the tip to the line towards the goal', number: 'section 5.3.3' },
  ccd_ranked: { html: 'the most useful joint first, then the next', number: 'section 5.3.3' },
  fabrik: { html: 'forward and backward along the joints’ positions', number: 'Aristidou 2011' },
  reach: { html: `Δ<i>θ</i> = (${J}${T}${J} + <i>λI</i>)<sup>−1</sup> ${J}${T} <i>V</i>, limits inside the step`, number: 'Reach' },
  two_link: { html: 'law of cosines at the elbow', number: 'fig. 5.15' },
};

export function equation(method: string, control: boolean): Equation {
  const base = EQUATIONS[method] ?? { html: '', number: '' };
  if (!control || !['inverse', 'pseudoinverse', 'dls'].includes(method)) return base;
  return { html: `${base.html} + (${J}<sup>+</sup>${J} − <i>I</i>) <i>z</i>`, number: 'eq. 5.28' };
}
