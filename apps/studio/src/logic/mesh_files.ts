// Meshes that a robot's file refers to: STL (binary and text), OBJ and COLLADA, as plain triangles. Anything else, or a broken
// file, gives null and the link is drawn as a capsule.
import { readDae } from './dae';

/** Nine numbers a triangle. */
export type Triangles = Float32Array;

const MESH_FILE = /\.(stl|obj|dae)$/i;
/** Files worth keeping beside a model: meshes, and the buffers of glTF. */
const BESIDE_FILE = /\.(stl|obj|dae|bin)$/i;

export const isBesideFile = (name: string): boolean => BESIDE_FILE.test(name);
export const isMeshFile = (name: string): boolean => MESH_FILE.test(name);

/** "package://arm/meshes/Base.STL" and "meshes/base.stl" mean the same dropped file. */
export const meshKey = (path: string): string => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).toLowerCase();

export function readMesh(bytes: Uint8Array, name: string): Triangles | null {
  const text = () => new TextDecoder().decode(bytes);
  const triangles = /\.obj$/i.test(name) ? readObj(text()) : /\.dae$/i.test(name) ? readDae(text()) : readStl(bytes);
  return triangles && triangles.length > 0 && triangles.every(Number.isFinite) ? triangles : null;
}

function readStl(bytes: Uint8Array): Triangles | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = bytes.length >= 84 ? view.getUint32(80, true) : 0;
  // A binary file may begin with "solid" too: its length decides.
  if (count > 0 && bytes.length >= 84 + 50 * count) {
    const out = new Float32Array(9 * count);
    for (let t = 0; t < count; t++) for (let k = 0; k < 9; k++) out[9 * t + k] = view.getFloat32(84 + 50 * t + 12 + 4 * k, true);
    return out;
  }
  const numbers: number[] = [];
  for (const match of new TextDecoder().decode(bytes).matchAll(/vertex\s+(\S+)\s+(\S+)\s+(\S+)/g)) numbers.push(Number(match[1]), Number(match[2]), Number(match[3]));
  return numbers.length % 9 === 0 ? Float32Array.from(numbers) : null;
}

function readObj(text: string): Triangles | null {
  const vertices: number[][] = [];
  const out: number[] = [];
  for (const line of text.split('\n')) {
    const words = line.trim().split(/\s+/);
    if (words[0] === 'v') vertices.push(words.slice(1, 4).map(Number));
    if (words[0] !== 'f') continue;
    const corners = words.slice(1).map((word) => {
      const index = parseInt(word, 10);
      return vertices[index < 0 ? vertices.length + index : index - 1];
    });
    if (corners.some((c) => c === undefined)) return null;
    for (let i = 1; i + 1 < corners.length; i++) out.push(...corners[0]!, ...corners[i]!, ...corners[i + 1]!);
  }
  return out.length % 9 === 0 ? Float32Array.from(out) : null;
}
