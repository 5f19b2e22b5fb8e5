// The equation of a chapter page, typeset, and beside it the same equation with the numbers of a frame: those of the core's poses, frames and
// Jacobians. A page's entry is found by its figure; to change one, edit its entry.
import { DEG, fixed, significant } from '../logic/numbers';
import type { Vec3 } from '../logic/scene';
import { cross, dist, origin, sub } from '../logic/vec';
import { inverseApply } from '../view/drag_target';
import type { StageData } from './compute';

export interface PageEquation {
  number: string;
  symbols: string;
  numbers: string;
  /** Both, for a screen reader. */
  words: string;
}
type Made = [number: string, symbols: string, numbers: string];

const V = '<i>V</i>';
const J = '<i>J</i>';
const STEP = 'Δ<i>θ</i>';
const T = '<sup>T</sup>';
const INVERSE = '<sup>−1</sup>';
const at = (v: ArrayLike<number>, digits = 2): string => `(${Array.from(v, (x) => fixed(x, digits)).join(', ')})`;
const flat = (v: Vec3): number[] => [v[0], v[1]];
const matrix = (rows: number[][]): string => `<span class="mx" style="--n: ${rows[0]!.length}">${rows.flat().map((v) => `<span>${fixed(v, 2)}</span>`).join('')}</span>`;

const columnsOf = (J: Float64Array): Float64Array[] => Array.from({ length: J.length / 6 }, (_, c) => J.subarray(6 * c, 6 * c + 2));
const rowsOf = (columns: Float64Array[]): number[][] => [0, 1].map((r) => columns.map((c) => c[r]!));

/** The step that leads on from a frame, the last one's being the one before: J, V and the change of each joint. */
function stepOf(data: StageData, frame: number) {
  const k = Math.max(0, Math.min(frame, data.poses.length - 2));
  const columns = columnsOf(data.jacobians[k]!);
  const goal = data.goals[k + 1] ?? [0, 0, 0];
  return { q: data.poses[k]!, rows: rowsOf(columns), columns, v: flat(sub(goal, data.tips[k]!)), change: Array.from(data.poses[k + 1]!, (x, i) => x - data.poses[k]![i]!), goal, frames: data.frames[k]! };
}
/** Joints that move on the way to the tip, outermost last: the link of each. */
function chain({ model, tip }: StageData): number[] {
  const out: number[] = [];
  for (let i = tip; i >= 0; i = model.links[i]!.parent) {
    const joint = model.joints.find((j) => j.child === i);
    if (joint && joint.nv > 0 && !joint.mimic) out.unshift(i);
  }
  return out;
}
const parentOf = ({ model }: StageData, link: number): number => Math.max(0, model.links[link]!.parent);
const angle = (frames: Float64Array, link: number): number => Math.atan2(frames[16 * link + 1]!, frames[16 * link]!);
/** Where a link's frame is in that of another, and how far it is turned from it. */
const placed = (frames: Float64Array, from: number, link: number): [string, string] => {
  const turn = angle(frames, link) - angle(frames, from);
  return [at(flat(inverseApply(frames, from, origin(frames, link)))).slice(1, -1), `${fixed(Math.atan2(Math.sin(turn), Math.cos(turn)) / DEG, 1)}°`];
};
/** What brings a point of the outermost link into the world (eqs 5.1 to 5.5). */
function product(data: StageData, frame: number, turning: boolean): Made {
  const frames = data.frames[frame]!;
  const [inner, outer] = chain(data).slice(-2) as [number, number];
  const base = parentOf(data, inner);
  const [place1, turn1] = placed(frames, base, inner);
  const [place2, turn2] = placed(frames, inner, outer);
  const local = inverseApply(frames, outer, data.tips[frame]!);
  const root = `T<sub>0</sub>(${at(flat(origin(frames, base))).slice(1, -1)}, ${fixed(angle(frames, base) / DEG, 1)}°)`;
  const arc = (n: string, place: string, turn: string): string => (turning ? `T<sub>${n}</sub>(${place}) R<sub>${n}</sub>(${turn})` : `T<sub>${n}</sub>(${place}, ${turn})`);
  const symbols = turning ? 'T<sub>0</sub> T<sub>1</sub>R<sub>1</sub>(<i>θ</i><sub>1</sub>) T<sub>1.1</sub>R<sub>1.1</sub>(<i>θ</i><sub>1.1</sub>)' : 'T<sub>0</sub> T<sub>1</sub> T<sub>1.1</sub>';
  return [turning ? '5.5' : '5.3', `${V}′<sub>1.1</sub> = ${symbols} ${V}<sub>1.1</sub>`, `${at(flat(data.tips[frame]!))} = ${root} ${arc('1', place1, turn1)} ${arc('1.1', place2, turn2)} ${at(flat(local))}`];
}
const lengths = (data: StageData, frame: number): [number, number, number] => {
  const frames = data.frames[frame]!;
  const [a, b] = chain(data) as [number, number];
  return [dist(origin(frames, a), origin(frames, b)), dist(origin(frames, b), data.tips[frame]!), dist(origin(frames, a), data.goals[frame] ?? data.tips[frame]!)];
};
const constant = (stages: StageData[], f: number): Made => product(stages[0]!, f, false);
const turning = (stages: StageData[], f: number): Made => product(stages[0]!, f, true);
const lever = (from: Vec3, to: Vec3, what: string, number: string): Made => [number, `<i>g</i><sub>1</sub> = <i>a</i><sub>1</sub> × (<i>${what}</i> − <i>P</i><sub>1</sub>)`, `${at(flat(cross([0, 0, 1], sub(to, from))))} = (0, 0, 1) × ${at(sub(to, from))}`];

