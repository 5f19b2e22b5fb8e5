// Small pictures of the joint types, 52 x 36: two bodies, the hub between them, the motion as an arrow (SPEC2, section 4.1).
const body = (x: number, y: number, w: number, h: number, turn = ''): string => `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="1.5" fill="var(--fig-mid)" stroke="var(--fig-edge)"${turn ? ` transform="${turn}"` : ''}/>`;
const hub = (x: number, y: number, r: number): string => `<circle cx="${x}" cy="${y}" r="${r}" fill="var(--surface-raised)" stroke="var(--text-2)" stroke-width="1.6"/>`;
const motion = (d: string): string => `<path d="${d}" fill="none" stroke="var(--accent)" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/>`;
const ahead = (x: number, y: number): string => motion(`M${x} ${y}h12M${x + 8.5} ${y - 3}l3.500 3-3.500 3`);
const both = (x: number, y: number): string => `${ahead(x, y)}${motion(`M${x + 3.5} ${y - 3}l-3.500 3 3.500 3`)}`;
const turned = (x: number, y: number): string => motion(`M${x} ${y}a6 6 0 1 1 3.500 8M${x + 6.8} ${y + 8.8}l-3.300-.8 1.400-3`);

export const JOINT_PICTURES: Record<string, string> = {
  revolute: body(4, 18, 22, 7) + body(24, 18, 22, 6, 'rotate(-28 24 21)') + hub(24, 21.5, 4.2) + motion('M43 27a18 18 0 0 0 3-10M43.200 19.200l2.900-2.600 1.900 3.300'),
  prismatic: body(4, 11, 22, 9) + body(22, 13, 24, 5) + both(30, 27),
  helical: body(4, 11, 20, 9) + body(22, 13, 24, 5) + motion('M29 12l2.500 7M34 12l2.500 7M39 12l2.500 7M44 12l2 6') + ahead(30, 27),
  cylindrical: body(4, 15, 22, 9) + body(22, 17, 18, 5) + turned(37, 7) + ahead(30, 30),
  universal: body(4, 15, 15, 8) + body(34, 15, 14, 8) + body(22, 5, 8, 28) + hub(26, 19, 5) + motion('M33 9a10 10 0 0 1 5 3M38.300 8.800l-.2 3.400-3.300-.3'),
  spherical: body(4, 14, 17, 9) + body(28, 15, 19, 6, 'rotate(-16 28 18)') + hub(25, 18.5, 7) + motion('M38 27a15 15 0 0 0 3-5M41 6a15 15 0 0 1 3 5M38.800 24.500l-1.200 2.700 3 .3M44.800 8.300l-.6 2.900-2.700-1.300'),
  planar: '<path d="M6 28 16 8h32L38 28z" fill="var(--fig-mid)" stroke="var(--fig-edge)"/>' + motion('M20 22h14M31 19l3 3-3 3M20 22l5-9M23 14.500l2-1.500.8 2.500') + hub(20, 22, 3),
  free: hub(26, 18, 4) + motion('M26 10V3M23.500 5.500 26 3l2.500 2.500M26 26v7M23.500 30.500 26 33l2.500-2.500M18 18h-8M12.500 15.500 10 18l2.500 2.500M34 18h8M39.500 15.500 42 18l-2.500 2.500'),
  fixed: body(4, 14, 22, 9) + body(26, 14, 22, 9) + '<path d="M26 9v19M22 12l8 13M30 12l-8 13" stroke="var(--text-2)" stroke-width="1.6" stroke-linecap="round"/>',
};
