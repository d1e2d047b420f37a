import { afterAll, beforeAll, expect, test } from 'vitest';
import { dueDocuments } from '../../../src/billing/invoices/plan/due.ts';
import { runBilling } from '../../../src/billing/invoices/runs/run.ts';
import { advanceSubscriptions } from '../../../src/contracts/subscriptions/advance.ts';
import { jobWorkers } from '../../../workers/index.ts';
import { createEntry } from '../../billing/payments/entries.ts';
import { runCommand } from '../../cli/command-line.ts';
import { administrator } from '../../setup/administrator.ts';
import { startApi, type TestApi, testEnvironment } from '../../setup/api.ts';
import { addTrigger } from '../../setup/engine.ts';
import {
  createAsset,
  createHousehold,
  createOrganization,
  createSubscription,
  type TestHousehold,
} from '../../setup/factories.ts';
import { createBilledContract, issueDocument, payInFull } from '../../setup/invoices.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { workJobs } from '../../setup/work-jobs.ts';
import { enterIssuer } from './settle.ts';

/* What the bank reported of a person's account and is on no bill, and a bill that is reversed at that moment. */

let api: TestApi;
let organization: string;

beforeAll(async () => {
  api = await startApi({ alone: true });
  organization = await createOrganization(api.deps);
});
afterAll(() => api?.close());

async function payer(iban: string): Promise<string> {
  const place = await createHousehold(api.deps, organization);
  const { payment_method } = await createSubscription(api.deps, organization, place, { status: 'ended' });
  await storedRows(api, 'UPDATE payment_methods SET iban = $1 WHERE id = $2', [iban, payment_method]);
  return place.customer;
}

const run = (...args: string[]) => runIn(organization, ...args);

const runIn = (owner: string, ...args: string[]) => {
  const { appUrl, ownerUrl } = api.database;
  const { SECRET_PEPPER, ENCRYPTION_KEY } = api.deps.config;
  const environment = {
    ...{ APP_ENV: 'test', DATABASE_URL: appUrl, DATABASE_OWNER_URL: ownerUrl },
    ...{ SECRET_PEPPER, ENCRYPTION_KEY: String(ENCRYPTION_KEY) },
  };
  return runCommand(environment, ...args, '--organization', owner, '--reason', 'asked');
};

const isRestricted = async (entry: string) =>
  (await storedRows(api, 'SELECT FROM bank_entries WHERE id = $1 AND restricted_at IS NOT NULL', [entry]))
    .length > 0;

test('nobody is erased while a movement of his account waits for a bill; one that was set aside is restricted then', async () => {
  const customer = await payer('DE02500105170137075030');
  const entry = await createEntry(api, organization, { iban: 'DE02500105170137075030', name: 'Ada Amsel' });
  const foreign = await createEntry(api, organization, { iban: 'DE02100500000054540402', name: 'Somebody' });
  const refused = await run('customers', 'erase', customer, '--yes');
  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    `Customer ${customer} cannot be erased:\n` +
      `unmatched_movement: movement ${entry} of the person's account is assigned to no bill yet\n`,
  ]);
  expect((await run('payments', 'set-aside', entry)).stderr).toBe('');
  expect((await run('customers', 'erase', customer)).stdout).toMatch(/^bank_entries +restricted +1$/m);
  expect((await run('customers', 'erase', customer, '--yes')).stderr).toBe('');
  expect([await isRestricted(entry), await isRestricted(foreign)]).toEqual([true, false]);
});

test('a movement of an account that somebody else has as well stays as it is', async () => {
  const [customer] = [await payer('DE89370400440532013000'), await payer('DE89370400440532013000')];
  const entry = await createEntry(api, organization, {
    iban: 'DE89370400440532013000',
    state: 'set_aside',
    note: null,
  });
  expect((await run('customers', 'erase', customer, '--yes')).stderr).toBe('');
  expect(await isRestricted(entry)).toBe(false);
});

test('a bill that is reversed while its person is erased is waited for, and the money that it owes keeps the person and the devices', async () => {
  const { database, clock } = api.deps;
  const contract = await createBilledContract(api.deps, { organization });
  const bill = await issueDocument(api.deps, contract, { isFinal: true });
  const [home] = await storedRows<TestHousehold>(
    api,
    'SELECT household_id AS household, customer_id AS customer FROM subscriptions WHERE id = $1',
    [contract.subscription],
  );
  const device = await createAsset(api.deps, organization, home as TestHousehold, { type: 'heat_pump' });
  await storedRows(api, "UPDATE subscriptions SET status = 'ended', end_at = '2020-01-01' WHERE id = $1", [
    contract.subscription,
  ]);
  await database.inOrganization({ organization }, (connection) =>
    payInFull(connection, organization, bill.id, clock),
  );
  await storedRows(api, 'CREATE TABLE gate (name text)');
  await storedRows(api, 'GRANT SELECT ON gate TO PUBLIC');
  await addTrigger(administrator(api.database.adminUrl), {
    name: 'wait_at_gate',
    when: 'BEFORE INSERT ON invoice_lines FOR EACH ROW WHEN (NEW.net < 0)',
    body: 'WHILE NOT EXISTS (SELECT FROM gate) LOOP PERFORM pg_sleep(0.02); END LOOP; RETURN NEW;',
  });
  const waits = (event: string) =>
    storedRows(
      api,
      'SELECT FROM pg_stat_activity WHERE datname = current_database() AND $1 IN (wait_event, wait_event_type)',
      [event],
    );
  const reversed = run('invoices', 'void', bill.id);
  await expect.poll(() => waits('PgSleep')).toHaveLength(1);
  const erased = run('customers', 'erase', contract.customer, '--yes');
  await expect.poll(() => waits('Lock')).toHaveLength(1);
  await storedRows(api, "INSERT INTO gate VALUES ('open')");
  expect((await reversed).stderr).toBe('');
  const owing = await storedRows<{ id: string; is_restricted: boolean }>(
    api,
    "SELECT id, restricted_at IS NOT NULL AS is_restricted FROM invoices WHERE customer_id = $1 AND type = 'void'",
    [contract.customer],
  );
  expect(owing).toMatchObject([{ is_restricted: false }]);
  expect(await erased).toMatchObject({
    exitCode: 1,
    stderr: `Customer ${contract.customer} cannot be erased:\nopen_invoice: invoice ${owing[0]?.id} is not settled\n`,
  });
  const inUse = 'SELECT FROM assets WHERE id = $1 AND decommissioned_at IS NULL';
  expect(await storedRows(api, inUse, [device.id])).toHaveLength(1);
});

