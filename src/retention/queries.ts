import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../platform/database/db.ts';

/*
 * Each statement removes some rows and says how many, so that none holds its locks for long; callers repeat it until
 * nothing is left. Tenant tables are swept organization by organization, as everything else is done there.
 */

export async function listOrganizationIds(connection: Connection): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`SELECT id FROM list_organizations()`.execute(connection);
  return rows.map((row) => row.id);
}

/** How old rows of a tenant table are found. */
interface Expiry {
  /** Behind the organization, what names a row. */
  readonly key: readonly string[];
  /** The column whose instant counts. */
  readonly at: 'created_at' | 'expires_at';
  /** What else must hold. */
  readonly also?: RawBuilder<boolean>;
}

const EXPIRIES = {
  idempotency_keys: { key: ['client_id', 'route', 'key'], at: 'created_at' },
  /* With the one-time codes that were sent for them. */
  authorization_requests: { key: ['id'], at: 'created_at' },
  /* Codes that gave nothing; the others go with their grant. */
  authorization_codes: { key: ['hash'], at: 'expires_at', also: sql<boolean>`grant_id IS NULL` },
  refresh_tokens: { key: ['hash'], at: 'expires_at' },
  /* A grant without refresh tokens has issued its last access token long ago, if it is as old as they live. */
  grants: {
    key: ['id'],
    at: 'created_at',
    also: sql<boolean>`NOT EXISTS (
      SELECT FROM refresh_tokens AS token
       WHERE token.organization_id = grants.organization_id AND token.grant_id = grants.id)`,
  },
  /* Tokens that were given back and would be over by now. */
  revoked_tokens: { key: ['jti'], at: 'expires_at' },
  wrong_one_time_codes: { key: ['id'], at: 'created_at' },
  /* Links into the portal, used or not. */
  magic_links: { key: ['hash'], at: 'expires_at' },
  portal_sessions: { key: ['hash'], at: 'expires_at' },
  /* People who did not sign up. A lead that became a contract belongs to it. */
  leads: { key: ['id'], at: 'created_at', also: sql<boolean>`subscription_id IS NULL` },
} satisfies Record<string, Expiry>;

export type ExpiringTable = keyof typeof EXPIRIES;

/** Removes some of an organization's rows of before an instant. */
export async function deleteExpired(
  connection: Connection,
  organization: string,
  table: ExpiringTable,
  old: { before: string; rowsMax: number },
): Promise<number> {
  const { key, at, also = sql<boolean>`true` }: Expiry = EXPIRIES[table];
  const columns = sql.join(key.map((name) => sql.ref(name)));
  return affected(
    await sql`
      DELETE FROM ${sql.table(table)}
       WHERE organization_id = ${organization}
         AND (${columns}) IN (
               SELECT ${columns}
                 FROM ${sql.table(table)}
                WHERE organization_id = ${organization} AND ${sql.ref(at)} < ${old.before} AND ${also}
                LIMIT ${old.rowsMax})`.execute(connection),
  );
}

/** A key that signed its last token long ago loses its private half; the row tells which key it was. */
export async function updateSigningKeysRemoved(
  connection: Connection,
  signedUntilBefore: string,
  now: string,
): Promise<number> {
  return affected(
    await sql`
      UPDATE signing_keys SET removed_at = ${now}, private_key_encrypted = ''
       WHERE removed_at IS NULL AND signs_until < ${signedUntilBefore}`.execute(connection),
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

/** By the role for maintenance. Whole chunks go, the oldest first, so a little more than the period stays. */
export async function deleteSnapshotChunks(
  connection: Connection,
  before: string,
  chunksMax: number,
): Promise<number> {
  const { rows } = await sql<{ dropped: number }>`
    SELECT drop_old_snapshot_chunks(${before}, ${chunksMax}) AS dropped`.execute(connection);
  return rows[0]?.dropped ?? 0;
}

function affected(result: { numAffectedRows?: bigint }): number {
  return Number(result.numAffectedRows ?? 0n);
}
