import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { postgresProgram } from '../../scripts/local-services.ts';
import { ConfigurationError, processEnvironment, readOwnerConfig } from '../config.ts';
import { commandLineEnvironment } from './environment.ts';
import { readJsonFile, startFiles } from './local/folder.ts';

/** Runs psql of the private servers, else the machine's own, and ends as it ends. */
export async function runPsql(given: string[], options: { as?: 'owner' | 'app' }): Promise<void> {
  const url = new URL(await addressFor(options.as));
  const password = decodeURIComponent(url.password);
  url.password = '';
  const unpacked = postgresProgram('psql');
  const program = existsSync(unpacked) ? unpacked : 'psql';
  // psql itself handles Ctrl-C: it ends the query under way, not the session.
  process.on('SIGINT', () => {});
  const child = spawn(program, ['--dbname', url.href, ...given], {
    stdio: 'inherit',
    env: {
      ...processEnvironment(),
      // Not as an argument, where every process of the machine could read it.
      PGPASSWORD: password,
      ...(options.as === undefined ? { PGOPTIONS: '-c default_transaction_read_only=on' } : {}),
    },
  });
  process.exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`psql cannot be run: ${error.message}`)));
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** For looking: the address that is set, else what the last `npm start` in this folder says. */
async function addressFor(role: 'owner' | 'app' | undefined): Promise<string> {
  const known = readOwnerConfig(commandLineEnvironment());
  const facts = role === undefined ? await readJsonFile<{ database_url: string }>(startFiles.facts) : null;
  const given = readOwnerConfig();
  const address =
    role === 'app'
      ? known.DATABASE_URL
      : role === 'owner'
        ? known.DATABASE_OWNER_URL
        : (given.DATABASE_OWNER_URL ?? facts?.database_url ?? known.DATABASE_OWNER_URL ?? known.DATABASE_URL);
  if (address !== undefined) return address;
  throw new ConfigurationError(
    role === 'app'
      ? 'DATABASE_URL is missing'
      : 'DATABASE_OWNER_URL is missing, and nothing was started here yet: npm start',
  );
}
