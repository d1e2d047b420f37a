/**
 * Turns the server's text for a timestamptz (`2026-10-05 08:30:00.123456+00`, the session runs in UTC) into the form
 * of the wire: three fraction digits, six where the microseconds are not zero.
 */
export function timestampFromDatabase(text: string): string {
  if (!text.endsWith('+00')) throw new RangeError(`Not an instant in UTC: ${text}`);
  const seconds = `${text.slice(0, 10)}T${text.slice(11, 19)}`;
  const fraction = text.slice(20, -3).padEnd(6, '0');
  return `${seconds}.${fraction.endsWith('000') ? fraction.slice(0, 3) : fraction}Z`;
}

/** Microseconds between 1970-01-01 and 2000-01-01, the zero of PostgreSQL's binary timestamps. */
export const POSTGRES_EPOCH_MICROSECONDS = 946_684_800_000_000;
