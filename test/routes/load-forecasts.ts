import { storedRows } from '../setup/stored-rows.ts';
import type { Ids, Noun } from './table/row.ts';

/** The day behind the one that the clock of these tests shows. */
const STARTS = Date.parse('2026-12-01T23:00:00Z');

const forecast = ({ subscription }: Pick<Ids, 'subscription'>) => ({
  scope: 'subscription',
  subscription,
  resolution: '15min',
  unit: 'KW',
  data: Array.from({ length: 96 }, (_, index) => ({
    start: new Date(STARTS + index * 900_000).toISOString(),
    value: index / 100,
  })),
});

export const noun: Noun = {
  routes: {
    'POST /load-forecasts': {
      whose: 'staff',
      removed: { in: '2026-09-08.gauss' },
      path: () => '/load-forecasts',
      body: forecast,
      shows: { object: null, fields: 'scope subscription start end total' },
      references: { subscription: (_own, { subscription }) => forecast({ subscription }) },
    },
  },
  make: async ({ api, organization, ids: { customer, subscription } }) => {
    await storedRows(
      api,
      `INSERT INTO load_forecasts
         (organization_id, customer_id, subscription_id, delivery_on, purchase, starts_at, ends_at, power_kw)
       VALUES ($1, $2, $3, '2026-12-01', 'day_ahead', '2026-11-30T23:00Z', '2026-12-01T23:00Z',
               array_fill(0.25::float8, ARRAY[96]))`,
      [organization, customer, subscription],
    );
    return { private: [] };
  },
};
