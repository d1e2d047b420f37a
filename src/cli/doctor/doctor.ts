import {
  ConfigurationError,
  type Environment,
  type OwnerConfig,
  readCommandLineConfig,
  readOwnerConfig,
  readServiceConfig,
  VARIABLES_READ_BY,
} from '../../config/config.ts';
import { systemClock } from '../../platform/clock.ts';
import { adjustClock } from '../../platform/database/clock-difference.ts';
import { sqlFolder } from '../../platform/database/migration-files.ts';
import { command } from '../engine/command.ts';
import { flag, JSON_OBJECT, option } from '../engine/fields.ts';
import { asTyped, endWith } from '../engine/io.ts';
import { table } from '../engine/output.ts';
import { inputFile, withoutSession } from '../engine/session.ts';
import { fieldLines, type Screen } from '../engine/table.ts';
import { commandLineEnvironment } from '../environment.ts';
import { GATEWAY, gatewayCredentials } from '../simulation/credentials.ts';
import { type Check, type CheckLine, examine, failure, ok } from './check.ts';
import { databaseChecks, reachableCheck, withPatientDatabase } from './database.ts';
import { examineAsGateway } from './gateway.ts';
import { serviceChecks } from './service.ts';
import { surroundingChecks } from './surroundings.ts';

export const commands = command({
  words: 'what is wrong: database, Redis, clock, disk, prices, jobs, receivers, keys, each with its remedy',
  examples: ['', '--as-gateway --batch batch.json'],
  notes:
    'Ends with 1 when a check fails, also where warnings stand beside it; with warnings alone it ends with 0.',
  options: {
    as_gateway: flag(
      'looks from outside, as a gateway: name, TLS, clock, token, scope, and a batch, of which nothing is stored',
    ),
    batch: option(
      '<file>',
      'with --as-gateway: a body of POST /asset-snapshots; says why it would be refused',
    ),
    ...GATEWAY,
    ...JSON_OBJECT,
  },
  check: ({ as_gateway, ...given }) => {
    const [name] = Object.keys(given);
    if (as_gateway !== true && name !== undefined)
      throw new Error(`--${name.replaceAll('_', '-')} belongs to --as-gateway`);
  },
  session: withoutSession,
  work: async (_session, { as_gateway, batch, ...given }) => {
    const lines = as_gateway === true ? await examineGateway(batch, given) : await examineAll();
    const rows = lines.map((row) => ({
      ...row,
      found: asTyped(row.found),
      remedy: row.remedy && asTyped(row.remedy),
    }));
    if (rows.some(({ level }) => level === 'failure')) endWith(1);
    const count = (level: CheckLine['level']) => rows.filter((row) => row.level === level).length;
    return { failures: count('failure'), warnings: count('warning'), checks: rows };
  },
  print: ({ failures, warnings, checks }) => [
    table(checks, ['check', 'level', 'found']),
    '',
    (screen) => inFull(checks, screen),
    failures + warnings === 0
      ? 'All is well.'
      : `${counted(failures, 'failure')}, ${counted(warnings, 'warning')}.`,
  ],
});

/** What is not in order, with what to do: the table cuts sentences on a narrow terminal. */
function inFull(checks: readonly CheckLine[], screen: Screen): string[] {
  const lines = checks.filter(({ level }) => level !== 'ok');
  if (lines.length === 0) return [];
  const pairs = lines.flatMap(({ check, found, problems = [], remedy }) => [
    [check, found] as const,
    ...[...problems, `→ ${remedy}`].map((line) => ['', line] as const),
  ]);
  return [...fieldLines(pairs, screen), ''];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

async function examineGateway(
  file: string | undefined,
  given: Parameters<typeof gatewayCredentials>[0],
): Promise<CheckLine[]> {
  const credentials = await gatewayCredentials(given);
  if (file === undefined) return await examineAsGateway(credentials, undefined);
  const { name, bytes } = await inputFile(file);
  try {
    return await examineAsGateway(credentials, JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch (error) {
    if (error instanceof SyntaxError) throw new Error(`${name} is no JSON: ${error.message}`);
    throw error;
  }
}

async function examineAll(): Promise<CheckLine[]> {
  const environment = commandLineEnvironment();
  const { config, problems: ofCommands } = configurationOf(environment, readCommandLineConfig);
  /* A machine of commands alone lacks some of its variables. What is set is told as the API tells it. */
  const ofService = configurationOf(environment, readServiceConfig).problems.filter(
    (problem) => !problem.endsWith(' is missing'),
  );
  const { redisUrl, maintenanceUrl, problems: besides } = besidesOf(environment);
  const problems = [...new Set([...ofCommands, ...besides, ...ofService])];
  const configuration: Check = {
    name: 'configuration',
    remedy: 'docs/configuration.md explains each variable.',
    look: async () =>
      problems.length === 0
        ? ok('what commands need is there, and what is set is good')
        : problems.map((problem) => failure(problem, 'Correct it; docs/configuration.md explains each.')),
  };
  /* Where other variables are wrong, this one is looked at nevertheless. */
  const { BASE_URL: baseUrl } = config ?? environment;
  /* Where commands alone run, neither this variable nor that of Redis is read. */
  const isProcessMachine = environment.REDIS_URL !== undefined || environment.SMTP_URL !== undefined;
  const lacksMail = (environment.APP_ENV ?? 'production') === 'production' && !environment.SMTP_URL;
  const around = surroundingChecks({
    redisUrl,
    baseUrl,
    lacksMail: isProcessMachine ? lacksMail : null,
    folder: sqlFolder,
  });
  if (config === undefined) return await examine([configuration, ...around]);
  return await withPatientDatabase(config.DATABASE_URL, async (database) => {
    const [first, others] = await Promise.all([
      examine([configuration, reachableCheck(database)]),
      examine(around),
    ]);
    /* Each of the rest would wait as long to say the same. */
    if (first.some(({ check, level }) => check === 'database' && level === 'failure'))
      return [...first, ...others];
    const clock = systemClock();
    await adjustClock(database, clock).catch(() => {});
    const rest = await examine([
      ...databaseChecks(database, { clock, maintenanceUrl }),
      ...serviceChecks({ config, database, clock }),
    ]);
    return [...first, ...rest, ...others];
  });
}

function configurationOf<Config>(
  environment: Environment,
  read: (environment: Environment) => Config,
): { config?: Config; problems: string[] } {
  try {
    return { config: read(environment), problems: [] };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { problems: error.message.split('\n') };
  }
}

/** What a machine with the API, the worker or the owner's commands has beside it. A wrong variable hides none of the others. */
function besidesOf(environment: Environment) {
  const problems: string[] = [];
  const good = VARIABLES_READ_BY.setup.map((name) => {
    try {
      return [name, readOwnerConfig({ [name]: environment[name] })[name as keyof OwnerConfig]];
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      problems.push(...error.message.split('\n'));
      return [name, undefined];
    }
  });
  const { REDIS_URL: redisUrl, DATABASE_MAINTENANCE_URL: maintenanceUrl }: Partial<OwnerConfig> =
    Object.fromEntries(good);
  return { redisUrl, maintenanceUrl, problems };
}
