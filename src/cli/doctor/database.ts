import type pg from 'pg';
import { type DatabaseClock, systemClock } from '../../platform/clock.ts';
import { type Database, openDatabase } from '../../platform/database/db.ts';
import { databaseVersions, migrationStatus } from '../../platform/database/migrate.ts';
import { databaseProbe } from '../../platform/http/readiness.ts';
import { DURABLE_SETTINGS, databaseReport } from '../../platform/process/boot-check.ts';
import { CHECK_MILLISECONDS, type Check, type Finding, failure, failures, ok, warning } from './check.ts';

/* Whether the database is what the processes need: they ask most of it themselves when they start, and for /readyz. */

/** A server that has fewer connections left turns away whoever comes next, the operator as well. */
const CONNECTIONS_SHARE_MAX = 0.8;
const GIBIBYTE = 1_073_741_824;
const CONNECTIONS_MAX = 4;

const REACHABLE = 'Start PostgreSQL, or correct DATABASE_URL.';

/** Asked first: without it there is nothing more to ask the database. */
export function reachableCheck(database: Database): Check {
  return {
    name: 'database',
    remedy: REACHABLE,
    look: async () => {
      const { host, port, size } = await database.withClient(async (client) => {
        const [row] = await rowsOf<{ bytes: number }>(
          client,
          'SELECT pg_database_size(current_database())::float8 AS bytes',
        );
        return { host: client.host, port: client.port, size: row?.bytes ?? 0 };
      });
      return ok(`answers at ${host}:${port}; ${(size / GIBIBYTE).toFixed(2)} GiB`);
    },
  };
}

export function databaseChecks(
  database: Database,
  { clock = systemClock(), maintenanceUrl }: { clock?: DatabaseClock; maintenanceUrl: string | undefined },
): Check[] {
  /* One question for four checks. */
  let pending: ReturnType<typeof ask> | undefined;
  const ask = () => database.withClient(databaseReport);
  const report = () => {
    pending ??= ask();
    return pending;
  };
  return [
    {
      name: 'versions',
      remedy: 'Look into the log of PostgreSQL.',
      look: async () => {
        const { postgresql, timescaledb, citus } = await database.withClient(databaseVersions);
        const engine = citus === null ? `TimescaleDB ${timescaledb ?? 'missing'}` : `Citus ${citus}`;
        const remedy = 'Install the version that is named, then run npm run db -- init.';
        return failures((await report()).versions, remedy, `PostgreSQL ${postgresql}, ${engine}`);
      },
    },
    {
      name: 'migrations',
      remedy: 'npm run db -- status says more.',
      look: async () => {
        const { applied } = await database.withClient((client) => migrationStatus(client));
        const remedy = 'Run npm run db -- migrate; npm run db -- status names every file.';
        return failures((await report()).schema, remedy, `${applied.length} files ran, none is missing`);
      },
    },
    {
      name: 'roles and rights',
      remedy: 'Run npm run db -- init.',
      look: async () => {
        const { roles } = await report();
        if (roles.length === 0) return ok('the service may do what it needs and no more');
        return roles.map(({ found, remedy }) => failure(found, remedy));
      },
    },
    {
      name: 'durability',
      remedy: 'Look into the log of PostgreSQL.',
      look: async () =>
        failures(
          (await report()).durability,
          'Set it in postgresql.conf, restart PostgreSQL, and look for where it was changed.',
          Object.keys(DURABLE_SETTINGS).join(', '),
        ),
    },
    { name: 'settings', remedy: REACHABLE, look: () => database.withClient(lookAtSettings) },
    { name: 'write-ahead log', remedy: REACHABLE, look: () => database.withClient(lookAtWal) },
    { name: 'connections', remedy: REACHABLE, look: () => database.withClient(lookAtConnections) },
    {
      name: 'clock',
      remedy: REACHABLE,
      look: async () => {
        const problems = await databaseProbe(database, clock).problems();
        const remedy = 'Let both machines take their time from the same servers (chrony, systemd-timesyncd).';
        const difference = Math.round(Math.abs(clock.offsetMilliseconds()));
        return failures(problems, remedy, `within ${difference} ms of that of the database`);
      },
    },
    {
      name: 'maintenance role',
      remedy: 'Correct DATABASE_MAINTENANCE_URL; npm run db -- init makes the role.',
      look: async () => {
        if (maintenanceUrl === undefined)
          return ok('not looked at: DATABASE_MAINTENANCE_URL is not set here, only the worker needs it');
        await withPatientDatabase(maintenanceUrl, (own) =>
          own.withClient((client) => client.query('SELECT')),
        );
        return ok('signs in');
      },
    },
  ];
}

