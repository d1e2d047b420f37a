import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERSION_NAMES } from '../../../src/config/versions.ts';
import { runCommand } from '../../cli/command-line.ts';
import { tokensIn } from '../../identity/oauth/code-exchange.ts';
import { clientWithCustomer, consented, exchange } from '../../identity/oauth/visitor.ts';
import { startApi, type TestApi, testEnvironment } from '../../setup/api.ts';
import {
  createAsset,
  createClient,
  createHousehold,
  createLead,
  createSubscription,
  createTenant,
  tokenFor,
} from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.close());

/** An organization with so many customers, each with a contract and a device, and a client that reads. */
async function start(customers: number) {
  const { organization } = await createTenant(api);
  const homes = await Promise.all(
    Array.from({ length: customers }, () => createHousehold(api.deps, organization)),
  );
  for (const home of homes) {
    await createSubscription(api.deps, organization, home);
    await createAsset(api.deps, organization, home, { type: 'inverter' });
  }
  const reader = await createClient(api.deps, organization);
  const client = api.client(await tokenFor(api, reader));
  const lines = async () => (await auditRows(api, organization, 'personal_data.read')).length;
  return { organization, homes, reader, client, lines };
}

async function reads(...args: string[]) {
  const environment = {
    ...testEnvironment(api.database, 'redis://127.0.0.1:1'),
    DATABASE_OWNER_URL: api.database.ownerUrl,
  };
  const result = await runCommand(environment, 'audit', 'reads', ...args, '--json');
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  return JSON.parse(result.stdout) as { whose: string | null; reads: number }[];
}

const whose = (rows: readonly { whose: string | null }[]) => rows.map((row) => row.whose).toSorted();

test('audit reads wants to know whose tokens are meant', async () => {
  const answer = await runCommand(testEnvironment(api.database, 'redis://127.0.0.1:1'), 'audit', 'reads');
  expect(answer.stderr).toBe('--client or --grant: name whose tokens are meant\n');
});

describe('audit reads says whose data the tokens of a client have read', () => {
  test.each(['/customers', '/households', '/subscriptions', '/assets'])(
    'by pages of %s: those of the shown rows and nobody else',
    async (path) => {
      const { organization, homes, reader, client, lines } = await start(3);
      const { body } = await client.get<{ items: Record<string, unknown>[] }>(`${path}?limit=2`);
      expect(body.items).toHaveLength(2);
      const seen = homes.filter(({ customer, household }) =>
        body.items.some((item) => [customer, household].some((id) => Object.values(item).includes(id))),
      );
      await expect.poll(lines).toBe(1);
      expect(whose(await reads('--organization', organization, '--client', reader.client_id))).toEqual(
        seen.map(({ customer }) => customer).toSorted(),
      );
    },
  );

  test('by single objects, by whole lists of old versions, and by leads', async () => {
    const { organization, homes, reader, client, lines } = await start(2);
    const lead = await createLead(api.deps, organization);
    const [home] = homes;
    await client.get(`/households/${home?.household}`);
    await client.get(`/households/${home?.household}`);
    await client.get('/leads');
    await expect.poll(lines).toBe(3);
    const args = ['--organization', organization, '--client', reader.client_id];
    expect(await reads(...args)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ whose: home?.customer, reads: 2 }),
        expect.objectContaining({ whose: lead.id, reads: 1 }),
      ]),
    );
    const old = api.client(await tokenFor(api, reader), { version: VERSION_NAMES[0] });
    expect((await old.get('/customers')).status).toBe(200);
    await expect.poll(lines).toBe(4);
    expect(whose(await reads(...args))).toEqual(
      [...homes.map(({ customer }) => customer), lead.id].toSorted(),
    );
  });

  test('by a HEAD of a page, whose length tells of its items, and not by one of a whole list, which shows nobody', async () => {
    const { organization, homes, reader, client, lines } = await start(1);
    const old = api.client(await tokenFor(api, reader), { version: VERSION_NAMES[0] });
    const whole = await old.request('HEAD', '/customers');
    expect([whole.status, whole.headers.get('content-length')]).toEqual([200, null]);
    expect((await client.request('HEAD', '/customers')).status).toBe(200);
    await expect.poll(lines).toBe(1);
    expect(await reads('--organization', organization, '--client', reader.client_id)).toMatchObject([
      { whose: homes[0]?.customer, reads: 1 },
    ]);
    await client.get('/customers');
    await expect.poll(lines).toBe(2);
  });

  test('by what they changed, and by links into the portal that they made', async () => {
    const { organization, homes, reader, client } = await start(5);
    const ids = async (table: string) => {
      const text = `SELECT id, customer_id FROM ${table} WHERE organization_id = $1`;
      const rows = await storedRows<{ id: string; customer_id: string }>(api, text, [organization]);
      return homes.map(({ customer }) => rows.find((row) => row.customer_id === customer)?.id);
    };
    const [contracts, devices] = [await ids('subscriptions'), await ids('assets')];
    const answers = [
      await client.patch(`/customers/${homes[0]?.customer}`, {}),
      await client.patch(`/subscriptions/${contracts[1]}`, {}),
      await client.patch(`/assets/${devices[2]}`, {}),
      await client.post(`/assets/${devices[3]}/decommission`, {}),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await client.post('/admin/magic_link', { customerId: homes[4]?.customer })).status).toBe(200);
    const found = await reads('--organization', organization, '--client', reader.client_id);
    expect(whose(found)).toEqual(homes.map(({ customer }) => customer).toSorted());
  });

  test('of a span of time, and of nobody else', async () => {
    const { organization, homes, reader, client, lines } = await start(1);
    await client.get('/customers');
    await expect.poll(lines).toBe(1);
    const [line] = await storedRows<{ at: string }>(
      api,
      `SELECT to_json(at) #>> '{}' AS at FROM audit_log WHERE organization_id = $1 AND act = 'personal_data.read'`,
      [organization],
    );
    const args = ['--organization', organization, '--client'];
    const at = line?.at ?? '';
    expect(whose(await reads(...args, reader.client_id, '--since', at))).toEqual([homes[0]?.customer]);
    expect(await reads(...args, reader.client_id, '--until', at)).toEqual([]);
    const other = await createClient(api.deps, organization);
    expect(await reads(...args, other.client_id)).toEqual([]);
  });

  test('of a grant: of the customer who gave it, and nothing before it is used', async () => {
    const { client, email, customer } = await clientWithCustomer(api);
    const code = (await consented(api, client, email)).get('code') ?? '';
    const { access_token } = tokensIn(await exchange(api, client, code));
    const [grant] = await storedRows<{ id: string }>(api, 'SELECT id FROM grants WHERE client_id = $1', [
      client.id,
    ]);
    const args = ['--organization', client.organization, '--grant', grant?.id ?? ''];
    expect(await reads(...args)).toEqual([]);
    expect((await api.client(access_token).get('/households')).status).toBe(200);
    await expect.poll(() => reads(...args)).toMatchObject([{ whose: customer, reads: 1 }]);
  });
});
