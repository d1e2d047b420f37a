// The servers that the tests run on: given ones, containers where an engine runs, else private ones of the tests' own.
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  dataFolder,
  exclusively,
  makeDataFolder,
  makeFolder,
  projectFolder,
} from '../../scripts/data-folder.mjs';
import { hasContainerEngine } from '../../scripts/local-services/compose.ts';
import { postgresProgram, startLocalServices, stopLocalServices } from '../../scripts/local-services.ts';
import { readTestConfig } from '../../src/config/config.ts';
import { type Engine, loadedEngine } from '../../src/platform/database/engine.ts';
import { type RolePasswords, withDatabaseClient } from '../../src/platform/database/setup.ts';
import { CONNECTS_WITHIN } from './administrator.ts';
import { bringToDisk, bringToMemory } from './memory.ts';
import { dropClonesOf, prepareTemplates, type Templates } from './template.ts';

const folder = join(dataFolder, 'test');
const runsFolder = join(folder, 'runs');
const serversFolder = join(dataFolder, 'test-servers');

/**
 * The template's background scheduler would hold connections to every clone and take all worker slots: without it
 * 196 of 196 clones went through, with it 2 of 63 failed.
 */
const POSTGRES_SETTINGS = { 'timescaledb.max_background_workers': '0', max_connections: '200' };

export interface TestServers {
  databaseAdminUrl: string;
  /** Of Citus; none with TimescaleDB. */
  workerAdminUrls: readonly string[];
  /** May do everything, FLUSHALL included: on a server of the tests' own only. */
  redisAdminUrl: string;
  passwords: RolePasswords;
  /** From unpacked packages: tests of faults can start more of that kind. */
  arePrivate: boolean;
  /** How `pg_dump` of the server's own version is called, less its arguments; the container knows its own port only. */
  dump: { command: string[]; inContainer: boolean };
}

interface Running {
  servers: TestServers;
  /** True where no other run of this project is using them. */
  alone: boolean;
  stop(): Promise<void>;
}

export interface StartedTestServers {
  /** Of this run: its databases carry it, also on servers that other machines use. */
  name: string;
  /** Of its services, with a folder for each database; gone when it stops. */
  mailFolder: string;
  servers: TestServers;
  engine: Engine;
  templates: Templates;
  stop(): Promise<void>;
}

/** Servers and template. Both under one lock: a run that cleans up must not meet another one that begins. */
export async function startTestServers(report: (line: string) => void): Promise<StartedTestServers> {
  await makeDataFolder();
  await makeFolder(folder);
  return await exclusively(join(folder, 'runs.lock'), async () => {
    const { servers, alone, stop } = await run(report);
    const stopUnlocked = () => exclusively(join(folder, 'runs.lock'), stop);
    try {
      const engine = await withDatabaseClient(servers.databaseAdminUrl, loadedEngine, CONNECTS_WITHIN);
      const templates = await prepareTemplates(servers, { alone, engine });
      const name = randomBytes(4).toString('hex');
      const mailFolder = join(folder, 'mail', name);
      return {
        ...{ name, mailFolder, servers, engine, templates },
        stop: async () => {
          try {
            await dropClonesOf(name, servers);
            await rm(mailFolder, { recursive: true, force: true });
          } finally {
            await stopUnlocked();
          }
        },
      };
    } catch (error) {
      await stop();
      throw error;
    }
  });
}

async function run(report: (line: string) => void): Promise<Running> {
  const given = readTestConfig();
  const passwords = await rolePasswords();
  if (given.TEST_DATABASE_ADMIN_URL !== undefined && given.TEST_REDIS_URL !== undefined) {
    return {
      servers: {
        databaseAdminUrl: given.TEST_DATABASE_ADMIN_URL,
        workerAdminUrls: given.TEST_DATABASE_WORKER_ADMIN_URLS,
        redisAdminUrl: given.TEST_REDIS_URL,
        passwords,
        arePrivate: false,
        dump: { command: ['pg_dump'], inContainer: false },
      },
      // Others may be at work there whom this folder does not know.
      alone: false,
      stop: async () => {},
    };
  }
  return (await hasContainerEngine()) ? startContainers(passwords) : startPrivate(passwords, report);
}

/** Roles belong to the server, and several runs share it: all use the same passwords. */
async function rolePasswords(): Promise<RolePasswords> {
  const file = join(folder, 'passwords.json');
  const known = await readFile(file, 'utf8').catch(() => undefined);
  if (known !== undefined) return JSON.parse(known) as RolePasswords;
  const newPassword = () => randomBytes(24).toString('base64url');
  const passwords = { owner: newPassword(), app: newPassword(), maintenance: newPassword() };
  await writeFile(file, JSON.stringify(passwords), { mode: 0o600 });
  return passwords;
}

/** Shared by all runs in this folder; the last one to end stops them. */
async function startPrivate(passwords: RolePasswords, report: (line: string) => void): Promise<Running> {
  await mkdir(runsFolder, { recursive: true });
  const alone = (await otherRuns()).length === 0;
  await bringToMemory(serversFolder);
  const services = await startLocalServices({
    folder: serversFolder,
    needs: { postgres: true, redis: true },
    postgresSettings: POSTGRES_SETTINGS,
    report,
  });
  const own = join(runsFolder, String(process.pid));
  await writeFile(own, '');
  return {
    servers: {
      databaseAdminUrl: services.postgres.adminUrl,
      workerAdminUrls: [],
      redisAdminUrl: services.redis.adminUrl,
      passwords,
      arePrivate: true,
      dump: { command: [postgresProgram('pg_dump')], inContainer: false },
    },
    alone,
    stop: async () => {
      await rm(own, { force: true });
      if ((await otherRuns()).length > 0) return;
      await stopLocalServices(serversFolder);
      await bringToDisk(serversFolder);
    },
  };
}

async function otherRuns(): Promise<string[]> {
  const others: string[] = [];
  for (const name of await readdir(runsFolder)) {
    if (!isAlive(Number(name))) await rm(join(runsFolder, name), { force: true });
    else if (Number(name) !== process.pid) others.push(name);
  }
  return others;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Of this run alone, with the images that docker-compose.yml names. The packages are loaded only here. */
async function startContainers(passwords: RolePasswords): Promise<Running> {
  const [{ GenericContainer }, { PostgreSqlContainer }, { parse }] = await Promise.all([
    import('testcontainers'),
    import('@testcontainers/postgresql'),
    import('yaml'),
  ]);
  const compose = parse(await readFile(join(projectFolder, 'docker-compose.yml'), 'utf8')) as {
    services: { timescaledb: { image: string }; valkey: { image: string } };
  };
  const settings = Object.entries(POSTGRES_SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [postgres, valkey] = await Promise.all([
    new PostgreSqlContainer(compose.services.timescaledb.image)
      .withUsername('postgres')
      .withDatabase('postgres')
      .withCommand(['postgres', ...settings])
      .start(),
    new GenericContainer(compose.services.valkey.image).withExposedPorts(6379).start(),
  ]);
  return {
    servers: {
      databaseAdminUrl: postgres.getConnectionUri(),
      workerAdminUrls: [],
      redisAdminUrl: `redis://${valkey.getHost()}:${valkey.getMappedPort(6379)}`,
      passwords,
      arePrivate: false,
      dump: {
        command: ['docker', 'exec', postgres.getId(), 'pg_dump', '--username=postgres'],
        inContainer: true,
      },
    },
    alone: true,
    stop: async () => {
      await Promise.all([postgres.stop(), valkey.stop()]);
    },
  };
}
