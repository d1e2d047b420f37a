declare global {
  interface JSON {
    /** Text that `JSON.stringify` writes as it stands (ECMAScript proposal "JSON.parse source text access", in Node 24.7). */
    rawJSON(text: string): unknown;
  }
}

/**
 * The JSON text of an answer. JavaScript writes 0.0000001 as `1e-7`; the interface writes every number out, so the few
 * answers that hold such a number are written a second time.
 */
export function answerText(body: unknown): string {
  const text = JSON.stringify(body);
  return /\de[+-]\d/.test(text) ? JSON.stringify(body, writtenOut) : text;
}

function writtenOut(_key: string, value: unknown): unknown {
  return typeof value === 'number' && /e/.test(String(value)) ? JSON.rawJSON(plainDecimal(value)) : value;
}

/** The shortest decimal that reads back as this number, without an exponent. */
export function plainDecimal(value: number): string {
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(String(value));
  if (match === null) return String(value);
  const [, sign = '', first = '', rest = '', power = '0'] = match;
  const exponent = Number(power);
  const digits = first + rest;
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  return sign + digits.padEnd(exponent + 1, '0');
}
