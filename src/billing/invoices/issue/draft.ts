import type { CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { InvoiceLine, InvoiceSums } from '../calculate/types.ts';
import type { DocumentFacts } from '../documents/fact-types.ts';
import type { InvoiceType } from '../schema.ts';

/** A document before it has an id and numbers. Void documents are made by `voidInvoice` alone. */
export interface DraftInvoice {
  readonly type: Exclude<InvoiceType, 'void'>;
  readonly subscription: string;
  readonly customer: string;
  /** Days in Berlin; the end is no longer part of it. */
  readonly period: { readonly from: CalendarDay; readonly until: CalendarDay };
  readonly periodNumber: number;
  /** kWh, of usage documents alone. */
  readonly usageKwh: string | null;
  readonly lines: readonly InvoiceLine[];
  readonly sums: InvoiceSums;
  readonly isEstimated: boolean;
  /** It covers the end of supply. */
  readonly isFinal: boolean;
  readonly dueOn: CalendarDay;
  /** What the document says beside its figures, frozen. */
  readonly facts: DocumentFacts;
  /** The billing run that makes it. */
  readonly run: string | null;
}
