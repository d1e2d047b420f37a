import { sql } from 'kysely';
import type { Connection } from '../platform/db.ts';

export interface SigningKeyRow {
  kid: string;
  public_jwk: unknown;
  private_key_encrypted: Buffer;
  created_at: string;
  signs_from: string;
  signs_until: string | null;
  /** May sign at the instant that was asked about: begun and not ended. */
  signs: boolean;
  /** Will not sign again. */
  ended: boolean;
}

/** The keys that are published, the one that began to sign last first. */
export async function listSigningKeys(connection: Connection, now: string): Promise<SigningKeyRow[]> {
  return await connection
    .selectFrom('signing_keys')
    .select(['kid', 'public_jwk', 'private_key_encrypted', 'created_at', 'signs_from', 'signs_until'])
    .select((is) => [
      sql<boolean>`${is.ref('signs_from')} <= ${now} AND coalesce(${is.ref('signs_until')} > ${now}, true)`.as(
        'signs',
      ),
      sql<boolean>`coalesce(${is.ref('signs_until')} <= ${now}, false)`.as('ended'),
    ])
    .where('removed_at', 'is', null)
    .orderBy('signs_from', 'desc')
    .orderBy('kid')
    .execute();
}

/** Held until the end of the transaction: of two processes that start at once, one makes the first key. */
export async function lockSigningKeys(connection: Connection): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('voltstream signing keys', 0))`.execute(connection);
}

export interface NewSigningKey {
  kid: string;
  public_jwk: string;
  private_key_encrypted: Buffer;
  created_at: string;
  signs_from: string;
}

export async function insertSigningKey(connection: Connection, key: NewSigningKey): Promise<void> {
  await connection.insertInto('signing_keys').values(key).execute();
}
