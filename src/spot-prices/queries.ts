import { sql } from 'kysely';
import type { Connection } from '../platform/database/db.ts';
import type { DayGrid, DeliveryDay, IntervalMinutes, Zone } from './calendar.ts';
import { startText } from './calendar.ts';
import { REALIZED_SOURCES, STORED_SOURCES } from './providers/index.ts';

/* Readers of the realized series. Forecasts have statements of their own: none names both. */

/** EUR/MWh of one interval as it is served. */
export interface ServedPrice {
  interval_start: string;
  minutes: IntervalMinutes;
  amount: string;
}

/** Served prices whose intervals begin from the first instant to before the second one, ascending. */
export async function listServedPrices(
  connection: Connection,
  zone: Zone,
  fromMilliseconds: number,
  toMilliseconds: number,
): Promise<ServedPrice[]> {
  const { rows } = await sql<ServedPrice>`
    SELECT interval_start, minutes, amount
      FROM spot_prices
     WHERE zone = ${zone}
       AND interval_start >= ${startText(fromMilliseconds)}
       AND interval_start < ${startText(toMilliseconds)}
     ORDER BY interval_start`.execute(connection);
  return rows;
}

/**
 * The same for who needs the amounts alone, by start in milliseconds since 1970. One row a day: to read a row for each quarter
 * hour took this process four times as long.
 */
export async function listServedPricesByDay(
  connection: Connection,
  zone: Zone,
  fromMilliseconds: number,
  toMilliseconds: number,
): Promise<StartAmounts> {
  const { rows } = await sql<{ prices: string }>`
    SELECT string_agg(extract(epoch FROM interval_start)::bigint || ' ' || amount, ',') AS prices
      FROM spot_prices
     WHERE zone = ${zone}
       AND interval_start >= ${startText(fromMilliseconds)}
       AND interval_start < ${startText(toMilliseconds)}
     GROUP BY delivery_on`.execute(connection);
  const amounts = new Map<number, string>();
  for (const { prices } of rows) {
    for (const price of prices.split(',')) {
      const space = price.indexOf(' ');
      amounts.set(Number(price.slice(0, space)) * 1_000, price.slice(space + 1));
    }
  }
  return amounts;
}

export interface PriceDay {
  delivery_on: DeliveryDay;
  served_source: string | null;
  preferred_source: string | null;
  state: 'complete' | 'partial' | 'suspect';
  version: number;
  /** What the day lacks is stored, and not served because it looks like no prices. */
  is_held_back: boolean;
  last_incomplete_at: string | null;
  first_complete_at: string | null;
  updated_at: string;
}

/** `missing`: nothing of it is served or held back. A day that was asked for in vain has a row as well. */
export function shownState(
  day: Pick<PriceDay, 'state' | 'served_source'> | undefined,
): PriceDay['state'] | 'missing' {
  if (day === undefined) return 'missing';
  return day.state === 'partial' && day.served_source === null ? 'missing' : day.state;
}

/** State and version of each known day, both ends included, ascending; a day never asked for has no row. */
export async function listDayVersions(
  connection: Connection,
  zone: Zone,
  firstDay: DeliveryDay,
  lastDay: DeliveryDay,
): Promise<PriceDay[]> {
  const { rows } = await sql<PriceDay>`
    SELECT delivery_on, served_source, preferred_source, state, version,
           state = 'suspect'
             OR (state = 'partial'
                 AND EXISTS (SELECT FROM price_source_days AS held
                              WHERE held.zone = day.zone AND held.delivery_on = day.delivery_on
                                AND held.state = 'suspect'
                                AND held.interval_count > (
                                      SELECT count(*) FROM spot_prices AS served
                                       WHERE served.zone = day.zone AND served.delivery_on = day.delivery_on)))
             AS is_held_back,
           last_incomplete_at, first_complete_at, updated_at
      FROM price_days AS day
     WHERE zone = ${zone} AND delivery_on BETWEEN ${firstDay} AND ${lastDay}
     ORDER BY delivery_on`.execute(connection);
  return rows;
}

export async function findDay(
  connection: Connection,
  zone: Zone,
  deliveryOn: DeliveryDay,
): Promise<PriceDay | undefined> {
  return (await listDayVersions(connection, zone, deliveryOn, deliveryOn))[0];
}

