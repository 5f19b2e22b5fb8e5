// The motion as a film: the real bytes of a GIF and a WebM, decoded by the browser's own decoders; progress, and Cancel.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { browser, gallery, server, shot, state, test } from './harness.mjs';
import { open, settle } from './support.mjs';

/** The planar arm with two poses 12 frames apart, in a motion of so many frames. */
async function moving(frames = 12) {
  const opened = await open(browser, server.url);
  const { page } = opened;
  await gallery(page, 'planar_arm');
  await state(page, (frames) => {
    const { player, studio } = window.armature;
    studio.scene = { ...studio.scene, clip: { ...studio.scene.clip, frames } };
    player.seek(0);
    player.keyPose();
    player.frame = 12;
    studio.setPoseLive(studio.scene.q.map((v) => v + 0.4));
    player.keyPose();
    player.seek(4);
  }, frames);
  await settle(page);
  return opened;
}
const saved = async (page, act) => {
  const [file] = await Promise.all([page.waitForEvent('download'), act()]);
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
};
/** Frames of a GIF as the file has them: size, loop, and each one's delay in hundredths of a second. */
function parseGif(bytes) {
  assert.equal(bytes.toString('latin1', 0, 6), 'GIF89a');
  const out = { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8), loop: false, delays: [] };
  let at = 13 + (bytes[10] & 0x80 ? 3 << ((bytes[10] & 7) + 1) : 0);
  const skip = () => { while (bytes[at]) at += bytes[at] + 1; at++; };
  while (bytes[at] !== 0x3b) {
    if (bytes[at] === 0x21) {
      if (bytes[at + 1] === 0xf9) out.delays.push(bytes.readUInt16LE(at + 4));
      if (bytes[at + 1] === 0xff) out.loop = bytes.toString('latin1', at + 3, at + 14) === 'NETSCAPE2.0';
      at += 2;
      skip();
    } else {
      assert.equal(bytes[at], 0x2c);
      at += 11;
      skip();
    }
  }
  assert.equal(at, bytes.length - 1, 'nothing behind the end');
  return out;
}

