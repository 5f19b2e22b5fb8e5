// Build of the studio. The page is bundled; the solver core (bindings/wasm) is not: its files
// are copied to dist/core (the scripts without spaces and comments) and fetched while the page paints. ARMATURE_WASM_DIR says where the
// wasm build put them; without them the page still builds and says that the core is missing.
import { existsSync, mkdirSync, copyFileSync, createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, transformWithEsbuild, type Plugin } from 'vite';
import { notices } from './notices';
import { offline } from './offline';
import { singleFile } from './single_file';
import { threeParts } from './three_parts';

const wasmDir = resolve(process.env.ARMATURE_WASM_DIR ?? '../../build/wasm/bindings/wasm');
const coreFiles = ['armature.mjs', 'armature_core.mjs', 'armature_core.wasm'];
const mime: Record<string, string> = { mjs: 'text/javascript', wasm: 'application/wasm' };

function core(): Plugin {
  return {
    name: 'armature-core',
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const name = coreFiles.find((file) => request.url?.split('?')[0] === `/core/${file}`);
        if (!name || !existsSync(resolve(wasmDir, name))) return next();
        response.setHeader('Content-Type', mime[name.split('.').pop()!]!);
        createReadStream(resolve(wasmDir, name)).pipe(response);
      });
    },
    async writeBundle(options) {
      const out = resolve(options.dir ?? 'dist', 'core');
      for (const name of coreFiles) {
        const from = resolve(wasmDir, name);
        if (!existsSync(from)) {
          this.warn(`${name} is missing; build the wasm preset first, then build the studio again.`);
          return;
        }
        mkdirSync(out, { recursive: true });
        if (name.endsWith('.wasm')) copyFileSync(from, resolve(out, name));
        else writeFileSync(resolve(out, name), (await transformWithEsbuild(readFileSync(from, 'utf8'), name, { minify: true, target: 'es2022' })).code);
      }
    },
  };
}

export default defineConfig({
  base: './',
  plugins: [threeParts(), svelte(), core(), notices(wasmDir), offline(), singleFile()],
  build: {
    target: ['chrome94', 'firefox93', 'safari15.4'], // of late 2021: private fields need no stand-in
    outDir: process.env.ARMATURE_STUDIO_OUT ?? 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
  },
  worker: { format: 'es' },
  test: { include: ['tests/**/*.test.ts'], environment: 'node' },
} as Parameters<typeof defineConfig>[0]);
