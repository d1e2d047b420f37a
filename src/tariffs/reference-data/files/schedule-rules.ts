import { Decimal } from 'decimal.js';
import { roundHalfUp } from '../../../platform/money.ts';
import { type ClockWindow, clockTime, clockWindows, coveredTwice, minutesOf } from '../clock-windows.ts';
import { type LoadProfile, wholeProfile } from '../load-profile.ts';
import { BANDS, HOUSEHOLD_PROFILE, profileWeights } from '../profile-weights.ts';
import { MissingReferenceError } from '../validity.ts';
import {
  haveDaysInCommon,
  type ReferenceRow,
  type RuleContext,
  soundValues,
  type TableRule,
} from './rows.ts';

/*
 * Working prices by the clock: what an import holds for an error, and what it doubts (BNetzA BK8-22/010-A, module 3).
 */

/** The standard price is the ordinary working price: a quote takes one or the other for the same kWh. */
export const standardIsWorkingPrice: TableRule = (schedules, context) => {
  forEachDisagreement(schedules, context.rows('grid_fees'), (schedule, working) => {
    if (schedule.line === null) return;
    context.problem(schedule, 'standard_ct_net', `must be the working price in grid_fees, ${working}`);
  });
};

/** The other side of it: a new working price beside a stored schedule. */
export const workingPriceIsStandard: TableRule = (fees, context) => {
  forEachDisagreement(context.rows('grid_fee_schedules'), fees, (schedule, working, fee) => {
    if (schedule.line !== null || fee.line === null) return;
    const standard = schedule.values.standard_ct_net ?? working;
    context.problem(fee, 'working_ct_net', `must be the standard price in grid_fee_schedules, ${standard}`);
  });
};

function forEachDisagreement(
  schedules: readonly ReferenceRow[],
  fees: readonly ReferenceRow[],
  report: (schedule: ReferenceRow, working: string, fee: ReferenceRow) => void,
): void {
  const ofOperator = Map.groupBy(fees, (fee) => fee.values.operator);
  for (const schedule of schedules) {
    const [operator, standard] = soundValues(schedule, 'operator', 'standard_ct_net') ?? [];
    if (operator === undefined || standard === undefined) continue;
    for (const fee of ofOperator.get(operator) ?? []) {
      const [working] = soundValues(fee, 'working_ct_net') ?? [];
      if (working === undefined || !haveDaysInCommon(schedule, fee)) continue;
      if (!new Decimal(standard).equals(working)) report(schedule, working, fee);
    }
  }
}

export const soundWindows: TableRule = (rows, { problem, warning }) => {
  for (const row of given(rows)) {
    const low = windowsIn(row, 'low_windows');
    const high = windowsIn(row, 'high_windows');
    const ofLow = coveredTwice(low);
    const ofHigh = coveredTwice(high);
    const both = coveredTwice([...low, ...high]);
    const twice = (minute: number, where: string) => `cover ${clockTime(minute)} ${where}`;
    if (ofLow !== undefined) problem(row, 'low_windows', twice(ofLow, 'twice'));
    if (ofHigh !== undefined) problem(row, 'high_windows', twice(ofHigh, 'twice'));
    if (both !== undefined && ofLow === undefined && ofHigh === undefined)
      problem(row, 'high_windows', twice(both, 'and so do the low ones'));
    if (high.length > 0 && minutesOf(high) < HIGH_MINUTES_LEAST)
      warning(row, 'high_windows', 'are less than two hours a day');
  }
};

const HIGH_MINUTES_LEAST = 120;

const WEIGHTS = ['weight_low', 'weight_standard', 'weight_high'] as const;

export const soundWeights: TableRule = (rows, { problem, warning }) => {
  for (const row of given(rows)) {
    if (WEIGHTS.some((column) => row.bad.has(column))) continue;
    const weights = soundValues(row, ...WEIGHTS);
    if (weights === undefined) {
      const empty = WEIGHTS.filter((column) => row.values[column] === null);
      if (empty.length === WEIGHTS.length) warning(row, 'weight_low', HOURS_INSTEAD);
      else for (const column of empty) problem(row, column, 'must not be empty beside the other weights');
      continue;
    }
    const sum = Decimal.sum(...weights);
    if (!sum.equals(1)) problem(row, 'weight_low', `the three weights sum to ${sum.toFixed()}, not to 1`);
  }
};

const HOURS_INSTEAD =
  'no weights: hours of the day count, and promise a saving to households that shift nothing';

