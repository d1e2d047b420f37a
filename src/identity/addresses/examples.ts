import type { Address } from './schema.ts';

export const addressExample = {
  object: 'address',
  id: 'adr_lindenallee0hamburg00007',
  street: 'Lindenallee',
  house_number: '7a',
  zip: '20357',
  city: 'Hamburg',
  created_at: '2026-10-05T08:40:12.345Z',
} as const satisfies Address;
