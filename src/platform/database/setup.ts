import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { unreachable } from '../unreachable.ts';
import { type Engine, loadedEngine } from './engine.ts';
import { migrate } from './migrate.ts';
import { sqlFolder } from './migration-files.ts';
import { joinNodes, setNodePassword } from './nodes.ts';
import { newPassword, scramVerifier } from './passwords.ts';
import { signInProblem } from './pg-errors.ts';

/*
 * What an administrator does once per server: database, extensions, roles. Every step may be repeated, after an update
 * of an extension it has to be. On Citus the same is done on each worker, and the nodes are made known to each other.
 */

export const DEFAULT_DATABASE = 'voltstream';

export interface RolePasswords {
  owner: string;
  app: string;
  maintenance: string;
}

export interface InitOptions {
  /** A superuser's address; on Citus of the coordinator. */
  adminUrl: string;
  /** The same of each worker of Citus. */
  workerAdminUrls?: readonly string[];
  /** Where the server does not say it by what it has loaded. */
  engine?: Engine;
  database?: string;
  /** Version of TimescaleDB in a database that has none yet, where it is not the newest of the server. */
  timescaledb?: string;
  /** A role that is not named here gets a new one, unless it has one already. */
  passwords?: Partial<RolePasswords>;
  /** New ones for those too: the old ones then open no connection any more. */
  newPasswords?: boolean;
}

export interface DatabaseAddresses {
  ownerUrl: string;
  appUrl: string;
  maintenanceUrl: string;
}

/**
 * Text is ordered by code point and lower-cased by Unicode, whatever locales the machine has. Not from template1: the
 * vendor's container image has the extension there, whose scheduler keeps a connection to it, and a copy then fails
 * now and then with "is being accessed by other users".
 */
const NEW_DATABASE =
  "TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C' LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8'";

const LOGIN_ROLES = ['owner', 'app', 'maintenance'] as const;

/** Creates or completes database, extensions, roles and rights, and returns the addresses of the three roles. */
export async function initDatabase(
  options: InitOptions,
): Promise<DatabaseAddresses & { unchanged: (keyof RolePasswords)[] }> {
  const { adminUrl, database = DEFAULT_DATABASE, workerAdminUrls = [] } = options;
  const passwords: Partial<RolePasswords> = { ...options.passwords };
  const prepare = async (server: pg.Client) => {
    await refuseOtherThanSuperuser(server, 'DATABASE_ADMIN_URL');
    // Roles belong to the server: two at once would both find them missing. Held until this connection ends.
    await server.query("SELECT pg_advisory_lock(hashtextextended('voltstream init', 0))");
    const engine = options.engine ?? (await loadedEngine(server));
    if (engine !== 'citus' && workerAdminUrls.length > 0) {
      throw new Error('DATABASE_WORKER_ADMIN_URLS names workers, but the server has not loaded citus');
    }
    const databaseUrl = withDatabase(adminUrl, database);
    await makeDatabase(server, databaseUrl, engine, { timescaledb: options.timescaledb });
    await withAdministrator(databaseUrl, engine, async (client) => {
      await client.query('BEGIN');
      await makeRoles(client, engine);
      const known = options.newPasswords === true ? [] : await rolesWithPassword(client);
      for (const role of LOGIN_ROLES) {
        if (passwords[role] === undefined && known.includes(`voltstream_${role}`)) continue;
        passwords[role] ??= newPassword();
        await setPassword(client, `voltstream_${role}`, passwords[role]);
        if (engine === 'citus') await setNodePassword(client, `voltstream_${role}`, passwords[role]);
      }
      await client.query('COMMIT');
    });
    if (engine === 'citus') {
      const steps = { setPassword, makeWorker };
      await withAdministrator(databaseUrl, engine, (client) =>
        joinNodes(client, { adminUrl, workerAdminUrls, database }, steps),
      );
    }
  };
  await withDatabaseClient(adminUrl, prepare, { variable: 'DATABASE_ADMIN_URL' });
  const address = (role: keyof RolePasswords) => roleAddress(adminUrl, database, role, passwords[role] ?? '');
  return {
    ownerUrl: address('owner'),
    appUrl: address('app'),
    maintenanceUrl: address('maintenance'),
    unchanged: LOGIN_ROLES.filter((role) => passwords[role] === undefined),
  };
}

async function rolesWithPassword(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT rolname AS name FROM pg_authid WHERE rolname LIKE 'voltstream\\_%' AND rolpassword IS NOT NULL",
  );
  return rows.map((row) => row.name);
}

/** Runs what is pending as the owner and returns the names of the files that ran. */
export async function migrateDatabase(
  ownerUrl: string,
  options: { report?: (line: string) => void } = {},
): Promise<string[]> {
  return await withDatabaseClient(ownerUrl, (client) => migrate(client, options), {
    variable: 'DATABASE_OWNER_URL',
  });
}

interface ClientOptions {
  /** Of the session. */
  options?: string;
  /** Where the address comes from, for who has to mend it. */
  variable?: string;
  /** 10 s where nothing is said. */
  connectTimeoutMilliseconds?: number;
}

