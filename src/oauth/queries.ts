import { sql } from 'kysely';
import type { Connection } from '../platform/database/db.ts';
import type { Scope } from '../platform/principal.ts';
import type { VersionName } from '../versions/names.ts';

export type Standing = 'in_order' | 'past_due' | 'suspended' | 'deleted';

/** An auth client as the token endpoint needs it, with the standing of its organization. */
export interface AuthClient {
  id: string;
  organization_id: string;
  standing: Standing;
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

export interface Access {
  organization_id: string;
  standing: Standing;
  revoked_at: string | null;
  disabled_at: string | null;
  /** This one token was given back. */
  token_revoked: boolean;
  rate_per_second: number;
  rate_burst: number;
}

/** Looks across organizations: is the token alive, its grant, the client on, the organization in order? */
export async function findAccess(
  connection: Connection,
  grant: string,
  client: string,
  token: string,
): Promise<Access | undefined> {
  const { rows } = await sql<Access>`
    SELECT organization_id, standing, revoked_at, disabled_at, token_revoked, rate_per_second, rate_burst
    FROM find_access(${grant}, ${client}, ${token})`.execute(connection);
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

export interface NewGrant {
  id: string;
  client_id: string;
  customer_id: string | null;
  kind: 'client_credentials' | 'authorization_code';
  scopes: Scope[];
  created_at: string;
}

export async function insertGrant(
  connection: Connection,
  organization: string,
  grant: NewGrant,
): Promise<void> {
  await connection
    .insertInto('grants')
    .values({ ...grant, organization_id: organization })
    .execute();
}

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

export interface LockedGrant {
  id: string;
  client_id: string;
  customer_id: string | null;
  scopes: Scope[];
  revoked_at: string | null;
  /** Past this instant no refresh token of the family works. */
  ends_at: string;
}

/**
 * The grant of a refresh token, locked: a revocation and a refresh of the same family come one after the other. What
 * the row says is as it stands once the lock is ours. The token itself is not locked and not judged here.
 */
export async function lockGrantOfToken(
  connection: Connection,
  organization: string,
  hash: Buffer,
  lifetimeDays: number,
): Promise<LockedGrant | undefined> {
  const row = await connection
    .selectFrom('grants')
    .innerJoin('refresh_tokens', (join) =>
      join
        .onRef('refresh_tokens.organization_id', '=', 'grants.organization_id')
        .onRef('refresh_tokens.grant_id', '=', 'grants.id'),
    )
    .select(['grants.id', 'grants.client_id', 'grants.customer_id', 'grants.scopes', 'grants.revoked_at'])
    .select((is) =>
      sql<string>`${is.ref('grants.created_at')} + make_interval(days => ${lifetimeDays})`.as('ends_at'),
    )
    .where('grants.organization_id', '=', organization)
    .where('refresh_tokens.hash', '=', hash)
    .forNoKeyUpdate('grants')
    .executeTakeFirst();
  return row as LockedGrant | undefined;
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

export async function updateGrantRevoked(
  connection: Connection,
  organization: string,
  grant: string,
  revocation: { at: string; reason: string },
): Promise<void> {
  await connection
    .updateTable('grants')
    .set({ revoked_at: revocation.at, revoked_reason: revocation.reason })
    .where('organization_id', '=', organization)
    .where('id', '=', grant)
    .where('revoked_at', 'is', null)
    .execute();
}
