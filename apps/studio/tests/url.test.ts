import { describe, expect, it } from 'vitest';
import { EMPTY_CLIP, emptyScene, sceneHash, type Scene } from '../src/logic/scene';
import { decode, encode, MAX_UNPACKED, pack, readable, type PoseNames } from '../src/logic/url';
import { jsonToScene, sceneToJson } from '../src/logic/scene_json';

const names: PoseNames = { joints: [{ name: 'a', q: 0, nq: 1, nv: 1 }, { name: 'b', q: 1, nq: 2, nv: 2 }], neutral: [0, 0, 0], planar: false };
const scene: Scene = {
  ...emptyScene(),
  model: { builtin: 'planar_arm' },
  name: 'planar_arm',
  q: [0.5, 0, 0.25],
  goals: [{ id: 'tip', link: 'tip', position: [-20, 5, 0], quaternion: [0, 0, 0, 1], usePosition: true, useRotation: false, weight: 1, soft: false, pinned: false, visible: true }],
  solver: { method: 'dls', options: { damping: 3 } },
};

describe('readable links', () => {
  it('writes the documented form', () => {
    expect(readable(scene, { mode: 'step', i: 3 }, names)).toBe('#/step?model=planar_arm&goal=tip=-20,5,0&method=dls&damping=3&start=0.5,0,0.25&iteration=3');
    expect(readable(scene, { mode: 'chapter', figure: '5.20', i: 10 }, names)).toBe('#/chapter/5.20?frame=10');
  });
  it('reads what it wrote', async () => {
    const link = await encode(scene, { mode: 'step', i: 3 }, names);
    expect(link.ok).toBe(true);
    if (!link.ok) return;
    const back = await decode(link.fragment);
    expect(back?.ok).toBe(true);
    if (!back?.ok) return;
    expect(back.link.view).toMatchObject({ mode: 'step', i: 3 });
    expect(back.link.q).toEqual(scene.q);
    expect(back.link.scene?.goals[0]).toEqual(scene.goals[0]);
    expect(back.link.scene?.solver).toEqual(scene.solver);
  });
  it('reads the design document’s examples', async () => {
    const pose = await decode('#/pose?model=panda&goal=panda_tcp=0.4,0.2,0.5&method=dls&damping=0.1');
    expect(pose?.ok && pose.link.scene?.goals[0]?.position).toEqual([0.4, 0.2, 0.5]);
    const flat = await decode('#/compare?model=chain10&methods=dls,fabrik,ccd,transpose&goal=tip=-16,16&iteration=2');
    expect(flat?.ok && flat.link.view.methods).toEqual(['dls', 'fabrik', 'ccd', 'transpose']);
    expect(flat?.ok && flat.link.scene?.goals[0]?.position).toEqual([-16, 16, 0]);
    const page = await decode('#/chapter/5.20?frame=10');
    expect(page?.ok && page.link.view).toEqual({ mode: 'chapter', figure: '5.20', i: 10 });
  });
  it('knows a fragment that is not ours', async () => expect(await decode('#top')).toBeNull());
  it.each([['#/pose?method=dls', 'no model'], ['#/pose?model=x&goal=tip=a,b', 'LINK=x,y,z'], ['#/pose?model=x&start=1,z', 'list of numbers'], ['#/pose?scene=!!!', 'damaged']])('says what is wrong with %s', async (fragment, why) => {
    const back = await decode(fragment);
    expect(back && !back.ok && back.why).toContain(why);
  });
});

describe('one form for all', () => {
  it('is a scene file: what the command line and Python read', () => {
    const json = sceneToJson({ ...scene, joints: { a: { lock: true } } }, { mode: 'pose' }, names) as Record<string, any>;
    expect(json).toEqual({ format: 'armature-scene', version: 1, model: 'planar_arm', start: { a: 0.5, b: [0, 0.25] }, goals: [{ name: 'tip', type: 'position', link: 'tip', target: [-20, 5, 0] }], locked: ['a'], method: 'dls', options: { damping: 3 }, view: { mode: 'pose' } });
  });
  it('keeps an orientation in a readable link', async () => {
    const turned: Scene = { ...scene, goals: [{ ...scene.goals[0]!, useRotation: true, quaternion: [0, 0, 0.6, 0.8] }] };
    const link = await encode(turned, { mode: 'pose' }, names);
    expect(link.ok && link.fragment).toContain('goal=tip=-20,5,0,0,0,0.6,0.8');
    const back = link.ok ? await decode(link.fragment) : null;
    expect(back?.ok && back.link.scene?.goals[0]).toMatchObject({ useRotation: true, quaternion: [0, 0, 0.6, 0.8] });
  });
});

