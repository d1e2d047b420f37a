import { type Insertable, type Selectable, sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';
import type { Purchase } from './schema.ts';

type ForecastRow = Selectable<Tables['load_forecasts']>;

/** Days of one contract. What was sent for the same purchase before is replaced. */
export async function upsertForecasts(
  connection: Connection,
  organization: string,
  days: readonly Omit<Insertable<Tables['load_forecasts']>, 'organization_id'>[],
): Promise<void> {
  await connection
    .insertInto('load_forecasts')
    .values(days.map((day) => ({ ...day, organization_id: organization })))
    .onConflict((on) =>
      on.columns(['organization_id', 'subscription_id', 'delivery_on', 'purchase']).doUpdateSet((set) => ({
        power_kw: set.ref('excluded.power_kw'),
        received_at: set.ref('excluded.received_at'),
      })),
    )
    .execute();
}

/** `intraday` means the newest forecast, which may be the one of the day before. */
export interface ForecastQuery {
  delivery_on: CalendarDay;
  purchase: Purchase;
  /** Only forecasts of this contract. */
  subscription?: string | undefined;
}

export type ForecastSummary = Pick<
  ForecastRow,
  'subscription_id' | 'delivery_on' | 'purchase' | 'received_at'
> & { points: number; kwh: string };

/** The forecasts that a purchase uses: one for each contract that is supplied on the day, ordered by id. */
export async function listForecasts(
  connection: Connection,
  organization: string,
  query: ForecastQuery,
  limit: number,
): Promise<ForecastSummary[]> {
  return await selectForecasts(connection, organization, query)
    .select([
      'subscription_id',
      'delivery_on',
      'purchase',
      'received_at',
      sql<number>`cardinality(power_kw)`.as('points'),
      sql<string>`(SELECT round(sum(kw::numeric) * 0.25, 3) FROM unnest(power_kw) AS kw)`.as('kwh'),
    ])
    .limit(limit)
    .execute();
}

/** The same of one contract, with its values. */
export function findForecast(
  connection: Connection,
  organization: string,
  query: ForecastQuery & { subscription: string },
): Promise<Pick<ForecastRow, 'purchase' | 'power_kw' | 'received_at'> | undefined> {
  return selectForecasts(connection, organization, query)
    .select(['purchase', 'power_kw', 'received_at'])
    .executeTakeFirst();
}

/** Clients send days beforehand: what they sent of days before a start or behind an end, which came to be known later, is not bought. */
function selectForecasts(
  connection: Connection,
  organization: string,
  { delivery_on, purchase, subscription }: ForecastQuery,
) {
  const query = connection
    .selectFrom('load_forecasts')
    .innerJoin('subscriptions as contract', (join) =>
      join
        .onRef('contract.organization_id', '=', 'load_forecasts.organization_id')
        .onRef('contract.id', '=', 'load_forecasts.subscription_id'),
    )
    .distinctOn('subscription_id')
    .where('load_forecasts.organization_id', '=', organization)
    .where('delivery_on', '=', delivery_on)
    .whereRef('contract.start_at', '<=', 'load_forecasts.starts_at')
    .where(({ eb, or, ref }) =>
      or([eb('contract.end_at', 'is', null), eb('contract.end_at', '>', ref('load_forecasts.starts_at'))]),
    )
    .orderBy('subscription_id')
    /* `intraday` comes behind `day_ahead` in the alphabet. */
    .orderBy('purchase', 'desc');
  const ofPurchase = purchase === 'day_ahead' ? query.where('purchase', '=', purchase) : query;
  return subscription === undefined ? ofPurchase : ofPurchase.where('subscription_id', '=', subscription);
}
