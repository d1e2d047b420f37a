import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandLineEnvironment } from '../../src/cli/environment.ts';
import {
  ConfigurationError,
  OWN_PREFIXES,
  readCommandLineConfig,
  readServiceConfig,
  readWorkerConfig,
  VARIABLES_READ_BY,
} from '../../src/config/config.ts';
import { sourceVariables } from '../../src/config/prices.ts';
import { traceVariables } from '../../src/config/traces.ts';
import { BodyRoom } from '../../src/platform/body/room.ts';
import { runDatabaseCommand } from '../cli/command-line.ts';
import { composeFile } from './compose-file.ts';
import { codeFiles, importsOf, projectFolder, withoutComments } from './project-files.ts';

const page = readFileSync(join(projectFolder, 'docs/configuration.md'), 'utf8');

const rows = [...page.matchAll(/^\| `([A-Z][A-Z0-9_]+)` \| ([^|]+) \| ([^|]+) \|/gm)].map(
  ([, name = '', readers = '', byDefault = '']) => ({ name, readers, byDefault }),
);

/** Its table: each variable with the programs that it names as its readers. */
const table = new Map(rows.map(({ name, readers }) => [name, readers]));

const namesOf = (reader: RegExp) =>
  [...table].filter(([, readers]) => readers === 'all' || reader.test(readers)).map(([name]) => name);

const READERS = [
  ['service', /\bservice\b/],
  ['worker', /\bworker\b/],
  ['cli', /\bcli\b|\bcommand line\b/],
] as const;

describe('the table of variables', () => {
  test.each(READERS)('names the %s with each variable that it reads, and with no other', (reader, word) => {
    expect(namesOf(word).sort()).toEqual([...VARIABLES_READ_BY[reader]].sort());
  });

  test.each([
    ['api', READERS[0]],
    ['worker', READERS[1]],
  ] as const)('is what compose passes to the %s: every variable, and no other', (service, [, word]) => {
    expect(Object.keys(composeFile.services[service].environment).sort()).toEqual(namesOf(word).sort());
  });

  test('names for the set-up what compose passes to it', () => {
    const passed = Object.keys(composeFile.services.setup.environment);
    expect(passed.filter((name) => !VARIABLES_READ_BY.setup.includes(name))).toEqual([]);
    const named = namesOf(/npm run db/).filter((name) => table.get(name) !== 'all');
    expect(named.filter((name) => !passed.includes(name))).toEqual([]);
  });
});

/** The configuration itself makes something of these. */
const MADE_OF: Record<string, string> = { DOCS_BASE: 'docsBase', API_PROCESSES: 'processes' };
const OF_CONFIGURATION = [...sourceVariables, ...Object.keys(traceVariables).map((name) => ({ name }))];

test.each([
  ['service', 'src/main.ts'],
  ['worker', 'workers/main.ts'],
  ['cli', 'src/cli/main.ts'],
] as const)('the %s uses each variable that it reads', (reader, main) => {
  const files = new Map(codeFiles('src', 'workers').map((file) => [file.path, file]));
  const reached = new Set<string>([main]);
  let code = '';
  for (const path of reached) {
    const file = files.get(path);
    if (file === undefined) continue;
    for (const { target, typeOnly } of importsOf(file)) if (!typeOnly) reached.add(target);
    if (!path.startsWith('src/config/')) code += withoutComments(file.text);
  }
  const unused = VARIABLES_READ_BY[reader].filter(
    (name) =>
      !OF_CONFIGURATION.some((made) => made.name === name) &&
      !new RegExp(`\\b${MADE_OF[name] ?? name}\\b`).test(code),
  );
  expect(reached.size).toBeGreaterThan(300);
  expect(unused).toEqual([]);
});

const KEY = 'k'.repeat(43);
/** What has no default. */
const MINIMAL = {
  ...{ BASE_URL: 'https://energy.example.com', REDIS_URL: 'redis://127.0.0.1:1' },
  ...{ DATABASE_URL: 'postgres://a:b@127.0.0.1/c', DATABASE_MAINTENANCE_URL: 'postgres://a:b@127.0.0.1/c' },
  ...{ SECRET_PEPPER: KEY, ENCRYPTION_KEY: KEY, CURSOR_KEY: KEY },
};

