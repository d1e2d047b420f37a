import { InvalidArgumentError } from 'commander';
import { wireSchemas } from '../platform/interface/wire-schemas.ts';

const day = wireSchemas.date();

/** A day as an option of a command. */
export function calendarDay(text: string): string {
  if (day.safeParse(text).success) return text;
  throw new InvalidArgumentError('A day of the calendar, as 2026-10-05.');
}
