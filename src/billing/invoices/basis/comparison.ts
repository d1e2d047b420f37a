import { Exact, roundHalfUp } from '../../../platform/money.ts';
import { addMonths, berlinDays } from '../../../platform/time/berlin-calendar.ts';
import type { MonthUsage } from '../calculate/fact-types.ts';

/** kWh of some days of a month. */
export interface KnownMonth {
  /** `2026-11` */
  readonly month: string;
  readonly kwh: string;
  /** How many of its days are known. */
  readonly days: number;
}

const MONTHS_SHOWN = 12;
const KWH_DECIMALS = 2;

/**
 * The twelve months that end with one, beside the same months a year before. A month counts where all of its days are
 * known: half a month beside a whole one would say that somebody saved. Of two figures of a month the first counts.
 */
export function comparedMonths(known: readonly KnownMonth[], lastMonth: string): MonthUsage[] {
  const complete = new Map<string, string>();
  for (const { month, kwh, days } of known) {
    if (days < daysOf(month) || complete.has(month)) continue;
    complete.set(month, roundHalfUp(kwh, KWH_DECIMALS).toFixed());
  }
  return Array.from({ length: MONTHS_SHOWN }, (_, index) => {
    const month = monthBefore(lastMonth, MONTHS_SHOWN - 1 - index);
    return {
      month,
      kwh: complete.get(month) ?? null,
      previousYearKwh: complete.get(monthBefore(month, MONTHS_SHOWN)) ?? null,
    };
  });
}

/** Of all twelve; null where one is not known. */
export function kwhOfYear(months: readonly MonthUsage[]): string | null {
  const known = months.flatMap(({ kwh }) => (kwh === null ? [] : [kwh]));
  if (known.length < MONTHS_SHOWN) return null;
  return known.reduce((sum, kwh) => sum.plus(kwh), new Exact(0)).toFixed();
}

/** `2026-01` and 1: `2025-12`. */
function monthBefore(month: string, count: number): string {
  return addMonths(`${month}-01`, -count).slice(0, 7);
}

function daysOf(month: string): number {
  const first = `${month}-01`;
  return berlinDays(first, addMonths(first, 1)).length;
}
