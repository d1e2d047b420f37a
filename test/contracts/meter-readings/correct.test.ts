import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../cli/command-line.ts';
import { testEnvironment } from '../../setup/environment.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { type Contract, type Metered, shown, startMetered } from '../usage/metered.ts';

/* Somebody read wrongly, or typed wrongly, and the back office puts it right. Commands go by the clock of the machine. */

let metered: Metered;
beforeAll(async () => {
  metered = await startMetered('2026-11-21T16:05:00.000Z');
});
afterAll(() => metered?.close());

const why = ['--reason', 'photo of the meter'];

function cli(...args: string[]) {
  return runCommand(testEnvironment(metered.api.database, 'redis://127.0.0.1:1'), ...args);
}

const correct = (id: string, ...value: string[]) =>
  cli('meter-readings', 'correct', id, ...value, '--organization', metered.organization, ...why);

const add = ({ id }: Contract, date: string, value: string) =>
  cli('meter-readings', 'add', id, '--date', date, '--value', value);

async function send({ id }: Contract, day: string, value: number) {
  const body = { subscription: id, value, timestamp: `${day}T12:00:00Z` };
  return await (await metered.client()).post<ErrorBody & { id: string }>('/meter-readings', body);
}

/** As the interface lists them. */
async function listed({ id }: Contract): Promise<string[]> {
  const path = `/meter-readings?filter[subscription][eq]=${id}`;
  const { body } = await (await metered.client()).get<{ items: Record<string, unknown>[] }>(path);
  return body.items.map(({ timestamp, value, type }) => `${timestamp} ${value} ${type}`).sort();
}

test('a typing error gives way to the true value: later readings fit again, and usage is what they say', async () => {
  const contract = await metered.contract();
  await metered.read(contract, { '2026-01-01': 1000 });
  const typed = await send(contract, '2026-11-01', 6100);
  expect(typed.status).toBe(200);
  expect((await add(contract, '2026-11-15', '1650')).stderr).toContain('does not fit the other readings');
  const { stdout, stderr } = await correct(typed.body.id, '--value', '1600', '--json');
  expect([stderr, JSON.parse(stdout)]).toEqual([
    '',
    expect.objectContaining({ withdrawn: typed.body.id, value: 1600, type: 'customer_report' }),
  ]);
  expect(await add(contract, '2026-11-15', '1650')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await listed(contract)).toEqual([
    '2025-12-31T23:00:00.000Z 1000 grid_reading',
    '2026-10-31T23:00:00.000Z 1600 customer_report',
    '2026-11-14T23:00:00.000Z 1650 grid_reading',
  ]);
  const used = await metered.usage(contract.id, 'start=2026-01-01&end=2026-11-01');
  expect(used.body.data.reduce((sum, { usage }) => sum + usage, 0)).toBeCloseTo(600, 3);
  expect(shown(used).every((month) => month.endsWith('final'))).toBe(true);
  const again = await correct(typed.body.id, '--value', '1600');
  expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Already entered') });
  const other = await correct(typed.body.id, '--value', '1601');
  const before = 'reading: It was withdrawn before, and no reading that counts on its day has this value\n';
  expect([other.exitCode, other.stderr]).toEqual([1, before]);
  const lines = await auditRows(metered.api, metered.organization, 'meter_reading.withdraw');
  expect(lines.filter(({ object_id }) => object_id === typed.body.id)).toMatchObject([
    { result: 'done' },
    { result: 'unchanged' },
  ]);
});

test('the back office finds the id of a reading by its contract, and none that was taken back', async () => {
  const contract = await metered.contract();
  const wrong = await send(contract, '2026-10-01', 1500);
  const right = await send(contract, '2026-11-01', 1600);
  const found = async () => {
    const of = ['--subscription', contract.id, '--organization', metered.organization];
    const { stdout } = await cli('meter-readings', 'list', ...of, '--json');
    const rows = JSON.parse(stdout) as { id: string; value: number }[];
    return rows.toSorted((a, b) => a.value - b.value).map(({ id, value }) => [id, value]);
  };
  expect(await found()).toEqual([
    [wrong.body.id, 1500],
    [right.body.id, 1600],
  ]);
  expect((await correct(wrong.body.id)).exitCode).toBe(0);
  expect(await found()).toEqual([[right.body.id, 1600]]);
});

test('without a value the day was not read, and may be', async () => {
  const contract = await metered.contract();
  const wrong = await send(contract, '2026-11-01', 1600);
  expect(refusal(await send(contract, '2026-11-01', 1500))).toEqual([
    409,
    'duplicate_meter_reading timestamp',
  ]);
  expect(await correct(wrong.body.id)).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await listed(contract)).toEqual([]);
  expect((await send(contract, '2026-11-01', 1500)).status).toBe(200);
});

test('one that gave way to another of its day was not taken back: what counts there is named', async () => {
  const contract = await metered.contract();
  const wrong = await send(contract, '2026-11-01', 1600);
  expect((await correct(wrong.body.id)).exitCode).toBe(0);
  expect((await correct(wrong.body.id)).stdout).toContain('Already entered');
  const counting = await send(contract, '2026-11-01', 1500);
  const { exitCode, stderr } = await correct(wrong.body.id);
  const told = `reading: It was withdrawn before, and ${counting.body.id} counts in its place\n`;
  expect([exitCode, stderr]).toEqual([1, told]);
  expect(await listed(contract)).toEqual(['2026-10-31T23:00:00.000Z 1500 customer_report']);
});

test('a value that does not fit is refused, and the reading stays as it was', async () => {
  const contract = await metered.contract();
  await metered.read(contract, { '2026-01-01': 1000 });
  const { body } = await send(contract, '2026-11-01', 1600);
  const before = await listed(contract);
  expect((await correct(body.id, '--value', '999')).exitCode).toBe(1);
  expect(await listed(contract)).toEqual(before);
  expect(await correct('mr_000000000000000000000000')).toMatchObject({ exitCode: 1, stdout: '' });
});

test('of an exchange the value of each counter is corrected on its own', async () => {
  const contract = await metered.contract();
  const device = ['--on', '2026-06-10', '--number', '1EMH0012345678', '--closing', '2150', '--opening', '0'];
  await cli('meters', 'exchange', contract.meter, ...device, '--organization', metered.organization, ...why);
  const [closing] = await storedRows<{ id: string }>(
    metered.api,
    'SELECT id FROM meter_readings WHERE meter_id = $1 AND register = 1',
    [contract.meter],
  );
  expect(await correct(closing?.id ?? '', '--value', '1250')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(
    await storedRows(
      metered.api,
      `SELECT register, value::float8 AS kwh FROM meter_readings WHERE meter_id = $1 AND withdrawn_at IS NULL ORDER BY register`,
      [contract.meter],
    ),
  ).toEqual([
    { register: 1, kwh: 1250 },
    { register: 2, kwh: 0 },
  ]);
});