/** One connection for one piece of work, outside any pool. */
export async function withDatabaseClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
  { options = '', variable, connectTimeoutMilliseconds = 10_000 }: ClientOptions = {},
): Promise<Result> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'voltstream-setup',
    connectionTimeoutMillis: connectTimeoutMilliseconds,
    ...(options === '' ? {} : { options }),
  });
  // Without a listener a connection that breaks while nothing is asked ends the process.
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    if (variable === undefined) throw error;
    const refused = signInProblem(error);
    throw new Error(refused === undefined ? unreachable(variable, url, error) : `${variable}: ${refused}`);
  }
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The same server and user, another database. */
export function withDatabase(url: string, database: string): string {
  const address = new URL(url);
  address.pathname = `/${encodeURIComponent(database)}`;
  return address.href;
}

export function roleAddress(
  adminUrl: string,
  database: string,
  role: keyof RolePasswords,
  password: string,
): string {
  const address = new URL(withDatabase(adminUrl, database));
  address.username = `voltstream_${role}`;
  address.password = encodeURIComponent(password);
  return address.href;
}

/**
 * Its statements stay on the server of the connection. Passwords of nodes, which a server needs in clear, get into no
 * log.
 */
const NODE_SESSION =
  '-c citus.enable_ddl_propagation=off -c log_statement=none -c log_min_duration_statement=-1 -c log_min_error_statement=panic';

/** One connection as the superuser. */
function withAdministrator<Result>(
  url: string,
  engine: Engine,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  return withDatabaseClient(url, work, { options: engine === 'citus' ? NODE_SESSION : '' });
}

/** Database and extensions on one server. */
async function makeDatabase(
  server: pg.ClientBase,
  databaseUrl: string,
  engine: Engine,
  versions: Readonly<Record<string, string | undefined>> = {},
): Promise<void> {
  const database = decodeURIComponent(new URL(databaseUrl).pathname.slice(1));
  const { rowCount } = await server.query('SELECT FROM pg_database WHERE datname = $1', [database]);
  const create = `CREATE DATABASE ${pg.escapeIdentifier(database)} ${NEW_DATABASE}`;
  if (rowCount === 0) await server.query(create);
  for (const { name, schema } of EXTENSIONS[engine]) {
    const version = versions[name];
    const terms = version === undefined ? schema : `${schema} VERSION ${pg.escapeLiteral(version)}`;
    await createOrUpdateExtension(databaseUrl, engine, name, terms);
  }
}

/** Roles and their rights in one database; on Citus what nodes need beside them. */
async function makeRoles(client: pg.ClientBase, engine: Engine): Promise<void> {
  const folders = engine === 'citus' ? [sqlFolder, join(sqlFolder, 'citus')] : [sqlFolder];
  for (const folder of folders) await client.query(await readFile(join(folder, 'roles.sql'), 'utf8'));
}

/** The same on a worker of Citus; `work` is done in its database. */
async function makeWorker(
  workerAdminUrl: string,
  database: string,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const databaseUrl = withDatabase(workerAdminUrl, database);
  await withDatabaseClient(workerAdminUrl, async (server) => {
    await refuseOtherThanSuperuser(server, 'DATABASE_WORKER_ADMIN_URLS');
    if ((await loadedEngine(server)) !== 'citus') {
      throw new Error(
        `DATABASE_WORKER_ADMIN_URLS: the server ${new URL(workerAdminUrl).host} has not loaded citus`,
      );
    }
    await makeDatabase(server, databaseUrl, 'citus');
  });
  await withAdministrator(databaseUrl, 'citus', async (client) => {
    await client.query('BEGIN');
    await makeRoles(client, 'citus');
    await work(client);
    await client.query('COMMIT');
  });
}

async function refuseOtherThanSuperuser(client: pg.ClientBase, variable: string): Promise<void> {
  const { rows } = await client.query<{ super: boolean; name: string }>(
    'SELECT rolsuper AS super, rolname AS name FROM pg_roles WHERE rolname = current_user',
  );
  if (rows[0]?.super !== true) {
    throw new Error(`${variable} must name a superuser: ${rows[0]?.name} is none`);
  }
}

interface Extension {
  name: string;
  /** Citus chooses its own. */
  schema: string;
}

const inPublic = (name: string): Extension => ({ name, schema: ' SCHEMA public' });

/** btree_gist: the database itself holds that reference data is never valid twice on one day. */
const EXTENSIONS: Readonly<Record<Engine, readonly Extension[]>> = {
  timescaledb: [inPublic('timescaledb'), inPublic('btree_gist')],
  citus: [{ name: 'citus', schema: '' }, inPublic('btree_gist'), inPublic('postgres_fdw')],
};

/** Each the first statement of a fresh connection: an extension's library must not be loaded in its old version. */
async function createOrUpdateExtension(
  databaseUrl: string,
  engine: Engine,
  name: string,
  terms: string,
): Promise<void> {
  const exists = await withDatabaseClient(databaseUrl, async (client) => {
    const { rowCount } = await client.query('SELECT FROM pg_extension WHERE extname = $1', [name]);
    return rowCount === 1;
  });
  await withAdministrator(databaseUrl, engine, (client) =>
    client.query(exists ? `ALTER EXTENSION ${name} UPDATE` : `CREATE EXTENSION ${name}${terms}`),
  );
}

async function setPassword(client: pg.ClientBase, role: string, password: string): Promise<void> {
  await client.query(
    `ALTER ROLE ${pg.escapeIdentifier(role)} PASSWORD ${pg.escapeLiteral(scramVerifier(password))}`,
  );
}
