// What can be saved of a BVH file whose motion breaks off: the frames before the line that the reader could not take.

/** The text with only its good frames, and how many they are; null when there is none. `line` counts from 1. */
export function goodFrames(text: string, line: number): { text: string; frames: number } | null {
  const lines = text.split('\n');
  const count = lines.findIndex((l) => /^\s*Frames:/i.test(l));
  const first = lines.findIndex((l) => /^\s*Frame Time:/i.test(l)) + 1;
  if (count < 0 || first <= count || line - 1 <= first) return null;
  const good = lines.slice(first, line - 1).filter((l) => l.trim() !== '');
  if (good.length === 0) return null;
  const head = lines.slice(0, first);
  head[count] = `Frames: ${good.length}`;
  return { text: `${[...head, ...good].join('\n')}\n`, frames: good.length };
}
