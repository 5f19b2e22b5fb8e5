import { describe, expect, it } from 'vitest';
import { lzw, paletteOf } from '../src/logic/gif';

/** What a decoder makes of packed pixels. */
function unpacked(bytes: Uint8Array): number[] {
  const data: number[] = [];
  let at = 1;
  while (bytes[at]) {
    data.push(...bytes.subarray(at + 1, at + 1 + bytes[at]!));
    at += bytes[at]! + 1;
  }
  let [bit, size] = [0, bytes[0]! + 1];
  const read = () => {
    let code = 0;
    for (let i = 0; i < size; i++, bit++) code |= ((data[bit >> 3]! >> (bit & 7)) & 1) << i;
    return code;
  };
  const out: number[] = [];
  let table: number[][] = [];
  let last: number[] | null = null;
  for (;;) {
    const code = read();
    if (code === 257) return out;
    if (code === 256) {
      table = Array.from({ length: 256 }, (_, i) => [i]).concat([[], []]);
      size = 9;
      last = null;
      continue;
    }
    const entry: number[] = table[code] ?? [...last!, last![0]!];
    out.push(...entry);
    if (last && table.length < 4096) table.push([...last, entry[0]!]);
    if (table.length === 1 << size && size < 12) size++;
    last = entry;
  }
}

describe('GIF', () => {
  it('packs so that a decoder gives the same pixels, also where the table grows and is begun anew', () => {
    for (const n of [1, 2, 300, 513, 5000, 120000]) {
      const noise = Uint8Array.from({ length: n }, (_, i) => (Math.imul(i ^ (i >> 3), 2654435761) >>> 24) & (n > 6000 ? 255 : 15));
      expect(unpacked(lzw(noise))).toEqual([...noise]);
    }
    const flat = new Uint8Array(200000).fill(7);
    expect(unpacked(lzw(flat))).toEqual([...flat]);
    expect(lzw(flat).length).toBeLessThan(2000);
  });
  it('keeps the colours of a picture with few of them, and the rare one of a line', () => {
    const picture = new Uint8ClampedArray(4 * 10000);
    for (let i = 0; i < 10000; i++) picture.set(i === 77 ? [255, 0, 0, 255] : i % 2 ? [10, 20, 30, 255] : [200, 210, 220, 255], 4 * i);
    const palette = paletteOf([picture]);
    const colors = Array.from({ length: palette.length / 3 }, (_, i) => [...palette.subarray(3 * i, 3 * i + 3)].join());
    expect(new Set(colors)).toEqual(new Set(['255,0,0', '10,20,30', '200,210,220']));
  });
  it('has at most 255 colours for any picture', () => {
    const picture = new Uint8ClampedArray(4 * 65536);
    for (let i = 0; i < 65536; i++) picture.set([i & 255, i >> 8, (i * 7) & 255, 255], 4 * i);
    expect(paletteOf([picture]).length).toBe(3 * 255);
  });
});
