import { contractExample } from '../../contracts/held-contracts/examples.ts';
import { customerExample } from '../../identity/customers/examples.ts';
import type { Invoice } from './schema.ts';

export const invoiceExample = {
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
