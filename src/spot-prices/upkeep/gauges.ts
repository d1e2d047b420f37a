import { addDays, dayStart, deliveryDayAt } from '../calendar.ts';
import type { PriceParts } from '../parts.ts';
import { findDay } from '../queries.ts';
import { listOpenAlarms } from '../store/alarms.ts';
import { fetchCounter, implausibleCounter } from '../store/store.ts';
import { findNewestCompleteDay } from './day-queries.ts';
import { latenessAt } from './lateness.ts';

/** What operators watch, read from the database: any worker may have pulled. To be repeated every minute or so. */
export function priceGauges(parts: Pick<PriceParts, 'database' | 'clock' | 'metrics'>): () => Promise<void> {
  const { database, clock, metrics } = parts;
  fetchCounter(metrics);
  implausibleCounter(metrics);
  /* A gauge that is no longer set would keep its last value. */
  const known = new Set<string>();
  const alarms = metrics.gauge('price_alarms_open', 'Alarms about prices that stand, by kind', ['kind']);
  const tomorrow = metrics.gauge(
    'price_tomorrow_complete',
    'Whether all prices of tomorrow are there: 1 or 0',
  );
  const late = metrics.gauge(
    'price_tomorrow_late',
    'Whether prices of tomorrow are missing though it is 15:00 or later in Berlin: 1 or 0',
  );
  const today = metrics.gauge('price_today_complete', 'Whether all prices of today are there: 1 or 0');
  const age = metrics.gauge(
    'price_newest_complete_day_age_seconds',
    'Since the end of the newest complete delivery day; negative while it lies ahead',
  );
  return async () => {
    const now = clock.nowMilliseconds();
    const day = deliveryDayAt(now);
    const read = await database.asService(async (connection) => ({
      open: await listOpenAlarms(connection),
      today: await findDay(connection, 'DE-LU', day),
      tomorrow: await findDay(connection, 'DE-LU', addDays(day, 1)),
      newest: await findNewestCompleteDay(connection, 'DE-LU'),
    }));
    const counts = new Map<string, number>();
    for (const { kind } of read.open) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    for (const kind of counts.keys()) known.add(kind);
    for (const kind of known) alarms.set({ kind }, counts.get(kind) ?? 0);
    today.set(read.today?.state === 'complete' ? 1 : 0);
    const isComplete = read.tomorrow?.state === 'complete';
    tomorrow.set(isComplete ? 1 : 0);
    late.set(!isComplete && latenessAt(addDays(day, 1), now) === 'warning' ? 1 : 0);
    if (read.newest !== null) age.set((now - dayStart(addDays(read.newest, 1))) / 1000);
  };
}
