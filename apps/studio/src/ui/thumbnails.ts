// Small pictures for the gallery, drawn from a few capsules each; colours are tokens. 240 x 142.
import { circle, disc, line, path, polyline, stadium, type Point } from '../view/svg';

type Seg = [number, number, number, number, number, number]; // x1 y1 x2 y2 r1 r2

const p = (x: number, y: number): Point => ({ x, y });
function clay(list: Seg[], opacity = 1): string {
  return `<g opacity="${opacity}">${list.map((s) => path(stadium(p(s[0], s[1]), p(s[2], s[3]), s[4], s[5]), { color: 'var(--fig-edge)', width: 0.7, fill: 'url(#clay)' })).join('')}</g>`;
}
function bot(list: Seg[], dark = false): string {
  return list.map((s) => path(stadium(p(s[0], s[1]), p(s[2], s[3]), s[4], s[5]), { color: dark ? 'var(--bot2-lo)' : 'var(--bot-edge)', width: 0.7, fill: dark ? 'url(#steel)' : 'url(#shell)' })).join('');
}
const DEFS = `<defs><linearGradient id="clay" x1="0" y1="0" x2="1" y2="0"><stop offset="0" stop-color="var(--fig-hi)"/><stop offset="1" stop-color="var(--fig-lo)"/></linearGradient><linearGradient id="shell" x1="0" y1="0" x2="1" y2=".4"><stop offset="0" stop-color="var(--bot-hi)"/><stop offset="1" stop-color="var(--bot-lo)"/></linearGradient><linearGradient id="steel" x1="0" y1="0" x2="1" y2="0"><stop offset="0" stop-color="var(--bot2-hi)"/><stop offset="1" stop-color="var(--bot2-lo)"/></linearGradient></defs>`;
const shadow = (x: number, y: number, rx: number) => `<ellipse cx="${x}" cy="${y}" rx="${rx}" ry="${rx * 0.18}" fill="var(--shadow-ground)"/>`;
const joint = (x: number, y: number, r = 3.4) => circle(p(x, y), r, { color: 'var(--bone)', width: 1.4, fill: 'var(--surface-raised)' });

function figure(dx: number, swing: number, opacity = 1): string {
  const x = (v: number) => v + dx;
  const s = swing;
  return clay(
    [
      [x(120), 78, x(120 - 9 * s), 104, 6, 4.5], [x(120 - 9 * s), 104, x(120 - 18 * s), 128, 4.5, 3],
      [x(120), 48, x(120 + 8 * s), 68, 4, 3.2], [x(120 + 8 * s), 68, x(120 + 5 * s), 84, 3.2, 2.4],
      [x(120), 48, x(120), 76, 9, 7],
      [x(120), 78, x(120 + 9 * s), 104, 6, 4.5], [x(120 + 9 * s), 104, x(120 + 6 * s), 130, 4.5, 3],
      [x(120), 48, x(120 - 9 * s), 66, 4, 3.2], [x(120 - 9 * s), 66, x(120 - 13 * s), 82, 3.2, 2.4],
      [x(120), 28, x(120), 33, 7.5, 6],
    ],
    opacity,
  );
}

