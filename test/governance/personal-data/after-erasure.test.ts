import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changePaymentMethodForStaff } from '../../../src/contracts/subscriptions/update.ts';
import { setClientDisabled } from '../../../src/identity/oauth/clients/clients.ts';
import { setStanding } from '../../../src/identity/organizations/service.ts';
import { runCommand } from '../../cli/command-line.ts';
import { entry, type Known, SignUps } from '../../contracts/subscriptions/sign-ups.ts';
import { testEnvironment } from '../../setup/api.ts';

/* Who was erased stays erased: nothing new is taken of the person. */

const ERASED = 'The customer was erased: nothing new is taken';

let signUps: SignUps;
let erased: Known;
/** What was the person's. */
let program: string;
let feedIn: string;
let reduction: string;

const run = (...args: string[]) => {
  const { api, contracts } = signUps;
  const { SECRET_PEPPER } = api.deps.config;
  return runCommand(
    {
      ...testEnvironment(api.database, api.deps.config.REDIS_URL),
      ...{ DATABASE_OWNER_URL: api.database.ownerUrl, SECRET_PEPPER },
    },
    ...args,
    ...['--organization', contracts.organization, '--reason', 'asked'],
  );
};

const device = ({ household }: { household: string }) => ({
  ...{ household, type: 'heat_pump', heat_pump: { max_power_kw: 3.5 }, external_id: 'pump-1' },
});

beforeAll(async () => {
  signUps = await SignUps.start();
  erased = await signUps.known({ meter: signUps.meter({ type: 'smart' }) });
  expect((await (await signUps.client()).post('/assets', device(erased))).status).toBe(200);
  const { customer, household } = erased;
  const made = await run('clients', 'create', '--name', 'App', '--customer', customer, '--json');
  program = JSON.parse(made.stdout).client_id;
  const meter = signUps.meterOf(erased, { type: 'smart' });
  feedIn = (await signUps.signUp(signUps.feedIn({ customer, household, meter }))).id;
  const body = { subscription: erased.id, type: 'enwg-14a-module-1' };
  const ordered = await (await signUps.client()).post<{ id: string }>('/grid-fee-reductions', body);
  expect(ordered.status, ordered.text).toBe(200);
  reduction = ordered.body.id;
  for (const id of [erased.id, feedIn]) {
    await signUps.endAt(id, '2026-04-30T22:00:00Z');
    await signUps.rows("UPDATE subscriptions SET status = 'ended' WHERE id = $1", [id]);
  }
  expect(await run('customers', 'erase', erased.customer, '--yes')).toMatchObject({
    exitCode: 0,
    stderr: '',
  });
});
afterAll(() => signUps?.close());

test('no contract is taken of a customer who was erased', async () => {
  const { customer, household } = erased;
  const meter = signUps.meterOf(erased);
  expect(await signUps.refused(signUps.body({ customer, meter }))).toEqual([
    409,
    `custom customer: ${ERASED}`,
  ]);
  /* The number of the meter is gone. */
  expect(await signUps.refused(signUps.body({ customer, household, meter }))).toEqual([
    400,
    entry('invalid_household_meter', 'meter.number'),
  ]);
});

test('the e-mail address of a customer who was erased is free: somebody who signs up with it is another customer', async () => {
  const { customer } = await signUps.signUp(signUps.body({ customer: signUps.personOf(erased) }));
  expect(customer).not.toBe(erased.customer);
});

test('the external id of a device is free after the erasure of its customer, and else never again', async () => {
  const client = await signUps.client();
  const { household } = await signUps.known();
  const statuses = [1, 2].map(async () => (await client.post('/assets', device({ household }))).status);
  expect((await Promise.all(statuses)).sort()).toEqual([200, 409]);
});

test.each([
  [
    '/assets',
    'household',
    () => ({ household: erased.household, type: 'heat_pump', heat_pump: { max_power_kw: 3.5 } }),
  ],
  [
    '/meter-readings',
    'meter',
    () => ({ subscription: erased.id, timestamp: '2026-03-20T12:00:00Z', value: 100 }),
  ],
  ['/admin/magic_link', 'customerId', () => ({ customerId: erased.customer })],
])('POST %s is refused for a customer who was erased', async (path, field, body) => {
  const answer = await (await signUps.client()).post(path, body());
  expect([answer.status, answer.body]).toEqual([
    409,
    expect.objectContaining({ errors: [{ code: 'custom', field, message: ERASED }] }),
  ]);
});

test('a contract that no job ended while its organization was suspended takes nothing of a customer who was erased', async () => {
  const { api, contracts } = signUps;
  const { id: subscription, customer } = await signUps.known();
  await signUps.endAt(subscription, '2026-04-30T22:00:00Z');
  for (const standing of ['suspended', 'in_order'] as const) {
    const act = {
      staff: 'tests',
      reason: 'asked',
      command: 'test',
      now: contracts.clock.now().toISOString(),
    };
    await setStanding(api.deps.database, contracts.organization, standing, act);
    if (standing === 'suspended')
      expect(await run('customers', 'erase', customer, '--yes')).toMatchObject({ exitCode: 0, stderr: '' });
  }
  const client = await signUps.client('2026-05-27.curie');
  const account = { iban: 'DE02120300000000202051', account_holder: 'Jule Brandt' };
  const data = Array.from({ length: 96 }, (_, quarter) => ({
    start: new Date(Date.parse('2026-10-06T22:00:00Z') + quarter * 900_000).toISOString(),
    value: 0.4,
  }));
  const answers = [
    await client.patch(`/subscriptions/${subscription}`, {
      payment_method: { type: 'sepa_debit', sepa_debit: account },
      billing_address: { street: 'Neue Gasse', house_number: '1', zip: '37073', city: 'Göttingen' },
      metadata: { note: 'Jule' },
    }),
    await client.post('/meter-orders', { subscription }),
    await client.post('/grid-fee-reductions', { subscription, type: 'enwg-14a-module-1' }),
    await client.post('/load-forecasts', {
      ...{ scope: 'subscription', subscription, resolution: '15min', unit: 'KW', data },
    }),
  ];
  const errors = [{ code: 'custom', field: 'subscription', message: ERASED }];
  for (const { status, body } of answers)
    expect([status, body]).toEqual([409, expect.objectContaining({ errors })]);
});

