// Colour, marker and dash of each method, the same everywhere (SPEC section 4). A method that the
// registry adds later takes grey and the next free marker until it is given a token here.

export interface MethodLook {
  token: string; // CSS custom property
  marker: string; // SVG path in a 12 x 12 box
  open: boolean; // drawn as a stroke instead of filled
  dash: string;
}

const DISC = 'M10.500 6A4.500 4.500 0 1 1 1.500 6 4.500 4.500 0 0 1 10.500 6z';
const SQUARE = 'M1.800 1.800h8.400v8.400H1.800z';
const PENTAGON = 'M6 .8l4.800 3.500L9 10H3L1.200 4.300z';
const TRIANGLE_UP = 'M6 1.200 11 10.200H1z';
const TRIANGLE_DOWN = 'M6 10.800 1 1.800h10z';
const DIAMOND = 'M6 .8 11.200 6 6 11.200 .8 6z';
const OPEN_DIAMOND = 'M6 1.500 10.500 6 6 10.500 1.500 6z';
const OPEN_SQUARE = 'M2.200 2.200h7.600v7.600H2.200z';
const CROSS = 'M2 2l8 8M10 2l-8 8';
const STAR = 'M6 .6l1.600 3.500 3.800.4-2.800 2.600.8 3.800L6 9 2.600 10.900l.8-3.800L.6 4.500l3.800-.4z';
const PLUS = 'M6 1.500v9M1.500 6h9';
const RING = 'M10 6A4 4 0 1 1 2 6 4 4 0 0 1 10 6z';
const HEXAGON = 'M3.500 1.700h5L11 6l-2.500 4.300h-5L1 6z';

const LOOKS: Record<string, MethodLook> = {
  dls: { token: '--m-dls', marker: DISC, open: false, dash: '' },
  pseudoinverse: { token: '--m-pseudoinverse', marker: SQUARE, open: false, dash: '7 3' },
  sdls: { token: '--m-sdls', marker: PENTAGON, open: false, dash: '4 2' },
  transpose: { token: '--m-transpose', marker: TRIANGLE_UP, open: false, dash: '2 3' },
  ccd: { token: '--m-ccd', marker: DIAMOND, open: false, dash: '12 3 2 3' },
  ccd_ranked: { token: '--m-ccd-ranked', marker: OPEN_DIAMOND, open: true, dash: '12 3 2 3 2 3' },
  fabrik: { token: '--m-fabrik', marker: TRIANGLE_DOWN, open: false, dash: '8 3' },
  inverse: { token: '--m-inverse', marker: OPEN_SQUARE, open: true, dash: '1 3' },
  two_link: { token: '--m-two-link', marker: CROSS, open: true, dash: '16 4' },
  reach: { token: '--m-reach', marker: STAR, open: false, dash: '' },
};
const SPARE = [PLUS, RING, HEXAGON];

export function methodLook(name: string, known: string[] = []): MethodLook {
  const look = LOOKS[name];
  if (look) return look;
  const strangers = known.filter((n) => !LOOKS[n]);
  const index = Math.max(0, strangers.indexOf(name));
  return { token: '--m-inverse', marker: SPARE[index % SPARE.length]!, open: index % SPARE.length < 2, dash: '1 3' };
}

/** Colour of column i of the Jacobian: three tokens, then a lighter repeat, then grey. */
export function columnToken(index: number): { token: string; lighter: boolean } {
  if (index >= 6) return { token: '--ghost', lighter: false };
  return { token: `--col-${(index % 3) + 1}`, lighter: index >= 3 };
}

const GROUPS: [string, string][] = [
  ['Analytic', 'Analytic'],
  ['Jacobian', 'Jacobian'],
  ['Heuristic', 'Heuristic'],
  ['Global', 'Global'],
];

/** Methods in the order of the list's groups; unknown groups come last under their own name. */
export function groupMethods<T extends { group: string }>(solvers: T[]): { label: string; items: T[] }[] {
  const out = GROUPS.map(([id, label]) => ({ label, items: solvers.filter((s) => s.group === id) }));
  for (const solver of solvers) {
    if (GROUPS.some(([id]) => id === solver.group)) continue;
    let group = out.find((g) => g.label === solver.group);
    if (!group) out.push((group = { label: solver.group, items: [] }));
    group.items.push(solver);
  }
  return out.filter((g) => g.items.length > 0);
}