export const THUMBNAILS: Record<string, () => string> = {
  human: () =>
    shadow(128, 132, 34) +
    clay([
      [108, 48, 94, 30, 5, 4.5], [94, 30, 86, 12, 4.5, 3.5],
      [112, 84, 106, 108, 7.5, 6], [106, 108, 104, 130, 6, 3.6], [122, 84, 128, 106, 7.5, 6], [128, 106, 134, 126, 6, 3.6],
      [114, 84, 120, 84, 9, 9], [110, 48, 124, 50, 9, 9], [116, 52, 117, 72, 12, 8],
      [128, 48, 140, 62, 5, 4.5], [140, 62, 150, 74, 4.5, 3.2], [120, 22, 120, 28, 8.5, 7],
    ]),
  arm: () => {
    let out = '';
    for (let i = 0; i < 13; i++) out += path(`M${i * 20 + 6} 0V142`, { color: i % 2 ? 'var(--grid-major)' : 'var(--grid)', width: 0.8 });
    for (let i = 0; i < 8; i++) out += path(`M0 ${i * 20 + 14}H240`, { color: i % 2 ? 'var(--grid-major)' : 'var(--grid)', width: 0.8 });
    out += path('M86 0V142', { color: 'var(--axis-y)', width: 1.2 }) + path('M0 114H240', { color: 'var(--axis-x)', width: 1.2 });
    out += path('M68 134h36l-8-14H76z', { color: 'var(--fig-edge)', width: 1, fill: 'var(--surface-active)' });
    return out + clay([[86, 114, 139, 82, 6.5, 6], [139, 82, 144, 40, 6, 5.5], [144, 40, 132, 22, 5.5, 5]]) + joint(86, 114) + joint(139, 82) + joint(144, 40);
  },
  panda: () => shadow(98, 122, 30) + bot([[86, 122, 86, 118, 14, 13], [88, 108, 88, 82, 10, 10], [92, 74, 98, 44, 10, 10], [112, 34, 128, 38, 10, 10], [136, 48, 158, 70, 9, 8]]) + bot([[88, 80, 90, 76, 10.5, 10.5], [100, 40, 106, 36, 11, 11], [162, 76, 170, 78, 8, 8]], true) + bot([[172, 72, 172, 80, 8, 7]]) + bot([[172, 88, 172, 90, 5.5, 5.5]], true),
  ur5: () => shadow(104, 118, 34) + bot([[98, 118, 98, 106, 10, 9], [90, 94, 122, 44, 9, 9], [126, 40, 186, 60, 8, 7], [192, 64, 192, 82, 6, 6], [188, 84, 202, 86, 6, 6]]) + bot([[98, 112, 98, 106, 10, 10], [124, 40, 130, 44, 11, 11], [190, 62, 196, 64, 7, 7]], true),
  walk: () => figure(-60, 1, 0.25) + figure(-28, -0.7, 0.45) + figure(4, 0.9, 0.65) + figure(36, -0.9, 0.85) + figure(66, 0.6) + polyline([p(34, 63), p(66, 59), p(98, 64), p(130, 59), p(162, 64), p(194, 60)], { color: 'var(--accent)', width: 2, dash: '1 4', cap: 'round' }),
  scara: () => shadow(100, 108, 34) + bot([[98, 106, 98, 66, 13, 13]]) + bot([[98, 106, 98, 104, 15, 14], [98, 66, 98, 60, 13, 13]], true) + bot([[98, 58, 142, 66, 10, 8], [142, 58, 190, 46, 8, 7]]) + bot([[140, 64, 140, 58, 9, 9]], true) + bot([[190, 26, 190, 92, 3, 3]], true),
  chain: () => {
    const points: Point[] = [];
    for (let i = 0; i <= 10; i++) { const t = i / 10; points.push(p(150 - 26 * Math.sin(t * 3.1 + 0.35) - 18 * t + (1 - t) * 2, 14 + 110 * t)); }
    return points.slice(1).map((b, i) => path(stadium(points[i]!, b, 6, 6), { color: 'var(--fig-edge)', width: 0.8, fill: 'var(--fig-mid)' })).join('') + points.map((q) => joint(q.x, q.y, 2.6)).join('');
  },
  fourbar: () => path('M60 66C56 40 84 20 108 24C132 28 146 44 142 58C136 74 66 84 60 66z', { color: 'var(--accent)', width: 1.8, dash: '2 4' }) + line(p(92, 104), p(198, 104), { color: 'var(--line-control)', width: 3 }) + path('M80 62L210 44L120 34z', { color: 'var(--fig-edge)', width: 0.8, fill: 'var(--fig-hi)' }) + clay([[92, 104, 80, 62, 5.5, 5], [80, 62, 210, 44, 5, 4.6], [198, 104, 210, 44, 5.5, 5]]) + [p(92, 104), p(80, 62), p(210, 44), p(198, 104)].map((q) => joint(q.x, q.y)).join('') + disc(p(120, 34), 4, 'var(--accent)'),
};

export const thumbnail = (name: string): string => DEFS + (THUMBNAILS[name]?.() ?? '');
