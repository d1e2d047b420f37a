import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../../scripts/data-folder.mjs';
import { ConfigurationError } from '../../config/config.ts';
import { CommitUnknown } from '../../platform/database/db.ts';
import { isLostRace } from '../../platform/database/lost-races.ts';
import { SQLSTATE, signInProblem, sqlState } from '../../platform/database/pg-errors.ts';
import { STATEMENT_LIMITS } from '../../platform/database/time-limits.ts';
import { Failure } from '../../platform/errors.ts';
import type { CommandIo } from './io.ts';

const seconds = (milliseconds: number) => `${milliseconds / 1_000} s`;
/** Commands of several transactions keep what the earlier ones stored. */
const ROLLED_BACK = 'Its last transaction was rolled back; what earlier ones stored stays.';

/** Limits that end a transaction, whose own words name neither the limit nor what to do. */
const LIMITS: Readonly<Record<string, string>> = {
  [SQLSTATE.lockNotAvailable]: `Somebody else has held what the command needs for more than ${seconds(STATEMENT_LIMITS.lock_timeout)}. ${ROLLED_BACK} Run it once more; if it goes on, another command or a long transaction is still at work.`,
  [SQLSTATE.queryCanceled]: `A statement took more than ${seconds(STATEMENT_LIMITS.statement_timeout)} and was ended. ${ROLLED_BACK} Run it once more when the database has less to do.`,
  [SQLSTATE.idleInTransaction]: `The command computed for more than ${seconds(STATEMENT_LIMITS.idle_in_transaction_session_timeout)} inside a transaction, and the database ended it. ${ROLLED_BACK} Run it once more when the machine has less to do, or with fewer rows.`,
  [SQLSTATE.transactionTooLong]: `The transaction took longer than it may, and the database ended it. ${ROLLED_BACK} Run it once more when the database has less to do, or with fewer rows.`,
  [SQLSTATE.diskFull]: `The disk of the database is full: make room there. ${ROLLED_BACK}`,
};

/** A clone for trying: npm start needs no variables. An installation for others has its packages without those of tests. */
const isForTrying = ({ startedBy, environment }: Partial<CommandIo>) =>
  startedBy === undefined &&
  environment?.APP_ENV !== 'production' &&
  existsSync(join(projectFolder, 'node_modules/vitest'));

/** What went wrong, in one sentence for people, without a stack. */
export function sentencesOf(error: unknown, io: Partial<CommandIo> = {}): string {
  if (error instanceof ConfigurationError) {
    return isForTrying(io)
      ? `${error.message}\nSet these variables, or run npm start in this folder and wait until it has printed its addresses: its own count while the shell names no other database.`
      : `${error.message}\nSet these variables: "Commands" and "Without containers" of docs/deployment.md say how commands get them.`;
  }
  const refused = signInProblem(error);
  if (refused !== undefined) return refused;
  if (isLostRace(error)) {
    return `Others changed the same rows at the same time, again and again. ${ROLLED_BACK} Run the command once more.`;
  }
  if (error instanceof CommitUnknown) {
    return 'The connection to the database broke, and the outcome of the commit is unknown: look what is stored before you run the command once more.';
  }
  const limit = limitOf(error);
  if (limit !== undefined) return limit;
  if (!(error instanceof Failure)) return error instanceof Error ? error.message : String(error);
  if (error.status === 503) {
    const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
    return `The database cannot be reached${cause} (its address is DATABASE_URL; for acts of its owner DATABASE_OWNER_URL)`;
  }
  if (error.entries.length === 0) return error.message;
  return error.entries.map((entry) => `${entry.field}: ${entry.message}`).join('\n');
}

function limitOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return LIMITS[sqlState(error) ?? ''] ?? limitOf(error.cause);
}
