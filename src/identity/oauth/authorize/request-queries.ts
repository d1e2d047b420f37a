import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';
import type { Scope } from '../../../platform/principal.ts';
import type { ClientStanding } from '../clients/live-queries.ts';
import type { RedirectRule } from '../protocol/redirect-uris.ts';

/** `consent`: sign in and be asked; `login`: asked for third parties only; `signup`: may create a customer. */
export type AuthorizeFlow = 'consent' | 'login' | 'signup';

/** Between the two clicks of somebody who clicks twice. */
const JUST = '10 seconds';

/** The names of a customer who does not exist yet. */
export interface SignUp {
  type: 'person' | 'company';
  first_name: string;
  last_name: string;
  company_name: string | null;
}

export interface NewRequest {
  id: string;
  client_id: string;
  redirect_uri: string;
  state: Buffer | null;
  code_challenge: string | null;
  flow: AuthorizeFlow;
  /** What was asked for. */
  scopes: Scope[];
  created_at: string;
  expires_at: string;
}

export interface AuthorizationRequest extends Omit<NewRequest, 'created_at' | 'expires_at'> {
  organization_id: string;
  browser_hash: Buffer | null;
  email: string | null;
  sign_up: SignUp | null;
  customer_id: string | null;
  ended_at: string | null;
  expired: boolean;
  /** Answered a moment ago. */
  just_ended: boolean;
  client_name: string;
  client_disabled_at: string | null;
  /** What is registered for the client now. */
  redirect_uris: string[];
  redirect_rule: RedirectRule;
  third_party: boolean;
  standing: ClientStanding;
}

export async function insertRequest(
  connection: Connection,
  organization: string,
  request: NewRequest,
): Promise<void> {
  await connection
    .insertInto('authorization_requests')
    .values({ ...request, organization_id: organization })
    .execute();
}

/** True when an earlier request of the client had the same challenge: a verifier should be made anew each time. */
export async function findChallengeUsedBefore(
  connection: Connection,
  organization: string,
  { client_id, code_challenge }: { client_id: string; code_challenge: string },
): Promise<boolean> {
  const found = await connection
    .selectFrom('authorization_requests')
    .select('id')
    .where('organization_id', '=', organization)
    .where('client_id', '=', client_id)
    .where('code_challenge', '=', code_challenge)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Looks across organizations: a screen knows the id only. */
export async function findRequestOrganization(
  connection: Connection,
  request: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ organization_id: string }>`
    SELECT organization_id FROM find_authorization_request(${request})`.execute(connection);
  return rows[0]?.organization_id;
}

export async function findRequestEmail(
  connection: Connection,
  organization: string,
  request: string,
): Promise<string | null> {
  const found = await connection
    .selectFrom('authorization_requests')
    .select('email')
    .where('organization_id', '=', organization)
    .where('id', '=', request)
    .executeTakeFirst();
  return found?.email ?? null;
}

/** Locked until the end of the transaction: two forms of one request come one after the other. */
export async function lockRequest(
  connection: Connection,
  organization: string,
  request: string,
  now: string,
): Promise<AuthorizationRequest | undefined> {
  const row = await connection
    .selectFrom('authorization_requests as request')
    .innerJoin('auth_clients as client', (join) =>
      join
        .onRef('client.organization_id', '=', 'request.organization_id')
        .onRef('client.id', '=', 'request.client_id'),
    )
    .innerJoin('organizations', 'organizations.id', 'request.organization_id')
    .select([
      'request.organization_id',
      'request.id',
      'request.client_id',
      'request.redirect_uri',
      'request.state',
      'request.code_challenge',
      'request.flow',
      'request.browser_hash',
      'request.email',
      'request.sign_up',
      'request.customer_id',
      'request.ended_at',
      'client.display_name as client_name',
      'client.disabled_at as client_disabled_at',
      'client.redirect_uris',
      'client.redirect_rule',
      'client.third_party',
      'organizations.standing',
    ])
    /* A request of the time before scopes could be asked for has none: all of the client's. */
    .select((is) => is.fn.coalesce('request.scopes', 'client.scopes').as('scopes'))
    .select((is) => sql<boolean>`${is.ref('request.expires_at')} <= ${now}::timestamptz`.as('expired'))
    .select((is) =>
      sql<boolean>`coalesce(${is.ref('request.ended_at')} > ${now}::timestamptz - ${JUST}::interval, false)`.as(
        'just_ended',
      ),
    )
    .where('request.organization_id', '=', organization)
    .where('request.id', '=', request)
    .forNoKeyUpdate('request')
    .executeTakeFirst();
  return row as AuthorizationRequest | undefined;
}

interface RequestChange {
  browser_hash?: Buffer;
  email?: string | null;
  sign_up?: SignUp | null;
  customer_id?: string;
  ended_at?: string;
}

/** The caller holds the lock of the request. */
export async function updateRequest(
  connection: Connection,
  organization: string,
  request: string,
  { sign_up, ...change }: RequestChange,
): Promise<void> {
  const names = sign_up === undefined ? {} : { sign_up: sign_up === null ? null : JSON.stringify(sign_up) };
  await connection
    .updateTable('authorization_requests')
    .set({ ...change, ...names })
    .where('organization_id', '=', organization)
    .where('id', '=', request)
    .execute();
}
