import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { createMetrics } from '../../../src/platform/metrics.ts';
import { quarterHourGauges } from '../../../src/telemetry/quarter-hours/gauges.ts';
import { sumAllQuarterHours } from '../../setup/quarter-hours.ts';
import { type SnapshotApi, startSnapshotApi } from '../snapshots/snapshot-api.ts';

let service: SnapshotApi;

beforeAll(async () => {
  service = await startSnapshotApi({});
});

afterAll(() => service?.close());

test('sums that are behind raise one alarm, and it ends with the run that catches up', async () => {
  const { api, clock, admin } = service;
  const lines: { level: number; msg: string }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const metrics = createMetrics({ runtime: false });
  const refresh = quarterHourGauges({ database: api.deps.database, clock, metrics, log });
  const value = async (name: string) =>
    Number(new RegExp(`^voltstream_${name} (.+)$`, 'm').exec(await metrics.text())?.[1]);

  await refresh();
  expect(await value('quarter_hours_behind_seconds')).toBe(0);
  await sumAllQuarterHours(api.database, clock);
  clock.advance(3_600_000);
  await refresh();
  expect(await value('quarter_hours_behind_seconds')).toBe(3_600);
  expect(lines).toEqual([]);

  clock.advance(900_000);
  await refresh();
  await refresh();
  expect(await value('quarter_hours_behind_seconds')).toBe(4_500);
  expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
    [50, 'sums by quarter hour are behind: analysts see old figures'],
  ]);
  await sumAllQuarterHours(api.database, clock);
  await refresh();
  expect(await value('quarter_hours_behind_seconds')).toBe(0);
  expect(lines.slice(1).map(({ msg }) => msg)).toEqual(['sums by quarter hour are up to date again']);

  await admin.query(
    `INSERT INTO late_quarter_hours (asset_id, start, quarter_hours, queued_at) VALUES (1, '2026-11-30', 4, $1)`,
    [new Date(clock.nowMilliseconds() - 4_000_000)],
  );
  await refresh();
  expect(await value('late_quarter_hours_waiting')).toBe(1);
  expect(await value('late_quarter_hours_oldest_seconds')).toBe(4_000);
  expect(lines).toHaveLength(3);
  await sumAllQuarterHours(api.database, clock);
  await refresh();
  expect(await value('late_quarter_hours_waiting')).toBe(0);
  expect(lines).toHaveLength(4);
});

test('while late rows wait, the sums say they know what was sent before these, and no more', async () => {
  const { api, clock, admin } = service;
  await sumAllQuarterHours(api.database, clock);
  const instant = () => new Date(clock.nowMilliseconds());
  /* Summed by the end of a run that had no time for all late rows. */
  const summed = async () => {
    await withDatabaseClient(api.database.maintenanceUrl, (client) =>
      client.query(`SELECT advance_quarter_hours('2026-01-01Z', $1)`, [instant()]),
    );
    const { rows } = await admin.query<{ summed_at: Date }>(
      'SELECT summed_at FROM analytics.energy_progress',
    );
    return rows[0]?.summed_at;
  };
  clock.advance(60_000);
  const queued = instant();
  for (const minutes of [1, 0])
    await admin.query(
      `INSERT INTO late_quarter_hours (asset_id, start, quarter_hours, queued_at) VALUES (1, '2026-11-30', 4, $1)`,
      [new Date(queued.getTime() + minutes * 60_000)],
    );
  clock.advance(3_600_000);
  expect(await summed()).toEqual(queued);
  await sumAllQuarterHours(api.database, clock);
  expect(await summed()).toEqual(instant());
});
