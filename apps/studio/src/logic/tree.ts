// Rows of the model tree: links and joints in one column, as the design draws them. A joint with one
// child link whose name adds nothing is still shown; nothing is folded away by surprise.
import { limbsOf } from './limb_tree';
import type { ModelDescription } from './model';

/** What the tree shows: limbs that fold, links with their joints, joints alone. */
export type TreeMode = 'limbs' | 'links' | 'joints';

export interface TreeRow {
  id: string; // "link:hand", "joint:wrist", "limb:Right arm", "world"
  kind: 'world' | 'link' | 'joint' | 'limb';
  index: number; // into links or joints; -1 for the world and for limbs
  name: string;
  glyph: string;
  depth: number;
  dof: number;
  hasChildren: boolean;
  open: boolean;
  dimmed: boolean; // shown only because a descendant matches
  parent: string | null;
}

export function jointGlyph(type: string): string {
  switch (type) {
    case 'revolute':
    case 'continuous':
    case 'universal':
      return 'revolute';
    case 'prismatic':
    case 'helical':
    case 'cylindrical':
      return 'prismatic';
    case 'spherical':
    case 'euler':
      return 'ball';
    case 'planar':
      return 'planar';
    case 'free':
    case 'free_euler':
      return 'floating';
    default:
      return 'fixed';
  }
}

interface Node {
  id: string;
  kind: TreeRow['kind'];
  index: number;
  name: string;
  glyph: string;
  dof: number;
  children: Node[];
}

/** Fixed joints that only hold an effector's frame are shown as the effector itself. Without recursion: a hierarchy may be
 *  thousands of links deep. */
function build(model: ModelDescription, mode: TreeMode): Node {
  const effectors = new Set(model.effectors);
  const world: Node = { id: 'world', kind: 'world', index: -1, name: 'world', glyph: 'floating', dof: 0, children: [] };
  const made: Node[] = [];
  const limbs: Node[] = [];
  const limbOf: number[] = [];
  if (mode === 'limbs') {
    limbsOf(model).forEach((limb, l) => {
      const dof = limb.links.reduce((sum, i) => sum + (model.joints[model.links[i]!.joint]?.mimic ? 0 : (model.joints[model.links[i]!.joint]?.nv ?? 0)), 0);
      limbs.push({ id: `limb:${limb.name}`, kind: 'limb', index: -1, name: limb.name, glyph: 'pose', dof, children: [] });
      for (const i of limb.links) limbOf[i] = l;
    });
    world.children.push(...limbs);
  }
  model.links.forEach((link, index) => { // parents come first
    const node: Node = { id: `link:${link.name}`, kind: 'link', index, name: link.name, glyph: effectors.has(index) ? 'effector' : 'link', dof: 0, children: [] };
    const joint = model.joints[link.joint];
    if (mode === 'joints') {
      const above = link.parent < 0 ? world : made[link.parent]!;
      const moves = joint !== undefined && joint.nv > 0;
      const own: Node = moves ? { id: `joint:${joint.name}`, kind: 'joint', index: link.joint, name: joint.name, glyph: jointGlyph(joint.type), dof: joint.mimic ? 0 : joint.nv, children: [] } : above;
      made.push(own);
      if (moves) above.children.push(own);
      return;
    }
    made.push(node);
    // A limb is a chain: its parts stand one below the other, not each further in.
    const above = mode === 'limbs' ? limbs[limbOf[index]!]! : link.parent < 0 ? world : made[link.parent]!;
    const bare = !joint || (link.parent < 0 ? joint.nv === 0 : joint.type === 'fixed' && effectors.has(index) && link.children.length === 0);
    if (bare) above.children.push(node);
    else if (mode === 'limbs') above.children.push({ id: `joint:${joint.name}`, kind: 'joint', index: link.joint, name: joint.name, glyph: jointGlyph(joint.type), dof: joint.mimic ? 0 : joint.nv, children: [] }, node);
    else above.children.push({ id: `joint:${joint.name}`, kind: 'joint', index: link.joint, name: joint.name, glyph: jointGlyph(joint.type), dof: joint.mimic ? 0 : joint.nv, children: [node] });
  });
  return world;
}

export function matches(name: string, filter: string): boolean {
  return name.toLowerCase().includes(filter.toLowerCase());
}

/** `opened`: limbs, which are shut unless they are in it. */
export function treeRows(model: ModelDescription, closed: ReadonlySet<string>, filter = '', mode: TreeMode = 'links', opened: ReadonlySet<string> = new Set()): TreeRow[] {
  const text = filter.trim();
  const rows: TreeRow[] = [];
  const ancestors: number[] = []; // row of the last node at each depth
  const kept: boolean[] = []; // it or something below it matches
  const stack: { node: Node; depth: number; parent: string | null }[] = [{ node: build(model, mode), depth: 0, parent: null }];
  while (stack.length > 0) {
    const { node, depth, parent } = stack.pop()!;
    const own = text === '' || matches(node.name, text);
    const open = text !== '' || (node.kind === 'limb' ? opened.has(node.id) : !closed.has(node.id));
    ancestors.length = depth;
    ancestors.push(rows.length);
    kept.push(own);
    // Upwards until one that is kept already.
    for (let d = depth - 1; own && d >= 0 && !kept[ancestors[d]!]; d--) kept[ancestors[d]!] = true;
    const { id, kind, index, name, glyph, dof } = node;
    rows.push({ id, kind, index, name, glyph, depth, dof, hasChildren: node.children.length > 0, open, dimmed: !own, parent });
    if (open) for (let i = node.children.length - 1; i >= 0; i--) stack.push({ node: node.children[i]!, depth: depth + 1, parent: id });
  }
  return text === '' ? rows : rows.filter((_, i) => kept[i]);
}

/** Type-ahead: the next row after `from` whose name starts with the typed letters. */
export function typeAhead(rows: TreeRow[], from: number, typed: string): number {
  const text = typed.toLowerCase();
  const start = typed.length > 1 ? from : from + 1;
  for (let i = 0; i < rows.length; i++) {
    const at = (start + i) % rows.length;
    if (rows[at]!.name.toLowerCase().startsWith(text)) return at;
  }
  return -1;
}
