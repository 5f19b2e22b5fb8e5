// offline.js: a service worker that keeps the page and the core after the first visit, so that they open without a network. It is
// registered on https only (and on any host with ?offline); `armature studio` serves from this machine and needs none.
// What is cached is named by its content: a new build replaces the old one as a whole.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Plugin } from 'vite';
import { SINGLE } from './single_file';

export function worker(files: string[], version: string): string {
  return `// Written by the build: the files of this version of Armature Studio.
const CACHE = 'armature-studio-${version}';
const FILES = ${JSON.stringify(files)};
self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});
self.addEventListener('activate', (event) => {
  const old = (name) => name.startsWith('armature-studio-') && name !== CACHE;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name)))).then(() => self.clients.claim()));
});
// The page itself comes from the network where there is one, everything else, whose name changes with its content, from the cache.
self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || new URL(request.url).origin !== location.origin) return;
  const kept = () => caches.match(request, { ignoreSearch: true }).then((found) => found ?? (request.mode === 'navigate' ? caches.match('./') : undefined));
  const changing = request.mode === 'navigate' || new URL(request.url).pathname.includes('/core/');
  event.respondWith(changing ? fetch(request).catch(async () => (await kept()) ?? Response.error()) : kept().then((found) => found ?? fetch(request)));
});
`;
}

export function offline(): Plugin {
  return {
    name: 'armature-offline',
    enforce: 'post',
    closeBundle: {
      sequential: true,
      order: 'post',
      handler() {
        const out = process.env.ARMATURE_STUDIO_OUT ?? 'dist';
        const hash = createHash('sha256');
        const files: string[] = [];
        const walk = (dir: string): void => {
          for (const name of readdirSync(dir).sort()) {
            const path = join(dir, name);
            if (statSync(path).isDirectory()) walk(path);
            else if (name !== 'offline.js' && name !== 'notices.html' && name !== SINGLE) {
              files.push(relative(out, path).replace(/\\/g, '/').replace(/^index\.html$/, './'));
              hash.update(name).update(readFileSync(path));
            }
          }
        };
        walk(out);
        writeFileSync(join(out, 'offline.js'), worker(files, hash.digest('hex').slice(0, 12)));
      },
    },
  };
}
