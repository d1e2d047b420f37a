import { styleText } from 'node:util';
import stringWidth from 'string-width';

/** Where something is shown. What is no terminal gets every character as it is: programs read it. */
export interface Screen {
  /** Characters of a line; infinite where it is no terminal. */
  readonly width: number;
  readonly isTerminal: boolean;
  readonly hasColour: boolean;
}

export interface Sheet {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Headings of columns that go first where there is no room; then the last ones. */
  readonly least?: readonly string[];
}

const GAP = '  ';
/** A column of sentences is never narrower. */
const SENTENCE_MIN = 12;
/** No id, number or instant is longer: what is longer may be cut. */
const WHOLE_MAX = 36;

interface SheetColumn {
  readonly heading: string;
  readonly cells: readonly string[];
  readonly width: number;
}

/**
 * The lines of a table, its headings first. On a terminal no line is longer than it is wide: sentences are cut with `…`, then
 * columns are left out and named. Ids, numbers and instants are shown whole or not at all.
 */
export function tableLines(sheet: Sheet, screen: Screen): string[] {
  const all = sheet.headings.map((heading, index) => {
    const cells = sheet.rows.map((row) => cleaned(row[index] ?? '', screen));
    return { heading, cells, width: Math.max(...[heading, ...cells].map((cell) => stringWidth(cell))) };
  });
  const shown = fitting(all, screen.width, sheet.least ?? []);
  const drawn = shown.map((column) => drawnColumn(column, screen));
  const lines = [-1, ...sheet.rows.keys()].map((row) =>
    drawn
      .map((cell) => cell(row))
      .join(GAP)
      .trimEnd(),
  );
  const hidden = all.filter(({ heading }) => !shown.some((column) => column.heading === heading));
  if (hidden.length === 0) return lines;
  const names = hidden.map(({ heading }) => heading).join(', ');
  return [...lines, ...sentenceLines(`(no room for: ${names})`, screen)];
}

function fitting(all: readonly SheetColumn[], width: number, least: readonly string[]): SheetColumn[] {
  let shown = [...all];
  for (;;) {
    const narrowed = narrow(shown, width);
    if (narrowed !== undefined) return narrowed;
    if (shown.length === 1) return shown.map((column) => ({ ...column, width }));
    const next = least.find((heading) => shown.some((column) => column.heading === heading));
    shown = next === undefined ? shown.slice(0, -1) : shown.filter(({ heading }) => heading !== next);
  }
}

/** Takes from the widest sentences until the columns fit; undefined where they do not. */
function narrow(columns: readonly SheetColumn[], width: number): SheetColumn[] | undefined {
  const widths = columns.map((column) => column.width);
  let missing = widths.reduce((sum, cell) => sum + cell, GAP.length * (columns.length - 1)) - width;
  const sentences = columns.flatMap((column, index) => (isSentences(column) ? [index] : []));
  for (; missing > 0; missing -= 1) {
    const widest = sentences.toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))[0];
    if (widest === undefined || (widths[widest] ?? 0) <= SENTENCE_MIN) return undefined;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return columns.map((column, index) => ({ ...column, width: widths[index] ?? 0 }));
}

const isSentences = ({ cells }: SheetColumn) =>
  cells.some((cell) => cell.includes(' ') || cell.length > WHOLE_MAX);

/** A row of the column as it is drawn; -1 is its heading. */
function drawnColumn({ heading, cells, width }: SheetColumn, screen: Screen): (row: number) => string {
  const isRight = screen.isTerminal && cells.every((cell) => NUMBER.test(cell)) && cells.some(isNumber);
  return (row) => {
    const text = cut(row === -1 ? heading : (cells[row] ?? ''), width);
    const room = ' '.repeat(Math.max(0, width - stringWidth(text)));
    const coloured = row === -1 ? bold(text, screen) : colouredValue(heading, text, screen);
    return isRight ? room + coloured : coloured + room;
  };
}

const NUMBER = /^(?:-|-?\d[\d,]*(?:\.\d+)?)$/;
const isNumber = (cell: string) => cell !== '-';

/** One `name  value` line for each field; on a terminal long values go on below their beginning. */
export function fieldLines(fields: readonly (readonly [string, string])[], screen: Screen): string[] {
  const width = Math.max(...fields.map(([name]) => stringWidth(name)));
  return fields.flatMap(([name, value]) => {
    const [first = '', ...more] = wrapped(cleaned(value, screen), screen.width - width - GAP.length);
    return [
      `${name.padEnd(width)}${GAP}${colouredValue(name, first, screen)}`,
      ...more.map((line) => `${' '.repeat(width)}${GAP}${line}`),
    ];
  });
}

/** Lines of words; what goes on stands as far to the right as its beginning. */
export function sentenceLines(text: string, screen: Screen): string[] {
  return text.split('\n').flatMap((line) => {
    const indent = /^ */.exec(line)?.[0] ?? '';
    return wrapped(line.slice(indent.length), screen.width - indent.length).map((part) => indent + part);
  });
}

/** Broken at blanks. A longer word stays whole, so that it can be copied. */
function wrapped(text: string, width: number): string[] {
  if (stringWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && stringWidth(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

const letters = new Intl.Segmenter();

function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  let used = 1;
  for (const { segment } of letters.segment(text)) {
    used += stringWidth(segment);
    if (used > width) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** Texts of strangers must not move the cursor of a terminal, nor turn the direction of its text. */
function cleaned(text: string, { isTerminal }: Screen): string {
  return isTerminal ? text.replaceAll(/[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu, ' ') : text;
}

type Colour = 'green' | 'yellow' | 'red' | 'gray';

const WORDS: Readonly<Record<Colour, readonly string[]>> = {
  green: [
    ...[
      'active',
      'activated',
      'accepted',
      'already_complete',
      'booked',
      'complete',
      'delivered',
      'in_order',
      'ok',
    ],
    ...['on', 'paid', 'signing'],
  ],
  yellow: [
    ...[
      'incomplete',
      'near',
      'not_published',
      'open',
      'ordered',
      'partial',
      'past_due',
      'pending',
      'provisional',
    ],
    ...['suspect', 'waiting'],
  ],
  red: [
    'failed',
    'failing',
    'late',
    'missing',
    'refused',
    'rejected',
    'returned',
    'suspended',
    'uncollectible',
  ],
  gray: ['cancelled', 'deleted', 'disabled', 'ended', 'retired', 'voided'],
};

const colours = new Map(
  Object.entries(WORDS).flatMap(([colour, words]) => words.map((word) => [word, colour as Colour] as const)),
);

/** Columns and fields whose words have colours. */
const STATES = /(?:^|[_ ])(?:status|state|standing|outcome|result)$/;

function colouredValue(name: string, text: string, { hasColour }: Screen): string {
  const colour = hasColour && STATES.test(name) ? colours.get(text) : undefined;
  return colour === undefined ? text : styleText(colour, text, { validateStream: false });
}

export function bold(text: string, { hasColour }: Pick<Screen, 'hasColour'>): string {
  return hasColour ? styleText('bold', text, { validateStream: false }) : text;
}
