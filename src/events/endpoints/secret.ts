import { randomBytes } from 'node:crypto';
import { seal, unseal } from '../../platform/sealed.ts';
import { instantMicroseconds } from '../../platform/time/instant.ts';

/*
 * What webhooks are signed with. The receiver holds the same bytes, so a hash would not do: the database has them
 * encrypted under ENCRYPTION_KEY. Whoever has a dump of the database and no more can sign nothing.
 */

const SECRET_BYTES = 32;

export interface NewSecret {
  readonly bytes: Buffer;
  /** As Standard Webhooks writes it: what the receiver is told, once. */
  readonly text: string;
}

export function newSecret(): NewSecret {
  const bytes = randomBytes(SECRET_BYTES);
  return { bytes, text: `whsec_${bytes.toString('base64')}` };
}

/** Bound to the endpoint: put into the row of another one it does not open. */
export function sealSecret(encryptionKey: string, endpoint: string, { bytes }: NewSecret): Buffer {
  return seal(encryptionKey, 'webhook-secret', endpoint, bytes);
}

export interface SealedSecrets {
  readonly id: string;
  readonly secret: Buffer | null;
  readonly previous_secret: Buffer | null;
  readonly previous_secret_until: string | null;
}

/** Whether a secret of before signs at this instant, too. */
export function isOverlapping(
  { previous_secret_until: until }: Pick<SealedSecrets, 'previous_secret_until'>,
  now: string,
): boolean {
  return until !== null && instantMicroseconds(now) < instantMicroseconds(until);
}

/** The secrets that sign at this instant, the newest first: two during the overlap of a rotation. */
export function openSecrets(encryptionKey: string, endpoint: SealedSecrets, now: string): Buffer[] {
  const { id, secret, previous_secret } = endpoint;
  const sealed = isOverlapping(endpoint, now) ? [secret, previous_secret] : [secret];
  return sealed.flatMap((bytes) => (bytes === null ? [] : [opened(encryptionKey, id, bytes)]));
}

function opened(encryptionKey: string, endpoint: string, sealed: Buffer): Buffer {
  try {
    return unseal(encryptionKey, 'webhook-secret', endpoint, sealed);
  } catch (error) {
    throw new Error(`ENCRYPTION_KEY does not open the secret of ${endpoint}`, { cause: error });
  }
}
