import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  startLocalServices,
  statusOfLocalServices,
  stopLocalServices,
} from '../../../../scripts/local-services.ts';
import type { Environment, OwnerConfig } from '../../../config/config.ts';
import { traceVariables } from '../../../config/traces.ts';
import { initDatabase, migrateDatabase } from '../../../platform/database/setup.ts';
import { givenRoles, proveGivenRoles } from '../../given-roles.ts';
import { readJsonFile, startFiles, writeSecretFile } from '../../local/folder.ts';
import type { PriceEnvironment } from './price-choice.ts';
import type { Screen } from './screen.ts';

/** Keys and passwords of the service in this folder; made once, kept with mode 600. */
interface LocalKeys {
  SECRET_PEPPER: string;
  ENCRYPTION_KEY: string;
  CURSOR_KEY: string;
  passwords: { owner: string; app: string; maintenance: string };
}

/** Addresses of database and queue, and the roles by which the parts of the service reach them. */
export interface LocalServers {
  /** The private server's administrator, or the owner on a given server: for looking and measuring. */
  lookUrl: string;
  ownerUrl: string;
  appUrl: string;
  maintenanceUrl: string;
  redisUrl: string;
  keys: LocalKeys;
  /** Resolves with a sentence when a private server that this start uses has ended, and with null when the signal does. */
  ended(signal: AbortSignal): Promise<string | null>;
  /** Ends what this start began, and nothing else. */
  stop(): Promise<void>;
}

const DATABASE_NAME = 'voltstream';
const SERVERS_LOOK_MILLISECONDS = 2_000;

const newKey = () => randomBytes(32).toString('base64url');

async function localKeys(): Promise<LocalKeys> {
  const known = await readJsonFile<LocalKeys>(startFiles.keys);
  if (known !== null) return known;
  const keys: LocalKeys = {
    SECRET_PEPPER: newKey(),
    ENCRYPTION_KEY: newKey(),
    CURSOR_KEY: newKey(),
    passwords: { owner: newKey(), app: newKey(), maintenance: newKey() },
  };
  await writeSecretFile(startFiles.keys, `${JSON.stringify(keys, null, 2)}\n`);
  return keys;
}

/**
 * Order of choice: addresses that were given; a container engine; private servers. Then database, roles and schema,
 * each of which may be there already.
 */
export async function prepareServers(
  given: OwnerConfig,
  screen: Screen,
  /** Called when the programs run, some time before they answer; not where there is none to begin. */
  onBegun: () => void,
): Promise<LocalServers> {
  const keys = await localKeys();
  const hasDatabase = given.DATABASE_ADMIN_URL !== undefined || given.DATABASE_URL !== undefined;
  const needs = { postgres: !hasDatabase, redis: given.REDIS_URL === undefined };
  const services =
    needs.postgres || needs.redis
      ? await startLocalServices({
          folder: startFiles.servers,
          needs,
          report: (line) => screen.say(`  ${line}`),
          onBegun,
        })
      : null;
  const stop = async () => {
    if (services !== null) await stopLocalServices(startFiles.servers, services.started);
  };
  const ended = (signal: AbortSignal) =>
    services?.kind === 'private' ? endOfServers(needs, signal) : endOf(signal);
  try {
    const adminUrl = given.DATABASE_ADMIN_URL ?? services?.postgres?.adminUrl;
    const roles = adminUrl === undefined ? allRoles(given) : await initializedRoles(adminUrl, given, keys);
    const kind = services?.kind === 'compose' ? 'container' : 'private';
    screen.done(serverLine('PostgreSQL with TimescaleDB', services?.postgres ? kind : 'given', roles.appUrl));
    const redisUrl = given.REDIS_URL ?? services?.redis?.url;
    if (redisUrl === undefined) throw new Error('REDIS_URL is missing');
    screen.done(serverLine('Redis or Valkey', services?.redis ? kind : 'given', redisUrl));
    const applied = await migrateDatabase(roles.ownerUrl);
    screen.done(applied.length === 0 ? 'schema up to date' : `schema migrated (${applied.length} files)`);
    const look = lookUrl(services?.postgres?.adminUrl, roles.ownerUrl);
    return { ...roles, lookUrl: look, redisUrl, keys, ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const endOf = (signal: AbortSignal) =>
  new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null)));

