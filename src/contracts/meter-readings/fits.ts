import type { Connection } from '../../platform/database/db.ts';
import { Findings } from '../../platform/errors.ts';
import { ruleCode } from '../../platform/rule-codes.ts';
import { addDays, berlinDayOf, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { forecastKwh } from '../../tariffs/expected-usage/service.ts';
import { listMeterStates } from '../meters/queries.ts';
import { stateOn } from '../meters/service.ts';
import type { SubscriptionRow } from '../subscriptions/queries.ts';
import { findBilledUntil, listReadingsOfMeter, listReplaceable } from './queries.ts';
import {
  type Bound,
  brokenBound,
  isDuplicate,
  isOpen,
  isReal,
  isSettled,
  type MeterPast,
  newestReadingDay,
  openReadingDays,
  realReadingsOn,
  type SentReading,
} from './rules.ts';

export const IMPLAUSIBLE_METER_READING = ruleCode(
  'implausible_meter_reading',
  'The value does not fit the other readings',
);
export const DUPLICATE_METER_READING = ruleCode('duplicate_meter_reading', 'There is a reading for this day');

/**
 * Throws where a reading does not go together with those of the same counter; the meter is locked. Usage that was final and
 * billed does not move by a customer's call: such a day is the supplier's to enter, which corrects the bills. `replacing`: an
 * own reading of the day was withdrawn for it.
 */
export async function assertFits(
  connection: Connection,
  organization: string,
  contract: Pick<SubscriptionRow, 'meter_id' | 'estimated_usage'>,
  sent: SentReading,
  by: 'caller' | 'supplier' | 'replacing',
): Promise<void> {
  const { meter_id, estimated_usage } = contract;
  const ofMeter = await listReadingsOfMeter(connection, organization, meter_id);
  const known = ofMeter.filter((reading) => reading.register === sent.register && isReal(reading));
  const billedUntil = by === 'caller' ? await findBilledUntil(connection, organization, meter_id) : null;
  const forecast = (first: string, end: string) => forecastKwh(connection, estimated_usage, first, end);
  const findings = new Findings();
  const refuse = (message: string) => findings.unprocessable(IMPLAUSIBLE_METER_READING, 'value', message);
  if (isDuplicate(sent, known)) {
    findings.conflict(DUPLICATE_METER_READING, 'timestamp', 'A reading for this day exists');
  } else if (by === 'caller' && isSettled(sent, known, billedUntil)) {
    refuse('A reading of that day can be entered by the supplier only');
  } else if ((await brokenBound(sent, known, forecast)) !== null) {
    refuse('The value does not fit the other readings');
  }
  findings.throwIfAny();
}

async function pastOf(
  connection: Connection,
  organization: string,
  { meter_id }: Pick<SubscriptionRow, 'meter_id'>,
): Promise<MeterPast> {
  return {
    states: await listMeterStates(connection, organization, meter_id),
    readings: await listReadingsOfMeter(connection, organization, meter_id),
    billedUntil: await findBilledUntil(connection, organization, meter_id),
  };
}

/** What a customer can send, and why it is no more than that. */
export interface ReadingDays {
  /** As `newestReadingDay` has it. */
  readonly newest: CalendarDay | null;
  /** Somebody has read the meter on that day, for this contract or another. */
  readonly isThere: boolean;
  /** As `openReadingDays` has them. */
  readonly open: readonly CalendarDay[];
  readonly isSmart: boolean;
}

export async function readingDays(
  connection: Connection,
  organization: string,
  contract: SubscriptionRow,
  today: CalendarDay,
): Promise<ReadingDays> {
  const past = await pastOf(connection, organization, contract);
  const newest = newestReadingDay(contract, past.states, today);
  return {
    newest,
    isThere: newest !== null && realReadingsOn(past, newest).some(({ read_on }) => read_on === newest),
    open: openReadingDays(contract, past, today),
    isSmart: stateOn(past.states, today).type === 'smart',
  };
}

/**
 * Why the reading of a customer does not fit: the bound that it breaks, or the first day behind it that the customer can send;
 * null there: all of them are the supplier's to enter. Null where it fits by now. `replaces`: id of the
 * own reading in whose place it was sent, or an empty text.
 */
export async function whyUnfit(
  connection: Connection,
  organization: string,
  contract: SubscriptionRow,
  {
    value,
    read_on,
    replaces,
    today,
  }: Pick<SentReading, 'value' | 'read_on'> & { replaces: string; today: CalendarDay },
): Promise<Bound | { openFrom: CalendarDay | null } | null> {
  const own = (await listReplaceable(connection, organization, contract.id)).find(
    ({ id }) => id === replaces,
  );
  const { readings, ...known } = await pastOf(connection, organization, contract);
  const isOwn = (reading: (typeof readings)[number]) =>
    isReal(reading) && reading.read_on === own?.read_on && reading.register === own.register;
  const past = { ...known, readings: readings.filter((reading) => !isOwn(reading)) };
  const { register } = stateOn(past.states, read_on);
  const real = realReadingsOn(past, read_on);
  const sent: SentReading = { value, read_on, register, type: 'customer_report' };
  if (own?.read_on === read_on || !isSettled(sent, real, past.billedUntil)) {
    return await brokenBound(sent, real, (first, end) =>
      forecastKwh(connection, contract.estimated_usage, first, end),
    );
  }
  const billed = past.billedUntil === null ? [] : [berlinDayOf(past.billedUntil)];
  const end = [...real.map((reading) => addDays(reading.read_on, 1)), ...billed].toSorted().at(-1);
  return { openFrom: end !== undefined && isOpen(contract, past, end, today) ? end : null };
}
