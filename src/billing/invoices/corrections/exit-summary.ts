import type { Clock } from '../../../platform/clock.ts';
import type { Connection } from '../../../platform/database/db.ts';
import { addDays, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import { dueOnOf, issuerOf } from '../basis/due-on.ts';
import type { BilledContract } from '../calculate/contract.ts';
import { exitSummaryDraft } from '../calculate/corrections.ts';
import type { Piece } from '../calculate/pieces.ts';
import type { InvoiceSums, RateSum } from '../calculate/types.ts';
import { factsFor, factsOf } from '../documents/facts.ts';
import { issueInvoices } from '../issue/issue.ts';
import { BillingRefused } from '../refusal.ts';
import type { HeldBill } from './correction-queries.ts';

/** Values that come in after the end are waited for as long as the final bill may take (§40c(2) EnWG). */
const DAYS_BEHIND_END = 42;

/** Null: the contract may be closed. */
export function isExitDue({ supply }: BilledContract, today: CalendarDay): BillingRefused | null {
  const from = supply.end === null ? null : addDays(supply.end, DAYS_BEHIND_END);
  if (from !== null && from <= today) return null;
  const detail = `The exit summary waits for values that may still come in, until ${from ?? 'supply ends'}.`;
  return new BillingRefused('too_early', detail);
}

interface ClosedContract {
  readonly contract: BilledContract;
  readonly bills: readonly HeldBill[];
  /** Bills whose cents are others now. */
  readonly corrected: readonly { readonly bill: HeldBill; readonly sums: Pick<InvoiceSums, 'taxes'> }[];
  readonly pieces: readonly Piece[];
  readonly run: string | null;
  readonly clock: Clock;
}

/** The last document of a contract, from the first corrected day to the end of supply. Returns its number. */
export async function issueExitSummary(
  connection: Connection,
  organization: string,
  { contract, bills, corrected, pieces, run, clock }: ClosedContract,
): Promise<string | BillingRefused> {
  const issuer = await issuerOf(connection, organization);
  if (issuer instanceof BillingRefused) return issuer;
  const now = clock.now().toISOString();
  const draft = exitSummaryDraft(
    corrected.map(({ bill, sums }) => ({
      ...{ from: bill.from, until: bill.until, invoiceNumber: bill.invoice_number },
      ...{ invoiced: { taxes: bill.taxes as RateSum[] }, recomputed: sums },
    })),
  );
  const [first] = corrected;
  const end = contract.supply.end;
  if (first === undefined || end === null) throw new Error(`There is nothing to settle for ${contract.id}`);
  const period = { from: first.bill.from, until: end };
  const facts = await factsOf(connection, organization, [{ contract, period, pieces, energy: null }], now);
  const number = Math.max(...bills.map(({ period_number }) => period_number)) + 1;
  const [issued] = await issueInvoices(
    connection,
    organization,
    [
      {
        ...{ type: 'exit_summary', subscription: contract.id, customer: contract.customer, period },
        ...{ periodNumber: number, usageKwh: null, lines: draft.lines, sums: draft.sums },
        ...{ isEstimated: false, isFinal: true, dueOn: dueOnOf(draft, issuer, now) },
        ...{ facts: factsFor(facts, contract.id), run },
      },
    ],
    clock,
  );
  if (issued?.outcome === 'refused') return issued.refusal;
  if (issued?.outcome !== 'issued') throw new Error(`The exit summary of ${contract.id} was not issued`);
  return issued.invoiceNumber;
}
