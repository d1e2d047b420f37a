import { setTimeout as wait } from 'node:timers/promises';
import type { Worker } from 'bullmq';
import type { Processor } from '../src/platform/jobs/processor.ts';
import type { JobQueue } from '../src/platform/jobs/queue.ts';

const RUNNING_MILLISECONDS_MAX = 20_000;
const AFTER_ABORT_MILLISECONDS = 1_000;
/** The library waits for answers of Redis here, for ever where there is none. */
const CLOSING_MILLISECONDS_MAX = 1_500;

interface OpenedResource {
  queue: Pick<JobQueue, 'close'>;
  worker: Pick<Worker, 'pause' | 'close'>;
}

/**
 * Takes no more, stops what may stop, lets running jobs end for a while, then gives the rest back so that another worker
 * takes them at once.
 */
export async function closeWithin(
  { queue, worker }: OpenedResource,
  processors: readonly Pick<Processor, 'idle' | 'startClosing' | 'giveBack'>[],
  runningMilliseconds = RUNNING_MILLISECONDS_MAX,
): Promise<void> {
  const idle = () => Promise.all(processors.map((processor) => processor.idle()));
  for (const processor of processors) processor.startClosing();
  await worker.pause(true);
  const ended = await endsWithin(idle(), runningMilliseconds);
  if (!ended) {
    await Promise.all(processors.map((processor) => processor.giveBack()));
    await endsWithin(idle(), AFTER_ABORT_MILLISECONDS);
  }
  await endsWithin(Promise.all([worker.close(!ended), queue.close()]), CLOSING_MILLISECONDS_MAX);
}

async function endsWithin(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const waiting = new AbortController();
  const late = wait(milliseconds, false, { signal: waiting.signal }).catch(() => false);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    waiting.abort();
  }
}
