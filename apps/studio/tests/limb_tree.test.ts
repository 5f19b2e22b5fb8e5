import { describe, expect, it } from 'vitest';
import { limbsOf } from '../src/logic/limb_tree';
import { treeRows } from '../src/logic/tree';
import type { ModelDescription } from '../src/logic/model';
import { chainModel } from './fake';

/** A body with two arms of three links and two fingers each. */
function figure(): ModelDescription {
  const one = chainModel([1]);
  const names: [string, number][] = [['pelvis', -1], ['chest', 0], ['left_upper_arm', 1], ['left_forearm', 2], ['left_hand', 3], ['left_thumb', 4], ['left_index', 4], ['right_upper_arm', 1], ['right_forearm', 7], ['right_hand', 8], ['head', 1]];
  const links = names.map(([name, parent], i) => ({ ...one.links[0]!, name, parent, joint: i, children: names.flatMap(([, p], k) => (p === i ? [k] : [])) }));
  const joints = names.map(([name, parent], i) => ({ ...one.joints[0]!, name: `${name}_joint`, parent, child: i, q: i, v: i }));
  return { ...one, links, joints, effectors: [4, 9], nq: names.length, nv: names.length, dof: names.length };
}

describe('limbs', () => {
  it('are branches between forks, named by what their links are called', () => {
    const limbs = limbsOf(figure());
    expect(limbs.map((l) => l.name)).toEqual(['Spine', 'Left arm', 'Left fingers', 'Right arm', 'Head']);
    expect(limbs.flatMap((l) => l.links).sort((a, b) => a - b)).toEqual(figure().links.map((_, i) => i));
  });
  it('fold in the tree, and open as one flat list', () => {
    const shut = treeRows(figure(), new Set(), '', 'limbs');
    expect(shut.map((r) => r.name)).toEqual(['world', 'Spine', 'Left arm', 'Left fingers', 'Right arm', 'Head']);
    expect(shut[2]!.dof).toBe(3);
    const open = treeRows(figure(), new Set(), '', 'limbs', new Set(['limb:Left arm']));
    expect(open.filter((r) => r.depth === 2).map((r) => r.name)).toEqual(['left_upper_arm_joint', 'left_upper_arm', 'left_forearm_joint', 'left_forearm', 'left_hand_joint', 'left_hand']);
    expect(treeRows(figure(), new Set(), '', 'joints').filter((r) => r.kind === 'link')).toEqual([]);
  });
});
