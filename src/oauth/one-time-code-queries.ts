import { sql } from 'kysely';
import type { Connection } from '../platform/db.ts';

/** Held until the end of the transaction: codes of one address are counted and made one after the other. */
export async function lockAddress(connection: Connection, addressHash: Buffer): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${addressHash.readBigInt64BE(0).toString()}::bigint)`.execute(
    connection,
  );
}

export interface CodesOfAddress {
  count: number;
  /** Since the first of them. */
  oldest_seconds: number | null;
  /** Since the last one for this request. */
  newest_of_request_seconds: number | null;
}

export async function findCodesOfAddress(
  connection: Connection,
  organization: string,
  asked: { address_hash: Buffer; request_id: string; since: string; now: string },
): Promise<CodesOfAddress> {
  const age = (instant: unknown) =>
    sql<number | null>`extract(epoch FROM ${asked.now}::timestamptz - ${instant})::float8`;
  return await connection
    .selectFrom('one_time_codes')
    .select((is) => {
      const created = is.ref('created_at');
      return [
        is.fn.countAll<number>().as('count'),
        age(sql`min(${created})`).as('oldest_seconds'),
        age(sql`max(${created}) FILTER (WHERE ${is.ref('request_id')} = ${asked.request_id})`).as(
          'newest_of_request_seconds',
        ),
      ];
    })
    .where('organization_id', '=', organization)
    .where('address_hash', '=', asked.address_hash)
    .where('created_at', '>', asked.since)
    .executeTakeFirstOrThrow();
}

export async function insertOneTimeCode(
  connection: Connection,
  organization: string,
  code: {
    request_id: string;
    address_hash: Buffer;
    code_hash: Buffer;
    created_at: string;
    expires_at: string;
  },
): Promise<void> {
  await connection
    .insertInto('one_time_codes')
    .values({ ...code, organization_id: organization })
    .execute();
}

export interface Attempt {
  id: number;
  code_hash: Buffer;
  attempts: number;
}

/**
 * Counts a guess at the newest code that the request has for the address, before it is looked at; undefined where no guess
 * is left. A code for another address proves that address, so it must never count for this one.
 */
export async function updateAttempts(
  connection: Connection,
  organization: string,
  guess: { request_id: string; address_hash: Buffer; attemptsMax: number; now: string },
): Promise<Attempt | undefined> {
  return await connection
    .updateTable('one_time_codes')
    .set((is) => ({ attempts: sql<number>`${is.ref('attempts')} + 1` }))
    .where('organization_id', '=', organization)
    .where('id', '=', (is) =>
      is
        .selectFrom('one_time_codes as of_request')
        .select((of) => of.fn.max('of_request.id').as('id'))
        .where('of_request.organization_id', '=', organization)
        .where('of_request.request_id', '=', guess.request_id)
        .where('of_request.address_hash', '=', guess.address_hash),
    )
    .where('used_at', 'is', null)
    .where('attempts', '<', guess.attemptsMax)
    .where('expires_at', '>', guess.now)
    .returning(['id', 'code_hash', 'attempts'])
    .executeTakeFirst();
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
