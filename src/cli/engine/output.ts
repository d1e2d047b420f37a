import { commandIo, screenOf, wantsPager } from './io.ts';
import { fieldLines, type Screen, sentenceLines, tableLines } from './table.ts';

/** One row of what a command shows: column or field, and its value. */
export type OutputRow = Readonly<Record<string, unknown>>;

/** A field of the row, or a heading with what stands below it. */
export type Column<Row = OutputRow> =
  | (keyof Row & string)
  | readonly [heading: string, value: (row: Row) => unknown];

/** A part of an answer for people: sentences, the fields of one thing, or a table. */
export type Part = string | ((screen: Screen) => string[]);

/** `least`: headings of columns that go first where a terminal is narrow. */
export function table<Row extends object>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  least: readonly string[] = [],
): Part {
  if (rows.length === 0) return 'none';
  const headings = columns.map((column) => (typeof column === 'string' ? column : column[0]));
  const cells = rows.map((row) =>
    columns.map((column) => text(typeof column === 'string' ? row[column] : column[1](row))),
  );
  return (screen) => tableLines({ headings, rows: cells, least }, screen);
}

export function fields(value: object): Part {
  const shown = Object.entries(value).map(([name, field]) => [name, text(field)] as const);
  return (screen) => fieldLines(shown, screen);
}

/** With `--json` the value, else the parts below one another; in a pager where that is longer than the screen. */
export async function print(
  value: unknown,
  parts: readonly Part[],
  options: { json?: boolean } = {},
): Promise<void> {
  const { stdout, stdin, environment, page } = commandIo();
  const screen = screenOf(stdout);
  const lines =
    options.json === true
      ? [JSON.stringify(value, null, 2)]
      : parts.flatMap((part) => (typeof part === 'string' ? sentenceLines(part, screen) : part(screen)));
  if (lines.length === 0) return;
  const shown = `${lines.join('\n')}\n`;
  const isRead = stdout.isTTY === true && stdin.isTTY === true && wantsPager();
  const pager = environment.PAGER ?? PAGER;
  const isLong = shown.split('\n').length > (stdout.rows ?? Number.POSITIVE_INFINITY);
  if (isRead && isLong && pager !== '') await page(pager, shown);
  else stdout.write(shown);
}

/** Ends by itself where all of it fits, keeps colours, and leaves the text on the screen. A container may have no less. */
const PAGER = 'if command -v less >/dev/null; then less -FRX; else cat; fi';

export function printLine(line: string): void {
  commandIo().stdout.write(`${line}\n`);
}

function text(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(text).join(' ');
  return String(value);
}
