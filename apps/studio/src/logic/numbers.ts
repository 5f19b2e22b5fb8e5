// Numbers as people type and read them: `pi/8`, `45deg`, `0.3rad`, `+5`, `12 mm`; a true minus and
// a non-breaking space before the unit on the way out. Pure; no scene, no DOM.

/** What a field holds. Values are radians or the model's length unit inside. */
export type Quantity = 'angle' | 'length' | 'plain';
export type AngleUnit = 'deg' | 'rad';

export type Parsed = { ok: true; value: number } | { ok: false; why: string };

export const DEG = Math.PI / 180;
const NBSP = '\u00a0';

interface Token {
  kind: 'number' | 'name' | 'op';
  text: string;
  value: number;
}

function tokenize(text: string): Token[] | null {
  const out: Token[] = [];
  const pattern = /\s*(?:(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)|([a-zµπ°]+)|([-+*/()]))/giy;
  let at = 0;
  const source = text.trimEnd();
  while (at < source.length) {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (!match) return null;
    at = pattern.lastIndex;
    if (match[1] !== undefined) out.push({ kind: 'number', text: match[1], value: Number(match[1]) });
    else if (match[2] !== undefined) out.push({ kind: 'name', text: match[2].toLowerCase(), value: 0 });
    else out.push({ kind: 'op', text: match[3]!, value: 0 });
  }
  return out;
}

/** Factor to the inner unit, or null when the word is no unit of this quantity. */
function unitFactor(word: string, quantity: Quantity): number | null {
  if (quantity === 'angle') {
    if (word === 'deg' || word === '°' || word === 'degrees') return DEG;
    if (word === 'rad' || word === 'radians') return 1;
  }
  if (quantity === 'length') {
    if (word === 'm') return 1;
    if (word === 'cm') return 0.01;
    if (word === 'mm') return 0.001;
    if (word === 'µm' || word === 'um') return 1e-6;
  }
  return null;
}

/**
 * Reads what a person typed. `angleUnit` is the unit of bare numbers in an angle field, except that
 * an expression with pi in it is radians. A leading + adds to `current`.
 */
export function parseNumber(
  text: string,
  quantity: Quantity = 'plain',
  angleUnit: AngleUnit = 'deg',
  current = 0,
  lengthScale = 1,
): Parsed {
  const clean = text.replace(/\u2212/g, '-').replace(/\u00a0/g, ' ').replace(/,/g, '.').trim();
  if (clean === '') return { ok: false, why: 'Type a number, for example 45deg or pi/8.' };
  const tokens = tokenize(clean);
  if (!tokens) return { ok: false, why: `“${text.trim()}” has a character that is not part of a number.` };
  let at = 0;
  let sawPi = false;
  let sawUnit = false;
  let problem = '';
  const peek = () => tokens[at];
  const isOp = (text: string) => peek()?.kind === 'op' && peek()!.text === text;

  function primary(): number {
    const token = peek();
    if (!token) {
      problem ||= `“${text.trim()}” ends too early.`;
      return NaN;
    }
    at++;
    let value: number;
    if (token.kind === 'op' && token.text === '(') {
      value = sum();
      if (!isOp(')')) problem ||= 'A closing bracket is missing.';
      at++;
    } else if (token.kind === 'number') {
      value = token.value;
    } else if (token.kind === 'name' && (token.text === 'pi' || token.text === 'π')) {
      sawPi = true;
      value = Math.PI;
    } else {
      problem ||= `“${token.text}” is not a number here.`;
      return NaN;
    }
    const next = peek();
    if (next?.kind === 'name' && next.text !== 'pi' && next.text !== 'π') {
      const factor = unitFactor(next.text, quantity);
      if (factor === null) {
        const known = { angle: 'deg and rad', length: 'm, cm and mm', plain: 'no unit' }[quantity];
        problem ||= `“${next.text}” is not a unit of this field; it knows ${known}.`;
        return NaN;
      }
      at++;
      sawUnit = true;
      value *= factor;
    } else if (next?.kind === 'name') {
      value *= primary(); // 2pi
    }
    return value;
  }
  function unary(): number {
    if (isOp('-')) {
      at++;
      return -unary();
    }
    if (isOp('+')) {
      at++;
      return unary();
    }
    return primary();
  }
  function product(): number {
    let value = unary();
    while (isOp('*') || isOp('/')) {
      const divide = peek()!.text === '/';
      at++;
      const right = unary();
      value = divide ? value / right : value * right;
    }
    return value;
  }
  function sum(): number {
    let value = product();
    while (isOp('+') || isOp('-')) {
      const minus = peek()!.text === '-';
      at++;
      const right = product();
      value = minus ? value - right : value + right;
    }
    return value;
  }

  const relative = clean.startsWith('+');
  let value = sum();
  if (!problem && at < tokens.length) problem = `“${tokens[at]!.text}” was not expected.`;
  if (problem) return { ok: false, why: problem };
  if (!Number.isFinite(value)) return { ok: false, why: `“${text.trim()}” is not a finite number.` };
  if (quantity === 'angle' && !sawUnit && !sawPi && angleUnit === 'deg') value *= DEG;
  if (quantity === 'length' && !sawUnit) value *= lengthScale;
  return { ok: true, value: relative ? current + value : value };
}

