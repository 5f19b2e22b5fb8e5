import { describe, expect, it } from 'vitest';
import { shellOf } from '../src/logic/shell';
import { strokeOf, turnedInto } from '../src/logic/stroke';
import { band } from '../src/logic/bands';
import { limbName } from '../src/logic/limbs';
import { turnedUp, emptyLinkage } from '../src/logic/linkage_edit';

describe('workspaces', () => {
  it('keep the farthest place in each direction, and stay above the floor', () => {
    const points: number[] = [];
    for (let i = 0; i < 4000; i++) {
      const [t, h] = [i * 2.399963, -1 + (2 * i) / 3999];
      for (const r of [1, 0.5]) points.push(r * Math.cos(t) * Math.sqrt(1 - h * h), r * Math.sin(t) * Math.sqrt(1 - h * h), r * h);
    }
    const shell = shellOf(points, [0, 0, 0], 'z', false, 0);
    expect(shell.reach).toBeCloseTo(1, 6);
    for (const p of shell.lines.flat()) {
      expect(Math.hypot(...p)).toBeCloseTo(1, 6);
      expect(p[2]).toBeGreaterThanOrEqual(0);
    }
  });
});

describe('strokes', () => {
  const fake = (stop: number) => ({
    size: 1,
    drive: ({ to, frames, start }: { to: number; frames: number; start: number[] }) => {
      const end = Math.max(-stop, Math.min(stop, to));
      const ok = end === to;
      const values = Float64Array.from({ length: frames }, (_, i) => start[0]! + ((end - start[0]!) * i) / (frames - 1));
      return { ok, outcome: ok ? 'reached' : 'dead_point', message: 'in line', values, transmission: values.map(() => 1), q: [end], value: end, ...(ok ? {} : { stopped_at: end, stopped_q: Float64Array.of(end) }), in_line: ['a', 'b'], other_drive: '', clip: { frames, frame: (i: number) => Float64Array.of(values[i]!) } };
    },
  });
  it('end at both dead points, ascending', () => {
    const stroke = strokeOf(fake(1.3) as never, 'crank', 0, true, [0.2]);
    expect(stroke.full).toBe(false);
    expect([stroke.values[0], stroke.values.at(-1)]).toEqual([-1.3, 1.3]);
    expect(stroke.values.every((v, i) => i === 0 || v >= stroke.values[i - 1]!)).toBe(true);
    expect(stroke.stops.map((s) => s!.value)).toEqual([-1.3, 1.3]);
  });
  it('a full turn runs from -180 to 180 degrees', () => {
    const stroke = strokeOf(fake(100) as never, 'crank', 0, true, [1]);
    expect(stroke.full).toBe(true);
    expect(stroke.values[0]).toBeGreaterThanOrEqual(-Math.PI);
    expect(stroke.values.at(-1)! - stroke.values[0]!).toBeCloseTo(2 * Math.PI, 9);
    expect(stroke.values).toHaveLength(stroke.poses.length);
    expect(turnedInto(7, -Math.PI)).toBeCloseTo(7 - 2 * Math.PI, 12);
  });
});

describe('small words', () => {
  it('bands change at 5 and 12 % of the size', () => {
    expect([-0.001, 0.049, 0.051, 0.119, 0.121].map((d) => band(d, 1).word)).toEqual(['touches', 'very near', 'near', 'near', 'clear']);
  });
  it('limbs are called as people call them', () => {
    expect([limbName('right_hand'), limbName('l_foot'), limbName('tool0')]).toEqual(['Right arm', 'Left leg', 'To tool0']);
  });
  it('y up turns the root, with a joint of its own or without', () => {
    const bare = turnedUp(emptyLinkage(), 'y');
    expect(bare.joints[0]).toMatchObject({ type: 'fixed', child: 'ground' });
    expect(bare.up).toBe('y'); // or a writer would turn it once more
    const own = turnedUp({ ...emptyLinkage(), joints: [{ name: 'root', type: 'free', child: 'ground', origin: { xyz: [1, 2, 3] } }] }, 'y');
    expect(own.joints[0]!.origin!.xyz).toEqual([1, 3, -2]);
    expect(own.joints[0]!.origin!.rpy![0]).toBeCloseTo(-Math.PI / 2, 12);
  });
});
