import type { Connection } from '../../../platform/database/db.ts';
import { keyedHash } from '../../../platform/keyed-hash.ts';
import { invalidClient, invalidRequest } from '../protocol/failures.ts';
import { type Parameters, searchableId } from '../protocol/parameters.ts';
import { anyHashEqual } from '../protocol/secrets.ts';
import { type AuthClient, listLiveSecretHashes } from './live-queries.ts';

/** Who a token request says it comes from, before anything is looked up. */
export interface PresentedClient {
  id: string;
  /** The possible readings of the Basic password; none for a client that names itself in the body. */
  secrets: readonly string[];
}

/**
 * One method per request: HTTP Basic for confidential clients, `client_id` in the body for public ones. A secret in
 * the body is refused even when it is right, so that no client comes to depend on it.
 */
export function presentedClient(authorization: readonly string[], parameters: Parameters): PresentedClient {
  const [header] = authorization;
  if (authorization.length > 1) throw invalidRequest('Authorization', 'Sent more than once');
  if (parameters.has('client_secret')) {
    if (header !== undefined) {
      throw invalidRequest('client_secret', 'Credentials are sent in the header and in the body');
    }
    throw invalidClient('Send the client id and secret by HTTP Basic, not in the body');
  }
  const bodyId = parameters.get('client_id');
  if (header === undefined) {
    if (bodyId === undefined) throw invalidClient('Client credentials are missing: send them by HTTP Basic');
    return { id: bodyId, secrets: [] };
  }
  const presented = basicCredentials(header);
  if (presented === undefined)
    throw invalidClient('The Authorization header holds no valid Basic credentials');
  if (bodyId !== undefined && bodyId !== presented.id) {
    throw invalidRequest('client_id', 'Differs from the client of the Authorization header');
  }
  return presented;
}

const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i;
/** biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused */
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;

/**
 * RFC 6749 wants id and secret form-encoded before base64; many libraries do that even to `-` and `_`, others not at
 * all. The first colon separates, then both readings of the secret stand: decoded and raw.
 */
function basicCredentials(header: string): PresentedClient | undefined {
  const encoded = BASIC.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1 || colon === text.length - 1 || CONTROL_CHARACTERS.test(text)) return undefined;
  const id = formDecoded(text.slice(0, colon)) ?? text.slice(0, colon);
  const raw = text.slice(colon + 1);
  const decoded = formDecoded(raw);
  return { id, secrets: decoded === undefined || decoded === raw ? [raw] : [decoded, raw] };
}

function formDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/**
 * True when the client is who it says it is and may act. An unknown client takes the same statements and comparisons
 * as a wrong secret: neither answer nor time tells which of the two it was.
 */
export async function isAuthentic(
  connection: Connection,
  pepper: string,
  presented: PresentedClient,
  client: AuthClient | undefined,
  now: string,
): Promise<boolean> {
  const organization = client?.organization_id ?? '';
  const stored = await listLiveSecretHashes(connection, organization, searchableId(presented.id), now);
  const hashes = presented.secrets.map((secret) => keyedHash(pepper, 'client-secret', secret));
  const matches = anyHashEqual(hashes, stored);
  if (client === undefined || !mayAct(client)) return false;
  return client.public ? presented.secrets.length === 0 : matches;
}

/** Switched on, and of an organization that is. */
export function mayAct(client: Pick<AuthClient, 'disabled_at' | 'standing'>): boolean {
  if (client.disabled_at !== null) return false;
  return client.standing === 'in_order' || client.standing === 'past_due';
}
