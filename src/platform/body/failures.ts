import { type ErrorEntry, Failure } from '../errors.ts';
import { PACE_IN_WORDS } from './pace.ts';

interface BodyFailureOptions {
  status?: number;
  headers?: Record<string, string>;
  cause?: unknown;
}

/** A problem of a body as a whole; 400 where the transport has no status of its own for it. */
export function bodyFailure(message: string, options: BodyFailureOptions = {}): Failure {
  const entries: ErrorEntry[] = [{ code: 'custom', field: '', message }];
  return new Failure('BAD_REQUEST', { entries, ...options });
}

export function bodyTooLarge(bytesMax: number): Failure {
  return bodyFailure(`The body is larger than ${sizeInWords(bytesMax)}`, {
    status: 413,
    headers: { connection: 'close' },
  });
}

export function sizeInWords(bytes: number): string {
  const mebibytes = bytes / (1024 * 1024);
  return Number.isInteger(mebibytes) ? `${mebibytes} MiB` : `${bytes} bytes`;
}

/** The connection ended or the time for the request was over: nobody is left who could read this answer. */
export function bodyInterrupted(cause?: unknown): Failure {
  return bodyFailure('The body did not arrive in time or was cut off', {
    status: 408,
    headers: { connection: 'close' },
    cause,
  });
}

/** A connection that hardly sends is worth less than those that wait for its place. */
export function bodyTooSlow(): Failure {
  return bodyFailure(`The body comes too slowly: ${PACE_IN_WORDS}; a shorter one has 2 seconds`, {
    status: 408,
    headers: { connection: 'close' },
  });
}
