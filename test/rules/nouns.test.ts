import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import '../../src/api/app.ts';
import { ruleCodes } from '../../src/platform/rule-codes.ts';
import { codeFiles, type ProjectFile, placesOf, projectFolder, withoutComments } from './project-files.ts';

/* What is a noun's stands in the folder of the noun, once, and the platform does not know of it. */

const files = codeFiles('src', 'workers');

interface SaidText {
  text: string;
  path: string;
}

/** The text that is handed to each call of a function; null where it is no text. */
function handedTo(name: string, among: readonly ProjectFile[]): (SaidText | { text: null; path: string })[] {
  const call = new RegExp(`(?<!function )\\b${name}(?:<[^>]*>)?\\(\\s*(?:'([^']*)')?`, 'g');
  return among.flatMap(({ path, text }) =>
    [...withoutComments(text).matchAll(call)].map(([, said]) => ({ path, text: said ?? null })),
  );
}

const prefixes = handedTo('newId', files);
const codes = handedTo('ruleCode', files);

test('the prefix of an id is written out, and two to eight small letters', () => {
  expect(prefixes.length).toBeGreaterThan(15);
  expect(prefixes.filter(({ text }) => text === null || !/^[a-z]{2,8}$/.test(text))).toEqual([]);
});

test('each prefix of an id is said in one file', () => {
  const filesOf = Map.groupBy(prefixes, ({ text }) => text);
  const twice = [...filesOf].map(([prefix, said]) => [prefix, ...new Set(said.map(({ path }) => path))]);
  expect(twice.filter((places) => places.length > 2)).toEqual([]);
});

test('each code of a rule is written out, declared once, and has a meaning for the page of error codes', () => {
  expect(codes.length).toBeGreaterThan(20);
  expect(codes.filter(({ text }) => text === null || !/^[a-z][a-z0-9_]*$/.test(text))).toEqual([]);
  const declared = codes.map(({ text }) => text).sort();
  expect(new Set(declared).size).toBe(declared.length);
  expect(ruleCodes().map(({ code }) => code)).toEqual(declared);
  for (const { meaning } of ruleCodes()) expect(meaning).toMatch(/^[A-Z0-9].{10,}[^.]$/);
});

/** Whose row it is, for whom a token acts, where a request came from, and the log of who did what are of the platform. */
const KNOWN_TO_PLATFORM = new Set(['organization', 'organizations', 'customer', 'address', 'audit_log']);

/** What names tables, or a noun, because it is about the whole. */
const ABOUT_TABLES = new Map([
  ['src/platform/database/tables.ts', 'written from the schema of the database'],
  ['src/platform/database/lock-order.ts', 'one order for all tables'],
  ['src/platform/database/nodes.ts', 'the roles as which nodes of Citus sign in to each other'],
  ['src/platform/deps.ts', 'the signal by which processes tell each other of changed assets'],
  ['src/platform/process/boot-check.ts', 'the rights on the one table of tenants without row-level security'],
]);

test('the platform says the name of no noun', () => {
  const nounsOf = (district: string) =>
    readdirSync(join(projectFolder, 'src', district), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'docs')
      .map(({ name }) => name);
  const districts = ['identity', 'telemetry', 'tariffs', 'contracts', 'billing', 'governance', 'pages'];
  const folders = ['events', 'spot-prices', ...districts.flatMap(nounsOf)];
  const plural = folders.map((name) => name.replaceAll('-', '_'));
  const singular = plural.map((name) => name.replace(/(?<=ss)es$|(?<!s)s$/, ''));
  const nouns = new Set([...folders, ...plural, ...singular].filter((name) => !KNOWN_TO_PLATFORM.has(name)));
  expect([...nouns]).toEqual(
    expect.arrayContaining(['meter-readings', 'meter_reading', 'addresses', 'household']),
  );

  const platform = files.filter(({ path }) => path.startsWith('src/platform/') && !ABOUT_TABLES.has(path));
  const found = platform.flatMap(({ path, text }) =>
    [...withoutComments(text).matchAll(/'([a-z_-]+)'/g)]
      .filter(([, said = '']) => [...nouns].some((noun) => `-${said}-`.search(`[_-]${noun}[_-]`) !== -1))
      .map(([said]) => `${path}: ${said}`),
  );
  expect(found).toEqual([]);
});

/** Participles without `-ed`. Those that are nouns as well, `Run` or `Set` for instance, are left out. */
const IRREGULAR =
  'Begun|Broken|Brought|Built|Chosen|Done|Drawn|Driven|Found|Given|Gone|Got|Heard|Held|Hidden|Kept|Known|Lent|Lost|Made|Met|Paid|Said|Seen|Sent|Shown|Sold|Spent|Struck|Taken|Thrown|Told|Understood|Won|Written';
const PARTICIPLE = `(?:[A-Z][a-z]*[b-df-z]ed|${IRREGULAR})`;
/** Declared by itself, or as a parameter of a type or of a function. */
const NAMED_BY_PARTICIPLE = new RegExp(
  [
    `\\b(?:interface|type|class|enum|infer) ${PARTICIPLE}\\b(?!\\s*[,}])`,
    `[<,]\\s*(?:const )?${PARTICIPLE}(?= extends\\b| = |[,>]\\s*(?:\\w+[,>]\\s*)*\\()`,
    `\\b(?:interface|type|class) \\w+<(?:\\w+, )*${PARTICIPLE}(?=[,>])`,
  ].join('|'),
);

test.each([
  'interface Told {',
  'type Known = string',
  'find<Found>(',
  'of<Row, Listed extends Row>',
  'type A<B, Made> =',
])('a type that is named by one participle is found: %s', (text) =>
  expect(text).toMatch(NAMED_BY_PARTICIPLE),
);

test('a type is named by what it holds, not by one participle', () => {
  expect('import { type Seed, feed } interface KnownAccount { type: Feed }').not.toMatch(NAMED_BY_PARTICIPLE);
  const typed = codeFiles('src', 'workers', 'load', 'scripts', 'client');
  expect(placesOf(typed, NAMED_BY_PARTICIPLE)).toEqual([]);
});
