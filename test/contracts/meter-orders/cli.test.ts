import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../../cli/command-line.ts';
import { testEnvironment } from '../../setup/environment.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { CURIE, type Order, Orders, tomorrow, WHY } from './orders.ts';

let orders: Orders;
beforeAll(async () => {
  orders = await Orders.start();
});
afterAll(() => orders?.close());

const WAITING = { stage: 'waiting', step: 'waiting' } as const;
const SCHEDULED = { stage: 'installation_scheduled', step: 'installation_scheduled' } as const;

async function runOne(...args: readonly string[]) {
  const [result] = await orders.run([args]);
  return result ?? { exitCode: -1, stdout: '', stderr: '' };
}

async function appointmentOf({ id }: Order): Promise<unknown> {
  return (await (await orders.client(CURIE)).get(`/meter-orders/${id}`)).body.appointment_at;
}

test('an order goes its whole way, over a block, and tells each stage once', async () => {
  const order = await orders.order(WAITING);
  const { id } = order;
  const results = await orders.run([
    ['move', id, 'ordered', ...WHY],
    ['move', id, 'blocked', ...WHY],
    ['unblock', id, ...WHY],
    ['details-received', id, ...WHY],
    ['move', id, 'checked', ...WHY],
    ['move', id, 'installation_planning', ...WHY],
    ['move', id, 'installation_scheduled', ...WHY, '--appointment-at', tomorrow()],
    ['reschedule', id, ...WHY, '--appointment-at', tomorrow().replace('Z', '+01:00')],
    ['move', id, 'installation_waiting', ...WHY],
    ['move', id, 'installation_finished', ...WHY, '--meter-number', '1SMA0000000001'],
    ['move', id, 'installed', ...WHY],
    ['move', id, 'activated', ...WHY, '--json'],
  ]);
  expect(results.map(({ exitCode, stderr }) => `${exitCode} ${stderr}`)).toEqual(results.map(() => '0 '));
  expect(JSON.parse(results.at(-1)?.stdout ?? '')).toMatchObject({
    id,
    status: 'activated',
    public_status: 'activated',
  });
  const told = 'placed blocked check_submitted check_reviewed scheduled installed activated'.split(' ');
  expect(await orders.topics(order)).toEqual(told.map((topic) => `meter_order.${topic}`));
  const lines = await auditRows(orders.api, orders.organization, 'meter_order.');
  expect(
    lines.filter(({ object_id }) => object_id === id).map(({ act, route }) => `${act} ${route}`),
  ).toEqual([
    'meter_order.move meter-orders move',
    'meter_order.move meter-orders move',
    'meter_order.move meter-orders unblock',
    'meter_order.move meter-orders details-received',
    ...Array.from({ length: 3 }, () => 'meter_order.move meter-orders move'),
    'meter_order.reschedule meter-orders reschedule',
    ...Array.from({ length: 4 }, () => 'meter_order.move meter-orders move'),
  ]);
});

test('steps of one order stand when they come again, but not one that was left out nor another visit or device', async () => {
  const { id } = await orders.order(WAITING, { status: 'active', estimated_usage: '2500' });
  const at = tomorrow();
  const device = (closing: string) => ['--meter-number', '1SMA0000000012', '--closing', closing];
  const steps = [
    ['move', id, 'waiting', ...WHY],
    ['move', id, 'ordered', ...WHY],
    ['move', id, 'checked', ...WHY],
    ['move', id, 'installation_scheduled', ...WHY, '--appointment-at', at],
    ['move', id, 'installed', ...WHY, ...device('50')],
    ['move', id, 'activated', ...WHY],
  ];
  const outcomes = async (commands: readonly (readonly string[])[]) =>
    (await orders.run(commands)).map(({ stderr, stdout }) =>
      stderr === '' ? stdout.includes('Already entered') : stderr.trim(),
    );
  expect(await outcomes(steps)).toEqual(steps.map(([, , to]) => to === 'waiting'));
  const told = await orders.topics({ id });
  /* On another day than that of the visit, which nobody typed. */
  await storedRows(
    orders.api,
    `WITH meter AS (SELECT meter_id FROM subscriptions JOIN meter_orders USING (organization_id)
                     WHERE subscriptions.id = subscription_id AND meter_orders.id = $1),
          device AS (UPDATE meter_changes SET valid_from = valid_from - 1 WHERE meter_id IN (SELECT * FROM meter))
     UPDATE meter_readings SET read_on = read_on - 1 WHERE meter_id IN (SELECT * FROM meter)`,
    [id],
  );
  expect(await outcomes(steps)).toEqual(steps.map(() => true));
  expect(await orders.topics({ id })).toEqual(told);
  expect(
    await outcomes([
      ['details-received', id, ...WHY],
      ['move', id, 'installation_planning', ...WHY],
      ['move', id, 'installation_finished', ...WHY, ...device('50')],
      ['move', id, 'installation_scheduled', ...WHY, '--appointment-at', `${at.slice(0, -5)}.001Z`],
      ['move', id, 'installed', ...WHY, '--meter-number', '1SMA0000000012', '--closing', '51'],
    ]),
  ).toEqual([
    'status: The order is activated: details_received cannot follow',
    'status: The order is activated: installation_planning cannot follow',
    'status: The order is activated: installation_finished cannot follow',
    'status: The order is activated: installation_scheduled cannot follow',
    expect.stringContaining('closing: '),
  ]);
});

