import type { Clock } from '../../../platform/clock.ts';
import type { Connection } from '../../../platform/database/db.ts';
import { addDays, berlinDayOf, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import { factsFor, factsOf } from '../basis/facts.ts';
import { issuerOf } from '../basis/issuer.ts';
import type { BilledContract } from '../calculate/contract.ts';
import { draftExitSummary } from '../calculate/draft.ts';
import { issueInvoice } from '../issue/issue.ts';
import { DAYS_BEHIND_END } from '../queries.ts';
import { BillingRefused } from '../refusal.ts';
import type { HeldBill } from './queries.ts';
import type { RecalculatedBill } from './recalculate.ts';

/** First day on which the contract may be closed; null: its end is not known. */
export function exitFrom({ supply }: BilledContract): CalendarDay | null {
  return supply.end === null ? null : addDays(supply.end, DAYS_BEHIND_END);
}

/** Null: the contract may be closed. */
export function isExitDue(contract: BilledContract, today: CalendarDay): BillingRefused | null {
  const from = exitFrom(contract);
  if (from !== null && from <= today) return null;
  const detail = `The exit summary waits for values that may still come in, until ${from ?? 'supply ends'}.`;
  return new BillingRefused('too_early', detail);
}

interface ClosedContract {
  readonly contract: BilledContract;
  readonly bills: readonly HeldBill[];
  /** Bills whose cents are others now. */
  readonly corrected: readonly RecalculatedBill[];
  readonly run: string | null;
  readonly clock: Clock;
}

/** The last document of a contract, from the first corrected day to the end of supply. Returns its number. */
export async function issueExitSummary(
  connection: Connection,
  organization: string,
  { contract, bills, corrected, run, clock }: ClosedContract,
): Promise<string | BillingRefused> {
  const issuer = await issuerOf(connection, organization);
  if (issuer instanceof BillingRefused) return issuer;
  const now = clock.now().toISOString();
  const [first] = corrected;
  const end = contract.supply.end;
  if (first === undefined || end === null) throw new Error(`There is nothing to settle for ${contract.id}`);
  const period = { from: first.bill.from, until: end };
  const pieces = corrected.at(-1)?.basis.pieces ?? [];
  const facts = await factsOf(connection, organization, [{ contract, period, pieces, usage: null }], now);
  const draft = draftExitSummary(
    { contract, period, periodNumber: Math.max(...bills.map(({ period_number }) => period_number)) + 1 },
    corrected.map(({ bill, charges }) => ({
      ...{ from: bill.from, until: bill.until, invoiceNumber: bill.invoice_number },
      ...{ invoiced: { taxes: bill.taxes }, recomputed: charges.sums },
      figures: charges.lines.flatMap(({ figures }) => figures),
    })),
    {
      ...{ facts: factsFor(facts, contract.id), run },
      ...{ dueDays: issuer.due_days, issuedOn: berlinDayOf(now) },
    },
  );
  const invoice = await issueInvoice(connection, organization, draft, clock);
  return invoice instanceof BillingRefused ? invoice : invoice.invoice_number;
}
