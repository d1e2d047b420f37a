import { resolve } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import type { Client } from 'pg';
import { ConfigurationError, type OwnerConfig, readOwnerConfig } from '../config/config.ts';
import { databaseVersions, migrationStatus } from '../platform/database/migrate.ts';
import { isDatabaseUnavailable, isDiskFull, signInProblem } from '../platform/database/pg-errors.ts';
import {
  type DatabaseAddresses,
  DEFAULT_DATABASE,
  initDatabase,
  migrateDatabase,
  withDatabaseClient,
} from '../platform/database/setup.ts';
import { backupDatabase, sumOf } from './backup/backup.ts';
import { restoreDatabase } from './backup/restore.ts';
import { runPsql } from './db-psql.ts';
import { command, commandOf } from './engine/command.ts';
import { flag, option, or } from './engine/fields.ts';
import { asTyped, type CommandIo, commandIo, endWith, withCommandIo } from './engine/io.ts';
import { printLine } from './engine/output.ts';
import { runProgram, withExamples } from './engine/program.ts';
import { withoutSession } from './engine/session.ts';
import { packageVersion } from './engine/version.ts';
import { commandLineEnvironment } from './environment.ts';
import { givenRoles, proveGivenRoles, ROLE_VARIABLES } from './given-roles.ts';

/** `npm run db --`: what a database administrator does. No other command line uses the rights of the owner. */
export async function runDatabaseCommandLine(args: readonly string[], io: CommandIo): Promise<number> {
  try {
    return await withCommandIo(io, () => runProgram(databaseProgram(), args));
  } catch (error) {
    /* Commander has written its sentence, or the help that was asked for. */
    if (error instanceof CommanderError) return error.exitCode;
    const sentence = signInProblem(error) ?? (error instanceof Error ? error.message : String(error));
    const isAway = isDatabaseUnavailable(error) && !isDiskFull(error);
    io.stderr.write(asTyped(isAway ? `The database cannot be reached: ${sentence}\n` : `${sentence}\n`, io));
    return 1;
  }
}

const PROGRAM = 'npm run db --';

const AS_JSON = { json: or(flag('as one JSON object'), false) };

/** With the owner's address these open what they need by themselves. */
const BY_ITSELF = { session: withoutSession } as const;

export function databaseProgram(): Command {
  const program = new Command(PROGRAM)
    .description('Creates, migrates and looks into the database.')
    .version(packageVersion(), '--version', 'the version of the service')
    .addHelpText(
      'after',
      '\nThe rows of reference data (VAT, grid fees, served zips) come behind it: npm run cli -- tariffs import',
    )
    .enablePositionalOptions();
  for (const [name, described] of Object.entries(COMMANDS)) {
    program.addCommand(commandOf(name, described, PROGRAM));
  }
  program.addCommand(
    withExamples(
      new Command('psql')
        .description(
          'opens psql, read-only unless --as is given; what follows is passed on: psql -c "select 1"',
        )
        .addOption(
          new Option(
            '--as <role>',
            'the role that signs in, with its own rights; finance: reads bills, also those of erased persons; analyst: that of the demo organization, whose views it lists; learner: that of the learning data',
          ).choices(['owner', 'app', 'finance', 'analyst', 'learner']),
        )
        .argument('[arguments...]')
        .passThroughOptions()
        .allowUnknownOption()
        .action(runPsql),
      `${PROGRAM} psql`,
      ['-c "select count(*) from asset_snapshots"', '--as analyst'],
    ),
  );
  return withExamples(program, PROGRAM, ['status', 'psql --as analyst']);
}

const FOLDER = 'with the two files of a backup';

