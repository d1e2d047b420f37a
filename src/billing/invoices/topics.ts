import { topic } from '../../events/topic.ts';

const since = '2026-05-27.curie';
const context = { invoice: { id: 'inv' }, subscription: { id: 'sub' } } as const;

/** Events of invoices of every type, also of those that a version does not show. */
export const invoiceTopics = {
  created: topic({ name: 'invoice.created', when: 'An invoice of any type was issued.', since, context }),
  paid: topic({
    name: 'invoice.paid',
    when: 'It is paid or settled in full; for an amount in favour of the customer: it was paid out.',
    since,
    context,
  }),
  payment_failed: topic({
    name: 'invoice.payment_failed',
    when: 'A payment attempt failed; told each time.',
    since,
    context,
  }),
  uncollectible: topic({
    name: 'invoice.uncollectible',
    when: 'No further payment is expected.',
    since,
    context,
  }),
  voided: topic({
    name: 'invoice.voided',
    when: 'It was reversed by a void document, `voiding_invoice`.',
    since,
    context: { ...context, voiding_invoice: { id: 'inv' } },
  }),
};