export const soundShareOfYear: TableRule = (rows, { problem, warning }) => {
  for (const row of given(rows)) {
    const [quarters, from] = soundValues(row, 'quarters', 'valid_from') ?? [];
    if (quarters === undefined || from === undefined) continue;
    const active = quarters.split(';').map(Number);
    if (active.length < QUARTERS_LEAST) warning(row, 'quarters', 'are fewer than two');
    const [share] = soundValues(row, 'share_of_year') ?? [];
    const expected = shareOfYear(Number(from.slice(0, 4)), active);
    if (share === undefined || expected.equals(share)) continue;
    problem(row, 'share_of_year', `must be ${expected.toFixed()} for these quarters of ${from.slice(0, 4)}`);
  }
};

const QUARTERS_LEAST = 2;
const SHARE_DECIMALS = 4;
const MONTHS_OF_QUARTER = 3;
const DAY_MILLISECONDS = 86_400_000;

function shareOfYear(year: number, quarters: readonly number[]): Decimal {
  const monthStart = (month: number) => Date.UTC(year, month) / DAY_MILLISECONDS;
  const days = quarters.map(
    (quarter) => monthStart(quarter * MONTHS_OF_QUARTER) - monthStart((quarter - 1) * MONTHS_OF_QUARTER),
  );
  const ofYear = monthStart(12) - monthStart(0);
  return roundHalfUp(Decimal.sum(...days).dividedBy(ofYear), SHARE_DECIMALS);
}

/** Low is from 10 to 40 % of standard, and high at most twice of it; operators round. */
const LOW_RATIO = { least: '0.095', most: '0.405' };
const HIGH_RATIO = { least: '0', most: '2.005' };

export const usualRatios: TableRule = (rows, { warning }) => {
  for (const row of given(rows)) {
    const [standard] = soundValues(row, 'standard_ct_net') ?? [];
    if (standard === undefined || new Decimal(standard).isZero()) continue;
    const compare = (column: string, { least, most }: { least: string; most: string }) => {
      const [price] = soundValues(row, column) ?? [];
      if (price === undefined) return;
      const ratio = new Decimal(price).dividedBy(standard);
      if (ratio.greaterThanOrEqualTo(least) && ratio.lessThanOrEqualTo(most)) return;
      warning(row, column, `is ${ratio.toFixed(4)} of the standard price: ${least} to ${most} are usual`);
    };
    compare('low_ct_net', LOW_RATIO);
    compare('high_ct_net', HIGH_RATIO);
  }
};

const WEIGHT_DIFFERENCE_MAX = '0.0001';

/** Weights follow from the windows and the profile of households: what is far from that has a wrong digit somewhere. */
export const weightsOfProfile: TableRule = (rows, context) => {
  const ofYear = new Map<string, LoadProfile | undefined>();
  for (const row of given(rows)) {
    const [quarters, from, ...weights] = soundValues(row, 'quarters', 'valid_from', ...WEIGHTS) ?? [];
    const lowWindows = windowsIn(row, 'low_windows');
    const highWindows = windowsIn(row, 'high_windows');
    if (quarters === undefined || from === undefined || lowWindows.length * highWindows.length === 0)
      continue;
    const year = from.slice(0, 4);
    if (!ofYear.has(year)) ofYear.set(year, profileOn(`${year}-01-01`, context));
    const profile = ofYear.get(year);
    if (profile === undefined) continue;
    const recomputed = profileWeights(profile, year, {
      quarters: quarters.split(';').map(Number),
      lowWindows,
      highWindows,
    });
    for (const [index, band] of BANDS.entries()) {
      const difference = new Decimal(recomputed[band]).minus(weights[index] ?? 0).abs();
      if (difference.lessThanOrEqualTo(WEIGHT_DIFFERENCE_MAX)) continue;
      context.warning(row, `weight_${band}`, `is far from the profile, which gives ${recomputed[band]}`);
    }
  }
};

/** Undefined where none counts on that day: then there is nothing to compare with. */
function profileOn(on: string, context: RuleContext): LoadProfile | undefined {
  const rows = context.rows('load_profiles').flatMap(({ values, bad }) => {
    if (bad.size > 0 || values.profile !== HOUSEHOLD_PROFILE) return [];
    const { month, day_type, quarter_hour, kwh, valid_from, valid_to } = values;
    return {
      ...{ month: Number(month), day_type: day_type ?? '', quarter_hour: Number(quarter_hour) },
      ...{ kwh: kwh ?? '', valid_from: valid_from ?? '', valid_to: valid_to ?? null },
    };
  });
  try {
    return wholeProfile(rows, HOUSEHOLD_PROFILE, on);
  } catch (error) {
    if (error instanceof MissingReferenceError) return undefined;
    throw error;
  }
}

/** Rows of the file: what is stored was looked at when it came. */
function given(rows: readonly ReferenceRow[]): ReferenceRow[] {
  return rows.filter((row) => row.line !== null);
}

function windowsIn(row: ReferenceRow, column: string): readonly ClockWindow[] {
  const [text] = soundValues(row, column) ?? [];
  return text === undefined ? [] : (clockWindows(text) ?? []);
}
