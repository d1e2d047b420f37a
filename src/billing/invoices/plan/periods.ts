import {
  addDays,
  addMonths,
  berlinDayOf,
  type CalendarDay,
  earlier,
  firstOfMonthFrom,
  later,
} from '../../../platform/time/berlin-calendar.ts';

/*
 * Which documents a contract gets for which days. Pure: it follows from the days of supply, from how the contract is billed,
 * and from prepayments that are there already, so that each run finds the same periods with the same numbers.
 */

/** `none`: another system bills these days. */
export type BillingMode = 'monthly' | 'advance' | 'none';

/** How a contract is billed from a day on. Before the first row: monthly. */
export interface BillingTerms {
  readonly validFrom: CalendarDay;
  readonly mode: BillingMode;
  /** EUR a month with VAT, with advance payment; null with any other mode. */
  readonly instalment: string | null;
}

/** Days of supply; `end` is exclusive, and null while no end is known. */
export interface SupplyDays {
  readonly first: CalendarDay;
  readonly end: CalendarDay | null;
}

export function supplyDaysOf(start: string, end: string | null): SupplyDays {
  return { first: berlinDayOf(start), end: end === null ? null : berlinDayOf(end) };
}

export interface BillingPeriod {
  readonly type: 'usage' | 'prepayment';
  /** Counts the periods of the contract in the order in which they end; a prepayment has one of its own. */
  readonly number: number;
  readonly from: CalendarDay;
  /** Exclusive. */
  readonly until: CalendarDay;
  /** Of a prepayment; null of a bill. */
  readonly instalment: string | null;
  /** Supply ends with it. */
  readonly isFinal: boolean;
  /** It closes months of advance payment. */
  readonly isClosing: boolean;
}

/** So long documents are kept, from the end of the year of their issue (section 147(3) AO, section 14b(1) UStG). */
export const YEARS_KEPT = 8;

/** At most one year (§40b(1) EnWG), so that prepayments are settled after so many months. */
const MONTHS_OF_ADVANCE = 12;

/** §40c(1), (2) EnWG: three weeks after a month, six weeks after any other period and after the end of supply. */
const MONTHLY_DAYS = 21;
const OTHER_DAYS = 42;

/** The first day on which the bill is late; null of a prepayment, for which the law knows no such day. */
export function deadlineOf({ type, until, isFinal, isClosing }: BillingPeriod): CalendarDay | null {
  if (type === 'prepayment') return null;
  return addDays(until, isFinal || isClosing ? OTHER_DAYS : MONTHLY_DAYS);
}

/**
 * The periods of a contract that have begun before a day, ascending by the day on which they end; of those that end
 * together the prepayment comes first. `prepaid`: first days of months for which a prepayment was issued.
 */
export function periodsOf(
  supply: SupplyDays,
  terms: readonly BillingTerms[],
  horizon: CalendarDay,
  prepaid: readonly CalendarDay[] = [],
): BillingPeriod[] {
  const periods: Omit<BillingPeriod, 'number'>[] = [];
  for (const segment of segmentsOf(supply, terms)) {
    if (segment.mode === 'monthly') periods.push(...monthsOf(segment, supply, horizon));
    if (segment.mode === 'advance') periods.push(...advancesOf(segment, { supply, horizon, prepaid }));
  }
  return periods.map((period, index) => ({ ...period, number: index + 1 }));
}

interface Segment {
  readonly mode: BillingMode;
  readonly from: CalendarDay;
  /** Null: open. */
  readonly until: CalendarDay | null;
  /** With advance payment: what holds from which day on. */
  readonly terms: readonly BillingTerms[];
}

/** Days with the same mode, cut at both ends of supply. Another instalment changes nothing about periods. */
function segmentsOf(supply: SupplyDays, terms: readonly BillingTerms[]): Segment[] {
  const first: BillingTerms = { validFrom: supply.first, mode: 'monthly', instalment: null };
  const rows = [first, ...terms].map((row) => ({ ...row, validFrom: later(row.validFrom, supply.first) }));
  const segments: Segment[] = [];
  for (const row of rows) {
    const last = segments.at(-1);
    if (last?.mode === row.mode) segments[segments.length - 1] = { ...last, terms: [...last.terms, row] };
    else {
      if (last !== undefined) segments[segments.length - 1] = { ...last, until: row.validFrom };
      segments.push({ mode: row.mode, from: row.validFrom, until: null, terms: [row] });
    }
  }
  return segments.flatMap((segment) => {
    const until = earliest(segment.until, supply.end);
    return until !== null && segment.from >= until ? [] : [{ ...segment, until }];
  });
}

function earliest(first: CalendarDay | null, second: CalendarDay | null): CalendarDay | null {
  if (first === null) return second;
  return second === null ? first : earlier(first, second);
}

function monthsOf({ from, until }: Segment, supply: SupplyDays, horizon: CalendarDay) {
  const periods: Omit<BillingPeriod, 'number'>[] = [];
  for (let begin = from; begin < horizon && (until === null || begin < until); ) {
    const next = firstOfMonthFrom(addDays(begin, 1));
    const end = earliest(next, until) ?? next;
    periods.push({
      ...{ type: 'usage', from: begin, until: end, instalment: null },
      ...{ isFinal: end === supply.end, isClosing: false },
    });
    begin = end;
  }
  return periods;
}

/**
 * Years of advance payment, each with its prepayments and the bill that closes it. A month that is not supplied to its end
 * is not prepaid: the closing bill has it. Where it was prepaid before the end was known, it keeps its number.
 */
function advancesOf(
  segment: Segment,
  { supply, horizon, prepaid }: { supply: SupplyDays; horizon: CalendarDay; prepaid: readonly CalendarDay[] },
) {
  const periods: Omit<BillingPeriod, 'number'>[] = [];
  const { until } = segment;
  for (let begin = segment.from; begin < horizon && (until === null || begin < until); ) {
    const next = addMonths(begin, MONTHS_OF_ADVANCE);
    const end = earliest(next, until) ?? next;
    for (let month = 0; month < MONTHS_OF_ADVANCE; month += 1) {
      const [from, to] = [addMonths(begin, month), addMonths(begin, month + 1)];
      if (from >= end || from >= horizon || (to > end && !prepaid.includes(from))) break;
      const instalment = instalmentOn(segment.terms, from);
      const common = { type: 'prepayment' as const, from, until: to, instalment };
      if (instalment !== null) periods.push({ ...common, isFinal: false, isClosing: false });
    }
    /* Its number comes behind those of its prepayments: nobody knows it before the last of them has begun. */
    if (end <= horizon) {
      periods.push({
        ...{ type: 'usage', from: begin, until: end, instalment: null },
        ...{ isFinal: end === supply.end, isClosing: true },
      });
    }
    begin = end;
  }
  return periods;
}

function instalmentOn(terms: readonly BillingTerms[], day: CalendarDay): string | null {
  return (terms.findLast(({ validFrom }) => validFrom <= day) ?? terms[0])?.instalment ?? null;
}
