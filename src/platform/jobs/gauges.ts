import type { Clock } from '../clock.ts';
import type { Database } from '../database/db.ts';
import type { Metrics } from '../metrics.ts';
import type { JobWorker } from './jobs.ts';
import { countRuns } from './queries.ts';

/** How many runs of each job are due or were given up. Both fall again: a run that is started anew is given up no more. */
export function jobGauges<Deps>(parts: {
  database: Database;
  clock: Clock;
  metrics: Metrics;
  workers: readonly JobWorker<Deps>[];
}): () => Promise<void> {
  const waiting = parts.metrics.gauge('job_runs_waiting', 'Runs of jobs that are due and not started', [
    'job',
  ]);
  const dead = parts.metrics.gauge('job_runs_dead', 'Runs of jobs that were given up', ['job']);
  return async () => {
    const counts = await parts.database.asService((connection) =>
      countRuns(connection, parts.clock.nowMilliseconds()),
    );
    for (const gauge of [waiting, dead]) {
      gauge.reset();
      for (const { definition } of parts.workers) gauge.set({ job: definition.name }, 0);
    }
    for (const { job, waiting: due, failed } of counts) {
      waiting.set({ job }, due);
      dead.set({ job }, failed);
    }
  };
}
