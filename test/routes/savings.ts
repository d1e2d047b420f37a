import type { Noun } from './table/row.ts';

const smallest = { zip_code: '20354', household: { usage: 2500 } };

export const noun: Noun = {
  routes: {
    'POST /plans/{id}/savings': {
      whose: 'staff',
      since: '2026-09-08.gauss',
      path: ({ plan }) => `/plans/${plan}/savings`,
      body: () => smallest,
      shows: {
        object: 'savings',
        fields: 'savings resolution cost usage optimization_rate grid_fee_reductions components',
      },
      references: {},
      bodies: {
        smallest: () => smallest,
        ignoresUnknown: ['household', 'assets', 'current_tariff'],
        full: () => [
          {
            ...smallest,
            assets: {
              ev: { distance: 12_000.5, home_charging_share: 0.8 },
              heatpump: { usage: 5000.5 },
              pv: { self_sufficiency: 0.45, capacity: 10.5 },
              battery: { capacity: 10.5, power: 5.5 },
            },
            current_tariff: { base_fee: 150.5, var_fee: 0.36 },
          },
        ],
      },
    },
  },
};
