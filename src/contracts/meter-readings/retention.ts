import { METER_VALUES_KEPT, type RowRemoval, yearOf } from '../../platform/retention.ts';
import { deleteOldReadings } from './queries.ts';

/** By whole years; not while a bill needs them, nor before the next reading was compared with them. */
export const readingsKept: RowRemoval = {
  name: 'meter_readings',
  keptFor: () => METER_VALUES_KEPT,
  portion: 1_000,
  remove: (connection, { before, portion }) => deleteOldReadings(connection, yearOf(before), portion),
};
