import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';
import { newId } from '../../../platform/ids.ts';
import type { Scope } from '../../../platform/principal.ts';
import type { ClientStanding } from '../clients/live-queries.ts';
import type { Claims } from './tokens.ts';

export const newGrantId = () => newId('grt');

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

/** A program that a customer has let in, by all that it was given and may still use. */
export interface ConsentRow extends Pick<GrantRow, 'client_id' | 'scopes' | 'created_at'> {
  client_name: string;
}

/**
 * Programs that can come for the customer at this moment: with a code or a refresh token that nobody used, or with an access
 * token, which every grant and every refresh gives. The last one let in comes first. Read with the rights of the organization.
 */
export async function listConsents(
  connection: Connection,
  organization: string,
  customer: string,
  { now, since }: { now: string; since: string },
): Promise<ConsentRow[]> {
  const { rows } = await sql<ConsentRow>`
    SELECT client.id AS client_id, client.display_name AS client_name, max(given.created_at) AS created_at,
           array_agg(DISTINCT scope) AS scopes
      FROM (SELECT client_id, created_at, scopes FROM grants
             WHERE organization_id = ${organization} AND customer_id = ${customer}
               AND kind = 'authorization_code' AND revoked_at IS NULL
               AND (created_at > ${since}::timestamptz
                    OR EXISTS (SELECT FROM refresh_tokens AS token
                                WHERE token.organization_id = grants.organization_id AND token.grant_id = grants.id
                                  AND (token.used_at IS NULL AND token.expires_at > ${now}::timestamptz
                                       OR token.created_at > ${since}::timestamptz)))
            UNION ALL
            SELECT client_id, created_at, scopes FROM authorization_codes
             WHERE organization_id = ${organization} AND customer_id = ${customer}
               AND used_at IS NULL AND expires_at > ${now}::timestamptz) AS given
      JOIN auth_clients AS client ON client.organization_id = ${organization} AND client.id = given.client_id
     CROSS JOIN unnest(coalesce(given.scopes, client.scopes)) AS scope
     GROUP BY client.id, client.display_name
     ORDER BY max(given.created_at) DESC, client.id`.execute(connection);
  return rows;
}

/** All that a customer gave a program, locked by id, as a refresh locks the one that it renews. */
export async function lockConsents(
  connection: Connection,
  organization: string,
  { customer, client }: { customer: string; client: string },
): Promise<GrantRow[]> {
  const rows = await connection
    .selectFrom('grants')
    .select(columns)
    .where('organization_id', '=', organization)
    .where('customer_id', '=', customer)
    .where('client_id', '=', client)
    .where('kind', '=', 'authorization_code')
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  return rows as GrantRow[];
}

/** Locked, as a refresh does it, so that the two never run at the same time. */
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

export interface Access {
  organization_id: string;
  standing: ClientStanding;
  revoked_at: string | null;
  disabled_at: string | null;
  /** This one token was given back. */
  token_revoked: boolean;
  rate_per_second: number;
  rate_burst: number;
  is_of_one_customer: boolean;
}

/** Looks across organizations: are the tokens alive, their grants, the clients on, the organizations in order? By `jti`. */
export async function listAccess(
  connection: Connection,
  tokens: readonly Pick<Claims, 'grant' | 'client_id' | 'jti'>[],
): Promise<ReadonlyMap<string, Access>> {
  const [grants, clients, ids] = [
    tokens.map(({ grant }) => grant),
    tokens.map(({ client_id }) => client_id),
    tokens.map(({ jti }) => jti),
  ];
  const { rows } = await sql<Access & { token: string }>`
    SELECT tokens.token, organization_id, standing, revoked_at, disabled_at, token_revoked, rate_per_second, rate_burst,
           is_of_one_customer
      FROM unnest(${grants}::text[], ${clients}::text[], ${ids}::text[]) AS tokens (grant_id, client, token)
     CROSS JOIN LATERAL find_access(tokens.grant_id, tokens.client, tokens.token)`.execute(connection);
  return new Map(rows.map(({ token, ...access }) => [token, access]));
}
