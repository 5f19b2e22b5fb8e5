// Scenes that were made elsewhere: what the studio reads of them, and what it says that it does not.
import { describe, expect, it } from 'vitest';
import { jsonToScene } from '../src/logic/scene_json';

const read = (more: object) => {
  const decoded = jsonToScene({ model: 'panda', ...more });
  if (!decoded.ok) throw new Error(decoded.why);
  return decoded;
};

describe('a scene from elsewhere', () => {
  it('has poses as numbers or as place and rotation', () => {
    for (const target of [[1, 2, 3, 0, 1, 0, 0], { position: [1, 2, 3], quaternion: [0, 1, 0, 0] }]) {
      const { scene, leftOut } = read({ goals: [{ type: 'pose', link: 'hand', target }], steps_per_frame: 0, max_joint_step: 0.2 });
      expect(scene.goals[0]).toMatchObject({ id: 'hand', position: [1, 2, 3], quaternion: [0, 1, 0, 0], usePosition: true, useRotation: true });
      expect(leftOut).toEqual([]);
    }
    expect(read({ goals: [{ link: 'hand', target: { quaternion: [0, 0, 0, 1] } }] }).scene.goals[0]).toMatchObject({ usePosition: false, useRotation: true });
  });
  it('keeps goals of one name apart', () => {
    const { scene } = read({ goals: [{ name: 'a', link: 'hand', target: [1, 2, 3] }, { name: 'a', link: 'hand', target: [3, 2, 1] }] });
    expect(scene.goals.map((g) => g.id)).toEqual(['a', 'a 2']);
  });
  it('says which goals, and which words of them, it leaves out', () => {
    const place = { link: 'hand', target: [1, 2, 3] };
    expect(read({ goals: [{ name: 'look', type: 'aim', ...place }, { type: 'posture', gain: [1, 0] }, { ...place, target: { path: 'x.csv' } }] }).leftOut).toEqual(['goal look', 'goal posture', 'goal hand']);
    expect(read({ goals: [{ name: 'a', ...place, point: [0, 0, 1], tolerance: 0.1 }] }).leftOut).toEqual(['point, tolerance of goal a']);
    expect(read({ goals: [{ name: 'a', ...place, priority: 0 }, { name: 'b', ...place, priority: 1 }] }).leftOut).toEqual(['priority of goal a']);
    expect(read({ goals: [{ name: 'elbow', type: 'pole', link: 'hand', target: [1, 0, 0] }] }).leftOut).toEqual(['goal elbow']);
    expect(read({ joint_weights: { a: 2 }, limits: {}, max_joint_step: 0.5 }).leftOut).toEqual(['the scene’s joint_weights', 'the scene’s limits', 'the scene’s max_joint_step']);
  });
  it('says which obstacles it cannot show as they stand', () => {
    const box = { type: 'box', size: [1, 1, 1] };
    const { scene, leftOut } = read({
      margin: 0.01,
      obstacles: [
        { name: 'upright', shape: box, origin: { position: [1, 0, 0] } },
        { name: 'turned', shape: box, origin: { rpy: [0, 0, 0.5] } },
        { name: 'turned too', shape: box, origin: { quaternion: [0, 0, 0.7, 0.7] } },
        { name: 'ball', shape: { type: 'sphere', radius: 1 }, origin: { rpy: [0, 0, 0.5] } },
        { name: 'wall', shape: { type: 'plane', normal: [1, 0, 0] } },
        { name: 'floor', shape: { type: 'plane', normal: [0, 0, 1] } },
        { name: 'pipe', shape: { type: 'cylinder', radius: 1, length: 1 } },
      ],
    });
    expect(scene.obstacles.map((o) => o.name)).toEqual(['upright', 'ball', 'floor']);
    expect(leftOut).toEqual(['obstacle turned', 'obstacle turned too', 'obstacle wall', 'obstacle pipe']);
    expect(read({ margin: 0.01 }).scene.free).toBe(true); // from itself
  });
  it('says which keys it leaves out', () => {
    const goals = [{ name: 'a', link: 'hand', target: [1, 2, 3] }];
    const keys = { goals: { a: [{ time: 0, target: [1, 2, 3] }], b: [{ time: 0, target: [1, 2, 3] }] }, poses: [{ time: 0, pose: 'ready' }], joints: {}, periodic: true };
    const { scene, leftOut } = read({ goals, keys });
    expect(Object.keys(scene.clip.keys)).toEqual(['a']);
    expect(leftOut).toEqual(['joints of the keys', 'periodic of the keys', 'key poses that name joints', 'keys of goal b']);
    expect(read({ goals, keys: { goals: { a: [{ time: 0, target: [0, 0, 0, 1] }] } } }).leftOut).toEqual(['keys of goal a']);
  });
});
