import { sql } from 'kysely';
import { advanceSubscriptions } from '../../../src/contracts/subscriptions/advance.ts';
import { openDatabase } from '../../../src/platform/database/db.ts';
import { createProcessor } from '../../../src/platform/jobs/processor.ts';
import { reconcile, registerSchedules } from '../../../src/platform/jobs/reconciler.ts';
import { createMetrics } from '../../../src/platform/metrics.ts';
import { jobWorkers } from '../../../workers/index.ts';
import { scheduleLines } from '../../../workers/schedules.ts';
import type { Contracts } from './contracts.ts';

const NAME = 'advance-subscriptions';

/** The worker process's own line and function, run by the clock of the test. */
export class LifecycleWorker {
  readonly #contracts: Contracts;

  constructor(contracts: Contracts) {
    this.#contracts = contracts;
  }

  /** Writes the schedule, as a worker does when it starts. */
  register(): Promise<void> {
    return registerSchedules(this.#contracts.api.deps, this.#lines());
  }

  /** Does what fell due until now, and says how each run ended. */
  async tick(): Promise<unknown[]> {
    const { deps } = this.#contracts.api;
    await reconcile(deps);
    const { rows } = await deps.database.asService((connection) =>
      sql<{ id: number }>`SELECT id FROM job_runs WHERE state = 'queued' ORDER BY due_at`.execute(connection),
    );
    const processor = createProcessor({
      ...deps,
      metrics: createMetrics({ runtime: false }),
      nudge: () => {},
      workers: jobWorkers.filter(({ definition }) => definition.name === NAME),
      deps: deps as never,
    });
    await processor.work();
    const results = await deps.database.asService((connection) =>
      sql<{ state: string; result: unknown }>`
        SELECT state, result FROM job_runs WHERE id = ANY (${rows.map(({ id }) => id)}) ORDER BY due_at`.execute(
        connection,
      ),
    );
    return results.rows.map(({ state, result }) => [state, result]);
  }

  /** One run at this instant, without schedule and queue. */
  run(instant: string) {
    const { api, clock } = this.#contracts;
    clock.set(instant);
    return advanceSubscriptions(api.deps, { signal: new AbortController().signal, log: api.deps.log });
  }

  /** So many runs at the same moment, each with the connections of a process of its own. */
  async runTogether(count: number) {
    const { api, clock } = this.#contracts;
    const databases = Array.from({ length: count }, (_, index) =>
      openDatabase({
        url: api.database.appUrl,
        applicationName: `worker-${index}`,
        connectionsMax: 2,
        onError: () => {},
      }),
    );
    const run = { signal: new AbortController().signal, log: api.deps.log };
    try {
      return await Promise.all(databases.map((database) => advanceSubscriptions({ database, clock }, run)));
    } finally {
      await Promise.all(databases.map((database) => database.close()));
    }
  }

  #lines() {
    const lines = scheduleLines(this.#contracts.api.database.appUrl).filter(({ id }) => id === NAME);
    if (lines.length !== 1) throw new Error('No line for it');
    return lines;
  }
}
