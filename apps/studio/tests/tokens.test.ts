// tokens.css is the only place for colours, and its ratios hold on every surface (SPEC section 4).
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const css = readFileSync(new URL('../src/styles/tokens.css', import.meta.url), 'utf8');

function theme(name: 'light' | 'dark'): Record<string, string> {
  const start = css.indexOf(`:root[data-theme="${name}"]`);
  const block = css.slice(css.indexOf('{', start), css.indexOf('\n}', start));
  return Object.fromEntries([...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)].map((m) => [m[1], m[2]]));
}
function luminance(hex: string): number {
  const channel = (i: number) => {
    const v = parseInt(hex.slice(i, i + 2), 16) / 255;
    return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}
function ratio(a: string, b: string): number {
  const [hi, lo] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (hi + 0.05) / (lo + 0.05);
}
const SURFACES = ['surface-panel', 'surface-canvas', 'surface-canvas-hi', 'surface-inset', 'surface-raised', 'surface-hover'];
// token, least ratio light, least ratio dark
const LEAST: [string, number, number][] = [
  ['text', 14.8, 11.8], ['text-2', 7.6, 7.3], ['text-3', 4.8, 5.1], ['accent-text', 6.0, 6.6], ['line-control', 3.0, 3.5],
  ['ok', 4.9, 6.0], ['warn', 4.9, 6.0], ['bad', 4.9, 5.9], ['limit', 4.8, 5.8], ['desired', 5.5, 6.0], ['pole', 5.3, 6.1],
  ['axis-x', 3.0, 3.0], ['axis-y', 3.0, 3.0], ['axis-z', 3.0, 3.0], ['col-1', 4.6, 6.0], ['col-2', 4.6, 6.0], ['col-3', 4.6, 6.0],
  ['m-dls', 3, 3], ['m-pseudoinverse', 3, 3], ['m-sdls', 3, 3], ['m-transpose', 3, 3], ['m-ccd', 3, 3], ['m-ccd-ranked', 3, 3], ['m-fabrik', 3, 3], ['m-inverse', 3, 3], ['m-two-link', 3, 3], ['m-reach', 3, 3],
];

describe.each(['light', 'dark'] as const)('contrast, %s', (name) => {
  const colors = theme(name);
  it.each(LEAST)('%s', (token, light, dark) => {
    const least = name === 'light' ? light : dark;
    for (const surface of SURFACES) {
      const r = ratio(colors[token]!, colors[surface]!);
      expect(r, `${token} on ${surface}`).toBeGreaterThanOrEqual(Math.floor(least * 10) / 10 - 0.06);
    }
  });
  it('text on accent', () => expect(ratio(colors['on-accent']!, colors.accent!)).toBeGreaterThanOrEqual(4.5));
  it('verdict words on their weak fills', () => {
    for (const t of ['ok', 'warn', 'bad', 'info']) expect(ratio(colors[t]!, colors[`${t}-weak`]!), t).toBeGreaterThanOrEqual(4.5);
  });
});

it('no colour literal outside tokens.css', () => {
  const bad: string[] = [];
  const walk = (dir: string) => {
    for (const name of readdirSync(dir)) {
      const path = join(dir, name);
      if (statSync(path).isDirectory()) walk(path);
      else if (/\.(ts|svelte|css)$/.test(name) && name !== 'tokens.css') {
        const text = readFileSync(path, 'utf8').replace(/\/\/.*$/gm, '').replace(/#\/\w+|#include/g, '');
        for (const m of text.matchAll(/#[0-9a-fA-F]{3,8}\b(?![\w-])|\brgba?\(\s*\d/g)) if (!/^#\d{1,2}$/.test(m[0])) bad.push(`${path}: ${m[0]}`);
      }
    }
  };
  walk(new URL('../src', import.meta.url).pathname);
  expect(bad).toEqual([]);
});
