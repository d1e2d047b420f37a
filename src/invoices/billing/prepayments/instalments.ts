import { dayAheadMean } from '../../../day-ahead-means/service.ts';
import type { Connection } from '../../../platform/database/db.ts';
import { Exact } from '../../../platform/money.ts';
import {
  addDays,
  addMonths,
  berlinDayOf,
  berlinDays,
  type CalendarDay,
} from '../../../platform/time/berlin-calendar.ts';
import { MissingReferenceError, referenceSet } from '../../../tariffs/service.ts';
import type { BilledContract } from '../../lines/contract.ts';
import { instalmentOf } from '../../lines/prepayment.ts';
import { BillingRefused } from '../../refusal.ts';
import { References } from '../references.ts';
import type { ReadyDocument } from '../wanted.ts';
import { insertFollowingTerms } from './terms-queries.ts';

/** What a contract pays a month by the prices of a day, EUR with VAT; or why that cannot be said. */
export async function instalmentOn(
  connection: Connection,
  contract: BilledContract,
  on: CalendarDay,
): Promise<string | BillingRefused> {
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
 * not begun. Where prices for it are missing, the old instalment goes on. What the back office entered from the bill's end on
 * stays, and a contract that went back to monthly bills gets none.
 */
export async function followingInstalments(
  connection: Connection,
  organization: string,
  ready: readonly ReadyDocument[],
  now: string,
): Promise<void> {
  const today = berlinDayOf(now);
  for (const { asked, document } of ready) {
    const { contract, period } = asked;
    if (!period.isClosing || period.isFinal || document.usageKwh === null) continue;
    const estimatedUsage = kwhOfYear(document.usageKwh, period);
    const instalment = await instalmentOn(connection, { ...contract, estimatedUsage }, today);
    if (instalment instanceof BillingRefused || new Exact(instalment).isZero()) continue;
    const valid_from = firstMonthBehind(period.until, today);
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
