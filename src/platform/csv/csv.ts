/*
 * A strict reader of comma-separated files (RFC 4180): what does not follow the rules is a problem with its place and
 * never a guess, because a guess here becomes a price. Lines end with LF or CRLF; a byte order mark in front is skipped.
 */

/** What is wrong with a file, where, and by which rule. */
export interface CsvProblem {
  /** From 1, the header included; where the row begins. */
  line: number;
  /** Name of the column; `character 17` where the text itself is no CSV; empty where it is about the whole row. */
  column: string;
  value: string;
  rule: string;
}

export interface CsvRecord {
  /** From 1; where the record begins. */
  line: number;
  fields: readonly string[];
}

export interface CsvText {
  records: CsvRecord[];
  problems: CsvProblem[];
}

const PLAIN = /[^",\r\n]*/y;
const BYTE_ORDER_MARK = 0xfe_ff;
/** As much of a value as helps to find it. */
const SHOWN_CHARACTERS_MAX = 40;

export function readCsv(text: string): CsvText {
  const reader = new CsvReader(text);
  return { records: reader.records(), problems: reader.problems };
}

/** One line for people: file, line, column, value, rule. */
export function csvProblemText(file: string, { line, column, value, rule }: CsvProblem): string {
  const place = [`${file}:${line}`, ...(column === '' ? [] : [column])].join(' ');
  return value === '' ? `${place}: ${rule}` : `${place} "${shortened(value)}": ${rule}`;
}

/** More than anybody mends one by one; a file of a million bad rows must not become a message of as many. */
const LISTED_MAX = 1_000;

/** All problems of a file for people, one a line, in the order of its lines. */
export function csvProblemsText(file: string, problems: readonly CsvProblem[]): string {
  const inOrder = problems.toSorted((a, b) => a.line - b.line);
  const lines = inOrder.slice(0, LISTED_MAX).map((problem) => csvProblemText(file, problem));
  const rest = problems.length - LISTED_MAX;
  return [...lines, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n');
}

function shortened(value: string): string {
  const characters = [...value.slice(0, 4 * SHOWN_CHARACTERS_MAX).replaceAll(/\p{Cc}/gu, '\u{fffd}')];
  if (characters.length <= SHOWN_CHARACTERS_MAX) return characters.join('');
  return `${characters.slice(0, SHOWN_CHARACTERS_MAX).join('')}…`;
}

class CsvReader {
  readonly problems: CsvProblem[] = [];
  readonly #text: string;
  #at = 0;
  #line = 1;
  #lineStart = 0;

  constructor(text: string) {
    this.#text = text;
    if (text.charCodeAt(0) === BYTE_ORDER_MARK) this.#at = this.#lineStart = 1;
  }

  records(): CsvRecord[] {
    const records: CsvRecord[] = [];
    while (this.#at < this.#text.length) {
      const record = this.#record();
      if (record !== undefined) records.push(record);
    }
    return records;
  }

  /** Undefined where it broke a rule: the rest of its line is skipped, so that later lines are still looked at. */
  #record(): CsvRecord | undefined {
    const line = this.#line;
    const fields: string[] = [];
    for (;;) {
      const field = this.#text[this.#at] === '"' ? this.#quoted() : this.#plain();
      if (field === undefined) {
        this.#skipLine();
        return undefined;
      }
      fields.push(field);
      if (this.#text[this.#at] !== ',') break;
      this.#at += 1;
    }
    this.#skipLine();
    return { line, fields };
  }

  #plain(): string | undefined {
    const start = this.#at;
    PLAIN.lastIndex = start;
    PLAIN.exec(this.#text);
    this.#at = PLAIN.lastIndex;
    if (this.#text[this.#at] === '"') return this.#refuse('A quote in a field that does not begin with one');
    return this.#atEndOfField() ? this.#text.slice(start, this.#at) : this.#refuseCarriageReturn();
  }

  #quoted(): string | undefined {
    const opening = { line: this.#line, character: this.#at - this.#lineStart + 1 };
    let value = '';
    this.#at += 1;
    for (;;) {
      const closing = this.#text.indexOf('"', this.#at);
      if (closing === -1) {
        this.#at = this.#text.length;
        const rule = 'This quote is never closed';
        this.problems.push({
          line: opening.line,
          column: `character ${opening.character}`,
          value: '',
          rule,
        });
        return undefined;
      }
      /* Only this part is searched for line ends: a file of one line would be searched whole for each of its quotes. */
      const part = this.#text.slice(this.#at, closing);
      value += part;
      this.#countLines(part, this.#at);
      this.#at = closing + 1;
      if (this.#text[this.#at] !== '"') break;
      value += '"';
      this.#at += 1;
    }
    if (this.#atEndOfField()) return value;
    return this.#text[this.#at] === '\r'
      ? this.#refuseCarriageReturn()
      : this.#refuse('Text behind the closing quote');
  }

  /** Line ends inside a quoted field belong to it, and to the count of lines. */
  #countLines(part: string, start: number): void {
    for (let end = part.indexOf('\n'); end !== -1; end = part.indexOf('\n', end + 1)) {
      this.#line += 1;
      this.#lineStart = start + end + 1;
    }
  }

  #atEndOfField(): boolean {
    const next = this.#text[this.#at];
    return next === undefined || next === ',' || next === '\n' || this.#text.startsWith('\r\n', this.#at);
  }

  #skipLine(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end === -1 ? this.#text.length : end + 1;
    this.#line += 1;
    this.#lineStart = this.#at;
  }

  #refuseCarriageReturn(): undefined {
    return this.#refuse('A carriage return without a line feed');
  }

  #refuse(rule: string): undefined {
    const column = `character ${this.#at - this.#lineStart + 1}`;
    this.problems.push({ line: this.#line, column, value: '', rule });
    return undefined;
  }
}

/** A line as RFC 4180 ends it, of fields that need no quotes: numbers, instants. */
export const csvLine = (line: string) => `${line}\r\n`;