/** Fixed decimals, a true minus, and no "-0.0". */
export function fixed(value: number, digits: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? '–' : value < 0 ? '−∞' : '∞';
  let text = value.toFixed(digits);
  if (/^-0(\.0*)?$/.test(text)) text = text.slice(1);
  return text.replace('-', '−');
}

export function signed(value: number, digits: number): string {
  const text = fixed(value, digits);
  return text.startsWith('−') || /^0(\.0*)?$/.test(text) ? text : `+${text}`;
}

/** Significant digits without exponents in the usual range: 0.0292, 9.47, 29.2, 1234. */
export function significant(value: number, digits = 3): string {
  if (value === 0) return '0';
  if (!Number.isFinite(value)) return fixed(value, 0);
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e6) return scientific(value, 2);
  const places = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return fixed(value, Math.min(places, 8));
}

const SUPERSCRIPT = '⁰¹²³⁴⁵⁶⁷⁸⁹';
/** 9.5 × 10⁻⁵ */
export function scientific(value: number, digits = 2): string {
  if (value === 0) return '0';
  const [mantissa, exponent] = value.toExponential(digits - 1).split('e') as [string, string];
  const power = Number(exponent);
  const raised = [...String(Math.abs(power))].map((c) => SUPERSCRIPT[Number(c)]).join('');
  return `${mantissa.replace('-', '−')}${NBSP}×${NBSP}10${power < 0 ? '⁻' : ''}${raised}`;
}

export function formatAngle(radians: number, unit: AngleUnit, digits = unit === 'deg' ? 1 : 3): string {
  return unit === 'deg' ? `${fixed(radians / DEG, digits)}°` : `${fixed(radians, digits)}${NBSP}rad`;
}

/** How a scene shows lengths: metres with millimetres for small ones, or bare model units. */
export type LengthStyle = 'metric' | 'model';

export function formatLength(value: number, style: LengthStyle): string {
  if (style === 'model') return significant(value, value !== 0 && Math.abs(value) >= 10 ? 4 : 3);
  const mm = value * 1000;
  const size = Math.abs(mm);
  if (!Number.isFinite(size)) return fixed(value, 0);
  if (size >= 1000) return `${fixed(value, 2)}${NBSP}m`;
  if (size >= 10) return `${fixed(mm, 0)}${NBSP}mm`;
  if (size >= 1) return `${fixed(mm, 1)}${NBSP}mm`;
  return `${fixed(mm, 2)}${NBSP}mm`;
}

export function formatMicroseconds(us: number): string {
  if (!(us >= 0)) return '–';
  if (us === 0) return `<${NBSP}0.1${NBSP}ms`; // the browser's clock did not move
  if (us < 1) return `${fixed(us * 1000, 0)}${NBSP}ns`;
  if (us < 10) return `${fixed(us, 1)}${NBSP}µs`;
  if (us < 1000) return `${fixed(us, 0)}${NBSP}µs`;
  return us < 1e6 ? `${fixed(us / 1000, 1)}${NBSP}ms` : `${fixed(us / 1e6, 1)}${NBSP}s`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes}${NBSP}B`;
  if (bytes < 1e6) return `${fixed(bytes / 1e3, bytes < 1e4 ? 1 : 0)}${NBSP}kB`;
  return `${fixed(bytes / 1e6, 1)}${NBSP}MB`;
}

/** "1 iteration", "7 iterations". */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
}

/** "elbow", "elbow and wrist", "elbow, wrist and 3 more". */
export function listNames(names: string[], most = 2): string {
  if (names.length === 0) return 'none';
  if (names.length === 1) return names[0]!;
  if (names.length <= most) return `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]}`;
  return `${names.slice(0, most).join(', ')} and ${names.length - most} more`;
}
