import type { CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { InvoiceLine, InvoiceSums } from '../calculate/types.ts';

/*
 * A bill in the terms of the European standard EN 16931: who sells to whom, lines, sums, how it is paid. Amounts are EUR as
 * decimal texts, positive where the buyer owes the seller. BT and BG are the numbers of the standard's terms.
 */

/** ZUGFeRD goes into the PDF of the bill; XRechnung stands alone, for buyers that ask for it. */
export type Format = 'zugferd' | 'xrechnung';

/** UNTDID 1001, BT-3. A document that reverses or corrects another one names it (BG-3). */
export type TypeCode = '380' | '384' | '386' | '389';

/** UNTDID 5305, BT-151: standard rate, exempt with a reason, zero rate. */
export type TaxCategory = 'S' | 'E' | 'Z';

export interface Party {
  readonly name: string;
  readonly street: string;
  readonly zip: string;
  readonly city: string;
  /** ISO 3166-1, two letters. */
  readonly country: string;
  readonly email: string | null;
  readonly phone: string | null;
  /** The person or department to turn to. */
  readonly contact: string | null;
  readonly vatId: string | null;
  /** The other side's number for it (BT-29), or its number in the register of companies (BT-30). */
  readonly id: string | null;
  readonly registration: string | null;
  /** Number given by the tax office; counts where there is no VAT id. */
  readonly taxNumber: string | null;
  /** Court and number of the register, managers: what a letter of a company has to say. */
  readonly legal: string | null;
}

/** A buyer as the standard knows him: without a number of the tax office and what letters of a company have to say. */
export const asBuyer = (party: Party): Party => ({ ...party, taxNumber: null, legal: null });

export interface DeliveryPlace {
  /** Market location, 11 digits. */
  readonly location: string | null;
  readonly street: string;
  readonly zip: string;
  readonly city: string;
  readonly country: string;
}

/** A line of the bill with the words for what is charged. */
export interface BilledLine
  extends Pick<InvoiceLine, 'from' | 'until' | 'quantity' | 'unit' | 'unitPrice' | 'net' | 'vatRate'> {
  readonly name: string;
}

/** `account` is the whole IBAN that is debited or paid to, null where only a part of it may be shown or it is gone. */
export type Payment =
  | {
      readonly by: 'debit';
      readonly mandate: string;
      readonly creditor: string;
      readonly account: string | null;
    }
  | { readonly by: 'transfer'; readonly account: string | null; readonly holder: string }
  | { readonly by: 'settlement' };

export interface Bill {
  readonly number: string;
  readonly typeCode: TypeCode;
  readonly issuedOn: CalendarDay;
  readonly dueOn: CalendarDay;
  readonly period: { readonly from: CalendarDay; readonly until: CalendarDay };
  /** It takes another document back: its quantities are negative. */
  readonly isReversal: boolean;
  readonly preceding: readonly { readonly number: string; readonly issuedOn: CalendarDay | null }[];
  readonly contract: string | null;
  /** BT-10. */
  readonly buyerReference: string;
  /** Leitweg-ID of a public buyer: the address of its electronic mailbox. */
  readonly routeId: string | null;
  readonly seller: Party;
  readonly buyer: Party;
  readonly delivery: DeliveryPlace | null;
  readonly payment: Payment;
  /** BT-20. */
  readonly paymentTerms: string;
  readonly lines: readonly BilledLine[];
  readonly sums: InvoiceSums;
  /** Why lines without VAT have none (BT-120); null where no VAT is a rate of zero. */
  readonly exemption: string | null;
  readonly notes: readonly string[];
}
