import { DateTime } from 'luxon';
import type { ModuleSpan } from '../../tariffs/reference-data/module-prices.ts';
import type { ReductionRow } from '../grid-fee-reductions/queries.ts';

const MODULES = {
  'enwg-14a-module-1': 1,
  'enwg-14a-module-2': 2,
  'enwg-14a-module-3': 3,
} as const;

type Reduction = Pick<ReductionRow, 'type' | 'status' | 'valid_from' | 'valid_until'>;

/** A reduction holds from the instant that the grid operator named until it ended. What was only ordered changes nothing. */
export function moduleSpansOf(rows: readonly Reduction[]): ModuleSpan[] {
  return rows.flatMap(({ type, status, valid_from, valid_until }) => {
    if (valid_from === null || (status !== 'activated' && status !== 'ended')) return [];
    const until = valid_until === null ? null : DateTime.fromISO(valid_until).toMillis();
    return [{ module: MODULES[type], from: DateTime.fromISO(valid_from).toMillis(), until }];
  });
}
