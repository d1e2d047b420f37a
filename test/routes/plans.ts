import { idOf, type Noun, type Shown } from './table/row.ts';

const plan: Shown = {
  object: 'plan',
  fields: 'id name slug description price currency created_at',
  fieldsSince: { '2026-05-27.curie': 'type' },
};

export const noun: Noun = {
  routes: {
    'GET /plans': {
      whose: 'organization',
      path: () => '/plans',
      shows: { ...plan, isList: true },
      list: {
        all: () => '/plans?',
        shown: ({ plans }) => plans,
        idOf,
        filters: {},
        words: { status: 'active' },
      },
    },
    'GET /plans/{id}': {
      whose: 'organization',
      path: ({ plan }) => `/plans/${plan}`,
      shows: plan,
    },
  },
};
