import type { RawBuilder } from 'kysely';
import { DateTime } from 'luxon';
import type { Connection } from './database/db.ts';
import type { Tables } from './database/tables.ts';
import { berlinDayOf, type CalendarDay } from './time/berlin-calendar.ts';

/*
 * How long something stays is said where it belongs, in the `retention.ts` of its noun; `src/governance/retention` collects these
 * lines and runs them. Personal data stay no longer than their purpose needs (GDPR, Art. 5(1)(e)).
 */

export interface Period {
  readonly hours?: number;
  readonly days?: number;
  readonly months?: number;
}

/** Rows of a tenant table that go when their time is over. */
export interface ExpiringRows {
  readonly table: keyof Tables;
  /** Behind the organization, what names a row. */
  readonly key: readonly string[];
  /** The column whose instant counts. */
  readonly at: 'created_at' | 'due_at' | 'ends_at' | 'expires_at' | 'kept_from' | 'minute' | 'timestamp';
  readonly keptFor: Period;
  /** What else must hold. */
  readonly also?: RawBuilder<boolean>;
}

/** What goes by a statement of its own, across organizations. */
export interface RowRemoval<Config = unknown> {
  /** Its name in the result of the job. */
  readonly name: string;
  /** The table of measured values or their sums that it shortens, as `storage status` names it. */
  readonly hypertable?: string;
  /** Null: for ever. */
  keptFor(config: Config): Period | null;
  /** How many one statement removes at most: none holds its locks for long. */
  readonly portion: number;
  remove(connection: Connection, old: RemovalLimits): Promise<number>;
}

export interface RemovalLimits {
  readonly before: string;
  readonly now: string;
  readonly portion: number;
}

/** Personal values of meters at a supplier: three years after the end of their calendar year (section 69(3) MsbG). */
export const METER_VALUES_KEPT: Period = { months: 36 };

/** The day in Berlin on which the year of an instant begins: what is kept to the end of a year goes by whole years. */
export function yearOf(instant: string): CalendarDay {
  return `${berlinDayOf(instant).slice(0, 4)}-01-01`;
}

/** The instant before which something is too old. */
export function instantBefore(nowMilliseconds: number, period: Period): string {
  return DateTime.fromMillis(nowMilliseconds, { zone: 'utc' }).minus(period).toISO() ?? '';
}

/** Values of meters of earlier days are gone, or go in the next night, unless a bill needs them. */
export function meterValuesKeptSince(nowMilliseconds: number): CalendarDay {
  return yearOf(instantBefore(nowMilliseconds, METER_VALUES_KEPT));
}
