import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';
import type { MeterState } from './queries.ts';

/** Days on which one meter counted by one register. */
export interface MeterPart {
  readonly type: 'smart' | 'analog';
  /** Readings of another register say nothing about these days. */
  readonly register: number;
  /** Of the device: another one has another register. */
  readonly number: string;
  readonly first: CalendarDay;
  /** Exclusive. */
  readonly end: CalendarDay;
}

/** The calendar, from its first day to its last one. */
export const ALL_DAYS = { first: '0001-01-01', end: '9999-12-31' } as const;

/** The meter on all days, ascending and without a gap, by its states in the same order. */
export function meterPartsOf(states: readonly MeterState[]): MeterPart[] {
  const parts: MeterPart[] = [];
  for (const [index, { type, register, number, valid_from }] of states.entries()) {
    const first = valid_from ?? ALL_DAYS.first;
    const end = states[index + 1]?.valid_from ?? ALL_DAYS.end;
    const last = parts.at(-1);
    /* Another metering operator changes nothing about what is counted. */
    if (last?.type === type && last.register === register) parts[parts.length - 1] = { ...last, end };
    else parts.push({ type, register, number, first, end });
  }
  return parts;
}
