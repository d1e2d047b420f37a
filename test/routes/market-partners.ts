import { newId } from '../../src/platform/ids.ts';
import { createMarketPartner } from '../setup/factories.ts';
import type { Noun, Shown } from './table/row.ts';

declare module './table/row.ts' {
  interface Ids {
    /** A market partner, whom all organizations see. */
    previousSupplier: string;
  }
}

const CURIE = '2026-05-27.curie';

/** Until they were market partners. */
const supplier: Shown = {
  object: 'supplier',
  fields: 'id name code code_type country created_at',
  isList: true,
};

export const noun: Noun = {
  routes: {
    'GET /market-partners': {
      whose: 'public',
      since: CURIE,
      path: () => '/market-partners',
      shows: { ...supplier, object: 'market_partner', fieldsSince: { [CURIE]: 'type' } },
    },
    'GET /suppliers': {
      whose: 'public',
      removed: { in: CURIE, instead: 'GET /market-partners' },
      path: () => '/suppliers',
      shows: supplier,
    },
    'GET /suppliers/search': {
      whose: 'public',
      removed: { in: CURIE, instead: 'GET /market-partners?filter[name][contains]=<name>' },
      path: () => '/suppliers/search?name=Stadtwerke',
      shows: supplier,
    },
  },
  make: async ({ api }) => ({ previousSupplier: (await createMarketPartner(api.deps)).id, private: [] }),
  missing: () => ({ previousSupplier: newId('mp') }),
};
