import { newId } from '../../src/platform/ids.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { type Ids, idOf, type Noun, type Shown } from './table/row.ts';

declare module './table/row.ts' {
  interface Ids {
    /** Of the subscription, ended: another one can be ordered. */
    reduction: string;
  }
  interface Place {
    reductions: readonly string[];
  }
}

const EDISON = '2026-01-29.edison';

const reduction: Shown = {
  object: 'grid_fee_reduction',
  fields: 'id subscription type status valid_from valid_until created_at updated_at',
  fieldsSince: { '2026-05-27.curie': 'customer' },
};

const newReduction = ({ subscription }: Pick<Ids, 'subscription'>) => ({
  subscription,
  type: 'enwg-14a-module-1',
});

/** What is ordered here is over at once, so that it can be ordered again and again. */
const OVER_AT_ONCE = `
  CREATE OR REPLACE FUNCTION end_ordered_reduction() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE grid_fee_reductions SET status = 'ended' WHERE organization_id = NEW.organization_id AND id = NEW.id;
    RETURN NULL;
  END
  $$;
  CREATE OR REPLACE TRIGGER end_ordered AFTER INSERT ON grid_fee_reductions
    FOR EACH ROW WHEN (NEW.status = 'ordered') EXECUTE FUNCTION end_ordered_reduction();`;

export const noun: Noun = {
  routes: {
    'GET /grid-fee-reductions': {
      whose: 'customer',
      since: EDISON,
      path: ({ subscription }) => `/grid-fee-reductions?filter[subscription][eq]=${subscription}`,
      shows: { ...reduction, isList: true },
      list: {
        all: () => '/grid-fee-reductions?',
        shown: ({ reductions }) => reductions,
        idOf,
        filters: { customer: ({ customer }) => customer, subscription: ({ subscription }) => subscription },
      },
    },
    'POST /grid-fee-reductions': {
      whose: 'staff',
      since: EDISON,
      path: () => '/grid-fee-reductions',
      body: newReduction,
      shows: reduction,
      references: { subscription: (_own, { subscription }) => newReduction({ subscription }) },
      bodies: { full: (ids) => [newReduction(ids)] },
    },
    'GET /grid-fee-reductions/{id}': {
      whose: 'customer',
      since: EDISON,
      path: ({ reduction }) => `/grid-fee-reductions/${reduction}`,
      shows: reduction,
    },
  },
  make: async ({ api, organization, ids: { customer, subscription } }) => {
    await storedRows(api, OVER_AT_ONCE);
    const reductions = [newId('gfr'), newId('gfr')];
    await storedRows(
      api,
      `INSERT INTO grid_fee_reductions
         (organization_id, customer_id, subscription_id, id, type, status, valid_from, valid_until)
       SELECT $1, $2, $3, reduction, 'enwg-14a-module-1', 'ended', date '2026-11-01' + n::int,
              date '2026-11-02' + n::int
         FROM unnest($4::text[]) WITH ORDINALITY AS list (reduction, n)`,
      [organization, customer, subscription, reductions],
    );
    return { reduction: reductions[0] ?? '', reductions, private: reductions };
  },
  missing: () => ({ reduction: newId('gfr') }),
};
