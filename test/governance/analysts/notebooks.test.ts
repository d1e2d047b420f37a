import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectFolder } from '../../../scripts/data-folder.mjs';
import { postgresProgram } from '../../../scripts/local-services.ts';
import { LEARNING_ORGANIZATION } from '../../../src/cli/demo/learning/households.ts';
import { exportRows } from '../../../src/governance/exports/export.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { storeLearningData, sumLearningData } from '../../setup/learning.ts';
import { Accounts, act } from './account.ts';

/* The guide's own lines, on the learning data. Python, R and DuckDB’s extension are not part of the tests: their SQL is. */
const guide = readFileSync(join(projectFolder, 'docs/notebooks.md'), 'utf8');

/** Code blocks of a section, in their order. */
function blocks(section: string): string[] {
  const text = guide.split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...text.matchAll(/```\w+\n([\s\S]*?)```/g)].map(([, block = '']) => block);
}

let database: TestDatabase;
let accounts: Accounts;
let analyst: pg.Client;
let address: string;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  await storeLearningData(database);
  await sumLearningData(database);
  accounts = new Accounts(database);
  ({ address } = await accounts.make(LEARNING_ORGANIZATION.id));
  analyst = await accounts.connect(address);
  folder = mkdtempSync(join(tmpdir(), 'voltstream-guide-'));
});
afterAll(async () => {
  await accounts?.close();
  await database?.drop();
  if (folder !== undefined) rmSync(folder, { recursive: true });
});

test('the guide’s lines for the shell sign in with a pasted address and answer', async () => {
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
});

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
const dayText = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', dateStyle: 'short' });
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
    to: '2026-10-26',
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
