import type { RowRemoval } from '../retention.ts';
import { deleteFinishedRuns } from './queries.ts';

export const finishedRunsKept: RowRemoval = {
  name: 'finished_runs',
  keptFor: () => ({ days: 90 }),
  portion: 5_000,
  remove: deleteFinishedRuns,
};
