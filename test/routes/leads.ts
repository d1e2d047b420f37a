import { newId } from '../../src/platform/ids.ts';
import { createLead } from '../setup/factories.ts';
import { idOf, type Noun, type Shown } from './table/row.ts';

declare module './table/row.ts' {
  interface Ids {
    /** Of the plan; customers see no leads. */
    lead: string;
  }
}

const lead: Shown = {
  object: 'lead',
  fields: 'id link subscription subscribed_at created_by last_visited_at metadata created_at',
};

const smallest = (plan: string) => ({ plan, address: { zip: '20354' }, meter: { estimated_usage: 2500 } });
const newLead = (plan: string) => ({ ...smallest(plan), customer: {} });

export const noun: Noun = {
  routes: {
    'GET /leads': {
      whose: 'staff',
      path: () => '/leads',
      shows: { ...lead, isList: true },
      list: { all: () => '/leads?', shown: ({ lead }) => [lead], idOf, filters: {} },
    },
    'POST /leads': {
      whose: 'staff',
      path: () => '/leads',
      body: ({ plan }) => newLead(plan),
      shows: lead,
      references: { plan: (_own, { plan }) => newLead(plan) },
      bodies: {
        smallest: ({ plan }) => smallest(plan),
        ignoresUnknown: true,
        nullable: ['customer', 'payment_method'],
        full: ({ plan }) => [
          {
            plan,
            address: { zip: '20354', street: 'Gänsemarkt', house_number: '12a', city: 'Hamburg' },
            meter: { estimated_usage: 2500.5, type: 'analog', number: '1EMH0012345678' },
            customer: {
              ...{ type: 'company', first_name: 'Käthe', last_name: 'Voß', email: 'kaethe@example.org' },
              ...{ company_name: 'Voß GmbH', vat_id: 'DE123456789' },
            },
            payment_method: {
              type: 'sepa_debit',
              sepa_debit: { iban: 'DE89370400440532013000', account_holder: 'Käthe Voß' },
            },
            previous_supplier: 'mp_s5ul4j2wc3pzvkzk1qssgd96',
            created_by: 'staff@example.org',
            next_possible_start: false,
            intended_start_date: '2027-01-01',
            change_reason: 'move_in',
          },
        ],
      },
    },
    'GET /leads/{id}': {
      whose: 'staff',
      path: ({ lead }) => `/leads/${lead}`,
      shows: lead,
    },
  },
  make: async ({ api, organization, ids, unique }) => {
    const created_by = `staff-${unique}@example.org`;
    const { id } = await createLead(api.deps, organization, { plan_id: ids.plan, created_by });
    return { lead: id, private: [id, created_by] };
  },
  missing: () => ({ lead: newId('lead') }),
};
