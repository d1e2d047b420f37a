import type { Connection } from '../../platform/database/db.ts';
import { Findings } from '../../platform/errors.ts';
import { ruleCode } from '../../platform/rule-codes.ts';
import { forecastKwh } from '../../tariffs/expected-usage/service.ts';
import type { SubscriptionRow } from '../subscriptions/queries.ts';
import { findBilledUntil, listReadingsOfMeter } from './queries.ts';
import { isDuplicate, isPlausible, isReal, isSettled, type SentReading } from './rules.ts';

export const IMPLAUSIBLE_METER_READING = ruleCode(
  'implausible_meter_reading',
  'The value does not fit the other readings',
);
export const DUPLICATE_METER_READING = ruleCode('duplicate_meter_reading', 'There is a reading for this day');

/**
 * Throws where a reading does not go together with those of the same counter; the meter is locked. Usage that was final and
 * billed does not move by a customer's call: such a day is the supplier's to enter, which corrects the bills.
 */
export async function assertFits(
  connection: Connection,
  organization: string,
  { meter_id, estimated_usage }: Pick<SubscriptionRow, 'meter_id' | 'estimated_usage'>,
  sent: SentReading,
  by: 'caller' | 'supplier',
): Promise<void> {
  const ofMeter = await listReadingsOfMeter(connection, organization, meter_id);
  const known = ofMeter.filter((reading) => reading.register === sent.register && isReal(reading));
  const forecast = (first: string, end: string) => forecastKwh(connection, estimated_usage, first, end);
  const billedUntil = by === 'caller' ? await findBilledUntil(connection, organization, meter_id) : null;
  const findings = new Findings();
  const refuse = (message: string) => findings.unprocessable(IMPLAUSIBLE_METER_READING, 'value', message);
  if (isDuplicate(sent, known)) {
    findings.conflict(DUPLICATE_METER_READING, 'timestamp', 'A reading for this day exists');
  } else if (by === 'caller' && isSettled(sent, known, billedUntil)) {
    refuse('A reading of that day can be entered by the supplier only');
  } else if (!(await isPlausible(sent, known, forecast))) {
    refuse('The value does not fit the other readings');
  }
  findings.throwIfAny();
}
