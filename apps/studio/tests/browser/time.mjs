// A drag keeps to its frame: solves have 3 ms while something is dragged and all the time they want on release. The times
// themselves are printed, not judged.
import assert from 'node:assert/strict';
import { browser, dragGoal, gallery, server, state, test } from './harness.mjs';
import { open, settle } from './support.mjs';

await test('a drag that cannot arrive stops at its time; released, the search ends by itself', async () => {
  const { page, context, errors } = await open(browser, server.url, { viewport: { width: 1240, height: 700 } });
  await gallery(page, 'panda');
  // A turn that the arm cannot give there: no bound proves it, so the search goes through all its starts.
  const goal = await state(page, () => {
    const { studio } = window.armature;
    const g = studio.scene.goals[0];
    studio.commit('both', { ...studio.scene, solver: { method: 'reach', options: {} }, goals: [{ ...g, useRotation: true, position: [0, 0, 0.9], quaternion: [0, 0, 0, 1] }] });
    window.armature.views.stage.frameAll();
    return g.id;
  });
  await settle(page);
  await dragGoal(page, goal, 12, 6, false);
  const during = await state(page, () => ({ seconds: window.armature.studio.solveSeconds, outcome: window.armature.studio.report.outcome, goals: window.armature.studio.report.goals }));
  assert.equal(during.seconds, 0.003);
  assert.match(during.outcome, /_limit|stalled|unreachable/, 'the best pose so far is shown');
  await page.mouse.up();
  await settle(page);
  const after = await state(page, () => ({ seconds: window.armature.studio.solveSeconds, report: window.armature.studio.report }));
  assert.equal(after.seconds, 0);
  assert.notEqual(after.report.outcome, 'time_limit');
  const worse = (a, b) => a.position_error > b.position_error && a.orientation_error > b.orientation_error;
  assert.ok(!worse(after.report.goals[0], during.goals[0]), 'the whole search is no worse');
  console.log(`     on release ${after.report.outcome}, ${(after.report.microseconds / 1000).toFixed(1)} ms`);
  await page.keyboard.press('Control+z');
  await settle(page);
  assert.deepEqual(errors, []);
  await context.close();
});

const spread = (list) => {
  const sorted = [...list].sort((a, b) => a - b);
  const at = (share) => sorted[Math.floor(share * (sorted.length - 1))].toFixed(2);
  return `${at(0.5)} ms, p95 ${at(0.95)} ms, most ${at(1)} ms`;
};

/** A goal led around a circle: time of the solve, and of solve and panels together. No picture in between: it is drawn
 *  in software here. */
async function circle(page, id, radius, offset) {
  return state(page, async ([id, radius, offset]) => {
    const { studio } = window.armature;
    const [x, y, z] = studio.scene.goals.find((g) => g.id === id).position;
    const out = [];
    studio.begin('measure');
    for (let i = 0; i < 120; i++) {
      const a = (i / 120) * 2 * Math.PI;
      const from = performance.now();
      studio.dragGoal(id, [x + offset[0] + radius * Math.sin(a), y + offset[1] + radius * (1 - Math.cos(a)), z + offset[2] + radius * Math.sin(a)]);
      const solved = performance.now();
      await Promise.resolve(); // the panels follow in a microtask
      out.push({ solve: solved - from, update: performance.now() - from, outcome: studio.report.outcome });
    }
    studio.cancel();
    return out;
  }, [id, radius, offset]);
}

for (const [model, id, radius, offset] of [['human', 'right_hand', 0.1, [0, 0, 0]], ['panda', 'panda_tcp', 0.1, [0.9, 0, 0.5]]]) {
  await test(`dragging ${model}${offset[0] ? ' out of reach' : ''}: solve and update of a frame`, async () => {
    // All panels are open.
    const { page, context, errors } = await open(browser, server.url, { viewport: { width: 1240, height: 420 } });
    await gallery(page, model);
    const frames = await circle(page, id, radius, offset);
    console.log(`     solve ${spread(frames.map((f) => f.solve))}; with panels ${spread(frames.map((f) => f.update))}`);
    const outcomes = new Set(frames.map((f) => f.outcome));
    console.log(`     ${[...outcomes].join(', ')}`);
    assert.equal(frames.length, 120);
    if (offset[0]) assert.ok(!outcomes.has('converged'));
    else assert.ok(outcomes.has('converged'));
    assert.deepEqual(errors, []);
    await context.close();
  });
}
