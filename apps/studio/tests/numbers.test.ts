import { describe, expect, it } from 'vitest';
import { count, fixed, formatAngle, formatBytes, formatLength, formatMicroseconds, listNames, parseNumber, scientific, signed, significant } from '../src/logic/numbers';

const value = (text: string, ...rest: [('angle' | 'length' | 'plain')?, ('deg' | 'rad')?, number?]) => {
  const parsed = parseNumber(text, ...rest);
  if (!parsed.ok) throw new Error(parsed.why);
  return parsed.value;
};

describe('parseNumber', () => {
  it('reads plain numbers, true minus, decimal comma', () => {
    expect(value('12.5')).toBe(12.5);
    expect(value('−3')).toBe(-3);
    expect(value('1,5')).toBe(1.5);
    expect(value('1e-3')).toBe(1e-3);
    expect(value('.5')).toBe(0.5);
  });
  it('reads expressions', () => {
    expect(value('pi/8', 'angle')).toBeCloseTo(Math.PI / 8, 14);
    expect(value('2pi', 'angle')).toBeCloseTo(2 * Math.PI, 14);
    expect(value('-π/4', 'angle')).toBeCloseTo(-Math.PI / 4, 14);
    expect(value('(1+2)*3')).toBe(9);
  });
  it('takes bare angles in the shown unit', () => {
    expect(value('90', 'angle', 'deg')).toBeCloseTo(Math.PI / 2, 14);
    expect(value('1.5', 'angle', 'rad')).toBe(1.5);
    expect(value('45deg', 'angle', 'rad')).toBeCloseTo(Math.PI / 4, 14);
    expect(value('0.3rad', 'angle', 'deg')).toBe(0.3);
    expect(value('45°', 'angle', 'rad')).toBeCloseTo(Math.PI / 4, 14);
  });
  it('adds with a leading plus', () => {
    expect(value('+5', 'plain', 'deg', 10)).toBe(15);
    expect(value('+5', 'angle', 'deg', 1)).toBeCloseTo(1 + (5 * Math.PI) / 180, 14);
  });
  it('knows units of length', () => {
    expect(value('12 mm', 'length')).toBeCloseTo(0.012, 15);
    expect(value('3cm', 'length')).toBeCloseTo(0.03, 15);
  });
  it.each([['', 'Type a number'], ['abc', 'not a number'], ['1 +', 'ends too early'], ['(1', 'closing bracket'], ['5 mm', 'not a unit'], ['1/0', 'finite'], ['1 2', 'not expected'], ['2 $', 'character']])('says why %j is refused', (text, why) => {
    const parsed = parseNumber(text, 'angle');
    expect(parsed.ok).toBe(false);
    if (!parsed.ok) expect(parsed.why).toContain(why);
  });
});

describe('formatting', () => {
  it('uses a true minus and no negative zero', () => {
    expect(fixed(-1.25, 1)).toBe('−1.3');
    expect(fixed(-0.001, 1)).toBe('0.0');
    expect(signed(3, 1)).toBe('+3.0');
    expect(signed(0, 1)).toBe('0.0');
  });
  it('keeps significant digits', () => {
    expect(significant(0.0292)).toBe('0.0292');
    expect(significant(29.2)).toBe('29.2');
    expect(significant(22.617, 4)).toBe('22.62');
    expect(significant(0)).toBe('0');
  });
  it('writes small numbers in tens', () => expect(scientific(9.5e-5)).toBe('9.5\u00a0×\u00a010⁻⁵'));
  it('chooses millimetres and metres', () => {
    expect(formatLength(0.00002, 'metric')).toBe('0.02\u00a0mm');
    expect(formatLength(0.185, 'metric')).toBe('185\u00a0mm');
    expect(formatLength(1.25, 'metric')).toBe('1.25\u00a0m');
    expect(formatLength(22.6174, 'model')).toBe('22.62');
  });
  it('writes angles, times, sizes, counts and lists', () => {
    expect(formatAngle(1, 'deg')).toBe('57.3°');
    expect(formatMicroseconds(0)).toBe('<\u00a00.1\u00a0ms');
    expect(formatMicroseconds(11)).toBe('11\u00a0µs');
    expect(formatMicroseconds(8.14)).toBe('8.1\u00a0µs');
    expect(formatMicroseconds(2500)).toBe('2.5\u00a0ms');
    expect(formatBytes(24000)).toBe('24\u00a0kB');
    expect(count(1, 'iteration')).toBe('1 iteration');
    expect(count(7, 'iteration')).toBe('7 iterations');
    expect(listNames(['a', 'b', 'c'])).toBe('a, b and 1 more');
    expect(listNames([])).toBe('none');
  });
});
