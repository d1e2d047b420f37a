import { METER_VALUES_KEPT, type RowRemoval, yearOf } from '../../platform/retention.ts';
import { deleteOldUsageDays } from './queries.ts';

/** Quarter hours with their history and the sums of their days: by whole years, and not while a bill needs them. */
export const usageDaysKept: RowRemoval = {
  name: 'usage_days',
  keptFor: () => METER_VALUES_KEPT,
  /* Each day has a hundred quarter hours. */
  portion: 1_000,
  remove: (connection, { before, portion }) => deleteOldUsageDays(connection, yearOf(before), portion),
};
