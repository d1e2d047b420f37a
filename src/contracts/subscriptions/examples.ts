import type { z } from 'zod';
import { addressExample } from '../../identity/addresses/examples.ts';
import { customerExample } from '../../identity/customers/examples.ts';
import { householdExample } from '../../identity/households/examples.ts';
import { planExample } from '../../tariffs/plans/examples.ts';
import { contractExample } from '../held-contracts/examples.ts';
import { supplierExample } from '../market-partners/examples.ts';
import type { newSubscription, Subscription, SubscriptionListItem } from './schema.ts';

const AT = '2026-10-05T08:40:12.345Z';

const contract = {
  object: 'subscription',
  id: contractExample,
  plan: planExample.id,
  household: householdExample.id,
  number: 'K7P2M9QX',
  type: 'consumption',
  estimated_usage: 3200,
  terminated_at: null,
  end_at: null,
  metadata: { crm: 'A-1182' },
  created_at: AT,
} as const;

export const subscriptionExample = {
  ...contract,
  status: 'active',
  start_at: '2026-10-31T23:00:00.000Z',
  updated_at: '2026-10-31T23:00:03.120Z',
  customer: customerExample,
  address: addressExample,
  billing_address: { ...addressExample, id: 'adr_lindenallee0invoices0007' },
  meter: {
    object: 'meter',
    id: 'mtr_lindenallee0meter0000001',
    number: '1EMH0087654321',
    type: 'analog',
    melo: 'DE00056266802AO6G56M11SN51G21M24S',
    malo: '50123456789',
    created_at: AT,
  },
  payment_method: {
    object: 'payment_method',
    id: 'pm_jule0brandt0sepa00000001',
    type: 'sepa_debit',
    sepa_debit: { iban: 'DE****************3000', account_holder: 'Jule Brandt' },
    created_at: AT,
  },
  supplier: supplierExample,
} as const satisfies Subscription;

/** After the sign-up, as lists show it. */
export const signedUpExample: SubscriptionListItem = {
  ...contract,
  status: 'pending',
  start_at: null,
  updated_at: AT,
  customer: customerExample.id,
  address: addressExample.id,
  billing_address: subscriptionExample.billing_address.id,
  meter: subscriptionExample.meter.id,
  payment_method: subscriptionExample.payment_method.id,
  supplier: supplierExample.id,
};

export const newSubscriptionExample: z.input<typeof newSubscription> = {
  plan: planExample.id,
  customer: { type: 'person', first_name: 'Jule', last_name: 'Brandt', email: 'jule.brandt@example.org' },
  address: { street: 'Lindenallee', house_number: '7a', zip: '20357', city: 'Hamburg' },
  meter: { number: '1EMH0087654321', type: 'analog', estimated_usage: 3200, malo: '50123456789' },
  payment_method: {
    type: 'sepa_debit',
    sepa_debit: { iban: 'DE89370400440532013000', account_holder: 'Jule Brandt' },
  },
  next_possible_start: true,
  previous_supplier: supplierExample.id,
  product_orders: [{ type: 'smart-meter' }],
  metadata: { crm: 'A-1182' },
};
