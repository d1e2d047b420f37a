import type { Connection } from '../../../platform/database/db.ts';
import { Exact } from '../../../platform/money.ts';
import {
  addDays,
  addMonths,
  berlinDayOf,
  berlinDays,
  type CalendarDay,
} from '../../../platform/time/berlin-calendar.ts';
import { dayAheadMean } from '../../../tariffs/day-ahead-means/service.ts';
import { MissingReferenceError, referenceSet } from '../../../tariffs/reference-data/service.ts';
import { References } from '../basis/references.ts';
import type { BilledContract } from '../calculate/contract.ts';
import type { BillingBasis, NextInstalment } from '../calculate/draft.ts';
import { type Instalment, instalmentOf } from '../calculate/prepayment.ts';
import { BillingRefused } from '../refusal.ts';
import { findClosedBehind, findTermsOn, insertFollowingTerms } from './queries.ts';

/** Monthly payment of a contract by the prices of a day, or why that cannot be said. Whoever stores it keeps its rows. */
export async function instalmentOn(
  connection: Connection,
  contract: BilledContract,
  on: CalendarDay,
): Promise<Instalment | BillingRefused> {
  const period = { from: on, until: addDays(on, 1) };
  try {
    const referenceOf = await new References().read(connection, contract, period);
    const mean = await dayAheadMean(connection, on, await referenceSet(connection, on, null));
    return instalmentOf(contract, on, referenceOf, mean);
  } catch (error) {
    if (error instanceof BillingRefused) return error;
    if (error instanceof MissingReferenceError)
      return new BillingRefused('missing_reference', `${error.message}.`);
    throw error;
  }
}

/**
 * Behind a bill that closes a year, instalments follow what was used in it (§41b(3) EnWG), from the first month on that has
 * not begun. Where prices for it are missing, or a bill stands that closes a later year, the old instalment goes on. What the
 * back office entered from the bill's end on stays; what followed from an earlier bill about the same days does not. Null: nothing
 * is paid in advance any more.
 */
export async function nextInstalmentOf(
  connection: Connection,
  organization: string,
  { contract, period, usage }: Pick<BillingBasis, 'contract' | 'period' | 'usage'>,
  now: string,
): Promise<NextInstalment | null> {
  if (!period.isClosing || period.isFinal || usage === null) return null;
  const today = berlinDayOf(now);
  const from = firstMonthBehind(period.until, today);
  const { end } = contract.supply;
  if (end !== null && end < addMonths(from, 1)) return null;
  const terms = await findTermsOn(connection, organization, contract.id, from);
  if (terms === undefined || terms.mode !== 'advance') return null;
  const { valid_from, basis, instalment } = terms;
  const isFollowing = basis === 'closing_bill';
  const isNewest = !(await findClosedBehind(connection, organization, contract.id, period.until));
  if (isNewest && (valid_from < period.until || isFollowing)) {
    const estimatedUsage = kwhOfYear(usage.energy.kwh, period);
    const computed = await instalmentOn(connection, { ...contract, estimatedUsage }, today);
    if (!(computed instanceof BillingRefused || new Exact(computed.amount).isZero())) {
      const isNew = !(isFollowing && new Exact(computed.amount).equals(instalment ?? 0));
      return { from, ...computed, isNew };
    }
  }
  return instalment === null
    ? null
    : { from, amount: new Exact(instalment).toFixed(2), rows: [], isNew: false };
}

/** Enters what follows from bills that were issued. */
export async function followingInstalments(
  connection: Connection,
  organization: string,
  bases: readonly BillingBasis[],
  now: string,
): Promise<void> {
  for (const { contract, period, nextInstalment } of bases) {
    if (nextInstalment === null || !nextInstalment.isNew) continue;
    const { from: valid_from, amount: instalment } = nextInstalment;
    const terms = { closedUntil: period.until, valid_from, instalment };
    await insertFollowingTerms(connection, organization, contract, terms, now);
  }
}

const DAYS_OF_YEAR = 365;

function kwhOfYear(kwh: string, { from, until }: { from: CalendarDay; until: CalendarDay }): string {
  return new Exact(kwh).times(DAYS_OF_YEAR).dividedBy(berlinDays(from, until).length).toFixed(0);
}

/** Months of advance payment begin on the day on which the year did. */
function firstMonthBehind(begin: CalendarDay, today: CalendarDay): CalendarDay {
  for (let months = 0; ; months += 1) {
    const first = addMonths(begin, months);
    if (first > today) return first;
  }
}
