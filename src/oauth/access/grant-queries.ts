import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Scope } from '../../platform/principal.ts';

export interface GrantRow {
  id: string;
  organization_id: string;
  client_id: string;
  customer_id: string | null;
  kind: 'client_credentials' | 'authorization_code';
  scopes: Scope[];
  created_at: string;
  revoked_at: string | null;
  revoked_reason: string | null;
}

const columns = [
  'id',
  'organization_id',
  'client_id',
  'customer_id',
  'kind',
  'scopes',
  'created_at',
  'revoked_at',
  'revoked_reason',
] as const;

export interface GrantFilter {
  client?: string;
  customer?: string;
  /** Those that are revoked as well. */
  all?: boolean;
  limit: number;
}

/** Newest first. */
export async function listGrants(
  connection: Connection,
  organization: string,
  { client, customer, all, limit }: GrantFilter,
): Promise<GrantRow[]> {
  let query = connection
    .selectFrom('grants')
    .select(columns)
    .where('organization_id', '=', organization)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (client !== undefined) query = query.where('client_id', '=', client);
  if (customer !== undefined) query = query.where('customer_id', '=', customer);
  if (all !== true) query = query.where('revoked_at', 'is', null);
  return (await query.execute()) as GrantRow[];
}

/** Locked, like by a refresh: of the two, one comes after the other. */
export async function lockGrant(
  connection: Connection,
  organization: string,
  grant: string,
): Promise<GrantRow | undefined> {
  const row = await connection
    .selectFrom('grants')
    .select(columns)
    .where('organization_id', '=', organization)
    .where('id', '=', grant)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row as GrantRow | undefined;
}

/** Looks across organizations: an operator names the grant only. */
export async function findGrantOrganization(
  connection: Connection,
  grant: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ organization_id: string }>`
    SELECT organization_id FROM find_grant(${grant})`.execute(connection);
  return rows[0]?.organization_id;
}
