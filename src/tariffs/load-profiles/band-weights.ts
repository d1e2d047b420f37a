import type { Decimal } from 'decimal.js';
import { Exact } from '../../platform/money.ts';
import {
  CHANGED_QUARTER_HOURS,
  calendarOf,
  correction,
  type DayOfYear,
  HOURS,
  type Profile,
} from './profile-calendar.ts';

/*
 * Time-variable grid fees (§14a EnWG module 3) have three prices by the clock, in some quarters of the year. A quote has
 * one price, so it needs to know how much a household that shifts nothing uses at which of them.
 */

const BANDS = ['low', 'standard', 'high'] as const;
type Band = (typeof BANDS)[number];

const QUARTERS = [1, 2, 3, 4];
const QUARTER_HOURS = 96;
const MINUTES = 15;
const MONTHS_OF_QUARTER = 3;
const DECIMALS = 4;
/** Steps of the last decimal that add up to 1. */
const STEPS = 10 ** DECIMALS;

export interface BandSchedule {
  /** The quarters of the year in which low and high are billed, 1 to 4. */
  readonly quarters: readonly number[];
  /** The band of the quarter hour that begins so many minutes after midnight on the wall clock, in those quarters. */
  readonly bandAt: (minuteOfDay: number) => Band;
}

/** Decimal texts with 4 decimals. */
export interface BandWeights {
  /** Shares of what is used in the active quarters; together exactly 1. */
  readonly weights: Readonly<Record<Band, string>>;
  /** Days in active quarters of all days of the year. */
  readonly shareOfYear: string;
}

/** What a year looks like to a schedule. */
interface YearTable {
  /** By quarter of the year and quarter hour of the wall clock. */
  readonly energies: readonly (readonly Decimal[])[];
  /** By quarter of the year. */
  readonly days: readonly number[];
}

/* The table of a profile is made once: 40 schedules are then 40 sums of 96 figures. */
const known = new WeakMap<Profile, Map<string, YearTable>>();

/** How a calendar year of the profile, H25 for households, falls into the bands of a schedule. */
export function bandWeights(profile: Profile, year: string, schedule: BandSchedule): BandWeights {
  const { energies, days } = tableOf(profile, year);
  const isActive = (quarter: number) => schedule.quarters.includes(quarter);
  const active = QUARTERS.filter(isActive);
  if (active.length === 0) throw new RangeError('A schedule needs at least one of the quarters 1 to 4');
  const ofBand = { low: new Exact(0), standard: new Exact(0), high: new Exact(0) };
  for (let quarterHour = 0; quarterHour < QUARTER_HOURS; quarterHour += 1) {
    const band = schedule.bandAt(quarterHour * MINUTES);
    for (const quarter of active) ofBand[band] = ofBand[band].plus(energies[quarter - 1]?.[quarterHour] ?? 0);
  }
  const activeDays = active.reduce((sum, quarter) => sum + (days[quarter - 1] ?? 0), 0);
  const allDays = days.reduce((sum, count) => sum + count, 0);
  const shareOfYear = new Exact(activeDays).dividedBy(allDays).toFixed(DECIMALS);
  return { weights: sharesOf(ofBand), shareOfYear };
}

/**
 * The largest remainder: each share is cut to 4 decimals, and the steps that are then missing to 1 go to those that lost
 * most. Of equal ones the first gets it.
 */
function sharesOf(ofBand: Readonly<Record<Band, Decimal>>): Record<Band, string> {
  const total = ofBand.low.plus(ofBand.standard).plus(ofBand.high);
  const shares = BANDS.map((band) => {
    const exact = ofBand[band].dividedBy(total).times(STEPS);
    return { band, steps: exact.floor(), lost: exact.minus(exact.floor()) };
  });
  const missing = STEPS - shares.reduce((sum, { steps }) => sum + steps.toNumber(), 0);
  const losers = [...shares].sort((a, b) => b.lost.comparedTo(a.lost)).slice(0, missing);
  const textOf = (band: Band) => {
    const steps = shares.find((share) => share.band === band)?.steps ?? new Exact(0);
    return steps
      .plus(losers.some((share) => share.band === band) ? 1 : 0)
      .dividedBy(STEPS)
      .toFixed(DECIMALS);
  };
  return { low: textOf('low'), standard: textOf('standard'), high: textOf('high') };
}

function tableOf(profile: Profile, year: string): YearTable {
  const ofYear = known.get(profile) ?? new Map<string, YearTable>();
  known.set(profile, ofYear);
  const table = ofYear.get(year) ?? yearTable(profile, year);
  ofYear.set(year, table);
  return table;
}

/** How often a profile's day is used in a year, each time with the correction of the day. */
interface UsesOfDay {
  readonly like: DayOfYear;
  /** Of a day of 24 hours. */
  whole: Decimal;
  /** On top of it for the hour between 2:00 and 3:00: negative where it is missing, positive where it comes twice. */
  changed: Decimal;
}

/* Days of the same month and kind have the same 96 values: 36 of them are added up in place of 365. */
function yearTable(profile: Profile, year: string): YearTable {
  const uses = new Map<string, UsesOfDay>();
  const days = QUARTERS.map(() => 0);
  for (const [index, day] of calendarOf(year).entries()) {
    const factor = correction(index + 1);
    const key = `${day.month} ${day.kind}`;
    const use = uses.get(key) ?? { like: day, whole: new Exact(0), changed: new Exact(0) };
    use.whole = use.whole.plus(factor);
    use.changed = use.changed.plus(factor.times(day.hours - HOURS));
    uses.set(key, use);
    const quarter = quarterOf(day);
    days[quarter] = (days[quarter] ?? 0) + 1;
  }
  const energies = QUARTERS.map((_, quarter) => {
    const ofQuarter = [...uses.values()].filter(({ like }) => quarterOf(like) === quarter);
    return Array.from({ length: QUARTER_HOURS }, (_unused, index) => energyOf(profile, ofQuarter, index));
  });
  return { energies, days };
}

function energyOf(profile: Profile, uses: readonly UsesOfDay[], quarterHour: number): Decimal {
  const isChanged = CHANGED_QUARTER_HOURS.includes(quarterHour);
  return uses.reduce((sum, { like, whole, changed }) => {
    const value = profile[like.month]?.[like.kind]?.[quarterHour] ?? 0;
    return sum.plus((isChanged ? whole.plus(changed) : whole).times(value));
  }, new Exact(0));
}

/** From 0. */
const quarterOf = ({ month }: DayOfYear) => Math.floor(month / MONTHS_OF_QUARTER);
