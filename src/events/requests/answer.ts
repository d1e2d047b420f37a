import { DateTime } from 'luxon';

const READ_BYTES_MAX = 64 * 1024;
const KEPT_BYTES_MAX = 1_024;
const RETRY_AFTER_SECONDS_MAX = 24 * 60 * 60;

/** Reads to the end, or so much that a sender of endless answers costs no more; the rest ends with the connection. */
export async function readAnswer(body: AsyncIterable<Buffer>): Promise<string> {
  const kept: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    if (bytes < KEPT_BYTES_MAX) kept.push(part.subarray(0, KEPT_BYTES_MAX - bytes));
    bytes += part.length;
    if (bytes >= READ_BYTES_MAX) break;
  }
  return answerText(Buffer.concat(kept));
}

/**
 * Bytes of a stranger as text that may be stored and shown: no control characters, which move the cursor of a terminal
 * or end a text in the database, none that turn the direction of reading, no half characters.
 */
function answerText(bytes: Buffer): string {
  const text = new TextDecoder('utf-8').decode(bytes, { stream: bytes.length === KEPT_BYTES_MAX });
  return text.replace(/[^\P{C}\n\t]|[\u2028\u2029]/gu, '\uFFFD');
}

/** Seconds from now, at most a day; null where the header is absent or says nothing. */
export function retryAfterSeconds(header: string | string[] | undefined, nowSeconds: number): number | null {
  if (typeof header !== 'string') return null;
  const text = header.trim();
  const seconds = /^\d+$/.test(text) ? Number(text) : dateSeconds(text) - nowSeconds;
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), RETRY_AFTER_SECONDS_MAX);
}

function dateSeconds(text: string): number {
  return DateTime.fromHTTP(text, { zone: 'utc' }).toSeconds();
}
