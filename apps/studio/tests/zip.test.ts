import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { crc32, zip } from '../src/logic/zip';

const bytes = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;

it('a ZIP is what other programs read', async () => {
  expect(crc32(bytes('123456789'))).toBe(0xcbf43926);
  const file = join(mkdtempSync(join(tmpdir(), 'zip')), 'a.zip');
  writeFileSync(file, new Uint8Array(await zip([{ name: 'walk_00000.png', bytes: bytes('one') }, { name: 'ä.png', bytes: bytes('') }]).arrayBuffer()));
  const read = execFileSync('python3', ['-c', 'import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nprint([(n, z.read(n)) for n in z.namelist()])', file]).toString();
  expect(read.trim()).toBe("[('walk_00000.png', b'one'), ('ä.png', b'')]");
});
