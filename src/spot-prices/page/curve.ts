import { DateTime } from 'luxon';
import type { Database } from '../../platform/database/db.ts';
import {
  addDays,
  type DeliveryDay,
  daysBetween,
  deliveryDayAt,
  gridOf,
  MARKET_TIME_ZONE,
  startsOf,
  zoneOf,
} from '../calendar.ts';
import { listForecastChoices, listForecastValues } from '../forecast/queries.ts';
import { instantFrom } from '../providers/instants.ts';
import { listAttributions, listDayVersions, type PriceDay } from '../queries.ts';
import { listServedDays } from '../serve/answer-queries.ts';

/** As far as forecasts go. */
const FORECAST_DAYS_AHEAD = 7;

/** EUR/MWh of one interval; null where there is none. */
export interface CurveInterval {
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly minutes: number;
  readonly realized: string | null;
  readonly forecast: string | null;
}

export interface CurveDay {
  readonly deliveryOn: DeliveryDay;
  /** What is known about the day's realized prices; null: nobody has asked yet. */
  readonly known: PriceDay | null;
  /** Where its forecast comes from; null without one. */
  readonly forecastSource: string | null;
  readonly intervals: readonly CurveInterval[];
}

/** What the page of prices shows at one moment. */
export interface Curve {
  readonly now: number;
  readonly today: DeliveryDay;
  /** Yesterday to tomorrow, and the days behind it that have a forecast. */
  readonly days: readonly CurveDay[];
  /** Of the sources whose prices are shown. */
  readonly attributions: readonly Attribution[];
}

export interface Attribution {
  readonly source: string;
  readonly licence: string;
}

/**
 * Realized prices from yesterday to tomorrow and, where they are shown, forecasts from tomorrow on: of the same day each
 * has its own column.
 */
export async function readCurve(database: Database, now: number, withForecasts: boolean): Promise<Curve> {
  const today = deliveryDayAt(now);
  const [yesterday, tomorrow] = [addDays(today, -1), addDays(today, 1)];
  const near = [yesterday, today, tomorrow];
  return await database.asService(async (connection) => {
    const states = await listDayVersions(connection, zoneOf(today), yesterday, tomorrow);
    const served = await listServedDays(connection, near);
    const forecasts = withForecasts
      ? await readForecasts(connection, daysBetween(tomorrow, addDays(today, FORECAST_DAYS_AHEAD)), now)
      : [];
    const all = await listAttributions(connection);
    const forecastDays = forecasts.map(({ deliveryOn }) => deliveryOn);
    const days = [...new Set([...near, ...forecastDays])].map((deliveryOn): CurveDay => {
      const realized = served.find((day) => day.delivery_on === deliveryOn);
      const amounts = new Map(
        realized?.starts.map((start, at) => [start * 1000, realized.amounts[at] ?? null]),
      );
      const forecast = forecasts.find((choice) => choice.deliveryOn === deliveryOn);
      const grid = gridOf(deliveryOn);
      return {
        deliveryOn,
        known: states.find((state) => state.delivery_on === deliveryOn) ?? null,
        forecastSource: forecast?.source ?? null,
        intervals: startsOf(grid).map((start) => ({
          start,
          minutes: grid.minutes,
          realized: amounts.get(start) ?? null,
          forecast: forecast?.amounts.get(start) ?? null,
        })),
      };
    });
    const shown = new Set(days.flatMap((day) => [day.known?.served_source, day.forecastSource]));
    const attributions = all.map(({ source, licence_text }) => ({ source, licence: licence_text }));
    return { now, today, days, attributions: attributions.filter(({ source }) => shown.has(source)) };
  });
}

async function readForecasts(
  connection: Parameters<typeof listForecastChoices>[0],
  days: readonly DeliveryDay[],
  now: number,
) {
  const choices = await listForecastChoices(connection, 'DE-LU', days, now);
  const values = await listForecastValues(connection, choices);
  return choices.map(({ deliveryOn, source }) => ({
    deliveryOn,
    source,
    amounts: new Map(
      values
        .filter((value) => value.deliveryOn === deliveryOn)
        .map((value) => [instantFrom(value.interval_start)?.milliseconds ?? Number.NaN, value.amount]),
    ),
  }));
}

/** Every source with stored values and its newest licence text. */
export async function readAttributions(database: Database): Promise<Attribution[]> {
  const rows = await database.asService((connection) => listAttributions(connection));
  return rows.map(({ source, licence_text }) => ({ source, licence: licence_text }));
}

/** Berlin's clock on the day before delivery: nobody has the result of the auction earlier. */
const EARLIEST = { hour: 12, minute: 45 };
/** Sources are asked every hour at least; an answer that is older says nothing about now. */
const ANSWER_MILLISECONDS_MAX = 6 * 3_600_000;

export type MissingText = 'not published' | 'not fetched' | 'held back';

/**
 * Says why intervals of a day have no price: they are held back because they look like none, a source has lately said that it
 * has none, or nobody could be asked.
 */
export function missingText(
  { deliveryOn, known }: Pick<CurveDay, 'deliveryOn' | 'known'>,
  now: number,
): MissingText {
  if (known?.is_held_back) return 'held back';
  const dayBefore = DateTime.fromISO(addDays(deliveryOn, -1), { zone: MARKET_TIME_ZONE });
  if (now < dayBefore.set(EARLIEST).toMillis()) return 'not published';
  const lastIncompleteAt = known?.last_incomplete_at ?? null;
  const isAnswered =
    lastIncompleteAt !== null &&
    now - DateTime.fromISO(lastIncompleteAt).toMillis() <= ANSWER_MILLISECONDS_MAX;
  return isAnswered ? 'not published' : 'not fetched';
}
