import type { Noun } from './table/row.ts';

export const noun: Noun = {
  routes: {
    'POST /admin/magic_link': {
      whose: 'staff',
      path: () => '/admin/magic_link',
      body: ({ customer }) => ({ customerId: customer }),
      shows: { object: 'magic_link', fields: 'link' },
      references: { customerId: (_own, { customer }) => ({ customerId: customer }) },
      bodies: { full: ({ customer }) => [{ customerId: customer }] },
    },
  },
};
