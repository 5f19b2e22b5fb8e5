// The studio in a real browser, all files of this folder one after the other. `node studio.mjs WORD` runs only the tests
// whose name holds that word, `node studio.mjs '' FILE...` only those files.
import { finish } from './harness.mjs';

const files = process.argv.slice(3);
for (const file of files.length ? files : ['pose', 'accept', 'screens', 'sizes', 'time', 'timeline', 'film', 'views', 'files', 'served', 'faults', 'faults2', 'faults3', 'mechanism', 'build', 'build_tools', 'build_edit', 'models', 'lessons', 'offline', 'notebook', 'everyday', 'axe', 'firefox']) await import(`./${file}.mjs`);
await finish();
