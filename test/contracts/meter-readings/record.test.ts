import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importReadings } from '../../../src/contracts/meter-readings/import.ts';
import { runCommand } from '../../cli/command-line.ts';
import { testEnvironment } from '../../setup/environment.ts';
import { createTenant } from '../../setup/factories.ts';
import { whileHeld } from '../../setup/held-row.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { type Contract, type Metered, startMetered } from '../usage/metered.ts';

const NOW = '2026-11-21T16:05:00.000Z';

let metered: Metered;
beforeAll(async () => {
  metered = await startMetered(NOW);
});
afterAll(() => metered?.close());

async function take(lines: readonly string[], header = 'subscription,date,value,type') {
  const bytes = Buffer.from([header, ...lines, ''].join('\n'));
  const act = { staff: 'tests', reason: 'test', command: 'meter-readings import', now: NOW };
  const file = { name: 'readings.csv', bytes };
  return await importReadings(metered.api.deps.database, metered.organization, file, act);
}

async function stored({ meter }: Contract): Promise<string[]> {
  const rows = await storedRows<{ text: string }>(
    metered.api,
    "SELECT concat_ws(' ', read_on, value, type) AS text FROM meter_readings WHERE meter_id = $1 ORDER BY read_on, value",
    [meter],
  );
  return rows.map(({ text }) => text);
}

