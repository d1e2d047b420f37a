import type { Removal } from '../retention.ts';
import { deleteFinishedRuns } from './queries.ts';

export const finishedRunsKept: Removal = {
  name: 'job_runs',
  keptFor: () => ({ days: 90 }),
  portion: 5_000,
  remove: deleteFinishedRuns,
};
