import { InvalidArgumentError } from 'commander';
import type { CalendarDay } from '../platform/time/berlin-calendar.ts';

/** `2026-10` as its first day. */
export function month(text: string): CalendarDay {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return `${text}-01`;
  throw new InvalidArgumentError('A month of the calendar, as 2026-10.');
}