const COMMANDS = {
  init: command({
    words:
      'creates or completes database, extensions, roles and rights, as the superuser of DATABASE_ADMIN_URL, on Citus also on the workers of DATABASE_WORKER_ADMIN_URLS; to be repeated after every update of TimescaleDB or Citus, and for a new worker',
    examples: ['', '--database voltstream --new-passwords --json'],
    options: {
      database: option('<name>', `the database; else that of the given addresses, else ${DEFAULT_DATABASE}`),
      new_passwords: or(flag('gives roles that have a password a new one'), false),
      ...AS_JSON,
    },
    ...BY_ITSELF,
    work: init,
  }),
  migrate: command({
    words: 'brings the schema up to date, as the owner (DATABASE_OWNER_URL); any number may run at once',
    examples: ['', '--json'],
    options: AS_JSON,
    ...BY_ITSELF,
    work: migrate,
  }),
  status: command({
    words: 'says what ran and what would run; ends with 1 when something is pending',
    examples: ['', '--json'],
    options: AS_JSON,
    ...BY_ITSELF,
    work: status,
  }),
  backup: command({
    words:
      'copies the whole database into a new folder, as its owner (DATABASE_OWNER_URL), while everything works on; roles and their passwords are not in it',
    examples: ['/var/backups/voltstream-2026-11-27', './copy --json'],
    arguments: { folder: FOLDER },
    options: AS_JSON,
    ...BY_ITSELF,
    work: backup,
  }),
  restore: command({
    words:
      'makes a database out of a backup, as the superuser of DATABASE_ADMIN_URL: checks the files, makes the roles, restores, counts the rows; a database that has tables is refused',
    examples: ['/var/backups/voltstream-2026-11-27', './copy --database voltstream_copy --json'],
    arguments: { folder: FOLDER },
    options: {
      database: option('<name>', `the database; else that of the given addresses, else ${DEFAULT_DATABASE}`),
      ...AS_JSON,
    },
    ...BY_ITSELF,
    work: restore,
  }),
};

interface Form {
  readonly isJson: boolean;
}

async function init({ isJson }: Form, given: { database?: string; new_passwords: boolean }): Promise<void> {
  const { config, adminUrl, database, passwords } = administrated(given.database);
  const { unchanged, ...addresses } = await initDatabase({
    ...{ adminUrl, database, passwords },
    workerAdminUrls: config.DATABASE_WORKER_ADMIN_URLS,
    newPasswords: given.new_passwords,
  });
  await proveGivenRoles(config);
  const variables = variablesOf(addresses);
  if (isJson) return printLine(JSON.stringify({ ...variables, passwords_unchanged: unchanged }));
  printAddresses(config, variables, unchanged);
}

/** What a superuser's command is about. */
function administrated(named: string | undefined) {
  const config = readOwnerConfig(commandIo().environment);
  if (config.DATABASE_ADMIN_URL === undefined) {
    throw new ConfigurationError(
      'DATABASE_ADMIN_URL is missing: the superuser of the server, postgres://postgres:…@server/postgres',
    );
  }
  const roles = givenRoles(config);
  const database = named ?? roles.database ?? DEFAULT_DATABASE;
  if (roles.database !== undefined && roles.database !== database) {
    throw new ConfigurationError(
      `--database ${database}: the given addresses name the database ${roles.database}`,
    );
  }
  return { config, adminUrl: config.DATABASE_ADMIN_URL, database, passwords: roles.passwords };
}

const variablesOf = ({ ownerUrl, appUrl, maintenanceUrl }: DatabaseAddresses) => ({
  DATABASE_OWNER_URL: ownerUrl,
  DATABASE_URL: appUrl,
  DATABASE_MAINTENANCE_URL: maintenanceUrl,
});

function printAddresses(
  config: OwnerConfig,
  variables: ReturnType<typeof variablesOf>,
  unchanged: readonly string[],
): void {
  for (const name of Object.values(ROLE_VARIABLES)) {
    // The caller knows a password that was given, and the output of a container is kept in a log.
    if (config[name] === undefined) printLine(`${name}=${variables[name]}`);
    else commandIo().stderr.write(`${name}: as given\n`);
  }
  if (unchanged.length > 0) {
    commandIo().stderr.write(
      asTyped(
        `The passwords of ${unchanged.join(', ')} are as they were and not shown; npm run db -- init --new-passwords sets new ones.\n`,
      ),
    );
  }
}

async function backup({ isJson }: Form, { folder }: { folder: string }): Promise<void> {
  const { tables, bytes, taken_at } = await backupDatabase(ownerUrl(), resolve(folder));
  const rows = sumOf(tables);
  const made = { folder: resolve(folder), taken_at, bytes, tables: Object.keys(tables).length, rows };
  if (isJson) return printLine(JSON.stringify(made));
  printLine(
    `${made.folder}: ${rows.toLocaleString('en')} rows of ${made.tables} tables in ${bytes.toLocaleString('en')} bytes, as of ${taken_at}`,
  );
}