describe('a file', () => {
  test('of readings and estimates is taken in, in whatever order', async () => {
    const [first, second] = [await metered.contract(), await metered.contract()];
    const rows = await take([
      `${first.id},2026-06-01,1500.5,`,
      `${second.id},2026-06-01,20000,grid_estimation`,
      `${first.id},2026-01-01,1000,customer_report`,
      `${second.id},2026-06-01,19990,grid_reading`,
    ]);
    expect(rows).toHaveLength(4);
    expect(await stored(first)).toEqual([
      '2026-01-01 1000 customer_report',
      '2026-06-01 1500.5 grid_reading',
    ]);
    expect(await stored(second)).toEqual([
      '2026-06-01 19990 grid_reading',
      '2026-06-01 20000 grid_estimation',
    ]);
    const lines = await auditRows(metered.api, metered.organization, 'meter_reading.create');
    const ids = rows.map(({ id }) => id);
    expect(lines.filter(({ object_id }) => ids.includes(object_id ?? ''))).toHaveLength(4);
  });

  test('of two contracts of one meter is judged by day', async () => {
    const ended = { status: 'ended', end_at: '2026-05-31T22:00:00Z' } as const;
    const old = await metered.contract({ id: `sub_z${'0'.repeat(23)}`, ...ended });
    const start_at = '2026-05-31T22:00:00Z';
    const next = await metered.contract({ id: `sub_a${'0'.repeat(23)}`, at: old.place, start_at });
    await metered.read(old, { '2026-01-01': 1000 });
    await take([`${next.id},2026-06-10,20060,customer_report`, `${old.id},2026-06-01,20000,grid_reading`]);
    expect((await stored(old)).slice(1)).toEqual([
      '2026-06-01 20000 grid_reading',
      '2026-06-10 20060 customer_report',
    ]);
  });

  test('takes meters by id, so that two files at once cannot wait for each other', async () => {
    const contract = (name: string, meter: string) =>
      metered.contract({ id: `sub_${name}${'1'.repeat(23)}` }).then(async (made) => {
        const renamed = `mtr_${meter}${'1'.repeat(23)}`;
        await storedRows(
          metered.api,
          `WITH copy AS (
             INSERT INTO households (organization_id, customer_id, id, address_id)
             SELECT organization_id, customer_id, $1, address_id FROM households WHERE id = $2 RETURNING id
           ), meter AS (
             INSERT INTO meters (organization_id, customer_id, household_id, id, number, type)
             SELECT organization_id, customer_id, copy.id, $3, number, type FROM meters, copy WHERE meters.id = $4
           ) SELECT FROM copy`,
          [`dom_${name}${'1'.repeat(23)}`, made.place.household, renamed, made.meter],
        );
        await storedRows(
          metered.api,
          'UPDATE subscriptions SET meter_id = $1, household_id = $2 WHERE id = $3',
          [renamed, `dom_${name}${'1'.repeat(23)}`, made.id],
        );
        return { ...made, meter: renamed };
      });
    const [first, second] = [await contract('a', 'z'), await contract('b', 'a')];
    const lines = [`${first.id},2026-06-01,10,`, `${second.id},2026-06-01,10,`];
    await whileHeld(
      metered.api.database,
      ['meters', second.meter],
      () => take(lines),
      async () => {
        /* Free, because the import waits for the one before it. */
        await storedRows(metered.api, 'SELECT FROM meters WHERE id = $1 FOR UPDATE NOWAIT', [first.meter]);
      },
    );
    expect(await stored(first)).toEqual(['2026-06-01 10 grid_reading']);
  });

  test('needs no type: it is a grid reading', async () => {
    const contract = await metered.contract();
    await take([`${contract.id},2026-06-01,7`], 'subscription,date,value');
    expect(await stored(contract)).toEqual(['2026-06-01 7 grid_reading']);
  });

  test('is not held against the forecast where the operator read', async () => {
    const contract = await metered.contract();
    await metered.read(contract, { '2026-01-01': 1000 });
    await expect(take([`${contract.id},2026-01-02,9000,customer_report`])).rejects.toThrow('does not fit');
    await take([`${contract.id},2026-01-02,9000,grid_reading`]);
  });

  test('with two values of one estimate is not taken in: which one counts would be left to chance', async () => {
    const contract = await metered.contract();
    const estimate = (value: string) => `${contract.id},2026-06-01,${value},grid_estimation`;
    await take([estimate('1300'), estimate('1300.0')]);
    await take([estimate('1400')]);
    for (const [first, second] of [
      ['1500', '1600'],
      ['1400', '1300'],
    ] as const) {
      await expect(take([estimate(first), estimate(second)])).rejects.toThrow(
        `readings.csv:3 value "${second}": The file has another estimate of this meter and day: only one counts`,
      );
    }
    expect(await stored(contract)).toEqual([
      '2026-06-01 1300 grid_estimation',
      '2026-06-01 1400 grid_estimation',
    ]);
    const unknown = ['sub_000000000000000000000000', 'sub_000000000000000000000001'];
    const failing = take(unknown.map((id, index) => `${id},2026-06-01,${index + 1},grid_estimation`));
    await expect(failing).rejects.toThrow(/^([^\n]+ The organization has no such subscription\n?){2}$/);
  });

  test('with any problem is not taken in, and every problem is told', async () => {
    const contract = await metered.contract();
    const smart = await metered.contract({ meter_type: 'smart' });
    const foreign = await createTenant(metered.api);
    expect(foreign.organization).not.toBe(metered.organization);
    const failing = take([
      `${contract.id},2026-02-01,1000,`,
      `${contract.id},2026-02-01,1001,grid_reading`,
      `${contract.id},2026-03-01,999,grid_reading`,
      `${contract.id},2024-12-31,10,`,
      `${contract.id},2026-11-22,1100,`,
      `${smart.id},2026-02-01,10,`,
      `sub_000000000000000000000000,2026-02-01,10,`,
      `x,2026-02-01,10,`,
      `${contract.id},2026-02-30,10,`,
      `${contract.id},2026-02-03,0,`,
      `${contract.id},2026-02-03,ten,`,
      `${contract.id},2026-02-03,10,guess`,
      `,2026-02-03,10,`,
    ]);
    const text = await failing.then(String, (error: Error) => error.message);
    expect(text.split('\n').map((line) => line.replaceAll(/sub_[0-9a-z]{24}|sub_\S*…/g, 'sub'))).toEqual([
      'readings.csv:3 date "2026-02-01": A reading for this day exists',
      'readings.csv:4 value "999": The value does not fit the other readings',
      'readings.csv:5 date "2024-12-31": The reading lies outside the supply period',
      'readings.csv:6 date "2026-11-22": The reading lies outside the supply period',
      'readings.csv:7 subscription "sub": This type of meter is not supported here',
      'readings.csv:8 subscription "sub": The organization has no such subscription',
      'readings.csv:9 subscription "x": The organization has no such subscription',
      'readings.csv:10 date "2026-02-30": Not a day of the calendar (2027-01-01)',
      'readings.csv:11 value "0": More than 0',
      'readings.csv:12 value "ten": Not a plain decimal number (12.34)',
      'readings.csv:13 type "guess": Accepted: customer_report, grid_reading, grid_estimation',
      'readings.csv:14 subscription: Must not be empty',
    ]);
    expect(await stored(contract)).toEqual([]);
    await expect(take([])).rejects.toThrow('No reading in it');
  });
});

