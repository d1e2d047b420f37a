import type { Noun } from './table/row.ts';

export const noun: Noun = {
  routes: {
    'GET /subscriptions/{id}/prices': {
      whose: 'customer',
      path: ({ subscription }) => `/subscriptions/${subscription}/prices?start=2026-10-01&end=2026-10-02`,
      shows: {
        object: 'price',
        fields: 'subscription period currency unit resolution reference items',
      },
    },
  },
};
