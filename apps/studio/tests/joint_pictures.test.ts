import { expect, it } from 'vitest';
import { JOINT_TYPES } from '../src/logic/linkage_edit';
import { JOINT_PICTURES } from '../src/ui/joint_pictures';

it('every joint type of Build has a picture of its own, with its motion unless it has none', () => {
  const pictures = JOINT_TYPES.map((t) => JOINT_PICTURES[t.type] ?? '');
  expect(new Set(pictures).size).toBe(JOINT_TYPES.length);
  JOINT_TYPES.forEach((t, i) => expect(pictures[i]!.includes('var(--accent)'), t.type).toBe(t.dof > 0));
  expect(pictures.join('')).not.toMatch(/NaN|undefined/);
});
