import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { Pool } from 'undici';
import { dataFolder } from '../../scripts/data-folder.mjs';
import { readSecret } from '../../src/cli/engine/ask.ts';
import { readJsonFile, startFiles } from '../../src/cli/local/folder.ts';
import { freePortFrom } from '../../src/cli/local/ports.ts';
import { type ServiceProcess, startProcess, waitUntilReady } from '../../src/cli/local/processes.ts';
import { requestToken } from '../../src/cli/simulation/gateway.ts';
import { readOwnerConfig } from '../../src/config/config.ts';
import { NEWEST_VERSION } from '../../src/config/versions.ts';
import { createClient } from '../../src/identity/oauth/clients/clients.ts';
import { createOrganization } from '../../src/identity/organizations/service.ts';
import { openDatabase } from '../../src/platform/database/db.ts';
import type { Cleanup } from './cleanup.ts';
import { connect } from './connect.ts';
import type { DatabaseServers } from './drop-database.ts';
import { Unreachable, WrongUse } from './failures.ts';
import { createOwnDatabase } from './own-database.ts';
import { redisPidOf } from './redis-server.ts';

export interface AddressOptions {
  baseUrl?: string;
  databaseUrl?: string;
  clientId?: string;
  secretStdin?: boolean;
}

/** A service that takes load, and the database behind it. */
export interface Surroundings {
  /** `own`: a database and API processes of this run's own on the servers of `npm start`; `given`: addresses. */
  kind: 'own' | 'given';
  database: pg.Client;
  /** As `database`, of each worker of Citus. */
  workers: readonly pg.Client[];
  databaseUrl: string;
  /** With the rights of maintenance; only in `own` surroundings. */
  maintenanceUrl?: string;
  /** With the rights of the owner of the tables; only in `own` surroundings. */
  ownerUrl?: string;
  organization: string;
  /** The process of the Redis that the service counts requests in, where it is one of this machine. */
  redisPid: number | null;
  /** Of its processes; only in `own` surroundings. */
  environment?: Readonly<Record<string, string>>;
  /** A worker process with these variables set; only in `own` surroundings. */
  worker(name: string, variables?: Record<string, string>): Promise<ServiceProcess>;
  /** The service as it is, or as it is with these variables set; in `given` surroundings only as it is. */
  service(name: string, variables?: Record<string, string>): Promise<Service>;
  /** A further client, of a new organization where none is named; only in `own` surroundings. */
  client(limits: ClientLimits, organization?: string): Promise<FurtherClient>;
}

/** As `clients create` takes them. */
export interface ClientLimits {
  rate_per_second: number;
  rate_burst: number;
}

export interface FurtherClient {
  organization: string;
  headers(service: Service): Promise<Record<string, string>>;
}

export interface Service {
  baseUrl: string;
  /** Of a process that this run started. */
  pid: number | null;
  headers(): Promise<Record<string, string>>;
}

const READY_SECONDS_MAX = 120;
const API_PORT = 4400;
const WORKER_PORT = 4500;
/** No load client may meet a limit: that would measure the limit. */
const UNLIMITED: ClientLimits = { rate_per_second: 100_000, rate_burst: 100_000 };

export async function prepareSurroundings(options: AddressOptions, cleanup: Cleanup): Promise<Surroundings> {
  const { baseUrl, databaseUrl, clientId, secretStdin } = options;
  const given = [baseUrl, databaseUrl, clientId, secretStdin].filter((value) => value !== undefined).length;
  if (given === 0) return await ownSurroundings(cleanup);
  if (baseUrl && databaseUrl && clientId && secretStdin) {
    const clientSecret = await readSecret(process).catch((error: Error) => {
      throw new WrongUse(error.message);
    });
    return await givenSurroundings({ baseUrl, databaseUrl, clientId, clientSecret }, cleanup);
  }
  throw new WrongUse('--base-url, --database-url, --client-id and --secret-stdin go together: all or none');
}

