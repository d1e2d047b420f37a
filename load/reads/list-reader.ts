import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

interface Row {
  id: string;
  created_at: string;
}

const HEAD = '{"object":"list","items":[';
const TAIL = ']}';
/** Of the document, then of its list: a row begins one level below both. */
const ROW_DEPTH = 2;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPENING, CLOSING] = [new Set([0x5b, 0x7b]), new Set([0x5d, 0x7d])];

export interface WholeList {
  rows: number;
  bytes: number;
  /** The fault of the page; null where it is complete, valid, in order, and names no row twice. */
  fault: string | null;
}

/** Reads a list that is larger than a text may be: row by row, holding one of them. */
export async function readWholeList(body: Readable): Promise<WholeList> {
  const reader = new RowReader();
  await pipeline(body, async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) reader.add(chunk);
  });
  return reader.end();
}

class RowReader {
  #rows = 0;
  #bytes = 0;
  #fault: string | null = null;
  /** Begin of a row whose end has not come. */
  #pieces: Buffer[] = [];
  #outside = '';
  #before: string | null = null;
  #depth = 0;
  #isText = false;
  #isEscaped = false;

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const turn = this.#turnAt(chunk[at] ?? 0);
      if (turn === 'begin') {
        this.#outside += chunk.toString('latin1', from, at);
        from = at;
      } else if (turn === 'end') {
        this.#take(Buffer.concat([...this.#pieces, chunk.subarray(from, at + 1)]));
        this.#pieces = [];
        from = at + 1;
      }
    }
    if (this.#depth > ROW_DEPTH) this.#pieces.push(chunk.subarray(from));
    else this.#outside += chunk.toString('latin1', from);
  }

  end(): WholeList {
    const expected = HEAD + ','.repeat(Math.max(0, this.#rows - 1)) + TAIL;
    if (this.#outside !== expected) this.#fault ??= 'not a complete list';
    return { rows: this.#rows, bytes: this.#bytes, fault: this.#fault };
  }

  /** Whether a row begins or ends with this byte. */
  #turnAt(byte: number): 'begin' | 'end' | undefined {
    if (this.#isText) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#isText = false;
      return undefined;
    }
    if (byte === QUOTE) this.#isText = true;
    else if (OPENING.has(byte)) {
      this.#depth += 1;
      if (this.#depth === ROW_DEPTH + 1) return 'begin';
    } else if (CLOSING.has(byte)) {
      this.#depth -= 1;
      if (this.#depth === ROW_DEPTH) return 'end';
    }
    return undefined;
  }

  #take(text: Buffer): void {
    const row = JSON.parse(text.toString()) as Row;
    const place = `${row.created_at} ${row.id}`;
    if (this.#before !== null && place >= this.#before) this.#fault ??= 'rows out of order, or twice';
    this.#before = place;
    this.#rows += 1;
  }
}
