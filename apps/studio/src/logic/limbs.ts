// Joint rows in groups: the limb that is solved, the way from there to the root, the rest.
import { limbOnly, type DofRow } from './dof';
import type { ModelDescription } from './model';

export interface RowGroup {
  id: 'limb' | 'way' | 'rest';
  title: string;
  note: string;
  rows: DofRow[];
  /** What all names of the group begin with: said once, in its title. */
  prefix: string;
}

/** The side that all names begin with, "right_". */
function prefixOf(rows: DofRow[]): string {
  const first = /^(left|right|l|r)[_ ]/i.exec(rows[0]?.name ?? '')?.[0] ?? '';
  return first && rows.every((r) => r.name.startsWith(first)) ? first : '';
}

export function groupRows(model: ModelDescription, rows: DofRow[], chain: number[], link: string): RowGroup[] {
  const limb = limbOnly(model, chain);
  const place = new Map(limb.map((j, i) => [j, i]));
  const inLimb = new Set(limb);
  const inChain = new Set(chain);
  const joints = (list: DofRow[]) => new Set(list.map((r) => r.joint)).size;
  const own = rows.filter((r) => inLimb.has(r.joint)).sort((a, b) => place.get(a.joint)! - place.get(b.joint)! || a.coordinate - b.coordinate);
  const way = rows.filter((r) => inChain.has(r.joint) && !inLimb.has(r.joint));
  const rest = rows.filter((r) => !inChain.has(r.joint));
  const words = (n: number) => `${n} ${n === 1 ? 'joint' : 'joints'}`;
  return [
    { id: 'limb' as const, title: limbName(link), note: `${words(joints(own))}, solved for ${link}`, rows: own },
    { id: 'way' as const, title: 'Way to the root', note: words(joints(way)), rows: way },
    { id: 'rest' as const, title: 'Other joints', note: words(joints(rest)), rows: rest },
  ].filter((g) => g.rows.length > 0).map((g) => ({ ...g, prefix: prefixOf(g.rows) }));
}

/** "right_hand" ends the right arm. */
export function limbName(link: string): string {
  const side = /(^|[^a-z])(right|r)([^a-z]|$)/i.test(link) ? 'Right ' : /(^|[^a-z])(left|l)([^a-z]|$)/i.test(link) ? 'Left ' : '';
  const part = /hand|wrist|palm|gripper|finger|thumb/i.test(link) ? 'arm' : /foot|toe|ankle|sole|heel/i.test(link) ? 'leg' : '';
  if (!side || !part) return `To ${link}`;
  return side + part;
}
