import { DateTime } from 'luxon';
import type { DeliveryDay } from '../calendar.ts';

/*
 * Calendar days as whole numbers since 1970-01-01: a fit asks for thousands of "the day so many days before", and the
 * calendar has no gaps, whatever the clocks do.
 */

const DAY_MILLISECONDS = 86_400_000;
const UTC = { zone: 'utc' } as const;

export function dayNumberOf(deliveryOn: DeliveryDay): number {
  const day = DateTime.fromISO(deliveryOn, UTC);
  if (!day.isValid || day.toISODate() !== deliveryOn)
    throw new RangeError(`Not a calendar day: ${deliveryOn}`);
  return day.toMillis() / DAY_MILLISECONDS;
}

export function dayOfNumber(dayNumber: number): DeliveryDay {
  return DateTime.fromMillis(dayNumber * DAY_MILLISECONDS, UTC).toISODate() ?? '';
}

/** 0 is Sunday, 6 is Saturday. */
export function weekdayOf(dayNumber: number): number {
  /* 1970-01-01 was a Thursday. */
  return (((dayNumber + 4) % 7) + 7) % 7;
}

export function firstOfMonth(dayNumber: number): number {
  return dayNumber - Number(dayOfNumber(dayNumber).slice(8)) + 1;
}

/** 1 is the first of January. */
export function dayOfYear(dayNumber: number): number {
  return dayNumber - dayNumberOf(`${dayOfNumber(dayNumber).slice(0, 4)}-01-01`) + 1;
}