test('no name is given back to a customer who was erased', async () => {
  const client = await signUps.client();
  const { status, body } = await client.patch(`/customers/${erased.customer}`, { first_name: 'Jule' });
  expect([status, body]).toEqual([
    409,
    expect.objectContaining({ errors: [{ code: 'custom', field: 'customer', message: ERASED }] }),
  ]);
  const shown = (await client.get<Record<string, unknown>>(`/customers/${erased.customer}`)).body;
  expect(shown).toMatchObject({ first_name: 'erased' });
  expect(Object.keys(shown)).not.toContain('erased_at');
});

test('the back office enters nothing of a customer who was erased', async () => {
  const { customer, id } = erased;
  const [contract] = await signUps.rows<{ meter_id: string }>(
    'SELECT meter_id FROM subscriptions WHERE id = $1',
    [id],
  );
  const folder = await mkdtemp(join(tmpdir(), 'voltstream-usage-'));
  const file = join(folder, 'usage.csv');
  await writeFile(file, 'start,kwh\n2026-03-20T00:00:00Z,0.2\n');
  for (const args of [
    ['households', 'create', '--customer', customer, '--display-name', 'Laube'],
    ['households', 'rename', erased.household, '--display-name', 'Laube'],
    ['clients', 'create', '--name', 'App', '--customer', customer],
    ['invoices', 'mode', id, 'none', '--from', '2026-12'],
    ['subscriptions', 'set-dates', id, '--end-on', '2026-04-30'],
    ['subscriptions', 'set-plant', feedIn, '--tax-exempt', 'yes'],
    ['grid-fee-reductions', 'reject', reduction],
    ['meters', 'exchange', String(contract?.meter_id), '--on', '2026-03-30', '--number', '9NEU0009'],
  ]) {
    expect([args, await run(...args)]).toEqual([
      args,
      expect.objectContaining({ exitCode: 1, stderr: expect.stringContaining(ERASED) }),
    ]);
  }
  const { api, contracts } = signUps;
  const environment = testEnvironment(api.database, api.deps.config.REDIS_URL);
  const imported = await runCommand(environment, 'usage', 'import', file, '--subscription', id);
  expect(imported).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(ERASED) });
  await rm(folder, { recursive: true });
  const account = { iban: 'DE89370400440532013000', account_holder: 'Jule Brandt' };
  const act = { staff: 'tests', reason: 'asked', command: 'test', now: contracts.clock.now().toISOString() };
  const method = { type: 'sepa_debit', sepa_debit: account } as const;
  await expect(
    changePaymentMethodForStaff(api.deps, contracts.organization, id, method, act),
  ).rejects.toThrow(ERASED);
  await expect(setClientDisabled(api.deps.database, program, false, act)).rejects.toThrow(ERASED);
});

test('an export and an erasure leave the leads of relatives: contract, e-mail address and first name say whose they are', async () => {
  const jule = await signUps.known();
  const email = 'anna.brandt@example.org';
  const client = await signUps.client();
  const asks = async (customer: Record<string, unknown>) => {
    const { plan, address } = signUps.body();
    const body = { plan, address, meter: { estimated_usage: 3000 }, customer };
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const answer = await client.post<{ id: string }>('/leads', body, { headers });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.id;
  };
  const own = [
    await asks({ first_name: 'JULE', last_name: 'Brandt', email: 'private@example.net' }),
    await asks({ last_name: 'Brandt', email: 'private@example.net' }),
  ];
  const lead = await asks({ last_name: 'Brandt', email: 'anna.private@example.net' });
  await signUps.signUp(signUps.body({ customer: signUps.person({ first_name: 'Anna', email }), lead }));
  const others = [
    lead,
    await asks({ last_name: 'Brandt', email: email.toUpperCase() }),
    await asks({ first_name: 'Berta', last_name: 'Brandt', email: 'berta@example.net' }),
  ];

  const folder = await mkdtemp(join(tmpdir(), 'voltstream-relatives-'));
  const output = join(folder, 'out');
  expect(await run('customers', 'export', jule.customer, '--output', output)).toMatchObject({ exitCode: 0 });
  const files = ['leads.jsonl', 'idempotency_keys.jsonl'].map((name) => readFile(join(output, name), 'utf8'));
  for (const text of await Promise.all(files)) {
    expect(own.map((id) => text.includes(id))).toEqual([true, true]);
    expect(others.map((id) => text.includes(id))).toEqual([false, false, false]);
  }
  await rm(folder, { recursive: true });

  await signUps.endAt(jule.id, '2026-04-30T22:00:00Z');
  await signUps.rows("UPDATE subscriptions SET status = 'ended' WHERE id = $1", [jule.id]);
  expect(await run('customers', 'erase', jule.customer, '--yes')).toMatchObject({ exitCode: 0 });
  const left = await signUps.rows<{ id: string }>('SELECT id FROM leads WHERE id = ANY ($1)', [
    [...own, ...others],
  ]);
  expect(left.map(({ id }) => id).toSorted()).toEqual(others.toSorted());
});
