import type { z } from 'zod';
import { listedSupplier } from '../market-partners/schema.ts';
import type { VersionChange } from '../platform/interface/versioning.ts';
import { customerBefore, customerSchemaBefore } from './2026-05-27-customers.ts';

const version = '2026-05-27.curie';

type Json = Record<string, unknown>;

/** An object without or with other members is another component of the description, under the name it always had. */
function named(schema: z.ZodObject, newer: z.ZodType): z.ZodObject {
  const id = newer.meta()?.id;
  return id === undefined ? schema : schema.meta({ id });
}

export const subscriptionFields: VersionChange = {
  version,
  summary: 'Subscriptions show their type and their billing address',
  before: 'A subscription had neither `type` nor `billing_address`.',
  after: '`type` is `consumption` or `feed_in`; `billing_address` is the address of its invoices.',
  appliesTo: ['GET /subscriptions', 'POST /subscriptions', 'GET /subscriptions/{id}'],
  schema: {
    response: (newer) => named((newer as z.ZodObject).omit({ type: true, billing_address: true }), newer),
  },
  response: ({ type, billing_address, ...older }) => older,
};

/* The code is in no newer answer: it is encoded for the older ones alone. */
function withCode(newer: z.ZodType): z.ZodType {
  const supplier = listedSupplier
    .nullable()
    .meta({ description: 'Previous supplier; null where there was none' });
  return named((newer as z.ZodObject).extend({ supplier }), newer);
}

export const subscriptionSupplier: VersionChange = {
  version,
  summary: 'The previous supplier of a subscription is shown without its code',
  before: '`supplier` had `code` and `code_type`.',
  after: '`supplier` has neither; `GET /market-partners` shows them.',
  appliesTo: ['GET /subscriptions/{id}'],
  schema: { encoded: withCode, response: withCode },
};

export const subscriptionCustomer: VersionChange = {
  version,
  summary: 'The customer inside a subscription shows its tax number',
  before: '`customer` had no `vat_id`.',
  after: '`customer` has `vat_id`, as everywhere else.',
  appliesTo: ['GET /subscriptions/{id}'],
  schema: {
    response: (newer) => {
      const { customer } = (newer as z.ZodObject<{ customer: z.ZodType }>).shape;
      return named((newer as z.ZodObject).extend({ customer: customerSchemaBefore(customer) }), newer);
    },
  },
  response: (body) => ({ ...body, customer: customerBefore(body.customer as Json) }),
};

export const subscriptionChanges: VersionChange = {
  version,
  summary: 'Subscriptions can be changed and terminated',
  before: 'A subscription could be read only.',
  after:
    '`PATCH /subscriptions/{id}` changes billing address, payment method and metadata; `POST /subscriptions/{id}/terminate` ends supply.',
  added: ['PATCH /subscriptions/{id}', 'POST /subscriptions/{id}/terminate'],
};
