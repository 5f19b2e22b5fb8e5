// armature_studio.html: the whole page in one file, which opens from file:// and inside a frame's srcdoc (a notebook's cell). Nothing is
// fetched from anywhere: the core is a classic script with its WebAssembly inside, workers are made from that script and their own
// (where a page has no origin browsers load neither modules nor files), and the page's script is packed.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import type { Plugin } from 'vite';

export const SINGLE = 'armature_studio.html';

/** One classic script of a module and all that it imports. */
async function classic(entry: string, globalName?: string): Promise<string> {
  const made = await build({ entryPoints: [entry], bundle: true, format: 'iife', minify: true, write: false, target: 'es2022', charset: 'utf8', logLevel: 'error', external: ['node:*', 'fs', 'path'], define: { 'import.meta.url': '"file:///"' }, ...(globalName ? { globalName } : {}) });
  return made.outputFiles[0]!.text;
}
const packed = (data: string | Buffer): string => gzipSync(data, { level: 9 }).toString('base64');
/** A script's text inside an element: nothing in it may end the element. */
const inside = (script: string): string => script.replace(/<\/(script)/gi, '<\\/$1').replace(/<!--/g, '<\\!--');

/** Before the core, in the page and in its workers. */
const UNPACK = `var armatureUnpack = (text) => new Response(new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream('gzip')));
var armatureFile = { core: async () => armatureCore.createArmature({ wasmBinary: new Uint8Array(await armatureUnpack(armatureWasm).arrayBuffer()) }) };`;

/** In the page: what it is to open, its workers, and its script. */
const LOADER = `{
  const text = (id) => document.getElementById('armature-' + id).textContent;
  armatureFile.given = JSON.parse(text('given'));
  const made = {}; // one address each
  const address = (name, type, parts) => (made[name] ??= URL.createObjectURL(new Blob(parts.map(text), { type })));
  armatureFile.worker = (name) => new Worker(address(name, 'text/javascript', ['core', name]));
  armatureFile.notices = () => address('notices', 'text/html;charset=utf-8', ['notices']);
  if (typeof DecompressionStream === 'undefined') document.getElementById('app').textContent = 'This page needs a browser of 2023 or later.';
  else armatureUnpack(text('page')).text().then((page) => document.head.append(Object.assign(document.createElement('script'), { text: page })));
}`;

export async function single(out: string): Promise<string> {
  const names = readdirSync(join(out, 'assets'));
  const asset = (pattern: RegExp): string => {
    const name = names.find((each) => pattern.test(each));
    if (!name) throw new Error(`${SINGLE}: the bundle has no ${pattern}.`);
    return join(out, 'assets', name);
  };
  const core = await classic(join(out, 'core/armature.mjs'), 'armatureCore');
  const wasm = packed(readFileSync(join(out, 'core/armature_core.wasm')));
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
    <title>Armature Studio</title>
    <link rel="icon" href="data:," />
    <script>${inside(readFileSync(join(out, 'theme.js'), 'utf8'))}</script>
    <style>${readFileSync(asset(/^index-.*\.css$/), 'utf8')}</style>
  </head>
  <body>
    <div id="app"></div>
    <noscript>Armature Studio needs JavaScript and WebAssembly.</noscript>
    <script type="application/json" id="armature-given">{}</script>
    <script id="armature-core">var armatureWasm="${wasm}";
${UNPACK}
${inside(core)}</script>
    <script type="text/plain" id="armature-worker">${inside(await classic(asset(/^worker-.*\.js$/)))}</script>
    <script type="text/plain" id="armature-gif_worker">${inside(await classic(asset(/^gif_worker-.*\.js$/)))}</script>
    <script type="text/plain" id="armature-notices">${inside(readFileSync(join(out, 'notices.html'), 'utf8'))}</script>
    <script type="text/plain" id="armature-page">${packed(await classic(asset(/^index-.*\.js$/)))}</script>
    <script>${LOADER}</script>
  </body>
</html>
`;
}

export function singleFile(): Plugin {
  return {
    name: 'armature-single-file',
    enforce: 'post',
    closeBundle: {
      sequential: true,
      order: 'post',
      async handler() {
        const out = process.env.ARMATURE_STUDIO_OUT ?? 'dist';
        if (existsSync(join(out, 'core/armature_core.wasm'))) writeFileSync(join(out, SINGLE), await single(out));
      },
    },
  };
}
