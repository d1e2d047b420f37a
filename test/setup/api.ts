import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { expect, inject } from 'vitest';
import { buildApp, versionEngine } from '../../src/api/app.ts';
import { isFree } from '../../src/cli/local/ports.ts';
import { readServiceConfig } from '../../src/config/config.ts';
import { ensureSigningKey, newSigningKey } from '../../src/identity/oauth/keys/keys.ts';
import { type DatabaseClock, systemClock } from '../../src/platform/clock.ts';
import { type Deps, openDeps } from '../../src/platform/deps.ts';
import type { VersionEngine } from '../../src/platform/interface/versioning.ts';
import { createLogger, type Logger } from '../../src/platform/log/logger.ts';
import { seal, unseal } from '../../src/platform/sealed.ts';
import { startTraces } from '../../src/platform/traces.ts';
import { administrator, lasting } from './administrator.ts';
import { type ApiClient, apiClient } from './client.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { testEnvironment } from './environment.ts';
import { takeTestRedis } from './redis.ts';
import { insertReferenceRows } from './reference-rows.ts';
import { insertTenant } from './tenants.ts';

export { testEnvironment } from './environment.ts';

export interface TestApi {
  baseUrl: string;
  deps: Deps;
  app: FastifyInstance;
  database: TestDatabase;
  /** Sends requests with this token, or none, and holds every answer against the public schema of its route. */
  client(token: string | null, options?: { version?: string | null }): ApiClient;
  /** Ends the service; drops the database if it was made for it. */
  close(): Promise<void>;
}

export interface StartOptions {
  /**
   * A service and a database of its own: for what belongs to no organization, for what looks at all of them, and for the
   * service itself.
   */
  alone?: boolean;
  clock?: DatabaseClock;
  log?: Logger;
  /** A database that the caller drops; a new one where absent. */
  database?: TestDatabase;
  /** The new one has the figures of `reference/`. */
  referenceData?: boolean;
  /** Variables of the configuration that differ from the usual ones. */
  environment?: Record<string, string>;
}

/** What answers are held against: the same for every service, and costly to make. */
let schemas: VersionEngine | undefined;

/**
 * The real service, listening on a port of its own. Files that ask for nothing special share one in each process of tests:
 * to start it and to open its connections takes half a second of processor time. It serves other organizations as well, as
 * every service does.
 */
export async function startApi(options: StartOptions = {}): Promise<TestApi> {
  const { clock = systemClock(), alone = inject('isAlone'), referenceData = false, ...special } = options;
  const isSpecial = alone || Object.values(special).some((value) => value !== undefined);
  if (isSpecial) return await startOwnApi(options);
  const started = shared.get(referenceData) ?? startSharedApi(referenceData);
  shared.set(referenceData, started);
  lasting.servers = shared.size;
  const { api, setClock } = await started;
  setClock(clock);
  const before = await commonState(api);
  return {
    ...api,
    close: async () => expect(await commonState(api), COMMON_CHANGED).toEqual(before),
  };
}

interface SharedApi {
  api: TestApi;
  setClock(clock: DatabaseClock): void;
}

/** With the figures of `reference/`, and with those of insertReferenceRows. */
const shared = new Map<boolean, Promise<SharedApi>>();

/** Beside an organization that no test knows, with rows in nearly every table: what looks at all of them fails at once. */
async function startSharedApi(referenceData: boolean): Promise<SharedApi> {
  let clock = systemClock();
  const ofFile: DatabaseClock = {
    nowMilliseconds: () => clock.nowMilliseconds(),
    now: () => clock.now(),
    steadyMilliseconds: () => clock.steadyMilliseconds(),
    offsetMilliseconds: () => clock.offsetMilliseconds(),
    setOffsetMilliseconds: (milliseconds) => clock.setOffsetMilliseconds(milliseconds),
  };
  const api = await startOwnApi({ referenceData, clock: ofFile }, 'shared');
  await insertReferenceRows(api);
  await insertTenant(administrator(api.database.adminUrl));
  return {
    api,
    setClock: (next) => {
      clock = next;
    },
  };
}

