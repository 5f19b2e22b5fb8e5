// The residual ramp: four named steps by r = error / tolerance, each with colour, dash and word.
// Steps, not a gradient, so that each state can be named (SPEC section 4).

export interface Residual {
  level: 0 | 1 | 2 | 3;
  token: string; // CSS custom property
  dash: string; // SVG stroke-dasharray; empty: solid
  word: string;
}

const RAMP: Residual[] = [
  { level: 0, token: '--res-0', dash: '', word: 'reached' },
  { level: 1, token: '--res-1', dash: '10 3', word: 'within 100 times the tolerance' },
  { level: 2, token: '--res-2', dash: '6 4', word: 'within 1000 times the tolerance' },
  { level: 3, token: '--res-3', dash: '3 4', word: 'far off' },
];

export function residual(error: number, tolerance: number): Residual {
  const r = tolerance > 0 ? error / tolerance : error > 0 ? Infinity : 0;
  if (r <= 1) return RAMP[0]!;
  if (r <= 100) return RAMP[1]!;
  if (r <= 1000) return RAMP[2]!;
  return RAMP[3]!; // also NaN
}
