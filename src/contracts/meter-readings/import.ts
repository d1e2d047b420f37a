import { Decimal } from 'decimal.js';
import { type CsvProblem, csvProblemsText } from '../../platform/csv/csv.ts';
import { type CsvRow, readCsvTable } from '../../platform/csv/table.ts';
import type { Database } from '../../platform/database/db.ts';
import { allowLongTransaction } from '../../platform/database/time-limits.ts';
import { isId } from '../../platform/ids.ts';
import type { StaffAct } from '../../platform/staff-act.ts';
import { listMetersOfSubscriptions } from '../subscriptions/queries.ts';
import type { ReadingRow } from './queries.ts';
import { type GivenReading, reasonsOf, recordIn } from './record.ts';
import { READING_KWH_MAX, READING_TYPES } from './schema.ts';

const COLUMNS = ['subscription', 'date', 'value', 'type'];

/** Names of the interface and the columns they stand in here. */
const COLUMN_OF: Readonly<Record<string, string>> = { timestamp: 'date' };

/** Takes in a file of readings, entirely or not at all. Readings of one meter are judged by day, wherever they stand. */
export async function importReadings(
  database: Database,
  organization: string,
  file: { name: string; bytes: Uint8Array },
  act: StaffAct,
): Promise<ReadingRow[]> {
  const { rows, problems } = readReadings(file.bytes);
  const subscriptions = [...new Set(rows.map(({ given }) => given.subscription))].filter(isId);
  const problemsOfText = problems.length;
  return await database.inOrganization({ organization }, async (connection) => {
    await allowLongTransaction(connection);
    /* A transaction that is done again finds the problems of its rows again. */
    problems.length = problemsOfText;
    const meters = await listMetersOfSubscriptions(connection, organization, subscriptions);
    const placeOf = ({ given }: ReadRow) => `${meters.get(given.subscription) ?? ''} ${given.read_on}`;
    const recorded: ReadingRow[] = [];
    const estimates = new Map<string, string>();
    /* Meters are held by id, as everywhere, and those of several contracts of one meter are judged by day, too. */
    for (const { row, given } of rows.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))) {
      try {
        const reading = await recordIn(connection, organization, given, act);
        recorded.push(reading);
        if (isOtherEstimate(reading, estimates)) {
          row.refuse('value', 'The file has another estimate of this meter and day: only one counts');
        }
      } catch (error) {
        const reasons = reasonsOf(error);
        if (reasons === null) throw error;
        for (const { field, rule } of reasons) row.refuse(COLUMN_OF[field] ?? field, rule);
      }
    }
    if (problems.length > 0) throw refusal(file.name, problems);
    return recorded;
  });
}

/** All rows of a file are stored at one instant, so that none of two estimates of a day would be the newer one. */
function isOtherEstimate(
  { type, meter_id, read_on, value }: ReadingRow,
  estimates: Map<string, string>,
): boolean {
  if (type !== 'grid_estimation') return false;
  const place = `${meter_id} ${read_on}`;
  const first = estimates.get(place) ?? value;
  estimates.set(place, first);
  return !new Decimal(first).eq(value);
}

interface ReadRow {
  row: CsvRow;
  given: GivenReading;
}

function readReadings(bytes: Uint8Array): {
  rows: ReadRow[];
  problems: CsvProblem[];
} {
  const table = readCsvTable(bytes, { columns: COLUMNS, optional: ['type'] });
  const rows = table.rows.flatMap((row) => {
    const before = table.problems.length;
    const given = {
      subscription: row.needed('subscription', () => row.text('subscription')),
      read_on: row.needed('date', () => row.date('date')),
      value: row.needed('value', () => readingOf(row)),
      type: row.oneOf('type', READING_TYPES) ?? 'grid_reading',
    };
    return table.problems.length === before ? [{ row, given: given as GivenReading }] : [];
  });
  if (table.rows.length === 0 && table.problems.length === 0) {
    table.problems.push({ line: 1, column: '', value: '', rule: 'No reading in it' });
  }
  return { rows, problems: table.problems };
}

function readingOf(row: CsvRow): string | null {
  const text = row.decimal('value', { min: 0, max: READING_KWH_MAX });
  return text !== null && Number(text) === 0 ? row.refuse('value', 'More than 0') : text;
}

function refusal(file: string, problems: readonly CsvProblem[]): Error {
  return new Error(csvProblemsText(file, problems));
}
