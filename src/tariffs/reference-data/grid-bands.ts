import type { Decimal } from 'decimal.js';
import { Exact } from '../../platform/money.ts';
import { type ClockWindow, isInside, minutesOf } from './clock-windows.ts';
import type { GridFeeSchedule } from './figures.ts';

/* Working prices by the clock (BNetzA BK8-22/010-A, module 3): three of them, in at least two quarters of the year. */

export type GridBand = 'low' | 'standard' | 'high';

/** A moment by the wall clock of Europe/Berlin. On the days on which clocks change, too, a price follows the clock. */
export interface WallClockMoment {
  /** Quarter of the year, 1 to 4. */
  readonly quarter: number;
  readonly minuteOfDay: number;
}

const MINUTES_OF_DAY = 1_440;

type ScheduleWindows = Pick<GridFeeSchedule, 'quarters' | 'lowWindows' | 'highWindows'>;

/** Which of the three prices counts. What no window covers is standard, and so are the other quarters. */
export function bandAt(schedule: ScheduleWindows, { quarter, minuteOfDay }: WallClockMoment): GridBand {
  return schedule.quarters.includes(quarter) ? bandOfDay(schedule, minuteOfDay) : 'standard';
}

/** In a quarter with windows. */
export function bandOfDay(windows: Omit<ScheduleWindows, 'quarters'>, minuteOfDay: number): GridBand {
  if (isInside(windows.lowWindows, minuteOfDay)) return 'low';
  return isInside(windows.highWindows, minuteOfDay) ? 'high' : 'standard';
}

/** The mean price of a kWh for a household over a year if it shifts nothing, ct net. Not rounded. */
export function blendedPrice(
  schedule: Pick<GridFeeSchedule, 'low' | 'standard' | 'high' | 'weights' | 'shareOfYear'>,
): Decimal {
  const { low, standard, high, weights, shareOfYear } = schedule;
  const inQuarters = new Exact(weights.low)
    .times(low)
    .plus(new Exact(weights.standard).times(standard))
    .plus(new Exact(weights.high).times(high));
  const outside = new Exact(1).minus(shareOfYear).times(standard);
  return outside.plus(new Exact(shareOfYear).times(inQuarters));
}

/** Parts of the 24 hours of a day. A household that uses most of its energy by day pays more than they promise. */
export function hourShares(
  lowWindows: readonly ClockWindow[],
  highWindows: readonly ClockWindow[],
): GridFeeSchedule['weights'] {
  const share = (minutes: number) => new Exact(minutes).dividedBy(MINUTES_OF_DAY).toFixed();
  const [low, high] = [minutesOf(lowWindows), minutesOf(highWindows)];
  return { low: share(low), standard: share(MINUTES_OF_DAY - low - high), high: share(high) };
}
