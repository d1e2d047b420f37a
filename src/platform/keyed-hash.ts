import { createHmac } from 'node:crypto';

export type SecretKind =
  | 'client-secret'
  | 'refresh-token'
  | 'authorization-code'
  | 'one-time-code'
  | 'browser'
  | 'address'
  | 'network'
  | 'client'
  | 'forms'
  | 'magic-link'
  | 'portal-session'
  | 'portal-forms';

/**
 * What the database keeps of a secret. The texts carry 256 random bits, so that a keyed hash is enough: scrypt at
 * N = 2^17 took 336 ms and would cap the token endpoint at 12 requests a second, this takes 0.01 ms.
 */
export function keyedHash(pepper: string, kind: SecretKind, text: string): Buffer {
  return createHmac('sha256', pepper).update(`${kind}\0`).update(text).digest();
}
