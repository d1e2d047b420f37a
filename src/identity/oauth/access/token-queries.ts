import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';
import type { Scope } from '../../../platform/principal.ts';

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

/** One access token, until it would have expired anyway. Given back twice, it is given back once. */
export async function insertRevokedToken(
  connection: Connection,
  organization: string,
  token: { jti: string; client_id: string; revoked_at: string; expires_at: string },
): Promise<void> {
  await connection
    .insertInto('revoked_tokens')
    .values({ ...token, organization_id: organization })
    .onConflict((conflict) => conflict.columns(['organization_id', 'jti']).doNothing())
    .execute();
}

export interface LiveRefreshToken {
  client_id: string;
  customer_id: string | null;
  scopes: Scope[];
  /** Seconds since 1970. */
  issued_at: number;
  expires_at: number;
}

/** A refresh token that would be taken now. */
export async function findLiveRefreshToken(
  connection: Connection,
  organization: string,
  hash: Buffer,
  now: string,
): Promise<LiveRefreshToken | undefined> {
  const row = await connection
    .selectFrom('refresh_tokens')
    .innerJoin('grants', (join) =>
      join
        .onRef('grants.organization_id', '=', 'refresh_tokens.organization_id')
        .onRef('grants.id', '=', 'refresh_tokens.grant_id'),
    )
    .select(['grants.client_id', 'grants.customer_id', 'grants.scopes'])
    .select((is) => [
      sql<number>`floor(extract(epoch FROM ${is.ref('refresh_tokens.created_at')}))::bigint`.as('issued_at'),
      sql<number>`floor(extract(epoch FROM ${is.ref('refresh_tokens.expires_at')}))::bigint`.as('expires_at'),
    ])
    .where('refresh_tokens.organization_id', '=', organization)
    .where('refresh_tokens.hash', '=', hash)
    .where('refresh_tokens.used_at', 'is', null)
    .where('refresh_tokens.expires_at', '>', now)
    .where('grants.revoked_at', 'is', null)
    .executeTakeFirst();
  return row as LiveRefreshToken | undefined;
}
