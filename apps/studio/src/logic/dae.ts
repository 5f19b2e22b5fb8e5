// COLLADA meshes of robots, as plain triangles: positions of triangles and polygons, placed by the nodes of the scene, in
// metres. Colours, textures and animations are left out, and so is the up axis, as robot viewers do: a URDF's mesh is placed
// by the URDF.
import type { Triangles } from './mesh_files';

/** 16 numbers, row by row, as COLLADA writes them. */
type Matrix = number[];
const IDENTITY: Matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

const numbers = (e: Element | null | undefined): number[] => (e?.textContent ?? '').trim().split(/\s+/).filter(Boolean).map(Number);
const named = (e: Element, name: string): Element[] => [...e.children].filter((c) => c.localName === name);

function times(a: Matrix, b: Matrix): Matrix {
  return Array.from({ length: 16 }, (_, i) => {
    let sum = 0;
    for (let k = 0; k < 4; k++) sum += a[4 * Math.floor(i / 4) + k]! * b[4 * k + (i % 4)]!;
    return sum;
  });
}

function turn([x, y, z, degrees]: number[]): Matrix {
  const l = Math.hypot(x!, y!, z!) || 1;
  const [u, v, w] = [x! / l, y! / l, z! / l];
  const a = (degrees! * Math.PI) / 180;
  const [c, s] = [Math.cos(a), Math.sin(a)];
  const k = 1 - c;
  return [c + u * u * k, u * v * k - w * s, u * w * k + v * s, 0, v * u * k + w * s, c + v * v * k, v * w * k - u * s, 0, w * u * k - v * s, w * v * k + u * s, c + w * w * k, 0, 0, 0, 0, 1];
}

function placement(node: Element): Matrix {
  let m = IDENTITY;
  for (const part of node.children) {
    const v = numbers(part);
    if (part.localName === 'matrix' && v.length === 16) m = times(m, v);
    if (part.localName === 'translate') m = times(m, [1, 0, 0, v[0]!, 0, 1, 0, v[1]!, 0, 0, 1, v[2]!, 0, 0, 0, 1]);
    if (part.localName === 'scale') m = times(m, [v[0]!, 0, 0, 0, 0, v[1]!, 0, 0, 0, 0, v[2]!, 0, 0, 0, 0, 1]);
    if (part.localName === 'rotate') m = times(m, turn(v));
  }
  return m;
}

/** Corners of a geometry's triangles, three numbers each, in its own frame. */
function corners(geometry: Element): number[] {
  const mesh = named(geometry, 'mesh')[0];
  if (!mesh) return [];
  const byId = (url: string | null): Element | undefined => [...mesh.children].find((e) => e.getAttribute('id') === (url ?? '').slice(1));
  const out: number[] = [];
  for (const group of mesh.children) {
    if (!['triangles', 'polylist', 'polygons'].includes(group.localName)) continue;
    const inputs = named(group, 'input');
    const width = 1 + Math.max(...inputs.map((i) => Number(i.getAttribute('offset') ?? 0)));
    const vertex = inputs.find((i) => i.getAttribute('semantic') === 'VERTEX');
    const vertices = byId(vertex?.getAttribute('source') ?? null);
    const position = vertices && named(vertices, 'input').find((i) => i.getAttribute('semantic') === 'POSITION');
    const source = byId(position?.getAttribute('source') ?? null);
    if (!vertex || !source) continue;
    const values = numbers(named(source, 'float_array')[0]);
    const stride = Number(source.getElementsByTagName('accessor')[0]?.getAttribute('stride') ?? 3);
    const offset = Number(vertex.getAttribute('offset') ?? 0);
    const counts = numbers(named(group, 'vcount')[0]);
    for (const list of named(group, 'p')) {
      const indices = numbers(list);
      const faces = group.localName === 'triangles' ? Array.from({ length: indices.length / width / 3 }, () => 3) : group.localName === 'polygons' ? [indices.length / width] : counts;
      let at = 0;
      for (const count of faces) {
        const corner = (k: number) => { const i = stride * indices[width * (at + k) + offset]!; return [values[i]!, values[i + 1]!, values[i + 2]!]; };
        for (let k = 1; k + 1 < count; k++) out.push(...corner(0), ...corner(k), ...corner(k + 1));
        at += count;
      }
    }
  }
  return out;
}

export function readDae(text: string, parse: (xml: string) => Document = (xml) => new DOMParser().parseFromString(xml, 'text/xml')): Triangles | null {
  const root = parse(text).documentElement;
  if (root.localName !== 'COLLADA') return null;
  const metre = Number(root.getElementsByTagName('unit')[0]?.getAttribute('meter') ?? 1) || 1;
  const geometries = new Map([...root.getElementsByTagName('geometry')].map((g) => [g.getAttribute('id'), corners(g)]));
  const out: number[] = [];
  const place = (points: number[], m: Matrix) => {
    for (let i = 0; i + 2 < points.length; i += 3) for (let r = 0; r < 3; r++) out.push(metre * (m[4 * r]! * points[i]! + m[4 * r + 1]! * points[i + 1]! + m[4 * r + 2]! * points[i + 2]! + m[4 * r + 3]!));
  };
  const walk = (node: Element, above: Matrix) => {
    const m = times(above, placement(node));
    for (const use of named(node, 'instance_geometry')) place(geometries.get((use.getAttribute('url') ?? '').slice(1)) ?? [], m);
    for (const child of named(node, 'node')) walk(child, m);
  };
  const scene = root.getElementsByTagName('visual_scene')[0];
  if (scene) for (const node of named(scene, 'node')) walk(node, IDENTITY);
  else for (const points of geometries.values()) place(points, IDENTITY);
  return out.length > 0 && out.length % 9 === 0 ? Float32Array.from(out) : null;
}
