import type { Database } from '../../platform/database/db.ts';
import { notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { berlinMilliseconds } from '../../platform/time/berlin-calendar.ts';
import { QUARTER_HOUR_MILLISECONDS } from './days.ts';
import { type ForecastQuery, type ForecastSummary, findForecast, listForecasts } from './queries.ts';

/** The forecasts that a purchase of a day uses, contract by contract, for the operator. */
export function forecastsOfDay(
  database: Database,
  organization: string,
  query: ForecastQuery,
  limit: number,
): Promise<ForecastSummary[]> {
  return database.inOrganization({ organization }, (connection) =>
    listForecasts(connection, organization, query, limit),
  );
}

/** Mean power of one quarter hour. */
export interface ForecastPoint {
  start: string;
  kw: number;
}

/** The values of one contract, with the purchase that they were in time for. */
export async function forecastOfContract(
  database: Database,
  organization: string,
  query: ForecastQuery & { subscription: string },
): Promise<{ purchase: string; received_at: string; points: ForecastPoint[] }> {
  const row = isId(query.subscription)
    ? await database.inOrganization({ organization }, (connection) =>
        findForecast(connection, organization, query),
      )
    : undefined;
  if (row === undefined) throw notFound();
  const { purchase, received_at, power_kw } = row;
  const beginsMilliseconds = berlinMilliseconds(query.delivery_on);
  const points = power_kw.map((kw, index) => ({
    start: new Date(beginsMilliseconds + index * QUARTER_HOUR_MILLISECONDS).toISOString(),
    kw,
  }));
  return { purchase, received_at, points };
}
