import { z } from 'zod';
import { newId } from '../../platform/ids.ts';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';

const { objectName, ownId } = wireSchemas;

/** A payment of the bank, of staff, or of a reversal that sets off what came back. */
export const newPaymentId = () => newId('pay');

export const INVOICE_TYPES = ['usage', 'prepayment', 'void', 'exit_summary'] as const;

export type InvoiceType = (typeof INVOICE_TYPES)[number];

export const INVOICE_STATUSES = ['open', 'paid', 'uncollectible', 'voided'] as const;

export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

const MIDNIGHT = 'A midnight in Berlin';

export const invoice = z
  .object({
    object: objectName('invoice'),
    id: ownId,
    type: z.enum(INVOICE_TYPES).meta({
      description:
        '`usage`: what was used, or fed in; `prepayment`: a monthly advance; `void`: reverses another invoice; `exit_summary`: settles corrections of an ended subscription',
    }),
    customer: z.string().meta({ description: 'Id of the customer' }),
    subscription: z.string().meta({ description: 'Id of the subscription' }),
    invoice_number: z.string().meta({ description: 'Printed on the document' }),
    month: z.int().min(1).max(12).meta({
      description: 'Month in Berlin in which the period starts; of an exit summary the last month of supply',
    }),
    year: z.int().min(2000).max(9999).meta({ description: 'Year of `month`' }),
    period_start: z.iso.datetime().meta({ description: `${MIDNIGHT}, included` }),
    period_end: z.iso.datetime().meta({ description: `${MIDNIGHT}, not included` }),
    period_number: z.int().min(1).max(100_000).meta({
      description: 'Counts the periods of the subscription; documents about the same period share it',
    }),
    status: z.enum(INVOICE_STATUSES).meta({
      description:
        '`open`: issued and not settled; `paid`: paid, or paid out; `uncollectible`: no further payment is expected; `voided`: reversed by a void document',
    }),
    usage: z
      .number()
      .optional()
      .meta({ description: 'kWh of the period, 4 decimals; of usage invoices only' }),
    total: z.number().meta({
      description: 'EUR with VAT: positive is charged, negative is paid out',
    }),
    voids: z.string().optional().meta({ description: 'Id of the reversed invoice; of void documents only' }),
    issued_at: z.iso.datetime().nullable().meta({ description: 'When the document was issued' }),
    paid_at: z.iso.datetime().nullable().meta({ description: 'Kept when the invoice is voided later' }),
  })
  .meta({ id: 'Invoice' });

export type Invoice = z.input<typeof invoice>;
