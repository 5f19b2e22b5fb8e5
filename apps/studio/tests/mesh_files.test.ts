import { describe, expect, it } from 'vitest';
import { isBesideFile, meshKey, readMesh } from '../src/logic/mesh_files';

const text = (s: string) => new TextEncoder().encode(s);
const ascii = 'solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1e0 0\nendloop\nendfacet\nendsolid';

function binary(head: string): Uint8Array {
  const bytes = new Uint8Array(84 + 50);
  bytes.set(text(head));
  const view = new DataView(bytes.buffer);
  view.setUint32(80, 1, true);
  [0, 0, 0, 1, 0, 0, 0, 1, 0].forEach((v, i) => view.setFloat32(84 + 12 + 4 * i, v, true));
  return bytes;
}

describe('mesh files', () => {
  it('reads STL as text and as bytes, also when the bytes begin with "solid"', () => {
    const wanted = [0, 0, 0, 1, 0, 0, 0, 1, 0];
    expect(Array.from(readMesh(text(ascii), 'a.stl')!)).toEqual(wanted);
    expect(Array.from(readMesh(binary('made by hand'), 'a.STL')!)).toEqual(wanted);
    expect(Array.from(readMesh(binary('solid made'), 'a.stl')!)).toEqual(wanted);
  });
  it('reads OBJ faces of any size, with negative indices and texture references', () => {
    const square = 'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1/1 2/2/2 3//3 -1\n';
    expect(readMesh(text(square), 'a.obj')!.length).toBe(18);
  });
  it('gives null for what it cannot read', () => {
    expect(readMesh(text('hello'), 'a.stl')).toBeNull();
    expect(readMesh(text('v 0 0 0\nf 1 2 3'), 'a.obj')).toBeNull();
    expect(readMesh(text(ascii.replace('1e0', 'x')), 'a.stl')).toBeNull();
  });
  it('finds a dropped file by the last part of a reference', () => {
    expect(meshKey('package://arm/meshes/Base.STL')).toBe('base.stl');
    expect(isBesideFile('arm.urdf')).toBe(false);
    expect(isBesideFile('Figure0.bin')).toBe(true);
  });
});
