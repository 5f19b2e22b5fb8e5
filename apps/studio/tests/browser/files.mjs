// Files in and out, in a real browser: every format, broken ones, skins, meshes, exports.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { skinnedTube } from '../../../../bindings/wasm/test/skinned.mjs';
import { BIG, browser, distance, dragGoal, gallery, server, shot, state, test } from './harness.mjs';
import { data, drop, open, settle } from './support.mjs';

/** Exports through the dialog, and gives the bytes. */
async function exported(page, format) {
  await page.click('header [title="Export"]');
  await page.click(`[data-export="${format}"]`);
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('[data-save]')]);
  return readFile(await file.path());
}

await test('files: each format drops; a broken one changes nothing and says where', async () => {
  const { page, context, errors } = await open(browser, server.url);
  await gallery(page, 'planar_arm');
  const good = [];
  for (const [kind, dir, ext] of [['URDF', 'urdf', '.urdf'], ['BVH', 'bvh', '.bvh'], ['MJCF', 'mjcf', '.xml'], ['DH', 'dh', '.json'], ['glTF', 'gltf', '.glb']]) {
    const folder = join(data, dir);
    if (!existsSync(folder)) { console.log(`SKIPPED: no ${kind} files in ${folder}`); continue; }
    const walk = (d) => readdirSync(d).flatMap((f) => (statSync(join(d, f)).isDirectory() ? walk(join(d, f)) : [join(d, f)]));
    const file = walk(folder).filter((f) => f.endsWith(ext)).sort((a, b) => statSync(a).size - statSync(b).size)[0];
    if (file) good.push({ kind, name: file.split('/').pop(), bytes: readFileSync(file) });
  }
  const reads = await state(page, () => window.armature.studio.core.formats.filter((f) => f.reads).map((f) => f.name).join(' '));
  for (const file of good) {
    if (!reads.includes(file.kind.toLowerCase().slice(0, 3))) { console.log(`SKIPPED: this build does not read ${file.kind}`); continue; }
    await drop(page, [file]);
    assert.equal(await state(page, () => window.armature.studio.scene.name), file.name, `${file.kind} ${file.name}: ${await page.locator('[data-toast]').allInnerTexts()}`);
  }
  const hash = await state(page, () => window.armature.hash());
  const broken = [
    { name: 'broken.urdf', bytes: '<robot name="x">\n <link name="a"/>\n <joint name="j" type="wobbly">\n  <parent link="a"/>\n  <child link="zzz"/>\n </joint>\n</robot>' },
    { name: 'broken.json', bytes: '{"format": "armature",\n "links": [ }' },
    { name: 'walk_broken.bvh', bytes: 'HIERARCHY\nROOT a\n{\n OFFSET 0 0 0\n CHANNELS 3 Zrotation Xrotation Yrotation\n End Site\n {\n  OFFSET 0 1 0\n }\n}\nMOTION\nFrames: 2\nFrame Time: 0.03\n1 2 3\n1 2\n' },
    { name: 'broken.gltf', bytes: '{"asset": {"version": "2.0"},\n "nodes": [ {"children": [7] } }' },
    { name: 'broken.xml', bytes: '<mujoco>\n <worldbody>\n  <body name="a">\n   <joint type="wobbly"/>\n  </body>\n </worldbody>\n</mujoco>' },
    { name: 'broken_dh.json', bytes: '{"convention": "standard",\n "joints": [{"a": "x"]}' },
  ];
  for (const file of broken) {
    await drop(page, [{ name: file.name, bytes: Buffer.from(file.bytes) }]);
    const toast = await page.locator('[data-toast="bad"]').last().innerText();
    assert.match(toast, new RegExp(file.name.replace('.', '\\.')));
    assert.match(toast, /line \d+/i, toast);
    assert.match(toast, /Your scene is unchanged/);
    assert.equal(await state(page, () => window.armature.hash()), hash, file.name);
  }
  // What is good of a broken motion can be opened; the picture shows it over a scene that stays.
  await state(page, () => { window.armature.ui.toasts = []; });
  await page.setViewportSize(BIG.viewport);
  await settle(page);
  await drop(page, [{ name: 'walk_broken.bvh', bytes: Buffer.from(broken[2].bytes) }]);
  await shot(page, '08-error-toast-light');
  await page.click('[data-toast] button:has-text("Open frame 1")');
  await settle(page);
  assert.deepEqual(await state(page, () => [window.armature.studio.scene.name, window.armature.studio.rig.clips[0]?.frames]), ['walk_broken.bvh', 1]);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('export and open again: the same frames', async () => {
  const { page, context, errors } = await open(browser, server.url);
  await gallery(page, 'panda');
  await page.click('header button:has-text("Export"), header [title="Export"]');
  await page.click('[data-export="json"]');
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('[data-save]')]);
  const bytes = await readFile(await file.path());
  const before = await state(page, () => { const { studio } = window.armature; studio.rig.setPose(studio.rig.names.neutral); return Array.from(studio.rig.frames); });
  await drop(page, [{ name: 'again.json', bytes }]);
  const after = await state(page, () => { const { studio } = window.armature; studio.rig.setPose(studio.rig.names.neutral); return Array.from(studio.rig.frames); });
  assert.equal(after.length, before.length);
  after.forEach((v, i) => assert.ok(Math.abs(v - before[i]) < 1e-12));
  await page.click('header [title="Export"]');
  await page.click('[data-export="png"]');
  const [png] = await Promise.all([page.waitForEvent('download'), page.click('[data-save]')]);
  assert.ok((await readFile(await png.path())).length > 5000);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('motion: BVH, glTF, CSV and JSON come back frame by frame', async () => {
  const { page, context, errors } = await open(browser, server.url);
  await gallery(page, 'walk');
  const clip = () => state(page, () => {
    const { rig } = window.armature.studio;
    const out = [];
    for (const f of [0, 17, 95]) { rig.setPose(rig.clipFrame(f)); out.push(...rig.frames); }
    return { frames: rig.clips[0]?.frames, links: rig.model.links.map((l) => l.name), out };
  });
  const before = await clip();
  const files = {};
  for (const [format, name] of [['bvh', 'again.bvh'], ['glb', 'again.glb'], ['gltf', 'again.gltf'], ['json', 'again.json'], ['csv', 'again.csv']]) files[format] = { name, bytes: await exported(page, format) };
  assert.match(files.csv.bytes.toString('utf8'), /\d/);
  for (const format of ['bvh', 'glb', 'gltf']) {
    await drop(page, [files[format]]);
    assert.equal(await state(page, () => window.armature.studio.scene.name), files[format].name);
    const after = await clip();
    assert.equal(after.frames, before.frames, format);
    before.links.forEach((name, i) => {
      const j = after.links.indexOf(name);
      assert.ok(j >= 0, `${format} lost ${name}`);
      for (let f = 0; f < 3; f++) for (let k = 12; k < 15; k++) {
        const [a, b] = [before.out[16 * (f * before.links.length + i) + k], after.out[16 * (f * after.links.length + j) + k]];
        assert.ok(Math.abs(a - b) < 2e-3, `${format} ${name} frame ${f}: ${a} ${b}`);
      }
    });
  }
  await drop(page, [files.json]);
  assert.equal(await state(page, () => window.armature.studio.scene.name), 'again.json');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('skin: a skinned glTF is shown with its skin, which follows the bones', async () => {
  const { page, context, errors } = await open(browser, server.url);
  await drop(page, [{ name: 'tube.gltf', bytes: Buffer.from(skinnedTube()) }]);
  await page.waitForFunction(() => window.armature.views.stage?.skinPoint(0));
  const top = 4 * 8; // first vertex of the last ring, at (-0.2, 2, -0.2)
  const at = (v) => state(page, (i) => window.armature.views.stage.skinPoint(i), v);
  assert.ok(distance(await at(top), [-0.2, 2, -0.2]) < 1e-6);
  await state(page, () => {
    const { studio } = window.armature;
    const joint = studio.model.joints[studio.rig.joint('upper')];
    const q = Array.from(studio.scene.q);
    q.splice(joint.q, 4, 0, 0, Math.SQRT1_2, Math.SQRT1_2); // a quarter turn about z at y = 1
    studio.commit('turn upper', { ...studio.scene, q });
  });
  await settle(page);
  assert.ok(distance(await at(top), [-1, 0.8, -0.2]) < 1e-6, String(await at(top)));
  assert.ok(distance(await at(0), [-0.2, 0, -0.2]) < 1e-6, 'the lower end stays');
  await shot(page, 'skin-tube');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('skin: figures of the sample files are shown and pose with a goal', async () => {
  const fox = join(data, 'gltf/Fox/Fox.glb');
  if (!existsSync(fox)) return console.log(`SKIPPED: no ${fox}`);
  const { page, context, errors } = await open(browser, server.url, BIG);
  const figure = join(data, 'gltf/RiggedFigure');
  await drop(page, ['RiggedFigure.gltf', 'RiggedFigure0.bin'].map((name) => ({ name, bytes: readFileSync(join(figure, name)) })));
  assert.equal(await state(page, () => window.armature.studio.scene.name), 'RiggedFigure.gltf');
  await page.waitForFunction(() => window.armature.views.stage?.skinPoint(0));
  await state(page, () => { window.armature.player.seek(20); window.armature.views.stage.frameAll(); });
  await settle(page);
  await shot(page, 'skin-figure');
  await drop(page, [{ name: 'Fox.glb', bytes: readFileSync(fox) }]);
  await page.waitForFunction(() => window.armature.views.stage?.skinPoint(0));
  await state(page, () => { window.armature.player.seek(40); window.armature.views.stage.frameAll(); });
  await settle(page);
  await shot(page, 'skin-fox');
  assert.deepEqual(errors, []);
  await context.close();
});

await test('meshes: a URDF with its STL beside it; without it capsules, and the mesh can be added', async () => {
  const { page, context, errors } = await open(browser, server.url);
  const urdf = Buffer.from('<robot name="bot"><link name="base"><visual><geometry><mesh filename="package://bot/meshes/Wedge.stl"/></geometry></visual></link><link name="arm"><visual><origin xyz="0 0 0.2"/><geometry><box size="0.1 0.1 0.4"/></geometry></visual></link><link name="tip"/><joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint><joint name="end" type="fixed"><parent link="arm"/><child link="tip"/><origin xyz="0 0 0.4"/></joint></robot>');
  const stl = Buffer.from('solid w\nfacet normal 0 0 1\nouter loop\nvertex -.2 -.2 0\nvertex .2 -.2 0\nvertex 0 .2 .1\nendloop\nendfacet\nendsolid w\n');
  await drop(page, [{ name: 'bot.urdf', bytes: urdf }]);
  assert.match((await page.locator('[data-toast]').allInnerTexts()).join(' '), /One mesh not found/);
  const goals = await state(page, () => window.armature.studio.scene.goals.length);
  await drop(page, [{ name: 'wedge.stl', bytes: stl }]);
  assert.match((await page.locator('[data-toast]').allInnerTexts()).join(' '), /One mesh added/);
  assert.equal(await state(page, () => window.armature.studio.scene.goals.length), goals);
  assert.deepEqual(await state(page, () => Object.keys(window.armature.studio.scene.model.file.beside)), ['wedge.stl']);
  await page.keyboard.press('Control+z');
  assert.equal(await state(page, () => window.armature.studio.scene.model.file.beside), undefined);
  await drop(page, [{ name: 'wedge.stl', bytes: stl }, { name: 'bot.urdf', bytes: urdf }]);
  assert.equal(await state(page, () => window.armature.studio.scene.name), 'bot.urdf');
  // As `armature studio bot.urdf` serves them.
  await page.route('**/files/bot.urdf', (route) => route.fulfill({ body: urdf }));
  await page.route('**/beside', (route) => route.fulfill({ json: ['Wedge.stl'] }));
  await page.route('**/beside/Wedge.stl', (route) => route.fulfill({ body: stl }));
  await page.goto(`${server.url}?file=bot.urdf`);
  await page.waitForFunction(() => window.armature?.studio.open);
  assert.deepEqual(await state(page, () => Object.keys(window.armature.studio.scene.model.file.beside)), ['Wedge.stl']);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('meshes: COLLADA, placed by its nodes and in metres', async () => {
  const { page, context, errors } = await open(browser, server.url);
  const urdf = Buffer.from('<robot name="bot"><link name="base"><visual><geometry><mesh filename="package://bot/Plate.dae"/></geometry></visual></link><link name="tip"/><joint name="turn" type="revolute"><parent link="base"/><child link="tip"/><origin xyz="0 0 0.4"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>');
  const dae = Buffer.from(`<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit meter="0.001"/><up_axis>Z_UP</up_axis></asset>
    <library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="12">0 0 0 100 0 0 100 100 0 0 100 0</float_array><technique_common><accessor source="#a" count="4" stride="3"/></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices><polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#n" offset="1"/><vcount>4</vcount><p>0 0 1 0 2 0 3 0</p></polylist></mesh></geometry></library_geometries>
    <library_visual_scenes><visual_scene id="s"><node><translate>0 0 50</translate><rotate>0 0 1 90</rotate><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes></COLLADA>`);
  await drop(page, [{ name: 'bot.urdf', bytes: urdf }, { name: 'plate.dae', bytes: dae }]);
  assert.equal(await state(page, () => window.armature.studio.scene.name), 'bot.urdf');
  assert.doesNotMatch((await page.locator('[data-toast]').allInnerTexts()).join(' '), /not found/);
  const triangles = await state(page, () => Array.from(window.armature.mesh('package://bot/Plate.dae')));
  const wanted = [0, 0, 0.05, 0, 0.1, 0.05, -0.1, 0.1, 0.05, 0, 0, 0.05, -0.1, 0.1, 0.05, -0.1, 0, 0.05];
  assert.equal(triangles.length, wanted.length);
  triangles.forEach((v, i) => assert.ok(Math.abs(v - wanted[i]) < 1e-6, `${i}: ${v}`));
  assert.deepEqual(errors, []);
  await context.close();
});

await test('large files: read beside the page; a broken one changes nothing, a good one opens', async () => {
  const { page, context, errors } = await open(browser, server.url);
  await gallery(page, 'planar_arm');
  const hash = await state(page, () => window.armature.hash());
  const head = 'HIERARCHY\nROOT a\n{\n OFFSET 0 0 0\n CHANNELS 3 Zrotation Xrotation Yrotation\n End Site\n {\n  OFFSET 0 1 0\n }\n}\nMOTION\nFrames: 60000\nFrame Time: 0.03\n';
  const frames = '1.00000 2.00000 3.00000\n'.repeat(59999);
  assert.ok(frames.length > 1e6);
  await drop(page, [{ name: 'broken.bvh', bytes: Buffer.from(`${head}${frames}1 2\n`) }]);
  const toast = await page.locator('[data-toast="bad"]').last().innerText();
  assert.match(toast, /broken\.bvh[^]*line \d+[^]*Your scene is unchanged/i);
  assert.equal(await state(page, () => window.armature.hash()), hash);
  await drop(page, [{ name: 'long.bvh', bytes: Buffer.from(`${head}${frames}1 2 3\n`) }]);
  assert.deepEqual(await state(page, () => [window.armature.studio.scene.name, window.armature.studio.rig.clips[0].frames]), ['long.bvh', 60000]);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('robot: a dropped URDF with its limit arcs, and a BVH clip with trails', async () => {
  const robot = join(data, 'urdf');
  const file = existsSync(robot) ? readdirSync(robot).filter((f) => f.endsWith('.urdf')).sort((a, b) => Number(/iiwa/.test(b)) - Number(/iiwa/.test(a)))[0] : undefined;
  if (!file) return console.log(`SKIPPED: no URDF files in ${robot}`);
  const { page, context, errors } = await open(browser, server.url, BIG);
  await drop(page, [{ name: file, bytes: readFileSync(join(robot, file)) }]);
  await settle(page);
  const scene = await state(page, () => {
    const { studio, ui } = window.armature;
    ui.toasts = [];
    ui.show.limits = true;
    const q = Array.from(studio.scene.q);
    const joints = studio.model.joints.filter((j) => j.nq === 1);
    joints.forEach((j, i) => { q[j.q] = Math.max(j.lower[0] * 0.8, Math.min(j.upper[0] * 0.8, [0.4, -0.7, 0.9, -1.1, 0.5, 0.6, 0.2][i] ?? 0)); });
    studio.begin('bend');
    studio.setPoseLive(q); // the goal goes along
    studio.end();
    studio.select({ kind: 'joint', name: joints[3].name });
    return { arcs: 0, goal: studio.scene.goals[0]?.id };
  });
  await page.keyboard.press('Shift+F');
  await settle(page);
  await shot(page, 'dropped-urdf');
  assert.ok(await state(page, () => document.querySelectorAll('[data-arc]').length) >= 5, 'the joints show their limits');
  if (scene.goal) await dragGoal(page, scene.goal, 30, -20);
  const clip = join(data, 'bvh');
  const bvh = existsSync(clip) ? readdirSync(clip).filter((f) => f.endsWith('.bvh')).map((f) => join(clip, f)).filter((f) => statSync(f).size > 20000 && statSync(f).size < 3e6).sort((a, b) => Number(/cmu/.test(b)) - Number(/cmu/.test(a)))[0] : undefined;
  if (bvh) {
    await drop(page, [{ name: bvh.split('/').pop(), bytes: readFileSync(bvh) }]);
    await page.waitForFunction(() => window.armature.player.hasClip);
    await state(page, () => { const { player, ui, studio } = window.armature; ui.toasts = []; ui.show.trails = true; ui.show.onion = true; player.seek(Math.floor(studio.scene.clip.frames / 2)); });
    await page.keyboard.press('Shift+F');
    await settle(page);
    await shot(page, 'dropped-bvh');
  } else console.log(`SKIPPED: no BVH files in ${clip}`);
  assert.deepEqual(errors, []);
  await context.close();
});
