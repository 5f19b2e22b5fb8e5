// Lays screenshots beside the design's pictures: `node beside.mjs DESIGN_DIR [NAME...]` writes build/studio-screenshots/beside/NAME.png,
// design left, studio right, for every picture that both have.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, shots } from './support.mjs';

const [design, ...names] = process.argv.slice(2);
if (!design || !existsSync(design)) {
  console.log('node beside.mjs DESIGN_DIR [NAME...]: where are the design\'s pictures?');
  process.exit(2);
}
const wanted = (names.length ? names : readdirSync(design).filter((f) => f.endsWith('.png')).map((f) => f.slice(0, -4))).filter((n) => existsSync(join(design, `${n}.png`)));
const out = join(shots, 'beside');
mkdirSync(out, { recursive: true });
const browser = await launch();
const page = await browser.newPage();
for (const name of wanted) {
  const studio = join(shots, `${name}.png`);
  if (!existsSync(studio)) { console.log(`no screenshot ${name}`); continue; }
  const source = (path) => `data:image/png;base64,${readFileSync(path).toString('base64')}`;
  const phone = name.startsWith('06-phone-light');
  const width = phone ? 390 : 1440;
  await page.setViewportSize({ width: 2 * width + 8, height: phone ? 844 : 900 });
  await page.setContent(`<body style="margin:0;display:flex;gap:8px;background:#f0f"><img style="width:${width}px" src="${source(join(design, `${name}.png`))}"><img style="width:${width}px" src="${source(studio)}"></body>`);
  await page.screenshot({ path: join(out, `${name}.png`) });
  console.log(join(out, `${name}.png`));
}
await browser.close();
