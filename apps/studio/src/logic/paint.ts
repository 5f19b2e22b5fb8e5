// Colours that Build paints links with. A file keeps them as numbers; the studio draws these few in the theme's own shade, and leaves
// every other link in its finish (clay, shell, housing).
export const PAINTS = [
  { name: 'blue', token: '--accent', rgb: [0.11, 0.361, 0.753] },
  { name: 'red', token: '--axis-x', rgb: [0.788, 0.188, 0.173] },
  { name: 'green', token: '--axis-y', rgb: [0.173, 0.541, 0.18] },
  { name: 'teal', token: '--col-2', rgb: [0.059, 0.463, 0.431] },
  { name: 'gold', token: '--m-fabrik', rgb: [0.643, 0.514, 0.208] },
  { name: 'violet', token: '--desired', rgb: [0.478, 0.247, 0.71] },
] as const;

/** Token of a colour that Build gave; '' for any other. */
export const paintOf = (color: readonly number[] | undefined): string => (color && PAINTS.find((p) => p.rgb.every((v, i) => Math.abs(v - color[i]!) < 1e-6))?.token) || '';
