import { type CryptoKey, decodeProtectedHeader, jwtVerify } from 'jose';
import type { z } from 'zod';
import { type Keyring, SIGNATURE_ALGORITHM } from '../keys/keys.ts';
import { ACCESS_TOKEN_TYPE, accessTokenClaims } from '../token/tokens.ts';

/** For clocks of other issuers' machines that run ahead; expiry has no leeway. */
const LEEWAY_SECONDS = 60;
/** Ours have about 900 characters. */
export const TOKEN_CHARACTERS_MAX = 8_192;

export type Claims = z.output<typeof accessTokenClaims>;

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
