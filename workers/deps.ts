import type { Redis } from 'ioredis';
import type { WorkerConfig } from '../src/config/config.ts';
import { openRequests } from '../src/events/requests/open.ts';
import { type DatabaseClock, systemClock } from '../src/platform/clock.ts';
import { adjustClock } from '../src/platform/database/clock-difference.ts';
import { type Database, openDatabase } from '../src/platform/database/db.ts';
import { FairQueue } from '../src/platform/fair-queue.ts';
import { type HttpClient, openHttpClient } from '../src/platform/http/client.ts';
import {
  BOOT_CACHE_SECONDS,
  createReadiness,
  databaseProbe,
  openProbeDatabase,
  type Readiness,
} from '../src/platform/http/readiness.ts';
import { type JobQueue, openJobQueue, queuePrefix } from '../src/platform/jobs/queue.ts';
import { createLogger, type Logger } from '../src/platform/log/logger.ts';
import { createMail, type Mail } from '../src/platform/mail.ts';
import { createMetrics, type Metrics, repeatCounter } from '../src/platform/metrics.ts';
import { databaseProblems } from '../src/platform/process/boot-check.ts';
import { startProblems } from '../src/platform/process/node-check.ts';
import { isReady, openRedis, redisProblems } from '../src/platform/redis/redis.ts';
import type { Traces } from '../src/platform/traces.ts';
import { unreachable } from '../src/platform/unreachable.ts';

/** What the worker process works with, and what it hands to every job. */
export interface WorkerDeps {
  readonly config: WorkerConfig;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Null where the configuration names no collector. */
  readonly traces: Traces | null;
  readonly clock: DatabaseClock;
  readonly database: Database;
  /** Signed in with the role for maintenance: a few functions and no table. */
  readonly maintenance: Database;
  readonly readiness: Readiness;
  /** Why this process must not start on this database, one sentence each. Sets the clock by it as well. */
  bootProblems(): Promise<string[]>;
  /** Fails at once while Redis is away. */
  readonly commands: Redis;
  /** Waits for Redis; the queue's worker takes jobs from it. */
  readonly work: Redis;
  /** Tells workers, this one too, that something is due. */
  readonly jobQueue: JobQueue;
  /** To the feeds of prices, and to nobody else. */
  readonly http: HttpClient;
  /** To receivers of events, whose addresses customers chose. */
  readonly webhooks: ReturnType<typeof openRequests>;
  /** The many runs that send webhooks take turns at the few connections to the database. */
  readonly queue: FairQueue;
  readonly mail: Mail;
  close(): Promise<void>;
}

/**
 * The jobs of this role take turns at its one connection, statement by statement, and a statement may take 15 s. Nobody
 * waits for these jobs: one that gave up earlier would only come back minutes later.
 */
const MAINTENANCE_WAIT_MILLISECONDS = 60_000;

export interface WorkerDepsOverrides {
  clock?: DatabaseClock;
  log?: Logger;
  traces?: Traces | null;
}

export function openWorkerDeps(config: WorkerConfig, overrides: WorkerDepsOverrides = {}): WorkerDeps {
  const log = overrides.log ?? createLogger({ level: config.LOG_LEVEL, name: 'worker' });
  const clock = overrides.clock ?? systemClock();
  const metrics = createMetrics();
  const { traces = null } = overrides;
  const onError = (error: Error) => log.warn({ err: error }, 'database connection lost');
  const database = openDatabase({
    url: config.DATABASE_URL,
    applicationName: 'voltstream-worker',
    connectionsMax: config.DATABASE_CONNECTIONS_MAX,
    connectTimeoutMilliseconds: config.DATABASE_WAIT_MILLISECONDS_MAX,
    onError,
    onRepeat: repeatCounter(metrics),
    onEnqueued: (runAt) => jobQueue.nudge(runAt),
    traces,
  });
  const maintenance = openDatabase({
    url: config.DATABASE_MAINTENANCE_URL,
    applicationName: 'voltstream-maintenance',
    connectionsMax: 1,
    connectTimeoutMilliseconds: MAINTENANCE_WAIT_MILLISECONDS,
    onError,
    traces,
  });
  const available = metrics.gauge('redis_available', 'Whether Redis answers: 1 or 0');
  let closing = false;
  const onStateChange = (state: 'lost' | 'back', error?: Error) => {
    if (closing) return;
    available.set(state === 'lost' ? 0 : 1);
    if (state === 'lost') {
      const where = unreachable('REDIS_URL', config.REDIS_URL, error);
      log.warn({ err: error }, `Redis lost: due work waits in the database. ${where}`);
    } else log.info('Redis is back');
  };
  const commands = openRedis({
    url: config.REDIS_URL,
    use: 'commands',
    connectionName: 'worker-queue',
    onStateChange,
  });
  commands.once('ready', () => available.set(1));
  const jobQueue = openJobQueue({
    connect: () => commands,
    prefix: queuePrefix(config.DATABASE_URL),
    clock,
    onError: (error) => log.debug({ err: error }, 'queue'),
  });
  const work = openRedis({
    url: config.REDIS_URL,
    use: 'work',
    connectionName: 'worker',
    onStateChange: () => {},
  });

  const http = openHttpClient(traces);
  const webhooks = openRequests(config, traces);
  const mail = createMail({ config, log, metrics, clock });
  const probeDatabase = openProbeDatabase(config.DATABASE_URL, 'voltstream-worker-readiness');
  const bootProblems = async () => {
    /* The time of the database decides about work that is due at the start, and about all later work. */
    await adjustClock(probeDatabase, clock);
    return [
      ...(await probeDatabase.withClient(startProblems)),
      ...(isReady(commands) ? await redisProblems(commands) : []),
    ];
  };
  const readiness = createReadiness(log, [
    databaseProbe(probeDatabase, clock),
    {
      name: 'Schema',
      cacheSeconds: BOOT_CACHE_SECONDS,
      problems: () => probeDatabase.withClient(databaseProblems),
    },
    {
      name: 'Redis',
      cacheSeconds: 2,
      problems: async () =>
        isReady(commands)
          ? await redisProblems(commands)
          : ['Redis: not reachable (due work waits in the database)'],
    },
  ]);
  return {
    config,
    log,
    metrics,
    traces,
    clock,
    database,
    maintenance,
    readiness,
    bootProblems,
    commands,
    work,
    jobQueue,
    http,
    webhooks,
    /* Some stay free for everything else. */
    queue: new FairQueue({
      turnsMax: Math.max(Math.ceil(config.DATABASE_CONNECTIONS_MAX / 2), 1),
      bounds: null,
    }),
    mail,
    close: async () => {
      closing = true;
      readiness.stop();
      await mail.close();
      await Promise.all([
        http.close(),
        webhooks.close(),
        database.close(),
        maintenance.close(),
        probeDatabase.close(),
      ]);
      commands.disconnect();
      work.disconnect();
    },
  };
}
