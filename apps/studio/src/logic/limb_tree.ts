// The limbs of a figure: branches of its tree between forks, named by what their links are called. A tree of eighty rows becomes one
// of ten, of which the one in hand is open.
import type { ModelDescription } from './model';

export interface Limb {
  name: string;
  links: number[];
}

/** Models with more links than this begin folded into limbs. */
export const MANY_LINKS = 30;

const PARTS: [RegExp, string][] = [
  [/(^|[^a-z])(fingers?|thumb|index|middle|ring|little|pinky)([^a-z]|$)|phalan/i, 'fingers'],
  [/toe/i, 'foot'],
  [/hand|wrist|arm|elbow|shoulder|clavicle|gripper/i, 'arm'],
  [/foot|ankle|shin|knee|thigh|leg|hip(?!s)/i, 'leg'],
  [/head|neck|skull|jaw|eye/i, 'Head'],
  [/spine|lumbar|thorac|chest|torso|abdomen|waist|pelvis|hips/i, 'Spine'],
];
const SIDES: [RegExp, string][] = [
  [/right|(^|[^a-z])r([^a-z]|$)/i, 'Right '],
  [/left|(^|[^a-z])l([^a-z]|$)/i, 'Left '],
];

/** The word that most of the names bear, '' when they bear none. */
function most(names: string[], table: [RegExp, string][]): string {
  const votes = table.map(([pattern, word]) => ({ word, n: names.filter((name) => pattern.test(name)).length }));
  const best = votes.sort((a, b) => b.n - a.n)[0]!;
  return best.n * 2 >= names.length && best.n > 0 ? best.word : '';
}

function nameOf(names: string[]): string {
  const part = most(names, PARTS);
  const side = most(names, SIDES);
  if (part) return side ? `${side}${part.toLowerCase()}` : part.charAt(0).toUpperCase() + part.slice(1);
  let prefix = names[0]!;
  for (const name of names) while (!name.startsWith(prefix)) prefix = prefix.slice(0, -1);
  prefix = prefix.replace(/[^a-z0-9]+$/i, '');
  return prefix.length >= 3 && names.length > 1 ? prefix : names[0]!;
}

/** Every link in exactly one limb, in the order of the model; branches at one fork that are called alike are one limb. */
export function limbsOf(model: ModelDescription): Limb[] {
  const branch: number[] = [];
  const branches: number[][] = [];
  model.links.forEach((link, i) => { // parents come first
    const alone = link.parent >= 0 && model.links[link.parent]!.children.length === 1;
    branch[i] = alone ? branch[link.parent]! : branches.length;
    (branches[branch[i]!] ??= []).push(i);
  });
  const limbs = new Map<string, Limb>();
  for (const links of branches) {
    const moving = links.filter((l) => (model.joints[model.links[l]!.joint]?.nv ?? 0) > 0);
    const name = nameOf((moving.length ? moving : links).map((l) => model.links[l]!.name));
    const same = limbs.get(name);
    if (same) same.links.push(...links);
    else limbs.set(name, { name, links: [...links] });
  }
  return [...limbs.values()];
}