async function endOfServers(
  used: { postgres: boolean; redis: boolean },
  signal: AbortSignal,
): Promise<string | null> {
  for (;;) {
    const status = await statusOfLocalServices(startFiles.servers);
    if (signal.aborted) return null;
    const { postgres, redis } = status ?? {};
    if (used.postgres && !postgres?.running) return `PostgreSQL ended; its log: ${postgres?.logFile}`;
    if (used.redis && !redis?.running) return `Valkey ended; its log: ${redis?.logFile}`;
    await wait(SERVERS_LOOK_MILLISECONDS, null, { signal }).catch(() => null);
  }
}

/** Addresses that are set beside the administrator's keep their database and their passwords. */
async function initializedRoles(adminUrl: string, given: OwnerConfig, keys: LocalKeys) {
  const { database, passwords } = givenRoles(given);
  const made = await initDatabase({
    adminUrl,
    database: database ?? DATABASE_NAME,
    passwords: { ...keys.passwords, ...passwords },
  });
  await proveGivenRoles(given);
  return {
    ownerUrl: given.DATABASE_OWNER_URL ?? made.ownerUrl,
    appUrl: given.DATABASE_URL ?? made.appUrl,
    maintenanceUrl: given.DATABASE_MAINTENANCE_URL ?? made.maintenanceUrl,
  };
}

function allRoles(given: OwnerConfig) {
  const { DATABASE_OWNER_URL, DATABASE_URL, DATABASE_MAINTENANCE_URL } = given;
  if (
    DATABASE_OWNER_URL === undefined ||
    DATABASE_URL === undefined ||
    DATABASE_MAINTENANCE_URL === undefined
  ) {
    throw new Error(
      'A given database needs DATABASE_URL, DATABASE_OWNER_URL and DATABASE_MAINTENANCE_URL, or DATABASE_ADMIN_URL to make them',
    );
  }
  return { ownerUrl: DATABASE_OWNER_URL, appUrl: DATABASE_URL, maintenanceUrl: DATABASE_MAINTENANCE_URL };
}

/** The private server's administrator sees everything in the service's database; a given server shows its owner only. */
function lookUrl(privateAdminUrl: string | undefined, ownerUrl: string): string {
  if (privateAdminUrl === undefined) return ownerUrl;
  const url = new URL(privateAdminUrl);
  url.pathname = `/${DATABASE_NAME}`;
  return url.href;
}

function serverLine(name: string, kind: string, url: string): string {
  const { hostname, port } = new URL(url);
  return `${name} (${kind}, ${hostname}:${port})`;
}

/** What the shell says about traces. */
export function tracesEnvironment(shell: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.keys(traceVariables).flatMap((name) => {
      const value = shell[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The environment of API and worker: nothing of the shell but what they need, everything else written out. */
export function serviceEnvironment(
  servers: LocalServers,
  ports: { api: number; worker: number },
  more: PriceEnvironment & { CHECKOUT_HOST: string; API_PROCESSES: string; DEMO_CLIENT: string },
) {
  return {
    APP_ENV: 'local',
    BASE_URL: `http://127.0.0.1:${ports.api}`,
    HOST: '127.0.0.1',
    PORT: String(ports.api),
    WORKER_PORT: String(ports.worker),
    DATABASE_URL: servers.appUrl,
    DATABASE_MAINTENANCE_URL: servers.maintenanceUrl,
    REDIS_URL: servers.redisUrl,
    SECRET_PEPPER: servers.keys.SECRET_PEPPER,
    ENCRYPTION_KEY: servers.keys.ENCRYPTION_KEY,
    CURSOR_KEY: servers.keys.CURSOR_KEY,
    MAIL_FOLDER: startFiles.mail,
    SHUTDOWN_DELAY_SECONDS: '0',
    /* Receivers that somebody develops on this machine. */
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    /* A local start keeps what it was sent: no row is too old. */
    SNAPSHOT_RETENTION_MONTHS: '0',
    QUARTER_HOUR_RETENTION_MONTHS: '0',
    ...more,
  };
}

export function logFileOf(name: string): string {
  return join(startFiles.logs, `${name}.log`);
}
