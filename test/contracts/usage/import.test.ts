import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../../cli/command-line.ts';
import { testEnvironment } from '../../setup/environment.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { type Metered, quarterHours, startMetered, total } from './metered.ts';

const NOW = '2026-11-21T16:05:00.000Z';

let metered: Metered;
beforeAll(async () => {
  metered = await startMetered(NOW);
});
afterAll(() => metered?.close());

const smart = { meter_type: 'smart' } as const;

async function stored(id: string) {
  return await storedRows<{ start: Date; kwh: number }>(
    metered.api,
    'SELECT interval_start AS start, kwh::float8 AS kwh FROM usage_quarter_hours WHERE subscription_id = $1 ORDER BY 1',
    [id],
  );
}

test('values of days whose supply was taken back count nowhere: neither in the interface nor for analysts', async () => {
  const { id } = await metered.contract({ ...smart, end_at: '2026-12-31T23:00:00Z' });
  await metered.import(id, quarterHours('2026-11-08T23:00:00Z', '2026-11-11T23:00:00Z', 0.25));
  const office = ['--organization', metered.organization, '--reason', 'moved out before'];
  const moved = ['subscriptions', 'set-dates', id, '--end-on', '2026-11-10', ...office];
  const environment = testEnvironment(metered.api.database, 'redis://127.0.0.1:1');
  expect(await runCommand(environment, ...moved)).toMatchObject({ exitCode: 0, stderr: '' });
  expect(total(await metered.usage(id, 'start=2026-11-01&end=2026-11-15&resolution=day'))).toBe(24);
  for (const view of ['usage_quarter_hours', 'usage_days', 'retail_cost'])
    expect(
      await storedRows(
        metered.api,
        `SELECT sum(kwh)::float8 AS kwh FROM analytics.${view}
          WHERE contract = $1 AND delivery_day BETWEEN '2026-11-01' AND '2026-11-15'`,
        [id],
      ),
      view,
    ).toEqual([{ kwh: 24 }]);
});

describe('a file', () => {
  test('in any order and any zone; what was there before is replaced', async () => {
    const { id } = await metered.contract(smart);
    await metered.import(id, ['2026-10-25T02:00:00+02:00,1', '2026-10-25T02:00:00+01:00,2']);
    const result = await metered.import(id, [
      '2026-10-25T02:00:00+01:00,3.25',
      '2026-10-25T01:45:00+02:00,0',
    ]);
    expect(result).toEqual({
      subscription: id,
      quarter_hours: 2,
      replaced: 1,
      first: '2026-10-24T23:45:00.000Z',
      last: '2026-10-25T01:00:00.000Z',
    });
    expect((await stored(id)).map(({ start, kwh }) => `${start.toISOString()} ${kwh}`)).toEqual([
      '2026-10-24T23:45:00.000Z 0',
      '2026-10-25T00:00:00.000Z 1',
      '2026-10-25T01:00:00.000Z 3.25',
    ]);
    const lines = await auditRows(metered.api, metered.organization, 'usage.import');
    expect(lines.filter(({ object_id }) => object_id === id)).toEqual([
      expect.objectContaining({ staff: 'tests', result: 'done', client_id: null }),
      expect.objectContaining({ staff: 'tests', result: 'done', client_id: null }),
    ]);
  });

  test('with any problem is not taken in, and every problem is told with line and column', async () => {
    const contract = await metered.contract({ ...smart, status: 'ended', end_at: '2026-11-19T23:00:00Z' });
    const { id } = contract;
    await metered.import(id, ['2026-11-01T00:00:00Z,1']);
    const failing = metered.import(id, [
      '2026-11-01T00:00:00Z,2',
      '2026-11-01T00:00:00,1',
      '2026-11-01T00:07:00Z,1',
      '2026-11-01 00:15:00Z,1',
      '2026-11-01T00:15:00Z,-1',
      '2026-11-01T00:30:00Z,"1,5"',
      '2026-11-01T00:45:00Z,1e3',
      '2026-11-01T01:00:00Z,1000000',
      '2026-11-01T01:15:00Z,',
      ',1',
      '2026-11-01T01:00:00+01:00,2',
      '2024-12-31T22:45:00Z,1',
      '2026-11-19T23:00:00Z,1',
      '2026-11-01T01:30:00Z',
    ]);
    await expect(failing).rejects.toThrow();
    const text = await failing.then(String, (error: Error) => error.message);
    expect(text.split('\n')).toEqual([
      'usage.csv:3 start "2026-11-01T00:00:00": Not a date-time with time zone (2026-10-05T08:30:00+02:00)',
      'usage.csv:4 start "2026-11-01T00:07:00Z": Not the start of a quarter hour',
      'usage.csv:5 start "2026-11-01 00:15:00Z": Not a date-time with time zone (2026-10-05T08:30:00+02:00)',
      'usage.csv:6 kwh "-1": At least 0',
      'usage.csv:7 kwh "1,5": Not a plain decimal number (12.34)',
      'usage.csv:8 kwh "1e3": Not a plain decimal number (12.34)',
      'usage.csv:9 kwh "1000000": Below 1000000',
      'usage.csv:10 kwh: Must not be empty',
      'usage.csv:11 start: Must not be empty',
      'usage.csv:12 start "2026-11-01T01:00:00+01:00": Line 2 has this quarter hour too',
      'usage.csv:13 start "2024-12-31T22:45:00Z": Outside of the supply period',
      'usage.csv:14 start "2026-11-19T23:00:00Z": Outside of the supply period',
      'usage.csv:15: 1 fields instead of 2',
    ]);
    expect((await stored(id)).map(({ kwh }) => kwh)).toEqual([1]);
  });

  test('of quarter hours that are not over, or of none, is refused', async () => {
    const { id } = await metered.contract(smart);
    await metered.import(id, ['2026-11-21T15:45:00Z,1']);
    await expect(metered.import(id, ['2026-11-21T16:00:00Z,1'])).rejects.toThrow(
      'This quarter hour is not over',
    );
    await expect(metered.import(id, [])).rejects.toThrow('No quarter hour in it');
  });

  test('is for smart meters of confirmed contracts of the organization', async () => {
    const line = ['2026-11-01T00:00:00Z,1'];
    const pending = await metered.contract({
      ...smart,
      status: 'pending',
      start_at: null,
      confirmed_at: null,
    });
    await expect(metered.import(pending.id, line)).rejects.toThrow('is not confirmed');
    await expect(metered.import((await metered.contract()).id, line)).rejects.toThrow('no smart meter');
    await expect(metered.import('sub_000000000000000000000000', line)).rejects.toThrow('Resource not found');
    await expect(metered.import("'", line)).rejects.toThrow('Resource not found');
  });
});

