import type { Decimal } from 'decimal.js';
import { roundHalfUp } from '../../platform/money.ts';
import { type CalendarDay, earlier } from '../../platform/time/berlin-calendar.ts';
import type { ShareOf } from '../../tariffs/expected-usage/service.ts';
import { kwhOf, type Reading, type ReadingStretch, readingsThatCount, stretchesOf } from './analog.ts';
import { Energy } from './energy.ts';

/** What energy follows from: two readings, two of which an operator estimated at least one, or the estimated usage. */
type RegisterBasis = 'readings' | 'estimated_reading' | 'expected_usage';

/** What the register of an analog meter counted on some days. */
export interface RegisterEnergy {
  readonly kwh: Decimal;
  readonly byBasis: ReadonlyMap<RegisterBasis, Decimal>;
  /** The first day of which nobody knows what it used: a meter that ran backwards, or a month that is not over. Null: none. */
  readonly unknownOn: CalendarDay | null;
}

/** What the register showed when a day began. */
export interface RegisterValue {
  /** kWh as decimal text. */
  readonly value: string;
  /** Who read it; `interpolated`: it was calculated from other readings, or from the estimated usage. */
  readonly obtained: Reading['type'] | 'interpolated';
}

export interface RegisterUse {
  /** Of days between `first` and `end`. */
  energyOf(from: CalendarDay, until: CalendarDay): RegisterEnergy;
  /** Null: nothing was ever read that it could be calculated from. */
  valueOn(day: CalendarDay): RegisterValue | null;
}

interface RegisterDays {
  /** All readings of this register. */
  rows: Parameters<typeof readingsThatCount>[0];
  /** Days that are asked for, supplied, and counted by this register; the second one exclusive. */
  first: CalendarDay;
  end: CalendarDay;
  suppliedFrom: CalendarDay;
  estimatedUntil: CalendarDay;
  /** kWh a year, as decimal text. */
  estimatedUsage: string;
  shareOf: ShareOf;
}

const VALUE_FRACTION_DIGITS = 4;

/** The same figures as the usage of the contract has, for any days of a register. */
export function registerUse(registerDays: RegisterDays): RegisterUse {
  const { estimatedUsage, shareOf } = registerDays;
  const readings = readingsThatCount(registerDays.rows);
  const stretches = stretchesOf({ ...registerDays, readings });
  return {
    energyOf: (from, until) => {
      let kwh = new Energy(0);
      const byBasis = new Map<RegisterBasis, Decimal>();
      let known = from;
      for (const stretch of stretches) {
        if (stretch.until <= known) continue;
        if (stretch.from > known || known >= until) break;
        const end = earlier(stretch.until, until);
        const used = kwhOf(stretch, { from: known, until: end }, estimatedUsage, shareOf);
        kwh = kwh.plus(used);
        const basis = basisOf(stretch);
        byBasis.set(basis, used.plus(byBasis.get(basis) ?? 0));
        known = end;
      }
      return { kwh, byBasis, unknownOn: known < until ? known : null };
    },
    valueOn: (day) => valueOn(readings, registerDays, day),
  };
}

function basisOf({ kwh, isFinal }: ReadingStretch): RegisterBasis {
  if (kwh === null) return 'expected_usage';
  return isFinal ? 'readings' : 'estimated_reading';
}

function valueOn(
  readings: readonly Reading[],
  { suppliedFrom, estimatedUsage, shareOf }: RegisterDays,
  day: CalendarDay,
): RegisterValue | null {
  const read = readings.find(({ read_on }) => read_on === day);
  if (read !== undefined) return { value: read.value, obtained: read.type };
  const before = readings.findLast(({ read_on }) => read_on < day);
  const behind = readings.find(({ read_on }) => read_on > day);
  const estimated = (from: CalendarDay, until: CalendarDay) => shareOf(from, until).times(estimatedUsage);
  let value: Decimal | null = null;
  if (before !== undefined && behind !== undefined) {
    const used = new Energy(behind.value).minus(before.value);
    const share = shareOf(before.read_on, day).dividedBy(shareOf(before.read_on, behind.read_on));
    if (!used.isNegative()) value = used.times(share).plus(before.value);
  } else if (before !== undefined && before.read_on >= suppliedFrom) {
    value = estimated(before.read_on, day).plus(before.value);
  } else if (behind !== undefined && day >= suppliedFrom) {
    value = new Energy(behind.value).minus(estimated(day, behind.read_on));
  }
  if (value === null || value.isNegative()) return null;
  return { value: roundHalfUp(value, VALUE_FRACTION_DIGITS).toFixed(), obtained: 'interpolated' };
}
