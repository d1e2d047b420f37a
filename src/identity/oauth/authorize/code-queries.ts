import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';
import type { Scope } from '../../../platform/principal.ts';

export interface NewAuthorizationCode {
  hash: Buffer;
  request_id: string;
  client_id: string;
  customer_id: string;
  redirect_uri: string;
  code_challenge: string | null;
  scopes: Scope[];
  created_at: string;
  expires_at: string;
}

export async function insertAuthorizationCode(
  connection: Connection,
  organization: string,
  code: NewAuthorizationCode,
): Promise<void> {
  await connection
    .insertInto('authorization_codes')
    .values({ ...code, organization_id: organization })
    .execute();
}

/** Puts another code in the place of the request's own; false when that was used, or when there is none. */
export async function updateUnusedCode(
  connection: Connection,
  organization: string,
  { request_id, hash }: { request_id: string; hash: Buffer },
): Promise<boolean> {
  const replaced = await connection
    .updateTable('authorization_codes')
    .set({ hash })
    .where('organization_id', '=', organization)
    .where('request_id', '=', request_id)
    .where('used_at', 'is', null)
    .returning('request_id')
    .executeTakeFirst();
  return replaced !== undefined;
}

/** Whether the request was answered with a code. */
export async function findCodeOfRequest(
  connection: Connection,
  organization: string,
  request: string,
): Promise<boolean> {
  const found = await connection
    .selectFrom('authorization_codes')
    .select('request_id')
    .where('organization_id', '=', organization)
    .where('request_id', '=', request)
    .executeTakeFirst();
  return found !== undefined;
}

export interface UsedCode {
  client_id: string;
  customer_id: string;
  redirect_uri: string;
  code_challenge: string | null;
  /** Null: of the time before scopes could be asked for, all of the client's. */
  scopes: Scope[] | null;
  expired: boolean;
}

/**
 * Uses the code up, whatever becomes of the request: exactly one of any number of simultaneous callers gets the row. The
 * others wait for its transaction to end.
 */
export async function updateCodeUsed(
  connection: Connection,
  organization: string,
  hash: Buffer,
  now: string,
): Promise<UsedCode | undefined> {
  return await connection
    .updateTable('authorization_codes')
    .set({ used_at: now })
    .where('organization_id', '=', organization)
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .returning(['client_id', 'customer_id', 'redirect_uri', 'code_challenge', 'scopes'])
    .returning((is) => sql<boolean>`${is.ref('expires_at')} <= ${now}::timestamptz`.as('expired'))
    .executeTakeFirst();
}

/**
 * Ends those of a program that a customer no longer lets in, and says how many. They count as expired, not as used: who
 * presents one did nothing wrong. From the beginning on, because an exchange may have read the clock before.
 */
export async function updateCodesWithdrawn(
  connection: Connection,
  organization: string,
  { customer, client, now }: { customer: string; client: string; now: string },
): Promise<number> {
  const { numUpdatedRows } = await connection
    .updateTable('authorization_codes')
    .set((is) => ({ expires_at: is.ref('created_at') }))
    .where('organization_id', '=', organization)
    .where('customer_id', '=', customer)
    .where('client_id', '=', client)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Whether the customer gave the program a code that ended behind an instant, or has not. */
export async function hasCodeSince(
  connection: Connection,
  organization: string,
  { customer, client, since }: { customer: string; client: string; since: string },
): Promise<boolean> {
  const found = await connection
    .selectFrom('authorization_codes')
    .select('request_id')
    .where('organization_id', '=', organization)
    .where('customer_id', '=', customer)
    .where('client_id', '=', client)
    .where('expires_at', '>', since)
    .executeTakeFirst();
  return found !== undefined;
}

export async function updateCodeGrant(
  connection: Connection,
  organization: string,
  hash: Buffer,
  grant: string,
): Promise<void> {
  await connection
    .updateTable('authorization_codes')
    .set({ grant_id: grant })
    .where('organization_id', '=', organization)
    .where('hash', '=', hash)
    .execute();
}

/** Undefined for a code that nobody was given here; `grant_id` null where its first use gave nothing, as where it had `expired`. */
export async function findCode(
  connection: Connection,
  organization: string,
  hash: Buffer,
): Promise<{ grant_id: string | null; expired: boolean } | undefined> {
  return await connection
    .selectFrom('authorization_codes')
    .select('grant_id')
    .select(sql<boolean>`expires_at <= used_at`.as('expired'))
    .where('organization_id', '=', organization)
    .where('hash', '=', hash)
    .executeTakeFirst();
}

/** Looks across organizations: whose code it is. */
export async function findOrganizationOfCode(
  connection: Connection,
  hash: Buffer,
): Promise<string | undefined> {
  const { rows } = await sql<{ organization_id: string }>`
    SELECT organization_id FROM find_authorization_code(${hash})`.execute(connection);
  return rows[0]?.organization_id;
}
