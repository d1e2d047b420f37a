import type { Customer } from './schema.ts';

export const customerExample = {
  object: 'customer',
  id: 'cus_jule0brandt0hamburg02601',
  type: 'person',
  first_name: 'Jule',
  last_name: 'Brandt',
  email: 'jule.brandt@example.org',
  vat_id: null,
  created_at: '2026-10-05T08:40:12.345Z',
} as const satisfies Customer;
