import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import { addDays, type DeliveryDay, daysBetween, type IntervalMinutes, zoneOf } from '../calendar.ts';

/*
 * Sums of the served prices of delivery days, for means over long spans. Realized prices only: forecasts have stores of their
 * own and never count.
 */

export interface DaySum {
  readonly delivery_on: DeliveryDay;
  /** One more with each change of what is served. */
  readonly version: number;
  readonly served_source: string | null;
  /** Width of its intervals; null where none has a price. */
  readonly minutes: IntervalMinutes | null;
  /** Those with a price; an hour counts as four. */
  readonly quarter_hours: number;
  /** EUR/MWh over these quarter hours, as a decimal text. */
  readonly amount_sum: string;
}

const dayList = (first: DeliveryDay, end: DeliveryDay) => {
  const days = daysBetween(first, addDays(end, -1));
  return sql`unnest(${days.map(zoneOf)}::text[], ${days}::date[]) AS list (zone, delivery_on)`;
};

/**
 * One row for each known day from the first to before the second one, ascending, all of one instant. A sum is kept until
 * the version of its day is another one, so prices are read of changed days only. `keep` off writes nothing.
 */
export async function daySums(
  connection: Connection,
  first: DeliveryDay,
  end: DeliveryDay,
  { keep }: { keep: boolean },
): Promise<DaySum[]> {
  /* LATERAL: each day by its index. In a join the planner may read the prices of all years. */
  const { rows } = await sql<DaySum>`
    WITH known AS (
      SELECT day.zone, day.delivery_on, day.version, day.served_source,
             kept.version IS NOT NULL AS is_kept, kept.minutes, kept.quarter_hours, kept.amount_sum
        FROM ${dayList(first, end)}
        JOIN price_days AS day USING (zone, delivery_on)
        LEFT JOIN price_day_sums AS kept
          ON kept.zone = day.zone AND kept.delivery_on = day.delivery_on AND kept.version = day.version),
    made AS (
      SELECT known.zone, known.delivery_on, known.version, prices.minutes, prices.quarter_hours, prices.amount_sum
        FROM known
       CROSS JOIN LATERAL (
               SELECT max(minutes) AS minutes,
                      coalesce(sum(minutes / 15), 0)::integer AS quarter_hours,
                      coalesce(sum(amount * (minutes / 15)), 0) AS amount_sum
                 FROM spot_prices
                WHERE zone = known.zone AND delivery_on = known.delivery_on) AS prices
       WHERE NOT known.is_kept),
    written AS (
      INSERT INTO price_day_sums AS kept (zone, delivery_on, version, minutes, quarter_hours, amount_sum)
      SELECT zone, delivery_on, version, minutes, quarter_hours, amount_sum
        FROM made
       WHERE ${keep}
       ORDER BY delivery_on
          ON CONFLICT (zone, delivery_on) DO UPDATE
         SET version = excluded.version, minutes = excluded.minutes, quarter_hours = excluded.quarter_hours,
             amount_sum = excluded.amount_sum
       WHERE excluded.version > kept.version)
    SELECT known.delivery_on, known.version, known.served_source,
           CASE WHEN known.is_kept THEN known.minutes ELSE made.minutes END AS minutes,
           CASE WHEN known.is_kept THEN known.quarter_hours ELSE made.quarter_hours END AS quarter_hours,
           trim_scale(CASE WHEN known.is_kept THEN known.amount_sum ELSE made.amount_sum END) AS amount_sum
      FROM known
      LEFT JOIN made USING (zone, delivery_on)
     ORDER BY known.delivery_on`.execute(connection);
  return rows;
}

/** How often served prices of these days have changed so far: the sum of the versions, which never go back. */
export async function dayChanges(
  connection: Connection,
  first: DeliveryDay,
  end: DeliveryDay,
): Promise<number> {
  const { rows } = await sql<{ changes: number }>`
    SELECT coalesce(sum(day.version), 0) AS changes
      FROM ${dayList(first, end)}
      JOIN price_days AS day USING (zone, delivery_on)`.execute(connection);
  return rows[0]?.changes ?? 0;
}
