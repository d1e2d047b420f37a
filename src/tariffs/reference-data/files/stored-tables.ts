import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';
import type { ChangedDays, RowValues } from './rows.ts';
import { columnsOf, type ReferenceTable } from './table-description.ts';

/*
 * Reference tables are written alike, whichever they are: rows travel as JSON and the database gives each column its type. In
 * a table of 50,000 rows a portion is a statement of about a second, far below every limit of time.
 */
const PORTION_ROWS = 5_000;

type StoredRow = Readonly<Record<string, string | number | boolean | null>>;

/** Every row of a table in the words of the files. */
export async function listReferenceRows(connection: Connection, table: ReferenceTable): Promise<RowValues[]> {
  const { rows } = await sql<StoredRow>`SELECT * FROM ${sql.table(table.name)}`.execute(connection);
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, inWords(value)])),
  );
}

function inWords(value: StoredRow[string]): string | null {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value === null || value === undefined ? null : String(value);
}

/** Held until the end of the transaction, if nobody else has it. */
export async function tryLockReferenceData(connection: Connection): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    SELECT pg_try_advisory_xact_lock(hashtextextended('voltstream reference data', 0)) AS held`.execute(
    connection,
  );
  return rows[0]?.held === true;
}

/** Whether the table has no row at all. */
export async function findIsEmpty(connection: Connection, table: ReferenceTable): Promise<boolean> {
  const { rows } = await sql`SELECT FROM ${sql.table(table.name)} LIMIT 1`.execute(connection);
  return rows.length === 0;
}

export async function insertRows(
  connection: Connection,
  table: ReferenceTable,
  rows: readonly RowValues[],
): Promise<void> {
  for (const given of portions(table, rows)) {
    await sql`INSERT INTO ${sql.table(table.name)} SELECT * FROM ${given}`.execute(connection);
  }
}

/** The row as it was goes into the history first. */
export async function updateRows(
  connection: Connection,
  table: ReferenceTable,
  rows: readonly RowValues[],
  now: string,
): Promise<void> {
  const fixed = fixedColumns(table);
  const changing = Object.keys(columnsOf(table)).filter((name) => !fixed.includes(name));
  const values = sql.join(changing.map((name) => sql`${sql.id(name)} = ${sql.ref(`given.${name}`)}`));
  for (const given of portions(table, rows)) {
    await keepOldRows(connection, table, given, 'changed', now);
    await sql`
      UPDATE ${sql.table(table.name)} AS stored SET ${values} FROM ${given} AS given
       WHERE ${isSameRow(table)}`.execute(connection);
  }
}

export async function deleteRows(
  connection: Connection,
  table: ReferenceTable,
  rows: readonly RowValues[],
  now: string,
): Promise<void> {
  for (const given of portions(table, rows)) {
    await keepOldRows(connection, table, given, 'removed', now);
    await sql`
      DELETE FROM ${sql.table(table.name)} AS stored USING ${given} AS given
       WHERE ${isSameRow(table)}`.execute(connection);
  }
}

async function keepOldRows(
  connection: Connection,
  table: ReferenceTable,
  given: RawBuilder<unknown>,
  change: 'changed' | 'removed',
  now: string,
): Promise<void> {
  await sql`
    INSERT INTO reference_history (reference_table, change, old_row, changed_at)
    SELECT ${table.name}, ${change}, to_jsonb(stored), ${now}::timestamptz
      FROM ${sql.table(table.name)} AS stored JOIN ${given} AS given ON ${isSameRow(table)}`.execute(
    connection,
  );
}

/** Keeps which days are others now: bills of them are calculated anew. */
export async function insertReferenceChanges(
  connection: Connection,
  changes: readonly ChangedDays[],
  now: string,
): Promise<void> {
  if (changes.length === 0) return;
  await sql`
    INSERT INTO reference_changes (reference_table, key, first_day, end_day, changed_at)
    SELECT reference_table, key, first_day, end_day, ${now}::timestamptz
      FROM jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
        AS change (reference_table text, key text, first_day date, end_day date)`.execute(connection);
}

/** What tells one row of a table from another. */
export function fixedColumns(table: ReferenceTable): string[] {
  return [...table.key, 'valid_from'];
}

/** An empty part of a key is equal to an empty one only where it is asked like this, which finds no row by an index. */
function isSameRow(table: ReferenceTable): RawBuilder<unknown> {
  const columns = columnsOf(table);
  const pairs = fixedColumns(table).map((name) => {
    const is = columns[name]?.mayBeEmpty ? sql`IS NOT DISTINCT FROM` : sql`=`;
    return sql`${sql.ref(`stored.${name}`)} ${is} ${sql.ref(`given.${name}`)}`;
  });
  return sql.join(pairs, sql` AND `);
}

function portions(table: ReferenceTable, rows: readonly RowValues[]): RawBuilder<unknown>[] {
  const statements: RawBuilder<unknown>[] = [];
  for (let start = 0; start < rows.length; start += PORTION_ROWS) {
    const json = JSON.stringify(rows.slice(start, start + PORTION_ROWS));
    statements.push(sql`jsonb_populate_recordset(NULL::${sql.table(table.name)}, ${json}::jsonb)`);
  }
  return statements;
}
