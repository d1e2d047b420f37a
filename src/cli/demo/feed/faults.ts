import { type FeedReply, pageReply } from './reply.ts';
import type { SourceSwitches } from './switches.ts';

/* Faults between a source and its reader: statuses, pages instead of data, bodies that are cut, swollen, slow or absent. */

const MEBIBYTE = 1024 * 1024;
/** Above every limit that the sources' readers have. */
const OVERSIZE_BYTES = 9 * MEBIBYTE;

/** What is written to the connection. */
export interface Transmission {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Between the first half of the body and the second one. */
  readonly pauseMilliseconds: number;
  readonly reset: boolean;
}

/** Switches that cost one of the `times`. */
export function hasFault(switches: SourceSwitches): boolean {
  const { status, html_200, reset, slow_seconds, truncate_bytes, empty, oversize, redirect } = switches;
  return [status, html_200, reset, slow_seconds, truncate_bytes, empty, oversize, redirect].some(
    (given) => given !== undefined && given !== false,
  );
}

/** The answer of a source as these switches let it through. */
export function transmit(reply: FeedReply, switches: SourceSwitches): Transmission {
  const shown = replaced(reply, switches);
  return {
    status: shown.status,
    headers: { 'content-type': shown.contentType, ...shown.headers },
    body: resized(Buffer.from(shown.body), switches),
    pauseMilliseconds: (switches.slow_seconds ?? 0) * 1000,
    reset: switches.reset === true,
  };
}

function replaced(reply: FeedReply, switches: SourceSwitches): FeedReply {
  const { status, html_200, redirect, retry_after: retryAfter } = switches;
  if (redirect !== undefined) {
    return { status: 302, contentType: 'text/plain', headers: { location: redirect }, body: 'Found' };
  }
  if (html_200 === true) return pageReply(200, 'One moment, please');
  if (status === undefined) return reply;
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return { ...errorReply(status), headers };
}

function errorReply(status: NonNullable<SourceSwitches['status']>): FeedReply {
  switch (status) {
    case 401:
      return { status, contentType: 'text/plain', body: 'Unauthorized' };
    case 403:
      return { status, contentType: 'text/plain', body: 'Forbidden' };
    case 404:
      return { status, contentType: 'application/json', body: '{"detail":"Not Found"}' };
    case 429:
      return { status, contentType: 'text/plain', body: 'Too many requests' };
    case 500:
      return { status, contentType: 'application/json', body: '{"detail":"Internal Server Error"}' };
    case 503:
      return pageReply(status, 'Service Temporarily Unavailable');
  }
}

function resized(body: Buffer, { empty, truncate_bytes: bytes, oversize }: SourceSwitches): Buffer {
  if (empty === true) return Buffer.alloc(0);
  if (bytes !== undefined) return body.subarray(0, bytes < 0 ? Math.max(0, body.length + bytes) : bytes);
  if (oversize === undefined || oversize === false) return body;
  const length = oversize === true ? OVERSIZE_BYTES : oversize;
  return Buffer.concat([body, Buffer.alloc(Math.max(0, length - body.length), ' ')]);
}
