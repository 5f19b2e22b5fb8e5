// Tokens for WebGL: read with getComputedStyle once per theme change, as linear colours.
import { Color } from 'three';

export class Palette {
  private values = new Map<string, { color: Color; alpha: number }>();

  read(): void {
    this.values.clear();
  }

  color(token: string): Color {
    return this.entry(token).color;
  }
  alpha(token: string): number {
    return this.entry(token).alpha;
  }

  private entry(token: string): { color: Color; alpha: number } {
    let entry = this.values.get(token);
    if (!entry) {
      const text = getComputedStyle(document.documentElement).getPropertyValue(token).trim();
      const rgba = /rgba?\(([^)]+)\)/.exec(text);
      let alpha = 1;
      let solid = text;
      if (rgba) {
        const parts = rgba[1]!.split(/[\s,/]+/).map(Number);
        alpha = parts[3] ?? 1;
        solid = `rgb(${parts[0]}, ${parts[1]}, ${parts[2]})`;
      }
      entry = { color: new Color(solid), alpha };
      this.values.set(token, entry);
    }
    return entry;
  }
}
