import type { Queue, Worker } from 'bullmq';
import { dispatch, RUNS_HANDED_OVER_MAX } from '../src/platform/jobs/dispatcher.ts';
import { createProcessor } from '../src/platform/jobs/processor.ts';
import { openQueue, openQueueWorker, queuePrefix } from '../src/platform/jobs/queue.ts';
import { reconcile } from '../src/platform/jobs/reconciler.ts';
import { isReady } from '../src/platform/redis/redis.ts';
import { closeWithin } from './closing.ts';
import type { WorkerDeps } from './deps.ts';
import { jobWorkers } from './index.ts';
import { startRounds } from './rounds.ts';
import { scheduleLines } from './schedules.ts';

const CONCURRENCY = 4;
const ROUND_MILLISECONDS = 30_000;

export interface JobEngine {
  /** Takes no more, and ends when the running jobs have ended or were given back. */
  stop(): Promise<void>;
}

/** Finds what fell due, hands it to the queue, takes it from there and runs it. */
export function startJobs(deps: WorkerDeps): JobEngine {
  const { database, clock, log, metrics, commands } = deps;
  /* The connection's own line tells of an outage once; the library repeats it for every command. */
  const onError = (error: Error) => log.debug({ err: error }, 'queue');
  const prefix = queuePrefix(deps.config.DATABASE_URL);
  const processor = createProcessor({
    database,
    clock,
    log,
    metrics,
    lines: scheduleLines(deps.config.DATABASE_URL),
    workers: jobWorkers,
    deps,
  });
  let opened: { queue: Queue; worker: Worker } | undefined;

  /* Only when Redis answers: a queue whose first command fails stays broken, whatever the connection does later. */
  function open(): { queue: Queue; worker: Worker } {
    const queue = openQueue(commands, prefix, onError);
    const worker = openQueueWorker({
      redis: deps.work,
      prefix,
      concurrency: CONCURRENCY,
      process: processor.process,
      onError,
    });
    void worker.run().catch(onError);
    return { queue, worker };
  }

  const rounds = startRounds({
    log,
    pauseMilliseconds: ROUND_MILLISECONDS,
    round: async () => {
      await reconcile({ database, clock });
      if (!isReady(commands)) return false;
      opened ??= open();
      return (await dispatch({ database, clock, queue: opened.queue })) < RUNS_HANDED_OVER_MAX;
    },
  });

  commands.on('ready', rounds.wake);

  return {
    stop: async () => {
      await rounds.stop();
      if (opened !== undefined) await closeWithin(opened, processor);
    },
  };
}