await test('film: a GIF has every frame, the size asked for and the clock of the motion, and moves', async () => {
  const { page, context, errors } = await moving();
  await page.click('header [title="Export"]');
  await page.click('[data-export="gif"]');
  await page.getByLabel('Last frame').focus();
  await state(page, () => window.armature.ui.dialog);
  await shot(page, 'export-gif');
  await page.keyboard.press('Escape');
  const gif = await saved(page, () => state(page, () => void window.armature.exportFilm({ kind: 'gif', name: 'arm', from: 0, to: 12, every: 1, width: 320, loop: true, background: '' })));
  assert.equal(gif.name, 'arm.gif');
  const { width, height, loop, delays } = parseGif(gif.bytes);
  assert.equal(width, 320);
  const view = await state(page, () => window.armature.views.stage.size);
  assert.ok(Math.abs(height - (320 * view.height) / view.width) <= 1.01, `${height}`);
  assert.ok(loop);
  assert.equal(delays.length, 13);
  assert.ok(Math.abs(delays.reduce((a, b) => a + b) - 100 * (13 / 30)) <= 1, `13 frames at 30 fps in ${delays}`);
  // Decoded by the browser: as many frames, and the last differs from the first where the arm moved.
  const seen = await state(page, async (list) => {
    const decoder = new ImageDecoder({ data: Uint8Array.from(list), type: 'image/gif' });
    await decoder.completed;
    const pixels = async (frameIndex) => {
      const { image } = await decoder.decode({ frameIndex });
      const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight);
      const c = canvas.getContext('2d');
      c.drawImage(image, 0, 0);
      return c.getImageData(0, 0, canvas.width, canvas.height).data;
    };
    const [a, b] = [await pixels(0), await pixels(12)];
    let moved = 0;
    for (let i = 0; i < a.length; i += 4) if (Math.abs(a[i] - b[i]) + Math.abs(a[i + 1] - b[i + 1]) + Math.abs(a[i + 2] - b[i + 2]) > 60) moved++;
    // The last picture beside what the view shows at that frame.
    const { player, views } = window.armature;
    player.seek(12);
    do await new Promise(requestAnimationFrame); while (views.stage.busy);
    const shown = await views.stage.canvas({ width: 320, height: Math.round(a.length / 4 / 320), background: '' });
    const c = shown.getContext('2d').getImageData(0, 0, shown.width, shown.height).data;
    let off = 0;
    for (let i = 0; i < c.length; i += 4) if (Math.abs(c[i] - b[i]) + Math.abs(c[i + 1] - b[i + 1]) + Math.abs(c[i + 2] - b[i + 2]) > 48) off++;
    return { frames: decoder.tracks[0].frameCount, moved, off, all: c.length / 4 };
  }, [...gif.bytes]);
  assert.equal(seen.frames, 13);
  assert.ok(seen.moved > 300, JSON.stringify(seen));
  assert.ok(seen.off < 0.01 * seen.all, `the last frame is the view's: ${JSON.stringify(seen)}`);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('film: a WebM plays in the browser, as long and as large as asked for', async () => {
  const { page, context, errors } = await moving();
  const why = await state(page, async () => { window.armature.ui.dialog = 'export'; await new Promise((done) => setTimeout(done, 300)); return document.querySelector('[data-export="webm"]').title; });
  if (await state(page, () => typeof VideoEncoder === 'undefined')) {
    assert.match(why, /no video encoder; GIF works/);
    return context.close();
  }
  await page.click('[data-export="webm"]');
  assert.match(await page.locator('[data-save]').innerText(), /planar_arm\.webm/);
  const film = await saved(page, () => page.click('[data-save]'));
  const seen = await state(page, async (list) => {
    const video = document.createElement('video');
    video.muted = true;
    video.src = URL.createObjectURL(new Blob([Uint8Array.from(list)], { type: 'video/webm' }));
    await new Promise((done, fail) => { video.onloadeddata = done; video.onerror = () => fail(new Error(video.error.message)); });
    video.currentTime = video.duration / 2;
    await new Promise((done) => (video.onseeked = done));
    return { width: video.videoWidth, height: video.videoHeight, seconds: video.duration, at: video.currentTime };
  }, [...film.bytes]);
  const all = await state(page, () => window.armature.player.frames);
  const blocks = countBlocks(film.bytes);
  assert.equal(blocks, all, 'a picture for each frame');
  assert.equal(seen.width, 640);
  assert.equal(seen.height % 2, 0);
  assert.ok(Math.abs(seen.seconds - all / 30) < 0.02, JSON.stringify(seen));
  assert.ok(seen.at > 0.1);
  assert.equal(await state(page, () => window.armature.player.frame), 4, 'back where it was');
  assert.deepEqual(errors, []);
  await context.close();
});

/** Simple blocks of a WebM file, found by walking its elements. */
function countBlocks(bytes) {
  const vint = (at, keep) => {
    let length = 1;
    while (!(bytes[at] & (0x80 >> (length - 1)))) length++;
    let value = keep ? bytes[at] : bytes[at] & (0xff >> length);
    for (let i = 1; i < length; i++) value = value * 256 + bytes[at + i];
    return { value, next: at + length };
  };
  const walk = (from, to) => {
    let blocks = 0;
    for (let at = from; at < to; ) {
      const id = vint(at, true);
      const size = vint(id.next, false);
      if (id.value === 0x18538067 || id.value === 0x1f43b675) blocks += walk(size.next, size.next + size.value);
      if (id.value === 0xa3) blocks++;
      at = size.next + size.value;
      assert.ok(at <= to, 'elements end where they say');
    }
    return blocks;
  };
  return walk(0, bytes.length);
}

await test('film: the toast tells how far it is; Cancel saves nothing and shows the frame from before', async () => {
  const { page, context, errors } = await moving(900); // longer than it takes to find the button
  let downloads = 0;
  page.on('download', () => downloads++);
  await state(page, () => void window.armature.exportFilm({ kind: 'gif', name: 'arm', from: 0, to: 900, every: 1, width: 320, loop: true, background: '#ffffff' }));
  await page.waitForFunction(() => window.armature.ui.toasts.some((t) => /Frame [1-9]\d* of 901/.test(t.text)));
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.waitForFunction(() => window.armature.ui.toasts.some((t) => /nothing was saved/.test(t.text)));
  await settle(page);
  assert.equal(downloads, 0);
  assert.equal(await state(page, () => window.armature.player.frame), 4);
  assert.deepEqual(errors, []);
  await context.close();
});

await test('film: a mechanism without a motion turns once, and is where it was afterwards', async () => {
  const { page, context, errors } = await open(browser, server.url + '#/pose?model=four_bar');
  await page.waitForFunction(() => window.armature.studio.open);
  await settle(page);
  const before = await state(page, () => window.armature.hash());
  await state(page, () => (window.armature.ui.dialog = 'export'));
  await page.click('[data-export="gif"]');
  assert.match(await page.locator('[role=dialog]').innerText(), /Length\s+4(\.0+)? s/);
  await state(page, () => (window.armature.ui.dialog = null));
  const gif = await saved(page, () => state(page, () => void window.armature.exportFilm({ kind: 'gif', name: 'bar', from: 0, to: 119, every: 10, width: 300, loop: true, background: 'white' })));
  const { width, delays } = parseGif(gif.bytes);
  assert.equal(width, 300);
  assert.equal(delays.length, 12);
  assert.ok(Math.abs(delays.reduce((a, b) => a + b) - 400) <= 1, `four seconds: ${delays}`);
  const moved = await state(page, async (list) => {
    const decoder = new ImageDecoder({ data: Uint8Array.from(list), type: 'image/gif' });
    await decoder.completed;
    const pictures = [];
    for (const frameIndex of [0, 6]) {
      const { image } = await decoder.decode({ frameIndex });
      const c = new OffscreenCanvas(image.displayWidth, image.displayHeight).getContext('2d');
      c.drawImage(image, 0, 0);
      pictures.push(c.getImageData(0, 0, image.displayWidth, image.displayHeight).data);
    }
    return { white: [...pictures[0].slice(0, 3)], off: pictures[0].reduce((n, v, i) => n + (Math.abs(v - pictures[1][i]) > 60 ? 1 : 0), 0) };
  }, [...gif.bytes]);
  assert.ok(moved.off > 300, JSON.stringify(moved));
  assert.ok(moved.white.every((v) => v > 250), `a white background: ${moved.white}`);
  await settle(page);
  assert.equal(await state(page, () => window.armature.hash()), before);
  assert.ok(!(await state(page, () => window.armature.mechanism.playing)));
  assert.deepEqual(errors, []);
  await context.close();
});
