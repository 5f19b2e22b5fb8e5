// Keys, tangents and layers: what the timeline does to them, and that they leave and come back as the core's keys.
import { describe, expect, it } from 'vitest';
import { niceSteps } from '../src/logic/curves';
import { clipFromJson, keysJson } from '../src/logic/keys_json';
import { EMPTY_CLIP, emptyScene, frameRate, isKeyed, type Clip } from '../src/logic/scene';
import { sceneToJson } from '../src/logic/scene_json';
import { changeKey, contactsOf, movePoseKey, pullTangent, removePoseKey, setKey, setPoseKey } from '../src/logic/timeline';

const keyed = (): Clip => setKey(setKey({ ...EMPTY_CLIP, frames: 60 }, 'hand', { frame: 0, position: [0, 0, 1] }), 'hand', { frame: 30, position: [0, 1, 2] });

describe('pose keys', () => {
  it('are set, moved, copied and removed, one a frame', () => {
    let clip = setPoseKey(EMPTY_CLIP, { frame: 40, name: 'b', q: [1] });
    clip = setPoseKey(clip, { frame: 0, name: 'a', q: [0] });
    expect(clip.poses.map((k) => k.name)).toEqual(['a', 'b']);
    expect(setPoseKey(clip, { frame: 0, name: 'c', q: [2] }).poses.map((k) => k.name)).toEqual(['c', 'b']);
    expect(movePoseKey(clip, 0, 50).poses.map((k) => k.frame)).toEqual([40, 50]);
    expect(movePoseKey(clip, 0, 10, true).poses.map((k) => k.frame)).toEqual([0, 10, 40]);
    expect(movePoseKey(clip, 40, 500).poses[1]!.frame).toBe(EMPTY_CLIP.frames);
    expect(removePoseKey(clip, 0).poses.map((k) => k.name)).toEqual(['b']);
  });
});

describe('tangents', () => {
  const now = { in: [1, 2, 3] as [number, number, number], out: [4, 5, 6] as [number, number, number] };
  it('follow on the other side unless they are broken', () => {
    const pulled = pullTangent(keyed(), { goal: 'hand', frame: 30 }, 2, 7, 'out', false, now).keys.hand![1]!;
    expect(pulled).toMatchObject({ way: 'cubic', rateIn: [1, 2, 7], rateOut: [4, 5, 7] });
    const broken = pullTangent(keyed(), { goal: 'hand', frame: 30 }, 2, 7, 'out', true, now).keys.hand![1]!;
    expect(broken).toMatchObject({ rateIn: [1, 2, 3], rateOut: [4, 5, 7] });
    expect(pullTangent(keyed(), { goal: 'hand', frame: 30 }, 2, NaN, 'out', true, now)).toEqual(keyed());
  });
  it('are given up by every other way between keys', () => {
    const clip = pullTangent(keyed(), { goal: 'hand', frame: 30 }, 0, 1, 'in', false, now);
    const linear = changeKey(clip, { goal: 'hand', frame: 30 }, { way: 'linear' }).keys.hand![1]!;
    expect(linear).toEqual({ frame: 30, position: [0, 1, 2], way: 'linear' });
  });
});

describe('keys as the core reads them', () => {
  it('come back as they were', () => {
    let clip: Clip = { ...keyed(), fps: 25, weight: 0.6, goalWeight: 0.5, fade: 0.2, tools: ['trim 0..1', 'mirror'] };
    clip = pullTangent(clip, { goal: 'hand', frame: 30 }, 1, 2, 'out', true, { in: [0, 0, 0], out: [0, 0, 0] });
    clip = setPoseKey(clip, { frame: 10, name: 'reach', q: [0.1, 0.2], way: 'linear' });
    const json = JSON.parse(JSON.stringify(keysJson(clip, true)));
    expect(json.clip).toEqual(['trim 0..1', 'mirror']);
    expect(json.poses).toEqual([{ time: 0.4, pose: [0.1, 0.2], interpolation: 'linear' }]);
    expect(json.goals.hand[1]).toEqual({ time: 1.2, target: [0, 1, 2], interpolation: 'cubic', rate_in: [0, 0, 0], rate_out: [0, 2, 0] });
    expect(clipFromJson(json, 25, { frames: 60, loop: true, pose_names: ['reach'] })).toEqual(clip);
  });
  it('without a motion below say how long they last, and no keys are none', () => {
    expect(keysJson({ ...keyed(), fps: 30 }, false)).toMatchObject({ duration: 2 });
    expect(keysJson(EMPTY_CLIP, true)).toBeNull();
    expect(isKeyed(EMPTY_CLIP)).toBe(false);
    expect(clipFromJson(undefined, 30, {})).toBe(EMPTY_CLIP);
  });
  it('leave rotations out unless every key has one', () => {
    const clip = setKey(keyed(), 'hand', { frame: 45, position: [1, 1, 1], quaternion: [0, 0, 0, 1] });
    expect(keysJson(clip, false)!.goals!.hand!.map((k) => k.target.length)).toEqual([3, 3, 3]);
  });
});

it('contacts of heel and toe are one stretch per foot', () => {
  const stances = [{ link: 'LeftFoot', first: 0, last: 10 }, { link: 'LeftToe', first: 8, last: 20 }, { link: 'RightFoot', first: 12, last: 30 }, { link: 'LeftFoot', first: 40, last: 50 }];
  expect(contactsOf(stances)).toEqual([{ side: 'left', first: 0, last: 20 }, { side: 'left', first: 40, last: 50 }, { side: 'right', first: 12, last: 30 }]);
});

it('frame rates are round where only the file rounds, lines of a plot always', () => {
  expect(frameRate(0.0333333)).toBe(30);
  expect(frameRate(0.033367)).toBeCloseTo(29.97, 2);
  expect(niceSteps(0.93, 1.52, 4)).toEqual([1, 1.2, 1.4]);
  expect(niceSteps(1, 1, 4)).toEqual([]);
});

it('a saved scene names no joint that follows another: the core would refuse it', () => {
  const names = { joints: [{ name: 'a', q: 0, nq: 1, nv: 1 }, { name: 'b', q: 1, nq: 1, nv: 1, mimic: { joint: 0, multiplier: 2, offset: 0 } }], neutral: [0, 0], planar: true };
  expect(sceneToJson({ ...emptyScene(), q: [0.5, 1] }, {}, names).start).toEqual({ a: 0.5 });
});
