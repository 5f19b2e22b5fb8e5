// Numbers as people write them in an answer: 12.2, sqrt(149), pi/3, 45deg, -2^2. Nothing is evaluated but this grammar.

const FUNCTIONS: Record<string, (x: number) => number> = { sqrt: Math.sqrt, sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin, acos: Math.acos, atan: Math.atan, abs: Math.abs };
const DEG = Math.PI / 180;

/** The value of an expression; null for what is not one. Degrees become radians. */
export function evaluate(text: string): number | null {
  const tokens = text.replace(/−/g, '-').replace(/[×·]/g, '*').match(/\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?|[a-zπ]+|°|[-+*/^()]|\S/gi) ?? [];
  let at = 0;
  const peek = () => tokens[at]?.toLowerCase();
  const fail = Symbol('no expression');
  const primary = (): number => {
    const token = peek();
    at++;
    let value: number;
    if (token === '(') {
      value = sum();
      if (peek() !== ')') throw fail;
      at++;
    } else if (token === 'pi' || token === 'π') value = Math.PI;
    else if (token !== undefined && FUNCTIONS[token] && peek() === '(') value = FUNCTIONS[token]!(primary());
    else if (token !== undefined && /^[\d.]/.test(token)) value = Number(token);
    else throw fail;
    if (peek() === 'deg' || peek() === '°') {
      at++;
      value *= DEG;
    } else if (peek() === 'rad') at++;
    return value;
  };
  const power = (): number => {
    const base = primary();
    if (peek() !== '^') return base;
    at++;
    return base ** unary();
  };
  const unary = (): number => {
    if (peek() === '-') {
      at++;
      return -unary();
    }
    if (peek() === '+') at++;
    return power();
  };
  const product = (): number => {
    let value = unary();
    while (peek() === '*' || peek() === '/') value = tokens[at++] === '*' ? value * unary() : value / unary();
    return value;
  };
  const sum = (): number => {
    let value = product();
    while (peek() === '+' || peek() === '-') value = tokens[at++] === '+' ? value + product() : value - product();
    return value;
  };
  try {
    const value = sum();
    return at === tokens.length && Number.isFinite(value) ? value : null;
  } catch (error) {
    if (error === fail) return null;
    throw error;
  }
}

/** A list of expressions; null where one of them is none. */
export function evaluateList(text: string): number[] | null {
  const list = text.split(/[,;]/).map((part) => evaluate(part));
  return list.every((v) => v !== null) ? (list as number[]) : null;
}