const COMMON_CHANGED =
  'rows that belong to no organization, triggers or rights, which other files would meet: start the service with `alone: true`';

const COMMON_TABLES =
  'audit_seals benchmarks concession_fees day_ahead_means eeg_rates energy_mixes grid_fee_schedules grid_fees grid_operators levies load_profiles market_values metering_fees price_alarms price_days price_forecast_values price_sources savings_parameters schedules schema_migrations signing_keys spot_prices usage_groups vat_rates zip_areas'.split(
    ' ',
  );

/** How many rows each table has, how often reference data changed, the triggers, and the rights on tables. */
async function commonState(api: TestApi): Promise<unknown> {
  const counts = COMMON_TABLES.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`);
  const { rows } = await administrator(api.database.adminUrl).query(
    `SELECT ${counts.join(', ')}, (SELECT revision FROM reference_revision) AS revision,
            (SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal) AS triggers,
            (SELECT md5(string_agg(relacl::text, ' ' ORDER BY oid)) FROM pg_class
              WHERE relnamespace = 'public'::regnamespace) AS rights`,
  );
  return rows[0];
}

/** The real service on a database of its own, listening on a port of its own. */
async function startOwnApi(options: StartOptions, redis: 'own' | 'shared' = 'own'): Promise<TestApi> {
  const database = options.database ?? (await createTestDatabase(options));
  const redisUrl = await takeTestRedis(redis);
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const config = readServiceConfig({
    ...testEnvironment(database, redisUrl),
    BASE_URL: baseUrl,
    PORT: String(port),
    MAIL_FOLDER: join(inject('mailFolder'), database.name),
    ...options.environment,
  });
  const { clock, log = createLogger({ level: config.LOG_LEVEL, name: 'api' }) } = options;
  const traces = await startTraces(config, { service: 'voltstream-api', log });
  const deps = openDeps(config, { ...(clock && { clock }), log, traces });
  const close = async (app?: FastifyInstance) => {
    await app?.close();
    await deps.close();
    await traces?.close();
    if (options.database === undefined) await database.drop();
  };
  let app: FastifyInstance | undefined;
  try {
    await ensureSigningKey(deps, signingKeyOfProcess);
    app = await buildApp(deps);
    await app.listen({ host: '127.0.0.1', port });
  } catch (error) {
    await close(app);
    throw error;
  }
  const running = app;
  schemas ??= versionEngine(deps);
  const versions = schemas;
  return {
    baseUrl,
    deps,
    app: running,
    database,
    client: (token, { version = '2026-09-08.gauss' } = {}) =>
      apiClient({ baseUrl, token, version, versions }),
    close: () => close(running),
  };
}

let made: { encryptionKey: string; key: ReturnType<typeof newSigningKey> } | undefined;

/** To make a key of RSA takes 100 ms of processor time: the services of one process sign with the same one. */
async function signingKeyOfProcess(encryptionKey: string): ReturnType<typeof newSigningKey> {
  made ??= { encryptionKey, key: newSigningKey(encryptionKey) };
  const { kid, public_jwk, private_key_encrypted } = await made.key;
  const privateJwk = unseal(made.encryptionKey, 'signing-key', kid, private_key_encrypted);
  return { kid, public_jwk, private_key_encrypted: seal(encryptionKey, 'signing-key', kid, privateJwk) };
}

/*
 * Below the ports that the kernel gives to clients, each process of tests in a range of its own: nobody takes the port between
 * this look and the service's start.
 */
const PORTS_OF_A_PROCESS = 2_000;
const FIRST_PORT = 10_000 + (Number(process.env.VITEST_POOL_ID ?? 0) % 11) * PORTS_OF_A_PROCESS;
let portsGiven = randomInt(PORTS_OF_A_PROCESS);

/** Issuer and audience of tokens must be known before the service listens. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < PORTS_OF_A_PROCESS; tried += 1) {
    portsGiven += 1;
    const port = FIRST_PORT + (portsGiven % PORTS_OF_A_PROCESS);
    if (await isFree(port)) return port;
  }
  throw new Error('No port');
}
