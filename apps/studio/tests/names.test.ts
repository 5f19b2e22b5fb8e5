import { describe, expect, it } from 'vitest';
import { middle, shortJoint, withoutPrefix } from '../src/logic/names';

describe('names without what all of them begin with', () => {
  it('is cut at a separator only', () => {
    expect(withoutPrefix(['panda_joint1', 'panda_joint2', 'panda_finger_joint1'])).toEqual(['joint1', 'joint2', 'finger_joint1']);
    expect(withoutPrefix(['joint1', 'joint2'])).toEqual(['joint1', 'joint2']);
    expect(withoutPrefix(['ns/arm_a', 'ns/arm_b'])).toEqual(['a', 'b']);
  });
  it('leaves single names and names that would be empty', () => {
    expect(withoutPrefix(['panda_joint1'])).toEqual(['panda_joint1']);
    expect(withoutPrefix(['arm_', 'arm_x'])).toEqual(['arm_', 'arm_x']);
    expect(withoutPrefix([])).toEqual([]);
  });
});

it('cuts long names in the middle', () => {
  expect(middle('r_gripper_l_finger_tip_link')).toBe('r_gripper_…er_tip_link');
  expect(middle('r_gripper_l_finger_tip_link')).toHaveLength(22);
  expect(middle('panda_hand')).toBe('panda_hand');
});

it('says of a joint in a list of joints only which', () => {
  expect(['shoulder_lift_joint', 'panda_joint1', 'joint', '_joint', 'elbow Joint'].map(shortJoint)).toEqual(['shoulder_lift', 'panda_joint1', 'joint', '_joint', 'elbow']);
});
