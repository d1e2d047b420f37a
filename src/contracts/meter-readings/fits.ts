import type { Connection } from '../../platform/database/db.ts';
import { Findings } from '../../platform/errors.ts';
import { ruleCode } from '../../platform/rule-codes.ts';
import { addDays, berlinDayOf, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { forecastKwh } from '../../tariffs/expected-usage/service.ts';
import { listMeterStates } from '../meters/queries.ts';
import { stateOn } from '../meters/service.ts';
import type { SubscriptionRow } from '../subscriptions/queries.ts';
import { findBilledUntil, listReadingsOfMeter } from './queries.ts';
import { type Bound, brokenBound, isDuplicate, isReal, isSettled, type SentReading } from './rules.ts';

export const IMPLAUSIBLE_METER_READING = ruleCode(
  'implausible_meter_reading',
  'The value does not fit the other readings',
);
export const DUPLICATE_METER_READING = ruleCode('duplicate_meter_reading', 'There is a reading for this day');

/** What a reading is held against. Only a caller is bound by what is billed. */
async function heldAgainst(
  connection: Connection,
  organization: string,
  { meter_id, estimated_usage }: Pick<SubscriptionRow, 'meter_id' | 'estimated_usage'>,
  sent: SentReading,
  by: 'caller' | 'supplier',
) {
  const ofMeter = await listReadingsOfMeter(connection, organization, meter_id);
  const known = ofMeter.filter((reading) => reading.register === sent.register && isReal(reading));
  const forecast = (first: string, end: string) => forecastKwh(connection, estimated_usage, first, end);
  const billedUntil = by === 'caller' ? await findBilledUntil(connection, organization, meter_id) : null;
  return { known, billedUntil, broken: () => brokenBound(sent, known, forecast) };
}

/**
 * Throws where a reading does not go together with those of the same counter; the meter is locked. Usage that was final and
 * billed does not move by a customer's call: such a day is the supplier's to enter, which corrects the bills.
 */
export async function assertFits(
  connection: Connection,
  organization: string,
  contract: Pick<SubscriptionRow, 'meter_id' | 'estimated_usage'>,
  sent: SentReading,
  by: 'caller' | 'supplier',
): Promise<void> {
  const { known, billedUntil, broken } = await heldAgainst(connection, organization, contract, sent, by);
  const findings = new Findings();
  const refuse = (message: string) => findings.unprocessable(IMPLAUSIBLE_METER_READING, 'value', message);
  if (isDuplicate(sent, known)) {
    findings.conflict(DUPLICATE_METER_READING, 'timestamp', 'A reading for this day exists');
  } else if (by === 'caller' && isSettled(sent, known, billedUntil)) {
    refuse('A reading of that day can be entered by the supplier only');
  } else if ((await broken()) !== null) {
    refuse('The value does not fit the other readings');
  }
  findings.throwIfAny();
}

/**
 * Why the reading of a customer does not fit: the bound that it breaks, or the first day that is not the supplier's to enter.
 * Null where it fits by now.
 */
export async function whyUnfit(
  connection: Connection,
  organization: string,
  contract: Pick<SubscriptionRow, 'meter_id' | 'estimated_usage'>,
  { value, read_on }: Pick<SentReading, 'value' | 'read_on'>,
): Promise<Bound | { openFrom: CalendarDay } | null> {
  const states = await listMeterStates(connection, organization, contract.meter_id);
  const { register } = stateOn(states, read_on);
  const sent: SentReading = { value, read_on, register, type: 'customer_report' };
  const { known, billedUntil, broken } = await heldAgainst(
    connection,
    organization,
    contract,
    sent,
    'caller',
  );
  if (!isSettled(sent, known, billedUntil)) return await broken();
  const ends = [
    ...known.map((reading) => addDays(reading.read_on, 1)),
    ...(billedUntil === null ? [] : [berlinDayOf(billedUntil)]),
  ];
  return { openFrom: ends.toSorted().at(-1) ?? read_on };
}
