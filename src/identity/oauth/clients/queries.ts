import { sql } from 'kysely';
import type { VersionName } from '../../../config/versions.ts';
import type { Connection } from '../../../platform/database/db.ts';
import type { Scope } from '../../../platform/principal.ts';
import type { RedirectRule } from '../protocol/redirect-uris.ts';
import type { GrantName } from './schema.ts';

/** A registered client, without its secrets. */
export interface ClientRow {
  id: string;
  organization_id: string;
  display_name: string;
  redirect_uris: string[];
  redirect_rule: RedirectRule;
  role: 'organization' | 'customer';
  customer_id: string | null;
  scopes: Scope[];
  grants: GrantName[];
  public: boolean;
  third_party: boolean;
  s256_only: boolean;
  version: VersionName;
  rate_per_second: number;
  rate_burst: number;
  disabled_at: string | null;
  last_used_at: string | null;
  created_at: string;
  updated_at: string;
}

const columns = [
  'id',
  'organization_id',
  'display_name',
  'redirect_uris',
  'redirect_rule',
  'role',
  'customer_id',
  'scopes',
  'grants',
  'public',
  'third_party',
  's256_only',
  'version',
  'rate_per_second',
  'rate_burst',
  'disabled_at',
  'last_used_at',
  'created_at',
  'updated_at',
] as const;

export async function insertClient(
  connection: Connection,
  organization: string,
  client: Omit<ClientRow, 'organization_id' | 'disabled_at' | 'last_used_at'>,
): Promise<ClientRow> {
  const row = await connection
    .insertInto('auth_clients')
    .values({ ...client, organization_id: organization })
    .returning(columns)
    .executeTakeFirstOrThrow();
  return row as ClientRow;
}

/** Newest first. */
export async function listClients(connection: Connection, organization: string): Promise<ClientRow[]> {
  const rows = await connection
    .selectFrom('auth_clients')
    .select(columns)
    .where('organization_id', '=', organization)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return rows as ClientRow[];
}

function registeredClient(connection: Connection, organization: string, client: string) {
  return connection
    .selectFrom('auth_clients')
    .select(columns)
    .where('organization_id', '=', organization)
    .where('id', '=', client);
}

export async function findRegisteredClient(
  connection: Connection,
  organization: string,
  client: string,
): Promise<ClientRow | undefined> {
  const row = await registeredClient(connection, organization, client).executeTakeFirst();
  return row as ClientRow | undefined;
}

/** Locked, because what is changed is checked together with what stays. */
export async function lockClient(
  connection: Connection,
  organization: string,
  client: string,
): Promise<ClientRow | undefined> {
  const row = await registeredClient(connection, organization, client).forNoKeyUpdate().executeTakeFirst();
  return row as ClientRow | undefined;
}

export type ClientFields = Pick<
  ClientRow,
  | 'display_name'
  | 'redirect_uris'
  | 'redirect_rule'
  | 'grants'
  | 'third_party'
  | 's256_only'
  | 'version'
  | 'rate_per_second'
  | 'rate_burst'
  | 'disabled_at'
>;

export async function updateClientFields(
  connection: Connection,
  organization: string,
  client: string,
  fields: Partial<ClientFields> & { updated_at: string },
): Promise<ClientRow> {
  const row = await connection
    .updateTable('auth_clients')
    .set(fields)
    .where('organization_id', '=', organization)
    .where('id', '=', client)
    .returning(columns)
    .executeTakeFirstOrThrow();
  return row as ClientRow;
}

/** What can be shown of a secret: never the secret, never its hash. */
export interface SecretRow {
  id: number;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
}

export async function insertSecret(
  connection: Connection,
  organization: string,
  secret: { client_id: string; secret_hash: Buffer; created_at: string },
): Promise<SecretRow> {
  return await connection
    .insertInto('client_secrets')
    .values({ ...secret, organization_id: organization })
    .returning(['id', 'created_at', 'expires_at', 'revoked_at'])
    .executeTakeFirstOrThrow();
}

/** Newest first. */
export async function listSecrets(
  connection: Connection,
  organization: string,
  client: string,
): Promise<SecretRow[]> {
  return await connection
    .selectFrom('client_secrets')
    .select(['id', 'created_at', 'expires_at', 'revoked_at'])
    .where('organization_id', '=', organization)
    .where('client_id', '=', client)
    .orderBy('id', 'desc')
    .execute();
}

/** The older secrets end no later than `expiresAt`; one that ends earlier keeps its end. */
export async function updateOlderSecretsExpiry(
  connection: Connection,
  organization: string,
  client: string,
  { newest, expiresAt }: { newest: number; expiresAt: string },
): Promise<void> {
  await connection
    .updateTable('client_secrets')
    .set((is) => ({ expires_at: sql<string>`least(${is.ref('expires_at')}, ${expiresAt}::timestamptz)` }))
    .where('organization_id', '=', organization)
    .where('client_id', '=', client)
    .where('id', '<', newest)
    .where('revoked_at', 'is', null)
    .execute();
}

/** False when the client has no such secret that is still alive. */
export async function updateSecretRevoked(
  connection: Connection,
  organization: string,
  client: string,
  { secret, at }: { secret: number; at: string },
): Promise<boolean> {
  const revoked = await connection
    .updateTable('client_secrets')
    .set({ revoked_at: at })
    .where('organization_id', '=', organization)
    .where('client_id', '=', client)
    .where('id', '=', secret)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return revoked !== undefined;
}
