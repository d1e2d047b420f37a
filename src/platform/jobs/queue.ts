import { createHash } from 'node:crypto';
import type { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { DateTime } from 'luxon';
import type { Clock } from '../clock.ts';
import { isReady } from '../redis/redis.ts';

/*
 * The one place that knows the queue's library, which is loaded when the first message goes out: most processes of the
 * interface never send one. Its own repeating jobs are not used: made anew at a start they lose an overdue tick, and an
 * emptied server forgets them without an error.
 *
 * A message says "something is due" and no more. While one waits, a second one is needless. So each has a name for its
 * instant (`now`, or a second in the future), and the library drops another one of that name. The receiver first frees
 * the name and then looks for work, so that a later commit sends a message of its own.
 */

const QUEUE_NAME = 'runs';
/** With the library's default of 1 the second killed worker ends a message for good. */
const STALLED_MAX = 10;
/** Instants that wait for Redis to come back; the round finds the others. */
const INSTANTS_MAX = 1_000;
const NOW = 0;

export { redisPrefix as queuePrefix } from '../redis/redis.ts';

/**
 * A fixed number of seconds from 0 to `max` for this database: many installations of one version would otherwise ask the
 * same feed in the same second.
 */
export function installationSeconds(databaseUrl: string, max: number): number {
  const { host, pathname } = new URL(databaseUrl);
  return createHash('sha256').update(`offset ${host}${pathname}`).digest().readUInt32BE(0) % (max + 1);
}

export interface JobQueue {
  /**
   * Tells the workers that runs are due from these instants on. Never throws, and nobody waits for it: while Redis is away
   * the instants are kept, and sent when it is back.
   */
  nudge(runAt: Iterable<string>): void;
  /** The round's message. It has no name, so that nothing stands in its way; fails while Redis is away. */
  sendRound(): Promise<void>;
  close(): Promise<void>;
}

export interface JobQueueOptions {
  /** Called once, when the first message is to go out: a connection for commands. */
  connect(): Redis;
  prefix: string;
  clock: Clock;
  onError(error: Error): void;
}

export function openJobQueue({ connect, prefix, clock, onError }: JobQueueOptions): JobQueue {
  /** Seconds since 1970, or `NOW`. */
  const waiting = new Set<number>();
  let redis: Redis | undefined;
  let opening: Promise<Queue> | undefined;
  let closing = false;

  function connection(): Redis {
    if (redis === undefined) {
      redis = connect();
      redis.on('ready', flush);
    }
    return redis;
  }

  function queue(): Promise<Queue> {
    opening ??= openQueue(connection(), prefix, onError);
    return opening;
  }

  /* Only when Redis answers: a queue whose first command fails stays broken, whatever the connection does later. */
  function flush(): void {
    if (closing || waiting.size === 0 || !isReady(connection())) return;
    const seconds = [...waiting];
    waiting.clear();
    queue()
      .then((opened) => Promise.all(seconds.map((second) => opened.add('due', {}, messageOptions(second)))))
      .catch(onError);
  }

  function messageOptions(second: number) {
    if (second === NOW) return { deduplication: { id: 'now' } };
    const delay = Math.max(second * 1000 - clock.nowMilliseconds(), 0);
    return { delay, deduplication: { id: `at-${second}` } };
  }

  return {
    nudge: (runAt) => {
      const now = clock.nowMilliseconds();
      for (const instant of runAt) {
        const milliseconds = DateTime.fromISO(instant).toMillis();
        if (waiting.size < INSTANTS_MAX)
          waiting.add(milliseconds <= now ? NOW : Math.ceil(milliseconds / 1000));
      }
      flush();
    },
    sendRound: async () => {
      await (await queue()).add('due', {});
    },
    close: async () => {
      closing = true;
      await (await opening)?.close();
    },
  };
}

async function openQueue(redis: Redis, prefix: string, onError: (error: Error) => void): Promise<Queue> {
  const library = await import('bullmq');
  const queue = new library.Queue(QUEUE_NAME, {
    connection: redis,
    prefix,
    /* Else adding waits for the server instead of failing at once. */
    skipWaitingForReady: true,
    defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
  });
  queue.on('error', onError);
  return queue;
}

export interface QueueWorkerOptions {
  redis: Redis;
  prefix: string;
  concurrency: number;
  work(): Promise<void>;
  onError(error: Error): void;
}

/** Takes messages and works for each; `close()` takes no more and waits for those under way. */
export async function openQueueWorker(options: QueueWorkerOptions): Promise<Worker> {
  const library = await import('bullmq');
  const worker = new library.Worker(
    QUEUE_NAME,
    async (message) => {
      if (message.deduplicationId !== undefined) await message.removeDeduplicationKey();
      await options.work();
    },
    {
      connection: options.redis,
      prefix: options.prefix,
      concurrency: options.concurrency,
      maxStalledCount: STALLED_MAX,
      autorun: false,
    },
  );
  worker.on('error', options.onError);
  return worker;
}
