import { endDay, firstDay, type ReferenceRow, type RuleContext, soundValues } from './rows.ts';
import type { ReferenceTable } from './table-description.ts';

/** What holds for the rows of every table. */
export function checkRows(table: ReferenceTable, rows: readonly ReferenceRow[], context: RuleContext): void {
  const sound = rows.filter((row) => isPeriod(row, context));
  const withKey = sound.filter((row) => !table.key.some((column) => row.bad.has(column)));
  const series = Map.groupBy(withKey, (row) => JSON.stringify(table.key.map((column) => row.values[column])));
  for (const ofKey of series.values()) if (ofKey.length > 1) checkOverlaps(ofKey, context);
  const carriedBy = table.carriedBy ?? table.key;
  const together = Map.groupBy(withKey, (row) =>
    JSON.stringify(carriedBy.map((column) => row.values[column])),
  );
  for (const ofKey of together.values()) if (ofKey.length > 1) checkGaps(ofKey, context);
}

function isPeriod(row: ReferenceRow, context: RuleContext): boolean {
  const [from] = soundValues(row, 'valid_from') ?? [];
  if (from === undefined || row.bad.has('valid_to')) return false;
  const to = row.values.valid_to ?? null;
  if (to === null || to > from) return true;
  context.problem(row, 'valid_to', `must be after valid_from, ${from}`);
  return false;
}

function checkOverlaps(rows: readonly ReferenceRow[], context: RuleContext): void {
  const inOrder = rows.toSorted((left, right) => (firstDay(left) < firstDay(right) ? -1 : 1));
  let longest: ReferenceRow | undefined;
  for (const row of inOrder) {
    if (longest !== undefined && firstDay(row) < endDay(longest)) reportOverlap(longest, row, context);
    if (longest === undefined || endDay(row) > endDay(longest)) longest = row;
  }
}

/** Days between two rows on which none counts: a last day that was typed wrong, more likely than on purpose. */
function checkGaps(rows: readonly ReferenceRow[], context: RuleContext): void {
  let latest: ReferenceRow | undefined;
  for (const row of rows.toSorted((left, right) => (firstDay(left) < firstDay(right) ? -1 : 1))) {
    if (latest !== undefined && firstDay(row) > endDay(latest)) {
      const days = `${endDay(latest)} until ${firstDay(row)}`;
      if (row.line !== null) context.warning(row, 'valid_from', `leaves a gap: no row counts from ${days}`);
      else if (latest.line !== null)
        context.warning(latest, 'valid_to', `leaves a gap: no row counts from ${days}`);
    }
    if (latest === undefined || endDay(row) > endDay(latest)) latest = row;
  }
}

/** At the later line of the file, with where the other row stands. */
function reportOverlap(left: ReferenceRow, right: ReferenceRow, context: RuleContext): void {
  const [earlier, later] = (left.line ?? 0) < (right.line ?? 0) ? [left, right] : [right, left];
  const period = `${firstDay(earlier)} to ${earlier.values.valid_to ?? 'open'}`;
  const rule =
    earlier.line === null
      ? `overlaps the stored row of ${period}: end that one in the same file`
      : `overlaps line ${earlier.line}, ${period}`;
  context.problem(later, 'valid_from', rule);
}
