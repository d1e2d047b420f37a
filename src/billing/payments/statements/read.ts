import { CamtReader, type StatementAccount } from './camt.ts';
import { readCsvStatement } from './csv.ts';
import type { Statement } from './entry.ts';
import { BrokenStatement } from './xml-elements.ts';

/** A camt.054 of 200,000 movements has 200 MB; it is read piece by piece. */
const XML_BYTES_MAX = 512 * 1024 * 1024;
/** A table is held as a whole. */
const CSV_BYTES_MAX = 32 * 1024 * 1024;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const WHITE_SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);

/**
 * Reads what the bank reported, XML or a table: its first character tells which. A file that cannot be read to its end has
 * that as its last problem, and no movement.
 */
export async function readStatement(
  chunks: AsyncIterable<Uint8Array>,
  account: StatementAccount,
): Promise<Statement> {
  const camt = new CamtReader(account);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const table: Uint8Array[] = [];
  let form: 'xml' | 'csv' | null = null;
  let size = 0;
  try {
    for await (const chunk of chunks) {
      form ??= formOf(chunk);
      size += chunk.length;
      if (size > (form === 'csv' ? CSV_BYTES_MAX : XML_BYTES_MAX)) {
        throw new BrokenStatement(`byte ${size}`, 'The file is too long');
      }
      if (form === 'xml') camt.write(decoded(decoder, chunk, size));
      else table.push(chunk);
    }
    if (form !== 'xml') return readCsvStatement(Buffer.concat(table));
    camt.write(decoded(decoder, undefined, size));
    return camt.end();
  } catch (error) {
    if (!(error instanceof BrokenStatement)) throw error;
    const problems = [...camt.problems, { path: error.place, value: '', rule: error.message }];
    return { entries: [], pending: 0, problems };
  }
}

function formOf(chunk: Uint8Array): 'xml' | 'csv' {
  const begins = BYTE_ORDER_MARK.every((byte, index) => chunk[index] === byte) ? BYTE_ORDER_MARK.length : 0;
  const first = chunk.subarray(begins).find((byte) => !WHITE_SPACE.has(byte));
  return first === '<'.charCodeAt(0) ? 'xml' : 'csv';
}

function decoded(decoder: TextDecoder, chunk: Uint8Array | undefined, size: number): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch {
    throw new BrokenStatement(`before byte ${size}`, 'The file is not valid UTF-8');
  }
}
