// Which links a goal belongs on when nobody said: the effectors that the model names, before its leaves. A robot's leaves are
// often fingers, rods and sensors; fingers are taken together as the hand that carries them.
import type { ModelDescription } from './model';

const TOOL = /(^|[^a-z])(tcp|tool\d*|ee|eef|end_?effector|grasp\w*)([^a-z]|$)/;
const PART = /rod|spring|crank|shaft|pulley|rotor|sensor|camera|lidar|imu|laser|optical|screw|heel|wheel|pad|cover|antenna|dummy|visual|collision|range|accelerometer|_itb|inertia|aruco|logo|infrared|touch|display/;
/** A hand has at most so many degrees of freedom a finger, and an arm before it at least so many. */
const FINGER_DOF = 4;
const ARM_DOF = 4;

const nameOf = (model: ModelDescription, link: number): string => model.links[link]!.name.toLowerCase();
/** Degrees of freedom of a link's own joint that a pose can choose: what only follows another joint counts for nothing. */
const own = (model: ModelDescription, link: number): number => {
  const joint = model.joints[model.links[link]!.joint];
  return joint && !joint.mimic ? joint.nv : 0;
};

/** Degrees of freedom between the world and a link; with `floating` false, without a base that moves freely. */
export function dofTo(model: ModelDescription, link: number, floating = true): number {
  let n = 0;
  for (let at = link; at >= 0; at = model.links[at]!.parent) {
    const count = own(model, at);
    if (floating || model.links[at]!.parent >= 0 || count < 6) n += count;
  }
  return n;
}

/** For each link, the most degrees of freedom below it, and how many of its branches move. Parents come first in `links`. */
function below(model: ModelDescription): { most: number[]; moving: number[] } {
  const most = model.links.map(() => 0);
  const moving = model.links.map(() => 0);
  for (let i = model.links.length - 1; i >= 0; i--) {
    const { parent, children } = model.links[i]!;
    if (parent < 0 || (children.length === 0 && PART.test(nameOf(model, i)))) continue;
    const joint = model.joints[model.links[i]!.joint];
    const depth = most[i]! + (joint?.nv ? Math.max(1, own(model, i)) : 0);
    if (depth > 0) moving[parent]! += Math.max(1, joint?.nv ? 1 : moving[i]!);
    most[parent] = Math.max(most[parent]!, depth);
  }
  return { most, moving };
}

/** The model's effectors as one would reach with them, in the model's order: named ones as they are, leaves gathered to hands. */
export function tips(model: ModelDescription): number[] {
  const leaves = model.links.every((l, i) => (l.children.length === 0) === model.effectors.includes(i));
  if (!leaves) return model.effectors.filter((e) => dofTo(model, e) > 0);
  const { most, moving } = below(model);
  const gathered = model.effectors.map((leaf) => {
    let palm = -1;
    for (let at = leaf; at >= 0; at = model.links[at]!.parent) {
      if (most[at]! > FINGER_DOF) break;
      if (moving[at]! >= 2 && dofTo(model, at, false) >= ARM_DOF) palm = at;
    }
    if (palm < 0) return leaf;
    // What is bolted on and carries all of the fingers is the hand itself.
    for (;;) {
      const moved = model.links[palm]!.children.filter((c) => moving[c]! > 0 || model.joints[model.links[c]!.joint]?.nv);
      if (moved.length !== 1 || model.joints[model.links[moved[0]!]!.joint]?.nv) return palm;
      palm = moved[0]!;
    }
  });
  // A hand that also carries a frame for its tool is reached with that.
  const tools = model.effectors.filter((e) => TOOL.test(nameOf(model, e)));
  const within = (link: number, above: number): boolean => {
    for (let at = link; at >= 0; at = model.links[at]!.parent) if (at === above) return true;
    return false;
  };
  const all = gathered.map((link) => tools.find((t) => within(t, link)) ?? link);
  const moved = [...new Set(all)].filter((link) => dofTo(model, link) > 0);
  const real = moved.filter((link) => !PART.test(nameOf(model, link)) || tools.includes(link));
  return real.length > 0 ? real : moved;
}

/** The one tip to start with: a named tool, the first effector that the model names, else what most joints move. */
export function firstTip(model: ModelDescription): number | undefined {
  const list = tips(model);
  const named = !model.links.every((l, i) => (l.children.length === 0) === model.effectors.includes(i));
  const tool = list.find((t) => TOOL.test(nameOf(model, t)));
  if (tool !== undefined) return tool;
  if (named) return list[0];
  return [...list].sort((a, b) => dofTo(model, b) - dofTo(model, a))[0];
}
