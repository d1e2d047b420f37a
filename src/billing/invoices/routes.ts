import { contractExample } from '../../contracts/held-contracts/examples.ts';
import { customerExample } from '../../identity/customers/examples.ts';
import type { Deps } from '../../platform/deps.ts';
import { type ApiRoute, listRoute, redirectRoute, route } from '../../platform/interface/route.ts';
import { getInvoiceFile } from './files/link.ts';
import { getInvoice, getInvoices, getInvoicesOfSubscription } from './read.ts';
import { INVOICE_STATUSES, INVOICE_TYPES, type Invoice, invoice } from './schema.ts';

const TAG = 'Invoices';

export function invoiceRoutes(deps: Deps): ApiRoute[] {
  return [
    listRoute({
      path: '/invoices',
      summary: 'List invoices',
      description: 'Newest first. No call changes an invoice: what happens to it is told by events.',
      tag: TAG,
      customerTokens: 'own',
      readsPersonalData: true,
      response: invoice,
      list: {
        filters: {
          status: { type: 'enum', values: INVOICE_STATUSES },
          type: { type: 'enum', values: INVOICE_TYPES },
          subscription: { type: 'string' },
          period_start: { type: 'date' },
          period_end: { type: 'date' },
        },
      },
      example: { response: invoiceExample },
      handler: (request) => getInvoices(deps, request),
    }),
    listRoute({
      path: '/subscriptions/{id}/invoices',
      summary: 'List invoices of a subscription',
      description: 'Newest first.',
      tag: TAG,
      customerTokens: 'own',
      readsPersonalData: true,
      response: invoice,
      list: { filters: {} },
      example: { response: invoiceExample },
      handler: (request) => getInvoicesOfSubscription(deps, request),
    }),
    route({
      method: 'GET',
      path: '/invoices/{id}',
      summary: 'Retrieve an invoice',
      tag: TAG,
      customerTokens: 'own',
      readsPersonalData: true,
      response: invoice,
      example: { response: invoiceExample },
      handler: (request) => getInvoice(deps, request),
    }),
    redirectRoute({
      path: '/invoices/{id}/file',
      summary: 'Retrieve the document of an invoice',
      description:
        'Leads to the PDF. The link is a key: it opens the document without a token, for one hour. A document is made soon after its invoice was issued; until then it is not found.',
      tag: TAG,
      customerTokens: 'own',
      readsPersonalData: true,
      redirectsTo: 'Address of the PDF; valid for one hour',
      handler: (request) => getInvoiceFile(deps, request),
    }),
  ];
}

const invoiceExample = {
  object: 'invoice',
  id: 'inv_jule0brandt0january00002',
  type: 'usage',
  customer: customerExample.id,
  subscription: contractExample,
  invoice_number: 'K7P2M9QX-002',
  month: 1,
  year: 2027,
  period_start: '2026-12-31T23:00:00.000Z',
  period_end: '2027-01-31T23:00:00.000Z',
  period_number: 2,
  status: 'paid',
  usage: 447.9,
  total: 128.51,
  issued_at: '2027-02-11T07:00:00.000Z',
  paid_at: '2027-02-25T09:40:00.000Z',
} as const satisfies Invoice;
