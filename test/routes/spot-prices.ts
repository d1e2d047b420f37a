import type { Noun } from './table/row.ts';

export const noun: Noun = {
  routes: {
    'GET /spot-prices': {
      whose: 'public',
      since: '2026-09-08.gauss',
      path: () => '/spot-prices',
      shows: { object: 'price', fields: 'type period currency unit resolution missing items' },
    },
  },
};
