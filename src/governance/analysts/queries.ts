import { sql } from 'kysely';
import pg from 'pg';
import { type Connection, clientOf } from '../../platform/database/db.ts';
import { SQLSTATE, sqlState } from '../../platform/database/pg-errors.ts';

/*
 * Statements of the owner of the database: roles belong to the server, and no other role of the service may make them.
 * Names of roles and settings cannot be parameters; they are quoted here.
 */

const ROLE_PREFIX = 'voltstream_analyst_';

export const roleOf = (name: string) => `${ROLE_PREFIX}${name}`;

const quotedRole = (name: string) => pg.escapeIdentifier(roleOf(name));

export interface AnalystRow {
  organization_id: string;
  name: string;
  created_at: string;
  rotated_at: string | null;
}

/** With what the server says of the role; null where it has none of that name. */
export type ListedAnalyst = AnalystRow & { can_sign_in: boolean | null; sessions: number };

/** Of one organization, or of all: the owner sees them all. */
export async function listAnalysts(
  connection: Connection,
  organization: string | null,
): Promise<ListedAnalyst[]> {
  const { rows } = await sql<ListedAnalyst>`
    SELECT a.organization_id, a.name, a.created_at, a.rotated_at, r.rolcanlogin AS can_sign_in,
           (SELECT count(*) FROM pg_stat_activity s WHERE s.usesysid = r.oid AND s.backend_type = 'client backend') AS sessions
      FROM analysts a LEFT JOIN pg_roles r ON r.rolname = ${ROLE_PREFIX} || a.name
     WHERE a.organization_id = ${organization} OR ${organization}::text IS NULL
     ORDER BY a.created_at DESC, a.name`.execute(connection);
  return rows;
}

export async function findAnalyst(connection: Connection, name: string): Promise<AnalystRow | undefined> {
  return await connection
    .selectFrom('analysts')
    .select(['organization_id', 'name', 'created_at', 'rotated_at'])
    .where('name', '=', name)
    .executeTakeFirst();
}

