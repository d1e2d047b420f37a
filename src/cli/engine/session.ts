import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  type CommandLineConfig,
  ConfigurationError,
  readCommandLineConfig,
  readOwnerConfig,
} from '../../config/config.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { adjustClock } from '../../platform/database/clock-difference.ts';
import { type Database, openDatabase } from '../../platform/database/db.ts';
import { commandLineEnvironment } from '../environment.ts';
import { commandIo } from './io.ts';

/** What a command works with: the rights and the keys of the service. */
export interface Session {
  readonly config: CommandLineConfig;
  readonly database: Database;
  readonly clock: Clock;
}

/** What needs neither database nor configuration. */
export function withoutSession<Result>(work: (session: object) => Promise<Result>): Promise<Result> {
  return work({});
}

export async function withSession<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
  const config = readCommandLineConfig(commandLineEnvironment());
  return await withDatabase(config.DATABASE_URL, (parts) => work({ config, ...parts }));
}

export interface OwnerSession extends Omit<Session, 'config'> {
  readonly ownerUrl: string;
}

/** What needs the rights of the owner of the database: the roles of analysts. */
export async function withOwnerSession<Result>(
  work: (session: OwnerSession) => Promise<Result>,
): Promise<Result> {
  const { DATABASE_OWNER_URL: ownerUrl } = readOwnerConfig(commandLineEnvironment());
  if (ownerUrl === undefined) throw new ConfigurationError('DATABASE_OWNER_URL is missing');
  return await withDatabase(ownerUrl, (parts) => work({ ownerUrl, ...parts }));
}

async function withDatabase<Result>(
  url: string,
  work: (parts: Omit<Session, 'config'>) => Promise<Result>,
): Promise<Result> {
  const { stderr, databases, clock: given } = commandIo();
  const database =
    databases?.get(url) ??
    openDatabase({
      url,
      applicationName: 'voltstream-cli',
      connectionsMax: 2,
      /* Nobody waits for a person's command but the person: on a busy machine a connection may take seconds. */
      connectTimeoutMilliseconds: 10_000,
      onError: (error) => stderr.write(`The connection to the database was lost: ${error.message}\n`),
    });
  databases?.set(url, database);
  try {
    return await work({ database, clock: given ?? (await clockOf(database)) });
  } finally {
    if (databases === undefined) await database.close();
  }
}

/** Rows that a command writes carry the time of the database, as those of the service do. */
async function clockOf(database: Database): Promise<Clock> {
  const clock = systemClock();
  await adjustClock(database, clock);
  return clock;
}

/** A file that was named at the command line, with the name by which its problems are told. */
export async function inputFile(path: string): Promise<{ name: string; bytes: Uint8Array }> {
  try {
    return { name: basename(path), bytes: await readFile(path) };
  } catch (error) {
    throw new Error(`The file cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
