import { describe, expect, it } from 'vitest';
import { compareVerdict, equation, explainCompare } from '../src/logic/explain';
import { columnToken, groupMethods, methodLook } from '../src/logic/methods';
import { optionControl, splitOptions } from '../src/logic/options';
import { decadeLabel, decades, markerEvery, plotRows, plotSummary } from '../src/logic/plot';
import { residual } from '../src/logic/residual';
import { commandFor, COMMANDS, findCommands, strokeName } from '../src/logic/shortcuts';
import { fromFraction, jointScale, tidy, toFraction, wrapAngle } from '../src/logic/slider';
import { snippet } from '../src/logic/snippet';
import { moveKeys, playFrame, removeKey, rulerStep, setKey } from '../src/logic/timeline';
import { EMPTY_CLIP } from '../src/logic/scene';
import { brief, cardSentence, firstMissed, verdict } from '../src/logic/verdict';
import { walkBvh, walkJointCount } from '../src/logic/walk';
import { chainModel } from './fake';
import type { ExplainedStep } from '@armature';
import type { SceneReport as Report } from '../src/core/core';

describe('residual ramp', () => {
  it.each([[0, 0], [1, 0], [1.01, 1], [100, 1], [101, 2], [1000, 2], [1001, 3], [NaN, 3]])('error %d tolerance 1 is level %d', (error, level) => expect(residual(error, 1).level).toBe(level));
  it('needs a tolerance', () => expect([residual(0, 0).level, residual(1e-9, 0).level]).toEqual([0, 3]));
});

describe('methods', () => {
  it('keeps the first ten apart by marker or dash', () => {
    const names = ['dls', 'pseudoinverse', 'sdls', 'transpose', 'ccd', 'ccd_ranked', 'fabrik', 'inverse', 'two_link', 'reach'];
    expect(new Set(names.map((n) => methodLook(n).marker)).size).toBe(names.length);
  });
  it('gives newcomers grey and different markers', () => {
    const known = ['dls', 'newton', 'magic'];
    expect(methodLook('newton', known).token).toBe('--m-inverse');
    expect(methodLook('newton', known).marker).not.toBe(methodLook('magic', known).marker);
  });
  it('groups in the order of the design and keeps strangers', () => {
    const groups = groupMethods([{ group: 'Global', n: 1 }, { group: 'Analytic', n: 2 }, { group: 'Quantum', n: 3 }]);
    expect(groups.map((g) => g.label)).toEqual(['Analytic', 'Global', 'Quantum']);
  });
  it('repeats column colours lighter, then grey', () => {
    expect(columnToken(3)).toEqual({ token: '--col-1', lighter: true });
    expect(columnToken(7).token).toBe('--ghost');
  });
});

describe('options', () => {
  const damping = { name: 'damping', label: '', doc: '', type: 'real' as const, default: 0, auto: true, min: 0, max: 1e6, log: true, unit: 'length' };
  it('labels with the core’s own word', () => expect(optionControl({ ...damping, name: 'max_iterations', type: 'integer', default: 200, max: 1e6 }, 1).label).toBe('Max iterations'));
  it('keeps ranges positive on a log scale', () => {
    const c = optionControl(damping, 30);
    expect(c.scale.min).toBeGreaterThan(0);
    expect(c.scale.max).toBeGreaterThan(3);
  });
  it('shows the usual ones first', () => {
    const list = ['orientation_tolerance', 'tolerance', 'damping'].map((name) => ({ name }));
    expect(splitOptions(list).first.map((o) => o.name)).toEqual(['damping', 'tolerance']);
    expect(splitOptions(list).more.map((o) => o.name)).toEqual(['orientation_tolerance']);
  });
});

