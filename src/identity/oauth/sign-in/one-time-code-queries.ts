import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';

/**
 * Held until the end of the transaction: what is counted by this hash is counted and made one after the other. Always the
 * hash of the address first, then of the network, then of the client.
 */
export async function lockCounted(connection: Connection, hash: Buffer): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${hash.readBigInt64BE(0).toString()}::bigint)`.execute(connection);
}

export interface CodesOfAddress {
  count: number;
  /** Since the first of them. */
  oldest_seconds: number | null;
  count_of_network: number;
  oldest_of_network_seconds: number | null;
  /** Since the last one for this request. */
  newest_of_request_seconds: number | null;
}

const age = (now: string, instant: unknown) =>
  sql<number | null>`extract(epoch FROM ${now}::timestamptz - ${instant})::float8`;

export async function findCodesOfAddress(
  connection: Connection,
  organization: string,
  query: { address_hash: Buffer; network_hash: Buffer; request_id: string; since: string; now: string },
): Promise<CodesOfAddress> {
  return await connection
    .selectFrom('one_time_codes')
    .select((is) => {
      const created = is.ref('created_at');
      const ofNetwork = sql`FILTER (WHERE ${is.ref('network_hash')} = ${query.network_hash})`;
      const ofRequest = sql`FILTER (WHERE ${is.ref('request_id')} = ${query.request_id})`;
      return [
        is.fn.countAll<number>().as('count'),
        age(query.now, sql`min(${created})`).as('oldest_seconds'),
        sql<number>`count(*) ${ofNetwork}`.as('count_of_network'),
        age(query.now, sql`min(${created}) ${ofNetwork}`).as('oldest_of_network_seconds'),
        age(query.now, sql`max(${created}) ${ofRequest}`).as('newest_of_request_seconds'),
      ];
    })
    .where('organization_id', '=', organization)
    .where('address_hash', '=', query.address_hash)
    .where('created_at', '>', query.since)
    .executeTakeFirstOrThrow();
}

/** Codes that were mailed to people who sign up, by where they came from. */
export async function findSignUpCodes(
  connection: Connection,
  organization: string,
  by: { network_hash: Buffer } | { client_id: string },
  { since, now }: { since: string; now: string },
): Promise<{ count: number; oldest_seconds: number | null }> {
  const codes = connection
    .selectFrom('one_time_codes')
    .select((is) => [
      is.fn.countAll<number>().as('count'),
      age(now, sql`min(${is.ref('created_at')})`).as('oldest_seconds'),
    ])
    .where('organization_id', '=', organization)
    .where('signs_up', '=', true)
    .where('created_at', '>', since);
  const counted =
    'client_id' in by
      ? codes.where('client_id', '=', by.client_id)
      : codes.where('network_hash', '=', by.network_hash);
  return await counted.executeTakeFirstOrThrow();
}

export async function insertOneTimeCode(
  connection: Connection,
  organization: string,
  code: {
    request_id: string;
    client_id: string | null;
    address_hash: Buffer;
    network_hash: Buffer;
    code_hash: Buffer;
    signs_up: boolean;
    is_long: boolean;
    created_at: string;
    expires_at: string;
  },
): Promise<void> {
  await connection
    .insertInto('one_time_codes')
    .values({ ...code, organization_id: organization })
    .execute();
}

export interface LivingCode {
  id: number;
  request_id: string;
  code_hash: Buffer;
  is_long: boolean;
}

/** The newest living code of the request for this address; where it has none, the newest of any request. */
export async function findLivingCode(
  connection: Connection,
  organization: string,
  of: { request_id: string; address_hash: Buffer; since: string; now: string },
): Promise<LivingCode | undefined> {
  return await connection
    .selectFrom('one_time_codes')
    .select(['id', 'request_id', 'code_hash', 'is_long'])
    .where('organization_id', '=', organization)
    .where('address_hash', '=', of.address_hash)
    .where('created_at', '>', of.since)
    .where('expires_at', '>', of.now)
    .where('used_at', 'is', null)
    .orderBy((is) => is('request_id', '=', of.request_id), 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Counts a guess at a code before it is looked at; undefined where no guess is left. */
export async function updateAttempts(
  connection: Connection,
  organization: string,
  { id, attemptsMax }: { id: number; attemptsMax: number },
): Promise<number | undefined> {
  const counted = await connection
    .updateTable('one_time_codes')
    .set((is) => ({ attempts: sql<number>`${is.ref('attempts')} + 1` }))
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .where('attempts', '<', attemptsMax)
    .returning('attempts')
    .executeTakeFirst();
  return counted?.attempts;
}

export async function updateOneTimeCodeUsed(
  connection: Connection,
  organization: string,
  id: number,
  now: string,
): Promise<void> {
  await connection
    .updateTable('one_time_codes')
    .set({ used_at: now })
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .execute();
}

/** Whether a wrong code since this instant was one too many. */
export async function findLengthening(
  connection: Connection,
  organization: string,
  of: { address_hash: Buffer; since: string },
): Promise<boolean> {
  const found = await connection
    .selectFrom('wrong_one_time_codes')
    .select('id')
    .where('organization_id', '=', organization)
    .where('address_hash', '=', of.address_hash)
    .where('lengthens', '=', true)
    .where('created_at', '>', of.since)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Keeps a wrong code; true when it is the `max`th since that instant, or one after it. */
export async function insertWrongCode(
  connection: Connection,
  organization: string,
  wrong: { address_hash: Buffer; since: string; now: string; max: number },
): Promise<boolean> {
  const { rows } = await sql<{ lengthens: boolean }>`
    INSERT INTO wrong_one_time_codes (organization_id, address_hash, created_at, lengthens)
    SELECT ${organization}, ${wrong.address_hash}, ${wrong.now}::timestamptz, count(*) + 1 >= ${wrong.max}
      FROM (SELECT FROM wrong_one_time_codes
             WHERE organization_id = ${organization} AND address_hash = ${wrong.address_hash}
               AND created_at > ${wrong.since}
             LIMIT ${wrong.max}) AS earlier
    RETURNING lengthens`.execute(connection);
  return rows[0]?.lengthens === true;
}

/** Codes for an address, and what was typed wrongly for it; how many rows. */
export async function deleteCodesOfAddress(
  connection: Connection,
  organization: string,
  address_hash: Buffer,
): Promise<number> {
  let deleted = 0n;
  for (const table of ['one_time_codes', 'wrong_one_time_codes'] as const) {
    const { numDeletedRows } = await connection
      .deleteFrom(table)
      .where('organization_id', '=', organization)
      .where('address_hash', '=', address_hash)
      .executeTakeFirstOrThrow();
    deleted += numDeletedRows;
  }
  return Number(deleted);
}
