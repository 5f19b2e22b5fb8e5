// A cut through a workspace of cells: which of them to draw, in what colour, and the frame around them. Pure geometry; the cells are the core's.
import type { Vec3 } from './scene';

export interface Cells {
  origin: Vec3;
  cell: number;
  count: [number, number, number];
  reachable: Uint8Array;
  /** Share of the tried hand orientations that each cell can be reached with; empty: none were tried. */
  share: Float64Array;
  tried: number;
}
export type Band = 'every' | 'many' | 'few' | 'reached';
export interface Strip {
  band: Band;
  corners: [Vec3, Vec3, Vec3, Vec3];
}

/** Arms with too few joints to choose their orientation reach none of those that were tried: places are all there is to show. */
export const hasShares = (cells: Cells): boolean => cells.share.some((s) => s > 0);

/** From so many of the tried orientations on. */
export const leastOf = (band: Band, tried: number): number => (band === 'every' ? Math.ceil((11 / 16) * tried) : band === 'many' ? Math.ceil((6 / 16) * tried) : 0);
export function bandOf(share: number, tried: number): Band {
  const reached = Math.round(share * tried);
  return reached >= leastOf('every', tried) ? 'every' : reached >= leastOf('many', tried) ? 'many' : 'few';
}

const others = (axis: number): [number, number] => (axis === 0 ? [1, 2] : axis === 1 ? [0, 2] : [0, 1]);
export const extentOf = (cells: Cells, axis: number): [number, number] => [cells.origin[axis]!, cells.origin[axis]! + cells.cell * cells.count[axis]!];
const layerOf = (cells: Cells, axis: number, at: number): number => Math.max(0, Math.min(cells.count[axis]! - 1, Math.floor((at - cells.origin[axis]!) / cells.cell)));

/** Reached cells of the layer at `at`, neighbours of one colour as one strip; none below the floor. */
export function stripsOf(cells: Cells, axis: 0 | 1 | 2, at: number, up = 2, floor = -Infinity): Strip[] {
  const [a, b] = others(axis);
  const layer = layerOf(cells, axis, at);
  const shares = hasShares(cells);
  const out: Strip[] = [];
  const place = (i: number, j: number): Vec3 => {
    const p: Vec3 = [0, 0, 0];
    p[axis] = at;
    p[a] = cells.origin[a]! + i * cells.cell;
    p[b] = cells.origin[b]! + j * cells.cell;
    return p;
  };
  const bandAt = (i: number, j: number): Band | null => {
    const index = [0, 0, 0];
    index[axis] = layer;
    index[a] = i;
    index[b] = j;
    const k = (index[2]! * cells.count[1] + index[1]!) * cells.count[0] + index[0]!;
    if (!cells.reachable[k] || cells.origin[up]! + (index[up]! + 0.5) * cells.cell < floor) return null;
    return shares ? bandOf(cells.share[k]!, cells.tried) : 'reached';
  };
  for (let j = 0; j < cells.count[b]!; j++) {
    for (let i = 0; i < cells.count[a]!; ) {
      const band = bandAt(i, j);
      let end = i + 1;
      while (band && end < cells.count[a]! && bandAt(end, j) === band) end++;
      if (band) out.push({ band, corners: [place(i, j), place(end, j), place(end, j + 1), place(i, j + 1)] });
      i = end;
    }
  }
  return out;
}

/** Corners around what is drawn of the cut, half a cell away; the third one holds the handle. */
export function frameOf(cells: Cells, axis: 0 | 1 | 2, at: number, strips: Strip[]): [Vec3, Vec3, Vec3, Vec3] {
  const [a, b] = others(axis);
  const range = (c: number): [number, number] => {
    const all = strips.flatMap((s) => s.corners.map((p) => p[c]!));
    return all.length ? [Math.min(...all) - cells.cell / 2, Math.max(...all) + cells.cell / 2] : extentOf(cells, c);
  };
  const [across, along] = [range(a), range(b)];
  const corner = (i: 0 | 1, j: 0 | 1): Vec3 => {
    const p: Vec3 = [0, 0, 0];
    p[axis] = at;
    p[a] = across[i];
    p[b] = along[j];
    return p;
  };
  return [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
}
