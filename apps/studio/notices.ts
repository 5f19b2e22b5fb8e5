// notices.html: the licences of everything in the built page, written while it is built. Of npm's packages those that really are in
// the bundle, by the modules that rollup put there; of the core what tools/third_party.py found.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Plugin } from 'vite';

export interface Notice {
  name: string;
  version: string;
  text: string;
}

/** The package folder of a module, e.g. node_modules/three; null for the studio's own. */
export function packageFolder(id: string): string | null {
  const match = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.replace(/^\0/, '').replace(/\\/g, '/'));
  return match ? match[1]! : null;
}

export function noticeOf(folder: string): Notice {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>;
  const file = readdirSync(folder).find((f) => /^(licen[cs]e|copying|notice)/i.test(f));
  if (!file) throw new Error(`${name} is bundled, but has no licence file (${license ?? 'no licence named'}).`);
  return { name: name!, version: version!, text: readFileSync(join(folder, file), 'utf8') };
}

const escape = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

export function noticesPage(page: Notice[], core: Notice[]): string {
  const part = (title: string, list: Notice[]) => `<h2>${title}</h2>\n${list.map((n) => `<details><summary>${escape(n.name)} ${escape(n.version)}</summary><pre>${escape(n.text)}</pre></details>`).join('\n')}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>Third-party notices, Armature Studio</title></head>
<body><main><h1>Third-party notices</h1>
<p>Armature Studio contains the following works of others, under their own licences.</p>
${part('In the page', page)}
${part('In the solver core (WebAssembly)', core)}
</main></body></html>
`;
}

export function notices(wasmDir: string): Plugin {
  return {
    name: 'armature-notices',
    generateBundle(_, bundle) {
      const folders = new Set<string>();
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        for (const [id, module] of Object.entries(chunk.modules)) {
          const folder = packageFolder(id);
          if (folder && module.renderedLength > 0) folders.add(folder);
        }
      }
      const page = [...folders].sort().map(noticeOf);
      const core = resolve(wasmDir, 'notices.json');
      if (!existsSync(core)) this.warn('notices.json is missing; tools/build_studio.sh writes it.');
      const compiled = existsSync(core) ? (JSON.parse(readFileSync(core, 'utf8')) as Notice[]) : [];
      this.emitFile({ type: 'asset', fileName: 'notices.html', source: noticesPage(page, compiled) });
    },
  };
}
