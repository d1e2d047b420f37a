import { z } from 'zod';
import type { invoice } from '../../billing/invoices/schema.ts';
import { listedSupplier } from '../../contracts/market-partners/schema.ts';
import {
  INTERNAL_STATUSES,
  type meterOrder,
  olderMeterOrderFields,
} from '../../contracts/meter-orders/schema.ts';
import { customerOrId } from '../../contracts/subscriptions/schema.ts';
import { newCustomerOrPerson } from '../../identity/customers/schema.ts';
import type { VersionChange } from '../../platform/interface/version-change.ts';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';
import type { quoteQuery } from '../../tariffs/quotes/schema.ts';
import { topics } from '../topics.ts';

/* Each change that came with 2026-05-27.curie by itself, noun by noun. */

const version = '2026-05-27.curie';

const structuredErrors: VersionChange = {
  version,
  summary: 'Errors list every problem',
  before: 'An error had `code`, `message`, `requestId` and `docs`; the message named the first problem.',
  after: '`errors` lists every problem with its code, its field and a sentence.',
  appliesTo: 'all',
  error: ({ errors, ...older }) => older,
};

const feedIn: VersionChange = {
  version,
  name: 'feed-in',
  summary: 'Feed-in plans and contracts',
  before:
    'Lists left out feed-in plans and everything that belongs to feed-in contracts; by id they were not found; using them answered `upgrade_api_version`.',
  appliesTo: [
    'GET /plans',
    'GET /plans/{id}',
    'GET /plans/{id}/quote',
    'POST /leads',
    'GET /subscriptions',
    'POST /subscriptions',
    'GET /subscriptions/{id}',
    'GET /subscriptions/{id}/prices',
    'GET /invoices/{id}',
    'GET /invoices/{id}/file',
  ],
  after: 'Feed-in plans and contracts are shown and can be used like all others.',
};

const planType: VersionChange = {
  version,
  summary: 'Plans say of which type they are',
  before: 'A plan had no `type`; all plans shown were consumption plans.',
  after: '`type` is `consumption` or `feed_in`.',
  appliesTo: { object: 'plan' },
  schema: { response: (newer) => (newer as z.ZodObject).omit({ type: true }) },
  response: ({ type, ...older }) => older,
};

type CustomerSchema = z.ZodDiscriminatedUnion<[z.ZodObject, z.ZodObject], 'type'>;

export const customerVatId: VersionChange = {
  version,
  summary: 'Customers show their tax number',
  before: 'A customer had no `vat_id`, wherever it was shown.',
  after: '`vat_id` is the tax number or VAT identification number given at sign-up, or null.',
  appliesTo: { object: 'customer' },
  schema: {
    response: (newer) => {
      const [person, company] = (newer as CustomerSchema).options;
      return z.discriminatedUnion('type', [person.omit({ vat_id: true }), company.omit({ vat_id: true })]);
    },
  },
  response: ({ vat_id, ...older }) => older,
};

const customerNames: VersionChange = {
  version,
  summary: 'Names of customers can be changed',
  before: 'A customer could be read only.',
  after: '`PATCH /customers/{id}` changes `first_name`, `last_name` and, of companies, `company_name`.',
  added: ['PATCH /customers/{id}'],
};