describe('the commands', () => {
  const environment = () => testEnvironment(metered.api.database, 'redis://127.0.0.1:1');
  const run = (...args: string[]) => runCommand(environment(), 'meter-readings', ...args);

  test('add takes in one', async () => {
    const contract = await metered.contract();
    const done = await run('add', contract.id, '--date', '2025-06-01', '--value', '1234.5', '--json');
    expect(JSON.parse(done.stdout), done.stderr).toMatchObject({
      subscription_id: contract.id,
      meter_id: contract.meter,
      read_on: '2025-06-01',
      value: 1234.5,
      type: 'grid_reading',
    });
    const again = await run('add', contract.id, '--date', '2025-06-01', '--value', '1234.50');
    expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Already entered') });
    const other = await run('add', contract.id, '--date', '2025-06-01', '--value', '1234');
    expect(other).toMatchObject({ exitCode: 1, stderr: 'timestamp: A reading for this day exists\n' });
    const estimate = ['--date', '2025-06-01', '--value', '1300', '--type', 'grid_estimation'];
    expect((await run('add', contract.id, ...estimate)).exitCode).toBe(0);
    expect(await stored(contract)).toEqual([
      '2025-06-01 1234.5 grid_reading',
      '2025-06-01 1300 grid_estimation',
    ]);
    const wrong = ['--date', '2025-02-30', '--value', '0', '--type', 'guess'];
    expect((await run('add', contract.id, ...wrong)).exitCode).toBe(2);
    const unknown = await run('add', 'sub_000000000000000000000000', '--date', '2025-06-02', '--value', '1');
    expect(unknown.stderr).toBe('There is no subscription sub_000000000000000000000000\n');
  });

  test('an estimate stands until another one of its day comes, and is entered again behind that', async () => {
    const contract = await metered.contract();
    const estimate = (value: string) =>
      run('add', contract.id, '--date', '2025-06-01', '--value', value, '--type', 'grid_estimation');
    for (const value of ['1300', '1400', '1300'])
      expect((await estimate(value)).stdout).not.toContain('Already entered');
    expect((await estimate('1300.0')).stdout).toContain('Already entered');
    const rows = 'SELECT value::float8 AS kwh FROM meter_readings WHERE meter_id = $1 ORDER BY created_at';
    const stored = await storedRows<{ kwh: number }>(metered.api, rows, [contract.meter]);
    expect(stored.map(({ kwh }) => kwh)).toEqual([1300, 1400, 1300]);
  });

  test('import takes in a file', async () => {
    const contract = await metered.contract();
    const folder = await mkdtemp(join(tmpdir(), 'voltstream-readings-'));
    const file = join(folder, 'readings.csv');
    try {
      await writeFile(file, `subscription,date,value\n${contract.id},2025-06-01,7\n`);
      const done = await run('import', file, '--organization', metered.organization);
      expect(done.stderr).toBe('');
      expect(done.stdout).toContain(contract.id);
      const again = await run('import', file, '--organization', metered.organization);
      expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Already entered') });
      await writeFile(file, `subscription,date,value\n${contract.id},2025-06-01,8\n`);
      expect((await run('import', file, '--organization', metered.organization)).stderr).toContain(
        'readings.csv:2 date "2025-06-01": A reading for this day exists',
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
