import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import {
  addDays,
  type DeliveryDay,
  dayStart,
  freezeInstant,
  type IntervalMinutes,
  type Zone,
} from '../calendar.ts';
import { forecastSource } from '../providers/index.ts';
import { instantText } from '../store/fetch-records.ts';

/** The source of forecasts calculates twice a day: a run that is older says that the feed is stuck. */
const FEED_FRESH = '24 hours';

/** The capture that serves a delivery day. */
export interface ForecastChoice {
  readonly deliveryOn: DeliveryDay;
  readonly captureId: number;
  /** The name of the source of forecasts, or `model:<name>@<version>`. */
  readonly source: string;
}

/**
 * The curve of each asked day that has one: the frozen one, else the newest complete capture of the first source in
 * order, made before the freeze and not after `nowMilliseconds`. A feed comes first only while its run is fresh; an older one
 * is a capture like any other. So a day whose row is not written yet is served as it
 * will be frozen, and a day before its freeze by the newest that there is.
 *
 * One statement, one look into `price_forecast_days_choice` per day: a day has some fifty complete captures at most.
 */
export async function listForecastChoices(
  connection: Connection,
  zone: Zone,
  days: readonly DeliveryDay[],
  nowMilliseconds: number,
): Promise<ForecastChoice[]> {
  const now = instantText(nowMilliseconds);
  const freezes = days.map((day) => instantText(freezeInstant(day)));
  const { rows } = await sql<ForecastChoice>`
    SELECT choice.delivery_on AS "deliveryOn", capture.id AS "captureId", capture.source
      FROM unnest(${[...days]}::date[], ${freezes}::timestamptz[]) AS choice (delivery_on, freezes_at)
      LEFT JOIN price_forecast_frozen AS frozen
        ON frozen.zone = ${zone} AND frozen.delivery_on = choice.delivery_on
      LEFT JOIN LATERAL (
             SELECT capture_id
               FROM price_forecast_days AS day
              WHERE day.zone = ${zone} AND day.delivery_on = choice.delivery_on AND day.complete
                AND day.captured_at < choice.freezes_at AND day.captured_at <= ${now}
              ORDER BY (day.source = ${forecastSource.name}
                        AND day.captured_at >= least(choice.freezes_at, ${now}::timestamptz) - ${FEED_FRESH}::interval) DESC,
                       day.captured_at DESC, day.capture_id DESC
              LIMIT 1) AS chosen ON frozen.capture_id IS NULL
      JOIN price_forecast_captures AS capture ON capture.id = coalesce(frozen.capture_id, chosen.capture_id)
     ORDER BY choice.delivery_on`.execute(connection);
  return rows;
}

/** EUR/MWh of one interval of a chosen curve. */
export interface ForecastValue {
  readonly deliveryOn: DeliveryDay;
  /** UTC start of the interval. */
  readonly interval_start: string;
  readonly minutes: IntervalMinutes;
  readonly amount: string;
}

/** The values of chosen curves, each for its own day only, ascending. */
export async function listForecastValues(
  connection: Connection,
  choices: readonly Pick<ForecastChoice, 'deliveryOn' | 'captureId'>[],
): Promise<ForecastValue[]> {
  const captureIds = choices.map(({ captureId }) => captureId);
  const days = choices.map(({ deliveryOn }) => deliveryOn);
  const from = days.map((day) => instantText(dayStart(day)));
  const to = days.map((day) => instantText(dayStart(addDays(day, 1))));
  const { rows } = await sql<ForecastValue>`
    SELECT choice.delivery_on AS "deliveryOn", value.interval_start, value.minutes, value.amount
      FROM unnest(${captureIds}::bigint[], ${days}::date[], ${from}::timestamptz[], ${to}::timestamptz[])
             AS choice (capture_id, delivery_on, starts_at, ends_at)
      JOIN price_forecast_values AS value
        ON value.capture_id = choice.capture_id
       AND value.interval_start >= choice.starts_at AND value.interval_start < choice.ends_at
     ORDER BY value.interval_start`.execute(connection);
  return rows;
}

/** When and why a day's curve was frozen. */
export interface FrozenForecast {
  readonly captureId: number;
  readonly late: boolean;
  readonly frozenAt: string;
}

export async function findFrozenForecast(
  connection: Connection,
  zone: Zone,
  deliveryOn: DeliveryDay,
): Promise<FrozenForecast | undefined> {
  const { rows } = await sql<FrozenForecast>`
    SELECT capture_id AS "captureId", late, frozen_at AS "frozenAt"
      FROM price_forecast_frozen
     WHERE zone = ${zone} AND delivery_on = ${deliveryOn}`.execute(connection);
  return rows[0];
}

/** Inserted once and for ever; false where the day had a row already. */
export async function insertFrozenForecast(
  connection: Connection,
  row: { zone: Zone; deliveryOn: DeliveryDay; captureId: number; frozenAt: number; late: boolean },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    INSERT INTO price_forecast_frozen (zone, delivery_on, capture_id, frozen_at, late)
    VALUES (${row.zone}, ${row.deliveryOn}, ${row.captureId}, ${instantText(row.frozenAt)}, ${row.late})
    ON CONFLICT (zone, delivery_on) DO NOTHING`.execute(connection);
  return numAffectedRows === 1n;
}
