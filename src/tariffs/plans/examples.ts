import type { Plan } from './schema.ts';

export const planExample = {
  object: 'plan',
  id: 'pln_strom0dynamisch000000001',
  name: 'Strom Dynamisch',
  slug: 'strom-dynamisch',
  description: 'The price of the exchange, quarter hour by quarter hour',
  type: 'consumption',
  price: 7.14,
  currency: 'EUR',
  created_at: '2026-06-01T08:00:00.000Z',
} as const satisfies Plan;
