import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/*
 * Secrets that the service needs in clear: private keys that sign tokens, secrets that sign webhooks. The database has
 * them encrypted under ENCRYPTION_KEY, which it never sees.
 */

const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What a sealed value is for: one of another kind does not open. The words are part of stored values. */
type SealedKind = 'signing-key' | 'webhook-secret';

function cipherKey(encryptionKey: string, kind: SealedKind): Buffer {
  return createHash('sha256').update(`${kind}\0`).update(encryptionKey).digest();
}

/** AES-256-GCM; `boundTo` (an id) must be the same when it is opened: rows cannot be exchanged. */
export function seal(encryptionKey: string, kind: SealedKind, boundTo: string, content: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', cipherKey(encryptionKey, kind), nonce);
  cipher.setAAD(Buffer.from(boundTo));
  const body = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([Buffer.of(FORMAT), nonce, cipher.getAuthTag(), body]);
}

/** Throws where the key, the kind or what it is bound to is another one, or where a byte was changed. */
export function unseal(encryptionKey: string, kind: SealedKind, boundTo: string, sealed: Buffer): Buffer {
  const bodyAt = 1 + NONCE_BYTES + TAG_BYTES;
  if (sealed.length < bodyAt || sealed[0] !== FORMAT) throw new Error('Not a sealed value of this format');
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', cipherKey(encryptionKey, kind), nonce, {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(boundTo));
  decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, bodyAt));
  return Buffer.concat([decipher.update(sealed.subarray(bodyAt)), decipher.final()]);
}
