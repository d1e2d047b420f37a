import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerOf, type CookbookQuery, cookbook } from '../../../scripts/cookbook.ts';
import { projectFolder } from '../../../scripts/data-folder.mjs';
import { postgresProgram } from '../../../scripts/local-services.ts';
import { cookbookPage, withSample } from '../../../scripts/write-query-samples.ts';
import { LEARNING_ORGANIZATION } from '../../../src/cli/demo/learning/households.ts';
import { exportRows } from '../../../src/governance/exports/export.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { engine } from '../../setup/engine.ts';
import { storeLearningData, sumLearningData } from '../../setup/learning.ts';
import { isLongTier } from '../../setup/tier.ts';
import { Accounts, act } from './account.ts';
import { heldEnergy, type PowerValue } from './held-energy.ts';
import { rowsRead } from './rows-read.ts';

/* The questions of the cookbook, then those of docs/notebooks.md: to store the learning data takes seconds. */

let database: TestDatabase;
let accounts: Accounts;
let admin: pg.Client;
let analyst: pg.Client;
let address: string;
let folder: string;
let queries: CookbookQuery[];

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  await storeLearningData(database);
  await sumLearningData(database);
  accounts = new Accounts(database);
  ({ address } = await accounts.make(LEARNING_ORGANIZATION.id));
  analyst = await accounts.connect(address);
  folder = mkdtempSync(join(tmpdir(), 'voltstream-guide-'));
  queries = await cookbook();
});
afterAll(async () => {
  await accounts?.close();
  await admin?.end();
  await database?.drop();
  if (folder !== undefined) rmSync(folder, { recursive: true });
});

type Row = Record<string, string | null>;

/** Rows of one query of the cookbook, by the number in its name. */
async function rowsOf(number: string): Promise<Row[]> {
  const query = queries.find(({ name }) => name.startsWith(`${number}-`));
  if (query === undefined) throw new Error(`There is no query ${number}`);
  const { columns, rows } = await answerOf(analyst, query);
  return rows.map((row) => Object.fromEntries(columns.map((name, column) => [name, row[column] ?? null])));
}

/** What an asset sent, straight from the table. */
async function valuesOf(asset: string): Promise<PowerValue[]> {
  const { rows } = await admin.query<PowerValue>(
    `SELECT (extract(epoch FROM s.timestamp) * 1000)::float8 AS at, s.power_kw
       FROM asset_snapshots AS s JOIN assets AS a ON a.key = s.asset_id WHERE a.id = $1 ORDER BY s.timestamp`,
    [asset],
  );
  return rows;
}

/** Stored prices in ct/kWh by the instant at which they begin, ascending. */
async function prices(): Promise<Map<number, number>> {
  const { rows } = await admin.query<{ at: number; ct: number }>(
    `SELECT (extract(epoch FROM interval_start) * 1000)::float8 AS at, (amount / 10)::float8 AS ct
       FROM spot_prices ORDER BY interval_start`,
  );
  return new Map(rows.map(({ at, ct }) => [at, ct]));
}

const dayText = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', dateStyle: 'short' });
const dayOf = (at: number) => dayText.format(at);

test('each query finds rows, those that stand in its file (else: node scripts/node.mjs scripts/write-query-samples.ts)', async () => {
  expect(readFileSync(join(projectFolder, 'docs/queries.md'), 'utf8')).toBe(cookbookPage(queries));
  for (const query of queries) {
    const answer = await answerOf(analyst, query);
    expect([query.name, query.text]).toEqual([query.name, withSample(query, answer)]);
    /* No receiver was ever sent anything: a delivery would be a lie. */
    expect([query.name, answer.rows.length === 0]).toEqual([query.name, query.name.startsWith('31-')]);
  }
});

