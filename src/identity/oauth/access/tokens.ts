import { randomUUID } from 'node:crypto';
import { type CryptoKey, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { VERSION_NAMES, type VersionName } from '../../../config/versions.ts';
import type { Connection } from '../../../platform/database/db.ts';
import { keyedHash } from '../../../platform/keyed-hash.ts';
import type { Scope } from '../../../platform/principal.ts';
import { type Keyring, SIGNATURE_ALGORITHM, type SigningKey } from '../keys/keys.ts';
import { newRefreshToken } from '../protocol/secrets.ts';
import { insertRefreshToken } from './token-queries.ts';

export const ACCESS_TOKEN_SECONDS = 3600;
/** The media type of RFC 9068: no other JWT that the same key may ever sign passes for an access token. */
export const ACCESS_TOKEN_TYPE = 'at+jwt';

/** For clocks of other issuers' machines that run ahead; expiry has no leeway. */
const LEEWAY_SECONDS = 60;
/** Ours have about 900 characters. */
export const TOKEN_CHARACTERS_MAX = 8_192;

/** Told from an access token by its form alone. */
export const REFRESH_TOKEN_PATTERN = /^[0-9a-f]{64}$/;

const DAY_MILLISECONDS = 86_400_000;
const REFRESH_IDLE_DAYS = 30;
/** Counted from the grant, however steadily its refresh tokens are used. */
export const GRANT_DAYS = 180;

/** What an access token says. Whole numbers only: `1e400` would be a time that never comes. */
export const accessTokenClaims = z.object({
  iss: z.string(),
  sub: z.string(),
  client_id: z.string(),
  org: z.string(),
  customer: z.string().optional(),
  role: z.enum(['organization', 'customer']),
  /** Everything that was issued together and is revoked together. */
  grant: z.string(),
  scope: z.string(),
  ver: z.enum(VERSION_NAMES),
  iat: z.int(),
  nbf: z.int().optional(),
  exp: z.int(),
  jti: z.string(),
});

export type Claims = z.output<typeof accessTokenClaims>;

export interface TokenSubject {
  organization: string;
  client: string;
  grant: string;
  customer: string | null;
  scopes: readonly Scope[];
  version: VersionName;
}

/** Signs an access token; issuer and audience are the address under which clients reach the service. */
export async function mintAccessToken(
  { kid, key }: SigningKey,
  baseUrl: string,
  subject: TokenSubject,
  nowMilliseconds: number,
): Promise<string> {
  const issuedAt = Math.floor(nowMilliseconds / 1000);
  const claims = {
    iss: baseUrl,
    sub: subject.customer ?? subject.client,
    client_id: subject.client,
    org: subject.organization,
    ...(subject.customer === null ? {} : { customer: subject.customer }),
    role: subject.customer === null ? 'organization' : 'customer',
    grant: subject.grant,
    scope: subject.scopes.join(' '),
    ver: subject.version,
    iat: issuedAt,
    exp: issuedAt + ACCESS_TOKEN_SECONDS,
    jti: randomUUID(),
  } satisfies z.input<typeof accessTokenClaims>;
  return await new SignJWT({ ...claims, aud: baseUrl })
    .setProtectedHeader({ alg: SIGNATURE_ALGORITHM, typ: ACCESS_TOKEN_TYPE, kid })
    .sign(key);
}

/** Undefined for a token that is not ours, not whole, not yet or no longer valid. Throws only what is not its fault. */
export async function verifiedClaims(
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

/** The end of everything that a grant made now can give. */
export function grantEnd(nowMilliseconds: number): string {
  return new Date(nowMilliseconds + GRANT_DAYS * DAY_MILLISECONDS).toISOString();
}

/** A refresh token of the grant: for 30 days, but never past the end of the grant. The text itself is kept nowhere. */
export async function issueRefreshToken(
  connection: Connection,
  pepper: string,
  grant: { organization: string; id: string; endsAt: string },
  nowMilliseconds: number,
): Promise<string> {
  const text = newRefreshToken();
  await insertRefreshToken(connection, grant.organization, {
    hash: keyedHash(pepper, 'refresh-token', text),
    grant_id: grant.id,
    created_at: new Date(nowMilliseconds).toISOString(),
    idle_until: new Date(nowMilliseconds + REFRESH_IDLE_DAYS * DAY_MILLISECONDS).toISOString(),
    grant_until: grant.endsAt,
  });
  return text;
}
