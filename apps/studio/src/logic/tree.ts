// Rows of the model tree: links and joints in one column, as the design draws them. A joint with one
// child link whose name adds nothing is still shown; nothing is folded away by surprise.
import type { ModelDescription } from '@armature';

export interface TreeRow {
  id: string; // "link:hand", "joint:wrist", "world"
  kind: 'world' | 'link' | 'joint';
  index: number; // into links or joints; -1 for the world
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

/** Fixed joints that only hold an effector's frame are shown as the effector itself. */
function build(model: ModelDescription): Node {
  const effectors = new Set(model.effectors);
  const linkNode = (index: number): Node => {
    const link = model.links[index]!;
    return {
      id: `link:${link.name}`,
      kind: 'link',
      index,
      name: link.name,
      glyph: effectors.has(index) ? 'effector' : 'link',
      dof: 0,
      children: link.children.map((child) => jointNode(child)),
    };
  };
  const jointNode = (child: number): Node => {
    const jointIndex = model.links[child]!.joint;
    const joint = model.joints[jointIndex];
    const below = linkNode(child);
    if (!joint || (joint.type === 'fixed' && effectors.has(child) && below.children.length === 0)) return below;
    return {
      id: `joint:${joint.name}`,
      kind: 'joint',
      index: jointIndex,
      name: joint.name,
      glyph: jointGlyph(joint.type),
      dof: joint.mimic ? 0 : joint.nv,
      children: [below],
    };
  };
  const roots = model.links.map((_, i) => i).filter((i) => model.links[i]!.parent < 0);
  const rootNode = (root: number): Node => {
    const joint = model.joints[model.links[root]!.joint];
    return joint && joint.nv > 0 ? jointNode(root) : linkNode(root);
  };
  return {
    id: 'world',
    kind: 'world',
    index: -1,
    name: 'world',
    glyph: 'floating',
    dof: 0,
    children: roots.map(rootNode),
  };
}

export function matches(name: string, filter: string): boolean {
  return name.toLowerCase().includes(filter.toLowerCase());
}

export function treeRows(model: ModelDescription, closed: ReadonlySet<string>, filter = ''): TreeRow[] {
  const text = filter.trim();
  const rows: TreeRow[] = [];
  const visit = (node: Node, depth: number, parent: string | null): boolean => {
    const own = text === '' || matches(node.name, text);
    const at = rows.length;
    const open = text !== '' || !closed.has(node.id);
    const row: TreeRow = {
      id: node.id,
      kind: node.kind,
      index: node.index,
      name: node.name,
      glyph: node.glyph,
      depth,
      dof: node.dof,
      hasChildren: node.children.length > 0,
      open,
      dimmed: !own,
      parent,
    };
    rows.push(row);
    let kept = own;
    if (open) for (const child of node.children) kept = visit(child, depth + 1, node.id) || kept;
    if (!kept) rows.length = at;
    return kept;
  };
  visit(build(model), 0, null);
  return rows;
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