/** Settings of docs/deployment.md that differ from what a server brings. Another value is a choice of whoever set it. */
export const ADVISED_SETTINGS: Readonly<Record<string, string>> = {
  jit: 'off',
  'timescaledb.telemetry_level': 'off',
  shared_buffers: 'a quarter of the memory',
  checkpoint_timeout: '30min',
  max_wal_size: '4GB',
  max_notify_queue_pages: '64',
};

/** What initdb writes into postgresql.conf, with the value that the server would have without it. */
const WRITTEN_BY_INITDB: readonly string[] = ['shared_buffers', 'max_wal_size'];

/** A setting whose value is that of the server; `file`: null where none says it, or the role may not see which. */
export interface BroughtSetting {
  readonly name: string;
  readonly value: string;
  readonly source: string;
  readonly file: string | null;
}

async function lookAtSettings(client: pg.ClientBase): Promise<Finding> {
  return judgeSettings(
    await rowsOf<BroughtSetting>(
      client,
      `SELECT name, current_setting(name) AS value, source, sourcefile AS file
         FROM pg_settings WHERE setting = boot_val`,
    ),
  );
}

/** Whoever wrote the value of the server chose it: on a command line, by ALTER, or in a file into which initdb did not write it. */
export function judgeSettings(rows: readonly BroughtSetting[]): Finding {
  const isOfInitdb = ({ name, source, file }: BroughtSetting) =>
    source === 'configuration file' &&
    WRITTEN_BY_INITDB.includes(name) &&
    (file === null || file.endsWith('/postgresql.conf'));
  const unset = rows.filter((row) => row.source === 'default' || isOfInitdb(row));
  const brought = new Map(unset.map(({ name, value }) => [name, value]));
  const advised = Object.entries(ADVISED_SETTINGS);
  const open = advised.filter(([name]) => brought.has(name));
  if (open.length === 0) return ok(advised.map(([name]) => name).join(', '));
  return warning(
    `as the server brings them: ${open.map(([name]) => `${name} ${brought.get(name)}`).join(', ')}`,
    `In postgresql.conf set ${open.map(([name, value]) => `${name} to ${value}`).join(', ')}, and restart PostgreSQL.`,
  );
}

/** What nobody notices until a copy is needed. */
async function lookAtWal(client: pg.ClientBase): Promise<Finding> {
  const [facts] = await rowsOf<{
    level: string;
    archiving: string;
    failed: boolean;
    archived: string | null;
  }>(
    client,
    `SELECT current_setting('wal_level') AS level, current_setting('archive_mode') AS archiving,
            last_failed_time > coalesce(last_archived_time, '-infinity') AS failed,
            last_archived_time AS archived
       FROM pg_stat_archiver`,
  );
  if (facts === undefined || facts.level === 'minimal')
    return warning('wal_level is minimal', 'Set wal_level to replica: pg_basebackup and archiving need it.');
  const level = `wal_level ${facts.level}`;
  if (facts.archiving === 'off') return ok(`${level}, no archiving`);
  if (facts.failed)
    return warning(
      `${level}; the last attempt to archive failed`,
      "Look for archive_command in the server's log: what is not archived fills its disk.",
    );
  return ok(`${level}, archived last ${facts.archived ?? 'never'}`);
}

async function lookAtConnections(client: pg.ClientBase): Promise<Finding> {
  const [facts] = await rowsOf<{ used: number; most: number }>(
    client,
    /* Of other roles the kind is hidden: some workers of the server are taken for connections. */
    `SELECT count(*)::integer AS used, current_setting('max_connections')::integer AS most
       FROM pg_stat_activity
      WHERE datid IS NOT NULL AND usesysid IS NOT NULL AND coalesce(backend_type, 'client backend') = 'client backend'`,
  );
  const { used, most } = facts ?? { used: 0, most: 1 };
  const found = `${used} of ${most} are open`;
  if (used < most * CONNECTIONS_SHARE_MAX) return ok(found);
  return warning(found, 'Raise max_connections, or lower DATABASE_CONNECTIONS_MAX of the processes.');
}

async function rowsOf<Row extends pg.QueryResultRow>(client: pg.ClientBase, text: string): Promise<Row[]> {
  return (await client.query<Row>(text)).rows;
}

/** Patient for as long as a check is, and no longer: a server that hangs does not keep the command from ending. */
export async function withPatientDatabase<Result>(
  url: string,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase({
    url,
    applicationName: 'voltstream-doctor',
    connectionsMax: CONNECTIONS_MAX,
    connectTimeoutMilliseconds: CHECK_MILLISECONDS,
    answerMilliseconds: CHECK_MILLISECONDS,
    onError: () => {},
  });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
