import { newId } from '../../src/platform/ids.ts';
import { createInvoice } from '../setup/invoice-factories.ts';
import { idOf, type Noun, type Shown } from './table/row.ts';

declare module './table/row.ts' {
  interface Ids {
    /** Usage of the subscription, with its document. */
    invoice: string;
  }
  interface Place {
    invoices: readonly string[];
  }
}

const CURIE = '2026-05-27.curie';

const invoice: Shown = {
  object: 'invoice',
  fields:
    'id invoice_number month year period_start period_end period_number status usage total issued_at paid_at',
  fieldsSince: { [CURIE]: 'customer subscription type' },
};

export const noun: Noun = {
  routes: {
    'GET /invoices': {
      whose: 'customer',
      since: CURIE,
      path: ({ subscription }) => `/invoices?filter[subscription][eq]=${subscription}`,
      shows: { ...invoice, isList: true },
      list: {
        all: () => '/invoices?',
        shown: ({ invoices }) => invoices,
        idOf,
        filters: { subscription: ({ subscription }) => subscription },
      },
    },
    'GET /subscriptions/{id}/invoices': {
      whose: 'customer',
      removed: { in: CURIE, instead: 'GET /invoices?filter[subscription][eq]={id}' },
      path: ({ subscription }) => `/subscriptions/${subscription}/invoices`,
      shows: { ...invoice, isList: true },
    },
    'GET /invoices/{id}': {
      whose: 'customer',
      path: ({ invoice: id }) => `/invoices/${id}`,
      shows: invoice,
    },
    'GET /invoices/{id}/file': {
      whose: 'customer',
      path: ({ invoice: id }) => `/invoices/${id}/file`,
      shows: { object: null, fields: '' },
      leadsTo: /^http:\/\/[^/]+\/files\/[\w.-]+$/,
    },
  },
  make: async ({ api, organization, ids: { customer, subscription } }) => {
    const of = { customer_id: customer, subscription_id: subscription };
    const first = await createInvoice(api.deps, organization, of);
    const second = await createInvoice(api.deps, organization, of);
    const invoices = [first.id, second.id];
    return {
      invoice: first.id,
      invoices,
      private: [...invoices, first.invoice_number, second.invoice_number],
    };
  },
  missing: () => ({ invoice: newId('inv') }),
};
