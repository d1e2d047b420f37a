import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^43 is the first power of 62 above 2^256. */
const SECRET_LENGTH = 43;
/** 248 = 4 x 62: bytes from here on are drawn again, or the first letters would come up more often. */
const REJECT_FROM = 248;

/** Lets a reader of a leaked file, and a scanner of repositories, see at once what it is. */
const SECRET_PREFIX = 'ocs_';

/**
 * A new client secret with 256 random bits. Only letters and digits follow the prefix: common OAuth libraries
 * percent-encode everything else before Basic, and others do not.
 */
export function newClientSecret(): string {
  let body = '';
  while (body.length < SECRET_LENGTH) {
    for (const byte of randomBytes(SECRET_LENGTH)) {
      if (byte < REJECT_FROM && body.length < SECRET_LENGTH) body += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return SECRET_PREFIX + body;
}

/** A new refresh token: 256 random bits as 64 hexadecimal characters. */
export function newRefreshToken(): string {
  return randomBytes(32).toString('hex');
}

/** Lets filters of logs recognise a code wherever it stands. */
const CODE_PREFIX = 'acd_';

/** A new authorization code: 256 random bits, safe in an address. */
export function newAuthorizationCode(): string {
  return CODE_PREFIX + randomBytes(32).toString('base64url');
}

/** Six digits, each equally likely. */
export function newOneTimeCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0');
}

/** Without those that look alike: 0 and O, 1 and I. */
const READABLE = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const LONG_CODE_LENGTH = 10;

/** Ten letters and digits, 50 random bits: whoever guesses a thousand a second for a day finds one in ten million. */
export function newLongOneTimeCode(): string {
  return Array.from({ length: LONG_CODE_LENGTH }, () => READABLE.charAt(randomInt(READABLE.length))).join('');
}

/** Ties a sign-in to the browser that began it. */
export function newBrowserKey(): string {
  return randomBytes(32).toString('base64url');
}

/** A hash that no secret has: stands in where nothing is stored, so that the time is the same. */
const NO_HASH = randomBytes(32);

/** True when one of the presented hashes is one of the stored ones. Looks at all pairs, found or not. */
export function anyHashEqual(presented: readonly Buffer[], stored: readonly Buffer[]): boolean {
  let found = false;
  for (const hash of presented) {
    for (const other of stored.length === 0 ? [NO_HASH] : stored) {
      if (timingSafeEqual(hash, other)) found = true;
    }
  }
  return found;
}