describe('packed links', () => {
  const rich: Scene = {
    ...scene,
    goals: [{ ...scene.goals[0]!, soft: true, weight: 0.3, useRotation: true, quaternion: [0, 0, 0.6, 0.8], pole: [1, 2, 3] }],
    joints: { a: { lock: true }, b: { rest: [0.1, 0], gain: [0.5, 0] } },
    clip: { ...EMPTY_CLIP, fps: 25, frames: 60, loop: false, keys: { tip: [{ frame: 0, position: [1, 2, 3], quaternion: [0, 0, 0, 1] }, { frame: 30, position: [4, 5, 6], quaternion: [0, 0, 0, 1] }] } },
    poses: [{ name: 'rest', q: [0, 0, 0] }],
  };
  it('carries everything and comes back the same', async () => {
    const link = await encode(rich, { mode: 'pose', show: ['body'], selection: 'joint:a' }, names);
    expect(link.ok && link.fragment).toContain('#/pose?scene=');
    const back = link.ok ? await decode(link.fragment) : null;
    expect(back?.ok).toBe(true);
    if (!back?.ok || !back.link.scene) return;
    expect({ ...back.link.scene, q: [], model: scene.model }).toEqual({ ...rich, q: [] });
    expect(back.link.pose).toEqual({ a: [0.5], b: [0, 0.25] });
    expect(back.link.view.selection).toBe('joint:a');
  });
  it('keeps an orientation that is not used now', async () => {
    const off: Scene = { ...rich, goals: [{ ...rich.goals[0]!, useRotation: false }] };
    const link = await encode(off, { mode: 'pose' }, names);
    const back = link.ok ? await decode(link.fragment) : null;
    expect(back?.ok && back.link.scene?.goals[0]).toMatchObject({ useRotation: false, quaternion: [0, 0, 0.6, 0.8] });
  });
  it('refuses a newer version with a sentence', () => {
    const json = { ...sceneToJson(rich, { mode: 'pose' }, names), version: 2 };
    const back = jsonToScene(json);
    expect(!back.ok && back.why).toContain('newer studio');
  });
  it('unpacks no further than a scene can need, and says so', async () => {
    const inflated: number[] = [];
    const Original = globalThis.DecompressionStream;
    globalThis.DecompressionStream = class {
      readable: ReadableStream<Uint8Array>;
      writable: WritableStream;
      constructor(format: 'deflate-raw') {
        const real = new Original(format);
        this.writable = real.writable;
        this.readable = real.readable.pipeThrough(new TransformStream({ transform: (part: Uint8Array, out) => { inflated.push(part.length); out.enqueue(part); } }));
      }
    } as never;
    try {
      const bomb = await pack({ name: 'a'.repeat(20_000_000) });
      const back = await decode(`#/pose?scene=${bomb}`);
      expect(back && !back.ok && back.why).toContain('more than 8 MB');
      const sum = inflated.reduce((a, b) => a + b, 0);
      expect(sum).toBeGreaterThan(MAX_UNPACKED);
      expect(sum).toBeLessThan(2 * MAX_UNPACKED); // it stopped inflating there
    } finally {
      globalThis.DecompressionStream = Original;
    }
  }, 60_000);
  it('says how big a scene is that does not fit', async () => {
    let text = '';
    let seed = 1;
    for (let i = 0; i < 60000; i++) text += String.fromCharCode(33 + ((seed = (seed * 48271) % 2147483647) % 90));
    const link = await encode({ ...rich, model: { file: { name: 'x.urdf', base64: btoa(text) } } }, { mode: 'pose' }, names);
    expect(link.ok).toBe(false);
    if (!link.ok) expect(link.bytes).toBeGreaterThan(24000);
  });
});

it('hashes equal scenes alike and others not', () => {
  expect(sceneHash(scene)).toBe(sceneHash(JSON.parse(JSON.stringify(scene))));
  expect(sceneHash(scene)).not.toBe(sceneHash({ ...scene, q: [0.5, 0, 0.2500001] }));
});
