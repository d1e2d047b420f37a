import { expect, test } from 'vitest';
import { codeFiles, placesOf, projectFiles } from './project-files.ts';

const service = codeFiles('src', 'workers');
const all = codeFiles('src', 'workers', 'scripts', 'test', 'load');

/** Written by a script out of the database. */
const GENERATED = ['src/platform/database/tables.ts'];

function placesOutside(allowed: readonly RegExp[], pattern: RegExp, files = service): string[] {
  return placesOf(files, pattern).filter((place) => !allowed.some((path) => path.test(place)));
}

test('the environment is read in config/config.ts only', () => {
  const programs = codeFiles('src', 'workers', 'load');
  expect(
    placesOutside([/^src\/config\/config\.ts:/], /\bprocess\.env\b|\bprocess\['env'\]/, programs),
  ).toEqual([]);
});

test('F12 a failing commit of startTransaction() leaks its connection', () => {
  expect(placesOf(service, /\bstartTransaction\b/)).toEqual([]);
});

/*
 * COPY runs on a bare client, migrations and the setting up of a database run as other roles: these hold their
 * transactions in their own hands.
 */
test('transactions begin in platform/database/db.ts', () => {
  /* A backup lends its snapshot to pg_dump. */
  const backup = /^src\/cli\/backup\/backup\.ts:/;
  const database = /^src\/platform\/database\/(db|migrate|setup|copy)\.ts:/;
  const allowed = [database, backup, /^src\/telemetry\/snapshots\//];
  expect(placesOutside(allowed, /\.transaction\(|['"`]BEGIN\b(?! ATOMIC)/)).toEqual([]);
});

test('what is kept up to a size is kept by the one cache that drops what was used longest ago', () => {
  const dropped = /for \(const \[?oldest\b|const \[oldest\] =|\.keys\(\)\.next\(\)/;
  expect(placesOutside([/^src\/platform\/bounded-cache\.ts:/], dropped)).toEqual([]);
});

test('cookies, forgery tokens, page policies and the language of a reader are said in one room', () => {
  const room = [/^src\/platform\/http\/pages\//];
  expect(placesOutside(room, /@fastify\/(cookie|csrf-protection|helmet)|\.setCookie\(/)).toEqual([]);
  expect(placesOutside(room, /default-src|frame-ancestors|x-frame-options|accept-language'\]/)).toEqual([]);
});

test('money is rounded in one place, in the two ways that it has', () => {
  const allowed = [
    /^src\/platform\/money\.ts:/,
    /* Energy, the noise of floats in what others publish, and forecasts, which are no money. */
    /^src\/(contracts\/usage\/energy|spot-prices\/amounts)\.ts:/,
    /^src\/spot-prices\/forecast\//,
  ];
  expect(placesOutside(allowed, /toDecimalPlaces\(|Decimal\.ROUND_/)).toEqual([]);
});

test('the address of a caller is taken once, while the caller is there', () => {
  expect(placesOutside([/^src\/platform\/http\/server\.ts:/], /\brequest\.ip\b|\.ip\)/)).toEqual([]);
});

test('types and tables of a statement have nouns as names', () => {
  const types = /\b(?:interface|type|class) (?:Asked|Wanted)/;
  expect(placesOutside([], types, all)).toEqual([]);
  expect(placesOutside([], /\bAS (?:asked|wanted|one)\b(?!,)/, all)).toEqual([]);
});

test('texts become SQL in platform/database/db.ts and in migrations only', () => {
  expect(placesOutside([/^src\/platform\/database\/(db|migrate|setup)\.ts:/], /\bsql\.raw\b/)).toEqual([]);
});

test('a pool or a database is handed in, never imported by a rule', () => {
  const rules = service.filter((file) => /\/(service|queries|routes|batch|writer)\.ts$/.test(file.path));
  expect(placesOf(rules, /\bopenDatabase\b|new pg\.Pool/)).toEqual([]);
});

test('a broken stream leaves its partner hanging behind .pipe(): pipeline is used', () => {
  expect(placesOf(service, /\.pipe\(/).filter((place) => !isZodPipe(place))).toEqual([]);
});

/* Zod's own method of that name joins two schemas. */
function isZodPipe(place: string): boolean {
  return /\/(schema|wire-schemas|config)\.ts:/.test(place);
}

/*
 * A Date holds milliseconds: a text from the wire or the database would lose its microseconds on the way through it. From
 * whole milliseconds, a Date is fine.
 */
test('no Date is made from a text of the wire', () => {
  /* A client of the interface, which sends whole seconds. */
  const simulation = [/^src\/cli\/simulation\//];
  const notFromNumber = /new Date\((?!\)|0\)|from\)|[^;\n]*(?:illiseconds|getTime\(\)|[*/] 1_?000))/;
  expect(placesOutside(simulation, notFromNumber)).toEqual([]);
  expect(placesOutside(simulation, /\bDate\.parse\(/)).toEqual([]);
});

test('rules ask the clock that is handed in', () => {
  /* Lines of the log carry the time of this machine's clock. */
  const allowed = [/^src\/platform\/(clock|log\/output|log\/logger|http\/readiness)\.ts:/, /^src\/cli\//];
  expect(placesOutside(allowed, /\bDate\.now\(|new Date\(\s*\)|DateTime\.(now|utc|local)\(\s*\)/)).toEqual(
    [],
  );
});

test('chance comes from crypto or from a seed', () => {
  expect(placesOf(codeFiles('src', 'workers', 'load', 'test'), /\bMath\.random\b/)).toEqual([]);
});

test("the queue's own repeating jobs are not used", () => {
  expect(placesOf(service, /\bupsertJobScheduler\b|\brepeat:/)).toEqual([]);
});

test('the snapshot hypertable is named in src/telemetry/snapshots and in the list of what is stored of a person only', () => {
  const named = placesOutside(
    [
      /^src\/(telemetry\/snapshots|cli)\//,
      /^src\/governance\/personal-data\/places\.ts:/,
      /^src\/platform\/(database\/tables|process\/boot-check)\.ts:/,
    ],
    /\basset_snapshots\b/,
  );
  expect(named).toEqual([]);
});

test('only the metrics file knows the metrics library, only the queue file the queue, only redis the client', () => {
  expect(placesOutside([/^src\/platform\/metrics\.ts:/], /from 'prom-client'/)).toEqual([]);
  expect(placesOutside([/^src\/platform\/jobs\/queue\.ts:/], /import \{[^}]*\} from 'bullmq'/)).toEqual([]);
});

test('views escape what they show', () => {
  /* Another view is written out as it is: it has escaped what it shows. So is HTML that was made of our own documents. */
  const found = placesOf(projectFiles('src'), /<%~(?! include\('\.\/)/);
  expect(found).toEqual(['src/pages/docs/views/document.eta:1']);
});

test('no compiler is silenced, nothing is left for later', () => {
  const written = projectFiles('src', 'workers', 'scripts', 'sql', 'test', 'load');
  const marks = /@ts-(ignore|expect-error|nocheck)|\b(TODO|FIXME|XXX)\b/;
  const found = written.filter((file) => !file.path.startsWith('test/rules/') && marks.test(file.text));
  expect(found.map((file) => file.path)).toEqual([]);
});

test('every test runs', () => {
  expect(placesOf(codeFiles('test'), /\b(it|test|describe)\.(skip|only|todo)\b(?!If)/)).toEqual([]);
});

test('no module is mocked', () => {
  expect(placesOf(codeFiles('test'), /\bvi\.(mock|doMock|hoisted|stubGlobal)\(/)).toEqual([]);
});

test('a file fits into a head', () => {
  const long = all
    .filter((file) => !GENERATED.includes(file.path))
    .map((file) => ({ path: file.path, lines: file.text.split('\n').length }))
    .filter(({ lines }) => lines > 400)
    .map(({ path, lines }) => `${path} has ${lines} lines: split it by verb`);
  expect(long).toEqual([]);
});

test('names say what is inside', () => {
  const empty = /(^|\/)(utils?|helpers?|common|managers?|misc)([-.][^/]*)?(\/|$)/;
  const paths = projectFiles('src', 'workers', 'scripts', 'sql', 'test', 'load').map((file) => file.path);
  expect(paths.filter((path) => empty.test(path))).toEqual([]);
  const code = paths.filter((path) => /\.(ts|mjs|sql)$/.test(path));
  expect(
    code.filter(
      (path) =>
        !/^[a-z0-9/-]+(\.wire|\.config|(\.long|\.sampled)?\.test)?\.(ts|mjs|sql)$/.test(
          path.replace('.openapi', ''),
        ),
    ),
  ).toEqual([]);
});