test('each query asks a question, says its parameters first, and is one statement that runs anywhere', () => {
  for (const { name, question, statement } of queries) {
    expect([name, question]).toEqual([name, expect.stringMatching(/^[A-Z].*\?$/)]);
    expect([name, statement]).toEqual([
      name,
      expect.stringMatching(/^WITH params AS NOT MATERIALIZED \(\n {2}SELECT /),
    ]);
    expect([name, statement.trim().indexOf(';')]).toEqual([name, statement.trim().length - 1]);
    expect([name, statement]).toEqual([name, expect.not.stringMatching(/\\|:'|\$\d|\bnow\(\)/)]);
  }
});

/** They ask for the newest value or the first one of an asset, which may be of any time. A node looks for it and sends only that. */
const LOOKS_BEFORE_ITS_DAYS = {
  timescaledb: ['05-dead-gateways', '35-gateways-that-never-sent'],
  citus: [],
};

/** What tells whether a statement reads rows of a month: the chunks in its plan, on Citus how many rows came over. */
async function readBy(statement: string): Promise<string> {
  if (engine === 'citus') return `${await rowsRead(analyst, statement)} rows`;
  const { rows } = await analyst.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${statement}`);
  const chunks = rows.flatMap((row) => row['QUERY PLAN'].match(/\b_hyper_\d+_\d+_chunk\b/g) ?? []);
  return [...new Set(chunks)].sort().join(' ');
}

async function readByAll(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { name, statement } of queries) found.set(name, await readBy(statement));
  return found;
}

test('no query reads sums or snapshots of other months than those of its days', async () => {
  const before = await readByAll();
  await admin.query(
    `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw) SELECT key, '2026-02-03T12:00Z', 1 FROM assets`,
  );
  await admin.query(
    `INSERT INTO asset_quarter_hours (asset_id, start, samples, connected_samples, covered_seconds, consumed_kwh, fed_kwh)
     SELECT key, '2026-02-03T12:00Z', 0, 0, 900, 0.25, 0 FROM assets`,
  );
  try {
    const after = await readByAll();
    const changed = queries.map(({ name }) => name).filter((name) => before.get(name) !== after.get(name));
    expect(changed).toEqual(LOOKS_BEFORE_ITS_DAYS[engine]);
  } finally {
    await admin.query("DELETE FROM asset_snapshots WHERE timestamp < '2026-03-01'");
    await admin.query("DELETE FROM asset_quarter_hours WHERE start < '2026-03-01'");
  }
});

test('settled usage beside own measurements is read once, not for each row of the other', async () => {
  const isOfDays = (view: string) => `${view}.start >= '2026-10-20' AND ${view}.start < '2026-10-22'`;
  await admin.query('ANALYZE usage_quarter_hours');
  const join = 'usage_quarter_hours AS u JOIN household_energy AS e USING (household, start)';
  expect(
    await rowsRead(analyst, `SELECT * FROM ${join} WHERE ${isOfDays('u')} AND ${isOfDays('e')}`),
  ).toBeLessThan(3 * 2 * 96 * 27);
});

test('import and export of a household are those of its values, added up one by one', async () => {
  const days = new Map<string, { consumed: number; fed: number }>();
  for (const [start, { consumed, fed }] of heldEnergy(await valuesOf('ast_learning0000000000001net'))) {
    const day = days.get(dayOf(start)) ?? { consumed: 0, fed: 0 };
    days.set(dayOf(start), { consumed: day.consumed + consumed, fed: day.fed + fed });
  }
  const rows = await rowsOf('02');
  expect(rows).toHaveLength(30);
  for (const { delivery_day, import_kwh, export_kwh } of rows) {
    const day = days.get(delivery_day ?? '');
    expect(Number(import_kwh), `${delivery_day}`).toBeCloseTo(day?.consumed ?? -1, 1.9);
    expect(Number(export_kwh), `${delivery_day}`).toBeCloseTo(day?.fed ?? -1, 1.9);
  }
});

test('cost is the sum of each quarter hour times its price', async () => {
  const [energy, priceAt] = [heldEnergy(await valuesOf('ast_learning0000000000003net')), await prices()];
  const months = new Map<string, { kwh: number; eur: number }>();
  for (const [start, { consumed }] of energy) {
    const price = priceAt.get(start);
    if (price === undefined) continue;
    const month = `${dayOf(start).slice(0, 7)}-01`;
    const sum = months.get(month) ?? { kwh: 0, eur: 0 };
    months.set(month, { kwh: sum.kwh + consumed, eur: sum.eur + (consumed * (price + 1.5)) / 100 });
  }
  const rows = (await rowsOf('09')).filter(({ household }) => household === 'dom_learning0000000000000003');
  expect(rows.map(({ month }) => month)).toEqual(['2026-10-01', '2026-11-01']);
  for (const { month, dynamic_eur, flat_eur } of rows) {
    const sum = months.get(month ?? '') ?? { kwh: 0, eur: 0 };
    expect(Number(dynamic_eur)).toBeCloseTo(sum.eur, 1.9);
    expect(Number(flat_eur)).toBeCloseTo(sum.kwh * 0.125, 1.9);
  }
});

test('charging in the cheapest hours is what falls on the sixteen cheapest quarter hours of each day', async () => {
  const [energy, priceAt] = [heldEnergy(await valuesOf('ast_learning000000002wallbox')), await prices()];
  const ofDay = Map.groupBy(priceAt, ([start]) => dayOf(start));
  let [all, cheap] = [0, 0];
  for (const day of ofDay.values()) {
    const cheapest = day.toSorted((a, b) => a[1] - b[1] || a[0] - b[0]).slice(0, 16);
    for (const [start] of day) all += energy.get(start)?.consumed ?? 0;
    for (const [start] of cheapest) cheap += energy.get(start)?.consumed ?? 0;
  }
  const row = (await rowsOf('03')).find(({ household }) => household === 'dom_learning0000000000000002');
  expect(Number(row?.charged_kwh)).toBeCloseTo(all, 0.9);
  expect(Number(row?.in_cheapest_kwh)).toBeCloseTo(cheap, 0.9);
  expect(cheap).toBeGreaterThan(100);
});

test('months, the peak of all and the profile of days are those of the values, added up one by one', async () => {
  const net: ReturnType<typeof heldEnergy>[] = [];
  for (const number of [1, 2, 3, 4, 5])
    net.push(heldEnergy(await valuesOf(`ast_learning000000000000${number}net`)));
  const october = [...(net[2] ?? [])].filter(([start]) => dayOf(start) < '2026-11-01');
  const month = (await rowsOf('24')).find(
    ({ household, month: first }) => household === 'dom_learning0000000000000003' && first === '2026-10-01',
  );
  expect(Number(month?.import_kwh)).toBeCloseTo(
    october.reduce((sum, [, { consumed }]) => sum + consumed, 0),
    0.9,
  );
  const of = (type: string) => async (delivery: string) =>
    (await rowsOf('25')).find(({ delivery_day, type: kind }) => delivery_day === delivery && kind === type);
  const day = await of('household_net')('2026-10-25');
  const onDay = net.flatMap((sums) => [...sums].filter(([start]) => dayOf(start) === '2026-10-25'));
  expect(Number(day?.consumed_kwh)).toBeCloseTo(
    onDay.reduce((sum, [, { consumed }]) => sum + consumed, 0),
    0.9,
  );
  const [peak] = await rowsOf('26');
  const at = Date.parse(`${String(peak?.start).replace(' ', 'T')}:00`);
  expect(Number(peak?.peak_kw)).toBeCloseTo(
    net.reduce((sum, sums) => sum + 4 * (sums.get(at)?.consumed ?? 0), 0),
    1.9,
  );
});

test('the gateway that fell silent and the gap are found, and nothing else', async () => {
  expect(await rowsOf('05')).toEqual([
    expect.objectContaining({
      household: 'dom_learning0000000000000005',
      newest: '2026-10-30 08:56:55+01',
    }),
  ]);
  const gaps = (await rowsOf('06')).map(({ household, silent_from, hours }) => [
    household,
    silent_from,
    hours,
  ]);
  expect(gaps).toEqual([
    ['dom_learning0000000000000005', '2026-10-30 09:00:00+01', '231.00'],
    ['dom_learning0000000000000002', '2026-10-20 08:15:00+02', '6.50'],
  ]);
});

test('time that is not summed yet is not time without a value', async () => {
  const newestWeek = async () => (await rowsOf('15')).findLast(({ household }) => household?.endsWith('1'));
  const whole = await newestWeek();
  expect(whole).toMatchObject({ week: '2026-11-02', days: '7', covered_percent: '100.00' });
  await admin.query(
    `CREATE TEMP TABLE before AS TABLE quarter_hour_progress;
     CREATE TEMP TABLE to_come AS SELECT * FROM asset_quarter_hours WHERE start >= '2026-11-08T11:00Z';
     DELETE FROM asset_quarter_hours WHERE start >= '2026-11-08T11:00Z';
     UPDATE quarter_hour_progress SET summed_until = '2026-11-08T11:00Z'`,
  );
  expect(await newestWeek()).toEqual(whole);
  await admin.query('INSERT INTO asset_quarter_hours SELECT * FROM to_come');
  await admin.query('UPDATE quarter_hour_progress SET summed_until = (SELECT summed_until FROM before)');
});

test('the day of the clock change has 25 hours, and the one from 02:00 twice', async () => {
  const rows = await rowsOf('11');
  expect(rows.map(({ hour }) => Number(hour))).toEqual([
    0,
    1,
    2,
    ...Array.from({ length: 22 }, (_, at) => at + 2),
  ]);
  expect(rows.filter(({ hour }) => hour === '2').map((row) => row.utc_offset_hours)).toEqual(['2', '1']);
  expect(new Set(rows.map(({ quarter_hours }) => quarter_hours))).toEqual(new Set(['4']));
});

test('docs/trust.md: each query is answered, and the one about cover begins with the households that were silent', async () => {
  const page = readFileSync(join(projectFolder, 'docs/trust.md'), 'utf8');
  const answers: Row[][] = [];
  for (const [, query = ''] of page.matchAll(/```sql\n([\s\S]*?)```/g)) {
    answers.push((await analyst.query<Row>(query)).rows);
  }
  expect(answers.map((rows) => rows.length > 0)).toEqual(answers.map(() => true));
  const silent = (answers[0] ?? []).filter(({ cover }) => cover === '0.000');
  expect([silent.length, silent[0]?.household]).toEqual([9, 'dom_learning0000000000000005']);
});

/* The guide's own lines, on the learning data. Python, R and DuckDB’s extension are not part of the tests: their SQL is. */
const guide = readFileSync(join(projectFolder, 'docs/notebooks.md'), 'utf8');

/** Code blocks of a section, in their order. */
function blocks(section: string): string[] {
  const text = guide.split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...text.matchAll(/```\w+\n([\s\S]*?)```/g)].map(([, block = '']) => block);
}

/* Bash and two times psql. By `npm test` the statement of psql is asked below, with those of Python, R and DuckDB. */
test.runIf(isLongTier)(
  'the guide’s lines for the shell sign in with a pasted address and answer',
  async () => {
    const [signIn = ''] = blocks('An address');
    const [psql = ''] = blocks('psql');
    const program = postgresProgram('psql');
    const script = `${signIn.replace('read -rs address', 'read -r address')}\n${psql}`;
    const env = {
      PATH: `${dirname(program)}:${process.env.PATH}`,
      LANG: 'C.UTF-8',
      PSQLRC: '/dev/null',
      PAGER: 'cat',
    };
    const running = promisify(execFile)('bash', ['-ec', script], { cwd: folder, env });
    running.child.stdin?.end(`${address}\n`);
    const { stdout } = await running;
    expect(stdout).toContain('newest_snapshots');
    expect(stdout.match(/^ dom_learning\d+ +\| +\d+\.\d$/gm)).toHaveLength(5);
    const prices = readFileSync(join(folder, 'prices.csv'), 'utf8').trim().split('\n');
    expect(prices[0]).toMatch(/^zone,start,minutes,/);
    expect(prices).toHaveLength(101);
  },
);

test('the guide’s question in Python holds three days with their 96 and 100 quarter hours', async () => {
  const question = /QUESTION = """([^"]*)"""/.exec(blocks('Python')[0] ?? '')?.[1] ?? '';
  const text = question.replace('%(first)s', '$1').replace('%(last)s', '$2');
  const { rows } = await analyst.query(text, ['2026-10-24', '2026-10-26']);
  const households = new Set(rows.map((row) => row.household));
  expect(households.size).toBe(5);
  expect(rows.filter((row) => row.household === [...households][0])).toHaveLength(96 + 100 + 96);
});

/** Figures by day and household, to the tenth of a kWh. */
const figures = (rows: readonly Record<string, unknown>[], kwh = 'kwh') => {
  const sums = new Map<string, number>();
  for (const row of rows) {
    const name = `${dayText.format(dayAt(row))} ${row.household}`;
    sums.set(name, (sums.get(name) ?? 0) + Number(row[kwh]));
  }
  return Object.fromEntries([...sums].sort().map(([name, sum]) => [name, sum.toFixed(1)]));
};
const dayAt = ({ start, delivery_day }: Record<string, unknown>) =>
  start instanceof Date ? start : new Date(`${String(delivery_day)}T12:00:00Z`);

test('psql, Python, R and DuckDB give one figure for what a household used on a day', async () => {
  pg.types.setTypeParser(pg.types.builtins.DATE, String);
  const ofPsql = /"(SELECT household[^"]*)"/.exec(blocks('psql')[0] ?? '')?.[1] ?? '';
  const ofPython = /QUESTION = """([^"]*)"""/.exec(blocks('Python')[0] ?? '')?.[1] ?? '';
  const ofR = /"(SELECT [^"]*)"/.exec(blocks('R')[0] ?? '')?.[1] ?? '';
  const [ofFile = '', ofServer = ''] = blocks('DuckDB');
  const ofDuckDb = /postgres_query\('voltstream', '([\s\S]*)'\);/.exec(ofServer)?.[1] ?? '';
  const days = ['2026-10-24', '2026-10-26'];
  const r = figures((await analyst.query(ofR, days)).rows);
  expect(Object.keys(r)).toHaveLength(15);
  const { rows } = await analyst.query(ofPython.replace('%(first)s', '$1').replace('%(last)s', '$2'), days);
  expect(figures(rows, 'consumption_kwh')).toEqual(r);
  expect(figures((await analyst.query(ofDuckDb.replaceAll("''", "'"))).rows)).toEqual(r);
  expect(figures(await inFile(ofFile))).toEqual(r);
  const psql = (await analyst.query(ofPsql)).rows.map((row) => ({ ...row, delivery_day: '2026-10-25' }));
  const ofDay = Object.entries(r).filter(([name]) => name.startsWith('2026-10-25'));
  expect(figures(psql)).toEqual(Object.fromEntries(ofDay));
});

test('the guide’s question in Grafana is answered', async () => {
  const ofGrafana = blocks('Grafana')[0]?.replace(
    '$__timeFilter(start)',
    "start >= '2026-10-25' AND start < '2026-10-26'",
  );
  expect((await analyst.query(ofGrafana ?? '')).rows).toHaveLength(5 * 100);
});

/** What DuckDB answers to a question about a file of `export`. */
async function inFile(question: string): Promise<Record<string, unknown>[]> {
  const name = /'([^']*\.parquet)'/.exec(question)?.[1] ?? '';
  const task = {
    what: 'energy',
    organization: LEARNING_ORGANIZATION.id,
    household: null,
    format: 'parquet',
    from: '2026-10-24',
    to: '2026-10-27',
  } as const;
  const file = join(folder, name);
  await exportRows({ database: accounts.owner }, { ...task, file }, act);
  const duckDb = await DuckDBInstance.create(':memory:');
  const connection = await duckDb.connect();
  const rows = (await connection.runAndReadAll(question.replace(name, file))).getRowObjectsJson();
  connection.closeSync();
  duckDb.closeSync();
  rmSync(file);
  return rows;
}

test('the guide’s question to a Parquet file counts the quarter hours of the long day', async () => {
  const rows = await inFile(blocks('DuckDB')[0] ?? '');
  const long = rows.filter((row) => row.delivery_day === '2026-10-25');
  expect(long.map((row) => Number(row.quarter_hours))).toEqual([100, 100, 100, 100, 100]);
});
