import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dataFolder } from '../../scripts/data-folder.mjs';
import { isAlive, waitUntilGone } from '../../scripts/local-services/server-processes.ts';
import { resetLocalServices, startLocalServices } from '../../scripts/local-services.ts';
import type { ServiceProcess } from '../../src/cli/local/processes.ts';
import { livingChildren, residentBytes } from '../measure/processor.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { WrongUse } from '../surroundings/failures.ts';
import { type OwnRedis, startOwnRedis } from '../surroundings/redis-server.ts';
import { ownSurroundings, type Service, type Surroundings } from '../surroundings/service.ts';
import { type Disk, openDisk } from './disk.ts';
import { type Line, openLine } from './line.ts';

/** So that one can die and the other goes on. */
const API_PROCESSES = '2';
/** How long a process that is asked to end answers those who are still connected. */
const SHUTDOWN_DELAY_SECONDS = '3';
const GONE_SECONDS_MAX = 30;

/** All that runs, so that a fault can strike each part of it alone. */
export interface Parts {
  readonly surroundings: Surroundings;
  readonly postgres: OwnPostgres;
  readonly redis: OwnRedis;
  /** Between the callers and the API. */
  readonly callersLine: Line;
  /** Between API and worker and the database. */
  readonly databaseLine: Line;
  /** How many milliseconds the clocks of API and worker are ahead, read at SIGUSR2. */
  readonly clockFile: string;
  /** What callers ask; it stays the same whichever processes answer. */
  readonly baseUrl: string;
  /** The group that answers now. */
  api: Service & { pid: number };
  worker: ServiceProcess;
  startApi(): Promise<Service & { pid: number }>;
  startWorker(): Promise<ServiceProcess>;
}

/** A PostgreSQL of a run's own, which the run may kill. */
export interface OwnPostgres {
  readonly adminUrl: string;
  readonly port: number;
  /** Of its data and its write-ahead log, where the run has one. */
  readonly disk: Disk | undefined;
  pid(): number;
  /** On the same files and port, after it ended. */
  start(): Promise<void>;
}

async function startOwnPostgres(cleanup: Cleanup, diskBytes: number | undefined): Promise<OwnPostgres> {
  const folder = join(dataFolder, 'load', `postgres-${process.pid}`);
  const disk = diskBytes === undefined ? undefined : await openDisk(folder, diskBytes);
  cleanup.add(async () => {
    await resetLocalServices(folder);
    await disk?.close();
    await rm(folder, { recursive: true, force: true });
  });
  /* That disk is in memory: with 4 GB the log alone would take most of it. */
  const postgresSettings = disk === undefined ? {} : { max_wal_size: '512MB' };
  const start = () => startLocalServices({ folder, needs: { postgres: true }, postgresSettings });
  let { postgres } = await start();
  const pid = () => {
    if (postgres.pid === undefined)
      throw new WrongUse('This run kills PostgreSQL: it takes no server in a container');
    return postgres.pid;
  };
  pid();
  return {
    adminUrl: postgres.adminUrl,
    port: postgres.port,
    disk,
    pid,
    start: async () => {
      ({ postgres } = await start());
    },
  };
}

export async function startParts(cleanup: Cleanup, diskBytes: number | undefined): Promise<Parts> {
  const postgres = await startOwnPostgres(cleanup, diskBytes);
  const redis = await startOwnRedis(cleanup);
  const surroundings = await ownSurroundings(cleanup, { adminUrl: postgres.adminUrl, workerAdminUrls: [] });
  const [callersLine, databaseLine] = [await openLine(cleanup), await openLine(cleanup)];
  databaseLine.targetPort = postgres.port;
  const throughLine = (url: string | undefined) => {
    const address = new URL(url ?? '');
    address.port = String(databaseLine.port);
    return address.href;
  };
  const clockFile = join(dataFolder, 'load', `clock-${process.pid}`);
  cleanup.add(() => rm(clockFile, { force: true }));
  const setClock = pathToFileURL(join(import.meta.dirname, 'set-clock.ts'));
  setClock.searchParams.set('file', clockFile);
  const variables = {
    NODE_OPTIONS: `--import=${setClock.href}`,
    REDIS_URL: redis.url,
    DATABASE_URL: throughLine(surroundings.environment?.DATABASE_URL),
    DATABASE_MAINTENANCE_URL: throughLine(surroundings.maintenanceUrl),
  };
  const baseUrl = `http://127.0.0.1:${callersLine.port}`;
  let [apis, workers] = [0, 0];
  const startApi = async () => {
    apis += 1;
    const { DATABASE_MAINTENANCE_URL: _, ...ofApi } = variables;
    const api = await surroundings.service(`endurance ${apis}`, {
      ...{ ...ofApi, API_PROCESSES, BASE_URL: baseUrl, SHUTDOWN_DELAY_SECONDS },
    });
    const { pid } = api;
    if (pid === null) throw new Error('The API of this run is a process of its own');
    callersLine.targetPort = Number(new URL(api.baseUrl).port);
    return { ...api, pid };
  };
  const startWorker = () => {
    workers += 1;
    return surroundings.worker(`endurance ${workers}`, variables);
  };
  return {
    ...{
      surroundings,
      postgres,
      redis,
      callersLine,
      databaseLine,
      clockFile,
      baseUrl,
      startApi,
      startWorker,
    },
    api: await startApi(),
    worker: await startWorker(),
  };
}

/** A process with its children. */
export const familyOf = (pid: number): number[] => [pid, ...livingChildren(pid)];

/** Ends all of them without a word, held first so that none starts another one meanwhile. */
export async function killFamily(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  const all = familyOf(pid);
  for (const each of all) process.kill(each, 'SIGKILL');
  if (!(await waitUntilGone(all, GONE_SECONDS_MAX))) throw new Error(`Process ${pid} cannot be killed`);
}

/** Megabytes of the largest process of each part. */
export async function memoryOf(parts: Parts): Promise<{ api: number; worker: number }> {
  const largest = async (pid: number) =>
    (await isAlive(pid)) ? Math.max(0, ...familyOf(pid).map(residentBytes).filter(Number.isFinite)) / 1e6 : 0;
  return { api: await largest(parts.api.pid), worker: await largest(parts.worker.pid) };
}
