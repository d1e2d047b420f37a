import { z } from 'zod';
import type { invoice } from '../../billing/invoices/schema.ts';
import type { VersionChange } from '../../platform/interface/version-change.ts';

const version = '2026-05-27.curie';

const OLDER_STATUSES = ['open', 'paid', 'voided'] as const;

export const invoiceList: VersionChange = {
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

export const invoiceFields: VersionChange = {
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

export const invoiceTypes: VersionChange = {
  version,
  name: 'invoice types',
  summary: 'Prepayments, void documents and invoices of feed-in contracts are shown',
  before: 'Only usage invoices of consumption contracts were shown; other documents were not found.',
  after:
    '`type` is `usage`, `prepayment` or `void`; a credit for feed-in is a usage invoice with a negative `total`.',
  appliesTo: ['GET /invoices/{id}', 'GET /invoices/{id}/file'],
};
