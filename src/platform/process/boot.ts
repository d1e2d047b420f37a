import { setTimeout as wait } from 'node:timers/promises';
import { isDatabaseUnavailable, signInProblem } from '../database/pg-errors.ts';
import type { Logger } from '../log/logger.ts';
import { unreachable } from '../unreachable.ts';
import type { Shutdown } from './shutdown.ts';

/** The process would do harm if it started: a sentence for each reason, each with what mends it. */
export class StartRefused extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'StartRefused';
  }
}

/** A signal came while the process was starting. */
export class StartAbandoned extends Error {}

const RETRY_MILLISECONDS = 5_000;

/**
 * Refuses to start on a database that does not fit; waits for one that does not answer, with one line for as long as the
 * reason stays the same.
 */
export async function passBootCheck(options: {
  log: Logger;
  shutdown: Pick<Shutdown, 'begun'>;
  databaseUrl: string;
  problems(): Promise<string[]>;
}): Promise<void> {
  let said = '';
  while (!options.shutdown.begun) {
    try {
      const problems = await options.problems();
      if (problems.length > 0) throw new StartRefused(problems);
      return;
    } catch (error) {
      const refused = signInProblem(error);
      if (refused !== undefined) throw new StartRefused([`DATABASE_URL: ${refused}`]);
      if (!isAway(error)) throw error;
      const reason = unreachable('DATABASE_URL', options.databaseUrl, error);
      if (reason !== said) options.log.warn(`${reason}; this process waits for it`);
      said = reason;
      await wait(RETRY_MILLISECONDS);
    }
  }
  throw new StartAbandoned();
}

function isAway(error: unknown): boolean {
  if (isDatabaseUnavailable(error)) return true;
  return error instanceof Error && error.cause !== undefined && isAway(error.cause);
}
