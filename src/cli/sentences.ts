import { ConfigurationError } from '../config.ts';
import { isLostRace } from '../platform/database/lost-races.ts';
import { signInProblem } from '../platform/database/pg-errors.ts';
import { Failure } from '../platform/errors.ts';

/** What went wrong, in one sentence for people, without a stack. */
export function sentencesOf(error: unknown): string {
  if (error instanceof ConfigurationError) {
    return `${error.message}\nRun npm start in this folder once, or set these variables.`;
  }
  const refused = signInProblem(error);
  if (refused !== undefined) return refused;
  if (isLostRace(error)) {
    return 'Others changed the same rows at the same time, again and again. Nothing was changed: run the command once more.';
  }
  if (!(error instanceof Failure)) return error instanceof Error ? error.message : String(error);
  if (error.status === 503) {
    const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
    return `The database cannot be reached${cause}`;
  }
  if (error.entries.length === 0) return error.message;
  return error.entries.map((entry) => `${entry.field}: ${entry.message}`).join('\n');
}
