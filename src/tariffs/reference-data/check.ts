import type { Connection } from '../../platform/database/db.ts';
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
  /** Whether a quote or a bill of that day may need it: an operator who serves no zip then needs no prices. */
  is_used: boolean;
  /** Rows of this key; a load profile has thousands. */
  rows: number;
  /** The day on which rows ended that are carried forward. */
  ended_on: string | null;
}

/**
 * The gaps of a day: keys without a row, rows that ran out and still count, rows that are stand-ins, and rows that nobody
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
  const serving = new Set(rowsOnDay('zip_areas').map(({ operator }) => operator));
  const isUsed = ({ operator }: RowValues) => operator === undefined || serving.has(operator);
  const findings = REFERENCE_TABLES.flatMap((table) => {
    const rows = stored.get(table.name) ?? [];
    const expected = table.expectedKeys?.(rows, rowsOnDay) ?? [];
    return findingsOf({ table, series: seriesOn(table), expected, isUsed });
  });
  return findings.toSorted((left, right) => STATES.indexOf(left.state) - STATES.indexOf(right.state));
}

/** One line for each state and table. Single keys would be a hundred thousand lines for the whole country. */
export interface CheckSummary extends Pick<CheckFinding, 'state' | 'table' | 'rows' | 'ended_on'> {
  keys: number;
  /** Of these keys. */
  used: number;
  /** The first of the used ones, or of all. */
  first_key: string;
}

export function summaryOf(findings: readonly CheckFinding[]): CheckSummary[] {
  const groups = Map.groupBy(findings, ({ state, table }) => `${state} ${table}`);
  return [...groups.values()].map((ofTable) => {
    const used = ofTable.filter(({ is_used }) => is_used);
    const { state = 'missing', table = '', key = '' } = used[0] ?? ofTable[0] ?? {};
    return {
      ...{ state, table, keys: ofTable.length, used: used.length, first_key: key },
      rows: ofTable.reduce((sum, { rows }) => sum + rows, 0),
      ended_on: ofTable.flatMap(({ ended_on }) => ended_on ?? []).sort()[0] ?? null,
    };
  });
}

/** Whether a quote or a bill of the day would lack a row, or be made of one that ran out. */
export function isLacking({ state, is_used }: CheckFinding): boolean {
  return is_used && (state === 'missing' || state === 'carried_forward');
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

interface CheckedTable {
  table: ReferenceTable;
  series: readonly RowSeries[];
  expected: readonly RowValues[];
  isUsed(values: RowValues): boolean;
}

function findingsOf({ table, series, expected, isUsed }: CheckedTable): CheckFinding[] {
  const found = new Map<string, CheckFinding>();
  const add = (state: CheckFinding['state'], values: RowValues, ended_on: string | null = null) => {
    const key = textOf(values, table.listedBy ?? carriedBy(table));
    const name = `${state} ${key}`;
    const known = found.get(name) ?? { state, table: table.name, key, is_used: false, rows: 0, ended_on };
    found.set(name, { ...known, is_used: known.is_used || isUsed(values), rows: known.rows + 1 });
  };
  const present = new Set(series.map(({ key }) => key));
  if (series.length === 0 && table.mayBeEmpty !== true) add('missing', {});
  for (const values of expected) if (!present.has(textOf(values, carriedBy(table)))) add('missing', values);
  for (const { first, applicable } of series) {
    if (applicable.rows.length === 0) add('missing', first);
    for (const { values } of applicable.rows) {
      if (applicable.endedOn !== null) add('carried_forward', values, applicable.endedOn);
      if (values.provisional === 'yes') add('provisional', values);
      if (values.checked_on === null) add('unchecked', values);
    }
  }
  return [...found.values()].toSorted((left, right) => (left.key < right.key ? -1 : 1));
}

function dated(values: RowValues): DatedRow {
  return { valid_from: values.valid_from ?? '', valid_to: values.valid_to ?? null, values };
}

function textOf(values: RowValues, columns: readonly string[]): string {
  return columns.flatMap((column) => values[column] ?? []).join(' ');
}
