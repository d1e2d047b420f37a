import type { ReferenceRow, RowValues } from './rows.ts';
import { fixedColumns } from './stored-tables.ts';
import { columnsOf, type ReferenceTable } from './table-description.ts';

/** What an import does to one table. */
export interface RowDifference {
  readonly table: ReferenceTable;
  readonly inserted: readonly RowValues[];
  readonly changed: readonly RowValues[];
  /** What the changed ones were, in their order. */
  readonly before: readonly RowValues[];
  readonly equal: number;
  /** Stored rows that the file does not have, and that stay. */
  readonly missing: readonly RowValues[];
  /** Stored rows that the file does not have, and that go. */
  readonly removed: readonly RowValues[];
  /** All rows as they were. */
  readonly stored: readonly RowValues[];
  /** All rows as they will be: those of the file, and the missing ones. */
  readonly after: readonly ReferenceRow[];
}

/** A row of the file is the stored row with the same key and first day. */
export function differenceOf(
  table: ReferenceTable,
  rows: readonly ReferenceRow[],
  stored: readonly RowValues[],
  mayGo: (values: RowValues) => boolean,
): RowDifference {
  const fixed = fixedColumns(table);
  const sameAs = canonicalText(table, fixed);
  const whole = canonicalText(table, Object.keys(columnsOf(table)));
  const left = new Map(stored.map((values) => [sameAs(values), values]));
  const inserted: RowValues[] = [];
  const changed: RowValues[] = [];
  const before: RowValues[] = [];
  let equal = 0;
  for (const { values, bad } of rows) {
    if (fixed.some((column) => bad.has(column))) continue;
    const key = sameAs(values);
    const known = left.get(key);
    left.delete(key);
    if (known === undefined) inserted.push(values);
    else if (bad.size > 0 || whole(known) !== whole(values)) {
      changed.push(values);
      before.push(known);
    } else equal += 1;
  }
  const { missing = [], removed = [] } = Object.groupBy(left.values(), (values) =>
    mayGo(values) ? 'removed' : 'missing',
  );
  const kept = missing.map((values) => ({ values, line: null, bad: new Set<string>() }));
  return { table, inserted, changed, before, equal, missing, removed, stored, after: [...kept, ...rows] };
}

/** One text for rows that say the same. Not for cells that broke a rule. */
export function canonicalText(
  table: ReferenceTable,
  columns: readonly string[],
): (values: RowValues) => string {
  const kinds = columns.map((column) => ({ column, kind: columnsOf(table)[column] }));
  return (values) =>
    JSON.stringify(
      kinds.map(({ column, kind }) => {
        const value = values[column] ?? null;
        return value === null || kind === undefined ? value : kind.canonical(value);
      }),
    );
}

/** For people: the key and the first day. */
export function rowName(table: ReferenceTable, values: RowValues): string {
  return [keyName(table, values), `from ${values.valid_from}`].filter((part) => part !== '').join(' ');
}

/** As the figures of bills name it, too. */
function keyName(table: ReferenceTable, values: RowValues): string {
  return table.key.flatMap((column) => values[column] ?? []).join(' ');
}
