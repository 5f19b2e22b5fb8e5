import { describe, expect, it } from 'vitest';
import * as edit from '../src/logic/linkage_edit';
import { addPart, copyLimb, mirrorLimb, PARTS, partAlone } from '../src/logic/limb_edit';
import { PAINTS, paintOf } from '../src/logic/paint';

const drawn = () => {
  let json = edit.emptyLinkage();
  json = edit.addLink(json, { parent: 'ground', at: [0, 0, 0], rpy: [0, 0, 0.5], length: 2, radius: 0.1, type: 'revolute' }).json;
  return edit.addLink(json, { parent: 'link_1', at: [2, 0, 0], rpy: [0, 0, -0.3], length: 1, radius: 0.1, type: 'prismatic' }).json;
};

describe('linkages drawn by hand', () => {
  it('continue at the end: the tip moves on', () => {
    const json = drawn();
    expect(json.links.map((l) => l.name)).toEqual(['ground', 'link_1', 'link_2', 'link_2_tip']);
    expect(json.effectors).toEqual(['link_2_tip']);
    expect(edit.jointOf(json, 'link_2')).toMatchObject({ type: 'prismatic', axis: [1, 0, 0], parent: 'link_1' });
  });
  it('a length moves what hangs at the end', () => {
    const json = edit.setLength(drawn(), 'link_1', 3);
    expect(edit.lengthOf(json, 'link_1')).toBe(3);
    expect(edit.jointOf(json, 'link_2')!.origin!.xyz).toEqual([3, 0, 0]);
  });
  it('types take their own parameters only', () => {
    const ball = edit.setJointType(drawn(), 'joint_1', 'spherical');
    expect(edit.jointOf(ball, 'link_1')).not.toHaveProperty('axis');
    expect(edit.setLimits(drawn(), 'joint_1', -1, 2).joints[0]!.limits).toEqual({ lower: -1, upper: 2 });
    expect(edit.setLimits(edit.setLimits(drawn(), 'joint_1', -1, 2), 'joint_1', -Infinity, Infinity).joints[0]).not.toHaveProperty('limits');
  });
  it('a hinge becomes a slide along its link and the other way round, unless its axis was chosen', () => {
    const axis = (json: edit.LinkageJson) => edit.jointOf(json, 'link_1')!.axis;
    const slide = edit.setJointType(drawn(), 'joint_1', 'prismatic');
    expect(axis(slide)).toEqual([1, 0, 0]);
    expect(axis(edit.setJointType(slide, 'joint_1', 'revolute'))).toEqual([0, 0, 1]);
    expect(axis(edit.setJointType(edit.setAxis(slide, 'joint_1', [0, 1, 0]), 'joint_1', 'revolute'))).toEqual([0, 1, 0]);
  });
  it('links go with what hangs on them', () => {
    const gone = edit.removeLink(drawn(), 'link_1');
    expect(gone.links.map((l) => l.name)).toEqual(['ground']);
    expect(gone).not.toHaveProperty('effectors');
  });
  it('the mirrored tip is a tip: the next link takes its place', () => {
    const { json: both } = mirrorLimb(drawn(), 'link_1', 2);
    expect(both.effectors).toEqual(['link_2_tip', 'link_2_mirror_tip']);
    expect(edit.addLink(both, { parent: 'link_2_mirror', at: [1, 0, 0], rpy: [0, 0, 0], length: 1, radius: 0.1, type: 'revolute' }).json.effectors).toEqual(['link_2_tip', 'link_3_tip']);
  });
  it('mirror twice is where it was', () => {
    const json = JSON.parse(JSON.stringify(drawn()).replaceAll('"link_1"', '"left_arm"').replaceAll('"joint_1"', '"left_shoulder"')) as edit.LinkageJson;
    const { json: both } = mirrorLimb(json, 'left_arm', 1);
    expect(both.links).toHaveLength(2 * json.links.length - 1);
    const twin = edit.jointOf(both, 'right_arm')!;
    expect(twin.name).toBe('right_shoulder');
    expect(twin.origin!.rpy![2]).toBeCloseTo(-0.5, 12);
    expect(twin.axis).toEqual([0, 0, -1]);
    const { json: again } = mirrorLimb(edit.removeLink(both, 'left_arm'), 'right_arm', 1);
    expect(edit.jointOf(again, 'left_arm')).toMatchObject({ name: 'left_shoulder', axis: [0, 0, 1] });
    expect(edit.jointOf(again, 'left_arm')!.origin!.rpy![2]).toBeCloseTo(0.5, 12);
  });
  it('rotations to roll, pitch, yaw and back', () => {
    for (const rpy of [[0.3, -0.4, 2], [1, 1.2, -3], [0, 0, 0.5]] as [number, number, number][]) edit.rpyOfMatrix(edit.matrixOfRpy(rpy)).forEach((x, i) => expect(x).toBeCloseTo(rpy[i]!, 9));
  });
  it('shapes, thickness and colour of a link; its length stays', () => {
    const json = drawn();
    expect(edit.lookOf(json, 'link_1')).toEqual({ type: 'capsule', radius: 0.1, color: undefined });
    const box = edit.setLook(json, 'link_1', { type: 'box', radius: 0.2, color: [...PAINTS[0]!.rgb, 1] });
    expect(box.links[1]!.visuals![0]).toMatchObject({ geometry: { type: 'box', size: [2, 0.4, 0.4] }, color: [...PAINTS[0]!.rgb, 1] });
    expect(edit.lengthOf(box, 'link_1')).toBe(2);
    const long = edit.setLength(box, 'link_1', 3);
    expect(edit.lookOf(long, 'link_1')).toEqual({ type: 'box', radius: 0.2, color: [...PAINTS[0]!.rgb, 1] });
    expect(edit.lengthOf(long, 'link_1')).toBe(3);
    expect(edit.setLook(box, 'link_1', { type: 'capsule', radius: 0.1 })).toEqual(json);
    expect(paintOf(PAINTS[3]!.rgb)).toBe(PAINTS[3]!.token);
    expect(paintOf([0.5, 0.5, 0.5, 1])).toBe('');
  });
  it('a joint is placed by numbers', () => {
    expect(edit.setOrigin(drawn(), 'joint_2', [1, 2, 3], [0, 0, 1]).joints[1]!.origin).toEqual({ xyz: [1, 2, 3], rpy: [0, 0, 1] });
  });
  it('closing a loop takes the tips away and leaves the middle of its coupler to watch', () => {
    const json = edit.addLink(drawn(), { parent: 'ground', at: [3, 0, 0], rpy: [0, 0, 1], length: 1, radius: 0.1, type: 'revolute' }).json;
    const { json: loop, closure } = edit.closeLoop(json, { link: 'link_2', at: [1, 0, 0] }, { link: 'link_3', at: [1, 0, 0] }, 'revolute');
    expect(closure).toBe('pin');
    expect(loop.links.map((l) => l.name)).toEqual(['ground', 'link_1', 'link_2', 'link_3', 'link_2_tip']);
    expect(loop.effectors).toEqual(['link_2_tip']);
    expect(edit.jointOf(loop, 'link_2_tip')!.origin!.xyz).toEqual([0.5, 0, 0]);
    expect(loop.closures![0]).toMatchObject({ a: { link: 'link_2' }, b: { link: 'link_3' }, axis: [0, 0, 1] });
  });
  it('mirrored across any plane, bars stay along x: the next link goes on at their end', () => {
    const { json: both, link } = mirrorLimb(drawn(), 'link_1', 0);
    expect(link).toBe('link_1_mirror');
    expect(edit.lengthOf(both, link)).toBe(2);
    expect(edit.lookOf(both, link)).toEqual(edit.lookOf(both, 'link_1'));
    expect(both.links.find((l) => l.name === link)!.visuals![0]!.origin!.xyz).toEqual([1, 0, 0]);
    expect(edit.jointOf(both, link)!.origin!.rpy![2]).toBeCloseTo(Math.PI - 0.5, 12);
    expect(edit.jointOf(both, 'link_2_mirror')!.origin!.xyz).toEqual([2, 0, 0]);
    // A second mirror of the same limb gets names of its own.
    expect(mirrorLimb(both, 'link_1', 1).link).toBe('link_1_mirror_1');
  });
  it('a mirrored screw turns the other way, and an origin written as a matrix is mirrored as well', () => {
    const json = edit.setJointType(drawn(), 'joint_2', 'helical');
    json.joints[0]!.origin = { xyz: [0, 1, 0], matrix: [0, -1, 0, 1, 0, 0, 0, 0, 1] };
    const { json: both } = mirrorLimb(json, 'link_1', 1);
    expect(edit.jointOf(both, 'link_2_mirror')).toMatchObject({ pitch: -0.01 });
    expect(edit.jointOf(both, 'link_1_mirror')!.origin).toEqual({ xyz: [0, -1, 0], rpy: [0, 0, -Math.PI / 2] });
  });
  it('a copied limb hangs on another link under free names; its tip is a tip', () => {
    const { json, link } = copyLimb(drawn(), 'link_2', { link: 'link_1', at: [0.5, 0, 0] }, edit.matrixOfRpy([0, 0, 1]));
    expect(link).toBe('link_3');
    expect(edit.jointOf(json, 'link_3')).toMatchObject({ name: 'joint_3', type: 'prismatic', parent: 'link_1', origin: { xyz: [0.5, 0, 0] } });
    expect(edit.jointOf(json, 'link_3')!.origin!.rpy![2]).toBeCloseTo(1, 12);
    expect(json.effectors).toEqual(['link_2_tip', 'link_3_tip']);
    expect(edit.jointOf(json, 'link_3_tip')).toMatchObject({ parent: 'link_3', name: 'link_3_tip_mount' });
  });
  it('parts stand by themselves and on a link, twice under other names', () => {
    expect(PARTS).toHaveLength(6);
    for (const part of PARTS) expect(partAlone(part).joints.filter((j) => !j.name.endsWith('_mount')).map((j) => j.name)).toEqual(part.links.map((l) => l[1]));
    const arm = addPart(drawn(), PARTS[0]!, { link: 'link_2', at: [1, 0, 0] }, edit.matrixOfRpy([0, 0, 0]), 10);
    expect(edit.jointOf(arm.json, arm.link)).toMatchObject({ name: 'shoulder', parent: 'link_2', origin: { xyz: [1, 0, 0] } });
    expect(edit.lengthOf(arm.json, 'upper')).toBeCloseTo(10 * Math.hypot(0.25, 0.3), 12);
    const twice = addPart(arm.json, PARTS[3]!, { link: 'ground', at: [5, 0, 0] }, edit.matrixOfRpy([0, 0, 0]), 1);
    expect(addPart(twice.json, PARTS[3]!, { link: 'ground', at: [7, 0, 0] }, edit.matrixOfRpy([0, 0, 0]), 1).json.closures!.map((c) => [c.a.link, c.b.link])).toEqual([['coupler', 'rocker'], ['coupler_1', 'rocker_1']]);
  });
});
