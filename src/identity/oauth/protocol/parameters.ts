import { parseJson } from '../../../platform/body/json.ts';
import { ID_PATTERN } from '../../../platform/ids.ts';
import { invalidRequest, type OAuthFailure } from './failures.ts';

/** The parameters of one token request; names that were sent empty are absent (RFC 6749, 3.1). */
export type Parameters = ReadonlyMap<string, string>;

/** A form body can hold half a million pairs in its mebibyte; a token request has five. */
const PAIRS_MAX = 100;

/** What the endpoints look at. Every other name is ignored and never repeated in an answer. */
const KNOWN_NAMES: ReadonlySet<string> = new Set([
  'grant_type',
  'client_id',
  'client_secret',
  'refresh_token',
  'code',
  'redirect_uri',
  'code_verifier',
  'scope',
  'token',
  'token_type_hint',
]);

const QUOTE = '"';
const BACKSLASH = '\\';

/** Reads `application/x-www-form-urlencoded`. Stricter than URLSearchParams, which turns `%zz` into a literal. */
export function formParameters(body: Buffer): Parameters {
  const text = utf8(body);
  if (text.split('&', PAIRS_MAX + 1).length > PAIRS_MAX) {
    throw invalidRequest('', `At most ${PAIRS_MAX} parameters are accepted`);
  }
  const seen = new Set<string>();
  const parameters = new Map<string, string>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decoded(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? '' : decoded(pair.slice(equals + 1));
    if (seen.has(name)) throw repeated(name);
    seen.add(name);
    if (value !== '') parameters.set(name, value);
  }
  return parameters;
}

/** Reads a JSON body with the names of the form, each of them once as in a form. */
export function jsonParameters(bytes: Buffer): Parameters {
  const body = parseJson(bytes);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidRequest('', 'Expected an object', 'invalid_type');
  }
  const seen = new Set<string>();
  for (const name of memberNames(bytes.toString('utf8'))) {
    if (seen.has(name)) throw repeated(name);
    seen.add(name);
  }
  const parameters = new Map<string, string>();
  for (const [name, value] of Object.entries(body)) {
    if (!KNOWN_NAMES.has(name)) continue;
    if (typeof value !== 'string') throw invalidRequest(name, 'Expected a string', 'invalid_type');
    if (value !== '') parameters.set(name, value);
  }
  return parameters;
}

/**
 * The names of the object's own members, as often as they are written: JSON.parse tells of the last one only. One pass
 * over a text that JSON.parse has taken.
 */
function memberNames(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  let isName = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === QUOTE) {
      const end = stringEnd(text, at);
      if (isName) names.push(JSON.parse(text.slice(at, end + 1)));
      isName = false;
      at = end;
    } else if (character === '{' || character === '[') {
      depth += 1;
      isName = depth === 1;
    } else if (character === '}' || character === ']') {
      depth -= 1;
    } else if (character === ',') {
      isName = depth === 1;
    }
  }
  return names;
}

/** Where the string that begins here has its closing quote. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** The parameter that a grant cannot do without. */
export function required(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined) throw invalidRequest(name, 'Required', 'invalid_type');
  return value;
}

/** An id that we may have given, or a text that we never give. The database gets short printable texts only. */
export function searchableId(id: string): string {
  return ID_PATTERN.test(id) ? id : '';
}

function repeated(name: string): OAuthFailure {
  return KNOWN_NAMES.has(name)
    ? invalidRequest(name, 'Sent more than once')
    : invalidRequest('', 'A parameter is sent more than once');
}

const utf8Decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function utf8(body: Buffer): string {
  try {
    return utf8Decoder.decode(body);
  } catch {
    throw invalidRequest('', 'The body is not valid UTF-8');
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalidRequest('', 'The body holds an invalid percent-encoding');
  }
}
