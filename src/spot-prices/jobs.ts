import { DateTime } from 'luxon';
import { z } from 'zod';
import { job } from '../platform/jobs/jobs.ts';
import { addDays, type DeliveryDay, MARKET_TIME_ZONE } from './calendar.ts';

/** Delivery days before (negative) or after the day on which the run fell due. */
const days = z.coerce.number().int().min(-7).max(7);

/** One delivery day from the first feed in order that has all of it; no request where it is complete. */
export const pullSpotPricesJob = job({
  name: 'pull-spot-prices',
  when: "from 12:45 every 5 minutes, from 15:30 every half hour; today's at every hour",
  does: 'asks for the prices of tomorrow until they are complete',
  payload: z.object({ day: days }),
  attempts: 3,
  retrySeconds: 30,
});

/** Asks every feed again for delivered days: what was corrected becomes a revision. */
export const recheckSpotPricesJob = job({
  name: 'recheck-spot-prices',
  when: '09:20',
  does: 'asks again for the last seven days',
  payload: z.object({ from: days, to: days }),
  attempts: 3,
  retrySeconds: 300,
});

/** Compares what is served with feeds of another origin. */
export const crossCheckSpotPricesJob = job({
  name: 'cross-check-spot-prices',
  when: '16:20',
  does: 'compares tomorrow with a source of another origin',
  payload: z.object({ day: days }),
  attempts: 3,
  retrySeconds: 600,
});

/** Retries for hours: after an outage of the network the feeds come back some time, the next night is far. */
export const fillPriceGapsJob = job({
  name: 'fill-price-gaps',
  when: 'at the start and 03:30',
  does: 'judges suspect days again, and looks for days that are missing',
  payload: z.object({}),
  attempts: 12,
  retrySeconds: 300,
});

export const sweepPricePayloadsJob = job({
  name: 'sweep-price-payloads',
  when: '04:00',
  does: 'removes kept answers of feeds whose time is over',
  payload: z.object({}),
  attempts: 3,
  retrySeconds: 300,
});

/**
 * The mean that quotes calculate with. Its line stands here because a changed price of a past day asks for it; the work is
 * done in day-ahead-means, which knows prices and which prices do not know.
 */
export const keepDayAheadMeanJob = job({
  name: 'keep-day-ahead-mean',
  when: 'at the start, 00:00 and when a price of a past day changed',
  does: 'computes the mean of the last twelve months for quotes, where a price in it is new',
  payload: z.object({}),
  attempts: 8,
  retrySeconds: 15,
});

/**
 * The delivery day that a run is about, counted from the instant it fell due: a run due at 23:59:50 that works after
 * midnight still means the next day of the evening before.
 */
export function deliveryDayOf(dueAt: string, days: number): DeliveryDay {
  const dueOn = DateTime.fromISO(dueAt, { zone: MARKET_TIME_ZONE }).toISODate();
  if (dueOn === null) throw new RangeError(`Not an instant: ${dueAt}`);
  return addDays(dueOn, days);
}
