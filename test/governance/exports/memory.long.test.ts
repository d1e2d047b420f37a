import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDays } from '../../../src/platform/time/berlin-calendar.ts';
import { runCommandProcess } from '../../cli/command-process.ts';
import { type ExportWorld, exportWorld } from './fixture.ts';

let world: ExportWorld;

beforeAll(async () => {
  world = await exportWorld();
  /* 25 assets, a value every two seconds of a day. */
  await world.admin.query(
    `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw)
     SELECT a.key, t, random() FROM assets a JOIN organizations o ON o.id = a.organization_id AND o.id = $1,
            generate_series('2026-10-20T22:00Z'::timestamptz, '2026-10-21T21:59:58Z', interval '2 seconds') AS t`,
    [world.a.organization],
  );
});
afterAll(() => world?.close());

interface Result {
  file: string;
  rows: number;
  memory_mebibytes_max: number;
}

async function exported(format: string, day: string): Promise<Result> {
  const output = join(world.folder, `${day}.${format}`);
  const args = ['snapshots', '--from', day, '--to', addDays(day, 1), '--format', format, '--output', output];
  args.push('--organization', world.a.organization, '--reason', 'test', '--json');
  const { stdout, stderr } = await runCommandProcess({ DATABASE_OWNER_URL: world.database.ownerUrl }, [
    'export',
    ...args,
  ]);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Result;
}

/* The text of these rows is twice as long as what the process may grow by: V8 collects when it likes to. */
const CSV_GROWTH_MEBIBYTES = 80;
/* DuckDB's own limit of 256 MiB; with a second thread it is passed. */
const PARQUET_GROWTH_MEBIBYTES = 260;

test.each([
  ['csv', CSV_GROWTH_MEBIBYTES],
  ['parquet', PARQUET_GROWTH_MEBIBYTES],
])('memory of an export as %s does not grow with its rows', async (format, growth) => {
  const nothing = await exported(format, '2026-10-19');
  const million = await exported(format, '2026-10-21');
  expect([nothing.rows, million.rows]).toEqual([0, 25 * 43_200]);
  if (format === 'csv')
    expect((await stat(million.file)).size).toBeGreaterThan(2 * CSV_GROWTH_MEBIBYTES * 1_048_576);
  expect(million.memory_mebibytes_max - nothing.memory_mebibytes_max).toBeLessThan(growth);
});

test('memory of a data set does not grow with its rows, neither to write it nor to compare it', async () => {
  const folder = join(world.folder, 'data');
  await mkdir(folder);
  const into = async (month: string) => {
    const args = ['export', 'snapshots', '--from', `${month}-01`, '--to', `${month}-29`, '--into', folder];
    args.push('--organization', world.a.organization, '--reason', 'test', '--json');
    const begun = performance.now();
    const { stdout, stderr } = await runCommandProcess({ DATABASE_OWNER_URL: world.database.ownerUrl }, args);
    if (stdout === '') throw new Error(stderr);
    return { ...(JSON.parse(stdout) as Result), seconds: (performance.now() - begun) / 1_000 };
  };
  const nothing = await into('2026-09');
  const million = await into('2026-10');
  const same = await into('2026-10');
  expect([nothing.rows, million.rows, same.rows]).toEqual([0, 25 * 43_200, 0]);
  expect(million.memory_mebibytes_max - nothing.memory_mebibytes_max).toBeLessThan(PARQUET_GROWTH_MEBIBYTES);
  expect(same.memory_mebibytes_max - nothing.memory_mebibytes_max).toBeLessThan(30);
  /* To compare is the cheap part. */
  expect(same.seconds).toBeLessThan(million.seconds);
});
