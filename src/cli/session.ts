import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { basename } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import {
  type CommandLineConfig,
  ConfigurationError,
  readCommandLineConfig,
  readOwnerConfig,
} from '../config/config.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { adjustClock } from '../platform/database/clock-difference.ts';
import { type Database, openDatabase } from '../platform/database/db.ts';
import { Failure } from '../platform/errors.ts';
import type { StaffAct } from '../platform/staff-act.ts';
import { commandLineEnvironment } from './environment.ts';
import { commandIo } from './io.ts';

/** What a command works with: the rights and the keys of the service. */
export interface Session {
  readonly config: CommandLineConfig;
  readonly database: Database;
  readonly clock: Clock;
}

export async function withSession<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
  const config = readCommandLineConfig(commandLineEnvironment());
  return await withDatabase(config.DATABASE_URL, (parts) => work({ config, ...parts }));
}

/** What needs the rights of the owner of the database: the roles of analysts. */
export async function withOwnerSession<Result>(
  work: (session: Omit<Session, 'config'> & { ownerUrl: string }) => Promise<Result>,
): Promise<Result> {
  const { DATABASE_OWNER_URL: ownerUrl } = readOwnerConfig(commandLineEnvironment());
  if (ownerUrl === undefined) throw new ConfigurationError('DATABASE_OWNER_URL is missing');
  return await withDatabase(ownerUrl, (parts) => work({ ownerUrl, ...parts }));
}

async function withDatabase<Result>(
  url: string,
  work: (parts: Omit<Session, 'config'>) => Promise<Result>,
): Promise<Result> {
  const { stderr } = commandIo();
  const database = openDatabase({
    url,
    applicationName: 'voltstream-cli',
    connectionsMax: 2,
    /* Nobody waits for a person's command but the person: on a busy machine a connection may take seconds. */
    connectTimeoutMilliseconds: 10_000,
    onError: (error) => stderr.write(`The connection to the database was lost: ${error.message}\n`),
  });
  try {
    /* What a command writes carries the time of the database, as what the service writes does. */
    const clock = systemClock();
    await adjustClock(database, clock);
    return await work({ database, clock });
  } finally {
    await database.close();
  }
}

/** The options of every command that changes something. */
export interface ActOptions {
  staff: string;
  reason: string;
}

const REASON_CHARACTERS_MAX = 500;

/** In the audit log of a local start, whose records are invented. */
const LOCAL_REASON = 'tried on a local start';

/**
 * Adds `--reason` and `--staff`: a change without a reason is refused before anything happens, unless the command is one
 * whose reason is plain and given here, or the service is that of `npm start`.
 */
export function withActOptions(command: Command, ownReason?: string): Command {
  const isLocal = commandLineEnvironment().APP_ENV === 'local';
  const plainReason = ownReason ?? (isLocal ? LOCAL_REASON : undefined);
  const reason = ['--reason <text>', 'why it is done; kept in the audit log'] as const;
  const reasoned =
    plainReason === undefined
      ? command.requiredOption(...reason, reasonText)
      : command.option(...reason, reasonText, plainReason);
  return reasoned.option(
    '--staff <name>',
    'who does it; the name of the system user where absent',
    userName(),
  );
}

function reasonText(text: string): string {
  if (/^[^\p{Cc}\p{Cs}]*$/u.test(text) && text.trim() !== '' && text.length <= REASON_CHARACTERS_MAX)
    return text;
  throw new InvalidArgumentError(`One line of at most ${REASON_CHARACTERS_MAX} characters.`);
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    /* A user without an entry in the system's list, as in many containers. */
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

export function staffAct(session: Pick<Session, 'clock'>, options: ActOptions, command: string): StaffAct {
  return {
    staff: options.staff,
    reason: options.reason,
    command,
    now: session.clock.now().toISOString(),
  };
}

/** A file that was named at the command line, with the name by which its problems are told. */
export async function inputFile(path: string): Promise<{ name: string; bytes: Uint8Array }> {
  try {
    return { name: basename(path), bytes: await readFile(path) };
  } catch (error) {
    throw new Error(`The file cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Turns "not found" into a sentence that names what was looked for. */
export async function known<Result>(what: string, lookup: Promise<Result>): Promise<Result> {
  try {
    return await lookup;
  } catch (error) {
    if (error instanceof Failure && error.code === 'NOT_FOUND') throw new Error(`There is no ${what}`);
    throw error;
  }
}
