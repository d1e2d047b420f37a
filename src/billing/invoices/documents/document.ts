import type { CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { DocumentFacts } from '../calculate/fact-types.ts';
import type { InvoiceLine, InvoiceSums } from '../calculate/types.ts';
import type { InvoiceType } from '../schema.ts';

/** Another document of the contract that this one is about. */
export interface ReferredDocument {
  readonly invoiceNumber: string;
  readonly issuedOn: CalendarDay;
}

/**
 * An issued document as it is read back, with all that is drawn of it. The same one is drawn the same, whenever that is. Whether
 * there is a file, and the account, may change: neither is drawn.
 */
export interface InvoiceDocument {
  readonly id: string;
  readonly type: InvoiceType;
  readonly invoiceNumber: string;
  readonly from: CalendarDay;
  /** Exclusive. */
  readonly until: CalendarDay;
  readonly usageKwh: string | null;
  readonly lines: readonly InvoiceLine[];
  readonly sums: InvoiceSums;
  readonly isEstimated: boolean;
  /** It covers the end of supply. */
  readonly isFinal: boolean;
  readonly dueOn: CalendarDay;
  /** UTC, as the wire has it. */
  readonly issuedAt: string;
  /** The one that it reverses. */
  readonly voids: ReferredDocument | null;
  /** The one that was reversed for it. */
  readonly corrects: ReferredDocument | null;
  readonly facts: DocumentFacts;
  readonly customer: string;
  /** Its PDF is stored. */
  readonly hasFile: boolean;
  /** Whole IBAN of the mandate; null once it is gone. */
  readonly account: string | null;
}
