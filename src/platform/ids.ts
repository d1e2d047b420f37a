import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
const BODY_LENGTH = 24;
/** 252 = 7 x 36: bytes from here on are drawn again, or the first letters would come up more often. */
const REJECT_FROM = 252;

/**
 * A new opaque id: prefix, underscore, 24 characters out of `0-9a-z` (124 random bits). A prefix is two to eight small
 * letters and belongs to one noun, which says it in one place.
 */
export function newId<Prefix extends string>(prefix: Prefix): `${Prefix}_${string}` {
  let body = '';
  while (body.length < BODY_LENGTH) {
    for (const byte of randomBytes(BODY_LENGTH)) {
      if (byte < REJECT_FROM && body.length < BODY_LENGTH) body += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return `${prefix}_${body}`;
}

/** Only an id of ours may be put into SQL text as a setting. */
export const ID_PATTERN = /^[a-z]{2,8}_[0-9a-z]{24}$/;

/** Only such a text is worth asking the database for; any other cannot be stored there, or not even be sent. */
export function isId(text: string): boolean {
  return ID_PATTERN.test(text);
}
