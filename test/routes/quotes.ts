import type { Noun, Shown } from './table/row.ts';

const quote: Shown = { object: 'quote', fields: 'amount currency components quoted_at' };

const smallest = { zip_code: '20354', usage: { consumption: 2500 } };

export const noun: Noun = {
  routes: {
    'GET /plans/{id}/quote': {
      whose: 'staff',
      removed: { in: '2026-09-08.gauss', instead: 'POST /plans/{id}/quote' },
      path: ({ plan }) => `/plans/${plan}/quote?zip_code=20354&usage=2500&meter_type=smart`,
      shows: quote,
    },
    'POST /plans/{id}/quote': {
      whose: 'staff',
      since: '2026-09-08.gauss',
      path: ({ plan }) => `/plans/${plan}/quote`,
      body: () => smallest,
      shows: { ...quote, fieldsSince: { '2026-09-08.gauss': 'resolution' } },
      references: {},
      bodies: {
        ignoresUnknown: true,
        full: () => [
          {
            zip_code: '20354',
            usage: { consumption: 2500.5 },
            optimization_rate: 0.25,
            grid_fee_reductions: { '14a_module_1': false, '14a_module_2': false, '14a_module_3': false },
            is_tax_exempt: true,
          },
        ],
      },
    },
  },
};
