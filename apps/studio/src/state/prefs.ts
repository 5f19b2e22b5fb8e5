// What stays on this machine between visits: theme, panel sizes, folded sections, last scene. Never in
// the URL. Storage may be forbidden; then nothing is remembered and nothing fails.

export function load<T>(key: string, fallback: T): T {
  try {
    const text = localStorage.getItem(`armature.${key}`);
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    return fallback;
  }
}

export function save(key: string, value: unknown): void {
  try {
    localStorage.setItem(`armature.${key}`, JSON.stringify(value));
  } catch {
    // Full or forbidden: the studio works without.
  }
}

/** The theme is a bare word, since the page reads it before any script of ours runs. */
export function saveTheme(theme: 'light' | 'dark'): void {
  try {
    localStorage.setItem('armature.theme', theme);
  } catch {
    // As above.
  }
}
