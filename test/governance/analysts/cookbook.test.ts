import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerOf, type CookbookQuery, cookbook } from '../../../scripts/cookbook.ts';
import { projectFolder } from '../../../scripts/data-folder.mjs';
import { cookbookFiles } from '../../../scripts/write-query-samples.ts';
import { LEARNING_ORGANIZATION } from '../../../src/cli/demo/learning/households.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { engine } from '../../setup/engine.ts';
import { storeLearningData, sumLearningData } from '../../setup/learning.ts';
import { Accounts } from './account.ts';
import { heldEnergy, type PowerValue } from './held-energy.ts';

let database: TestDatabase;
let accounts: Accounts;
let admin: pg.Client;
let analyst: pg.Client;
let queries: CookbookQuery[];

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  await storeLearningData(database);
  await sumLearningData(database);
  accounts = new Accounts(database);
  analyst = await accounts.connect((await accounts.make(LEARNING_ORGANIZATION.id)).address);
  queries = await cookbook();
});
afterAll(async () => {
  await accounts?.close();
  await admin?.end();
  await database?.drop();
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

test('each query answers what stands in its file (else: node scripts/node.mjs scripts/write-query-samples.ts)', async () => {
  const files = await cookbookFiles(analyst);
  expect(files.length).toBeGreaterThan(15);
  for (const [path, text] of files) {
    expect([path, await readFile(join(projectFolder, path), 'utf8')]).toEqual([path, text]);
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
  timescaledb: ['05-dead-gateways', '06-gaps', '15-completeness-per-week'],
  citus: [],
};

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: PlanNode[];
}

/** Values and sums that a statement had sent over from the nodes. */
function rowsFetched(node: PlanNode): number {
  const own = node['Node Type'] === 'Foreign Scan' ? node['Actual Rows'] * node['Actual Loops'] : 0;
  return own + (node.Plans ?? []).reduce((sum, child) => sum + rowsFetched(child), 0);
}

/** What tells whether a statement reads rows of a month: the chunks in its plan, on Citus how many rows came over. */
async function readBy(statement: string): Promise<string> {
  if (engine === 'citus') {
    const { rows } = await analyst.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`,
    );
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    if (plan === undefined) throw new Error('No plan');
    return `${rowsFetched(plan)} rows`;
  }
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
