import { assertCustomerNotErased } from '../../identity/customers/service.ts';
import { audit } from '../../platform/audit.ts';
import { type CsvProblem, csvProblemsText } from '../../platform/csv/csv.ts';
import { type CsvRow, readCsvTable } from '../../platform/csv/table.ts';
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
import { instantInUtc, instantMicroseconds } from '../../platform/time/instant.ts';
import { POSTGRES_EPOCH_MICROSECONDS } from '../../platform/time/time.ts';
import { findSubscription } from '../subscriptions/queries.ts';
import { KWH_FRACTION_DIGITS, KWH_MAX } from './energy.ts';
import { QUARTER_HOUR_MILLISECONDS, type Span, supplyOf } from './intervals.ts';
import { lockUsage, upsertDaySums, upsertImported } from './kept-queries.ts';
import { wholeDays } from './measured.ts';
import { findMeterParts } from './meter-parts.ts';
import { settleMonth } from './settle.ts';
import { settledUntil } from './settlement.ts';

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
    await assertCustomerNotErased(connection, organization, owner.customer, 'subscription');
    const firstDay = berlinDayAt(first.startMilliseconds);
    const end = addDays(berlinDayAt(last.startMilliseconds), 1);
    /* Months that are final by now are frozen first. Else the history would miss them. */
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

/** One quarter hour of the file; the energy as its text. */
interface UsageFileRow {
  /** In UTC, as the database takes it. */
  start: string;
  startMilliseconds: number;
  kwh: string;
}

interface UsageLimits {
  /** What the contract can have used. */
  supply: Span;
  /** When its meter was smart. */
  metered: readonly Span[];
  nowMilliseconds: number;
}

/** The rows without a problem, ascending, and the problems of all others. */
function readUsageFile(
  bytes: Uint8Array,
  possible: UsageLimits,
): { rows: UsageFileRow[]; problems: CsvProblem[] } {
  const table = readCsvTable(bytes, { columns: ['start', 'kwh'] });
  const lines = new Map<number, number>();
  const rows: UsageFileRow[] = [];
  for (const row of table.rows) {
    const start = row.needed('start', () => startOf(row, possible));
    const kwh = row.needed('kwh', () => energyOf(row));
    if (start === null) continue;
    const otherLine = lines.get(start.startMilliseconds);
    if (otherLine !== undefined) row.refuse('start', `Line ${otherLine} has this quarter hour too`);
    else {
      lines.set(start.startMilliseconds, row.line);
      if (kwh !== null) rows.push({ ...start, kwh });
    }
  }
  rows.sort((a, b) => a.startMilliseconds - b.startMilliseconds);
  if (table.rows.length === 0 && table.problems.length === 0) {
    table.problems.push({ line: 1, column: '', value: '', rule: 'No quarter hour in it' });
  }
  return { rows, problems: table.problems };
}

function startOf(row: CsvRow, { supply, metered, nowMilliseconds }: UsageLimits) {
  const start = instantInUtc(row.raw('start'));
  if (start === null) {
    return row.refuse('start', 'Not a date-time with time zone (2026-10-05T08:30:00+02:00)');
  }
  const startMilliseconds = (instantMicroseconds(start) + POSTGRES_EPOCH_MICROSECONDS) / 1_000;
  if (startMilliseconds % QUARTER_HOUR_MILLISECONDS !== 0) {
    return row.refuse('start', 'Not the start of a quarter hour');
  }
  if (startMilliseconds < supply.from || startMilliseconds >= supply.until) {
    return row.refuse('start', 'Outside of the supply period');
  }
  if (!metered.some(({ from, until }) => startMilliseconds >= from && startMilliseconds < until)) {
    return row.refuse('start', 'The meter was no smart meter then');
  }
  if (startMilliseconds + QUARTER_HOUR_MILLISECONDS > nowMilliseconds) {
    return row.refuse('start', 'This quarter hour is not over');
  }
  return { start, startMilliseconds };
}

function energyOf(row: CsvRow): string | null {
  const kwh = row.decimal('kwh', {
    min: 0,
    max: KWH_MAX,
    fractionDigitsMax: KWH_FRACTION_DIGITS,
  });
  return kwh !== null && Number(kwh) >= KWH_MAX ? row.refuse('kwh', `Below ${KWH_MAX}`) : kwh;
}

function refusal(file: string, problems: readonly CsvProblem[]): Error {
  return new Error(csvProblemsText(file, problems));
}