/** A database and services of the run's own: on the server of `npm start`, or on the one that is named. */
export async function ownSurroundings(cleanup: Cleanup, servers?: DatabaseServers): Promise<Surroundings> {
  const facts = await readJsonFile<{ database_url: string }>(startFiles.facts);
  const keys = await readJsonFile<{ passwords: { owner: string; app: string; maintenance: string } }>(
    startFiles.keys,
  );
  if (facts === null || keys === null) throw new Unreachable('Nothing was started here yet: npm start');
  const { DATABASE_OWNER_URL: _owner, ...environment } = parseEnvironment(
    await readFile(startFiles.environment, 'utf8'),
  );
  const adminUrl = readOwnerConfig().DATABASE_ADMIN_URL ?? facts.database_url;
  const own = await createOwnDatabase(servers ?? { adminUrl, workerAdminUrls: [] }, keys.passwords, cleanup);
  const open = async (url: string) => {
    const client = await connect(url, 'The new database does not answer');
    cleanup.add(() => client.end());
    return client;
  };
  const [database, workers] = [await open(own.url), await Promise.all(own.workerUrls.map(open))];
  const pepper = environment.SECRET_PEPPER ?? '';
  const client = await createLoadClient(own.appUrl, pepper, UNLIMITED);
  /* One process unless the run asks for more: the default goes by the machine, and figures have to be comparable. */
  const processEnvironment = {
    ...environment,
    ...{ DATABASE_URL: own.appUrl, SHUTDOWN_DELAY_SECONDS: '0', API_PROCESSES: '1' },
  };

  async function start(program: string, label: string, variables: Record<string, string>) {
    const kind = program === 'src/main.ts' ? 'api' : 'worker';
    const logFile = join(dataFolder, 'load', `${kind}-${label.replaceAll(' ', '-')}.log`);
    /* One line a request: kept for the last run only. */
    await rm(logFile, { force: true });
    const name = `${kind === 'api' ? 'API' : 'worker'} (${label})`;
    const process = startProcess({
      ...{ name, program, logFile },
      environment: { ...processEnvironment, ...variables },
    });
    cleanup.add(() => process.stop());
    await waitUntilReady(process, READY_SECONDS_MAX);
    return process;
  }

  return {
    kind: 'own',
    ...{ database, workers },
    async client(limits, organization) {
      const further = await createLoadClient(own.appUrl, pepper, limits, organization);
      return { ...further, headers: ({ baseUrl }) => headersWith(baseUrl, further)() };
    },
    databaseUrl: own.url,
    maintenanceUrl: own.maintenanceUrl,
    ownerUrl: own.ownerUrl,
    organization: client.organization,
    redisPid: await redisPidOf(environment.REDIS_URL ?? ''),
    environment: processEnvironment,
    async worker(label, variables = {}) {
      return await start('workers/main.ts', label, {
        DATABASE_MAINTENANCE_URL: own.maintenanceUrl,
        WORKER_PORT: String(await freePortFrom(WORKER_PORT)),
        ...variables,
      });
    },
    async service(label, variables = {}) {
      const port = await freePortFrom(API_PORT);
      const baseUrl = `http://127.0.0.1:${port}`;
      const { pid } = await start('src/main.ts', label, {
        BASE_URL: baseUrl,
        PORT: String(port),
        ...variables,
      });
      return { baseUrl, pid, headers: headersWith(baseUrl, client) };
    },
  };
}

async function createLoadClient(appUrl: string, pepper: string, limits: ClientLimits, organization?: string) {
  const app = openDatabase({
    url: appUrl,
    applicationName: 'voltstream-load',
    connectionsMax: 1,
    onError: () => {},
  });
  try {
    const act = { staff: 'load', reason: 'load run', command: 'load', now: new Date().toISOString() };
    const id = organization ?? (await createOrganization(app, { name: 'Load run' }, act)).id;
    const { client, client_secret } = await createClient(
      { database: app, config: { SECRET_PEPPER: pepper } },
      id,
      { display_name: 'Load run', ...limits },
      act,
    );
    return { organization: id, clientId: client.id, clientSecret: client_secret ?? '' };
  } finally {
    await app.close();
  }
}

async function givenSurroundings(
  given: Required<Omit<AddressOptions, 'secretStdin'>> & { clientSecret: string },
  cleanup: Cleanup,
): Promise<Surroundings> {
  const database = await connect(given.databaseUrl, 'The database does not answer');
  cleanup.add(() => database.end());
  const ready = await fetch(`${given.baseUrl}/readyz`, { signal: AbortSignal.timeout(10_000) }).catch(
    () => null,
  );
  if (ready?.status !== 200) throw new Unreachable(`${given.baseUrl}/readyz does not answer with 200`);
  const { rows } = await database.query<{ organization_id: string }>(
    'SELECT organization_id FROM auth_clients WHERE id = $1',
    [given.clientId],
  );
  const organization = rows[0]?.organization_id;
  if (organization === undefined) {
    throw new WrongUse(`The database knows no client ${given.clientId}, or its user may not see it`);
  }
  return {
    kind: 'given',
    ...{ database, workers: [] },
    databaseUrl: given.databaseUrl,
    organization,
    redisPid: null,
    async client() {
      throw new WrongUse('This run makes clients of its own: it takes no addresses');
    },
    async worker() {
      throw new WrongUse('This run starts a worker of its own: it takes no addresses');
    },
    async service() {
      return { baseUrl: given.baseUrl, pid: null, headers: headersWith(given.baseUrl, given) };
    },
  };
}

function headersWith(baseUrl: string, client: { clientId: string; clientSecret: string }) {
  return async () => {
    const pool = new Pool(baseUrl);
    let token: string;
    try {
      token = await requestToken(pool, client);
    } finally {
      await pool.close();
    }
    return {
      authorization: `Bearer ${token}`,
      'x-api-version': NEWEST_VERSION,
      'content-type': 'application/json',
    };
  };
}

function parseEnvironment(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.includes('='));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}
