import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StageName } from '../../../src/contracts/meter-orders/moves.ts';
import { addDays, berlinDayAt, type CalendarDay } from '../../../src/platform/time/berlin-calendar.ts';
import { runCommand } from '../../cli/command-line.ts';
import { testEnvironment } from '../../setup/environment.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import type { ErrorBody } from '../../telemetry/assets/devices.ts';
import { CURIE, type Order, Orders, WHY } from './orders.ts';

let orders: Orders;
beforeAll(async () => {
  orders = await Orders.start();
});
afterAll(() => orders?.close());

const PLANNED = { stage: 'installation_waiting', step: 'installation_waiting' } as const;
const today = () => berlinDayAt(Date.now());

async function run(order: Order, to: StageName, ...options: readonly string[]) {
  const [result] = await orders.run([['move', order.id, to, ...WHY, ...options]]);
  return result ?? { exitCode: -1, stdout: '', stderr: '' };
}

async function meterOf({ subscription }: Pick<Order, 'subscription'>) {
  const client = await orders.client(CURIE);
  const { body } = await client.get<{ meter: { number: string; type: string } }>(
    `/subscriptions/${subscription}`,
  );
  return `${body.meter.number} ${body.meter.type}`;
}

async function shown({ id }: Order) {
  return (await (await orders.client(CURIE)).get(`/meter-orders/${id}`)).body;
}

describe.each(['installation_finished', 'installed', 'activated'] as const)('%s', (to) => {
  test('gives the contract the number of the device, in the form of all numbers, and makes it smart', async () => {
    const order = await orders.order(PLANNED, { meter_number: '1EMH0000000001' });
    expect(await meterOf(order)).toBe('1EMH0000000001 analog');
    expect(await run(order, to, '--meter-number', '1sma 0000 0000 01')).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
    expect(await meterOf(order)).toBe('1SMA0000000001 smart');
    expect(await shown(order)).toMatchObject({
      status: to === 'activated' ? 'activated' : 'installed',
      installed_at: to === 'activated' ? null : expect.any(String),
    });
    const acts = await auditRows(orders.api, orders.organization, 'meter.');
    expect(
      acts.filter(({ object_id }) => object_id === order.meter).map(({ act, route }) => [act, route]),
    ).toEqual([['meter.exchange', 'meter-orders move']]);
  });

  test('needs the number, and nothing moves without it', async () => {
    const order = await orders.order(PLANNED);
    const { exitCode, stderr } = await run(order, to);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('meter_number: Needed')]);
    expect(await shown(order)).toMatchObject({ status: 'scheduled', installed_at: null });
    expect(await orders.topics(order)).toEqual([]);
  });
});

test('the stages behind it take no other device', async () => {
  const order = await orders.order({ stage: 'blocked', step: 'installation_finished' });
  const { exitCode, stderr } = await run(order, 'activated', '--meter-number', '1SMA2');
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('mounts none')]);
  expect((await run(order, 'activated')).exitCode).toBe(0);
});

test('all contracts of the household have the device, for it is one meter', async () => {
  const order = await orders.order(PLANNED);
  const other = await orders.contract({ place: order.place, status: 'ended' });
  await run(order, 'installed', '--meter-number', '1SMA0000000003');
  expect(await meterOf({ subscription: other.id })).toBe('1SMA0000000003 smart');
});

