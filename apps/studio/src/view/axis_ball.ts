// The axis ball in the corner: three lettered ends and three hollow ones. Click an end to look along it;
// drag to orbit.
import type { Camera } from '../logic/camera';
import type { Vec3 } from '../logic/scene';
import { dot } from '../logic/vec';
import { circle, disc, line, n } from './svg';

export interface BallEnd {
  axis: 'x' | 'y' | 'z';
  sign: 1 | -1;
  x: number;
  y: number;
  depth: number;
}

const RADIUS = 29;
export const BALL = { size: 80, center: 40 };

export function ballEnds(camera: Camera): BallEnd[] {
  const { right, above, forward } = camera.basis;
  const out: BallEnd[] = [];
  (['x', 'y', 'z'] as const).forEach((axis, i) => {
    for (const sign of [1, -1] as const) {
      const e: Vec3 = [0, 0, 0];
      e[i] = sign;
      out.push({ axis, sign, x: BALL.center + RADIUS * dot(e, right), y: BALL.center - RADIUS * dot(e, above), depth: dot(e, forward) });
    }
  });
  return out.sort((a, b) => b.depth - a.depth);
}

export function drawBall(camera: Camera): string {
  const c = { x: BALL.center, y: BALL.center };
  let out = disc(c, 39, 'var(--surface-raised)', 0.35);
  for (const end of ballEnds(camera)) {
    const color = `var(--axis-${end.axis})`;
    if (end.sign > 0) {
      out += line(c, end, { color, width: 2 }) + disc(end, 8, color);
      out += `<text class="axb" x="${n(end.x)}" y="${n(end.y + 3.7)}" text-anchor="middle">${end.axis.toUpperCase()}</text>`;
    } else out += circle(end, 6.5, { color, width: 1.4, fill: 'var(--surface-canvas-hi)', fillOpacity: 0.6 });
  }
  return out;
}

export function pickBall(camera: Camera, x: number, y: number): BallEnd | null {
  const near = ballEnds(camera).reverse().find((e) => Math.hypot(e.x - x, e.y - y) <= 10);
  return near ?? null;
}
