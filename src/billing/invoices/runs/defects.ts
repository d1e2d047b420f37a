import { isDatabaseUnavailable } from '../../../platform/database/pg-errors.ts';
import { Failure } from '../../../platform/errors.ts';

/** Not the database that is away, busy or full: done again, the same would fail the same way. */
export function isOwnDefect(error: unknown): boolean {
  if (error instanceof Failure) return error.status !== 503;
  return !isDatabaseUnavailable(error);
}
