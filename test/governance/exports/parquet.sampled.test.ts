import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportPaths } from '../../../src/governance/exports/progress-file.ts';
import { addDays } from '../../../src/platform/time/berlin-calendar.ts';
import { runCommandProcess } from '../../cli/command-process.ts';
import { isLongTier } from '../../setup/tier.ts';
import { csvRows, type ExportWorld, exportWorld, HARD_NAMES, insertSnapshots } from './fixture.ts';

let world: ExportWorld;
let duckDb: DuckDBInstance;

beforeAll(async () => {
  world = await exportWorld();
  await insertSnapshots(world, '2026-03-29', '2026-03-29');
  await insertSnapshots(world, '2026-10-24', '2026-10-25');
  duckDb = await DuckDBInstance.create(':memory:');
});
afterAll(async () => {
  duckDb?.closeSync();
  await world?.close();
});

async function query(text: string): Promise<Record<string, unknown>[]> {
  const connection = await duckDb.connect();
  try {
    return (await connection.runAndReadAll(text)).getRowObjectsJson() as Record<string, unknown>[];
  } finally {
    connection.closeSync();
  }
}

const span = { what: 'snapshots', from: '2026-10-24', to: '2026-10-26' } as const;

test('Parquet holds the rows of the CSV file, in its order, with the types of the columns', async () => {
  const csv = await csvRows((await world.run(span)).file);
  const { file, report } = await world.run({ ...span, format: 'parquet', partBytes: 50_000 });
  expect(report).toEqual({ rows: csv.length, rowsBefore: 0, isComplete: true });
  const types = await query(`SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM '${file}')`);
  expect(Object.fromEntries(types.map((row) => [row.column_name, row.column_type]))).toMatchObject({
    asset: 'VARCHAR',
    timestamp: 'TIMESTAMP WITH TIME ZONE',
    delivery_day: 'DATE',
    local_time: 'TIMESTAMP',
    utc_offset_hours: 'INTEGER',
    power_kw: 'DOUBLE',
    connected: 'BOOLEAN',
  });
  const rows = await query(
    `SELECT asset, strftime(timestamp AT TIME ZONE 'UTC', '%Y-%m-%d %H:%M:%S.%f') AS at, power_kw, connected FROM '${file}'`,
  );
  const expected = csv.map((row) => [
    row.asset,
    row.timestamp?.replace('+00', '').padEnd(26, '0'),
    Number(row.power_kw),
  ]);
  expect(rows.map((row) => [row.asset, row.at, row.power_kw])).toEqual(expected);
  expect(rows.map((row) => (row.connected === null ? '' : String(row.connected)))).toEqual(
    csv.map((row) => row.connected),
  );
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(world.folder)).not.toContain(`${file.split('/').at(-1)}.parts`);
});

test('Parquet keeps the texts of customers as they are', async () => {
  const { file } = await world.run({ ...span, format: 'parquet' });
  const names = (await query(`SELECT DISTINCT external_id FROM '${file}'`)).map((row) => row.external_id);
  for (const name of HARD_NAMES) expect(names).toContain(name);
});

test.runIf(isLongTier)(
  'Parquet of both days of a clock change is read back with 92 and 100 quarter hours',
  async () => {
    for (const [day, count] of [
      ['2026-03-29', 92],
      ['2026-10-25', 100],
    ] as const) {
      const { file } = await world.run({
        what: 'snapshots',
        from: day,
        to: addDays(day, 1),
        format: 'parquet',
      });
      const found = await query(
        `SELECT count(*)::INT AS rows, count(DISTINCT (local_time, utc_offset_hours))::INT AS times
         FROM '${file}' WHERE asset = 'ast_000000000000000000000001' AND delivery_day = '${day}'`,
      );
      expect(found).toEqual([{ rows: count, times: count }]);
    }
  },
);

test('Parquet of prices holds exact decimals, and one without rows has its columns', async () => {
  await world.admin.query(
    `SET session_replication_role = replica;
     INSERT INTO spot_prices (zone, interval_start, minutes, delivery_on, amount, source, revision)
     VALUES ('DE-LU', '2026-10-24T22:00Z', 15, '2026-10-25', -12.345, 'tests', 1);
     RESET session_replication_role`,
  );
  const { file } = await world.run({ what: 'prices', format: 'parquet' });
  expect(await query(`SELECT eur_mwh, ct_kwh FROM '${file}'`)).toEqual([
    { eur_mwh: '-12.34500000', ct_kwh: '-1.234500000' },
  ]);
  const empty = await world.run({ what: 'prices', from: '2026-05-01', to: '2026-05-02', format: 'parquet' });
  expect(
    await query(`SELECT count(*)::INT AS rows, count(eur_mwh)::INT AS prices FROM '${empty.file}'`),
  ).toEqual([{ rows: 0, prices: 0 }]);
});

test('a Parquet export that was stopped goes on, also when a part was half made, and holds the same rows', async () => {
  const whole = await world.run({ ...span, format: 'parquet', partBytes: 50_000 });
  const file = join(world.folder, 'stopped.parquet');
  const stopping = new AbortController();
  const task = { ...span, format: 'parquet', partBytes: 50_000, file } as const;
  const stopped = await world.run({
    ...task,
    signal: stopping.signal,
    onProgress: ({ parts }) => {
      if (parts === 2) stopping.abort();
    },
  });
  expect(stopped.report.isComplete).toBe(false);
  const parts = exportPaths(file).parts;
  expect((await readdir(parts)).sort()).toEqual(['000001.parquet', '000002.parquet']);
  const { report } = await world.run(task);
  expect(report).toEqual({ ...whole.report, rowsBefore: stopped.report.rows });
  const rows = (path: string) => query(`SELECT * FROM '${path}'`);
  expect(await rows(file)).toEqual(await rows(whole.file));
});

test.runIf(isLongTier)(
  'without the optional package Parquet is refused with a sentence, and CSV goes on working',
  async () => {
    const hook = `import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) {
      if (name.startsWith('@duckdb/')) throw Object.assign(new Error('missing'), { code: 'ERR_MODULE_NOT_FOUND' });
      return next(name, context);
    } });`;
    const environment = {
      DATABASE_OWNER_URL: world.database.ownerUrl,
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(hook)}`,
    };
    const args = ['export', 'snapshots', '--from', '2026-10-25', '--to', '2026-10-26', '--reason', 'test'];
    args.push('--organization', world.a.organization, '--output', world.folder, '--format');
    const refused = await runCommandProcess(environment, [...args, 'parquet']);
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain('Parquet needs the optional package @duckdb/node-api');
    const done = await runCommandProcess(environment, [...args, 'csv']);
    expect(done.exitCode).toBe(0);
    expect(await readdir(world.folder)).toContain(
      `${world.a.organization}-snapshots-2026-10-25-2026-10-26.csv`,
    );
  },
);
