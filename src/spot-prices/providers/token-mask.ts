const MASK = '***';

/** A shorter one is found by chance in ordinary text: "demo" in a licence. */
const CHARACTERS_MIN_IN_BODY = 8;

/** Every spelling of the tokens inside a text, gone. */
export function maskTokens(text: string, tokens: readonly string[]): string {
  let masked = text;
  for (const spelling of tokens.flatMap(spellings)) masked = masked.replaceAll(spelling, MASK);
  return masked;
}

/** A body that repeats the request would bring its token into the store. */
export function maskBytes(body: Uint8Array, tokens: readonly string[]): Uint8Array {
  const long = tokens.filter((token) => token.length >= CHARACTERS_MIN_IN_BODY);
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (!long.flatMap(spellings).some((spelling) => bytes.includes(spelling))) return body;
  /* latin1 keeps every byte as it is. */
  return Buffer.from(maskTokens(bytes.toString('latin1'), long), 'latin1');
}

/** As it is, as a parameter of an address, and as a form writes it; the longest first. */
function spellings(token: string): string[] {
  if (token === '') return [];
  const form = new URLSearchParams({ t: token }).toString().slice(2);
  const json = JSON.stringify(token).slice(1, -1);
  const all = new Set([token, encodeURIComponent(token), encodeURI(token), form, json]);
  return [...all].sort((a, b) => b.length - a.length);
}
