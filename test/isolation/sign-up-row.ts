import type { Ids } from './fixture.ts';
import type { RouteRow } from './row.ts';

/** Feed-in of a known customer: a household takes it as often as it is sent. */
function signUp({ feed_in_plan, customer, household, meter_number }: Ids): Record<string, unknown> {
  return {
    plan: feed_in_plan,
    customer,
    household,
    address: { street: 'Weg', house_number: '1', zip: '20354', city: 'Hamburg' },
    meter: { number: meter_number, type: 'smart', estimated_usage: 3000 },
    payment_method: {
      type: 'sepa_debit',
      sepa_debit: { iban: 'DE89370400440532013000', account_holder: 'A B' },
    },
    next_possible_start: true,
  };
}

export const signUpRow: RouteRow = {
  call: (ids) => ({ path: '/subscriptions', body: signUp(ids) }),
  references: {
    plan: (own, { feed_in_plan }) => signUp({ ...own, feed_in_plan }),
    customer: (own, { customer }) => signUp({ ...own, customer }),
    household: (own, { household }) => signUp({ ...own, household }),
    'customer and household': (own, { customer, household }) => signUp({ ...own, customer, household }),
    lead: (own, { lead }) => ({ ...signUp(own), lead }),
    'meter.number without household': (own, { meter_number }) => {
      const { household, ...body } = signUp({ ...own, meter_number });
      return body;
    },
  },
};
