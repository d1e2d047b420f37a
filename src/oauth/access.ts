import { hash } from 'node:crypto';
import { type CryptoKey, decodeProtectedHeader, jwtVerify } from 'jose';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import { Failure } from '../platform/errors.ts';
import type { Principal, Scope } from '../platform/principal.ts';
import type { Authenticate, Authentication } from '../platform/request-gate.ts';
import { createKeyring, type Keyring, SIGNATURE_ALGORITHM } from './keys.ts';
import { createLastUse } from './last-use.ts';
import { findAccess } from './queries.ts';
import { ACCESS_TOKEN_TYPE, accessTokenClaims } from './tokens.ts';

/** A revoked grant, a switched-off client and a suspended organization are noticed within this time. */
const KEPT_MILLISECONDS = 5_000;
/** For clocks of other issuers' machines that run ahead; expiry has no leeway. */
const LEEWAY_SECONDS = 60;
/** Ours have about 900 characters. */
const TOKEN_CHARACTERS_MAX = 8_192;

const BEARER = /^bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i;

type Claims = z.output<typeof accessTokenClaims>;

interface Kept {
  authentication: Authentication;
  checkedAtMilliseconds: number;
  expiresAtMilliseconds: number;
}

/** RFC 6750: without a token only the scheme is named, an error would tell the client to throw its token away. */
function unauthorized(challenge: 'Bearer' | 'Bearer error="invalid_token"'): Failure {
  return new Failure('UNAUTHORIZED', { headers: { 'www-authenticate': challenge } });
}

const invalidToken = () => unauthorized('Bearer error="invalid_token"');

/**
 * Turns an `Authorization` header into a principal. A token that was found good is believed for 5 seconds without a
 * look at signature or database: the hot path is one SHA-256 (about 2 µs) and one look into a map. While the database
 * is away the kept ones live out their seconds; then the caller hears 503, never 401.
 */
export function createAuthenticator(deps: Deps): Authenticate {
  const { clock, config } = deps;
  const keyring = createKeyring(deps);
  const noteUse = createLastUse(deps);
  /* By hash: a dump of the memory must not be a list of tokens. Map keeps the order of insertion, the oldest is first. */
  const kept = new Map<string, Kept>();
  const checking = new Map<string, Promise<Kept>>();

  async function check(token: string, key: string): Promise<Kept> {
    const checkedAtMilliseconds = clock.nowMilliseconds();
    const claims = await verifiedClaims(token, keyring, config.BASE_URL, checkedAtMilliseconds);
    if (claims === undefined) throw invalidToken();
    const standing = await liveStanding(deps, claims);
    if (standing === undefined) throw invalidToken();
    const principal = principalOf(claims);
    noteUse(principal, checkedAtMilliseconds);
    const entry = {
      authentication: { principal, standing },
      checkedAtMilliseconds,
      expiresAtMilliseconds: claims.exp * 1000,
    };
    keep(key, entry);
    return entry;
  }

  function keep(key: string, entry: Kept): void {
    kept.delete(key);
    kept.set(key, entry);
    if (kept.size <= config.TOKEN_CACHE_ENTRIES_MAX) return;
    for (const oldest of kept.keys()) {
      kept.delete(oldest);
      return;
    }
  }

  /** One check at a time per token: fifty requests of one gateway must not ask the database fifty times. */
  function checkOnce(token: string, key: string): Promise<Kept> {
    const running = checking.get(key);
    if (running !== undefined) return running;
    const started = check(token, key).finally(() => checking.delete(key));
    checking.set(key, started);
    return started;
  }

  return async (authorization) => {
    const token = bearerToken(authorization);
    const key = hash('sha256', token, 'base64');
    const now = clock.nowMilliseconds();
    const found = kept.get(key);
    /* The absolute difference: a clock that was set back must not keep a revoked token alive. */
    const fresh = found !== undefined && Math.abs(now - found.checkedAtMilliseconds) < KEPT_MILLISECONDS;
    const entry = fresh ? found : await checkOnce(token, key);
    if (entry.expiresAtMilliseconds <= now) throw invalidToken();
    return entry.authentication;
  };
}

function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined || !/^bearer +\S/i.test(authorization)) throw unauthorized('Bearer');
  const token = authorization.length > TOKEN_CHARACTERS_MAX ? undefined : BEARER.exec(authorization)?.[1];
  if (token === undefined) throw invalidToken();
  return token;
}

/** Undefined for a token that is not ours, not whole, not yet or no longer valid. Throws only what is not its fault. */
async function verifiedClaims(
  token: string,
  keyring: Keyring,
  baseUrl: string,
  nowMilliseconds: number,
): Promise<Claims | undefined> {
  const kid = keyIdOf(token);
  const key = kid === undefined ? undefined : await keyring.verifying(kid);
  if (key === undefined) return undefined;
  const payload = await signedPayload(token, key, baseUrl, nowMilliseconds);
  const claims = accessTokenClaims.safeParse(payload);
  if (!claims.success) return undefined;
  const { exp, iat } = claims.data;
  if (exp * 1000 <= nowMilliseconds) return undefined;
  return iat * 1000 > nowMilliseconds + LEEWAY_SECONDS * 1000 ? undefined : claims.data;
}

/** Only the id is taken from the header: a key or an address of a key in it is never looked at. */
function keyIdOf(token: string): string | undefined {
  try {
    const { kid } = decodeProtectedHeader(token);
    return typeof kid === 'string' ? kid : undefined;
  } catch {
    return undefined;
  }
}

async function signedPayload(token: string, key: CryptoKey, baseUrl: string, nowMilliseconds: number) {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [SIGNATURE_ALGORITHM],
      typ: ACCESS_TOKEN_TYPE,
      issuer: baseUrl,
      audience: baseUrl,
      clockTolerance: LEEWAY_SECONDS,
      currentDate: new Date(nowMilliseconds),
    });
    return payload;
  } catch {
    /* No network and no database inside: whatever goes wrong is the token's fault. */
    return undefined;
  }
}

async function liveStanding(deps: Deps, claims: Claims): Promise<Authentication['standing'] | undefined> {
  const access = await deps.database.asService((connection) =>
    findAccess(connection, claims.grant, claims.client_id),
  );
  if (access === undefined || access.organization_id !== claims.org) return undefined;
  if (access.revoked_at !== null || access.disabled_at !== null) return undefined;
  return access.standing === 'in_order' || access.standing === 'past_due' ? access.standing : undefined;
}

function principalOf(claims: Claims): Principal {
  const scopes = claims.scope
    .split(' ')
    .filter((scope): scope is Scope => scope === 'read:*' || scope === 'write:*');
  return Object.freeze({
    organization: claims.org,
    client: claims.client_id,
    grant: claims.grant,
    ...(claims.customer === undefined ? {} : { customer: claims.customer }),
    scopes: Object.freeze(scopes),
    version: claims.ver,
  });
}
