import type { Worker } from 'bullmq';
import { jobGauges } from '../src/platform/jobs/gauges.ts';
import { createProcessor } from '../src/platform/jobs/processor.ts';
import { openQueueWorker, queuePrefix } from '../src/platform/jobs/queue.ts';
import { reconcile } from '../src/platform/jobs/reconciler.ts';
import { createRunPool } from '../src/platform/jobs/run-pool.ts';
import { isReady } from '../src/platform/redis/redis.ts';
import { closeWithin } from './closing.ts';
import type { WorkerDeps } from './deps.ts';
import { jobWorkers } from './index.ts';
import { startRounds } from './rounds.ts';

const CONCURRENCY = 6;
/** Room for the runs of all jobs that wait for servers of others: 128, 64 and 4 in all processes together. */
const REQUEST_SLOTS = 196;
const ROUND_MILLISECONDS = 30_000;

export interface JobEngine {
  /** Takes no more, and ends when the running jobs have ended or were given back. */
  stop(): Promise<void>;
}

/** Finds what fell due, nudges the queue, and works whenever a message says that something is due, and in each round. */
export function startJobs(deps: WorkerDeps): JobEngine {
  const { database, clock, log, metrics, traces, commands, jobQueue } = deps;
  /* The connection's own line tells of an outage once; the library repeats it for every command. */
  const onError = (error: Error) => log.debug({ err: error }, 'queue');
  const { nudge } = jobQueue;
  const parts = { database, clock, log, metrics, traces, workers: jobWorkers, deps, nudge };
  const processor = createProcessor({ ...parts, pool: 'own' });
  const requestProcessor = createProcessor({ ...parts, pool: 'requests' });
  const requests = createRunPool(requestProcessor, { slots: REQUEST_SLOTS, onError });
  const refreshGauges = jobGauges({ database, clock, metrics, workers: jobWorkers });
  let worker: Worker | undefined;
  let worksInRound = false;

  /* A consumer that hangs after an outage takes no message. Then the round is the one that works. */
  async function workInRound(): Promise<void> {
    requests.wake();
    if (worksInRound) return;
    worksInRound = true;
    await processor.work().catch(onError);
    worksInRound = false;
  }

  async function open(): Promise<Worker> {
    const opened = await openQueueWorker({
      redis: deps.work,
      prefix: queuePrefix(deps.config.DATABASE_URL),
      concurrency: CONCURRENCY,
      work: () => {
        requests.wake();
        return processor.work();
      },
      onError,
    });
    void opened.run().catch(onError);
    return opened;
  }

  const rounds = startRounds({
    log,
    pauseMilliseconds: ROUND_MILLISECONDS,
    round: async () => {
      await reconcile({ database, clock });
      await refreshGauges();
      if (!isReady(commands)) return false;
      worker ??= await open();
      void workInRound();
      await jobQueue.sendRound();
      return true;
    },
  });

  commands.on('ready', rounds.wake);

  return {
    stop: async () => {
      await rounds.stop();
      if (worker !== undefined) await closeWithin({ queue: jobQueue, worker }, [processor, requestProcessor]);
    },
  };
}
