import type { Connection, Database } from '../../platform/database/db.ts';
import { type DeliveryDay, daysBetween } from '../calendar.ts';
import { listForecastChoices, listForecastValues } from '../forecast/queries.ts';
import { instantFrom } from '../providers/instants.ts';
import { listServedDays, listVersions } from './answer-queries.ts';
import type { DayPrices } from './curve.ts';
import type { Period } from './period.ts';

/** What stands for one delivery day at the moment: another text means other prices. */
export interface DayMark {
  readonly deliveryOn: DeliveryDay;
  readonly mark: string;
  /** Every interval of the day has a price. */
  readonly complete: boolean;
}

/**
 * One store of prices as the answers see it. Realized prices and forecasts have one each and never fill each other's
 * holes.
 */
export interface SeriesSource {
  /** Days without anything stored are left out. */
  marks(database: Database, period: Period, nowMilliseconds: number): Promise<readonly DayMark[]>;
  /** A day that is not what its mark says any more is left out. */
  prices(connection: Connection, marks: readonly DayMark[]): Promise<ReadonlyMap<DeliveryDay, DayPrices>>;
}

const realized: SeriesSource = {
  async marks(database, { first, last }) {
    const rows = await listVersions(database, first, last);
    return rows.map(({ delivery_on, version, state }) => ({
      deliveryOn: delivery_on,
      mark: String(version),
      complete: state === 'complete',
    }));
  },
  async prices(connection, marks) {
    const markOf = new Map(marks.map(({ deliveryOn, mark }) => [deliveryOn, mark]));
    const days = await listServedDays(connection, [...markOf.keys()]);
    const current = days.filter((day) => markOf.get(day.delivery_on) === String(day.version));
    return new Map(
      current.map((day) => [
        day.delivery_on,
        new Map(day.starts.map((start, index) => [start * 1000, day.amounts[index] ?? ''])),
      ]),
    );
  },
};

const forecast: SeriesSource = {
  async marks(database, { first, last }, nowMilliseconds) {
    const days = daysBetween(first, last);
    const choices = await database.asService((connection) =>
      listForecastChoices(connection, 'DE-LU', days, nowMilliseconds),
    );
    return choices.map(({ deliveryOn, captureId }) => ({
      deliveryOn,
      mark: String(captureId),
      /* Only captures that cover the whole day are ever chosen. */
      complete: true,
    }));
  },
  async prices(connection, marks) {
    const choices = marks.map(({ deliveryOn, mark }) => ({ deliveryOn, captureId: Number(mark) }));
    const values = await listForecastValues(connection, choices);
    const days = new Map<DeliveryDay, Map<number, string>>(marks.map((mark) => [mark.deliveryOn, new Map()]));
    for (const { deliveryOn, interval_start, amount } of values) {
      days.get(deliveryOn)?.set(instantFrom(interval_start)?.milliseconds ?? Number.NaN, amount);
    }
    return days;
  },
};

export const SERIES_SOURCES: Readonly<Record<Period['type'], SeriesSource>> = {
  day_ahead: realized,
  day_ahead_forecast: forecast,
};
