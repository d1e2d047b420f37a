import { berlinMidnight } from '../../platform/time/berlin-calendar.ts';
import type { ReadingRow } from './queries.ts';
import type { MeterReading } from './schema.ts';

export function shownReading(row: ReadingRow): MeterReading {
  return {
    object: 'meter_reading',
    id: row.id,
    customer: row.customer_id,
    subscription: row.subscription_id,
    meter: row.meter_id,
    value: Number(row.value),
    timestamp: berlinMidnight(row.read_on),
    type: row.type,
    created_at: row.created_at,
  };
}
