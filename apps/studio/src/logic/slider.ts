// Scales of sliders: linear or logarithmic options, and joint tracks that span the joint's own limits
// with a 6 % margin. Fractions run from 0 (left) to 1 (right).

export interface Scale {
  min: number;
  max: number;
  log: boolean;
}

export const clamp = (x: number, lo: number, hi: number): number => Math.min(hi, Math.max(lo, x));

export function toFraction(value: number, scale: Scale): number {
  if (scale.log) {
    const lo = Math.log(scale.min);
    const hi = Math.log(scale.max);
    return hi === lo ? 0 : clamp((Math.log(Math.max(value, scale.min)) - lo) / (hi - lo), 0, 1);
  }
  return scale.max === scale.min ? 0 : clamp((value - scale.min) / (scale.max - scale.min), 0, 1);
}

export function fromFraction(fraction: number, scale: Scale): number {
  const f = clamp(fraction, 0, 1);
  if (scale.log) return Math.exp(Math.log(scale.min) + f * (Math.log(scale.max) - Math.log(scale.min)));
  return scale.min + f * (scale.max - scale.min);
}

/** Rounds a slider's value to what a person would type: three significant digits, or whole. */
export function tidy(value: number, integer: boolean): number {
  if (integer) return Math.round(value);
  return value === 0 ? 0 : Number(value.toPrecision(3));
}

export const MARGIN = 0.06;

export interface JointScale {
  limited: boolean;
  lower: number;
  upper: number;
  /** Fractions of the track at which the limit ticks stand. */
  tickLow: number;
  tickHigh: number;
  toFraction(value: number): number;
  fromFraction(fraction: number): number;
}

/** Unlimited angles show -180 to 180 degrees and wrap; unlimited lengths show +-`reach`. */
export function jointScale(lower: number, upper: number, quantity: 'angle' | 'length' | '', reach = 1): JointScale {
  const limited = Number.isFinite(lower) && Number.isFinite(upper);
  const half = quantity === 'length' ? reach : Math.PI;
  const lo = limited ? lower : Number.isFinite(lower) ? lower : Number.isFinite(upper) ? upper - 2 * half : -half;
  const hi = limited ? upper : Number.isFinite(upper) ? upper : lo + 2 * half;
  const span = hi - lo || 1;
  const margin = limited ? MARGIN : 0;
  return {
    limited,
    lower: lo,
    upper: hi,
    tickLow: margin,
    tickHigh: 1 - margin,
    toFraction: (value) => margin + clamp((value - lo) / span, 0, 1) * (1 - 2 * margin),
    fromFraction: (f) => clamp(lo + ((f - margin) / (1 - 2 * margin)) * span, lo, hi),
  };
}

/** Into (-pi, pi]. */
export function wrapAngle(angle: number): number {
  const turn = 2 * Math.PI;
  const wrapped = angle - turn * Math.ceil((angle - Math.PI) / turn);
  return wrapped;
}
