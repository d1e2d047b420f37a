import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import { type DeliveryDay, gridOf, type Zone } from '../calendar.ts';
import { dayNumberOf } from './day-numbers.ts';
import { at, type Numbers } from './numbers.ts';

export const HOURS = 24;
export const QUARTERS = 4;
/** The local hour that is missing on one day in spring and comes twice on one day in autumn. */
const CHANGED_HOUR = 2;

/** Day number → prices in EUR/MWh of the 24 hours of a day; only days that are complete. */
export type HourlyHistory = ReadonlyMap<number, Numbers>;

/** Day number → deviations of the 96 quarters from their hour in EUR/MWh; NaN where the day has no such hour. */
export type QuarterHistory = ReadonlyMap<number, Numbers>;

/** Which of the 24 hours each hour of a day of 23, 24 or 25 hours is. */
export function hourLabels(hours: number): readonly number[] {
  const labels = Array.from({ length: HOURS }, (_, hour) => hour);
  if (hours === HOURS - 1) return labels.filter((hour) => hour !== CHANGED_HOUR);
  if (hours === HOURS + 1) return labels.flatMap((hour) => (hour === CHANGED_HOUR ? [hour, hour] : [hour]));
  return labels;
}

/** 24 values: a missing hour is the mean of its neighbours, one that comes twice the mean of both. */
export function asTwentyFourHours(prices: readonly number[]): Numbers {
  const day = new Float64Array(HOURS);
  const counts = new Float64Array(HOURS);
  for (const [index, hour] of hourLabels(prices.length).entries()) {
    day[hour] = at(day, hour) + (prices[index] ?? Number.NaN);
    counts[hour] = at(counts, hour) + 1;
  }
  for (let hour = 0; hour < HOURS; hour += 1)
    if (at(counts, hour) > 1) day[hour] = at(day, hour) / at(counts, hour);
  if (at(counts, CHANGED_HOUR) === 0)
    day[CHANGED_HOUR] = (at(day, CHANGED_HOUR - 1) + at(day, CHANGED_HOUR + 1)) / 2;
  return day;
}

/** Deviations of the quarters from the mean of their hour, by the 96 quarters of an ordinary day. */
export function quarterDeviations(prices: readonly number[]): Numbers {
  const deviations = new Float64Array(HOURS * QUARTERS);
  const counts = new Float64Array(HOURS * QUARTERS);
  for (const [index, hour] of hourLabels(prices.length / QUARTERS).entries()) {
    const four = Float64Array.from(prices.slice(index * QUARTERS, (index + 1) * QUARTERS));
    const hourMean = (at(four, 0) + at(four, 1) + at(four, 2) + at(four, 3)) / QUARTERS;
    for (let quarter = 0; quarter < QUARTERS; quarter += 1) {
      const slot = hour * QUARTERS + quarter;
      deviations[slot] = at(deviations, slot) + at(four, quarter) - hourMean;
      counts[slot] = at(counts, slot) + 1;
    }
  }
  return deviations.map((sum, slot) => sum / at(counts, slot));
}

/**
 * Hourly means of the complete days from `from` to `to`, both included. An hour's price is the mean of its quarters. One
 * row per day: 730 days of quarters are 70,000 rows, which the database sums up.
 */
export async function listHourlyHistory(
  connection: Connection,
  zone: Zone,
  from: DeliveryDay,
  to: DeliveryDay,
): Promise<HourlyHistory> {
  const { rows } = await sql<{ delivery_on: string; intervals: number; prices: number[] }>`
    SELECT delivery_on, sum(intervals)::int AS intervals, array_agg(price ORDER BY hour) AS prices
      FROM (SELECT delivery_on, date_trunc('hour', interval_start) AS hour,
                   count(*) AS intervals, avg(amount)::float8 AS price
              FROM spot_prices
             WHERE zone = ${zone} AND delivery_on BETWEEN ${from}::date AND ${to}::date
             GROUP BY delivery_on, date_trunc('hour', interval_start)) AS hours
     GROUP BY delivery_on
     ORDER BY delivery_on`.execute(connection);
  const history = new Map<number, Numbers>();
  for (const { delivery_on, intervals, prices } of rows) {
    if (intervals === gridOf(delivery_on).count)
      history.set(dayNumberOf(delivery_on), asTwentyFourHours(prices));
  }
  return history;
}

/** Prices of the complete quarter-hourly days from `from` to `to`, both included. */
export async function listQuarterHistory(
  connection: Connection,
  zone: Zone,
  from: DeliveryDay,
  to: DeliveryDay,
): Promise<QuarterHistory> {
  const { rows } = await sql<{ delivery_on: string; prices: number[] }>`
    SELECT delivery_on, array_agg(amount::float8 ORDER BY interval_start) AS prices
      FROM spot_prices
     WHERE zone = ${zone} AND delivery_on BETWEEN ${from}::date AND ${to}::date AND minutes = 15
     GROUP BY delivery_on
     ORDER BY delivery_on`.execute(connection);
  const history = new Map<number, Numbers>();
  for (const { delivery_on, prices } of rows) {
    const grid = gridOf(delivery_on);
    if (grid.minutes === 15 && prices.length === grid.count)
      history.set(dayNumberOf(delivery_on), quarterDeviations(prices));
  }
  return history;
}

/** The newest day with any stored price; null where there is none. */
export async function findNewestKnownDay(connection: Connection, zone: Zone): Promise<DeliveryDay | null> {
  const { rows } = await sql<{ newest: DeliveryDay | null }>`
    SELECT max(delivery_on) AS newest FROM spot_prices WHERE zone = ${zone}`.execute(connection);
  return rows[0]?.newest ?? null;
}
