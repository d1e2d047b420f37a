import { z } from 'zod';
import { listedSupplier } from '../../contracts/market-partners/schema.ts';
import type { VersionChange } from '../../platform/interface/version-change.ts';

const version = '2026-05-27.curie';

export const subscriptionFields: VersionChange = {
  version,
  summary: 'Subscriptions show their type and their billing address',
  before: 'A subscription had neither `type` nor `billing_address`.',
  after: '`type` is `consumption` or `feed_in`; `billing_address` is the address of its invoices.',
  appliesTo: { object: 'subscription' },
  schema: { response: (newer) => (newer as z.ZodObject).omit({ type: true, billing_address: true }) },
  response: ({ type, billing_address, ...older }) => older,
};

/*
 * The code is in no newer answer: it is encoded for the older ones alone. In lists the supplier is an id, which stays as it
 * is.
 */
function withCode(newer: z.ZodType): z.ZodType {
  const subscription = newer as z.ZodObject<{ supplier: z.ZodNullable<z.ZodType> }>;
  if (!(subscription.shape.supplier.unwrap() instanceof z.ZodObject)) return newer;
  const supplier = listedSupplier
    .nullable()
    .meta({ description: 'Previous supplier; null where there was none' });
  return subscription.extend({ supplier });
}

export const subscriptionSupplier: VersionChange = {
  version,
  summary: 'The previous supplier of a subscription is shown without its code',
  before: '`supplier` had `code` and `code_type`.',
  after: '`supplier` has neither; `GET /market-partners` shows them.',
  appliesTo: { object: 'subscription' },
  schema: { encoded: withCode, response: withCode },
};

export const subscriptionChanges: VersionChange = {
  version,
  summary: 'Subscriptions can be changed and terminated',
  before: 'A subscription could be read only.',
  after:
    '`PATCH /subscriptions/{id}` changes billing address, payment method and metadata; `POST /subscriptions/{id}/terminate` ends supply.',
  added: ['PATCH /subscriptions/{id}', 'POST /subscriptions/{id}/terminate'],
};
