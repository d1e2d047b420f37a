import { type Insertable, sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';

type PortalRow<Table extends 'magic_links' | 'portal_sessions'> = Omit<
  Insertable<Tables[Table]>,
  'organization_id'
>;

export async function insertMagicLink(
  connection: Connection,
  organization: string,
  link: PortalRow<'magic_links'>,
): Promise<void> {
  await connection
    .insertInto('magic_links')
    .values({ ...link, organization_id: organization })
    .execute();
}

/** Looks across organizations: a browser brings the link only. */
export async function findLinkOrganization(
  connection: Connection,
  hash: Buffer,
): Promise<string | undefined> {
  const { rows } = await sql<{ organization_id: string }>`
    SELECT organization_id FROM find_magic_link(${hash})`.execute(connection);
  return rows[0]?.organization_id;
}

/** Whether the link still lets somebody in; nothing changes. */
export async function isLinkOpen(
  connection: Connection,
  organization: string,
  hash: Buffer,
  now: string,
): Promise<boolean> {
  const found = await connection
    .selectFrom('magic_links')
    .select('hash')
    .where('organization_id', '=', organization)
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return found !== undefined;
}

/** The customer of a link, once; undefined where it is used or has expired. Of two calls at once one succeeds. */
export async function updateLinkUsed(
  connection: Connection,
  organization: string,
  hash: Buffer,
  now: string,
): Promise<string | undefined> {
  const used = await connection
    .updateTable('magic_links')
    .set({ used_at: now })
    .where('organization_id', '=', organization)
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('customer_id')
    .executeTakeFirst();
  return used?.customer_id;
}

export async function insertSession(
  connection: Connection,
  organization: string,
  session: PortalRow<'portal_sessions'>,
): Promise<void> {
  await connection
    .insertInto('portal_sessions')
    .values({ ...session, organization_id: organization })
    .execute();
}

/** Whose session it is, if it began since. */
export async function findNewSession(
  connection: Connection,
  organization: string,
  hash: Buffer,
  since: string,
): Promise<string | undefined> {
  const found = await connection
    .selectFrom('portal_sessions')
    .select('customer_id')
    .where('organization_id', '=', organization)
    .where('hash', '=', hash)
    .where('created_at', '>', since)
    .executeTakeFirst();
  return found?.customer_id;
}

/** Who is signed in; looks across organizations, because a browser brings the cookie only. */
export async function findSession(
  connection: Connection,
  hash: Buffer,
  now: string,
): Promise<{ organization: string; customer: string } | undefined> {
  const { rows } = await sql<{ organization: string; customer: string }>`
    SELECT organization_id AS organization, customer_id AS customer FROM find_portal_session(${hash})
     WHERE expires_at > ${now}::timestamptz`.execute(connection);
  return rows[0];
}

export async function deleteSession(
  connection: Connection,
  organization: string,
  hash: Buffer,
): Promise<void> {
  await connection
    .deleteFrom('portal_sessions')
    .where('organization_id', '=', organization)
    .where('hash', '=', hash)
    .execute();
}