async function restore({ isJson }: Form, given: { folder: string; database?: string }): Promise<void> {
  const { config, adminUrl, database, passwords } = administrated(given.database);
  const { stderr } = commandIo();
  const report = (line: string) => void stderr.write(`${line}\n`);
  const restored = await restoreDatabase({
    ...{ adminUrl, database, passwords, report },
    folder: resolve(given.folder),
  });
  await proveGivenRoles(config);
  const { manifest, roles, unchanged } = restored;
  const rows = sumOf(manifest.tables);
  const analysts = manifest.tables['public.analysts'] ?? 0;
  const issuers = manifest.tables['public.issuers'] ?? 0;
  const variables = variablesOf(restored);
  const facts = { database, taken_at: manifest.taken_at, rows, roles_without_login: roles };
  if (isJson) return printLine(JSON.stringify({ ...variables, ...facts, passwords_unchanged: unchanged }));
  printAddresses(config, variables, unchanged);
  printLine(`${database}: ${rows.toLocaleString('en')} rows, as of ${manifest.taken_at}. What comes next:`);
  for (const line of [
    'npm run db -- migrate, where this version is newer than that of the backup',
    ...(analysts > 0
      ? [
          'cli analysts rotate NAME for each of cli analysts list: none may enter it before; the new passwords belong into DATA_SETS_ACCOUNTS and ANALYST_PASSWORD, where these are set',
        ]
      : []),
    ...(roles.length === 0
      ? []
      : [`made without a login, because the server lacked them: ${roles.join(', ')}`]),
    `erase again who was erased since ${manifest.taken_at} (cli customers erase)`,
    `end again, before the API starts, what access was ended since ${manifest.taken_at}: standings, clients and their secrets, grants, console users, analysts, secrets of webhooks, keys`,
    ...(issuers > 0
      ? [
          `GRANT CONNECT ON DATABASE "${database}" for each bookkeeper, on another server the whole account anew (member of voltstream_finance): a backup has neither`,
          'cli invoices begin-series for each organization, before the worker starts: lost documents keep their numbers',
          `no new file for the bank before each debit and refund since ${manifest.taken_at} is on a bill: keep those files, read the statements since then (cli payments import, assign)`,
          `cli audit verify --heads names the days since ${manifest.taken_at} while the file has their heads: keep those lines apart`,
        ]
      : []),
    'start the service with the ENCRYPTION_KEY and SECRET_PEPPER of then, and ask npm run cli -- doctor',
  ])
    printLine(`- ${asTyped(line)}`);
}

async function migrate({ isJson }: Form): Promise<void> {
  const report = isJson ? () => {} : (file: string) => printLine(file);
  const applied = await migrateDatabase(ownerUrl(), { report });
  if (isJson) printLine(JSON.stringify({ applied }));
  else if (applied.length === 0) printLine('The schema is up to date.');
}

async function status({ isJson }: Form): Promise<void> {
  const look = async (client: Client) => ({
    ...(await databaseVersions(client)),
    ...(await migrationStatus(client)),
  });
  const found = await withDatabaseClient(ownerUrl(), look, { variable: 'DATABASE_OWNER_URL' });
  const pending = found.pending.map((file) => file.name);
  const isOpen = pending.length + found.changed.length + found.unknown.length > 0;
  if (isOpen) endWith(1);
  if (isJson) return printLine(JSON.stringify({ ...found, pending }));
  const engine =
    found.citus === null ? `TimescaleDB ${found.timescaledb ?? 'missing'}` : `Citus ${found.citus}`;
  printLine(`PostgreSQL ${found.postgresql}, ${engine}`);
  printLine(`${found.applied.length} files ran`);
  for (const name of pending) printLine(`pending: ${name}`);
  for (const name of found.changed) printLine(`changed after it ran: ${name}`);
  for (const name of found.unknown) printLine(`not known to this version: ${name}`);
  if (!isOpen) printLine('The schema is up to date.');
}

function ownerUrl(): string {
  const { DATABASE_OWNER_URL } = readOwnerConfig(commandLineEnvironment());
  if (DATABASE_OWNER_URL === undefined) throw new ConfigurationError('DATABASE_OWNER_URL is missing');
  return DATABASE_OWNER_URL;
}