describe('sliders', () => {
  it('maps both ways, linear and log', () => {
    for (const scale of [{ min: 1, max: 100, log: true }, { min: -5, max: 5, log: false }]) for (const f of [0, 0.25, 1]) expect(toFraction(fromFraction(f, scale), scale)).toBeCloseTo(f, 12);
  });
  it('gives joints a margin of 6 %', () => {
    const s = jointScale(0, 2, 'angle');
    expect([s.toFraction(0), s.toFraction(2), s.tickLow]).toEqual([0.06, 0.94, 0.06]);
    expect(s.fromFraction(0.5)).toBeCloseTo(1, 12);
    expect(s.fromFraction(1)).toBe(2);
  });
  it('shows unlimited angles from -180 to 180 without ticks', () => {
    const s = jointScale(-Infinity, Infinity, 'angle');
    expect(s.limited).toBe(false);
    expect(s.fromFraction(0)).toBeCloseTo(-Math.PI, 12);
  });
  it('tidies and wraps', () => {
    expect(tidy(0.123456, false)).toBe(0.123);
    expect(tidy(6.7, true)).toBe(7);
    expect(wrapAngle(3 * Math.PI)).toBeCloseTo(Math.PI, 12);
    expect(wrapAngle(-Math.PI - 0.1)).toBeCloseTo(Math.PI - 0.1, 12);
  });
});

describe('plot data', () => {
  const curves = [{ name: 'dls', errors: [40, 2, 1e-4] }, { name: 'ccd', errors: [40, 10] }];
  it('spans whole decades around data and tolerance', () => expect(decades(curves, 1e-3)).toEqual({ min: 1e-4, max: 100 }));
  it('survives nothing and zeros', () => {
    expect(decades([], 0)).toEqual({ min: 1e-3, max: 1 });
    expect(decades([{ name: 'x', errors: [0, 0] }], 0)).toEqual({ min: 1e-3, max: 1 });
  });
  it('pads shorter curves', () => expect(plotRows(curves, 1e-4)).toEqual([[0, 1, 2], [40, 2, 1e-4], [40, 10, null]]));
  it('labels decades and thins markers', () => {
    expect(['100', '1', '10⁻⁴']).toEqual([100, 1, 1e-4].map(decadeLabel));
    expect(markerEvery(12)).toBe(1);
    expect(markerEvery(31)).toBe(5);
  });
  it('says the plot in a sentence', () => expect(plotSummary(curves, { dls: 'Damped' })).toContain('Damped from 40.0 to 0.000100 in 2 iterations'));
});

