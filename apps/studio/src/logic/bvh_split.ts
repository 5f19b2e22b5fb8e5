// A long BVH in two parts: the figure with its first frame, which the page opens at once, and the motion, which the worker reads.

/** The hierarchy and one frame of a BVH file's bytes; null when it is not one, or has no second frame. */
export function firstFrameOnly(bytes: Uint8Array): Uint8Array | null {
  const motion = find(bytes, 'MOTION', 0);
  if (motion < 0 || find(bytes, 'HIERARCHY', 0) < 0) return null;
  const time = find(bytes, 'Time:', motion);
  if (time < 0) return null;
  const first = nextLine(bytes, time);
  const second = nextLine(bytes, first);
  if (second >= bytes.length) return null;
  const decode = (from: number, to: number) => new TextDecoder('latin1').decode(bytes.subarray(from, to));
  const header = decode(motion, first);
  const counted = header.replace(/(Frames:\s*)\d+/, (_, word: string) => `${word}1`);
  if (counted === header && !/Frames:\s*1\b/.test(header)) return null;
  const middle = Uint8Array.from(counted, (c) => c.charCodeAt(0));
  const out = new Uint8Array(motion + middle.length + (second - first));
  out.set(bytes.subarray(0, motion));
  out.set(middle, motion);
  out.set(bytes.subarray(first, second), motion + middle.length);
  return out;
}

function find(bytes: Uint8Array, word: string, from: number): number {
  const first = word.charCodeAt(0);
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    let i = 1;
    while (i < word.length && bytes[at + i] === word.charCodeAt(i)) i++;
    // A word at the beginning of its line: joints may be called anything.
    if (i === word.length && (at === 0 || bytes[at - 1]! <= 32) && !(bytes[at + i]! > 32)) return at;
  }
  return -1;
}

/** Where the line after the next line break begins that is not empty. */
function nextLine(bytes: Uint8Array, from: number): number {
  let at = bytes.indexOf(10, from);
  if (at < 0) return bytes.length;
  while (at < bytes.length && (bytes[at] === 10 || bytes[at] === 13 || bytes[at] === 32 || bytes[at] === 9)) at++;
  return at;
}
