import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { ReferenceTable } from './files/table-description.ts';
import { CARRIED_DAYS_MAX } from './validity.ts';

export type LoadProfileRow = Selectable<Tables['load_profiles']>;

/** Every value as a text: no price passes through a binary float, and a yes is `true`. */
export type TextRow<Table extends keyof Tables> = {
  readonly [Column in keyof Selectable<Tables[Table]>]: null extends Selectable<Tables[Table]>[Column]
    ? string | null
    : string;
};

/** Tables whose rows are the same for everybody; each is a screen of rows. */
const NATIONAL_TABLES = [
  'vat_rates',
  'levies',
  'concession_fees',
  'metering_fees',
  'eeg_rates',
  'market_values',
  'benchmarks',
  'savings_parameters',
  'usage_groups',
] as const;

export type NationalRows = {
  readonly [Table in (typeof NATIONAL_TABLES)[number]]: readonly TextRow<Table>[];
};

/** What is stored about one zip: its operators and all that they publish. */
const OPERATOR_TABLES = ['grid_operators', 'grid_fees', 'grid_fee_schedules'] as const;

export type ZipRows = {
  readonly [Table in 'zip_areas' | (typeof OPERATOR_TABLES)[number]]: readonly TextRow<Table>[];
};

/** Another text after every change of reference data, whoever made it. */
export async function findReferenceRevision(connection: Connection): Promise<string> {
  const row = await connection.selectFrom('reference_revision').select('revision').executeTakeFirstOrThrow();
  return String(row.revision);
}

/* Rows of all days: which of them counts is one rule, and it stands in validity.ts. One statement reads all that belongs
   together, so that an import is in it whole or not at all. */

export async function findNationalRows(connection: Connection): Promise<NationalRows> {
  const columns = NATIONAL_TABLES.map((table) => rowsOf(table, sql`true`));
  const { rows } = await sql<NationalRows>`SELECT ${sql.join(columns)}`.execute(connection);
  return firstOf(rows);
}

export async function findZipRows(connection: Connection, zip: string): Promise<ZipRows> {
  const columns = [
    rowsOf('zip_areas', sql`stored.zip = ${zip}`),
    ...OPERATOR_TABLES.map((table) =>
      rowsOf(table, sql`stored.operator IN (SELECT operator FROM zip_areas WHERE zip = ${zip})`),
    ),
  ];
  const { rows } = await sql<ZipRows>`SELECT ${sql.join(columns)}`.execute(connection);
  return firstOf(rows);
}

/** Name and code of some operators as they are on a day. */
export function listOperators(connection: Connection, operators: readonly string[], on: string) {
  return connection
    .selectFrom('grid_operators')
    .select(['operator', 'name', 'bdew_code'])
    .where('operator', 'in', [...operators, ''])
    .where('valid_from', '<=', on)
    .where((where) => where.or([where('valid_to', 'is', null), where('valid_to', '>', on)]))
    .execute();
}

/** The energy sources of a supplier and of the country, as bills of a day print them; numbers as texts. */
export function listEnergyMixes(connection: Connection, supplier: string, on: string) {
  return connection
    .selectFrom('energy_mixes')
    .selectAll()
    .where('supplier', 'in', [supplier, 'germany'])
    .where('valid_from', '<=', on)
    .where((where) => where.or([where('valid_to', 'is', null), where('valid_to', '>', on)]))
    .execute();
}

/** In the order of operators; of one operator where it is named. */
export async function listSchedules(
  connection: Connection,
  operator: string | undefined,
): Promise<readonly TextRow<'grid_fee_schedules'>[]> {
  const condition = operator === undefined ? sql`true` : sql`stored.operator = ${operator}`;
  const column = rowsOf('grid_fee_schedules', condition);
  const { rows } = await sql<Pick<ZipRows, 'grid_fee_schedules'>>`SELECT ${column}`.execute(connection);
  const place = (row: TextRow<'grid_fee_schedules'>) => `${row.operator} ${row.valid_from}`;
  return firstOf(rows).grid_fee_schedules.toSorted((left, right) => (place(left) < place(right) ? -1 : 1));
}

