import pg from 'pg';
import { derivedPassword } from './passwords.ts';

/*
 * The nodes of Citus: the coordinator, to which the service connects, and the workers, which hold measured values. All have
 * the same roles with the same passwords, and each node signs in to the others as the role whose statement it carries out.
 * The passwords for that stand in pg_dist_authinfo, which superusers alone may read.
 */

/**
 * The service's functions that read measured values run as the first role, analysts' views read as the second, and nobody but
 * nodes signs in as them. Their passwords come out of the superuser's: several databases of the same servers agree on them.
 */
const READERS = ['voltstream_snapshot_reader', 'voltstream_analyst_reader'] as const;

const [, ANALYSTS] = READERS;

/** Roles whose statements reach other nodes. */
const ROLES_OF_NODES = ['voltstream_owner', 'voltstream_app', 'voltstream_maintenance', ...READERS] as const;

const EVERY_NODE = 0;

export interface NodeAddresses {
  adminUrl: string;
  workerAdminUrls: readonly string[];
  database: string;
}

export interface NodeSteps {
  setPassword(client: pg.ClientBase, role: string, password: string): Promise<void>;
  /** Makes database, extensions and roles on a worker, and does a piece of work there in the same transaction. */
  makeWorker(
    workerAdminUrl: string,
    database: string,
    work: (client: pg.Client) => Promise<void>,
  ): Promise<void>;
}

/** With what other nodes sign in as a role. */
export async function setNodePassword(client: pg.ClientBase, role: string, password: string): Promise<void> {
  const quoted = password.replaceAll(/['\\]/g, '\\$&');
  await insertAuthInfo(client, role, `password='${quoted}'`);
}

async function insertAuthInfo(client: pg.ClientBase, role: string, authInfo: string): Promise<void> {
  await client.query(
    `INSERT INTO pg_dist_authinfo (nodeid, rolename, authinfo) VALUES ($1, $2, $3)
         ON CONFLICT (rolename, nodeid) DO UPDATE SET authinfo = excluded.authinfo`,
    [EVERY_NODE, role, authInfo],
  );
}

/** Gives the nodes their passwords, makes the workers and joins them; what is joined already stays as it is. */
export async function joinNodes(
  coordinator: pg.ClientBase,
  { adminUrl, workerAdminUrls, database }: NodeAddresses,
  { setPassword, makeWorker }: NodeSteps,
): Promise<void> {
  const admin = new URL(adminUrl);
  const others = workerAdminUrls.map((url) => new URL(url));
  if (admin.password === '') {
    throw new Error('DATABASE_ADMIN_URL has no password: nodes of Citus sign in to each other with it');
  }
  const isOther = (url: URL) => url.username !== admin.username || url.password !== admin.password;
  if (others.some(isOther)) {
    throw new Error(
      'DATABASE_WORKER_ADMIN_URLS name another superuser or password than DATABASE_ADMIN_URL: nodes sign in to each other with it, so that it is the same on all',
    );
  }
  const superuser = decodeURIComponent(admin.username);
  await setNodePassword(coordinator, superuser, decodeURIComponent(admin.password));
  for (const role of READERS) {
    const password = derivedPassword(decodeURIComponent(admin.password), role);
    await setPassword(coordinator, role, password);
    await setNodePassword(coordinator, role, password);
    if (role === ANALYSTS)
      await setServerOfAnalysts(coordinator, { host: hostOf(admin), database, password });
  }
  const authInfo = await listAuthInfo(coordinator);
  const missing = ROLES_OF_NODES.filter((role) => !authInfo.has(role));
  if (missing.length > 0) {
    throw new Error(
      `Nodes know no password of ${missing.join(', ')}: give their addresses, or ask for --new-passwords`,
    );
  }
  const { rows: verifiers } = await coordinator.query<{ role: string; verifier: string }>(
    'SELECT rolname AS role, rolpassword AS verifier FROM pg_authid WHERE rolname = ANY ($1)',
    [ROLES_OF_NODES],
  );
  for (const url of workerAdminUrls) {
    await makeWorker(url, database, async (worker) => {
      for (const { role, verifier } of verifiers) {
        await worker.query(`ALTER ROLE ${pg.escapeIdentifier(role)} PASSWORD ${pg.escapeLiteral(verifier)}`);
      }
      for (const [role, info] of authInfo) await insertAuthInfo(worker, role, info);
    });
  }
  if (others.length === 0) return;
  await coordinator.query('SELECT citus_set_coordinator_host($1, $2)', hostOf(admin));
  for (const worker of others) {
    const { rowCount } = await coordinator.query(
      'SELECT FROM pg_dist_node WHERE nodename = $1 AND nodeport = $2',
      hostOf(worker),
    );
    if (rowCount === 0) await coordinator.query('SELECT citus_add_node($1, $2)', hostOf(worker));
  }
}

/** Through which views of analysts ask this same database as their owner: sql/citus/analytics/telemetry/26-nodes.sql. */
async function setServerOfAnalysts(
  coordinator: pg.ClientBase,
  { host: [host, port], database, password }: { host: [string, number]; database: string; password: string },
): Promise<void> {
  const address = { host, port: String(port), dbname: database };
  const options = (verb: '' | 'SET ', values: Record<string, string>) =>
    Object.entries(values)
      .map(([name, value]) => `${verb}${pg.escapeIdentifier(name)} ${pg.escapeLiteral(value)}`)
      .join(', ');
  await coordinator.query(`
    CREATE SERVER IF NOT EXISTS voltstream_nodes FOREIGN DATA WRAPPER postgres_fdw
      OPTIONS (${options('', address)}, fetch_size '10000');
    ALTER SERVER voltstream_nodes OPTIONS (${options('SET ', address)});
    GRANT USAGE ON FOREIGN SERVER voltstream_nodes TO voltstream_owner, ${ANALYSTS};
    CREATE USER MAPPING IF NOT EXISTS FOR ${ANALYSTS} SERVER voltstream_nodes
      OPTIONS (${options('', { user: ANALYSTS, password })});
    ALTER USER MAPPING FOR ${ANALYSTS} SERVER voltstream_nodes OPTIONS (${options('SET ', { password })})`);
}

async function listAuthInfo(client: pg.ClientBase): Promise<Map<string, string>> {
  const { rows } = await client.query<{ role: string; info: string }>(
    'SELECT rolename AS role, authinfo AS info FROM pg_dist_authinfo WHERE nodeid = $1',
    [EVERY_NODE],
  );
  return new Map(rows.map(({ role, info }) => [role, info]));
}

const DEFAULT_PORT = 5432;

function hostOf({ hostname, port }: URL): [string, number] {
  return [hostname, port === '' ? DEFAULT_PORT : Number(port)];
}
