import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { berlinDayAt, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { REFERENCE_TABLES } from './files/reference-tables.ts';
import { findReferenceRevision, findRowEnds } from './queries.ts';
import { daysBetween } from './validity.ts';

/** Levies and final grid fees of a year are published in the months before it (§3 KWKG, §20 EnWG: until 31 December). */
const LOOKS_AHEAD_IN = '12';

/**
 * Tells operators of rows of reference data that run out: quotes then go by old prices or are refused. Looked at once a day
 * and after each import; from 1 December on the rows of the next 1 January count as well. To be repeated every minute or so.
 */
export function referenceGauges(parts: {
  database: Database;
  clock: Clock;
  metrics: Metrics;
  log: Logger;
}): () => Promise<void> {
  const { database, clock, metrics, log } = parts;
  const labels = ['table'] as const;
  const daysLeft = metrics.gauge(
    'reference_days_left',
    'Days until the first used row of a table ends without another one; negative since then, +Inf where none ends',
    labels,
  );
  const lacking = metrics.gauge(
    'reference_keys_lacking',
    'Used keys of a table whose last row has ended, or ends by 1 January, from 1 December on',
    labels,
  );
  let lookedAt = '';
  let alarmed = '';
  return async () => {
    const on = berlinDayAt(clock.nowMilliseconds());
    const by = lookedAheadTo(on);
    const read = await database.asService(async (connection) => {
      const look = `${on} ${await findReferenceRevision(connection)}`;
      if (look === lookedAt) return null;
      return { look, ends: await listRowEnds(connection, { on, by }) };
    });
    if (read === null) return;
    lookedAt = read.look;
    for (const { table, ends_on, keys } of read.ends) {
      daysLeft.set({ table }, ends_on === null ? Number.POSITIVE_INFINITY : daysBetween(on, ends_on));
      lacking.set({ table }, keys);
    }
    const found = Object.fromEntries(
      read.ends.flatMap(({ table, keys }) => (keys > 0 ? [[table, keys]] : [])),
    );
    const isLacking = Object.keys(found).length > 0;
    if (isLacking) {
      log.error(
        { keys: found, on: by },
        'reference data ends and nothing follows: tariffs check says what is lacking',
      );
    } else if (alarmed !== '') log.info({ on: by }, 'reference data is complete again');
    alarmed = isLacking ? by : '';
  };
}

/** For each table: how many used keys have no row any more on a day, and when the first used row ends. */
export async function listRowEnds(connection: Connection, days: { on: CalendarDay; by: CalendarDay }) {
  const ends: Awaited<ReturnType<typeof findRowEnds>>[] = [];
  for (const table of REFERENCE_TABLES) ends.push(await findRowEnds(connection, table, days));
  return ends;
}

/** In December the next 1 January, else the day itself. */
export function lookedAheadTo(on: CalendarDay): CalendarDay {
  const [year, month] = on.split('-');
  return month === LOOKS_AHEAD_IN ? `${Number(year) + 1}-01-01` : on;
}
