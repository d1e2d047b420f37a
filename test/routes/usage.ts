import type { Noun } from './table/row.ts';

const CURIE = '2026-05-27.curie';
const fields = 'meter_type resolution data';

export const noun: Noun = {
  routes: {
    'GET /subscriptions/{id}/usage': {
      whose: 'customer',
      since: CURIE,
      path: ({ metered }) => `/subscriptions/${metered}/usage?start=2026-10-01&end=2026-10-02`,
      shows: { object: 'usage', fields },
    },
    'GET /subscriptions/{id}/consumption': {
      whose: 'customer',
      removed: { in: CURIE, instead: 'GET /subscriptions/{id}/usage' },
      path: ({ metered }) => `/subscriptions/${metered}/consumption?start=2026-10-01&end=2026-10-02`,
      shows: { object: 'consumption', fields },
    },
  },
};
