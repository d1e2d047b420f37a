import { type Expression, sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';
import type { RemovalLimits } from '../../../platform/retention.ts';

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
  /** Since it began to sign; negative before. */
  age_seconds: number;
  /** Null as long as it has no successor. */
  published_until: string | null;
}

/** Access tokens live for 60 minutes; processes read the keys once a minute, so a last signature comes a little late. */
const PUBLISHED_AFTER_LAST_SIGNATURE_MINUTES = 70;

/** The published keys, the latest first. A key is left out when no token that it signed can be valid any more. */
export async function listSigningKeys(connection: Connection, now: string): Promise<SigningKeyRow[]> {
  return await connection
    .selectFrom('signing_keys')
    .select(['kid', 'public_jwk', 'private_key_encrypted', 'created_at', 'signs_from', 'signs_until'])
    .select((is) => [
      sql<boolean>`${is.ref('signs_from')} <= ${now} AND coalesce(${is.ref('signs_until')} > ${now}, true)`.as(
        'signs',
      ),
      sql<boolean>`coalesce(${is.ref('signs_until')} <= ${now}, false)`.as('ended'),
      sql<number>`floor(extract(epoch FROM ${now}::timestamptz - ${is.ref('signs_from')}))::bigint`.as(
        'age_seconds',
      ),
      publishedUntil(is.ref('signs_until')).as('published_until'),
    ])
    .where('removed_at', 'is', null)
    .where((is) => sql<boolean>`coalesce(${publishedUntil(is.ref('signs_until'))} > ${now}, true)`)
    .orderBy('signs_from', 'desc')
    .orderBy('kid')
    .execute();
}

function publishedUntil(signsUntil: Expression<string | null>) {
  return sql<string | null>`${signsUntil} + make_interval(mins => ${PUBLISHED_AFTER_LAST_SIGNATURE_MINUTES})`;
}

/** Keys that have no end yet end at this instant. */
export async function updateSigningEnd(connection: Connection, signsUntil: string): Promise<void> {
  await connection
    .updateTable('signing_keys')
    .set({ signs_until: signsUntil })
    .where('removed_at', 'is', null)
    .where('signs_until', 'is', null)
    .where('signs_from', '<', signsUntil)
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

/** All that have a private half, also those that are no longer published. */
export async function listSealedKeys(
  connection: Connection,
): Promise<Pick<SigningKeyRow, 'kid' | 'private_key_encrypted'>[]> {
  return await connection
    .selectFrom('signing_keys')
    .select(['kid', 'private_key_encrypted'])
    .where('removed_at', 'is', null)
    .execute();
}

export async function updateSealedKey(
  connection: Connection,
  { kid, private_key_encrypted }: Pick<SigningKeyRow, 'kid' | 'private_key_encrypted'>,
): Promise<void> {
  await connection
    .updateTable('signing_keys')
    .set({ private_key_encrypted })
    .where('kid', '=', kid)
    .where('removed_at', 'is', null)
    .execute();
}

/** A key that signed its last token long ago loses its private half; the row tells which key it was. */
export async function updateSigningKeysRemoved(
  connection: Connection,
  { before, now }: RemovalLimits,
): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE signing_keys SET removed_at = ${now}, private_key_encrypted = ''
     WHERE removed_at IS NULL AND signs_until < ${before}`.execute(connection);
  return Number(numAffectedRows ?? 0n);
}
