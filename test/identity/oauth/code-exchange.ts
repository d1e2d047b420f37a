import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { TokenAnswer, Tokens } from './token-requests.ts';

/** A verifier with the challenge that RFC 7636 gives for it. */
export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

export function s256(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** The answer to a code that gives nothing. */
export function expectRefused(answer: TokenAnswer, error = 'invalid_grant'): void {
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ code: 'BAD_REQUEST', error });
  expect(answer.body.error_description).toBe(answer.body.message);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('www-authenticate')).toBeNull();
}

export function tokensIn(answer: TokenAnswer): Tokens {
  expect(answer.status).toBe(200);
  return answer.body as unknown as Tokens;
}
