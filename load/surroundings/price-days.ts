import type pg from 'pg';
import { addDays, dayStart } from '../../src/spot-prices/calendar.ts';

/** A complete day of invented prices, as if a source had published it. */
export async function storePriceDay(database: pg.ClientBase, day: string): Promise<void> {
  const [from, to] = [dayStart(day), dayStart(addDays(day, 1))].map((milliseconds) => milliseconds / 1000);
  await database.query(
    `WITH attempt AS (
       INSERT INTO price_fetches (source, zone, delivery_from, delivery_to, url, requested_at, captured_at, outcome,
                                  interval_count)
       VALUES ('entsoe', 'DE-LU', $1, $1, 'load run', now(), now(), 'published', 96) RETURNING id),
     revision AS (
       INSERT INTO price_revisions (source, zone, interval_start, minutes, revision, amount, fetch_id, captured_at)
       SELECT 'entsoe', 'DE-LU', to_timestamp(start), 15, 1, round((100 + 60 * sin(start / 7000.0))::numeric, 2), id, now()
         FROM attempt, generate_series($2::bigint, $3::bigint - 1, 900) AS start
       RETURNING interval_start, amount),
     state AS (
       INSERT INTO price_days (zone, delivery_on, served_source, state, version, first_complete_at, updated_at)
       VALUES ('DE-LU', $1, 'entsoe', 'complete', 1, now(), now()))
     SELECT count(*) FROM revision`,
    [day, from, to],
  );
  await database.query(
    `INSERT INTO spot_prices (zone, interval_start, minutes, delivery_on, amount, source, revision)
     SELECT zone, interval_start, minutes, $1, amount, source, revision
       FROM price_revisions
      WHERE interval_start >= to_timestamp($2) AND interval_start < to_timestamp($3)`,
    [day, from, to],
  );
}

/**
 * Invented prices from one instant to another, without what a source said behind them. Sundays have much sun: else no quarter hour
 * is below zero.
 */
export async function storePrices(database: pg.ClientBase, span: readonly [string, string]): Promise<void> {
  await database.query(
    `INSERT INTO spot_prices (zone, interval_start, minutes, delivery_on, amount, source, revision)
     SELECT 'DE-LU', start, 15, day, round((100 + 60 * sin(extract(epoch FROM start) / 7000)
                                            - CASE WHEN extract(isodow FROM day) = 7 THEN 120 ELSE 0 END)::numeric, 2), 'smard', 1
       FROM generate_series($1::timestamptz, $2::timestamptz - interval '15 minutes', interval '15 minutes') AS start
      CROSS JOIN LATERAL (SELECT (start AT TIME ZONE 'Europe/Berlin')::date AS day) AS of_day`,
    [...span],
  );
}
