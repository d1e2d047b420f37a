import { idOf, type Noun, type Shown } from './table/row.ts';

const GAUSS = '2026-09-08.gauss';

const household: Shown = {
  object: 'household',
  fields: 'id customer address display_name created_at updated_at',
};

export const noun: Noun = {
  routes: {
    'GET /households': {
      whose: 'customer',
      since: GAUSS,
      path: ({ customer }) => `/households?filter[customer][eq]=${customer}`,
      shows: { ...household, isList: true },
      list: {
        all: () => '/households?',
        shown: ({ households }) => households,
        idOf,
        filters: { customer: ({ customer }) => customer },
      },
    },
    'GET /households/{id}': {
      whose: 'customer',
      since: GAUSS,
      path: ({ household }) => `/households/${household}`,
      shows: household,
    },
  },
};
