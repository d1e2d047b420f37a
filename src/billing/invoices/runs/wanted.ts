import type { CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { BilledContract } from '../calculate/contract.ts';
import type { PeriodEnergy } from '../calculate/energy.ts';
import type { Draft } from '../calculate/types.ts';
import type { DraftInvoice } from '../issue/draft.ts';
import { type BillingPeriod, deadlineOf } from '../plan/periods.ts';
import type { BillingRefused } from '../refusal.ts';
import type { RefusedDocument } from './refusal-queries.ts';

/** A document that is due. */
export interface WantedDocument {
  readonly id: string;
  readonly customer: string;
  readonly period: BillingPeriod;
  /** From which day on the periods of its contract were counted; null: nobody billed for the organization then. */
  readonly billsFrom: CalendarDay | null;
}

export interface AskedDocument extends WantedDocument {
  readonly contract: BilledContract;
}

export interface NextInstalment {
  /** First day of the month that it is for. */
  readonly from: CalendarDay;
  /** EUR a month, with VAT. */
  readonly amount: string;
  /** It follows from the bill; nobody has entered it yet. */
  readonly isNew: boolean;
}

/** A document that only lacks its number. */
export interface ReadyDocument {
  readonly asked: AskedDocument;
  readonly draft: Draft;
  readonly energy: PeriodEnergy | null;
  readonly nextInstalment: NextInstalment | null;
  readonly document: Omit<DraftInvoice, 'run'>;
}

export const nameOf = ({ id, period }: WantedDocument) => ({ type: period.type, subscription: id, period });

export function refusedOf(
  { id, customer, period }: WantedDocument,
  refusal: Pick<BillingRefused, 'code' | 'detail'>,
): RefusedDocument {
  const deadline = deadlineOf(period);
  return { type: period.type, subscription: id, customer, period, deadline, refusal };
}
