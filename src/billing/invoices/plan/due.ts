import { settlesAt } from '../../../contracts/usage/settles-at.ts';
import type { Connection } from '../../../platform/database/db.ts';
import {
  addDays,
  addMonths,
  berlinDayAt,
  type CalendarDay,
  firstOfMonth,
  later,
} from '../../../platform/time/berlin-calendar.ts';
import { findIssuer } from '../../issuers/queries.ts';
import { supplyDaysOf } from '../basis/contracts.ts';
import {
  type IssuedPeriods,
  listBillingTerms,
  listIssuedPeriods,
  listScheduledContracts,
  type PortionBounds,
  type ScheduledContract,
} from '../runs/queries.ts';
import { type BillingPeriod, type BillingTerms, periodsOf } from './periods.ts';

/** A contract with the documents that it should have and has not. */
export interface DueContract {
  readonly id: string;
  readonly customer: string;
  /** The first day that the organization bills, as its periods were counted; null: nobody bills for it yet. */
  readonly billsFrom: CalendarDay | null;
  /** Bills, ascending: each needs those before it. */
  readonly usage: readonly BillingPeriod[];
  readonly prepayments: readonly BillingPeriod[];
}

interface Moment {
  readonly nowMilliseconds: number;
  /** First day of a month: only periods that end in it or with it; null: all. */
  readonly month: CalendarDay | null;
}

/**
 * Those of some contracts that have documents due. What was supplied before the issuer's first month is billed
 * elsewhere.
 */
export async function dueContracts(
  connection: Connection,
  organization: string,
  bounds: PortionBounds,
  moment: Moment,
): Promise<DueContract[]> {
  const billsFrom = (await findIssuer(connection, organization))?.bills_from ?? null;
  const contracts = await listScheduledContracts(connection, organization, bounds);
  const terms = await listBillingTerms(connection, organization, bounds);
  const issued = await listIssuedPeriods(connection, organization, bounds);
  return contracts.flatMap((contract) => {
    const known = { terms: terms.get(contract.id) ?? [], issued: issued.get(contract.id), billsFrom };
    const due = dueOf(contract, known, moment);
    return due.usage.length + due.prepayments.length === 0 ? [] : [due];
  });
}

interface Known {
  readonly terms: readonly BillingTerms[];
  readonly issued: IssuedPeriods | undefined;
  readonly billsFrom: CalendarDay | null;
}

function dueOf(
  { id, customer_id, start_at, end_at }: ScheduledContract,
  { terms, issued, billsFrom }: Known,
  { nowMilliseconds, month }: Moment,
): DueContract {
  const contract = { id, customer: customer_id, billsFrom };
  /* It closes the contract for good. */
  if (issued?.has_exit_summary === true) return { ...contract, usage: [], prepayments: [] };
  const today = berlinDayAt(nowMilliseconds);
  const { first, end } = supplyDaysOf(start_at, end_at);
  const billed = { first: later(first, billsFrom ?? first), end };
  const periods = periodsOf(billed, terms, addDays(today, 1)).filter((period) => isAbout(period, month));
  const known = { usage: new Set(issued?.usage), prepayment: new Set(issued?.prepayment) };
  const missing = periods.filter(({ type, from }) => !known[type].has(from));
  const closed = periods.filter(({ isClosing, until }) => isClosing && until <= today);
  return {
    ...contract,
    usage: missing.filter((period) => period.type === 'usage' && isSettled(period, nowMilliseconds)),
    /* What the closing bill is about to say is not asked for beforehand any more. */
    prepayments: missing.filter(
      ({ type, from }) =>
        type === 'prepayment' &&
        from <= today &&
        !closed.some((closing) => closing.from <= from && from < closing.until),
    ),
  };
}

/** What the last month of a period came to is final. */
function isSettled({ until }: BillingPeriod, nowMilliseconds: number): boolean {
  return nowMilliseconds >= settlesAt(firstOfMonth(addDays(until, -1)));
}

function isAbout({ type, from, until }: BillingPeriod, month: CalendarDay | null): boolean {
  if (month === null) return true;
  const next = addMonths(month, 1);
  return type === 'prepayment' ? month <= from && from < next : month < until && until <= next;
}
