import { describe, expect, it } from 'vitest';
import { evaluate, evaluateList } from '../src/logic/expression';

describe('answers as expressions', () => {
  it('reads numbers, functions, powers, degrees', () => {
    expect(evaluate('12.2')).toBe(12.2);
    expect(evaluate('sqrt(149)')).toBeCloseTo(12.2066, 4);
    expect(evaluate('pi/3')).toBeCloseTo(Math.PI / 3, 12);
    expect(evaluate('45deg')).toBeCloseTo(Math.PI / 4, 12);
    expect(evaluate('180° - acos(0.5)')).toBeCloseTo((2 * Math.PI) / 3, 12);
    expect(evaluate('-2^2')).toBe(-4);
    expect(evaluate('2^3^2')).toBe(512);
    expect(evaluate('1.5e-3*2')).toBeCloseTo(0.003, 15);
    expect(evaluate('−1')).toBe(-1);
    expect(evaluateList('1, sqrt(4), 90deg')).toEqual([1, 2, Math.PI / 2]);
  });
  it('refuses what is none', () => {
    for (const text of ['twelve', '', '1 2', '(1', 'sqrt', 'sqrt 4', '1/0', 'alert(1)', '1;;2x', '0x10']) expect(evaluate(text), text).toBeNull();
    expect(evaluateList('1, two')).toBeNull();
  });
});
