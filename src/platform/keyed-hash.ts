import { createHmac } from 'node:crypto';

/**
 * What the database keeps of a secret. The texts carry 256 random bits, so that a keyed hash is enough: scrypt at
 * N = 2^17 took 336 ms and would cap the token endpoint at 12 requests a second, this takes 0.01 ms.
 * `kind` says what the text is for: a text of one kind never has the hash of another.
 */
export function keyedHash(pepper: string, kind: string, text: string): Buffer {
  return createHmac('sha256', pepper).update(`${kind}\0`).update(text).digest();
}
