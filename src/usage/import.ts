import { listMeterStates } from '../meters/queries.ts';
import { audit } from '../platform/audit.ts';
import { type CsvProblem, csvProblemText } from '../platform/csv.ts';
import type { Database } from '../platform/db.ts';
import { notFound } from '../platform/errors.ts';
import { isId } from '../platform/ids.ts';
import { instantMicroseconds } from '../platform/instant.ts';
import { type StaffAct, staffOf } from '../platform/staff-act.ts';
import { POSTGRES_EPOCH_MICROSECONDS } from '../platform/time.ts';
import { findSubscription } from '../subscriptions/queries.ts';
import { readUsageFile } from './file-rows.ts';
import { upsertQuarterHours } from './queries.ts';
import { supplyOf } from './supply.ts';

/** What an import took in. */
export interface ImportedUsage {
  subscription: string;
  quarter_hours: number;
  first: string;
  last: string;
}

/**
 * Takes in quarter hours of the metering operator, entirely or not at all; what was imported before for the same quarter
 * hours is replaced. 35,040 rows, a year, take two seconds.
 */
export async function importUsage(
  database: Database,
  organization: string,
  id: string,
  file: { name: string; bytes: Uint8Array },
  act: StaffAct,
): Promise<ImportedUsage> {
  return await database.inOrganization({ organization }, async (connection) => {
    const subscription = isId(id)
      ? await findSubscription(connection, organization, undefined, id)
      : undefined;
    if (subscription === undefined) throw notFound();
    const states = await listMeterStates(connection, organization, subscription.meter_id);
    if (!states.some(({ type }) => type === 'smart')) {
      throw new Error('The meter of this subscription is no smart meter');
    }
    const supply = supplyOf(subscription);
    if (supply === null) throw new Error('The start of this subscription is not confirmed');

    const nowMilliseconds = (instantMicroseconds(act.now) + POSTGRES_EPOCH_MICROSECONDS) / 1_000;
    const { rows, problems } = readUsageFile(file.bytes, supply, nowMilliseconds);
    const [first, last] = [rows.at(0), rows.at(-1)];
    if (problems.length > 0 || first === undefined || last === undefined) throw refusal(file.name, problems);
    await upsertQuarterHours(
      connection,
      organization,
      { customer: subscription.customer_id, subscription: id },
      { starts: rows.map(({ start }) => start), kwh: rows.map(({ kwh }) => kwh) },
      act.now,
    );
    await audit(connection, { ...staffOf(act, organization), act: 'usage.import', object_id: id });
    return { subscription: id, quarter_hours: rows.length, first: first.start, last: last.start };
  });
}

function refusal(file: string, problems: readonly CsvProblem[]): Error {
  const inOrder = problems.toSorted((a, b) => a.line - b.line);
  return new Error(inOrder.map((problem) => csvProblemText(file, problem)).join('\n'));
}
