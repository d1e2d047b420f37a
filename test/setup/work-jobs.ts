import { openDatabase } from '../../src/platform/database/db.ts';
import type { JobWorker } from '../../src/platform/jobs/jobs.ts';
import { createProcessor } from '../../src/platform/jobs/processor.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import type { WorkerDeps } from '../../workers/deps.ts';
import type { TestApi } from './api.ts';

/** Works off what is due, as the worker process does: also with the rights of maintenance. */
export async function workJobs(
  { deps, database }: TestApi,
  workers: readonly JobWorker<WorkerDeps>[],
): Promise<void> {
  const maintenance = openDatabase({
    ...{ url: database.maintenanceUrl, applicationName: 'test-worker', connectionsMax: 1 },
    onError: () => {},
  });
  const metrics = createMetrics({ runtime: false });
  const all = { ...deps, maintenance } as never;
  try {
    await createProcessor({ ...deps, metrics, workers, deps: all, nudge: () => {} }).work();
  } finally {
    await maintenance.close();
  }
}
