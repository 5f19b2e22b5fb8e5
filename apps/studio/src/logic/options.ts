// From a described option to a control: the label, the slider's range, its unit, and whether its
// default means "derived from the linkage" (shown as "auto", left of the slider's minimum).
import type { OptionEntry } from '@armature';
import { capital } from './verdict';
import type { Scale } from './slider';

export interface OptionControl {
  name: string;
  label: string;
  doc: string;
  kind: 'slider' | 'toggle' | 'choice';
  scale: Scale;
  integer: boolean;
  auto: boolean;
  unit: string;
  choices: string[];
  fallback: number | boolean | string;
}

/** "max_iterations" -> "Max iterations". */
export const optionLabel = (name: string): string => capital(name.replace(/_/g, ' '));

/** Ranges a person would use, where the described range only excludes nonsense. `size`: the model's. */
function range(option: OptionEntry, size: number): Scale {
  const lowest = option.min ?? -Infinity;
  const highest = option.max ?? Infinity;
  const fallback = typeof option.default === 'number' ? option.default : 0;
  const length = option.unit === 'length';
  if (option.type === 'integer') {
    if (highest - lowest <= 200) return { min: lowest, max: highest, log: false };
    return { min: Math.max(1, lowest), max: Math.min(highest, Math.max(1000, fallback * 10)), log: true };
  }
  if (option.log) {
    const middle = length ? size * 1e-4 : fallback > 0 ? fallback : 1e-3;
    const min = length ? size * 1e-8 : middle * 1e-3;
    const max = length ? size * 0.5 : middle * 1e3;
    return { min: Math.max(min, lowest > 0 ? lowest : 0) || min, max: Math.min(max, highest), log: true };
  }
  const max = highest < 1e6 ? highest : Math.max(10 * Math.abs(fallback), length ? size : 10);
  const min = lowest > -1e6 ? Math.max(lowest, 0) : -max;
  return { min, max: option.unit === 'angle' && max > 3.2 ? Math.PI : max, log: false };
}

export function optionControl(option: OptionEntry, size: number): OptionControl {
  return {
    name: option.name,
    label: option.label || optionLabel(option.name),
    doc: option.doc,
    kind: option.type === 'boolean' ? 'toggle' : option.type === 'choice' ? 'choice' : 'slider',
    scale: range(option, size),
    integer: option.type === 'integer',
    auto: option.auto ?? false,
    unit: option.unit ?? '',
    choices: option.choices ?? [],
    fallback: option.default,
  };
}

/** What most people change first; the rest is behind "More options". */
const FIRST = ['damping', 'alpha', 'max_iterations', 'tolerance', 'max_step', 'jacobian_at', 'restarts', 'ranking', 'quality'];

export function splitOptions<T extends { name: string }>(options: T[]): { first: T[]; more: T[] } {
  const rank = (o: T) => FIRST.indexOf(o.name);
  const first = options.filter((o) => rank(o) >= 0).sort((a, b) => rank(a) - rank(b));
  const shown = first.slice(0, 6);
  return { first: shown, more: options.filter((o) => !shown.includes(o)) };
}
