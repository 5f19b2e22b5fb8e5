// Three lines of a file around a mistake, shortened so that the place itself stays in sight.

export interface SnippetLine {
  line: number;
  text: string;
  hit: boolean;
}

const WIDTH = 58;

export function snippet(text: string, line: number, column = 1): SnippetLine[] {
  const lines = text.split(/\r\n|\n|\r/);
  const out: SnippetLine[] = [];
  for (let i = line - 1; i <= line + 1; i++) {
    const raw = lines[i - 1];
    if (raw === undefined) continue;
    const clean = raw.replace(/\t/g, '  ').replace(/[^\x20-\x7e\u00a0-\uffff]/g, '·');
    const from = column > WIDTH ? Math.max(0, Math.min(column - WIDTH + 12, clean.length - WIDTH)) : 0;
    const cut = clean.slice(from, from + WIDTH);
    out.push({ line: i, text: `${from > 0 ? '… ' : ''}${cut}${clean.length > from + WIDTH ? ' …' : ''}`, hit: i === line });
  }
  return out;
}
