import { describe, expect, it } from 'vitest';
import { Camera, ballOf, blendCamera } from '../src/logic/camera';
import { add, cross, dist, mul, quatAbout, quatFromFrame, quatRotate, rayLine, rayPlane, rotate, segmentDistance } from '../src/logic/vec';
import { arcPoints, needleDirection, outline, symmetricEigen } from '../src/view/arcs';
import { axisDirection, pickGizmo } from '../src/view/gizmo';
import { Touches } from '../src/view/touch';
import { pickGoal, pickLink } from '../src/view/pick';
import { bars, chainReach, gridStep } from '../src/view/planar';
import { arrow, escape, label, stadium } from '../src/view/svg';
import { trailLine } from '../src/view/overlay';
import { PAGES, pageOf } from '../src/chapter/pages';
import { offPath, stageFacts, type StageData } from '../src/chapter/compute';
import { drawStage, stageCamera, walkStep } from '../src/chapter/draw';
import { fakeModel, chainModel } from './fake';

type V = [number, number, number];
const cameras = (): Camera[] => {
  const list = [new Camera('y'), new Camera('z'), new Camera('y', true)];
  for (const c of list) c.resize(800, 600);
  const ortho = new Camera('z');
  ortho.resize(800, 600);
  ortho.set({ ortho: true });
  return [...list, ortho];
};

describe('camera', () => {
  it('projects the target to the middle', () => {
    for (const c of cameras()) {
      const p = c.project(c.state.target);
      expect(p.x).toBeCloseTo(400, 6);
      expect(p.y).toBeCloseTo(300, 6);
    }
  });
  it('sends rays through what it projects', () => {
    for (const c of cameras()) {
      const point: V = [0.3, 0.2, c.planar ? 0 : -0.1];
      const p = c.project(point);
      const hit = rayPlane(c.ray(p.x, p.y), point, c.basis.forward)!;
      expect(dist(hit, point)).toBeLessThan(1e-9);
    }
  });
  it('keeps what is under the pointer when zooming', () => {
    for (const c of cameras()) {
      const target = c.state.target;
      const point = add(target, mul(c.basis.right, 0.4));
      const before = c.project(point);
      c.zoom(0.5, before.x, before.y);
      expect(c.project(point).x).toBeCloseTo(before.x, 6);
    }
  });
  it('looks along axes and keeps a right-handed basis', () => {
    for (const up of ['y', 'z'] as const) {
      for (const axis of ['x', 'y', 'z'] as const) {
        const c = new Camera(up);
        c.set(Camera.along(axis, 1, up));
        const i = 'xyz'.indexOf(axis);
        expect(c.basis.forward[i]).toBeLessThan(-0.99);
        expect(dist(cross(c.basis.right, c.basis.above), mul(c.basis.forward, -1))).toBeLessThan(1e-9);
      }
    }
  });
  it('frames a ball inside the free part', () => {
    const c = new Camera('y', true);
    c.resize(800, 600);
    c.inset = { left: 200, right: 0, top: 0, bottom: 0 };
    c.set(c.framing([5, 5, 0], 10));
    const p = c.project([5, 5, 0]);
    expect(p.x).toBeCloseTo(500, 3);
    expect(10 * c.pixelsPerUnit()).toBeLessThan(300);
  });
  it('blends the short way round', () => {
    const c = new Camera('y').state;
    expect(blendCamera({ ...c, yaw: 3 }, { ...c, yaw: -3 }, 0.5).yaw).toBeCloseTo(Math.PI, 9);
    expect(ballOf([[0, 0, 0], [2, 0, 0]])).toEqual({ center: [1, 0, 0], radius: 1 });
  });
});

describe('vectors', () => {
  it('rotates like quaternions do', () => {
    const axis: V = [0, 0.6, 0.8];
    const a = rotate([1, 2, 3], axis, 0.7);
    const b = quatRotate(quatAbout(axis, 0.7), [1, 2, 3]);
    expect(dist(a, b)).toBeLessThan(1e-12);
  });
  it('reads quaternions from frames', () => {
    const figure = fakeModel().scene();
    figure.q.set([0.4, 0.3, 2.6]);
    figure.forward();
    const q = quatFromFrame(figure.transforms, 2);
    expect(2 * Math.atan2(q[2], q[3])).toBeCloseTo(3.3, 9);
  });
  it('measures lines and segments', () => {
    expect(rayLine({ from: [0, 0, 5], to: [0, 0, -1] }, [-3, 0, 0], [1, 0, 0])).toBeCloseTo(3, 12);
    expect(segmentDistance(1, 1, 0, 0, 2, 0)).toBe(1);
    expect(segmentDistance(3, 0, 0, 0, 2, 0)).toBe(1);
  });
});

