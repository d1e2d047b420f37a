import type { Connection } from '../../platform/database/db.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';
import type { DaySum } from '../../spot-prices/store/day-sums.ts';
import { dayChanges, daySums } from '../../spot-prices/store/day-sums.ts';
import { type MeanWindow, meanOf, windowOf } from './mean.ts';
import { findMean, findPriceKindNow, type KeptMean, lockMeans, upsertMean } from './queries.ts';

/** The kept mean of a price date, made anew first where it is missing or a price in its window has changed. */
export async function currentMean(connection: Connection, priceDate: CalendarDay): Promise<KeptMean> {
  const window = windowOf(priceDate);
  const kept = await keptMean(connection, window);
  if (kept !== undefined) return kept;
  const keep = await lockMeans(connection);
  /* Whoever had the lock until now may have kept it meanwhile. */
  const keptSince = keep ? await keptMean(connection, window) : undefined;
  if (keptSince !== undefined) return keptSince;
  const mean = await computedMean(
    connection,
    window,
    await daySums(connection, window.first, window.end, { keep }),
  );
  if (keep) await upsertMean(connection, window, mean);
  return mean;
}

/** Undefined where there is none, or one of other prices. */
async function keptMean(connection: Connection, window: MeanWindow): Promise<KeptMean | undefined> {
  const kept = await findMean(connection, window.priceDate);
  return kept?.price_changes === (await dayChanges(connection, window.first, window.end)) ? kept : undefined;
}

export async function computedMean(
  connection: Connection,
  window: MeanWindow,
  days: readonly DaySum[],
): Promise<KeptMean> {
  const { price_kind, now } = await findPriceKindNow(connection);
  const { mean, pricedQuarterHours } = meanOf(days);
  const priced = days.filter(({ quarter_hours }) => quarter_hours > 0);
  const sources = new Set(priced.map(({ served_source }) => served_source ?? ''));
  return Object.freeze({
    price_date: window.priceDate,
    quarter_hours: window.quarterHours,
    priced_quarter_hours: pricedQuarterHours,
    mean_ct_net: mean,
    price_changes: days.reduce((sum, { version }) => sum + version, 0),
    price_kind,
    sources: [...sources].sort(),
    computed_at: now,
  });
}