describe('an analog device under supply', () => {
  const supplied = () => orders.order(PLANNED, { status: 'active', estimated_usage: '2500' });

  test('needs its closing reading, which ends the analog part', async () => {
    const order = await supplied();
    const number = ['--meter-number', '1SMA0000000004'];
    const refused = await run(order, 'installed', ...number);
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      expect.stringContaining(`closing: Needed: ${order.subscription} is supplied by an analog meter`),
    ]);
    expect(await meterOf(order)).toMatch(/ analog$/);
    expect(await shown(order)).toMatchObject({ status: 'scheduled' });
    expect((await run(order, 'installed', ...number, '--closing', '1234.5')).stderr).toBe('');
    const readings = await storedRows(
      orders.api,
      'SELECT value::float, type, register, read_on::text FROM meter_readings WHERE subscription_id = $1',
      [order.subscription],
    );
    expect(readings).toEqual([{ value: 1234.5, type: 'grid_reading', register: 1, read_on: today() }]);
    const client = await orders.client(CURIE);
    const reading = { subscription: order.subscription, value: 1300, timestamp: new Date().toISOString() };
    const { status, body } = await client.post<ErrorBody>('/meter-readings', reading);
    expect([status, body.errors?.[0]?.code]).toEqual([400, 'unsupported_meter']);
  });

  test('that was read on the day needs no other reading', async () => {
    const order = await supplied();
    const client = await orders.client(CURIE);
    const reading = { subscription: order.subscription, value: 100, timestamp: new Date().toISOString() };
    expect((await client.post('/meter-readings', reading)).status).toBe(200);
    expect((await run(order, 'installed', '--meter-number', '1SMA0000000005')).stderr).toBe('');
  });

  test('may have been exchanged on a day before, and not on one to come', async () => {
    const order = await supplied();
    const device = ['--meter-number', '1SMA0000000006', '--closing', '50'];
    const late = await run(order, 'installed', ...device, '--mounted-on', addDays(today(), 1));
    expect([late.exitCode, late.stderr]).toEqual([1, expect.stringContaining('The day is still to come')]);
    const on = addDays(today(), -3);
    expect((await run(order, 'installed', ...device, '--mounted-on', on)).stderr).toBe('');
    const changes = 'SELECT valid_from::text, number, type FROM meter_changes WHERE meter_id = $1';
    expect(await storedRows(orders.api, changes, [order.meter])).toEqual([
      { valid_from: on, number: '1SMA0000000006', type: 'smart' },
    ]);
  });

  test('that keeps its number becomes smart with the register that it has', async () => {
    const order = await orders.order(PLANNED, { status: 'active', meter_number: '1EMH0000000007' });
    const closing = await run(order, 'installed', '--meter-number', '1emh0000000007', '--closing', '5');
    expect([closing.exitCode, closing.stderr]).toEqual([
      1,
      expect.stringContaining('closing: The device stays'),
    ]);
    expect((await run(order, 'installed', '--meter-number', '1emh0000000007')).stderr).toBe('');
    expect(await meterOf(order)).toBe('1EMH0000000007 smart');
    const changes = 'SELECT valid_from::text, number, register, type FROM meter_changes WHERE meter_id = $1';
    expect(await storedRows(orders.api, changes, [order.meter])).toEqual([
      { valid_from: today(), number: null, register: null, type: 'smart' },
    ]);
    const client = await orders.client(CURIE);
    const reading = { subscription: order.subscription, value: 100, timestamp: new Date().toISOString() };
    expect((await client.post('/meter-readings', reading)).status).toBe(200);
  });
});

test('one that was mounted before its contract was confirmed gets the closing reading behind the confirmation', async () => {
  const order = await orders.order(PLANNED);
  const on = addDays(today(), -3);
  const device = ['--meter-number', '1SMA0000000011', '--mounted-on', on];
  expect((await run(order, 'installed', ...device)).stderr).toBe('');
  const cli = (...args: string[]) =>
    runCommand(testEnvironment(orders.api.database, 'redis://127.0.0.1:1'), ...args);
  const start = ['--start-on', addDays(today(), -20), '--organization', orders.organization, ...WHY];
  const confirmed = await cli('subscriptions', 'confirm', order.subscription, ...start);
  expect(confirmed).toMatchObject({ exitCode: 0, stderr: '' });
  const add = (value: string) =>
    cli('meter-readings', 'add', order.subscription, '--date', on, '--value', value);
  expect((await add('1234.5')).stderr).toBe('');
  expect((await add('1235')).stderr).toContain('This type of meter is not supported here');
  expect(
    await storedRows(
      orders.api,
      'SELECT value::float, register, read_on::text FROM meter_readings WHERE subscription_id = $1',
      [order.subscription],
    ),
  ).toEqual([{ value: 1234.5, register: 1, read_on: on }]);
});