export function listLoadProfile(connection: Connection, profile: string): Promise<LoadProfileRow[]> {
  return connection.selectFrom('load_profiles').selectAll().where('profile', '=', profile).execute();
}

/** A column with the rows of a table. */
function rowsOf(table: keyof Tables, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    SELECT coalesce(jsonb_agg((SELECT jsonb_object_agg(key, value) FROM jsonb_each_text(to_jsonb(stored)))), '[]')
      FROM ${sql.table(table)} AS stored WHERE ${condition}
  ) AS ${sql.id(table)}`;
}

function firstOf<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('A statement without FROM gave no row');
  return row;
}

/**
 * For one table: when the first of its used rows ends without another one, and how many of its keys do so by a day. A table
 * without rows has one key that ends today.
 */
export interface RowEnds {
  table: string;
  /** First day without a valid row, past or ahead; null: none of them ends. */
  ends_on: string | null;
  keys: number;
}

/**
 * Rows that may end for good when a quote has been able to do without them for a year: an operator publishes no more
 * schedule, a zip is given up. Of all others the end counts for as long as no row follows: bills wait for it.
 */
const MAY_END: Readonly<Record<string, RawBuilder<unknown>>> = {
  grid_operators: sql`true`,
  grid_fee_schedules: sql`true`,
  zip_areas: sql`true`,
};

/** Ends of rows that no other row of their key takes over, as seen on a day; `by` decides which of them are counted. */
export async function findRowEnds(
  connection: Connection,
  table: ReferenceTable,
  { on, by }: { on: string; by: string },
): Promise<RowEnds> {
  const listed = table.listedBy ?? table.carriedBy ?? table.key;
  const isSameKey = (table.carriedBy ?? table.key).map(
    (column) => sql`next.${sql.id(column)} IS NOT DISTINCT FROM ended.${sql.id(column)}`,
  );
  const isServing = sql`
    EXISTS (SELECT FROM zip_areas AS zip
             WHERE zip.operator = ended.operator AND zip.valid_from <= greatest(ended.valid_to, ${on}::date)
               AND (zip.valid_to IS NULL OR zip.valid_to > greatest(ended.valid_to, ${on}::date)))`;
  const isOfOperator = 'operator' in table.columns && table.name !== 'zip_areas';
  const { rows } = await sql<Omit<RowEnds, 'table'>>`
    SELECT CASE WHEN empty.is_true THEN ${on}::date ELSE min(valid_to) END AS ends_on,
           CASE WHEN empty.is_true THEN 1 ELSE count(*) FILTER (WHERE valid_to <= ${by}) END AS keys
      FROM (SELECT ${table.mayBeEmpty !== true} AND NOT EXISTS (SELECT FROM ${sql.table(table.name)}) AS is_true) AS empty
      LEFT JOIN (SELECT DISTINCT ${sql.join(['valid_to', ...listed].map((column) => sql`ended.${sql.id(column)}`))}
              FROM ${sql.table(table.name)} AS ended
             WHERE ended.valid_to IS NOT NULL
               AND (ended.valid_to >= ${on}::date - ${CARRIED_DAYS_MAX}::integer
                    OR NOT (${MAY_END[table.name] ?? sql`false`}))
               AND NOT EXISTS (
                     SELECT FROM ${sql.table(table.name)} AS next
                      WHERE ${sql.join([sql`true`, ...isSameKey], sql` AND `)}
                        AND next.valid_from <= greatest(ended.valid_to, ${on}::date)
                        AND (next.valid_to IS NULL OR next.valid_to > ended.valid_to))
               AND ${isOfOperator ? isServing : sql`true`}) AS ends ON true
     GROUP BY empty.is_true`.execute(connection);
  return { table: table.name, ends_on: null, keys: 0, ...rows[0] };
}
