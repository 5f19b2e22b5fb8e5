// A WebM file around pictures that the browser's encoder has packed: one video track, a cluster at each key picture, cues to jump to.

export interface Packed {
  bytes: Uint8Array;
  /** Milliseconds. */
  time: number;
  key: boolean;
}

type Part = number[] | Uint8Array;
const join = (parts: Part[]): Uint8Array => {
  const out = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of parts) {
    out.set(p, at);
    at += p.length;
  }
  return out;
};
/** Big end first, in as many bytes as it needs. */
const number = (value: number, least = 1): number[] => {
  const out: number[] = [];
  for (let v = value; v > 0 || out.length < least; v = Math.floor(v / 256)) out.unshift(v % 256);
  return out;
};
const size = (n: number): number[] => {
  let length = 1;
  while (n >= 2 ** (7 * length) - 1) length++;
  const out = number(n, length);
  out[0]! |= 1 << (8 - length);
  return out;
};
const real = (value: number): Uint8Array => {
  const out = new DataView(new ArrayBuffer(8));
  out.setFloat64(0, value);
  return new Uint8Array(out.buffer);
};
const text = (s: string): number[] => [...s].map((c) => c.charCodeAt(0));
/** An element: its id, its size, what it holds. */
const element = (id: number, ...parts: Part[]): Uint8Array => {
  const body = join(parts);
  return join([number(id), size(body.length), body]);
};

/** `codec`: V_VP8, V_VP9 or V_AV1. Frames in the order in which they are shown, the first one a key. */
export function webm(frames: Packed[], codec: string, width: number, height: number, frameMs: number): Blob {
  const head = element(0x1a45dfa3, element(0x4286, [1]), element(0x42f7, [1]), element(0x42f2, [4]), element(0x42f3, [8]), element(0x4282, text('webm')), element(0x4287, [4]), element(0x4285, [2]));
  const last = frames[frames.length - 1];
  const info = element(0x1549a966, element(0x2ad7b1, number(1e6)), element(0x4489, real((last?.time ?? 0) + frameMs)), element(0x4d80, text('armature')), element(0x5741, text('armature')));
  const video = element(0xe0, element(0xb0, number(width)), element(0xba, number(height)));
  const track = element(0xae, element(0xd7, [1]), element(0x73c5, [1]), element(0x9c, [0]), element(0x83, [1]), element(0x86, text(codec)), element(0x23e383, number(Math.round(frameMs * 1e6))), video);
  const tracks = element(0x1654ae6b, track);
  const clusters: { time: number; blocks: Uint8Array[] }[] = [];
  for (const f of frames) {
    const time = Math.round(f.time);
    let cluster = clusters[clusters.length - 1];
    if (!cluster || f.key || time - cluster.time > 30000) clusters.push((cluster = { time, blocks: [] })); // a block's time has 16 bits
    const by = time - cluster.time;
    cluster.blocks.push(element(0xa3, [0x81, (by >> 8) & 255, by & 255, f.key ? 0x80 : 0], f.bytes));
  }
  const parts: Uint8Array[] = [info, tracks];
  let at = info.length + tracks.length;
  const cues: Uint8Array[] = [];
  for (const { time, blocks } of clusters) {
    const whole = element(0x1f43b675, element(0xe7, number(time)), ...blocks);
    cues.push(element(0xbb, element(0xb3, number(time)), element(0xb7, element(0xf7, [1]), element(0xf1, number(at)))));
    parts.push(whole);
    at += whole.length;
  }
  return new Blob([head, element(0x18538067, ...parts, element(0x1c53bb6b, ...cues))] as Uint8Array<ArrayBuffer>[], { type: 'video/webm' });
}
