import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';

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
