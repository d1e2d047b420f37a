import { listMeterStates } from '../meters/queries.ts';
import type { Connection } from '../platform/database/db.ts';
import { type CalendarDay, earlier, later } from '../platform/time/berlin-calendar.ts';

/** Days on which one meter counted by one register. */
export interface MeterPart {
  readonly type: 'smart' | 'analog';
  /** Readings of another register say nothing about these days. */
  readonly register: number;
  readonly first: CalendarDay;
  /** Exclusive. */
  readonly end: CalendarDay;
}

/** The calendar, from its first day to its last one. */
export const ALL_DAYS = { first: '0001-01-01', end: '9999-12-31' } as const;

/** What the meter was on all days, ascending and without a gap. */
export async function findMeterParts(
  connection: Connection,
  organization: string,
  meter: string,
): Promise<MeterPart[]> {
  const states = await listMeterStates(connection, organization, meter);
  const parts: MeterPart[] = [];
  for (const [index, { type, register, valid_from }] of states.entries()) {
    const first = valid_from ?? ALL_DAYS.first;
    const end = states[index + 1]?.valid_from ?? ALL_DAYS.end;
    const last = parts.at(-1);
    /* Another number or metering operator changes nothing about what is counted. */
    if (last?.type === type && last.register === register) parts[parts.length - 1] = { ...last, end };
    else parts.push({ type, register, first, end });
  }
  return parts;
}

/** What the meter was on a day: the last part that has begun. */
export function partOn(parts: readonly MeterPart[], day: CalendarDay): MeterPart {
  const part = parts.findLast(({ first }) => first <= day);
  if (part === undefined) throw new Error(`The meter was nothing on ${day}`);
  return part;
}

/** The parts of some days, cut at both ends. */
export function partsWithin(parts: readonly MeterPart[], first: CalendarDay, end: CalendarDay): MeterPart[] {
  return parts.flatMap((part) => {
    const cut = { ...part, first: later(part.first, first), end: earlier(part.end, end) };
    return cut.first < cut.end ? [cut] : [];
  });
}
