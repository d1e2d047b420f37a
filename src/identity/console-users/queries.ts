import { type Selectable, sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';

export type ConsoleUserRow = Pick<Selectable<Tables['console_users']>, 'id' | 'email' | 'created_at'>;

const columns = ['id', 'email', 'created_at'] as const;

/** Undefined where an organization, this one or another, has a user with this address. */
export async function insertConsoleUser(
  connection: Connection,
  organization: string,
  user: ConsoleUserRow,
): Promise<ConsoleUserRow | undefined> {
  return await connection
    .insertInto('console_users')
    .values({ ...user, organization_id: organization })
    .onConflict((conflict) => conflict.doNothing())
    .returning(columns)
    .executeTakeFirst();
}

/** Newest first. */
export async function listConsoleUsers(
  connection: Connection,
  organization: string,
  limit: number,
): Promise<ConsoleUserRow[]> {
  return await connection
    .selectFrom('console_users')
    .select(columns)
    .where('organization_id', '=', organization)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export async function findConsoleUserByEmail(
  connection: Connection,
  organization: string,
  email: string,
): Promise<{ id: string } | undefined> {
  return await connection
    .selectFrom('console_users')
    .select('id')
    .where('organization_id', '=', organization)
    .where('email_lower', '=', sql<string>`lower(${email}::text)`)
    .executeTakeFirst();
}

/** Sessions of the user go with it. */
export async function deleteConsoleUser(
  connection: Connection,
  organization: string,
  id: string,
): Promise<ConsoleUserRow | undefined> {
  return await connection
    .deleteFrom('console_users')
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst();
}

/** Looks across organizations: at the sign-in nothing but an address is known. A stranger's leads somewhere too. */
export async function findConsoleOrganization(
  connection: Connection,
  email: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ organization: string | null }>`
    SELECT find_console_organization(${email}) AS organization`.execute(connection);
  return rows[0]?.organization ?? undefined;
}
