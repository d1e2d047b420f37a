import { createHash } from 'node:crypto';
import { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';

/*
 * The one place that knows the queue's library. Its own repeating jobs are not used: made anew at a start they lose an
 * overdue tick, and an emptied server forgets them without an error.
 */

const QUEUE_NAME = 'runs';
const FAILED_SECONDS_MAX = 7 * 24 * 3_600;
const FAILED_ENTRIES_MAX = 10_000;
/** With the library's default of 1 the second killed worker ends a job for good. */
const STALLED_MAX = 10;

export { redisPrefix as queuePrefix } from '../redis/redis.ts';

/**
 * A fixed number of seconds from 0 to `max` for this database: many installations of one version would otherwise ask the
 * same feed in the same second.
 */
export function installationSeconds(databaseUrl: string, max: number): number {
  const { host, pathname } = new URL(databaseUrl);
  return createHash('sha256').update(`offset ${host}${pathname}`).digest().readUInt32BE(0) % (max + 1);
}

export function openQueue(redis: Redis, prefix: string, onError: (error: Error) => void): Queue {
  const queue = new Queue(QUEUE_NAME, {
    connection: redis,
    prefix,
    /* Else adding waits for the server instead of failing at once. */
    skipWaitingForReady: true,
    defaultJobOptions: {
      attempts: 1,
      removeOnComplete: true,
      removeOnFail: { age: FAILED_SECONDS_MAX, count: FAILED_ENTRIES_MAX },
    },
  });
  queue.on('error', onError);
  return queue;
}

export interface QueueWorkerOptions {
  redis: Redis;
  prefix: string;
  concurrency: number;
  process(run: number): Promise<unknown>;
  onError(error: Error): void;
}

/** Takes messages and runs them; `close()` takes no more and waits for those that run. */
export function openQueueWorker(options: QueueWorkerOptions): Worker {
  const worker = new Worker<{ run: number }>(
    QUEUE_NAME,
    async (message) => {
      await options.process(message.data.run);
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
