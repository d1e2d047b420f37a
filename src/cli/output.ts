import { commandIo } from './io.ts';

/** One row of what a command shows: column or field, and its value. */
export type OutputRow = Readonly<Record<string, unknown>>;

/** With `--json` the whole value as one object, else one `name  value` line for each field. */
export function printObject(
  value: OutputRow,
  options: { json?: boolean },
  notes: readonly string[] = [],
): void {
  if (options.json === true) {
    printJson(value);
    return;
  }
  const width = Math.max(...Object.keys(value).map((name) => name.length));
  const lines = Object.entries(value).map(([name, field]) => `${name.padEnd(width)}  ${text(field)}`);
  printLines([...lines, ...notes]);
}

/** With `--json` a list of objects, else a table with the named columns. */
export function printTable(
  rows: readonly OutputRow[],
  columns: readonly string[],
  options: { json?: boolean },
): void {
  if (options.json === true) {
    printJson(rows);
    return;
  }
  if (rows.length === 0) {
    printLines(['none']);
    return;
  }
  const cells = [columns, ...rows.map((row) => columns.map((column) => text(row[column])))];
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)));
  printLines(
    cells.map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    ),
  );
}

export function printJson(value: unknown): void {
  printLines([JSON.stringify(value, null, 2)]);
}

/** Sentences between tables. */
export function printLines(lines: readonly string[]): void {
  printLine(lines.join('\n'));
}

export function printLine(line: string): void {
  commandIo().stdout.write(`${line}\n`);
}

function text(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(text).join(' ');
  return String(value);
}
