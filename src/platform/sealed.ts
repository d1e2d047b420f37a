import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/*
 * Secrets that the service needs in clear: private keys that sign tokens, secrets that sign webhooks. The database has them
 * encrypted under ENCRYPTION_KEY, which it never sees. It may hold several keys, parted by commas: the first one encrypts,
 * and each opens what it encrypted.
 */

/** Values of before name no key. */
const WITHOUT_KEY_ID = 1;
const WITH_KEY_ID = 2;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What a sealed value is for: one of another kind does not open. The words are part of stored values. */
export type SealedKind = 'signing-key' | 'webhook-secret';

function cipherKey(encryptionKey: string, kind: SealedKind): Buffer {
  return createHash('sha256').update(`${kind}\0`).update(encryptionKey).digest();
}

/** Says which key it was, and nothing about it: keys are random. */
function keyId(key: string): Buffer {
  return createHash('sha256').update('key-id\0').update(key).digest().subarray(0, KEY_ID_BYTES);
}

/** AES-256-GCM; `boundTo` (an id) must be the same when it is opened: rows cannot be exchanged. */
export function seal(encryptionKey: string, kind: SealedKind, boundTo: string, content: Uint8Array): Buffer {
  const [key = ''] = encryptionKey.split(',');
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', cipherKey(key, kind), nonce);
  cipher.setAAD(Buffer.from(boundTo));
  const body = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([Buffer.of(WITH_KEY_ID), keyId(key), nonce, cipher.getAuthTag(), body]);
}

/** Throws where no key opens it, the kind or what it is bound to is another one, or where a byte was changed. */
export function unseal(encryptionKey: string, kind: SealedKind, boundTo: string, sealed: Buffer): Buffer {
  const keys = encryptionKey.split(',');
  if (sealed[0] === WITH_KEY_ID) {
    const id = sealed.subarray(1, 1 + KEY_ID_BYTES);
    const key = keys.find((candidate) => keyId(candidate).equals(id));
    if (key === undefined)
      throw new Error(`It was sealed with the key ${id.toString('hex')}, which is not given`);
    return opened(cipherKey(key, kind), boundTo, sealed.subarray(1 + KEY_ID_BYTES));
  }
  if (sealed[0] !== WITHOUT_KEY_ID) throw new Error('Not a sealed value of this format');
  for (const [index, key] of keys.entries()) {
    try {
      return opened(cipherKey(key, kind), boundTo, sealed.subarray(1));
    } catch (error) {
      if (index === keys.length - 1) throw error;
    }
  }
  throw new Error('No key is given');
}

function opened(key: Buffer, boundTo: string, sealed: Buffer): Buffer {
  const bodyAt = NONCE_BYTES + TAG_BYTES;
  if (sealed.length < bodyAt) throw new Error('Not a sealed value of this format');
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(boundTo));
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, bodyAt));
  return Buffer.concat([decipher.update(sealed.subarray(bodyAt)), decipher.final()]);
}

/** The same content under the first key; null where that one sealed it. */
export function reseal(
  encryptionKey: string,
  kind: SealedKind,
  boundTo: string,
  sealed: Buffer,
): Buffer | null {
  const [first = ''] = encryptionKey.split(',');
  const isNewest = sealed[0] === WITH_KEY_ID && keyId(first).equals(sealed.subarray(1, 1 + KEY_ID_BYTES));
  return isNewest ? null : seal(encryptionKey, kind, boundTo, unseal(encryptionKey, kind, boundTo, sealed));
}
