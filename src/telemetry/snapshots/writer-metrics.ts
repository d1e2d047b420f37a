import type { Metrics } from '../../platform/metrics.ts';

/** Of the whole process, however many writers it has. */
export function measureWaiting(metrics: Metrics, waiting: () => number): void {
  metrics.measured('snapshot_batches_waiting', 'Batches of snapshots that wait for a group', waiting);
}

/** Several writers of a process count together. */
export function createCounters(metrics: Metrics) {
  return {
    groups: metrics.counter(
      'snapshot_groups_total',
      'Transactions that were begun for groups of snapshot batches',
    ),
    rows: metrics.counter('snapshot_rows_stored_total', 'Snapshots newly written'),
    seconds: metrics.histogram(
      'snapshot_group_seconds',
      'Time from the start of a group to the answer of all its batches',
    ),
    groupRows: metrics.histogram(
      'snapshot_group_rows',
      'Rows in one group',
      [],
      [1, 10, 100, 1_000, 5_000, 10_000, 20_000, 50_000],
    ),
    repeats: metrics.counter(
      'snapshot_repeats_total',
      'Batches answered from memory, because the same bytes were stored within the last minute',
    ),
    fallbacks: metrics.counter('snapshot_fallbacks_total', 'Batches compared with stored rows'),
    retries: metrics.counter(
      'snapshot_retries_total',
      'Repeated transactions after a deadlock or a lost race',
    ),
    mismatches: metrics.counter(
      'snapshot_row_count_mismatches_total',
      'Groups rolled back because rows were missing',
    ),
  };
}
