import { type ReferenceRow, type RuleContext, soundValues } from './rows.ts';
import type { ReferenceTable } from './table-description.ts';

/** What holds for the rows of every table. */
export function checkRows(table: ReferenceTable, rows: readonly ReferenceRow[], context: RuleContext): void {
  const sound = rows.filter((row) => isPeriod(row, context));
  const withKey = sound.filter((row) => !table.key.some((column) => row.bad.has(column)));
  const series = Map.groupBy(withKey, (row) => JSON.stringify(table.key.map((column) => row.values[column])));
  for (const ofKey of series.values()) if (ofKey.length > 1) checkOverlaps(ofKey, context);
}

function isPeriod(row: ReferenceRow, context: RuleContext): boolean {
  const [from] = soundValues(row, 'valid_from') ?? [];
  if (from === undefined || row.bad.has('valid_to')) return false;
  const to = row.values.valid_to ?? null;
  if (to === null || to > from) return true;
  context.problem(row, 'valid_to', `must be after valid_from, ${from}`);
  return false;
}

/** Days in this form compare as texts. */
function checkOverlaps(rows: readonly ReferenceRow[], context: RuleContext): void {
  const inOrder = rows.toSorted((one, other) => (firstDay(one) < firstDay(other) ? -1 : 1));
  let longest: ReferenceRow | undefined;
  for (const row of inOrder) {
    if (longest !== undefined && firstDay(row) < lastDay(longest)) reportOverlap(longest, row, context);
    if (longest === undefined || lastDay(row) > lastDay(longest)) longest = row;
  }
}

/** At the later line of the file, with where the other row stands. */
function reportOverlap(one: ReferenceRow, other: ReferenceRow, context: RuleContext): void {
  const [earlier, later] = (one.line ?? 0) < (other.line ?? 0) ? [one, other] : [other, one];
  const period = `${firstDay(earlier)} to ${earlier.values.valid_to ?? 'open'}`;
  const rule =
    earlier.line === null
      ? `overlaps the stored row of ${period}: end that one in the same file`
      : `overlaps line ${earlier.line}, ${period}`;
  context.problem(later, 'valid_from', rule);
}

function firstDay(row: ReferenceRow): string {
  return row.values.valid_from ?? '';
}

const OPEN = '9999-12-31';

function lastDay(row: ReferenceRow): string {
  return row.values.valid_to ?? OPEN;
}
