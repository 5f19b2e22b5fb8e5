// The studio in a real browser, all files of this folder one after the other. `node studio.mjs WORD` runs only the tests
// whose name holds that word.
import { finish } from './harness.mjs';

for (const file of ['pose', 'views', 'files']) await import(`./${file}.mjs`);
await finish();
