import type { MeterReading } from '../../meter-readings/schema.ts';
import type { Subscription, SubscriptionListItem } from '../../subscriptions/schema.ts';
import type { Consumption, Usage } from '../../usage/schema.ts';
import { example, ID, type RouteExamples } from './example.ts';
import { address, customer, supplier } from './people.ts';

const AT = '2026-10-05T08:40:12.345Z';

const contract = {
  object: 'subscription',
  id: ID.subscription,
  plan: ID.plan,
  household: ID.household,
  number: 'K7P2M9QX',
  type: 'consumption',
  estimated_usage: 3200,
  terminated_at: null,
  end_at: null,
  metadata: { crm: 'A-1182' },
  created_at: AT,
} as const;

const subscription: Subscription = {
  ...contract,
  status: 'active',
  start_at: '2026-10-31T23:00:00.000Z',
  updated_at: '2026-10-31T23:00:03.120Z',
  customer,
  address,
  billing_address: { ...address, id: ID.billingAddress },
  meter: {
    object: 'meter',
    id: ID.meter,
    number: '1EMH0087654321',
    type: 'analog',
    melo: 'DE00056266802AO6G56M11SN51G21M24S',
    malo: '50123456789',
    created_at: AT,
  },
  payment_method: {
    object: 'payment_method',
    id: ID.paymentMethod,
    type: 'sepa_debit',
    sepa_debit: { iban: 'DE****************3000', account_holder: 'Jule Brandt' },
    created_at: AT,
  },
  supplier,
};

const signedUp: SubscriptionListItem = {
  ...contract,
  status: 'pending',
  start_at: null,
  updated_at: AT,
  customer: ID.customer,
  address: ID.address,
  billing_address: ID.billingAddress,
  meter: ID.meter,
  payment_method: ID.paymentMethod,
  supplier: ID.marketPartner,
};

const paymentMethod = {
  type: 'sepa_debit',
  sepa_debit: { iban: 'DE89370400440532013000', account_holder: 'Jule Brandt' },
};

const reading: MeterReading = {
  object: 'meter_reading',
  id: ID.reading,
  customer: ID.customer,
  subscription: ID.subscription,
  meter: ID.meter,
  value: 18342.7,
  timestamp: '2026-12-30T23:00:00.000Z',
  type: 'customer_report',
  created_at: '2026-12-31T14:21:07.902Z',
};

const sentReading = { value: 18342.7, timestamp: '2026-12-31T14:20:00Z', message: 'Read twice' };

const months = {
  meter_type: 'analog',
  resolution: 'month',
  data: [
    { start: '2026-10-31T23:00:00Z', usage: 281.4071, type: 'final' },
    { start: '2026-11-30T23:00:00Z', usage: 312.9, type: 'preliminary' },
  ],
} as const;

const usage: Usage = { object: 'usage', ...months, data: [...months.data] };
const consumption: Consumption = { ...usage, object: 'consumption' };

export const contractExamples: RouteExamples = {
  'GET /subscriptions': example(signedUp),
  'GET /subscriptions/{id}': example(subscription),
  'POST /subscriptions': example(signedUp, {
    plan: ID.plan,
    customer: { type: 'person', first_name: 'Jule', last_name: 'Brandt', email: 'jule.brandt@example.org' },
    address: { street: 'Lindenallee', house_number: '7a', zip: '20354', city: 'Hamburg' },
    meter: { number: '1EMH0087654321', type: 'analog', estimated_usage: 3200, malo: '50123456789' },
    payment_method: paymentMethod,
    next_possible_start: false,
    intended_start_date: '2026-11-01',
    previous_supplier: ID.marketPartner,
    product_orders: [{ type: 'smart-meter' }],
    metadata: { crm: 'A-1182' },
  }),
  'PATCH /subscriptions/{id}': example(
    { ...subscription, metadata: { crm: 'A-1182', region: 'north' } },
    { metadata: { region: 'north' } },
  ),
  'POST /subscriptions/{id}/terminate': example(
    { reason: 'ORDINARY', intended_end_at: '2027-01-01T00:00:00+01:00' },
    { reason: 'ORDINARY', intended_end_at: '2026-12-31T23:00:00Z' },
  ),
  'GET /meter-readings': example(reading),
  'POST /meter-readings': example(reading, { subscription: ID.subscription, ...sentReading }),
  'GET /subscriptions/{id}/meter_readings': example(reading),
  'POST /subscriptions/{id}/meter_readings': example(reading, sentReading),
  'GET /subscriptions/{id}/usage': example(usage),
  'GET /subscriptions/{id}/consumption': example(consumption),
};