const subscriptionFields: VersionChange = {
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

const subscriptionSupplier: VersionChange = {
  version,
  summary: 'The previous supplier of a subscription is shown without its code',
  before: '`supplier` had `code` and `code_type`.',
  after: '`supplier` has neither; `GET /market-partners` shows them.',
  appliesTo: { object: 'subscription' },
  schema: { encoded: withCode, response: withCode },
};

const subscriptionChanges: VersionChange = {
  version,
  summary: 'Subscriptions can be changed and terminated',
  before: 'A subscription could be read only.',
  after:
    '`PATCH /subscriptions/{id}` changes billing address, payment method and metadata; `POST /subscriptions/{id}/terminate` ends supply.',
  added: ['PATCH /subscriptions/{id}', 'POST /subscriptions/{id}/terminate'],
};

const appliesTo = ['POST /subscriptions'] as const;

type Json = Record<string, unknown>;

const addressBefore = z
  .object({
    street: wireSchemas.name(),
    house_number: wireSchemas.name(),
    zip: wireSchemas.text({ min: 5 }),
    city: wireSchemas.name(),
  })
  .meta({ description: 'Delivery address' });

const signUpAddress: VersionChange = {
  version,
  summary: 'Addresses of a sign-up are checked',
  before: 'The parts of an address had a length and nothing else to fulfil.',
  after: '`street`, `house_number`, `zip` and `city` have patterns: five digits, no digit in a city.',
  appliesTo,
  schema: { body: (newer) => (newer as z.ZodObject).extend({ address: addressBefore }) },
};

const [person, company] = newCustomerOrPerson.options;
const customerBefore = z.discriminatedUnion('type', [
  person.omit({ vat_id: true }),
  company.omit({ vat_id: true }),
]);

const signUpVatId: VersionChange = {
  version,
  summary: 'A sign-up takes a tax number',
  before: '`customer.vat_id` was ignored.',
  after: '`customer.vat_id` is kept; a company that feeds in needs it.',
  appliesTo,
  schema: { body: (newer) => (newer as z.ZodObject).extend({ customer: customerOrId(customerBefore) }) },
  request: ({ query, body }) => ({ query, body: withoutVatId(body as Json) }),
};

function withoutVatId(body: Json): Json {
  if (typeof body.customer === 'string') return body;
  const { vat_id, ...customer } = body.customer as Json;
  return { ...body, customer };
}

const marketPartners: VersionChange = {
  version,
  summary: 'Suppliers are market partners',
  before:
    '`GET /suppliers` and `GET /suppliers/search` showed suppliers with `object` `supplier` and without `type`.',
  after:
    '`GET /market-partners` shows them with `object` `market_partner` and `type`; `name` is filtered there.',
  added: ['GET /market-partners'],
  removed: [
    { route: 'GET /suppliers', instead: 'GET /market-partners' },
    { route: 'GET /suppliers/search', instead: 'GET /market-partners?filter[name][contains]=<name>' },
  ],
};

const meterReadings: VersionChange = {
  version,
  summary: 'Meter readings have a list of their own',
  before: '`/subscriptions/{id}/meter_readings` listed and took the readings of one subscription.',
  after:
    '`GET /meter-readings` lists all readings and is filtered by `subscription`; `POST /meter-readings` names the subscription in its body.',
  added: ['GET /meter-readings', 'POST /meter-readings'],
  removed: [
    {
      route: 'GET /subscriptions/{id}/meter_readings',
      instead: 'GET /meter-readings?filter[subscription][eq]={id}',
    },
    { route: 'POST /subscriptions/{id}/meter_readings', instead: 'POST /meter-readings' },
  ],
};

const usage: VersionChange = {
  version,
  summary: 'Consumption is called usage',
  before: '`GET /subscriptions/{id}/consumption` answered with `object` `consumption`.',
  after: '`GET /subscriptions/{id}/usage` answers the same with `object` `usage`, of feed-in contracts too.',
  added: ['GET /subscriptions/{id}/usage'],
  removed: [{ route: 'GET /subscriptions/{id}/consumption', instead: 'GET /subscriptions/{id}/usage' }],
};

const OLDER_STATUSES = ['open', 'paid', 'voided'] as const;

const invoiceList: VersionChange = {
  version,
  summary: 'Invoices have a list of their own',
  before: '`/subscriptions/{id}/invoices` listed the invoices of one subscription.',
  after:
    '`GET /invoices` lists all invoices and is filtered by `subscription`, `type`, `status`, `period_start` and `period_end`.',
  added: ['GET /invoices'],
  removed: [
    {
      route: 'GET /subscriptions/{id}/invoices',
      instead: 'GET /invoices?filter[subscription][eq]={id}',
    },
  ],
};

const invoiceFields: VersionChange = {
  version,
  summary: 'Invoices show whose they are and of which type',
  before:
    'An invoice had neither `customer` nor `subscription` nor `type`; one that no payment is expected for was `open`.',
  after: '`customer`, `subscription` and `type` are shown; `status` may be `uncollectible`.',
  appliesTo: { object: 'invoice' },
  schema: {
    response: (newer) => {
      const { usage, period_start, period_end } = (newer as typeof invoice).shape;
      return (newer as typeof invoice)
        .omit({ customer: true, subscription: true, type: true, voids: true })
        .extend({
          usage: usage.unwrap().meta({ description: 'kWh of the period' }),
          status: z.enum(OLDER_STATUSES).meta({
            description: '`open`: issued and not settled; `paid`: paid; `voided`: reversed',
          }),
          period_start: period_start.nullable(),
          period_end: period_end.nullable(),
        });
    },
  },
  response: ({ customer, subscription, type, voids, ...older }) => ({
    ...older,
    status: older.status === 'uncollectible' ? 'open' : older.status,
  }),
};

const invoiceTypes: VersionChange = {
  version,
  name: 'invoice types',
  summary: 'Prepayments, void documents and invoices of feed-in contracts are shown',
  before: 'Only usage invoices of consumption contracts were shown; other documents were not found.',
  after:
    '`type` is `usage`, `prepayment` or `void`; a credit for feed-in is a usage invoice with a negative `total`.',
  appliesTo: ['GET /invoices/{id}', 'GET /invoices/{id}/file'],
};

const gridFeeReductionCustomer: VersionChange = {
  version,
  summary: 'Grid fee reductions name their customer',
  before: 'A grid fee reduction had no `customer`; it was found by way of its `subscription`.',
  after: '`customer` is the id of the customer.',
  appliesTo: { object: 'grid_fee_reduction' },
  schema: { response: (newer) => (newer as z.ZodObject).omit({ customer: true }) },
  response: ({ customer, ...older }) => older,
};

const older = new Set(topics.filter(({ since }) => since < version).map(({ name }) => name));

const eventTopics: VersionChange = {
  version,
  summary: 'Events of terminations, invoices and meter orders are shown',
  before:
    '`GET /events` showed `subscription.created`, `.confirmed`, `.activated` and `.ended` only; by id other events were not found.',
  after:
    'It also shows `subscription.terminated` and all topics of invoices and meter orders. Webhooks have no version: they always had every topic.',
  appliesTo: ['GET /events', 'GET /events/{id}'],
  schema: {
    filters: ({ topic, ...others }) => ({
      ...others,
      topic: { type: 'enum', values: topic?.values?.filter((value) => older.has(value)) ?? [] },
    }),
  },
};

const MILESTONES = {
  appointment_at: true,
  installed_at: true,
  activated_at: true,
  cancelled_at: true,
  cancelled_reason: true,
  blocked_at: true,
  blocked_reason: true,
} as const;

/** The internal status stands beside the public one until the older answer is made. */
const full = (newest: z.ZodType) => (newest as typeof meterOrder).extend(olderMeterOrderFields);

const meterOrderMilestones: VersionChange = {
  version,
  summary: 'Meter orders show milestones and eight statuses',
  before: `\`status\` had 14 values (${INTERNAL_STATUSES.map((status) => `\`${status}\``).join(', ')}); \`updated_at\` told of the last change.`,
  after:
    '`status` has 8 values. `appointment_at`, `installed_at`, `activated_at` and `cancelled_at` tell when; an order that is held back keeps its `status` and has `blocked_at` and `blocked_reason`. `updated_at` is gone.',
  appliesTo: { object: 'meter_order' },
  schema: {
    encoded: full,
    response: (newer) =>
      (newer as typeof meterOrder).omit(MILESTONES).extend({
        status: olderMeterOrderFields.internal_status,
        updated_at: olderMeterOrderFields.updated_at,
      }),
  },
  response: ({
    appointment_at,
    installed_at,
    activated_at,
    cancelled_at,
    cancelled_reason,
    blocked_at,
    blocked_reason,
    internal_status,
    ...older
  }) => ({ ...older, status: internal_status }),
};

