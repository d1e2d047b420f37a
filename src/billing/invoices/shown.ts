import type { InvoiceRow } from './queries.ts';
import type { Invoice } from './schema.ts';

export function shownInvoice(row: InvoiceRow): Invoice {
  return {
    object: 'invoice',
    id: row.id,
    type: row.type,
    customer: row.customer_id,
    subscription: row.subscription_id,
    invoice_number: row.invoice_number,
    month: row.month,
    year: row.year,
    period_start: row.period_start,
    period_end: row.period_end,
    period_number: row.period_number,
    status: row.status,
    ...(row.type === 'usage' && { usage: Number(row.usage_kwh) }),
    total: Number(row.total),
    ...(row.voids !== null && { voids: row.voids }),
    issued_at: row.issued_at,
    paid_at: row.paid_at,
  };
}