/** Said where traces are begun, and not by the configuration. */
const ELSEWHERE = ['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_SERVICE_NAME'];

describe('what holds without a variable', () => {
  test.each([
    ['service', readServiceConfig, 40],
    ['worker', readWorkerConfig, 30],
    ['cli', readCommandLineConfig, 15],
  ] as const)('is for the %s what the table says', (reader, read, least) => {
    const config = new Map(Object.entries(read(MINIMAL)));
    const differing: string[] = [];
    let compared = 0;
    for (const { name, byDefault } of rows) {
      if (name in MINIMAL || ELSEWHERE.includes(name)) continue;
      if (!VARIABLES_READ_BY[reader].some((known) => known === name)) continue;
      const own = new RegExp(`; ${reader} (\\S+)`).exec(byDefault)?.[1];
      const [, quoted, number, none] = /^(?:`([^`{]+)`|([\d.]+)|(none))(?=$|[:;,])/.exec(byDefault) ?? [];
      const text = own ?? quoted ?? number ?? (none && '');
      if (text === undefined) continue;
      compared += 1;
      const value = config.get(name) ?? '';
      const found = String(typeof value === 'object' ? Object.values(value) : value);
      if (found !== text) differing.push(`${name}: ${text}, and it is ${found}`);
    }
    expect(differing).toEqual([]);
    expect(compared).toBeGreaterThan(least);
  });

  test('is for limits what callers, gateways and operators were told', () => {
    expect(readServiceConfig(MINIMAL)).toMatchObject({
      ...{ TOKEN_REQUESTS_PER_SECOND: 5, TOKEN_REQUESTS_BURST: 20 },
      ...{ TOKEN_FAILURES_MAX: 10, TOKEN_FAILURES_OF_ADDRESS_MAX: 100, TOKEN_FAILURES_ALARM: 300 },
      ...{ INGEST_ROOM_MEBIBYTES: 64, OVERLOAD_EVENT_LOOP_DELAY_MILLISECONDS: 1_000 },
      ...{ DATABASE_CONNECTIONS_MAX: 16, DATABASE_WAIT_MILLISECONDS_MAX: 2_000 },
      ...{ SHUTDOWN_DELAY_SECONDS: 5, SNAPSHOT_RETENTION_MONTHS: 13 },
    });
    expect(readWorkerConfig(MINIMAL)).toMatchObject({
      ...{ DATABASE_CONNECTIONS_MAX: 8, QUARTER_HOUR_RETENTION_MONTHS: 36 },
    });
    expect(new BodyRoom().waitMilliseconds).toBe(2_000);
  });
});

test.each([
  ['api', 'service', readServiceConfig],
  ['worker', 'worker', readWorkerConfig],
] as const)(
  'ops/%s.env has what the process needs, once each CHANGE-ME is replaced',
  (name, reader, read) => {
    const variables = commandLineEnvironment({}, join(projectFolder, `ops/${name}.env`));
    expect(Object.keys(variables).filter((key) => !VARIABLES_READ_BY[reader].includes(key))).toEqual([]);
    const empty = Object.keys(variables).filter((key) => variables[key]?.includes('CHANGE-ME'));
    expect(empty).toEqual(expect.arrayContaining(['ENCRYPTION_KEY', 'DATABASE_URL']));
    for (const key of empty) expect(() => read(variables)).toThrow(`${key}: CHANGE-ME stands where a value`);
    const filled = Object.entries(variables).map(([key, value]) => [
      key,
      value?.replace('CHANGE-ME', 'k'.repeat(43)),
    ]);
    expect(read(Object.fromEntries(filled)).APP_ENV).toBe('production');
  },
);

test('db init sets no password that a sample has', async () => {
  const address = 'postgres://voltstream_app:CHANGE-ME@127.0.0.1:1/voltstream';
  const given = { DATABASE_ADMIN_URL: 'postgres://postgres:x@127.0.0.1:1/postgres', DATABASE_URL: address };
  expect(await runDatabaseCommand(given, 'init')).toMatchObject({
    ...{ exitCode: 1, stdout: '' },
    stderr: 'DATABASE_URL: CHANGE-ME stands where a value of your own belongs\n',
  });
});

test('mail of a trial is written where the container may write', () => {
  const { environment, tmpfs } = composeFile.services.api;
  const folder = /^\$\{MAIL_FOLDER:-(.+)\}$/.exec(environment.MAIL_FOLDER ?? '')?.[1] ?? '';
  expect(tmpfs?.some((place) => folder.startsWith(`${place}/`))).toBe(true);
});

describe('a configuration with mistakes', () => {
  const problemsOf = (read: (environment: Record<string, string>) => unknown, variables: object) => {
    try {
      read({ ...variables });
    } catch (error) {
      if (error instanceof ConfigurationError) return error.message.split('\n');
      throw error;
    }
    return [];
  };

  test('every problem is listed at once, also those of variables that are good by themselves', () => {
    const variables = {
      BASE_URL: 'http://energy.example.com',
      AUTH_URL: 'https://energy.example.com/auth',
      DATABASE_URL: 'mysql://x',
      DATABASE_CONNECTIONS_MAX: '8',
      API_PROCESSES: '3',
      CORS_ORIGIN: 'https://app.example.com',
      PRICES_SMARD_URL: 'http://127.0.0.1:4310/smard',
      DEMO_CLIENT: 'oac_x:y',
    };
    const problems = problemsOf(readServiceConfig, variables);
    expect(problems.map((problem) => problem.split(/[: ]/)[0]).sort()).toEqual([
      'BASE_URL',
      ...['CORS_ORIGIN', 'CURSOR_KEY', 'DATABASE_CONNECTIONS_MAX', 'DATABASE_URL', 'DEMO_CLIENT'],
      ...['ENCRYPTION_KEY', 'PRICES_SMARD_URL', 'REDIS_URL', 'SECRET_PEPPER', 'SMTP_URL'],
    ]);
  });

  test('a variable that is wrong by itself is named once', () => {
    const variables = { AUTH_URL: 'https://energy.example.com/auth', SMTP_URL: 'mail.example.com' };
    const problems = problemsOf(readServiceConfig, variables).filter((problem) =>
      problem.includes('SMTP_URL'),
    );
    expect(problems).toEqual(['SMTP_URL: needs an smtp:// or smtps:// address']);
  });

  test('docs/configuration.md names each beginning of a name that is refused, and no other', () => {
    const [, sentence = ''] =
      /another\s+name\s+that\s+begins\s+so\s+is\s+an\s+error:([^.]*)\./.exec(page) ?? [];
    expect([...sentence.matchAll(/`(\w+)…`/g)].map(([, name]) => name).sort()).toEqual(
      [...OWN_PREFIXES].sort(),
    );
  });

  test.each([
    ...['AUDIT_SIGNING_KEYS', 'QUARTER_HOUR_RETENTION', 'METRICS_TOKENS', 'SMTP_URI', 'TRUSTED_PROXIE'],
    ...['CORS_ORIGIN', 'DATABASE_CONNECTIONS', 'REDIS_ANSWER_MILLISECONDS', 'SNAPSHOT_RETENTION_MONTH'],
  ])('%s is refused as a spelling mistake', (name) => {
    const problems = [readServiceConfig, readWorkerConfig].flatMap((read) =>
      problemsOf(read, { [name]: '1' }),
    );
    expect(problems).toContain(`${name} is not a variable of this service`);
  });

  test('the shell of a command may have names that only look like variables of the API', () => {
    const variables = { CORS_ORIGIN: '*', METRICS_TOKENS: 'x', SMTP_URI: 'x' };
    const problems = problemsOf(readCommandLineConfig, variables);
    expect(problems.filter((problem) => problem.includes('is not a variable'))).toEqual([]);
  });
});
