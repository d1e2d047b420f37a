import { randomBytes } from 'node:crypto';
import { addDays, berlinMidnight } from '../../src/platform/time/berlin-calendar.ts';
import { counter, type Ids, idOf, type Json, type Noun, type Shown } from './table/row.ts';

const CURIE = '2026-05-27.curie';
const unique = counter();
const uniqueText = () => randomBytes(6).toString('hex');

const subscription: Shown = {
  object: 'subscription',
  fields:
    'id plan customer household address meter payment_method supplier number status estimated_usage start_at terminated_at end_at metadata created_at updated_at',
  fieldsSince: { [CURIE]: 'type billing_address' },
};

const address = { street: 'Gänsemarkt', house_number: '12a', zip: '20354', city: 'Hamburg' };

const common = {
  address,
  payment_method: {
    type: 'sepa_debit',
    sepa_debit: { iban: 'DE89370400440532013000', account_holder: 'Käthe Voß' },
  },
};

const person = () => ({
  first_name: 'Käthe',
  last_name: 'Voß',
  email: `kaethe.${uniqueText()}@example.org`,
});

/** Feed-in of a known customer: a household takes it as often as it is sent. */
function feedIn({ feedInPlan, customer, household, meterNumber }: Ids): Json {
  const meter = { number: meterNumber, type: 'smart', estimated_usage: 100 };
  return { plan: feedInPlan, customer, household, ...common, meter, next_possible_start: true };
}

function supplyOfNobodyKnown({ plan }: Ids): Json {
  const meter = { number: `1EMH${uniqueText()}`, type: 'analog', estimated_usage: 100 };
  return { plan, customer: person(), ...common, meter, next_possible_start: true };
}

function supplyOfCompany({ plan, previousSupplier }: Ids): Json {
  return {
    plan,
    customer: { type: 'company', ...person(), company_name: 'Voß GmbH', vat_id: 'DE123456789' },
    ...common,
    meter: { number: `1EMH${uniqueText()}`, type: 'analog', estimated_usage: 2500.5, malo: '50123456789' },
    next_possible_start: false,
    intended_start_date: '2027-01-01',
    previous_supplier: previousSupplier,
    product_orders: [{ type: 'smart-meter' }, { type: '14a_enwg', '14a_enwg': { module_1: true } }],
  };
}

/** A second termination is accepted only when it ends supply earlier: a day less each time. */
const earlierEnd = () => berlinMidnight(addDays('2199-12-31', -unique()));

export const noun: Noun = {
  routes: {
    'GET /subscriptions': {
      whose: 'customer',
      path: ({ household }) => `/subscriptions?filter[household][eq]=${household}`,
      shows: { ...subscription, isList: true },
      list: {
        all: () => '/subscriptions?',
        shown: ({ subscriptions }) => subscriptions,
        idOf,
        filters: {
          customer: ({ customer }) => customer,
          plan: ({ plan }) => plan,
          household: ({ household }) => household,
        },
      },
    },
    'POST /subscriptions': {
      whose: 'staff',
      path: () => '/subscriptions',
      body: feedIn,
      shows: subscription,
      references: {
        plan: (own, { feedInPlan }) => feedIn({ ...own, feedInPlan }),
        customer: (own, { customer }) => feedIn({ ...own, customer }),
        household: (own, { household }) => feedIn({ ...own, household }),
        'customer and household': (own, { customer, household }) => feedIn({ ...own, customer, household }),
        lead: (own, { lead }) => ({ ...feedIn(own), lead }),
        'meter.number without household': (own, { meterNumber }) => {
          const { household, ...body } = feedIn({ ...own, meterNumber });
          return body;
        },
      },
      bodies: {
        ignoresUnknown: true,
        unions: ['customer'],
        smallest: supplyOfNobodyKnown,
        full: (ids) => [supplyOfCompany(ids), feedIn(ids)],
      },
    },
    'GET /subscriptions/{id}': {
      whose: 'customer',
      path: ({ subscription }) => `/subscriptions/${subscription}`,
      shows: subscription,
    },
    'PATCH /subscriptions/{id}': {
      whose: 'staff',
      since: CURIE,
      path: ({ subscription }) => `/subscriptions/${subscription}`,
      body: () => ({}),
      shows: subscription,
      references: {},
      bodies: {
        ignoresUnknown: true,
        full: () => [
          {
            billing_address: { ...address, house_number: `${unique()}` },
            payment_method: {
              type: 'sepa_debit',
              sepa_debit: { iban: 'DE89370400440532013000', account_holder: `Käthe Voß ${unique()}` },
            },
          },
        ],
      },
    },
    'POST /subscriptions/{id}/terminate': {
      whose: 'staff',
      since: CURIE,
      path: ({ subscription }) => `/subscriptions/${subscription}/terminate`,
      body: () => ({ reason: 'MOVE_OUT', intended_end_at: earlierEnd() }),
      shows: { object: null, fields: 'reason intended_end_at' },
      references: {},
      bodies: { full: () => [{ reason: 'ORDINARY', intended_end_at: earlierEnd() }] },
    },
  },
};
