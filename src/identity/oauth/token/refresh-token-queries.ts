import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';

export interface NewRefreshToken {
  hash: Buffer;
  grant_id: string;
  created_at: string;
  /** Since the last use, and since the grant: the earlier one counts. */
  idle_until: string;
  grant_until: string;
}

export async function insertRefreshToken(
  connection: Connection,
  organization: string,
  token: NewRefreshToken,
): Promise<void> {
  const { idle_until, grant_until, ...row } = token;
  const expires_at = sql<string>`least(${idle_until}::timestamptz, ${grant_until}::timestamptz)`;
  await connection
    .insertInto('refresh_tokens')
    .values({ ...row, expires_at, organization_id: organization })
    .execute();
}

/**
 * Uses the token up: true for exactly one of any number of simultaneous callers. One conditional UPDATE decides;
 * reading first and writing then let more than one of 20 callers win in 49 of 50 measured rounds.
 */
export async function updateTokenUsed(
  connection: Connection,
  organization: string,
  hash: Buffer,
  now: string,
): Promise<boolean> {
  const used = await connection
    .updateTable('refresh_tokens')
    .set({ used_at: now })
    .where('organization_id', '=', organization)
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('grant_id')
    .executeTakeFirst();
  return used !== undefined;
}

/** True when the token was used before `instant`; false for one that was used since, or never. */
export async function findTokenUsedBefore(
  connection: Connection,
  organization: string,
  hash: Buffer,
  instant: string,
): Promise<boolean> {
  const found = await connection
    .selectFrom('refresh_tokens')
    .select('grant_id')
    .where('organization_id', '=', organization)
    .where('hash', '=', hash)
    .where('used_at', '<', instant)
    .executeTakeFirst();
  return found !== undefined;
}
