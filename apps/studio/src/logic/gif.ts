// An animated GIF (GIF89a): one palette for all frames, and of each frame only the rectangle that changed, packed with LZW. Runs in a
// worker (core/gif_worker.ts); frames come one by one, so that a long film needs the memory of one picture and of the file.

/** Colours are counted, and looked up, at six bits a channel. */
const bin = (r: number, g: number, b: number): number => ((r >> 2) << 12) | ((g >> 2) << 6) | (b >> 2);
const BINS = 1 << 18;
/** One entry stands for "as in the frame before". */
const COLORS = 255;
const SAME = 255;

/** At most 255 colours for these pictures (RGBA), by median cut: the box with the widest spread of its pixels is halved. */
export function paletteOf(pictures: ArrayLike<number>[]): Uint8Array {
  const counts = new Uint32Array(BINS);
  const sums = new Float64Array(3 * BINS);
  for (const p of pictures) {
    for (let i = 0; i + 3 < p.length; i += 4) {
      const k = bin(p[i]!, p[i + 1]!, p[i + 2]!);
      counts[k]!++;
      for (let c = 0; c < 3; c++) sums[3 * k + c]! += p[i + c]!;
    }
  }
  const used: number[] = [];
  counts.forEach((n, k) => n > 0 && used.push(k));
  const channel = (k: number, c: number) => (k >> (12 - 6 * c)) & 63;
  // A few pixels of a thin line count for more than their number, flat areas for less.
  const weight = (k: number) => Math.sqrt(counts[k]!);
  interface Box { bins: number[]; axis: number; spread: number }
  const box = (bins: number[]): Box => {
    let [axis, spread] = [0, -1];
    const total = bins.reduce((w, k) => w + weight(k), 0);
    for (let c = 0; c < 3; c++) {
      const mean = bins.reduce((s, k) => s + weight(k) * channel(k, c), 0) / total;
      const s = bins.reduce((t, k) => t + weight(k) * (channel(k, c) - mean) ** 2, 0);
      if (s > spread) [axis, spread] = [c, s];
    }
    return { bins, axis, spread: bins.length > 1 ? spread : -1 };
  };
  const boxes = used.length ? [box(used)] : [];
  while (boxes.length && boxes.length < COLORS) {
    let at = 0;
    boxes.forEach((b, i) => { if (b.spread > boxes[at]!.spread) at = i; });
    const { bins, axis, spread } = boxes[at]!;
    if (spread < 0) break;
    bins.sort((a, b) => channel(a, axis) - channel(b, axis));
    const half = bins.reduce((w, k) => w + weight(k), 0) / 2;
    let [cut, sum] = [0, 0];
    while (cut < bins.length - 1 && sum + weight(bins[cut]!) <= half) sum += weight(bins[cut++]!);
    cut = Math.max(1, cut);
    boxes.splice(at, 1, box(bins.slice(0, cut)), box(bins.slice(cut)));
  }
  const out = new Uint8Array(3 * boxes.length);
  boxes.forEach(({ bins }, i) => {
    const total = bins.reduce((n, k) => n + counts[k]!, 0);
    for (let c = 0; c < 3; c++) out[3 * i + c] = Math.round(bins.reduce((s, k) => s + sums[3 * k + c]!, 0) / total);
  });
  return out;
}

/** LZW as GIF has it, eight bits a pixel, in blocks of at most 255 bytes. */
export function lzw(pixels: Uint8Array): Uint8Array {
  const out: number[] = [8];
  const block: number[] = [];
  let [bits, held] = [0, 0];
  const flush = () => { if (block.length) out.push(block.length, ...block.splice(0)); };
  const byte = (b: number) => { block.push(b); if (block.length === 255) flush(); };
  const CLEAR = 256, END = 257;
  let size = 9;
  const put = (code: number) => {
    bits |= code << held;
    held += size;
    while (held >= 8) { byte(bits & 255); bits >>>= 8; held -= 8; }
  };
  const table = new Map<number, number>();
  let next = END + 1;
  put(CLEAR);
  let prefix = pixels[0] ?? 0;
  for (let i = 1; i < pixels.length; i++) {
    const key = (prefix << 8) | pixels[i]!;
    const known = table.get(key);
    if (known !== undefined) { prefix = known; continue; }
    put(prefix);
    if (next < 4096) {
      if (next === 1 << size) size++;
      table.set(key, next++);
    } else {
      put(CLEAR);
      table.clear();
      next = END + 1;
      size = 9;
    }
    prefix = pixels[i]!;
  }
  put(prefix);
  // The code of this prefix makes the decoder's table longer by one more.
  if (next === 1 << size && size < 12) size++;
  put(END);
  if (held > 0) byte(bits & 255);
  flush();
  out.push(0);
  return Uint8Array.from(out);
}