/** Supplied in February and March. */
async function leaver() {
  const { database, clock } = api.deps;
  const contract = await createBilledContract(api.deps);
  const owner = contract.organization;
  await enterIssuer(testEnvironment(api.database, 'redis://127.0.0.1:1'), owner);
  await storedRows(
    api,
    `UPDATE subscriptions SET status = 'active', start_at = '2026-01-31T23:00Z', end_at = '2026-03-31T22:00Z'
      WHERE id = $1`,
    [contract.subscription],
  );
  const moment = { nowMilliseconds: clock.nowMilliseconds(), month: null };
  const due = () =>
    database.inOrganization({ organization: owner }, (connection) =>
      dueDocuments(connection, owner, { first: '', last: 'sub_~' }, moment),
    );
  return { ...contract, due };
}

test.each(['suspended', 'deleted'])(
  'in an organization that is %s the day of a contract is its end: only in a deleted one nobody waits for bills, nor bills him when it is back',
  async (standing) => {
    const { organization: owner, customer, subscription, due } = await leaver();
    const refusal = async () => (await runIn(owner, 'customers', 'erase', customer)).stderr;
    const stands = async (as: string) =>
      await storedRows(api, 'UPDATE organizations SET standing = $2 WHERE id = $1', [owner, as]);
    expect(await refusal()).toContain(`running_contract: contract ${subscription} has not ended\n`);
    await stands(standing);
    const endsOn = async (at: string) =>
      await storedRows(api, 'UPDATE subscriptions SET end_at = $2 WHERE id = $1', [subscription, at]);
    await endsOn('2126-03-31T22:00Z');
    expect(await refusal()).toContain(`running_contract: contract ${subscription} has not ended\n`);
    await endsOn('2026-03-31T22:00Z');
    /* A suspension ends, and what was paid in advance is credited then. */
    if (standing === 'suspended') {
      expect(await refusal()).toContain(`bill_missing: contract ${subscription} `);
      expect(await refusal()).not.toContain('running_contract');
      return;
    }
    const done = await runIn(owner, 'customers', 'erase', customer, '--yes');
    expect([done.exitCode, done.stderr]).toEqual([0, '']);
    await stands('in_order');
    expect(await due()).toEqual([]);
    await advanceSubscriptions(api.deps, { signal: new AbortController().signal, log: api.deps.log });
    expect(await due()).toEqual([]);
  },
);

/** The same, billed and paid. */
async function leftPayer() {
  const { database, clock } = api.deps;
  const contract = await leaver();
  const owner = contract.organization;
  await storedRows(api, "UPDATE subscriptions SET status = 'ended' WHERE id = $1", [contract.subscription]);
  const february = await issueDocument(api.deps, contract, { month: -10, periodNumber: 1 });
  const march = await issueDocument(api.deps, contract, { month: -9, periodNumber: 2, isFinal: true });
  for (const { id } of [february, march])
    await database.inOrganization({ organization: owner }, (connection) =>
      payInFull(connection, owner, id, clock),
    );
  const run = { dueAt: clock.now().toISOString(), signal: new AbortController().signal, log: api.deps.log };
  await runBilling(api.deps, run);
  await workJobs(api, jobWorkers);
  return { ...contract, february };
}

test('nobody is erased while a bill before the last one is reversed and not made again', async () => {
  const { organization: owner, customer, subscription, february, due } = await leftPayer();
  const refusal = async () => (await runIn(owner, 'customers', 'erase', customer)).stderr;
  expect([await refusal(), await due()]).toEqual([expect.stringContaining('Nothing was erased'), []]);
  expect((await runIn(owner, 'invoices', 'void', february.id)).stderr).toBe('');
  expect(await refusal()).toContain(
    `bill_missing: contract ${subscription} was supplied on days that have no bill\n`,
  );
  expect(await due()).toMatchObject([{ subscription, period: { from: '2026-02-01' } }]);
});

test('no run bills the days of somebody who was erased again, whose documents the service does not see', async () => {
  const { organization: owner, customer, due } = await leftPayer();
  expect(await runIn(owner, 'customers', 'erase', customer, '--yes')).toMatchObject({
    exitCode: 0,
    stderr: '',
  });
  expect(await due()).toEqual([]);
});
