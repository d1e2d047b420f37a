import { Decimal } from 'decimal.js';
import type { Findings } from '../../platform/errors.ts';
import { ruleCode } from '../../platform/rule-codes.ts';
import { addDays, berlinDayOf, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import type { MeterState } from '../meters/queries.ts';
import { stateOn, UNSUPPORTED_METER } from '../meters/service.ts';
import type { SubscriptionRow } from '../subscriptions/queries.ts';
import type { ReadingRow } from './queries.ts';

export const UNSUPPORTED_METER_READING = ruleCode(
  'unsupported_meter_reading',
  'No readings are taken for this subscription',
);
export const OUT_OF_PERIOD_METER_READING = ruleCode(
  'out_of_period_meter_reading',
  'The reading lies outside the supply period, or in the future',
);

/** A year that is unlike the one before it: three times the forecast, and a day on which nobody was expected. */
const FORECAST_TIMES_MAX = 3;
const FREE_KWH = 50;

/** What a reading says, and who sent it. */
export interface SentReading {
  /** kWh as decimal text, as it is stored. */
  value: string;
  read_on: CalendarDay;
  /** The meter's counter on that day. */
  register: number;
  type: ReadingRow['type'];
}

export type KnownReading = Pick<ReadingRow, 'read_on' | 'value' | 'type'>;

type Contract = Pick<SubscriptionRow, 'type' | 'start_at' | 'end_at'>;

/** Whether readings of that day are taken for the contract at all; only the first reason is told. */
export function checkMeter(
  contract: Contract,
  states: readonly MeterState[],
  sent: Pick<SentReading, 'read_on' | 'register'>,
  findings: Findings,
): void {
  if (contract.type === 'feed_in') {
    const message = 'No reading is taken for this subscription';
    findings.badRequest(UNSUPPORTED_METER_READING, 'subscription', message);
  } else if (stateOn(states, sent.read_on).type === 'smart' && !closesAnalogPart(contract, states, sent)) {
    findings.badRequest(UNSUPPORTED_METER, 'subscription', 'This type of meter is not supported here');
  }
}

/**
 * A reading says what the meter showed when its day began. That of the day on which a meter becomes smart ends the part
 * before it, as that of the day of `end_at` ends supply; without it that part would stay an estimate for ever.
 */
function closesAnalogPart(
  { start_at }: Contract,
  states: readonly MeterState[],
  { read_on, register }: Pick<SentReading, 'read_on' | 'register'>,
): boolean {
  const before = stateOn(states, addDays(read_on, -1));
  const isSupplied = start_at !== null && berlinDayOf(start_at) < read_on;
  return isSupplied && before.type === 'analog' && before.register === register;
}

/** From the first day of supply to the day behind the last one, whose midnight ends it: the closing reading. */
export function checkDay(
  { start_at, end_at }: Contract,
  sent: { read_on: CalendarDay; atMilliseconds: number },
  nowMilliseconds: number,
  findings: Findings,
): void {
  const { read_on, atMilliseconds } = sent;
  const isSupplied =
    start_at !== null &&
    read_on >= berlinDayOf(start_at) &&
    (end_at === null || read_on <= berlinDayOf(end_at));
  if (!isSupplied || atMilliseconds > nowMilliseconds) {
    const message = 'The reading lies outside the supply period';
    findings.badRequest(OUT_OF_PERIOD_METER_READING, 'timestamp', message);
  }
}

/**
 * Readings by a person. An estimate refuses nothing: it may stand beside a reading, and a reading may contradict it.
 */
export function isReal({ type }: Pick<KnownReading, 'type'>): boolean {
  return type !== 'grid_estimation';
}

export function isDuplicate(sent: SentReading, real: readonly KnownReading[]): boolean {
  return isReal(sent) && real.some((other) => other.read_on === sent.read_on);
}

/** Whether the day is billed, or its usage final: it lies between two of the readings that somebody read. */
export function isSettled(
  { read_on }: Pick<SentReading, 'read_on'>,
  real: readonly KnownReading[],
  billedUntil: string | null,
): boolean {
  if (billedUntil !== null && read_on < berlinDayOf(billedUntil)) return true;
  return real.some((other) => other.read_on < read_on) && real.some((other) => other.read_on > read_on);
}

/** The least or the most that a counter can show, in kWh. */
export type Bound = { least: Decimal } | { most: Decimal };

/**
 * The bound that a reading breaks; null where it is plausible. A meter never runs backwards, and not much faster than
 * expected; `real` is by day. What the metering operator read is not held against a forecast.
 */
export async function brokenBound(
  sent: SentReading,
  real: readonly KnownReading[],
  forecastKwh: (first: CalendarDay, end: CalendarDay) => Promise<Decimal>,
): Promise<Bound | null> {
  const { read_on } = sent;
  const value = new Decimal(sent.value);
  const earlier = real.filter((other) => other.read_on < read_on);
  const later = real.filter((other) => other.read_on > read_on);
  const least = Decimal.max(0, ...earlier.map((other) => other.value));
  if (value.lt(least)) return { least };
  const next = later.length === 0 ? value : Decimal.min(...later.map((other) => other.value));
  if (value.gt(next)) return { most: next };
  const previous = earlier.at(-1);
  if (previous === undefined || sent.type !== 'customer_report') return null;
  const free = new Decimal(previous.value).plus(FREE_KWH);
  if (value.lte(free)) return null;
  const most = free.plus((await forecastKwh(previous.read_on, read_on)).times(FORECAST_TIMES_MAX));
  return value.gt(most) ? { most } : null;
}

/** Whether readings of that day are taken for the contract, whatever was read and billed. */
function isTaken(
  contract: Contract,
  states: readonly MeterState[],
  read_on: CalendarDay,
  today: CalendarDay,
): boolean {
  const { start_at, end_at } = contract;
  if (start_at === null || read_on < berlinDayOf(start_at) || read_on > today) return false;
  if (end_at !== null && read_on > berlinDayOf(end_at)) return false;
  const { type, register } = stateOn(states, read_on);
  return type === 'analog' || closesAnalogPart(contract, states, { read_on, register });
}

/**
 * The newest day of which a reading is taken: today, the day that ends supply, or the one on which the meter became smart;
 * null where there is none.
 */
export function newestReadingDay(
  contract: Contract,
  states: readonly MeterState[],
  today: CalendarDay,
): CalendarDay | null {
  const { type, start_at, end_at } = contract;
  if (type === 'feed_in' || start_at === null) return null;
  const end = end_at === null ? today : berlinDayOf(end_at);
  if (end_at !== null && end <= berlinDayOf(start_at)) return null;
  const days = [end < today ? end : today, ...states.flatMap(({ valid_from }) => valid_from ?? [])];
  return (
    days
      .filter((day) => isTaken(contract, states, day, today))
      .toSorted()
      .at(-1) ?? null
  );
}

/** What readings of a customer are held against: what the meter was, what was read there, and until when it is billed. */
export interface MeterPast {
  readonly states: readonly MeterState[];
  /** Of all contracts and counters of the meter. */
  readonly readings: readonly (KnownReading & Pick<SentReading, 'register'>)[];
  readonly billedUntil: string | null;
}

/** Those that somebody read at the counter of a day. */
export function realReadingsOn({ states, readings }: MeterPast, day: CalendarDay) {
  const { register } = stateOn(states, day);
  return readings.filter((reading) => reading.register === register && isReal(reading));
}

/** Whether a customer can send a reading of that day: it is taken, there is none, and it is not the supplier's to enter. */
export function isOpen(
  contract: Contract,
  past: MeterPast,
  read_on: CalendarDay,
  today: CalendarDay,
): boolean {
  if (!isTaken(contract, past.states, read_on, today)) return false;
  const real = realReadingsOn(past, read_on);
  return !real.some((other) => other.read_on === read_on) && !isSettled({ read_on }, real, past.billedUntil);
}

/** The first and the last of the days that are open next to each other, of all such days, ascending. */
export function openReadingDays(contract: Contract, past: MeterPast, today: CalendarDay): CalendarDay[] {
  const newest = newestReadingDay(contract, past.states, today);
  if (newest === null || contract.start_at === null) return [];
  const starts = [contract.start_at, past.billedUntil].flatMap((instant) =>
    instant === null ? [] : berlinDayOf(instant),
  );
  const exchanges = past.states.flatMap(({ valid_from }) => valid_from ?? []);
  const behind = [...exchanges, ...past.readings.map(({ read_on }) => read_on)];
  const ends = new Set([newest, ...starts, ...exchanges, ...behind.map((day) => addDays(day, -1))]);
  return [...ends].filter((day) => isOpen(contract, past, day, today)).sort();
}