test('a device that the back office has exchanged already is not entered again', async () => {
  const order = await orders.order(PLANNED);
  await storedRows(
    orders.api,
    `INSERT INTO meter_changes (organization_id, customer_id, meter_id, valid_from, number, register, type)
     VALUES ($1, $2, $3, $4, '1SMA0000000008', 2, 'smart')`,
    [orders.organization, order.place.customer, order.meter, addDays(today(), -10)],
  );
  expect((await run(order, 'installed', '--meter-number', '1SMA0000000008')).stderr).toBe('');
  expect(await meterOf(order)).toBe('1SMA0000000008 smart');
  const changes = 'SELECT valid_from::text FROM meter_changes WHERE meter_id = $1';
  expect(await storedRows(orders.api, changes, [order.meter])).toEqual([
    { valid_from: addDays(today(), -10) },
  ]);
});

describe('another day than that from which the device is smart is refused with this day and the command that corrects it', () => {
  const since = addDays(today(), -10);
  const device = (on: CalendarDay) => ['--meter-number', '1SMA0000000012', '--mounted-on', on];
  const meters = (act: string, { meter }: Order, ...options: string[]) =>
    runCommand(
      testEnvironment(orders.api.database, 'redis://127.0.0.1:1'),
      ...['meters', act, meter, ...options, ...WHY, '--organization', orders.organization],
    );
  async function refusedOn(order: Order, on: CalendarDay, command: string) {
    const other = await run(order, 'installation_finished', ...device(on));
    const said = `on: It is smart since ${since}: leave the day out, or correct that one (meters ${command})\n`;
    expect([other.exitCode, other.stderr]).toEqual([1, said]);
  }

  test('where it was mounted', async () => {
    const order = await orders.order(PLANNED);
    expect((await run(order, 'installation_finished', ...device(since))).stderr).toBe('');
    const later = addDays(today(), -3);
    await meters('change', order, '--from', later, '--metering-operator', 'stadtnetz');
    await refusedOn(order, later, 'correct-exchange');
    expect((await run(order, 'installation_finished', ...device(since))).stderr).toBe('');
    expect((await meters('correct-exchange', order, '--on', addDays(today(), -5))).stderr).toBe('');
    expect((await run(order, 'installation_finished', ...device(addDays(today(), -5)))).stderr).toBe('');
  });

  test('but no command is named where another one was mounted since', async () => {
    const order = await orders.order(PLANNED);
    expect((await run(order, 'installation_finished', ...device(since))).stderr).toBe('');
    await meters('exchange', order, '--on', addDays(today(), -5), '--number', '1SMA0000000013');
    const other = await run(order, 'installation_finished', ...device(addDays(today(), -7)));
    expect(other.stderr).toBe('number: Another device was mounted after this one\n');
  });

  test('where it was connected, or entered as smart before the step', async () => {
    const connected = await orders.order(PLANNED, { meter_number: '1SMA0000000012' });
    expect((await run(connected, 'installation_finished', ...device(since))).stderr).toBe('');
    const entered = await orders.order(PLANNED, { meter_number: '1SMA0000000012' });
    await meters('change', entered, '--from', since, '--type', 'smart');
    const earlier = addDays(today(), -15);
    for (const order of [connected, entered]) {
      await refusedOn(order, addDays(today(), -3), 'change');
      await refusedOn(order, earlier, 'change');
      expect((await meters('change', order, '--from', earlier, '--type', 'smart')).stderr).toBe('');
      expect((await run(order, 'installation_finished', ...device(earlier))).stderr).toBe('');
    }
  });
});

test('module 3, which needs a smart meter, can be ordered from then on', async () => {
  await storedRows(
    orders.api,
    'UPDATE plan_terms SET sells_module_1 = true, sells_module_3 = true WHERE plan_id = $1',
    [orders.plan],
  );
  const order = await orders.order(PLANNED);
  const client = await orders.client(CURIE);
  const ask = (module: number) =>
    client.post<ErrorBody>('/grid-fee-reductions', {
      subscription: order.subscription,
      type: `enwg-14a-module-${module}`,
    });
  expect((await ask(1)).status).toBe(200);
  expect((await ask(3)).body.errors?.map(({ code }) => code)).toEqual(['missing_smart_meter']);
  await run(order, 'installed', '--meter-number', '1SMA0000000009');
  expect((await ask(3)).status).toBe(200);
});
