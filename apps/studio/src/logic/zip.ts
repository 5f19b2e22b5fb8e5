// A ZIP of files that are packed already (pictures): stored as they are, with their checksums.
const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n >>> 0;
});
export function crc32(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (const b of bytes) c = TABLE[(c ^ b) & 255]! ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

function record(signature: number, fields: [number, 2 | 4][]): Uint8Array<ArrayBuffer> {
  const out = new DataView(new ArrayBuffer(4 + fields.reduce((n, [, size]) => n + size, 0)));
  out.setUint32(0, signature, true);
  let at = 4;
  for (const [value, size] of fields) {
    if (size === 2) out.setUint16(at, value, true);
    else out.setUint32(at, value, true);
    at += size;
  }
  return new Uint8Array(out.buffer);
}

const DAY = 0x21; // 1980-01-01: the same bytes whenever they are made

export function zip(files: { name: string; bytes: Uint8Array<ArrayBuffer> }[]): Blob {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const index: Uint8Array<ArrayBuffer>[] = [];
  let at = 0;
  for (const { name, bytes } of files) {
    const named = new TextEncoder().encode(name) as Uint8Array<ArrayBuffer>;
    const common: [number, 2 | 4][] = [[20, 2], [0x800, 2], [0, 2], [0, 2], [DAY, 2], [crc32(bytes), 4], [bytes.length, 4], [bytes.length, 4], [named.length, 2], [0, 2]];
    const head = record(0x04034b50, common);
    index.push(record(0x02014b50, [[20, 2], ...common, [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]]), named);
    parts.push(head, named, bytes);
    at += head.length + named.length + bytes.length;
  }
  const size = index.reduce((n, p) => n + p.length, 0);
  const end = record(0x06054b50, [[0, 2], [0, 2], [files.length, 2], [files.length, 2], [size, 4], [at, 4], [0, 2]]);
  return new Blob([...parts, ...index, end], { type: 'application/zip' });
}