/** False where the name is taken. */
export async function insertAnalyst(
  connection: Connection,
  { organization_id, name, created_at }: Omit<AnalystRow, 'rotated_at'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await connection
    .insertInto('analysts')
    .values({ organization_id, name, created_at })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export async function updateRotatedAt(
  connection: Connection,
  { organization_id, name }: Pick<AnalystRow, 'organization_id' | 'name'>,
  rotatedAt: string,
): Promise<void> {
  await connection
    .updateTable('analysts')
    .set({ rotated_at: rotatedAt })
    .where('organization_id', '=', organization_id)
    .where('name', '=', name)
    .execute();
}

export async function deleteAnalyst(
  connection: Connection,
  { organization_id, name }: Pick<AnalystRow, 'organization_id' | 'name'>,
): Promise<void> {
  await connection
    .deleteFrom('analysts')
    .where('organization_id', '=', organization_id)
    .where('name', '=', name)
    .execute();
}

/** The views of an organization, which its analysts read and exports copy: made where they are not there yet. */
export async function makeAnalystSchema(connection: Connection, organization: string): Promise<void> {
  await sql`SELECT make_analyst_schema(${organization})`.execute(connection);
}

export interface RoleFacts {
  /** Of any database of this server. */
  role_exists: boolean;
  /** Whether everybody may fill the disk, here or in another database: roles.sql of this version did not run here. */
  is_open: boolean;
}

export async function findRoleFacts(connection: Connection, name: string): Promise<RoleFacts> {
  const { rows } = await sql<RoleFacts>`
    SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = ${roleOf(name)}) AS role_exists,
           has_function_privilege('public', 'pg_catalog.pg_export_snapshot()', 'EXECUTE')
             OR has_language_privilege('public', 'plpgsql', 'USAGE')
             OR has_database_privilege('public', current_database(), 'TEMPORARY')
             OR EXISTS (SELECT FROM pg_database WHERE datname IN ('postgres', 'template1')
                           AND has_database_privilege('public', oid, 'CONNECT')) AS is_open`.execute(
    connection,
  );
  return rows[0] ?? { role_exists: false, is_open: true };
}

/** The owner inherits from it, which is what lets him end its sessions. */
export async function createRole(connection: Connection, name: string): Promise<void> {
  const client = clientOf(connection);
  await client.query(
    `CREATE ROLE ${quotedRole(name)} NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS`,
  );
  await client.query(`GRANT ${quotedRole(name)} TO CURRENT_USER WITH INHERIT TRUE, SET FALSE`);
}

export interface RoleLimits {
  connections: number;
  settings: Readonly<Record<string, string>>;
}

/**
 * What an analyst begins with; schema and rights are given by set_analyst_access. Everybody may change the settings of his
 * own role, also for good: they begin anew.
 */
export async function setRole(
  connection: Connection,
  { name, organization_id }: Pick<AnalystRow, 'name' | 'organization_id'>,
  { verifier, limits }: { verifier: string; limits: RoleLimits },
): Promise<void> {
  const client = clientOf(connection);
  const role = quotedRole(name);
  const { rows } = await client.query<{ name: string }>('SELECT current_database() AS name');
  const database = pg.escapeIdentifier(rows[0]?.name ?? '');
  const settings = Object.entries(limits.settings).map(
    ([key, value]) => `${key} = ${pg.escapeLiteral(value)}`,
  );
  for (const change of [
    `PASSWORD ${pg.escapeLiteral(verifier)} CONNECTION LIMIT ${limits.connections}`,
    'RESET ALL',
    `IN DATABASE ${database} RESET ALL`,
    `SET search_path = ${pg.escapeIdentifier(`analytics_${organization_id}`)}`,
    ...settings.map((setting) => `SET ${setting}`),
  ]) {
    await client.query(`ALTER ROLE ${role} ${change}`);
  }
  await client.query(`COMMENT ON ROLE ${role} IS ${pg.escapeLiteral(`Analyst of ${organization_id}`)}`);
  await client.query(`GRANT CONNECT ON DATABASE ${database} TO ${role}`);
}

/** From now on nobody signs in. */
export async function closeRole(connection: Connection, name: string): Promise<void> {
  await clientOf(connection).query(`ALTER ROLE ${quotedRole(name)} NOLOGIN`);
}

const SESSION_END_MILLISECONDS = 5_000;

/** Ends the sessions of a role, waits for their end, and returns their number. */
export async function endSessions(connection: Connection, name: string): Promise<number> {
  const { rows } = await sql<{ ended: number }>`
    SELECT count(*) FILTER (WHERE pg_terminate_backend(pid, ${SESSION_END_MILLISECONDS})) AS ended
      FROM pg_stat_activity WHERE usename = ${roleOf(name)} AND backend_type = 'client backend'`.execute(
    connection,
  );
  return rows[0]?.ended ?? 0;
}

/** Databases in which a role owns something or has rights, also on the database itself. */
export async function listPlacesOfRole(connection: Connection, name: string): Promise<string[]> {
  const { rows } = await sql<{ place: string }>`
    SELECT DISTINCT coalesce(d.datname, 'all databases') AS place
      FROM pg_shdepend AS s
      JOIN pg_roles AS r ON r.oid = s.refobjid AND s.refclassid = 'pg_authid'::regclass
      LEFT JOIN pg_database AS d
        ON d.oid = CASE WHEN s.classid = 'pg_database'::regclass THEN s.objid ELSE s.dbid END
     WHERE r.rolname = ${roleOf(name)}
     ORDER BY place`.execute(connection);
  return rows.map(({ place }) => place);
}

/** What it owns in the client's database, and its rights there. */
export async function dropOwned(client: pg.ClientBase, name: string): Promise<void> {
  await client.query(`DROP OWNED BY ${quotedRole(name)}`);
}

/** False where something is left of it: then the role stays, and the transaction goes on. */
export async function dropRole(connection: Connection, name: string): Promise<boolean> {
  const client = clientOf(connection);
  await client.query('SAVEPOINT whole');
  try {
    await client.query(`DROP ROLE ${quotedRole(name)}`);
    return true;
  } catch (error) {
    if (sqlState(error) !== SQLSTATE.dependentObjects) throw error;
    await client.query('ROLLBACK TO SAVEPOINT whole');
    return false;
  }
}

export interface EndedSessions {
  cancelled: number;
  ended: number;
}

export async function endLongSessions(connection: Connection): Promise<EndedSessions> {
  const { rows } = await sql<EndedSessions>`SELECT cancelled, ended FROM end_long_analyst_sessions()`.execute(
    connection,
  );
  return rows[0] ?? { cancelled: 0, ended: 0 };
}
