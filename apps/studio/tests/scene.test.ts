import { describe, expect, it } from 'vitest';
import { Rig } from '../src/core/core';
import { changeGoal, changeJoint, emptyScene, freeGoalId, setOption, type SceneGoal } from '../src/logic/scene';
import { firstGoals, goalFor } from '../src/state/first_scene';
import { chainModel, fakeModel } from './fake';

const goal: SceneGoal = { id: 'tip', link: 'tip', position: [1, 2, 0], quaternion: [0, 0, 0, 1], usePosition: true, useRotation: false, weight: 1, soft: false, pinned: false, visible: true };

describe('scene changes', () => {
  const scene = { ...emptyScene(), goals: [goal, { ...goal, id: 'other' }] };
  it('shares what did not change', () => {
    const next = changeGoal(scene, 'tip', { weight: 2 });
    expect(next.goals[0]).not.toBe(scene.goals[0]);
    expect(next.goals[1]).toBe(scene.goals[1]);
    expect(next.joints).toBe(scene.joints);
  });
  it('drops joints without choices', () => {
    const locked = changeJoint(scene, 'elbow', { lock: true });
    expect(locked.joints.elbow).toEqual({ lock: true });
    expect(changeJoint(locked, 'elbow', { lock: false }).joints).toEqual({});
  });
  it('sets and resets options', () => {
    const set = setOption(scene, 'damping', 2);
    expect(set.solver.options).toEqual({ damping: 2 });
    expect(setOption(set, 'damping', undefined).solver.options).toEqual({});
  });
  it('finds free goal names', () => {
    expect(freeGoalId(scene, 'tip')).toBe('tip_2');
    expect(freeGoalId(scene, 'hand')).toBe('hand');
  });
});

describe('Rig', () => {
  const goalsOf = (model: ReturnType<typeof fakeModel>) => model.fake.given.goals as unknown as Record<string, any>[];
  it('hands the core a scene: goals, poles last, and reports by scene', () => {
    const model = fakeModel();
    const rig = new Rig(model);
    rig.setPose([0.3, 0.8, 0.6]);
    const scene = { ...emptyScene(), goals: [{ ...goal, usePosition: false }, { ...goal, id: 'b', useRotation: true, pole: [0, 1, 0] as [number, number, number] }, { ...goal, id: 'c', soft: true, weight: 0.3 }] };
    expect(rig.setProblem(scene)).toBeNull();
    expect(goalsOf(model).map((g) => [g.name, g.type])).toEqual([['b', 'pose'], ['c', 'position'], ['pole b', 'pole']]);
    expect(goalsOf(model)[1]!.weight).toBeLessThan(1e-3);
    expect(goalsOf(model)[1]!.target).toEqual([1, 2]);
    rig.setProblem({ ...scene, solver: { method: 'reach', options: {} } });
    expect(goalsOf(model).map((g) => [g.priority, g.preference])).toEqual([[1, undefined], [2, true], [2, true]]);
    const pinned = { ...scene, goals: [{ ...goal, pinned: true }, { ...goal, id: 'b' }] };
    rig.setProblem({ ...pinned, solver: { method: 'reach', options: {} } });
    expect(goalsOf(model).map((g) => g.priority)).toEqual([0, 1]);
    rig.setProblem(pinned);
    expect(goalsOf(model)[0]!.weight).toBeGreaterThan(goalsOf(model)[1]!.weight);
    rig.setProblem(scene);
    expect(rig.solve().goals).toHaveLength(3);
    rig.moveGoal(2, { ...scene.goals[2]!, position: [7, 8, 9] });
    expect(model.fake.target).toEqual([1, 7, 8, 9, 0, 0, 0, 1]);
  });
  it('asks for a posture where joints have gains', () => {
    const model = fakeModel();
    new Rig(model).setProblem({ ...emptyScene(), joints: { joint2: { gain: [0.5], lock: true } } });
    expect(model.fake.given.locked).toEqual(['joint2']);
    expect(goalsOf(model)).toEqual([{ name: 'posture', type: 'posture', target: { joint2: 0 }, gain: { joint2: 0.5 } }]);
  });
  it('makes a pose from names', () => {
    const rig = new Rig(fakeModel());
    expect(rig.poseOf({ joint3: [0.5], nobody: [1] })).toEqual([0, 0, 0.5]);
  });
});

describe('first goals', () => {
  it('takes the tip of a chain', () => {
    const rig = new Rig(fakeModel());
    rig.setPose([0, 0, 0]);
    expect(firstGoals(rig).map((g) => g.link)).toEqual(['tip']);
    expect(goalFor(rig, 3).position).toEqual([30, 0, 0]);
  });
  it('takes hands and pins feet of a figure', () => {
    const model = chainModel([1, 1, 1]);
    const names = ['pelvis', 'left_hand', 'right_hand', 'left_foot', 'right_foot'];
    model.links = names.map((name, i) => ({ name, joint: i, parent: i === 0 ? -1 : 0, children: [], geometry: [] }));
    model.joints = names.map((_, i) => ({ ...model.joints[0]!, name: `j${i}`, child: i, parent: i === 0 ? -1 : 0, q: Math.min(i, 2) }));
    model.effectors = [1, 2, 3, 4];
    const goals = firstGoals(new Rig(fakeModel(model)));
    expect(goals.map((g) => [g.link, g.pinned, g.soft])).toEqual([['right_hand', false, false], ['left_hand', false, true], ['left_foot', true, false], ['right_foot', true, false]]);
  });
});
