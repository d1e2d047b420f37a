import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import { type DeliveryDay, gridOf, MARKET_TIME_ZONE, startText, type Zone } from '../calendar.ts';
import type { FetchOutcome } from '../providers/exchange.ts';
import { REALIZED_SOURCES } from '../providers/index.ts';

/* What an operator looks at. */

interface DayCount {
  delivery_on: DeliveryDay;
  count: number;
}

/** Served intervals of each day that has any. */
export async function listServedCounts(
  connection: Connection,
  zone: Zone,
  from: DeliveryDay,
  to: DeliveryDay,
): Promise<DayCount[]> {
  const { rows } = await sql<DayCount>`
    SELECT delivery_on, count(*)::int AS count
      FROM spot_prices
     WHERE zone = ${zone} AND delivery_on BETWEEN ${from}::date AND ${to}::date
     GROUP BY delivery_on`.execute(connection);
  return rows;
}

/** Values that replaced an earlier one of the same feed, of each day that has any. Feed by feed, as the key begins. */
export async function listRevisionCounts(
  connection: Connection,
  zone: Zone,
  from: DeliveryDay,
  to: DeliveryDay,
): Promise<DayCount[]> {
  const { rows } = await sql<DayCount>`
    SELECT (revised.interval_start AT TIME ZONE ${MARKET_TIME_ZONE})::date AS delivery_on, count(*)::int AS count
      FROM unnest(${[...REALIZED_SOURCES]}::text[]) AS feed (source)
     CROSS JOIN LATERAL (
             SELECT interval_start
               FROM price_revisions
              WHERE zone = ${zone} AND source = feed.source AND revision > 1
                AND interval_start >= ${startText(gridOf(from).from)}
                AND interval_start < ${startText(gridOf(to).to)}) AS revised
     GROUP BY 1`.execute(connection);
  return rows;
}

export interface DayFetch {
  id: number;
  source: string;
  captured_at: string;
  http_status: number | null;
  body_bytes: number | null;
  outcome: FetchOutcome;
  interval_count: number;
  detail: string | null;
  url: string;
  payload_hash: string | null;
  licence_text: string | null;
}

/** Attempts that asked for the day, newest first. */
export async function listFetchesOfDay(
  connection: Connection,
  zone: Zone,
  deliveryOn: DeliveryDay,
  limit: number,
): Promise<DayFetch[]> {
  const { rows } = await sql<DayFetch>`
    SELECT id, source, captured_at, http_status, body_bytes, outcome, interval_count, detail, url,
           encode(payload_hash, 'hex') AS payload_hash, licence_text
      FROM price_fetches
     WHERE zone = ${zone} AND daterange(delivery_from, delivery_to, '[]') @> ${deliveryOn}::date
     ORDER BY captured_at DESC, id DESC
     LIMIT ${limit}`.execute(connection);
  return rows;
}

export interface DayAlarm {
  id: number;
  kind: string;
  source: string;
  delivery_on: DeliveryDay | null;
  detail: string;
  raised_at: string;
  resolved_at: string | null;
}

/** Alarms about the day, resolved ones included, newest first. */
export async function listAlarmsOfDay(
  connection: Connection,
  zone: Zone,
  deliveryOn: DeliveryDay,
): Promise<DayAlarm[]> {
  const { rows } = await sql<DayAlarm>`
    SELECT id, kind, source, delivery_on, detail, raised_at, resolved_at
      FROM price_alarms
     WHERE zone = ${zone} AND delivery_on = ${deliveryOn}::date
     ORDER BY raised_at DESC, id DESC`.execute(connection);
  return rows;
}
