import { randomBytes } from 'node:crypto';
import type { BodyRow, Home, Json } from './body-rows.ts';

const unique = () => randomBytes(6).toString('hex');

const common = () => ({
  address: { street: 'Gänsemarkt', house_number: '12a', zip: '20354', city: 'Hamburg' },
  payment_method: {
    type: 'sepa_debit',
    sepa_debit: { iban: 'DE89370400440532013000', account_holder: 'Käthe Voß' },
  },
});

const person = () => ({ first_name: 'Käthe', last_name: 'Voß', email: `kaethe.${unique()}@example.org` });

function supply({ plan, previousSupplier }: Home): Json {
  return {
    plan,
    customer: { type: 'company', ...person(), company_name: 'Voß GmbH', vat_id: 'DE123456789' },
    ...common(),
    meter: { number: `1EMH${unique()}`, type: 'analog', estimated_usage: 2500.5, malo: '50123456789' },
    next_possible_start: false,
    intended_start_date: '2027-01-01',
    previous_supplier: previousSupplier,
    product_orders: [{ type: 'smart-meter' }, { type: '14a_enwg', '14a_enwg': { module_1: true } }],
  };
}

/** Of a known customer; a household takes it as often as it is sent. */
function feedIn({ feedInPlan, customer, household, meterNumber }: Home): Json {
  const meter = { number: meterNumber, type: 'smart', estimated_usage: 100 };
  return { plan: feedInPlan, customer, household, ...common(), meter, next_possible_start: true };
}

export const signUpBodies: BodyRow = {
  path: () => '/subscriptions',
  ignoresUnknown: true,
  unions: ['customer'],
  minimal: ({ plan }) => ({
    plan,
    customer: person(),
    ...common(),
    meter: { number: `1EMH${unique()}`, type: 'analog', estimated_usage: 100 },
    next_possible_start: true,
  }),
  full: (home) => [supply(home), feedIn(home)],
};
