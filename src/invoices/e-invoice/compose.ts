import type { Invoice } from '@e-invoice-eu/core';
import { addDays } from '../../platform/time/berlin-calendar.ts';
import type { Bill, Format } from './bill.ts';
import { CURRENCY, standardLine } from './lines.ts';
import { standardBuyer, standardDelivery, standardSeller } from './parties.ts';
import { standardPayment } from './payment.ts';
import { standardTotals } from './totals.ts';

/** What a document promises to follow (BT-24). */
const SPECIFICATIONS: Record<Format, string> = {
  zugferd: 'urn:cen.eu:en16931:2017',
  xrechnung: 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0',
};

export interface Composed {
  readonly invoice: Invoice;
  /** Of each line in its order, with all decimals. */
  readonly prices: readonly string[];
  readonly bill: Bill;
  /** SEPA creditor identifier of a direct debit. */
  readonly creditor: string | null;
}

/** The bill in the library's form: UBL with the names of elements as keys, whatever syntax is written in the end. */
export function composed(bill: Bill, format: Format): Composed {
  const lines = bill.lines.map((line, index) => standardLine(bill, line, index + 1));
  const [first, ...others] = lines.map(({ line }) => line);
  if (first === undefined) throw new Error(`invoice ${bill.number} has no lines`);
  const means = standardPayment(bill, format === 'xrechnung');
  const isDebit = means['cac:PaymentMandate'] !== undefined && bill.payment.by === 'debit';
  const creditor = isDebit ? bill.payment.creditor : null;
  return {
    invoice: {
      'ubl:Invoice': { ...header(bill, format, means, creditor), 'cac:InvoiceLine': [first, ...others] },
    },
    prices: lines.map(({ price }) => price),
    bill,
    creditor,
  };
}

type Ubl = Invoice['ubl:Invoice'];

type Means = NonNullable<Ubl['cac:PaymentMeans']>[number];

function header(bill: Bill, format: Format, means: Means, creditor: string | null) {
  const notes = [...bill.notes, ...(format === 'zugferd' ? furtherPreceding(bill) : [])];
  return {
    'cbc:CustomizationID': SPECIFICATIONS[format],
    'cbc:ID': bill.number,
    'cbc:IssueDate': bill.issuedOn,
    'cbc:DueDate': bill.dueOn,
    'cbc:InvoiceTypeCode': bill.typeCode,
    ...(notes.length === 0 ? {} : { 'cbc:Note': notes }),
    'cbc:DocumentCurrencyCode': CURRENCY,
    'cbc:BuyerReference': bill.routeId ?? bill.buyerReference,
    'cac:InvoicePeriod': { 'cbc:StartDate': bill.period.from, 'cbc:EndDate': addDays(bill.period.until, -1) },
    ...(bill.preceding.length === 0 ? {} : { 'cac:BillingReference': bill.preceding.map(reference) }),
    ...(bill.contract === null ? {} : { 'cac:ContractDocumentReference': { 'cbc:ID': bill.contract } }),
    'cac:AccountingSupplierParty': { 'cac:Party': standardSeller(bill, creditor) },
    'cac:AccountingCustomerParty': { 'cac:Party': standardBuyer(bill) },
    ...(bill.delivery === null ? {} : { 'cac:Delivery': standardDelivery(bill.delivery) }),
    'cac:PaymentMeans': [means],
    'cac:PaymentTerms': { 'cbc:Note': bill.paymentTerms },
    ...standardTotals(bill),
  } satisfies Omit<Ubl, 'cac:InvoiceLine'>;
}

const reference = ({ number, issuedOn }: Bill['preceding'][number]) => ({
  'cac:InvoiceDocumentReference': {
    'cbc:ID': number,
    ...(issuedOn === null ? {} : { 'cbc:IssueDate': issuedOn }),
  },
});

/** CII has room for one document that is corrected: the first. The others are told in words. */
function furtherPreceding({ preceding }: Bill): string[] {
  const [, ...others] = preceding;
  return others.length === 0 ? [] : [`Berichtigt auch: ${others.map(({ number }) => number).join(', ')}`];
}
