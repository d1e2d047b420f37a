import type { Connection } from '../platform/database/db.ts';
import { REFERENCE_TABLES } from './files/reference-tables.ts';
import type { RowValues } from './files/rows.ts';
import { listReferenceRows } from './files/stored-tables.ts';
import type { ReferenceTable } from './files/table-description.ts';
import { type ApplicableRow, rowsThatApply, type Validity } from './validity.ts';

/** In the order of their weight. */
const STATES = ['missing', 'carried_forward', 'provisional', 'unchecked'] as const;

/** What somebody has to look at before that day. */
export interface CheckFinding {
  state: (typeof STATES)[number];
  table: string;
  /** Empty where the table is one series, or has no row at all. */
  key: string;
  /** Rows of this key; a load profile has thousands. */
  rows: number;
  /** The day on which rows ended that are carried forward. */
  ended_on: string | null;
}

/**
 * What a day lacks: keys without a row, rows that ran out and still count, rows that are stand-ins, and rows that nobody
 * has confirmed yet.
 */
export async function checkReferenceData(connection: Connection, on: string): Promise<CheckFinding[]> {
  const stored = new Map<string, RowValues[]>();
  for (const table of REFERENCE_TABLES) stored.set(table.name, await listReferenceRows(connection, table));
  const seriesOn = (table: ReferenceTable) => seriesOf(table, stored.get(table.name) ?? [], on);
  const rowsOnDay = (name: string) =>
    REFERENCE_TABLES.filter((table) => table.name === name).flatMap((table) =>
      seriesOn(table).flatMap(({ applicable }) => applicable.rows.map(({ values }) => values)),
    );
  const findings = REFERENCE_TABLES.flatMap((table) => {
    const rows = stored.get(table.name) ?? [];
    return findingsOf(table, seriesOn(table), table.expectedKeys?.(rows, rowsOnDay) ?? []);
  });
  return findings.toSorted((one, other) => STATES.indexOf(one.state) - STATES.indexOf(other.state));
}

interface RowSeries {
  key: string;
  first: RowValues;
  applicable: ApplicableRow<DatedRow>;
}

type DatedRow = Validity & { values: RowValues };

const carriedBy = (table: ReferenceTable) => table.carriedBy ?? table.key;

/** The rows of each key, and which of them count on the day. */
function seriesOf(table: ReferenceTable, stored: readonly RowValues[], on: string): RowSeries[] {
  const ofKey = Map.groupBy(stored, (values) => textOf(values, carriedBy(table)));
  return [...ofKey].map(([key, rows]) => ({
    key,
    first: rows[0] ?? {},
    applicable: rowsThatApply(rows.map(dated), on),
  }));
}

function findingsOf(
  table: ReferenceTable,
  series: readonly RowSeries[],
  expected: readonly RowValues[],
): CheckFinding[] {
  const found = new Map<string, CheckFinding>();
  const add = (state: CheckFinding['state'], values: RowValues, ended_on: string | null = null) => {
    const key = textOf(values, table.listedBy ?? carriedBy(table));
    const name = `${state} ${key}`;
    const known = found.get(name) ?? { state, table: table.name, key, rows: 0, ended_on };
    found.set(name, { ...known, rows: known.rows + 1 });
  };
  const present = new Set(series.map(({ key }) => key));
  if (series.length === 0) add('missing', {});
  for (const values of expected) if (!present.has(textOf(values, carriedBy(table)))) add('missing', values);
  for (const { first, applicable } of series) {
    if (applicable.rows.length === 0) add('missing', first);
    for (const { values } of applicable.rows) {
      if (applicable.endedOn !== null) add('carried_forward', values, applicable.endedOn);
      if (values.provisional === 'yes') add('provisional', values);
      if (values.checked_on === null) add('unchecked', values);
    }
  }
  return [...found.values()].toSorted((one, other) => (one.key < other.key ? -1 : 1));
}

function dated(values: RowValues): DatedRow {
  return { valid_from: values.valid_from ?? '', valid_to: values.valid_to ?? null, values };
}

function textOf(values: RowValues, columns: readonly string[]): string {
  return columns.flatMap((column) => values[column] ?? []).join(' ');
}
