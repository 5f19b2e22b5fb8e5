// Pieces of SVG as strings: the overlay is rebuilt from them on each drawn frame (about a hundred
// elements), and film strips, thumbnails and pictures for export are made of the same. Colours are
// always custom properties of tokens.css.

export interface Point {
  x: number;
  y: number;
}

export const n = (v: number): string => (Math.abs(v) < 1e6 ? String(Math.round(v * 10) / 10) : '0');

export function escape(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

export interface Stroke {
  color: string; // "var(--accent)"
  width: number;
  dash?: string;
  opacity?: number;
  fill?: string;
  fillOpacity?: number;
  cap?: 'round' | 'butt';
  extra?: string;
}

function strokeAttributes(s: Stroke): string {
  let out = `fill="${s.fill ?? 'none'}" stroke="${s.color}" stroke-width="${s.width}"`;
  if (s.dash) out += ` stroke-dasharray="${s.dash}"`;
  if (s.opacity !== undefined) out += ` opacity="${n2(s.opacity)}"`;
  if (s.fillOpacity !== undefined) out += ` fill-opacity="${n2(s.fillOpacity)}"`;
  if (s.cap) out += ` stroke-linecap="${s.cap}"`;
  if (s.extra) out += ` ${s.extra}`;
  return out;
}
const n2 = (v: number): string => String(Math.round(v * 100) / 100);

export function path(d: string, stroke: Stroke): string {
  return `<path d="${d}" ${strokeAttributes(stroke)}/>`;
}
export function polyline(points: Point[], stroke: Stroke, closed = false): string {
  if (points.length < 2) return '';
  return path(`M${points.map((p) => `${n(p.x)} ${n(p.y)}`).join('L')}${closed ? 'Z' : ''}`, { ...stroke, extra: `stroke-linejoin="round" ${stroke.extra ?? ''}` });
}
export function line(a: Point, b: Point, stroke: Stroke): string {
  return path(`M${n(a.x)} ${n(a.y)}L${n(b.x)} ${n(b.y)}`, stroke);
}
export function circle(c: Point, r: number, stroke: Stroke): string {
  return `<circle cx="${n(c.x)}" cy="${n(c.y)}" r="${n2(r)}" ${strokeAttributes(stroke)}/>`;
}
export function disc(c: Point, r: number, fill: string, opacity = 1): string {
  return `<circle cx="${n(c.x)}" cy="${n(c.y)}" r="${n2(r)}" fill="${fill}"${opacity < 1 ? ` opacity="${n2(opacity)}"` : ''}/>`;
}

/** Shaft and head; `size` is the head's length. */
export function arrow(a: Point, b: Point, stroke: Stroke, size = 12): string {
  const dx = b.x - a.x;
  const dy = b.y - a.y;
  const length = Math.hypot(dx, dy);
  if (length < 1) return '';
  const head = Math.min(size, length * 0.6);
  const ux = dx / length;
  const uy = dy / length;
  const w = head * 0.42;
  const base = { x: b.x - ux * head, y: b.y - uy * head };
  const tip = `M${n(b.x)} ${n(b.y)}L${n(base.x - uy * w)} ${n(base.y + ux * w)}L${n(base.x + uy * w)} ${n(base.y - ux * w)}Z`;
  return line(a, { x: base.x + ux, y: base.y + uy }, { ...stroke, cap: 'round' }) + path(tip, { color: stroke.color, width: 0.6, fill: stroke.color, ...(stroke.opacity !== undefined ? { opacity: stroke.opacity } : {}) });
}

export function label(at: Point, text: string, options: { quiet?: boolean; anchor?: 'start' | 'middle' | 'end'; color?: string; bold?: boolean } = {}): string {
  const anchor = options.anchor ? ` text-anchor="${options.anchor}"` : '';
  const style = options.color || options.bold ? ` style="${options.color ? `fill:${options.color};` : ''}${options.bold ? 'font-weight:600' : ''}"` : '';
  return `<text class="vlabel${options.quiet ? ' q' : ''}" x="${n(at.x)}" y="${n(at.y)}"${anchor}${style}>${escape(text)}</text>`;
}

/** Outline of two circles and their common tangents: a capsule or tapered link seen flat. */
export function stadium(a: Point, b: Point, ra: number, rb: number): string {
  const d = Math.hypot(b.x - a.x, b.y - a.y);
  if (d <= Math.abs(ra - rb) + 1e-6) {
    const [c, r] = ra > rb ? [a, ra] : [b, rb];
    return `M${n(c.x - r)} ${n(c.y)}A${n2(r)} ${n2(r)} 0 1 1 ${n(c.x + r)} ${n(c.y)}A${n2(r)} ${n2(r)} 0 1 1 ${n(c.x - r)} ${n(c.y)}Z`;
  }
  const base = Math.atan2(b.y - a.y, b.x - a.x);
  const open = Math.acos((ra - rb) / d);
  const at = (c: Point, r: number, angle: number) => `${n(c.x + r * Math.cos(angle))} ${n(c.y + r * Math.sin(angle))}`;
  const large = open > Math.PI / 2 ? 0 : 1;
  return (
    `M${at(a, ra, base + open)}A${n2(ra)} ${n2(ra)} 0 ${large} 1 ${at(a, ra, base - open)}` +
    `L${at(b, rb, base - open)}A${n2(rb)} ${n2(rb)} 0 ${1 - large} 1 ${at(b, rb, base + open)}Z`
  );
}

/** A method's marker, scaled about its middle. */
export function marker(at: Point, d: string, open: boolean, color: string, scale = 1, rim = 'var(--surface-canvas-hi)'): string {
  const look = open
    ? `fill="none" stroke="${color}" stroke-width="2"`
    : `fill="${color}" stroke="${rim}" stroke-width="${n2(1.2 / scale)}"`;
  return `<path transform="translate(${n(at.x - 6 * scale)} ${n(at.y - 6 * scale)}) scale(${n2(scale)})" d="${d}" ${look}/>`;
}
