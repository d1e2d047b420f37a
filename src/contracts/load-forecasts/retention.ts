import type { ExpiringRows } from '../../platform/retention.ts';

/** One year: what is kept of values for forecasts of quantities (section 69(3) MsbG). */
export const loadForecastsKept: ExpiringRows = {
  table: 'load_forecasts',
  key: ['subscription_id', 'delivery_on', 'purchase'],
  at: 'ends_at',
  keptFor: { months: 12 },
};
