import { counter, idOf, type Noun, type Shown } from './table/row.ts';

const CURIE = '2026-05-27.curie';
const unique = counter();

const customer: Shown = {
  object: 'customer',
  fields: 'id type first_name last_name email created_at',
  fieldsSince: { [CURIE]: 'vat_id' },
};

export const noun: Noun = {
  routes: {
    'GET /customers': {
      whose: 'staff',
      path: ({ email }) => `/customers?filter[email][eq]=${email}`,
      shows: { ...customer, isList: true },
      list: {
        all: () => '/customers?',
        shown: ({ customer }) => [customer],
        idOf,
        filters: { email: ({ email }) => email },
        words: { type: 'person' },
      },
    },
    'GET /customers/{id}': {
      whose: 'customer',
      path: ({ customer }) => `/customers/${customer}`,
      shows: customer,
    },
    'PATCH /customers/{id}': {
      whose: 'staff',
      since: CURIE,
      path: ({ customer }) => `/customers/${customer}`,
      body: () => ({}),
      shows: customer,
      references: {},
      bodies: { full: () => [{ first_name: `Käthe ${unique()}`, last_name: 'Voß' }] },
    },
  },
};
