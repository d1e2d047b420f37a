import { createHash, timingSafeEqual } from 'node:crypto';

/** RFC 7636: what a verifier is made of, and a challenge with the method `plain` as well. */
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;

export type ChallengeMethod = 'S256' | 'plain';

export function isVerifier(text: string): boolean {
  return VERIFIER.test(text);
}

/**
 * What is kept of a challenge: always the hash of the expected verifier. With `plain` the challenge is the verifier
 * itself, a secret like any other.
 */
export function keptChallenge(challenge: string, method: ChallengeMethod): string {
  return method === 'S256' ? challenge : s256(challenge);
}

/** A verifier without a challenge is refused too: somebody took the challenge out of the authorize call. */
export function isProven(challenge: string | null, verifier: string | undefined): boolean {
  if (challenge === null || verifier === undefined) return challenge === null && verifier === undefined;
  const [expected, given] = [Buffer.from(challenge), Buffer.from(s256(verifier))];
  return expected.length === given.length && timingSafeEqual(expected, given);
}

function s256(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
