import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';
import type { Scope } from '../../../platform/principal.ts';

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
