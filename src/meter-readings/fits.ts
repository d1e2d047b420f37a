import { forecastKwh } from '../expected-usage/service.ts';
import type { Connection } from '../platform/database/db.ts';
import { Findings } from '../platform/errors.ts';
import { ruleCode } from '../platform/rule-codes.ts';
import type { SubscriptionRow } from '../subscriptions/queries.ts';
import { listReadingsOfMeter } from './queries.ts';
import { isDuplicate, isPlausible, isReal, type SentReading } from './rules.ts';

const IMPLAUSIBLE_METER_READING = ruleCode(
  'implausible_meter_reading',
  'The value does not fit the other readings',
);
const DUPLICATE_METER_READING = ruleCode('duplicate_meter_reading', 'There is a reading for this day');

/** Throws where a reading does not go together with those of the same counter; the meter is locked. */
export async function assertFits(
  connection: Connection,
  organization: string,
  { meter_id, estimated_usage }: Pick<SubscriptionRow, 'meter_id' | 'estimated_usage'>,
  sent: SentReading,
): Promise<void> {
  const ofMeter = await listReadingsOfMeter(connection, organization, meter_id);
  const known = ofMeter.filter((one) => one.register === sent.register && isReal(one));
  const forecast = (first: string, end: string) => forecastKwh(connection, estimated_usage, first, end);
  const findings = new Findings();
  if (isDuplicate(sent, known)) {
    findings.conflict(DUPLICATE_METER_READING, 'timestamp', 'A reading for this day exists');
  } else if (!(await isPlausible(sent, known, forecast))) {
    const message = 'The value does not fit the other readings';
    findings.unprocessable(IMPLAUSIBLE_METER_READING, 'value', message);
  }
  findings.throwIfAny();
}
