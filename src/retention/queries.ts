import { sql } from 'kysely';
import type { Connection } from '../platform/db.ts';

/*
 * Each statement removes some rows and says how many, so that none holds its locks for long; callers repeat it until
 * nothing is left. Tenant tables are swept organization by organization, as everything else is done there.
 */

export async function listOrganizationIds(connection: Connection): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`SELECT id FROM list_organizations()`.execute(connection);
  return rows.map((row) => row.id);
}

export async function deleteIdempotencyKeys(
  connection: Connection,
  organization: string,
  before: string,
  rowsMax: number,
): Promise<number> {
  return affected(
    await sql`
      DELETE FROM idempotency_keys
       WHERE (organization_id, client_id, route, key) IN (
               SELECT organization_id, client_id, route, key
                 FROM idempotency_keys
                WHERE organization_id = ${organization} AND created_at < ${before}
                LIMIT ${rowsMax})`.execute(connection),
  );
}

export async function deleteRefreshTokens(
  connection: Connection,
  organization: string,
  expiredBefore: string,
  rowsMax: number,
): Promise<number> {
  return affected(
    await sql`
      DELETE FROM refresh_tokens
       WHERE hash IN (
               SELECT hash
                 FROM refresh_tokens
                WHERE organization_id = ${organization} AND expires_at < ${expiredBefore}
                LIMIT ${rowsMax})`.execute(connection),
  );
}

/** A grant without refresh tokens has issued its last access token long ago, if it is as old as they live. */
export async function deleteGrants(
  connection: Connection,
  organization: string,
  createdBefore: string,
  rowsMax: number,
): Promise<number> {
  return affected(
    await sql`
      DELETE FROM grants
       WHERE organization_id = ${organization}
         AND id IN (
               SELECT id
                 FROM grants
                WHERE organization_id = ${organization}
                  AND created_at < ${createdBefore}
                  AND NOT EXISTS (
                        SELECT FROM refresh_tokens
                         WHERE refresh_tokens.organization_id = grants.organization_id
                           AND refresh_tokens.grant_id = grants.id)
                LIMIT ${rowsMax})`.execute(connection),
  );
}

/** By the role for maintenance: the service cannot delete here. */
export async function deleteAuditRows(
  connection: Connection,
  before: string,
  rowsMax: number,
): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    SELECT delete_old_audit_rows(${before}, ${rowsMax}) AS deleted`.execute(connection);
  return rows[0]?.deleted ?? 0;
}

/** By the role for maintenance. Whole chunks go, so a little more than the period stays. */
export async function deleteSnapshotChunks(connection: Connection, before: string): Promise<number> {
  const { rows } = await sql<{ dropped: number }>`
    SELECT drop_old_snapshot_chunks(${before}) AS dropped`.execute(connection);
  return rows[0]?.dropped ?? 0;
}

function affected(result: { numAffectedRows?: bigint }): number {
  return Number(result.numAffectedRows ?? 0n);
}