const meterOrderStatusFilter: VersionChange = {
  version,
  summary: 'Meter orders are filtered by the new statuses',
  before: '`filter[status]` took the 14 values.',
  after: '`filter[status]` takes the 8 values.',
  appliesTo: ['GET /meter-orders'],
  schema: { filters: (newer) => ({ ...newer, status: { type: 'enum', values: INTERNAL_STATUSES } }) },
  filter: (filter) => (filter.field === 'status' ? { ...filter, field: 'internal_status' } : filter),
};

const quoteParameters: VersionChange = {
  version,
  summary: 'Quotes know module 2 and exemption from VAT',
  before:
    '`GET /plans/{id}/quote` took `14a_module_1` alone; `14a_module_2` and `is_tax_exempt` were ignored.',
  after: '`14a_module_2` prices module 2; `is_tax_exempt` prices feeding in without VAT.',
  appliesTo: ['GET /plans/{id}/quote'],
  schema: {
    query: (newer) => (newer as typeof quoteQuery).omit({ '14a_module_2': true, is_tax_exempt: true }),
  },
  request: ({ query, body }) => ({
    query: { ...query, '14a_module_2': false, is_tax_exempt: false },
    body,
  }),
};

/** Oldest first. */
export const curie: readonly VersionChange[] = [
  structuredErrors,
  feedIn,
  planType,
  customerVatId,
  customerNames,
  subscriptionFields,
  subscriptionSupplier,
  subscriptionChanges,
  signUpAddress,
  signUpVatId,
  marketPartners,
  meterReadings,
  usage,
  invoiceList,
  invoiceFields,
  invoiceTypes,
  gridFeeReductionCustomer,
  eventTopics,
  meterOrderMilestones,
  meterOrderStatusFilter,
  quoteParameters,
];
