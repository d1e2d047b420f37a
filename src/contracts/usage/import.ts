import { audit } from '../../platform/audit.ts';
import { type CsvProblem, csvProblemsText } from '../../platform/csv/csv.ts';
import type { Database } from '../../platform/database/db.ts';
import { allowLongTransaction } from '../../platform/database/time-limits.ts';
import { notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import {
  addDays,
  addMonths,
  berlinDayAt,
  berlinMilliseconds,
  type CalendarDay,
  earlier,
  firstOfMonth,
} from '../../platform/time/berlin-calendar.ts';
import { instantMicroseconds } from '../../platform/time/instant.ts';
import { POSTGRES_EPOCH_MICROSECONDS } from '../../platform/time/time.ts';
import { findSubscription } from '../subscriptions/queries.ts';
import { readUsageFile } from './file-rows.ts';
import { lockUsage, upsertDaySums, upsertImported } from './kept-queries.ts';
import { wholeDays } from './measured.ts';
import { findMeterParts } from './meter-parts.ts';
import { settleMonth } from './settle-month.ts';
import { settledUntil } from './settlement.ts';
import { supplyOf } from './supply.ts';

/** What an import took in. */
export interface ImportedUsage {
  subscription: string;
  quarter_hours: number;
  /** How many final values had another value or source before; they are in the history. */
  replaced: number;
  first: string;
  last: string;
}

/**
 * Takes in quarter hours of the metering operator, entirely or not at all; what was final before for the same quarter hours
 * is replaced and stays in the history. 35,040 rows, a year, take two seconds.
 */
export async function importUsage(
  database: Database,
  organization: string,
  id: string,
  file: { name: string; bytes: Uint8Array },
  act: StaffAct,
): Promise<ImportedUsage> {
  return await database.inOrganization({ organization }, async (connection) => {
    await allowLongTransaction(connection);
    const subscription = isId(id)
      ? await findSubscription(connection, organization, undefined, id)
      : undefined;
    if (subscription === undefined) throw notFound();
    const parts = await findMeterParts(connection, organization, subscription.meter_id);
    const smart = parts.filter(({ type }) => type === 'smart');
    if (smart.length === 0) throw new Error('The meter of this subscription is no smart meter');
    const supply = supplyOf(subscription);
    if (supply === null) throw new Error('The start of this subscription is not confirmed');

    const nowMilliseconds = (instantMicroseconds(act.now) + POSTGRES_EPOCH_MICROSECONDS) / 1_000;
    const metered = smart.map(({ first, end }) => ({
      from: berlinMilliseconds(first),
      until: berlinMilliseconds(end),
    }));
    const { rows, problems } = readUsageFile(file.bytes, { supply, metered, nowMilliseconds });
    const [first, last] = [rows.at(0), rows.at(-1)];
    if (problems.length > 0 || first === undefined || last === undefined) throw refusal(file.name, problems);
    const owner = { organization, customer: subscription.customer_id, subscription: id };
    await lockUsage(connection, owner);
    const firstDay = berlinDayAt(first.startMilliseconds);
    const end = addDays(berlinDayAt(last.startMilliseconds), 1);
    /* What is final at this moment has to be known, or the history would not have it. */
    const settled = earlier(end, settledUntil(nowMilliseconds));
    const months: CalendarDay[] = [];
    for (let month = firstOfMonth(firstDay); month < settled; month = addMonths(month, 1)) {
      months.push(month);
      await settleMonth(connection, organization, subscription, month, { now: act.now, mayGoOn: () => {} });
    }
    const columns = { starts: rows.map(({ start }) => start), kwh: rows.map(({ kwh }) => kwh) };
    const { replaced } = await upsertImported(connection, owner, columns, { months, now: act.now });
    await upsertDaySums(connection, owner, wholeDays(firstDay, end, berlinMilliseconds(end)));
    await audit(connection, { ...staffOf(act, organization), act: 'usage.import', object_id: id });
    return {
      ...{ subscription: id, quarter_hours: rows.length, replaced },
      ...{ first: first.start, last: last.start },
    };
  });
}

function refusal(file: string, problems: readonly CsvProblem[]): Error {
  return new Error(csvProblemsText(file, problems));
}