describe('drawing', () => {
  it('has one bar per stretch', () => {
    const figure = fakeModel().scene();
    figure.forward();
    const model = chainModel();
    expect(bars(model, figure.transforms).map((b) => b.link)).toEqual([0, 1, 2]);
    expect(chainReach(model, figure.transforms, [0, 1, 2], 3)).toMatchObject({ center: [0, 0, 0], radius: 30 });
  });
  it('chooses grid steps 1, 2, 5', () => {
    const c = new Camera('y', true);
    c.resize(800, 600);
    for (const d of [1, 7, 40, 900]) {
      c.set({ distance: d });
      const step = gridStep(c);
      expect(step * c.pixelsPerUnit()).toBeGreaterThanOrEqual(46 - 1e-9);
      expect([1, 2, 5, 10]).toContain(Math.round(step / 10 ** Math.floor(Math.log10(step) + 1e-9)));
    }
  });
  it('never writes NaN and escapes names', () => {
    expect(stadium({ x: 0, y: 0 }, { x: 0, y: 0 }, 5, 3)).not.toContain('NaN');
    expect(stadium({ x: 0, y: 0 }, { x: 10, y: 0 }, 5, 3)).not.toContain('NaN');
    expect(arrow({ x: 1, y: 1 }, { x: 1, y: 1 }, { color: 'x', width: 1 })).toBe('');
    expect(label({ x: 0, y: 0 }, '<b>')).toContain('&lt;b&gt;');
    expect(escape('"&')).toBe('&quot;&amp;');
  });
  it('draws arcs in the joint’s plane', () => {
    const axis: V = [0, 0, 1];
    const needle = needleDirection(axis, [2, 0, 5]);
    expect(needle).toEqual([1, 0, 0]);
    const points = arcPoints([0, 0, 0], axis, needle, 2, -1, 1);
    for (const p of points) expect(Math.hypot(p[0], p[1])).toBeCloseTo(2, 9);
    expect(Math.hypot(...needleDirection(axis, [0, 0, 3]))).toBeCloseTo(1, 9);
  });
  it('finds principal axes', () => {
    const { values, vectors } = symmetricEigen([[2, 1, 0], [1, 2, 0], [0, 0, 5]]);
    expect(values[0]).toBeCloseTo(5, 9);
    expect(values[1]).toBeCloseTo(3, 9);
    expect(Math.abs(vectors[1][0])).toBeCloseTo(Math.SQRT1_2, 9);
    expect(outline([{ x: 0, y: 0 }, { x: 2, y: 0 }, { x: 1, y: 0.1 }, { x: 2, y: 2 }, { x: 0, y: 2 }])).toHaveLength(4);
  });
});

describe('picking', () => {
  const camera = new Camera('y', true);
  camera.resize(800, 600);
  camera.set({ target: [15, 0, 0], distance: 120 });
  const goal = { id: 'g', link: 'tip', position: [30, 0, 0] as V, quaternion: [0, 0, 0, 1] as [number, number, number, number], usePosition: true, useRotation: false, weight: 1, soft: false, pinned: false, visible: true };
  it('finds links along the bar and nothing beside it', () => {
    const figure = fakeModel().scene();
    figure.forward();
    const at = camera.project([20, 0, 0]);
    expect(pickLink(chainModel(), figure.transforms, camera, at.x, at.y)?.link).toBe(1);
    expect(pickLink(chainModel(), figure.transforms, camera, at.x, at.y + 60)).toBeNull();
  });
  it('grabs goals within 24 px, 32 by touch, and skips hidden ones', () => {
    const p = camera.project(goal.position);
    expect(pickGoal([goal], camera, p.x + 20, p.y, false)?.id).toBe('g');
    expect(pickGoal([goal], camera, p.x + 28, p.y, false)).toBeNull();
    expect(pickGoal([goal], camera, p.x + 28, p.y, true)?.id).toBe('g');
    expect(pickGoal([{ ...goal, visible: false }], camera, p.x, p.y, true)).toBeNull();
  });
  it('tells arrows, squares and centre apart', () => {
    const g = { ...goal, local: false, tool: 'translate' as const, planar: true, active: null };
    const p = camera.project(goal.position);
    expect(pickGizmo(g, camera, p.x, p.y, false)).toEqual({ kind: 'center' });
    expect(pickGizmo(g, camera, p.x + 50, p.y, false)).toEqual({ kind: 'axis', axis: 0 });
    expect(pickGizmo(g, camera, p.x, p.y - 50, false)).toEqual({ kind: 'axis', axis: 1 });
    expect(pickGizmo(g, camera, p.x + 24, p.y - 24, false)).toEqual({ kind: 'plane', axis: 2 });
    expect(pickGizmo({ ...g, tool: 'rotate' }, camera, p.x + 56, p.y, false)).toEqual({ kind: 'ring', axis: 2 });
    expect(pickGizmo(g, camera, p.x + 200, p.y, false)).toBeNull();
    expect(axisDirection({ quaternion: [0, 0, Math.SQRT1_2, Math.SQRT1_2], local: true }, 0)[1]).toBeCloseTo(1, 9);
  });
});

