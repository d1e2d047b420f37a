import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectFolder } from '../../scripts/data-folder.mjs';
import { postgresProgram } from '../../scripts/local-services.ts';
import { LEARNING_ORGANIZATION } from '../../src/demo/learning/households.ts';
import { exportRows } from '../../src/exports/export.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { storeLearningData, sumLearningData } from '../setup/learning.ts';
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

test('the guide’s questions in R, in DuckDB and in Grafana are answered', async () => {
  const ofR = /"(SELECT [^"]*)"/.exec(blocks('R')[0] ?? '')?.[1] ?? '';
  const { rows } = await analyst.query(ofR, ['2026-10-24', '2026-10-26']);
  expect(rows).toHaveLength(3);
  expect(rows.every((row) => typeof row.least === 'number' && row.greatest >= row.least)).toBe(true);
  const ofDuckDb = /postgres_query\('voltstream', '([\s\S]*)'\);/.exec(blocks('DuckDB')[1] ?? '')?.[1] ?? '';
  expect((await analyst.query(ofDuckDb.replaceAll("''", "'"))).rows.length).toBeGreaterThan(1_000);
  const ofGrafana = blocks('Grafana')[0]?.replace(
    '$__timeFilter(start)',
    "start >= '2026-10-25' AND start < '2026-10-26'",
  );
  expect((await analyst.query(ofGrafana ?? '')).rows).toHaveLength(5 * 100);
});

test('the guide’s question to a Parquet file is answered by DuckDB', async () => {
  const [question = ''] = blocks('DuckDB');
  const name = /'([^']*\.parquet)'/.exec(question)?.[1] ?? '';
  const span = { from: '2026-10-24', to: '2026-10-26' };
  const task = {
    what: 'energy',
    organization: LEARNING_ORGANIZATION.id,
    household: null,
    format: 'parquet',
    ...span,
  } as const;
  await exportRows({ database: accounts.owner }, { ...task, file: join(folder, name) }, act);
  const duckDb = await DuckDBInstance.create(':memory:');
  const connection = await duckDb.connect();
  const rows = (
    await connection.runAndReadAll(question.replace(name, join(folder, name)))
  ).getRowObjectsJson();
  connection.closeSync();
  duckDb.closeSync();
  expect(rows).toHaveLength(15);
  const long = rows.filter((row) => row.delivery_day === '2026-10-25');
  expect(long.map((row) => Number(row.quarter_hours))).toEqual([100, 100, 100, 100, 100]);
});
