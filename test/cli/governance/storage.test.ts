import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi, testEnvironment } from '../../setup/api.ts';
import { fakeClock } from '../../setup/clock.ts';
import { engine } from '../../setup/engine.ts';
import { createAsset, createHousehold, createTenant } from '../../setup/factories.ts';
import { sumAllQuarterHours } from '../../setup/quarter-hours.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { runCommand } from '../command-line.ts';

let api: TestApi;
let environment: Record<string, string>;
let key: number;

beforeAll(async () => {
  api = await startApi({ alone: true });
  environment = testEnvironment(api.database, 'redis://127.0.0.1:1');
  const { organization } = await createTenant(api);
  const home = await createHousehold(api.deps, organization);
  ({ key } = await createAsset(api.deps, organization, home, { type: 'heat_pump' }));
});
afterAll(() => api?.close());

const run = (...args: string[]) => runCommand(environment, 'storage', 'status', ...args);

/** Chunks come with their rows. On Citus weeks are made ahead: here those of the rows, and no others. */
async function makeWeeks(): Promise<void> {
  if (engine === 'timescaledb') return;
  const drop = async (table: string) => {
    const weeks = await storedRows<{ name: string }>(
      api,
      'SELECT week_partition::text AS name FROM list_week_partitions($1)',
      [table],
    );
    for (const { name } of weeks) await storedRows(api, `DROP TABLE ${name}`);
  };
  await drop('asset_snapshots');
  await storedRows(api, "SELECT prepare_snapshot_partitions('2026-09-03', 3)");
  await drop('asset_quarter_hours');
}

test('storage status tells of each hypertable what it holds, since when, and for how long', async () => {
  await makeWeeks();
  await storedRows(
    api,
    `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw)
     SELECT ${key}, timestamp, 1 FROM generate_series('2026-09-03'::timestamptz, '2026-09-20', '1 hour') AS timestamp`,
  );
  await storedRows(api, 'ANALYZE asset_snapshots');
  const untold = 'How long rows are kept is known once remove-old-records has run, at next_removal_at.';
  expect((await run()).stdout).toContain(untold);
  await storedRows(
    api,
    `INSERT INTO job_runs (job, state, attempts, due_at, next_at, started_at, finished_at, result)
     VALUES ('remove-old-records', 'done', 1, now(), now(), now(), now(),
             '{"kept_months": {"asset_snapshots": 13, "asset_quarter_hours": 36, "asset_days": 36}}')`,
  );
  const { exitCode, stdout } = await run('--json');
  expect(exitCode).toBe(0);
  const { hypertables } = JSON.parse(stdout);
  expect(hypertables).toMatchObject([
    { hypertable: 'asset_days', chunks: 0, kept_months: 36, oldest_at: null },
    { hypertable: 'asset_quarter_hours', chunks: 0, kept_months: 36, oldest_at: null },
    {
      hypertable: 'asset_snapshots',
      chunks: 3,
      compressed_chunks: 0,
      rows_estimated: 409,
      kept_months: 13,
      compression_ratio: null,
      oldest_at: '2026-09-03T00:00:00.000Z',
      newest_until: '2026-09-24T00:00:00.000Z',
    },
  ]);
  expect((await run()).stdout).not.toContain(untold);
  expect(hypertables[2].bytes).toBeGreaterThan(hypertables[2].index_bytes);
});

test('storage status tells how far the sums are and what waits', async () => {
  const clock = fakeClock('2026-09-20T12:05:00.000Z');
  await sumAllQuarterHours(api.database, clock);
  await storedRows(
    api,
    `INSERT INTO late_quarter_hours (asset_id, start, quarter_hours, queued_at)
     VALUES (${key}, '2026-09-04', 1, now() - interval '90 s'), (${key}, '2026-09-05', 1, now())`,
  );
  await storedRows(
    api,
    `INSERT INTO schedules (id, job, cron, time_zone, catch_up)
     VALUES ('sums', 'sum-quarter-hours', '30 */5 * * * *', 'Europe/Berlin', 'last')`,
  );
  const { sums } = JSON.parse((await run('--json')).stdout);
  expect(sums).toMatchObject({
    final_until: '2026-09-20T11:30:00.000Z',
    summed_at: '2026-09-20T12:05:00.000Z',
    late_entries: 2,
    next_removal_at: null,
  });
  expect(sums.behind_seconds).toBeGreaterThan(86_400);
  expect(sums.oldest_late_seconds).toBeGreaterThanOrEqual(90);
  expect(Date.parse(sums.next_sums_at) % 300_000).toBe(30_000);
  const { stdout } = await run();
  expect(stdout).toMatch(/asset_snapshots +3 +0 +409 /);
  expect(stdout).toMatch(/late_entries +2/);
});