const EQUATIONS: Record<string, (stages: StageData[], frame: number, damping: number | undefined) => Made> = {
  '5.7': constant,
  '5.8': constant,
  '5.9': turning,
  '5.10': turning,
  '5.11': turning,
  '5.12': turning,
  '5.13': turning,
  '5.14': ([data], f) => {
    const [a, b, d] = lengths(data!, f);
    const sign = (ok: boolean): string => (ok ? '≤' : '≰');
    return ['section 5.3.1', '|<i>L</i><sub>1</sub> − <i>L</i><sub>2</sub>| ≤ √(<i>X</i>² + <i>Y</i>²) ≤ <i>L</i><sub>1</sub> + <i>L</i><sub>2</sub>', `${fixed(Math.abs(a - b), 2)} ${sign(Math.abs(a - b) <= d + 1e-9)} ${fixed(d, 2)} ${sign(d <= a + b + 1e-9)} ${fixed(a + b, 2)}`];
  },
  '5.15': ([data], f) => {
    const [a, b, d] = lengths(data!, f);
    const cosine = (d * d - a * a - b * b) / (2 * a * b);
    return ['fig. 5.15', 'cos <i>θ</i><sub>2</sub> = (<i>X</i>² + <i>Y</i>² − <i>L</i><sub>1</sub>² − <i>L</i><sub>2</sub>²) / 2<i>L</i><sub>1</sub><i>L</i><sub>2</sub>', `${fixed(cosine, 2)} = (${fixed(d * d, 2)} − ${fixed(a * a, 2)} − ${fixed(b * b, 2)}) / ${fixed(2 * a * b, 2)}, ${Math.abs(cosine) <= 1 ? `<i>θ</i><sub>2</sub> = ±${fixed(Math.acos(cosine) / DEG, 1)}°` : 'no such angle'}`];
  },
  '5.16': ([data], f) => lever(origin(data!.frames[f]!, chain(data!)[0]!), data!.tips[f]!, 'E', '5.17'),
  '5.17': ([data], f) => ['5.16', `${V} = <i>G</i> − <i>E</i>`, `${at(flat(sub(data!.goals[f]!, data!.tips[f]!)))} = ${at(flat(data!.goals[f]!))} − ${at(flat(data!.tips[f]!))}`],
  '5.18': ([data], f) => ['5.17', `${J} = [ <i>g</i><sub>1</sub> <i>g</i><sub>2</sub> <i>g</i><sub>3</sub> ]`, `${J} = ${matrix(rowsOf(columnsOf(data!.jacobians[f]!)))}`],
  '5.19': ([data], f) => ['5.18', `${V} = ${J} ${STEP}`, `${at(flat(sub(data!.goals[f]!, data!.tips[f]!)))} = ${matrix(rowsOf(columnsOf(data!.jacobians[f]!)))} ${STEP}`],
  '5.20': ([data], f) => {
    const { rows, v, change } = stepOf(data!, f);
    return ['5.21', `${STEP} = ${J}${T}(${J}${J}${T})${INVERSE} ${V}`, `${at(change, 3)} = ${J}${T}(${J}${J}${T})${INVERSE} ${at(v)}, ${J} = ${matrix(rows)}`];
  },
  '5.21': ([, data], f, damping) => {
    const { rows, v, change } = stepOf(data!, f);
    const lambda = damping ?? Number(data!.spec.options?.damping ?? 1);
    return ['5.24', `${STEP} = ${J}${T}(${J}${J}${T} + <i>λ</i>²<i>I</i>)${INVERSE} ${V}`, `${at(change, 3)} = ${J}${T}(${J}${J}${T} + ${significant(lambda)}²<i>I</i>)${INVERSE} ${at(v)}, ${J} = ${matrix(rows)}`];
  },
  '5.22': ([data], f) => {
    const { q, change } = stepOf(data!, f);
    const z = Array.from(q, (x, i) => (data!.spec.gains?.[i] ?? 0) * x);
    return ['5.30', `${STEP} = ${J}${T}<i>β</i> − <i>z</i>`, `${at(change, 3)} = ${at(change.map((c, i) => c + z[i]!), 3)} − ${at(z, 3)}`];
  },
  '5.23': ([data], f) => {
    const { frames, goal } = stepOf(data!, f);
    return lever(origin(frames, chain(data!)[0]!), goal as Vec3, 'G', '5.17');
  },
  '5.24': ([data], f) => {
    const { columns, v, change } = stepOf(data!, f);
    const pull = columns.map((c) => c[0]! * v[0]! + c[1]! * v[1]!);
    const alpha = change.reduce((s, c, i) => s + c * pull[i]!, 0) / (pull.reduce((s, c) => s + c * c, 0) || 1);
    return ['section 5.3.3', `${STEP} = <i>α</i> ${J}${T} ${V}`, `${at(change, 3)} = ${significant(alpha)} ${at(pull, 1)}`];
  },
  '5.25': ([data], f) => ['section 5.3.3', `${STEP}<sub>i</sub> = ∠(<i>E</i> − <i>P</i><sub>i</sub>, <i>G</i> − <i>P</i><sub>i</sub>), i = 3, 2, 1`, `${STEP} = (${stepOf(data!, f).change.map((c) => `${fixed(c / DEG, 1)}°`).join(', ')})`],
};

const spoken = (html: string): string => html.replace(/<sub>/g, ' ').replace(/<sup>T/g, ' transposed').replace(/<sup>−1/g, ' inverse').replace(/<\/span><span>/g, ', ').replace(/<[^>]+>/g, '');
export function equationOf(figure: string, stages: StageData[], frame: number, damping?: number): PageEquation | null {
  const f = Math.min(frame, (stages[0]?.poses.length ?? 0) - 1);
  const made = f >= 0 ? EQUATIONS[figure] : undefined;
  if (!made || stages.some((s) => s.poses.length <= f)) return null;
  const [number, symbols, numbers] = made(stages, f, damping);
  return { number: /^\d/.test(number) ? `eq. ${number}` : number, symbols, numbers, words: `${spoken(symbols)}; ${spoken(numbers)}` };
}