describe('shortcuts', () => {
  const stroke = (key: string, more = {}) => ({ key, code: '', ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...more });
  it('names strokes', () => {
    expect(strokeName(stroke('z', { ctrlKey: true, shiftKey: true }))).toBe('Ctrl+Shift+Z');
    expect(strokeName(stroke('>', { code: 'Period', shiftKey: true }))).toBe('Shift+.');
    expect(strokeName(stroke('?', { shiftKey: true }))).toBe('?');
    expect(strokeName(stroke('5', { code: 'Numpad5' }))).toBe('Num5');
    expect(strokeName(stroke('k', { metaKey: true }))).toBe('Ctrl+K');
  });
  it('keeps letters out of text fields and can switch them off', () => {
    expect(commandFor(stroke('w'), false, true)?.id).toBe('tool.translate');
    expect(commandFor(stroke('w'), true, true)).toBeNull();
    expect(commandFor(stroke('w'), false, false)).toBeNull();
    expect(commandFor(stroke('z', { ctrlKey: true }), false, false)?.id).toBe('undo');
    expect(commandFor(stroke('k', { ctrlKey: true }), true, true)?.id).toBe('find');
  });
  it('has no key twice', () => {
    for (const building of [false, true]) {
      const keys = COMMANDS.filter((c) => (c.group === 'Build') === building).flatMap((c) => c.keys);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });
  it('has a map of its own in Build: letters are tools, Shift with them shows', () => {
    const id = (key: string, more = {}) => commandFor(stroke(key, more), false, true, true)?.id;
    expect([...'vdtlaecsm'].map((k) => id(k))).toEqual(['select', 'draw', 'type', 'length', 'limits', 'tip', 'close', 'shape', 'mirror'].map((t) => `build.${t}`));
    expect([id('d', { ctrlKey: true }), id('Delete'), id('F2')]).toEqual(['build.copy', 'build.delete', 'build.rename']);
    expect([id('A', { shiftKey: true }), id('T', { shiftKey: true }), id('C', { shiftKey: true }), id('F', { shiftKey: true })]).toEqual(['show.limits', 'show.trails', 'show.cloud', 'camera.all']);
    expect([commandFor(stroke('a'), false, true)?.id, commandFor(stroke('A', { shiftKey: true }), false, true), commandFor(stroke('d', { ctrlKey: true }), false, true)]).toEqual(['show.limits', null, null]);
  });
  it('finds by words', () => expect(findCommands(COMMANDS, 'und')[0]?.id).toBe('undo'));
});

describe('timeline', () => {
  const clip = setKey(setKey(EMPTY_CLIP, 'a', { frame: 10, position: [0, 0, 0] }), 'a', { frame: 0, position: [10, 0, 0] });
  it('keeps keys in order and replaces', () => {
    expect(clip.keys.a!.map((k) => k.frame)).toEqual([0, 10]);
    expect(setKey(clip, 'a', { frame: 0, position: [1, 1, 1] }).keys.a).toHaveLength(2);
    expect(removeKey(removeKey(clip, 'a', 0), 'a', 10).keys).toEqual({});
  });
  it('moves and copies', () => {
    expect(moveKeys(clip, [{ goal: 'a', frame: 10 }], 5).keys.a!.map((k) => k.frame)).toEqual([0, 15]);
    expect(moveKeys(clip, [{ goal: 'a', frame: 0 }], 5, true).keys.a!.map((k) => k.frame)).toEqual([0, 5, 10]);
    expect(moveKeys(clip, [{ goal: 'a', frame: 0 }], 10).keys.a!.map((k) => k.frame)).toEqual([10]);
  });
  it('plays, loops and stops', () => {
    expect(playFrame(0, 1, EMPTY_CLIP)).toEqual({ frame: 30, playing: true });
    expect(playFrame(110, 1, EMPTY_CLIP)).toEqual({ frame: 19, playing: true });
    expect(playFrame(110, 1, { ...EMPTY_CLIP, loop: false })).toEqual({ frame: 120, playing: false });
  });
  it('spaces the ruler', () => expect(rulerStep(120, 726)).toBe(10));
});

describe('brief', () => {
  const line = { title: 'Stepping', facts: 'iteration 12 of 123, error 0.1234. Run to the end reaches the goal with error 1.2 × 10⁻⁵.' };
  it('keeps what fits, in whole sentences and clauses', () => {
    expect(brief(line, 200)).toBe(line.facts);
    expect(brief(line, 92)).toBe('iteration 12 of 123, error 0.1234.');
    expect(brief(line, 32)).toBe('iteration 12 of 123.');
    expect(brief({ title: 'X', facts: 'one sentence without an end in sight' }, 20)).toBe('one sentence…');
  });
});

describe('verdict', () => {
  const model = chainModel();
  const base: Report = { ok: true, outcome: 'converged', message: 'It is there.', method: 'dls', q: new Float64Array(), pose: {}, iterations: 7, restarts: 0, microseconds: 11, position_error: 0, orientation_error: 0, goals: [{ position_error: 2e-5, orientation_error: 0, reached: true }], joints_at_limits: [], blocking_joints: [] };
  const goal = { id: 'hand', link: 'tip', position: [0, 0, 0] as [number, number, number], quaternion: [0, 0, 0, 1] as [number, number, number, number], usePosition: true, useRotation: false, weight: 1, soft: false, pinned: false, visible: true };
  const context = { model, goals: [goal], style: 'metric' as const, tolerance: 1e-4, methodLabel: 'Two-link' };
  const say = (change: Partial<Report>, more: Partial<typeof context> = {}) => {
    const v = verdict({ ...base, ...change }, { ...context, ...more });
    return `${v.title}: ${v.facts}`.replace(/\u00a0/g, ' ');
  };
  const missed = [{ position_error: 0.014, orientation_error: 0, reached: false }];
  it('speaks as the design says', () => {
    expect(say({})).toBe('Reached: 0.02 mm, 7 iterations, 11 µs.');
    expect(say({ outcome: 'unreachable', proof: { bound: 'no_solution', length: 0.855, distance: 0 }, goals: [{ position_error: 0.12, orientation_error: 0, reached: false }] })).toContain('Out of reach: 120 mm beyond reach 0.855 m; nearest pose shown.');
    expect(say({ outcome: 'stalled', goals: missed, blocking_joints: [{ joint: 'joint2', coordinate: 0, side: 'lower' }], ok: false })).toBe('Blocked by limits: joint2, 14 mm short; nearest pose shown.');
    expect(say({ outcome: 'iteration_limit', iterations: 50, goals: missed })).toBe('Not there yet: 14 mm left after 50 iterations.');
    expect(say({ outcome: 'refused', message: 'The chain has 7 joints.' })).toBe('Two-link cannot take this: the chain has 7 joints.');
    expect(say({ outcome: 'singular' })).toContain('Stuck at a singular pose');
  });
  it('says so when there is nothing to do', () => expect(say({ iterations: 0 })).toBe('Reached: already at the goal.'));
  it('writes the card in plain units, short and without exponents', () => {
    const card = (change: Partial<Report>, more: Partial<typeof context> = {}) => cardSentence({ ...base, goals: missed, ...change }, { ...context, ...more }).replace(/\u00a0/g, ' ');
    expect(card({ outcome: 'unreachable', proof: { bound: 'beyond', length: 0.855, distance: 0.975 } })).toBe('The goal is 120 mm beyond the reach of 855 mm. The nearest pose found is shown.');
    expect(card({ outcome: 'unreachable', proof: { bound: 'inside_hole', length: 0.2, distance: 0.1 } })).toContain('too near the first joint');
    expect(card({ outcome: 'limits', ok: false, blocking_joints: [{ joint: 'joint1', coordinate: 0, side: 'lower' }, { joint: 'joint2', coordinate: 0, side: 'upper' }] })).toBe('joint1 and 1 more are at a limit; 14 mm are missing.');
    expect(card({ outcome: 'stalled' }, { goals: [{ ...goal, id: 'left_foot', pinned: true }] })).toBe('left_foot was pulled 14 mm off its pin.');
    for (const outcome of ['unreachable', 'limits', 'stalled', 'singular', 'iteration_limit', 'time_limit', 'diverged', 'not_finite', 'refused']) {
      const text = card({ outcome, message: 'The step became 3.885e-08 degrees. '.repeat(9), goals: [{ position_error: 3.9e-11, orientation_error: 0, reached: false }] });
      expect(text.length, outcome).toBeLessThanOrEqual(120);
      if (!['refused', 'diverged', 'not_finite'].includes(outcome)) expect(text, outcome).not.toMatch(/e[-+]\d|\b0\.0{4,}/);
    }
  });
  it('counts several goals', () => {
    const goals = [...base.goals, ...missed];
    expect(say({ outcome: 'stalled', goals }, { goals: [goal, { ...goal, id: 'foot' }] })).toBe('1 of 2 goals reached: foot is 14 mm off.');
    const three = [...base.goals, ...missed, ...missed];
    expect(say({ outcome: 'stalled', goals: three }, { goals: [goal, { ...goal, id: 'hand_2' }, { ...goal, id: 'left_foot', pinned: true }] })).toBe('1 of 3 goals reached: left_foot was pulled 14 mm off its pin.');
  });
  it('names the goal that is farthest off, as it is written, and never by 0.00 mm', () => {
    const goals = [goal, { ...goal, id: 'left_hand' }, { ...goal, id: 'right_hand' }];
    const off = (errors: number[], turn = 0) => errors.map((position_error) => ({ position_error, orientation_error: turn, reached: position_error === 0 }));
    expect(say({ outcome: 'stalled', goals: off([0, 0.01, 0.2]) }, { goals })).toBe('1 of 3 goals reached: right_hand is 200 mm off.');
    expect(cardSentence({ ...base, outcome: 'time_limit', goals: off([0, 0.01, 0.2]) }, { ...context, goals }).replace(/\u00a0/g, ' ')).toBe('right_hand is 200 mm off.');
    expect(say({ outcome: 'stalled', goals: off([0, 0, 3e-6]) }, { goals })).toContain('right_hand is less than 0.01 mm off.');
    expect(say({ outcome: 'stalled', goals: off([0, 0, 3e-6], 0.1) }, { goals })).toContain('right_hand is 5.7° off.');
    expect(firstMissed({ ...base, goals: off([0, 0.01, 0.2]) }, [goal, { ...goal, id: 'foot', pinned: true }, { ...goal, id: 'soft', soft: true }])?.id).toBe('foot');
  });
  it('stays short', () => {
    for (const outcome of ['converged', 'unreachable', 'stalled', 'singular', 'iteration_limit', 'time_limit', 'diverged', 'not_finite']) expect(say({ outcome, goals: missed, proof: { bound: 'beyond', length: 0.855, distance: 1 } }).length).toBeLessThanOrEqual(90);
  });
});

describe('sentences', () => {
  const rows = [
    { name: 'dls', label: 'Damped', outcome: 'converged', converged: true, iterations: 13, error: 1e-4, path: 3, largest: 0.3 },
    { name: 'fabrik', label: 'FABRIK', outcome: 'converged', converged: true, iterations: 5, error: 1e-5, path: 1.2, largest: 0.8 },
    { name: 'ccd', label: 'CCD', outcome: 'iteration_limit', converged: false, iterations: 60, error: 0.064, path: 5, largest: 0.3 },
  ];
  it('compares', () => {
    expect(explainCompare(rows)).toBe('FABRIK is there after 5; Damped after 13. Damped moves no joint more than 17° at once. CCD is still 0.0640 away after 60.');
    expect(compareVerdict(rows)).toMatchObject({ tone: 'warn', title: '2 of 3 reached the goal' });
  });
  it('writes the equation of the terms in use', () => {
    const step = { method: 'dls', reproducible: true, step_size: 1, step_limit: 1, columns: [{ scale: 1 }], rows: [] } as unknown as ExplainedStep;
    expect(equation(step)).toMatchObject({ number: 'eq. 5.24' });
    expect(equation(step).html).not.toMatch(/z|class="s"/);
    const full = { ...step, step_limit: 0.7, columns: [{ scale: 1, z: 0.2 }] } as unknown as ExplainedStep;
    expect(equation(full).number).toBe('eq. 5.24, 5.28');
    expect(equation(full).html).toMatch(/class="s".*class="z"/);
    expect(equation({ ...step, reproducible: false }).html).toBe('');
    expect(equation({ ...step, method: 'ccd', reproducible: false }).words).toBe('one joint after the other');
  });
});

it('cuts three lines around a mistake', () => {
  const text = Array.from({ length: 9 }, (_, i) => `line ${i + 1}`).join('\n');
  expect(snippet(text, 4).map((s) => [s.line, s.hit])).toEqual([[3, false], [4, true], [5, false]]);
  expect(snippet('only', 1)).toHaveLength(1);
  expect(snippet(`${'x'.repeat(400)}HERE${'y'.repeat(50)}`, 1, 401)[0]!.text).toContain('HERE');
});

it('writes a walk of 31 joints with one number per channel', () => {
  const text = walkBvh();
  expect(walkJointCount()).toBe(31);
  const rows = text.slice(text.indexOf('Frame Time')).trim().split('\n').slice(1);
  expect(rows).toHaveLength(96);
  for (const row of rows) expect(row.split(' ')).toHaveLength(3 + 31 * 3);
});
