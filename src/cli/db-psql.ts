import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ConfigurationError, readOwnerConfig } from '../config/config.ts';
import { sqlFolder } from '../platform/database/migration-files.ts';
import { clientProgram, connectionOf } from './backup/programs.ts';
import { commandIo, endWith } from './engine/io.ts';
import { commandLineEnvironment } from './environment.ts';
import type { LearnerFacts, StartFacts } from './local/facts.ts';
import { readJsonFile, startFiles } from './local/folder.ts';

/** What shows an analyst his views before he is asked for SQL. */
const ANALYST_FIRST = join(sqlFolder, 'analyst.psqlrc');

export type PsqlRole = 'owner' | 'app' | 'finance' | 'analyst' | 'learner';

const READ_ONLY = '-c default_transaction_read_only=on';

/**
 * Runs psql of the private servers, else the machine's own, and ends as it ends. psql gets the streams of the process, for
 * it may talk to a terminal.
 */
export async function runPsql(given: string[], options: { as?: PsqlRole }): Promise<void> {
  const { address: url, environment } = connectionOf(await addressFor(options.as));
  const isAnalyst = options.as === 'analyst' || options.as === 'learner';
  const isConversation = given.length === 0 && commandIo().stdin.isTTY === true;
  // psql itself handles Ctrl-C: it ends the query under way, not the session.
  process.on('SIGINT', () => {});
  const child = spawn(clientProgram('psql'), ['--dbname', url, ...given], {
    stdio: 'inherit',
    env: {
      ...environment,
      ...(options.as === undefined ? { PGOPTIONS: READ_ONLY } : {}),
      ...(options.as === 'finance' ? { PGOPTIONS: `${READ_ONLY} -c role=voltstream_finance` } : {}),
      ...(isAnalyst && isConversation ? { PSQLRC: ANALYST_FIRST } : {}),
    },
  });
  const exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`psql cannot be run: ${error.message}`)));
    child.once('exit', (code) => resolve(code ?? 1));
  });
  endWith(exitCode);
}

/** For looking: the address that is set, else what the last `npm start` in this folder says. */
async function addressFor(role: PsqlRole | undefined): Promise<string> {
  const known = readOwnerConfig(commandLineEnvironment());
  if (role === 'app') return address(known.DATABASE_URL, 'DATABASE_URL is missing');
  /* Finance has no login of its own: whoever may sign in as the owner looks with its eyes. */
  if (role === 'owner' || role === 'finance')
    return address(known.DATABASE_OWNER_URL, `DATABASE_OWNER_URL is missing: ${NOT_STARTED}`);
  if (role === 'learner') {
    const learner = await readJsonFile<Partial<LearnerFacts>>(startFiles.learner);
    return address(learner?.analyst_url, 'No learning data are known here: npm run learn');
  }
  const facts = await readJsonFile<Partial<StartFacts>>(startFiles.facts);
  if (role === 'analyst') {
    return address(
      facts?.analyst_url ?? undefined,
      'No analyst of npm start is known here. Another account: psql "ADDRESS", with what npm run cli -- analysts create printed',
    );
  }
  const given = readOwnerConfig(commandIo().environment).DATABASE_OWNER_URL;
  /* It is in what a start left. Known and not given, it is that of a start, whose facts may name more than its owner. */
  const isOfStart = given === undefined && known.DATABASE_OWNER_URL !== undefined;
  const looks = isOfStart ? facts?.database_url : undefined;
  const found = looks ?? known.DATABASE_OWNER_URL ?? known.DATABASE_URL;
  return address(found, `DATABASE_OWNER_URL is missing: ${NOT_STARTED}`);
}

const NOT_STARTED =
  'set it, or run npm start in this folder, until it has printed its addresses, with a shell that names no database';

function address(found: string | undefined, problem: string): string {
  if (found === undefined) throw new ConfigurationError(problem);
  return found;
}