describe('a block', () => {
  test.each([
    ['checked', 'move', []],
    ['details_received', 'details-received', []],
    ['installed', 'move', ['--meter-number', '1SMA0000000013']],
  ] as const)('on %s is not lifted by this step when it comes again', async (step, name, device) => {
    const { id } = await orders.order(WAITING);
    const entered = [name, id, ...(name === 'move' ? [step] : []), ...WHY, ...device];
    expect((await runOne(...entered)).stderr).toBe('');
    expect((await runOne('move', id, 'blocked_wim', ...WHY)).stderr).toBe('');
    for (const again of [entered, ['move', id, 'blocked_wim', ...WHY]]) {
      expect(await runOne(...again)).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining('Already entered'),
      });
    }
    expect(JSON.parse((await runOne('show', id, '--json')).stdout)).toMatchObject({ status: 'blocked_wim' });
  });

  test('on a visit stays when another date comes for it, which is refused', async () => {
    const order = await orders.order({ stage: 'blocked', step: 'installation_scheduled' });
    const at = ['--appointment-at', tomorrow()];
    const { exitCode, stderr } = await runOne('move', order.id, 'installation_scheduled', ...WHY, ...at);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('installation_scheduled cannot follow')]);
    expect(JSON.parse((await runOne('show', order.id, '--json')).stdout)).toMatchObject({
      status: 'blocked',
    });
  });
});

describe('unblock', () => {
  test.each(['waiting', 'details_received', 'installation_scheduled', 'installed'] as const)(
    'goes back to %s and tells nothing',
    async (step) => {
      const order = await orders.order({ stage: 'blocked_wim', step });
      expect((await runOne('unblock', order.id, ...WHY)).stderr).toBe('');
      const shown = await runOne('show', order.id, '--json');
      const status = step === 'details_received' ? 'ordered' : step;
      expect(JSON.parse(shown.stdout)).toMatchObject({ status, blocked_at: null, blocked_reason: null });
      expect(await orders.topics(order)).toEqual([]);
    },
  );

  test('is refused where nothing is blocked', async () => {
    for (const { id, stage } of [
      { ...(await orders.order({ stage: 'cancelled', step: null })), stage: 'cancelled' },
      { ...(await orders.order(WAITING)), stage: 'waiting' },
    ]) {
      const { exitCode, stderr } = await runOne('unblock', id, ...WHY);
      expect([exitCode, stderr]).toEqual([1, `status: The order is not blocked; it is ${stage}\n`]);
    }
  });
});

