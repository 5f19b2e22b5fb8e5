// How near is near: bands of clearance, by the model's size. Never colour alone: each has a word.
export interface Band {
  token: string;
  word: string;
}

export const NEAR = 0.05;
export const CLOSE = 0.12;

export function band(distance: number, size: number): Band {
  if (distance < 0) return { token: '--bad', word: 'touches' };
  if (distance < NEAR * size) return { token: '--res-2', word: 'very near' };
  if (distance < CLOSE * size) return { token: '--res-1', word: 'near' };
  return { token: '--ok', word: 'clear' };
}
