import { InvalidArgumentError } from 'commander';
import { wireSchemas } from '../platform/interface/wire-schemas.ts';
import { instantInUtc } from '../platform/time/instant.ts';

const day = wireSchemas.date();

/** A day as an option of a command. */
export function calendarDay(text: string): string {
  if (day.safeParse(text).success) return text;
  throw new InvalidArgumentError('A day of the calendar, as 2026-10-05.');
}

/** With its time zone, as UTC. */
export function instant(text: string): string {
  const value = instantInUtc(text);
  if (value === null) throw new InvalidArgumentError('A date-time with time zone (2026-10-05T08:30:00Z).');
  return value;
}
