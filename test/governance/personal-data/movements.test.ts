import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEntry } from '../../billing/payments/entries.ts';
import { runCommand } from '../../cli/command-line.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createHousehold, createOrganization, createSubscription } from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';

/* What the bank reported of a person's account, and what is on no bill. */

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

const run = (...args: string[]) => {
  const { appUrl, ownerUrl } = api.database;
  const { SECRET_PEPPER, ENCRYPTION_KEY } = api.deps.config;
  const environment = {
    ...{ APP_ENV: 'test', DATABASE_URL: appUrl, DATABASE_OWNER_URL: ownerUrl },
    ...{ SECRET_PEPPER, ENCRYPTION_KEY: String(ENCRYPTION_KEY) },
  };
  return runCommand(environment, ...args, '--organization', organization, '--reason', 'asked');
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