/** Days in that span that are served complete, ascending: statistics are formed from these only. */
export async function listCompleteDays(
  connection: Connection,
  zone: Zone,
  firstDay: DeliveryDay,
  lastDay: DeliveryDay,
): Promise<DeliveryDay[]> {
  const days = await listDayVersions(connection, zone, firstDay, lastDay);
  return days.filter((day) => day.state === 'complete').map((day) => day.delivery_on);
}

export interface SourceDay {
  delivery_on: DeliveryDay;
  source: string;
  interval_count: number;
  state: 'complete' | 'partial' | 'suspect';
  first_captured_at: string;
  last_captured_at: string;
  released_at: string | null;
}

/** What each feed has for the days of that span. */
export async function listSourceDays(
  connection: Connection,
  zone: Zone,
  firstDay: DeliveryDay,
  lastDay: DeliveryDay,
): Promise<SourceDay[]> {
  const { rows } = await sql<SourceDay>`
    SELECT delivery_on, source, interval_count, state, first_captured_at, last_captured_at, released_at
      FROM price_source_days
     WHERE zone = ${zone} AND delivery_on BETWEEN ${firstDay} AND ${lastDay}
     ORDER BY delivery_on, source`.execute(connection);
  return rows;
}

/** EUR/MWh by start in milliseconds since 1970. */
export type StartAmounts = ReadonlyMap<number, string>;

/** The newest values of every feed from the first instant to before the second one. Feed by feed: the key begins with zone and feed. */
export async function listSourceValues(
  connection: Connection,
  zone: Zone,
  span: Pick<DayGrid, 'from' | 'to' | 'minutes'>,
): Promise<ReadonlyMap<string, StartAmounts>> {
  const { rows } = await sql<{ source: string; start: number; amount: string }>`
    SELECT feed.source, newest.start, newest.amount
      FROM unnest(${[...REALIZED_SOURCES]}::text[]) AS feed (source)
     CROSS JOIN LATERAL (
             SELECT DISTINCT ON (interval_start)
                    (extract(epoch FROM interval_start) * 1000)::bigint AS start, trim_scale(amount) AS amount
               FROM price_revisions
              WHERE zone = ${zone}
                AND source = feed.source
                AND interval_start >= ${startText(span.from)}
                AND interval_start < ${startText(span.to)}
                AND minutes = ${span.minutes}
              ORDER BY interval_start, revision DESC) AS newest
     ORDER BY feed.source, newest.start`.execute(connection);
  const values = new Map<string, Map<number, string>>();
  for (const { source, start, amount } of rows) {
    const amounts = values.get(source) ?? new Map<number, string>();
    values.set(source, amounts.set(start, amount));
  }
  return values;
}

/** EUR/MWh of what is served from the first instant to before the second one, by day; days without a price are absent. */
export async function listServedAmounts(
  connection: Connection,
  zone: Zone,
  fromMilliseconds: number,
  toMilliseconds: number,
): Promise<Map<DeliveryDay, readonly string[]>> {
  const { rows } = await sql<{ delivery_on: DeliveryDay; amounts: string[] }>`
    SELECT delivery_on, array_agg(trim_scale(amount)::text) AS amounts
      FROM spot_prices
     WHERE zone = ${zone}
       AND interval_start >= ${startText(fromMilliseconds)}
       AND interval_start < ${startText(toMilliseconds)}
     GROUP BY delivery_on`.execute(connection);
  return new Map(rows.map((row) => [row.delivery_on, row.amounts]));
}

/** Feeds with stored values and the newest text of their licence. Hourly means only confirm: none of them is kept. */
export async function listAttributions(
  connection: Connection,
): Promise<{ source: string; licence_text: string }[]> {
  const feeds = STORED_SOURCES.map(({ name }) => name);
  const { rows } = await sql<{ source: string; licence_text: string }>`
    SELECT feed.source, newest.licence_text
      FROM unnest(${feeds}::text[]) AS feed (source)
     CROSS JOIN LATERAL (
             SELECT licence_text
               FROM price_fetches
              WHERE source = feed.source AND interval_count > 0 AND licence_text IS NOT NULL
              ORDER BY captured_at DESC, id DESC
              LIMIT 1) AS newest
     ORDER BY feed.source`.execute(connection);
  return rows;
}
