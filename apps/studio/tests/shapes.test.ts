// Fault 18: what stands for links without shapes is never a balloon.
import { describe, expect, it } from 'vitest';
import type { BufferGeometry } from 'three';
import type { ModelDescription } from '../src/logic/model';
import { parts, ShapeStore } from '../src/view/shapes';
import { chainModel } from './fake';

/** A machine of many hinges without any shape: a long torso, and short bones that leave it side by side. */
function machine(): ModelDescription {
  const model = chainModel(Array.from({ length: 20 }, (_, i) => (i === 0 ? 1.2 : 0.1)));
  return { ...model, planar: false, reach: 3 };
}
const radiusOf = (g: BufferGeometry) => {
  g.computeBoundingBox();
  const { min, max } = g.boundingBox!;
  return Math.min(max.x - min.x, max.y - min.y, max.z - min.z) / 2;
};

describe('substitute capsules', () => {
  it('are an eighth of their length, and 60 mm at most', () => {
    const made = parts(machine(), new ShapeStore()).filter((p) => p.finish !== 'housing');
    expect(made.length).toBeGreaterThan(15);
    const radii = made.map((p) => radiusOf(p.geometry));
    expect(Math.max(...radii)).toBeLessThanOrEqual(0.06 + 1e-6);
    expect(radii.slice(1).every((r) => r <= 0.012 + 1e-6)).toBe(true);
  });
  it('of a link called torso, too: a machine has no trunk', () => {
    const model = machine();
    model.links[0]!.name = 'torso_lift_link';
    expect(Math.max(...parts(model, new ShapeStore()).map((p) => radiusOf(p.geometry)))).toBeLessThanOrEqual(0.06 + 1e-6);
  });
  it('stay apart where bones leave one joint side by side', () => {
    const model = machine();
    const place = model.joints[2]!.placement;
    // Two links on the first one, 20 mm apart at their ends.
    model.links[0]!.children = [1, 2];
    model.links[2]!.parent = 0;
    model.joints[1]!.placement = [...place.slice(0, 12), 0.5, 0.01, 0, 1];
    model.joints[2]!.placement = [...place.slice(0, 12), 0.5, -0.01, 0, 1];
    const first = parts(model, new ShapeStore()).filter((p) => p.link === 0 && p.finish !== 'housing');
    expect(first).toHaveLength(2);
    for (const p of first) expect(radiusOf(p.geometry)).toBeLessThanOrEqual(0.012 + 1e-6);
  });
  it('are not drawn between models that stand beside each other', () => {
    const model = machine();
    const before = parts(model, new ShapeStore()).length;
    model.links[0]!.name = 'ground';
    expect(parts(model, new ShapeStore()).filter((p) => p.finish !== 'housing')).toHaveLength(parts(machine(), new ShapeStore()).filter((p) => p.finish !== 'housing').length - 1);
    expect(before).toBeGreaterThan(0);
  });
});
