// Data of the error plot: logarithmic decades, a range that holds every method and the tolerance, and
// rows padded to one common x axis as uPlot wants them.

export interface Curve {
  name: string;
  errors: number[]; // by iteration, from 0
  /** Iterations at which the search began anew: the line breaks before them. */
  anew?: number[];
}

/** Smallest error that is drawn; zero has no logarithm. */
export const FLOOR = 1e-16;

export function decades(curves: Curve[], tolerance: number): { min: number; max: number } {
  let lo = tolerance > 0 ? tolerance : Infinity;
  let hi = tolerance > 0 ? tolerance : 0;
  for (const curve of curves) {
    for (const e of curve.errors) {
      if (!Number.isFinite(e)) continue;
      hi = Math.max(hi, e);
      if (e > FLOOR) lo = Math.min(lo, e);
    }
  }
  if (!(hi > 0) || !Number.isFinite(lo)) return { min: 1e-3, max: 1 };
  let min = Math.floor(Math.log10(lo) + 1e-9);
  const max = Math.ceil(Math.log10(hi) - 1e-9);
  if (max - min > 12) min = max - 12;
  return { min: power(min), max: power(Math.max(max, min + 1)) };
}

/** 10^n as it is written, without the rounding of `**`. */
const power = (n: number): number => Number(`1e${n}`);

/** x axis and one row per curve, padded with null after a curve ends and where it breaks. */
export function plotRows(curves: Curve[], floor: number): (number | null)[][] {
  const length = Math.max(1, ...curves.map((c) => c.errors.length));
  const breaks = [...new Set(curves.flatMap((c) => c.anew ?? []))];
  const x = [...Array.from({ length }, (_, i) => i), ...breaks.map((k) => k - 0.5)].sort((a, b) => a - b);
  return [
    x,
    ...curves.map((c) =>
      x.map((i) => {
        if (!Number.isInteger(i)) return c.anew?.includes(i + 0.5) || !(i + 0.5 < c.errors.length) ? null : between(c.errors[i - 0.5]!, c.errors[i + 0.5]!, floor);
        const e = c.errors[i];
        return e === undefined || !Number.isFinite(e) ? null : Math.max(e, floor);
      }),
    ),
  ];
}

/** On the straight line of a logarithmic axis. */
const between = (a: number, b: number, floor: number): number => (floor > 0 ? Math.sqrt(Math.max(a, floor) * Math.max(b, floor)) : (a + b) / 2);

/** Round numbers from low to high, about `most` of them. */
export function gridSteps(low: number, high: number, most: number): number[] {
  const raw = (high - low) / Math.max(1, most);
  if (!(raw > 0) || !Number.isFinite(raw)) return [];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 3, 5, 6, 10].map((m) => m * power).find((s) => s >= raw) ?? 10 * power;
  const out: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) out.push(i * step);
  return out;
}

/** Which points get a marker: all while few, then every nth, always the last. */
export function markerEvery(points: number): number {
  if (points <= 14) return 1;
  const raw = points / 8;
  const power = 10 ** Math.floor(Math.log10(raw));
  for (const m of [1, 2, 5, 10]) if (m * power >= raw) return m * power;
  return 10 * power;
}

const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹';
/** 100, 1, 10⁻², as the axis writes decades. */
export function decadeLabel(value: number): string {
  const power = Math.round(Math.log10(value));
  if (power >= 0 && power <= 3) return String(10 ** power);
  return `10${power < 0 ? '⁻' : ''}${[...String(Math.abs(power))].map((c) => RAISED[Number(c)]).join('')}`;
}

/** One sentence for a person who cannot see the plot. */
export function plotSummary(curves: Curve[], labels: Record<string, string>): string {
  if (curves.length === 0) return 'No iterations yet.';
  const parts = curves.map((c) => {
    const first = c.errors[0] ?? NaN;
    const last = c.errors[c.errors.length - 1] ?? NaN;
    return `${labels[c.name] ?? c.name} from ${first.toPrecision(3)} to ${last.toPrecision(3)} in ${c.errors.length - 1} iterations`;
  });
  return `Error against iteration, logarithmic: ${parts.join('; ')}.`;
}
