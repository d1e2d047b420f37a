import { sql } from 'kysely';
import type { VersionName } from '../../../config/versions.ts';
import type { Connection } from '../../../platform/database/db.ts';
import type { Scope } from '../../../platform/principal.ts';

/* A client as whoever signs it in sees it. What the operator registers stands in queries.ts. */

export type ClientStanding = 'in_order' | 'past_due' | 'suspended' | 'deleted';

/** An auth client as the token endpoint needs it, with the standing of its organization. */
export interface AuthClient {
  id: string;
  organization_id: string;
  standing: ClientStanding;
  customer_id: string | null;
  scopes: Scope[];
  grants: string[];
  public: boolean;
  version: VersionName;
  disabled_at: string | null;
}

/** Looks across organizations: whose client it is, is what the caller wants to know. */
export async function findClient(connection: Connection, client: string): Promise<AuthClient | undefined> {
  const { rows } = await sql<AuthClient>`
    SELECT id, organization_id, standing, customer_id, scopes, grants, public, version, disabled_at
    FROM find_client(${client})`.execute(connection);
  return rows[0];
}

export async function listLiveSecretHashes(
  connection: Connection,
  organization: string,
  client: string,
  now: string,
): Promise<Buffer[]> {
  const rows = await connection
    .selectFrom('client_secrets')
    .select('secret_hash')
    .where('organization_id', '=', organization)
    .where('client_id', '=', client)
    .where('revoked_at', 'is', null)
    .where((is) => is.or([is('expires_at', 'is', null), is('expires_at', '>', now)]))
    .execute();
  return rows.map((row) => row.secret_hash);
}

/** At most once a minute: the row would otherwise be rewritten by every token and every call. */
export async function updateLastUse(
  connection: Connection,
  organization: string,
  client: string,
  times: { now: string; unlessAfter: string },
): Promise<void> {
  await connection
    .updateTable('auth_clients')
    .set({ last_used_at: times.now })
    .where('organization_id', '=', organization)
    .where('id', '=', client)
    .where((is) => is.or([is('last_used_at', 'is', null), is('last_used_at', '<', times.unlessAfter)]))
    .execute();
}