export class Gif {
  frames = 0;
  private parts: Uint8Array<ArrayBuffer>[] = [];
  private before: Uint8Array | null = null;
  private nearest = new Int16Array(BINS).fill(-1);
  /** What the frames so far should have lasted, and what was written, in hundredths of a second. */
  private due = 0;
  private written = 0;

  constructor(readonly width: number, readonly height: number, private palette: Uint8Array, loop: boolean) {
    const two = (v: number) => [v & 255, v >> 8];
    const table = new Uint8Array(768);
    table.set(palette);
    this.push([...text('GIF89a'), ...two(width), ...two(height), 0xf7, 0, 0], table);
    if (loop) this.push([0x21, 0xff, 11, ...text('NETSCAPE2.0'), 3, 1, 0, 0, 0]);
  }
  private push(...lists: ArrayLike<number>[]): void {
    for (const list of lists) this.parts.push(Uint8Array.from(list));
  }

  /** One picture (RGBA) that is shown for so many seconds. */
  add(rgba: ArrayLike<number>, seconds: number): void {
    const { width, height, before } = this;
    const now = new Uint8Array(width * height);
    for (let i = 0; i < now.length; i++) now[i] = this.index(rgba[4 * i]!, rgba[4 * i + 1]!, rgba[4 * i + 2]!);
    let [left, top, right, bottom] = [0, 0, width - 1, height - 1];
    if (before) {
      [left, top, right, bottom] = [width, height, -1, -1];
      for (let y = 0, i = 0; y < height; y++) {
        for (let x = 0; x < width; x++, i++) {
          if (now[i] === before[i]) continue;
          left = Math.min(left, x);
          right = Math.max(right, x);
          top = Math.min(top, y);
          bottom = y;
        }
      }
      if (right < 0) [left, top, right, bottom] = [0, 0, 0, 0];
    }
    const [w, h] = [right - left + 1, bottom - top + 1];
    const part = new Uint8Array(w * h);
    for (let y = 0; y < h; y++) {
      for (let x = 0; x < w; x++) {
        const i = (top + y) * width + left + x;
        part[y * w + x] = before && before[i] === now[i] ? SAME : now[i]!;
      }
    }
    this.due += 100 * seconds;
    const delay = Math.max(2, Math.round(this.due - this.written)); // programs take less for a mistake and play slowly
    this.written += delay;
    const two = (v: number) => [v & 255, v >> 8];
    this.push([0x21, 0xf9, 4, before ? 0x05 : 0x04, ...two(delay), before ? SAME : 0, 0], [0x2c, ...two(left), ...two(top), ...two(w), ...two(h), 0], lzw(part));
    this.before = now;
    this.frames++;
  }

  bytes(): Blob {
    this.push([0x3b]);
    return new Blob(this.parts, { type: 'image/gif' });
  }

  private index(r: number, g: number, b: number): number {
    const k = bin(r, g, b);
    const known = this.nearest[k]!;
    if (known >= 0) return known;
    let [best, least] = [0, Infinity];
    for (let i = 0; i < this.palette.length / 3; i++) {
      const d = (this.palette[3 * i]! - r) ** 2 + (this.palette[3 * i + 1]! - g) ** 2 + (this.palette[3 * i + 2]! - b) ** 2;
      if (d < least) [best, least] = [i, d];
    }
    return (this.nearest[k] = best);
  }
}

const text = (s: string): number[] => [...s].map((c) => c.charCodeAt(0));
