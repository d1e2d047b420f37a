import { isIP } from 'node:net';
import { type AddressRules, addressFilter, scopeOf, specialReason } from './address.ts';
import { type Lookup, lookup } from './lookup.ts';

const CHARACTERS_MAX = 2_048;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' };

/**
 * How an address must be written. One spelling only: the many others of an address (127.1, 0x7f.1, other alphabets) are
 * understood differently by different programs, and hide from the reader where a request goes.
 */
function writtenProblem(text: string): string | null {
  if (text.length > CHARACTERS_MAX) return `The address may have ${CHARACTERS_MAX} characters at most`;
  if (!/^[!-~]+$/.test(text)) {
    return 'The address may have printable ASCII characters only; names in other letters are written as xn--…';
  }
  const url = URL.parse(text);
  if (url === null) return 'The address is no URL';
  const port = DEFAULT_PORTS[url.protocol];
  if (port === undefined) return 'The address must begin with https://';
  const written = authorityOf(text, url).toLowerCase();
  if (written.includes('@')) return 'The address may not contain a user or a password';
  if (text.includes('#')) return 'The address may not contain a fragment (#…)';
  if (written !== url.host && written !== `${url.hostname}:${port}`) {
    return `The host must be written as ${url.host}`;
  }
  return url.hostname.endsWith('.') ? 'The host may not end with a dot' : null;
}

/** What stands between the two slashes and the path, as it was written. */
function authorityOf(text: string, url: URL): string {
  return text.slice(`${url.protocol}//`.length).split(/[/?#]/, 1)[0] ?? '';
}

/** The address as a request may use it, or why it may not, as a sentence. */
export function readAddress(text: string): { url: URL } | { problem: string } {
  const problem = writtenProblem(text);
  return problem === null ? { url: new URL(text) } : { problem };
}

/**
 * For a quick answer when an address is chosen: a sentence, or null. Each request checks again, because a name can
 * change what it stands for.
 */
export async function addressProblem(
  text: string,
  rules: AddressRules & { readonly lookup?: Lookup },
): Promise<string | null> {
  const read = readAddress(text);
  if ('problem' in read) return read.problem;
  const { protocol, port } = read.url;
  const hostname = read.url.hostname.replace(/^\[|\]$/g, '');
  const target = { protocol, port, hostname };
  const addresses = isIP(hostname) === 0 ? await namesOf(hostname, rules.lookup ?? lookup) : [hostname];
  const permits = addressFilter(rules.allowedNetworks);
  if (addresses.some((address) => permits(address, scopeOf(target, rules)))) return null;
  const reason = specialReason(target, rules);
  if (reason !== null) return `The address ${reason}`;
  return addresses.length === 0
    ? `The name ${hostname} has no address`
    : `${hostname} is not reached by public addresses`;
}

async function namesOf(hostname: string, ask: Lookup): Promise<readonly string[]> {
  try {
    return await ask(hostname);
  } catch {
    return [];
  }
}
