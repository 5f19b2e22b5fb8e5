// Which way a figure looks, from the names of its sides: a new figure is shown from its front, a little from its right.
import type { ModelDescription } from './model';
import type { Vec3 } from './scene';
import { origin } from './vec';

const RIGHT = /(^|[^a-z])(right|r)([^a-z]|$)|^right|^r_/i;
const LEFT = /(^|[^a-z])(left|l)([^a-z]|$)|^left|^l_/i;
/** Radians from the front towards the figure's right. */
const ASIDE = 0.42;

/** Yaw of a camera before the figure; null for anything without a left and a right. */
export function facingYaw(model: ModelDescription, frames: ArrayLike<number>): number | null {
  const across: Vec3 = [0, 0, 0];
  let pairs = 0;
  model.links.forEach((link, i) => {
    if (!RIGHT.test(link.name)) return;
    const other = model.links.findIndex((l) => LEFT.test(l.name) && bare(l.name, LEFT) === bare(link.name, RIGHT));
    if (other < 0) return;
    const [a, b] = [origin(frames, i), origin(frames, other)];
    for (let k = 0; k < 3; k++) across[k]! += b[k]! - a[k]!;
    pairs++;
  });
  if (pairs < 2) return null;
  // Forward is left cross up: with x, y of the ground plane as seen by the camera's yaw.
  const [x, y] = model.up === 'y' ? [-across[2], across[0]] : [across[1], -across[0]];
  if (Math.hypot(x, y) < 1e-9) return null;
  return (model.up === 'y' ? Math.atan2(x, y) : Math.atan2(x, -y)) - ASIDE;
}

const bare = (name: string, side: RegExp): string => name.toLowerCase().replace(side, '$1$3').replace(/^(left|right)/, '');
