// Round values between two bounds, for the lines behind curves.
export function niceSteps(low: number, high: number, most: number): number[] {
  if (!(high > low) || !Number.isFinite(high - low)) return [];
  const raw = (high - low) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((m) => m * power >= raw) ?? 10) * power;
  const out: number[] = [];
  for (let i = Math.ceil(low / step); i * step <= high; i++) out.push(Number((i * step).toPrecision(12)));
  return out;
}
