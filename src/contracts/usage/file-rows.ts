import type { CsvProblem } from '../../platform/csv/csv.ts';
import { type CsvRow, readCsvTable } from '../../platform/csv/table.ts';
import { instantInUtc, instantMicroseconds } from '../../platform/time/instant.ts';
import { POSTGRES_EPOCH_MICROSECONDS } from '../../platform/time/time.ts';
import { KWH_FRACTION_DIGITS, KWH_MAX } from './energy.ts';
import { QUARTER_HOUR_MILLISECONDS, type Span } from './intervals.ts';

/** One quarter hour of the file; the energy as its text. */
export interface UsageFileRow {
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
export function readUsageFile(
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
    const earlier = lines.get(start.startMilliseconds);
    if (earlier !== undefined) row.refuse('start', `Line ${earlier} has this quarter hour too`);
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