describe('cli usage import', () => {
  test('finds the contract by its id', async () => {
    const { id } = await metered.contract(smart);
    const folder = await mkdtemp(join(tmpdir(), 'voltstream-usage-'));
    const file = join(folder, 'quarter-hours.csv');
    const environment = testEnvironment(metered.api.database, 'redis://127.0.0.1:1');
    const run = (...args: string[]) => runCommand(environment, 'usage', 'import', file, ...args);
    try {
      await writeFile(file, 'start,kwh\n2025-06-01T00:00:00+02:00,0.5\n');
      const done = await run('--subscription', id, '--json');
      expect(JSON.parse(done.stdout), done.stderr).toEqual({
        subscription: id,
        quarter_hours: 1,
        replaced: 0,
        first: '2025-05-31T22:00:00.000Z',
        last: '2025-05-31T22:00:00.000Z',
      });
      await writeFile(file, 'start,kwh\n2025-06-01T00:00:00+02:00,0.75\n');
      expect((await run('--subscription', id)).exitCode).toBe(0);
      const period = ['--start', '2025-06-01', '--end', '2025-06-02'];
      const history = ['usage', 'history', '--subscription', id, ...period, '--json'];
      const old = await runCommand(environment, ...history);
      expect(JSON.parse(old.stdout), old.stderr).toEqual([
        {
          ...{ interval_start: '2025-05-31T22:00:00.000Z', kwh: '0.500000000000' },
          ...{ source: 'metering_operator', kept_at: expect.any(String), replaced_at: expect.any(String) },
        },
      ]);
      expect(await auditRows(metered.api, metered.organization, 'usage.history')).toEqual([
        expect.objectContaining({ act: 'usage.history', object_id: id, route: 'usage history' }),
      ]);
      await writeFile(file, 'start,kwh\n2025-06-01T00:00:00,0.5\n');
      const refused = await run('--subscription', id);
      expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
      expect(refused.stderr).toContain('quarter-hours.csv:2 start "2025-06-01T00:00:00": Not a date-time');
      const unknown = await run('--subscription', 'sub_000000000000000000000000');
      expect(unknown.stderr).toBe('There is no subscription sub_000000000000000000000000\n');
      expect((await stored(id)).map(({ kwh }) => kwh)).toEqual([0.75]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
