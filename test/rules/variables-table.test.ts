import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandLineEnvironment } from '../../src/cli/environment.ts';
import { readServiceConfig, readWorkerConfig, VARIABLES_READ_BY } from '../../src/config/config.ts';
import { composeFile } from './compose-file.ts';
import { projectFolder } from './project-files.ts';

/** The table of docs/configuration.md: each variable with the programs that it names as its readers. */
const table = new Map(
  [
    ...readFileSync(join(projectFolder, 'docs/configuration.md'), 'utf8').matchAll(
      /^\| `([A-Z][A-Z0-9_]+)` \| ([^|]+) \|/gm,
    ),
  ].map(([, name = '', readers = '']) => [name, readers]),
);

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

test.each([
  ['api', 'service', readServiceConfig],
  ['worker', 'worker', readWorkerConfig],
] as const)(
  'ops/%s.env has what the process needs, once each CHANGE-ME is replaced',
  (name, reader, read) => {
    const variables = commandLineEnvironment({}, join(projectFolder, `ops/${name}.env`));
    expect(Object.keys(variables).filter((key) => !VARIABLES_READ_BY[reader].includes(key))).toEqual([]);
    expect(() => read(variables)).toThrow('ENCRYPTION_KEY: needs at least 32 random bytes');
    const filled = Object.entries(variables).map(([key, value]) => [
      key,
      value?.replace('CHANGE-ME', 'k'.repeat(43)),
    ]);
    expect(read(Object.fromEntries(filled)).APP_ENV).toBe('production');
  },
);

test('mail of a trial is written where the container may write', () => {
  const { environment, tmpfs } = composeFile.services.api;
  const folder = /^\$\{MAIL_FOLDER:-(.+)\}$/.exec(environment.MAIL_FOLDER ?? '')?.[1] ?? '';
  expect(tmpfs?.some((place) => folder.startsWith(`${place}/`))).toBe(true);
});
