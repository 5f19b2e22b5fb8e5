// What counts as a robot: few joints, each with one motion, in space. Robots get a light shell with dark housings; figures
// are clay.
import type { ModelDescription } from './model';

export function isRobot(model: ModelDescription): boolean {
  if (model.planar) return false;
  const moving = model.joints.filter((j) => j.nv > 0);
  return moving.length <= 12 && moving.every((j) => j.nv === 1);
}
