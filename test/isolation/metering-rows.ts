import type { RouteName } from '../../src/platform/interface/route.ts';
import { addDays } from '../../src/platform/time/berlin-calendar.ts';
import type { RouteRow } from './row.ts';

const EDISON = '2026-01-29.edison';

/** One reading a day: another day each time, backwards from the eve of the day of these tests. */
let readings = 0;
function newReading() {
  readings += 1;
  return { value: 1000, timestamp: `${addDays('2026-12-01', -readings)}T12:00:00Z` };
}

/** Meter readings and usage. */
export const meteringRows: Readonly<Record<RouteName, RouteRow>> = {
  'GET /meter-readings': {
    call: ({ metered }) => ({ path: `/meter-readings?filter[subscription][eq]=${metered}` }),
    list: {
      all: () => '/meter-readings?',
      shown: ({ readings }) => readings,
      idOf: ({ id }) => id,
      filters: { subscription: ({ metered }) => metered },
      words: { type: 'customer_report' },
    },
  },
  'POST /meter-readings': {
    call: ({ metered }) => ({ path: '/meter-readings', body: { subscription: metered, ...newReading() } }),
    references: { subscription: (_own, { metered }) => ({ subscription: metered, ...newReading() }) },
  },
  'GET /subscriptions/{id}/meter_readings': {
    call: ({ metered }) => ({ path: `/subscriptions/${metered}/meter_readings` }),
    version: EDISON,
  },
  'POST /subscriptions/{id}/meter_readings': {
    call: ({ metered }) => ({ path: `/subscriptions/${metered}/meter_readings`, body: newReading() }),
    version: EDISON,
    references: {},
  },
  'GET /subscriptions/{id}/usage': {
    call: ({ subscription }) => ({ path: `/subscriptions/${subscription}/usage` }),
  },
  'GET /subscriptions/{id}/consumption': {
    call: ({ subscription }) => ({ path: `/subscriptions/${subscription}/consumption` }),
    version: EDISON,
  },
};
