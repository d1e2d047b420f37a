import { DateTime } from 'luxon';
import { badRequest } from '../../platform/errors.ts';
import { addDays, addMonths, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import type { Resolution, UsageQuery } from './schema.ts';

/** What the defaults of a period depend on. */
export interface UsageGround {
  /** Of today. */
  meterType: 'smart' | 'analog';
  /** Whether the meter was analog on any of these days, the second one exclusive. */
  isAnalogIn(first: CalendarDay, end: CalendarDay): boolean;
  today: CalendarDay;
  /** First day of supply; null while it is not confirmed. */
  suppliedFrom: CalendarDay | null;
  /** Of an analog meter. */
  latestReadingOn: CalendarDay | null;
}

export interface Period {
  resolution: Resolution;
  first: CalendarDay;
  /** Exclusive. */
  end: CalendarDay;
}

/** Up to so many days `auto` means this resolution. */
const AUTO: readonly (readonly [daysMax: number, Resolution])[] = [
  [2, '15min'],
  [7, 'hour'],
  [62, 'day'],
  [366, 'week'],
];

const DAYS_MAX: Readonly<Record<Resolution, number>> = {
  '15min': 62,
  hour: 366,
  day: 3660,
  week: 3660,
  month: 3660,
};

const ANALOG_MONTHS = 12;

/** The days and the resolution of the answer; null where nothing can be known. Throws where the dates break a rule. */
export function periodOf(query: UsageQuery, ground: UsageGround): Period | null {
  const first = query.start ?? defaultStart(ground);
  const end = query.end ?? (ground.meterType === 'smart' ? ground.today : ground.latestReadingOn);
  if (end === null) return null;
  if (end <= first) {
    if (query.start === undefined && query.end === undefined) return null;
    throw refused('too_small', query.end === undefined ? 'start' : 'end', `${end} is not after ${first}`);
  }
  const days = daysBetween(first, end);
  const resolution = resolutionOf(query.resolution, ground.isAnalogIn(first, end), days);
  const daysMax = DAYS_MAX[resolution];
  if (days > daysMax) {
    throw refused('too_big', 'end', `${days} days; at most ${daysMax} with resolution ${resolution}`);
  }
  return { resolution, first, end };
}

function defaultStart({ meterType, today, suppliedFrom }: UsageGround): CalendarDay {
  if (meterType === 'smart') return addDays(today, -1);
  const yearAgo = addMonths(today, -ANALOG_MONTHS);
  return suppliedFrom === null || suppliedFrom < yearAgo ? yearAgo : suppliedFrom;
}

/**
 * An analog meter is not read more often than some times a year: finer values than months would be invented. Where the
 * meter changed within the period, months are what both parts give.
 */
function resolutionOf(resolution: UsageQuery['resolution'], isAnalog: boolean, days: number): Resolution {
  if (isAnalog) return 'month';
  if (resolution !== 'auto') return resolution;
  return AUTO.find(([daysMax]) => days <= daysMax)?.[1] ?? 'month';
}

function refused(code: 'too_small' | 'too_big', field: string, message: string) {
  return badRequest([{ code, field, message }]);
}

function daysBetween(first: CalendarDay, end: CalendarDay): number {
  const dayOf = (day: CalendarDay) => DateTime.fromISO(day, { zone: 'utc' });
  return dayOf(end).diff(dayOf(first), 'days').days;
}