describe('chapter', () => {
  it('has a page for every figure from 5.7 to 5.25, in order', () => {
    expect(PAGES.map((p) => p.figure)).toEqual(Array.from({ length: 19 }, (_, i) => `5.${i + 7}`));
    expect(pageOf('9.9')).toBe(PAGES[0]);
  });
  it('says something on each page, with one or two stages and something to try', () => {
    for (const p of PAGES) {
      expect(p.text.length).toBeGreaterThan(1);
      expect(p.stages.length).toBeGreaterThan(0);
      expect(p.stages.length).toBeLessThan(3);
      expect(p.tries.length).toBeGreaterThan(0);
    }
  });
  it('keeps the errata where they belong', () => {
    expect(PAGES.filter((p) => p.erratum).map((p) => p.figure)).toEqual(['5.13', '5.15', '5.20', '5.22', '5.24']);
  });
  it('measures how far off the path a tip is', () => {
    const data = { tips: [[0, 1, 0], [5, 2, 0]], goals: [[0, 0, 0], [10, 0, 0]], poses: [new Float64Array([0]), new Float64Array([0.5])] } as unknown as StageData;
    expect(offPath(data, 1)).toBe(2);
    expect(stageFacts(data)).toEqual({ off: Math.hypot(5, 2), jump: 0.5, drift: 2 });
  });
  it('keeps every arrow of every frame inside the stage', () => {
    const figure = fakeModel().scene();
    const model = chainModel();
    const poses = [[0.1, 0.2, 0.3], [1.5, 0.4, -0.9], [2.8, 1.2, 0.7]];
    const frames = poses.map((q) => { figure.q.set(q); figure.forward(); return figure.transforms.slice(); });
    const tips = frames.map((f) => [f[16 * 3 + 12]!, f[16 * 3 + 13]!, 0]);
    const jacobians = frames.map((f, k) => Float64Array.from([0, 1, 2].flatMap((i) => [-(tips[k]![1]! - f[16 * i + 13]!), tips[k]![0]! - f[16 * i + 12]!, 0, 0, 0, 1])));
    const data = { spec: { kind: 'vectors', title: '', draw: ['g', 'V'] }, model, tip: 3, frames, tips, jacobians, goals: frames.map(() => [-24, 12, 0]), poses: poses.map((p) => Float64Array.from(p)) } as unknown as StageData;
    for (const [width, height] of [[430, 390], [360, 240]] as const) {
      const camera = stageCamera(data, width, height);
      frames.forEach((_, f) => {
        const picture = drawStage(data, f, camera);
        const points = [...picture.matchAll(/<text class="pt" x="([-\d.]+)" y="([-\d.]+)"/g)].map((m) => [Number(m[1]), Number(m[2])]);
        expect(points.length).toBe(4); // three columns and V
        for (const [x, y] of points) {
          expect(x).toBeGreaterThan(4);
          expect(x).toBeLessThan(width - 4);
          expect(y).toBeGreaterThan(4);
          expect(y).toBeLessThan(height + 4);
        }
      });
      const goal = camera.project([-24, 12, 0]);
      expect(goal.x).toBeGreaterThanOrEqual(24);
      expect(goal.y).toBeGreaterThanOrEqual(24);
    }
  });
  it('walks depth first', () => {
    const model = chainModel([1, 1]);
    expect(walkStep(model, 0)).toMatchObject({ current: 0, links: [0] });
    expect(walkStep(model, 20)).toMatchObject({ current: 0, links: [0, 1, 2] });
  });
});

it('a trail that goes to and fro for thousands of frames is not dotted: its dots would hold the page for a minute', () => {
  const camera = new Camera('z');
  camera.resize(800, 600);
  const way = (n: number) => Array.from({ length: n }, (_, i): [number, number, number] => [0, i % 2 ? 1 : -1, 0]);
  expect(trailLine(way(4), camera)).toMatch(/dasharray/);
  expect(trailLine(way(600), camera)).not.toMatch(/dasharray/);
});

describe('touch', () => {
  it('tells taps by when they happened, however late a busy page hears of them', () => {
    const tap = (down: number, up: number): number => {
      const touches = new Touches();
      touches.down(1, { x: 10, y: 10 }, down);
      touches.down(2, { x: 80, y: 10 }, down + 5);
      touches.up(1, up - 5);
      return touches.up(2, up);
    };
    const now = performance.now();
    expect(tap(now - 5000, now - 4900)).toBe(2); // heard of five seconds later
    expect(tap(now - 5000, now)).toBe(0); // held
  });
});
