import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { ServiceConfig } from '../config/config.ts';
import { BodyRoom } from './body/room.ts';
import { type DatabaseClock, systemClock } from './clock.ts';
import { type Database, openDatabase } from './database/db.ts';
import { FairQueue } from './fair-queue.ts';
import {
  BOOT_CACHE_SECONDS,
  createReadiness,
  databaseProbe,
  openProbeDatabase,
  type Readiness,
} from './http/readiness.ts';
import { isId } from './ids.ts';
import { openJobQueue, queuePrefix } from './jobs/queue.ts';
import { createLogger } from './log/logger.ts';
import { createMail, type Mail } from './mail.ts';
import { createMetrics, type Metrics, repeatCounter } from './metrics.ts';
import { databaseProblems } from './process/boot-check.ts';
import { type ChangedObject, createChangeWatch, type RunningChangeWatch } from './process/change-watch.ts';
import type { ProcessGroup } from './process/group/member.ts';
import { signalOfGroup } from './process/group/shared-signals.ts';
import { startProblems } from './process/node-check.ts';
import { placeOfWritesProblems } from './process/place-of-writes.ts';
import { createSignal, type Signal } from './process/signals.ts';
import { createRateLimiter, type RateLimiter } from './rate-limit/rate-limit.ts';
import { openPromptRedis, type PromptRedis } from './redis/prompt-redis.ts';
import { openRedis } from './redis/redis.ts';
import { type MessageForm, openSharedSignal } from './redis/shared-signal.ts';
import type { Traces } from './traces.ts';

/** The id of a token is no id of ours. */
const OBJECT = /^[\w-]{1,255}$/;

const CHANGED_OBJECT: MessageForm<ChangedObject> = {
  write: ({ organization, object }) => `${organization} ${object}`,
  read: (text) => {
    const [organization = '', object = '', ...others] = text.split(' ', 3);
    return others.length === 0 && isId(organization) && OBJECT.test(object)
      ? { organization, object }
      : undefined;
  },
};

/** What the API process works with; opened once, handed in everywhere, closed in reverse. */
export interface Deps {
  readonly config: ServiceConfig;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Null where the configuration names no collector. */
  readonly traces: Traces | null;
  /** The processes that serve the same port; null where this one is alone. */
  readonly group: ProcessGroup | null;
  readonly clock: DatabaseClock;
  readonly database: Database;
  /** One connection beside those of requests, for short questions that must not wait behind them. */
  readonly besideRequests: Database;
  /**
   * Carries what a process of the service has just changed, this one or another, and what others keep in memory. From other
   * machines not for certain: whoever must know asks `changes`.
   */
  readonly changed: Signal<ChangedObject>;
  /** Hears the same, and finds in the database what nobody told. */
  readonly changes: RunningChangeWatch;
  readonly mail: Mail;
  /** What all processes count together; readiness does not ask for it. */
  readonly redis: PromptRedis;
  readonly limiter: RateLimiter;
  readonly readiness: Readiness;
  /** Why this process must not start on this database, one sentence each. */
  bootProblems(): Promise<string[]>;
  /** Who is next, for everything that is costly. */
  readonly queue: FairQueue;
  /** The memory that bodies of this process hold together. */
  readonly bodyRoom: BodyRoom;
  /**
   * A last step of a part that has work under way: after all requests were answered, before connections close, the newest
   * one first.
   */
  atClose(step: () => Promise<void>): void;
  close(): Promise<void>;
}

export interface DepsOverrides {
  clock?: DatabaseClock;
  log?: Logger;
  group?: ProcessGroup | null;
  traces?: Traces | null;
}

export function openDeps(config: ServiceConfig, overrides: DepsOverrides = {}): Deps {
  const log = overrides.log ?? createLogger({ level: config.LOG_LEVEL, name: 'api' });
  const clock = overrides.clock ?? systemClock();
  const metrics = createMetrics();
  const { group = null, traces = null } = overrides;
  const changedHere = createSignal<ChangedObject>();
  const database = openDatabase({
    url: config.DATABASE_URL,
    applicationName: 'voltstream-api',
    connectionsMax: config.DATABASE_CONNECTIONS_MAX,
    connectTimeoutMilliseconds: config.DATABASE_WAIT_MILLISECONDS_MAX,
    onError: (error) => log.warn({ err: error }, 'database connection lost'),
    onRepeat: repeatCounter(metrics),
    onEnqueued: (runAt) => jobQueue.nudge(runAt),
    traces,
  });
  const probeDatabase = openProbeDatabase(config.DATABASE_URL, 'voltstream-api-readiness');
  const bootProblems = () =>
    probeDatabase.withClient(async (client) => [
      ...(await startProblems(client)),
      ...(await placeOfWritesProblems(client, config.SNAPSHOT_WRITES_TO)),
    ]);
  const probes = [
    databaseProbe(probeDatabase, clock),
    {
      name: 'Schema',
      cacheSeconds: BOOT_CACHE_SECONDS,
      problems: () => probeDatabase.withClient(databaseProblems),
    },
  ];
  const readiness = createReadiness(log, probes, group ?? undefined);
  const mail = createMail({ config, log, metrics, clock });
  const redis = openPromptRedis({
    url: config.REDIS_URL,
    databaseUrl: config.DATABASE_URL,
    connectionName: 'api',
    answerMillisecondsMax: config.REDIS_ANSWER_MILLISECONDS_MAX,
    log,
    metrics,
  });
  const changed = openSharedSignal({
    name: 'changed',
    own: changedHere,
    near: group === null ? changedHere : signalOfGroup(group, 'changed', changedHere),
    form: CHANGED_OBJECT,
    url: config.REDIS_URL,
    databaseUrl: config.DATABASE_URL,
    connectionName: 'api-signals',
    redis,
    log,
  });
  const changes = createChangeWatch({ database: probeDatabase, messages: changed.signal, log, metrics });
  let queueRedis: Redis | undefined;
  const jobQueue = openJobQueue({
    /* A connection of its own, made with the first run that is asked for: the other one gives up within milliseconds. */
    connect: () => {
      const onStateChange = () => {};
      queueRedis = openRedis({
        url: config.REDIS_URL,
        use: 'commands',
        connectionName: 'api-queue',
        onStateChange,
      });
      return queueRedis;
    },
    prefix: queuePrefix(config.DATABASE_URL),
    clock,
    onError: (error) => log.debug({ err: error }, 'queue'),
  });
  const limiter = createRateLimiter({ redis, metrics, entriesMax: config.TOKEN_CACHE_ENTRIES_MAX, group });
  const bodyRoom = new BodyRoom(config.INGEST_ROOM_MEBIBYTES * 1024 * 1024);
  metrics.measured('body_room_bytes', 'Memory that bodies hold', () => bodyRoom.bytesTaken);
  const lastSteps: (() => Promise<void>)[] = [];
  return {
    config,
    log,
    metrics,
    traces,
    group,
    clock,
    database,
    besideRequests: probeDatabase,
    changed: changed.signal,
    changes,
    mail,
    redis,
    limiter,
    readiness,
    bootProblems,
    queue: new FairQueue({ metrics }),
    bodyRoom,
    atClose: (step) => {
      lastSteps.push(step);
    },
    close: async () => {
      /* The work that a later one waited for is counted by an earlier one: what follows it runs in between. */
      for (const step of lastSteps.toReversed()) {
        await step();
        await endOfTurn();
      }
      await mail.close();
      await changes.end();
      readiness.stop();
      await probeDatabase.close();
      await database.close();
      queueRedis?.disconnect();
      changed.close();
      redis.close();
    },
  };
}