describe('an appointment', () => {
  test('is needed for installation_scheduled, and not taken anywhere but at the visit', async () => {
    const order = await orders.order(WAITING);
    const without = await runOne('move', order.id, 'installation_scheduled', ...WHY);
    expect([without.exitCode, without.stderr]).toEqual([
      1,
      expect.stringContaining('appointment_at: Needed'),
    ]);
    const early = await runOne('move', order.id, 'checked', ...WHY, '--appointment-at', tomorrow());
    expect([early.exitCode, early.stderr]).toEqual([1, expect.stringContaining('gets no appointment')]);
    const at = tomorrow();
    expect(
      (await runOne('move', order.id, 'installation_waiting', ...WHY, '--appointment-at', at)).stderr,
    ).toBe('');
    expect(await appointmentOf(order)).toBe(at);
  });

  test.each(['2020-01-01T00:00:00Z', '2999-01-01T00:00:00Z'])('at %s is a mistake', async (at) => {
    const order = await orders.order(SCHEDULED);
    const refused = await runOne('reschedule', order.id, ...WHY, '--appointment-at', at);
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      expect.stringContaining('appointment_at: Not between'),
    ]);
    const other = await orders.order(WAITING);
    const moved = await runOne('move', other.id, 'installation_scheduled', ...WHY, '--appointment-at', at);
    expect(moved.exitCode).toBe(1);
    expect(await appointmentOf(other)).toBeNull();
  });

  test('changes while the order is scheduled, under a block too, and tells nothing', async () => {
    for (const position of [SCHEDULED, { stage: 'blocked', step: 'installation_waiting' }] as const) {
      const order = await orders.order(position);
      const at = tomorrow();
      for (let time = 0; time < 2; time++) {
        expect((await runOne('reschedule', order.id, ...WHY, '--appointment-at', at)).stderr).toBe('');
      }
      expect(await appointmentOf(order)).toBe(at);
      expect(await orders.topics(order)).toEqual([]);
      const lines = await auditRows(orders.api, orders.organization, 'meter_order.reschedule');
      const results = lines.filter(({ object_id }) => object_id === order.id).map(({ result }) => result);
      expect(results).toEqual(['done', 'unchanged']);
    }
    const { id } = await orders.order(WAITING);
    const refused = await runOne('reschedule', id, ...WHY, '--appointment-at', tomorrow());
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('this one is created')]);
  });
});

test('list and show tell ids and values, and what may follow', async () => {
  const order = await orders.order({ stage: 'blocked', step: 'installed' });
  const listed = await runOne('list', '--status', 'blocked', '--subscription', order.subscription);
  expect(listed.stdout).toMatch(
    new RegExp(`^id +status +public_status.*\\n${order.id} +blocked +installed +partner-b`),
  );
  const nobody = await runOne('list', '--customer', 'cus_000000000000000000000000');
  expect([nobody.exitCode, nobody.stderr]).toEqual([
    1,
    expect.stringContaining('There is no customer cus_0'),
  ]);
  const shown = JSON.parse((await runOne('show', order.id, '--json')).stdout);
  expect(shown.may_follow).toEqual(['activated', 'pre_installed', 'cancelled', 'blocked_wim']);
});

test('what is not understood changes nothing', async () => {
  const order = await orders.order(WAITING);
  const { id } = order;
  const results = await orders.run([
    ['move', id, 'nowhere', ...WHY],
    ['move', id, 'details_received', ...WHY],
    ['move', id, 'checked'],
    ['move', id, 'checked', '--reason', ' '],
    ['move', id, 'installed', ...WHY, '--meter-number', ' '],
    ['move', id, 'installed', ...WHY, '--meter-number', '1SMA1', '--mounted-on', '2026-02-30'],
    ['reschedule', id, ...WHY],
    ['reschedule', id, ...WHY, '--appointment-at', '2026-12-01T09:00:00'],
  ]);
  expect(results.map(({ exitCode }) => exitCode)).toEqual(results.map(() => 2));
  const lost = await runOne('move', id, 'checked', ...WHY, '--closing', '5');
  expect([lost.exitCode, lost.stderr]).toEqual([1, '--mounted-on and --closing belong to --meter-number\n']);
  const unknown = 'prdo_000000000000000000000000';
  const missing = await runOne('move', unknown, 'checked', ...WHY);
  expect(missing.stderr).toBe(`There is no meter order ${unknown} in ${orders.organization}\n`);
  const environment = testEnvironment(orders.api.database, 'redis://127.0.0.1:1');
  const whose = ['--organization', 'org_000000000000000000000000'];
  const foreign = await runCommand(environment, 'meter-orders', 'move', id, 'checked', ...WHY, ...whose);
  expect(foreign).toMatchObject({
    exitCode: 1,
    stderr: 'There is no organization org_000000000000000000000000\n',
  });
  expect(await orders.topics(order)).toEqual([]);
});
