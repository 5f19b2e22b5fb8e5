// Firefox of the system, by WebDriver BiDi: as much of it as the tests need, since playwright asks Firefox for more than Debian's has.
// A page has the calls that tests use of playwright's.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import utils from 'playwright-core/lib/utilsBundle';

const KEYS = { Enter: '\uE007', Escape: '\uE00C', Control: '\uE009', Shift: '\uE008', ArrowRight: '\uE014', ArrowLeft: '\uE012' };

/** null where there is no Firefox. */
export async function launchFirefox() {
  const program = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find(existsSync);
  if (!program) return null;
  const profile = mkdtempSync(join(tmpdir(), 'armature-firefox-'));
  writeFileSync(join(profile, 'user.js'), ['webgl.force-enabled", true', 'app.update.enabled", false', 'datareporting.policy.dataSubmissionEnabled", false'].map((p) => `user_pref("${p});\n`).join(''));
  const child = spawn(program, ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'], { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, MOZ_HEADLESS: '1', HOME: profile } });
  const address = await new Promise((done, fail) => {
    let text = '';
    child.stderr.on('data', (bytes) => { text += bytes; const found = /listening on (ws:\S+)/.exec(text); if (found) done(found[1]); });
    child.on('exit', () => fail(new Error(`Firefox ended: ${text}`)));
  });
  const socket = new utils.ws(`${address}/session`);
  await new Promise((done, fail) => { socket.on('open', done); socket.on('error', fail); });
  const waiting = new Map();
  const listeners = [];
  let next = 1;
  socket.on('message', (bytes) => {
    const message = JSON.parse(String(bytes));
    if (message.type === 'event') return listeners.forEach((f) => f(message));
    const { done, fail } = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.type === 'error') fail(new Error(`${message.error}: ${message.message}`));
    else done(message.result);
  });
  const send = (method, params = {}) => new Promise((done, fail) => { const id = next++; waiting.set(id, { done, fail }); socket.send(JSON.stringify({ id, method, params })); });
  await send('session.new', { capabilities: {} });
  await send('session.subscribe', { events: ['log.entryAdded'] });
  return {
    open: (url, viewport) => openPage(send, listeners, url, viewport),
    close: async () => {
      child.removeAllListeners('exit');
      const ended = new Promise((done) => child.once('exit', done));
      await send('browser.close').catch(() => child.kill());
      await ended;
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

async function openPage(send, listeners, url, viewport) {
  const { context } = await send('browsingContext.create', { type: 'tab' });
  await send('browsingContext.setViewport', { context, viewport });
  const errors = [];
  listeners.push(({ method, params }) => {
    if (method === 'log.entryAdded' && params.source.context === context && ['error', 'warn'].includes(params.level) && !/WebGL/i.test(params.text)) errors.push(params.text);
  });
  const evaluate = async (f, argument) => {
    const { type, result, exceptionDetails } = await send('script.callFunction', {
      target: { context }, awaitPromise: true, arguments: [{ type: 'string', value: JSON.stringify(argument ?? null) }],
      functionDeclaration: `async (text) => JSON.stringify((await (${f})(JSON.parse(text))) ?? null)`,
    });
    if (type === 'exception') throw new Error(exceptionDetails.text);
    return JSON.parse(result.value);
  };
  const waitForFunction = async (f, argument) => {
    for (const until = Date.now() + 120000; ; await new Promise((done) => setTimeout(done, 30))) {
      if (await evaluate(f, argument).catch(() => false)) return;
      if (Date.now() > until) throw new Error(`Never true: ${f}`);
    }
  };
  const pointer = (actions) => send('input.performActions', { context, actions: [{ type: 'pointer', id: 'mouse', actions }] });
  const at = ({ x, y }) => ({ type: 'pointerMove', x: Math.round(x), y: Math.round(y) });
  const page = {
    errors,
    evaluate,
    waitForFunction,
    goto: (to) => send('browsingContext.navigate', { context, url: to, wait: 'complete' }),
    reload: () => send('browsingContext.reload', { context, wait: 'complete' }),
    mouse: { move: (x, y) => pointer([at({ x, y })]), down: () => pointer([{ type: 'pointerDown', button: 0 }]), up: () => pointer([{ type: 'pointerUp', button: 0 }]) },
    click: async (selector) => {
      await waitForFunction((s) => document.querySelector(s), selector);
      const place = await evaluate((s) => { const e = document.querySelector(s); e.scrollIntoView({ block: 'nearest' }); const b = e.getBoundingClientRect(); return { x: b.left + b.width / 2, y: b.top + b.height / 2 }; }, selector);
      await pointer([at(place), { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }]);
    },
    keyboard: {
      press: (keys) => { const values = keys.split('+').map((k) => KEYS[k] ?? k); return send('input.performActions', { context, actions: [{ type: 'key', id: 'keys', actions: [...values.map((value) => ({ type: 'keyDown', value })), ...values.reverse().map((value) => ({ type: 'keyUp', value }))] }] }); },
      type: (text) => send('input.performActions', { context, actions: [{ type: 'key', id: 'keys', actions: [...text].flatMap((value) => [{ type: 'keyDown', value }, { type: 'keyUp', value }]) }] }),
    },
    screenshot: async ({ path }) => writeFileSync(path, Buffer.from((await send('browsingContext.captureScreenshot', { context })).data, 'base64')),
    close: () => send('browsingContext.close', { context }),
  };
  await page.goto(url);
  await waitForFunction(() => window.armature?.studio.status === 'ready');
  return page;
}
