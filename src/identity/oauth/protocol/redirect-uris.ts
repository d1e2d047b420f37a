/*
 * Redirect addresses are an attacker's favourite: a code or an error sent to a place that only looks like the registered one.
 * An address is refused unless the URL parser gives back exactly the same text, so that no two readers of it can disagree.
 */

export type RedirectRule = 'origin' | 'exact';

const URI_CHARACTERS_MAX = 2_000;
const PRINTABLE_ASCII = /^[\x21-\x7e]+$/;
/** Browsers and parsers read these in different ways. */
const REFUSED_CHARACTERS = /[\\<>"^`{}|#]/;
/** `.`, `/`, `\`, `%`, NUL, line ends, `;`, `#` and `@` in disguise. */
const REFUSED_CODES = /%(?:2e|2f|5c|25|00|0a|0d|3b|23|40)/i;
/** Schemes that run or show something instead of opening an application, and those of the network. */
const FOREIGN_SCHEMES: ReadonlySet<string> = new Set(
  ['javascript', 'data', 'file', 'vbscript', 'blob', 'about', 'ftp', 'ws', 'wss', 'view-source'].map(
    (scheme) => `${scheme}:`,
  ),
);
/** What the answer itself puts into the query. */
const ANSWER_PARAMETERS: ReadonlySet<string> = new Set(['code', 'state', 'iss', 'access_token']);

/** Why an address cannot be registered, as a sentence; undefined when it can. */
export function redirectUriFault(text: string, rule: RedirectRule): string | undefined {
  if (text.length > URI_CHARACTERS_MAX) return `It is longer than ${URI_CHARACTERS_MAX} characters`;
  if (!PRINTABLE_ASCII.test(text)) return 'Only printable ASCII without blanks is allowed';
  if (REFUSED_CHARACTERS.test(text))
    return 'It holds a backslash, a fragment or a character that needs encoding';
  if (REFUSED_CODES.test(text)) return 'It holds an encoded separator';
  if (!URL.canParse(text)) return 'It is not an absolute address';
  const url = new URL(text);
  if (url.href !== text && url.href !== `${text}/`) return `It is not in its normal form: ${url.href}`;
  if (url.username !== '' || url.password !== '') return 'It holds credentials';
  if (url.pathname.includes(';') || url.pathname.includes('//')) return 'Its path holds ; or //';
  return schemeFault(url, rule) ?? queryFault(url);
}

/** Whether the answer to an authorize call may go to this address. */
export function isRegisteredRedirect(
  text: string,
  client: { redirect_uris: readonly string[]; redirect_rule: RedirectRule },
): boolean {
  if (redirectUriFault(text, client.redirect_rule) !== undefined) return false;
  if (client.redirect_rule === 'exact') return client.redirect_uris.includes(text);
  const { origin } = new URL(text);
  return client.redirect_uris.some((registered) => new URL(registered).origin === origin);
}

/** The address with the parameters of the answer behind what it holds already. */
export function redirectWith(uri: string, parameters: Readonly<Record<string, string | null>>): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  const joint = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?';
  return `${uri}${joint}${pairs.join('&')}`;
}

/**
 * How a page's policy names the place that a form may lead to: Chromium applies `form-action` to the redirect behind a
 * form. A policy cannot name an IPv6 address, nor anything but the scheme of an application.
 */
export function formActionSource(uri: string): string {
  const url = new URL(uri);
  const isNetwork = url.protocol === 'https:' || url.protocol === 'http:';
  return isNetwork && !url.hostname.startsWith('[') ? url.origin : url.protocol;
}

/**
 * The same where the form ends the request. Chromium applies `form-action` to every further redirect as well, and many
 * callbacks lead on to a page of another host, which nobody can name beforehand: the scheme is all that can be said.
 */
export function lastFormActionSources(uri: string): string[] {
  return [...new Set([formActionSource(uri), new URL(uri).protocol])];
}

function schemeFault(url: URL, rule: RedirectRule): string | undefined {
  if (url.protocol === 'https:') return undefined;
  if (url.protocol === 'http:') {
    return isLoopback(url.hostname) ? undefined : 'http is only allowed towards loopback addresses';
  }
  if (FOREIGN_SCHEMES.has(url.protocol)) return `The scheme ${url.protocol} is not allowed`;
  return rule === 'exact' ? undefined : "An application's own scheme needs the rule exact";
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function queryFault(url: URL): string | undefined {
  for (const pair of url.search.slice(1).split(/[&;]/)) {
    for (const written of new URLSearchParams(pair).keys()) {
      const name = lenientName(written);
      if (ANSWER_PARAMETERS.has(name) || name.startsWith('error')) return `Its query names ${name}`;
    }
  }
  return undefined;
}

/**
 * The name as a reader takes it that is less strict than the standard of addresses. Some split at a semicolon as well, read
 * `code[]`, `[code]` and `code.x` as parts of `code`, cut blanks off, or take capitals for small letters.
 */
function lenientName(written: string): string {
  return /\w[\w-]*/.exec(written)?.[0].toLowerCase() ?? '';
}
