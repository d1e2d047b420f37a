import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient, createMarketPartner, createTenant, tokenFor } from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { Contracts } from './contracts.ts';

const NOW = '2026-10-05T08:40:12.345Z';
const BEFORE_CURIE = ['2025-12-01.chucky', '2025-12-16.batman', '2026-01-29.edison'];

let contracts: Contracts;
beforeAll(async () => {
  contracts = await Contracts.start(NOW);
});
afterAll(() => contracts.close());

let mails = 0;

/** A contract with everything that one can have. */
async function complete() {
  mails += 1;
  const household = await contracts.household({
    customer: {
      type: 'person',
      first_name: 'Jule',
      last_name: 'Brandt',
      email: `Jule.${mails}@example.org`,
    },
    address: { street: 'Am Mühlgraben', house_number: '7a', zip: '37073', city: 'Göttingen' },
  });
  const supplier = await createMarketPartner(contracts.api.deps, { name: 'Stadtwerke Musterstadt' });
  const made = await contracts.active({
    household,
    supplier_id: supplier.id,
    number: null,
    estimated_usage: '4888',
    metadata: JSON.stringify({ crm: 'A-1182', tags: [1, null, { deep: true }] }),
  });
  await storedRows(contracts.api, 'UPDATE meters SET melo = $2, malo = $3, number = $4 WHERE id = $1', [
    made.meter,
    'DE0009993707300000000000000123456',
    '50123456789',
    '1EMH0087654321',
  ]);
  return { ...made, household, supplier };
}

describe('the answer', () => {
  test('shows everything that belongs to the contract as whole objects, the account masked', async () => {
    const made = await complete();
    const { status, body } = await (await contracts.client()).get(`/subscriptions/${made.id}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      object: 'subscription',
      id: made.id,
      plan: made.plan,
      customer: {
        object: 'customer',
        id: made.household.customer,
        type: 'person',
        first_name: 'Jule',
        last_name: 'Brandt',
        email: `Jule.${mails}@example.org`,
        vat_id: null,
        created_at: NOW,
      },
      household: made.household.household,
      address: {
        object: 'address',
        id: made.household.address,
        street: 'Am Mühlgraben',
        house_number: '7a',
        zip: '37073',
        city: 'Göttingen',
        created_at: NOW,
      },
      billing_address: {
        object: 'address',
        id: made.billing_address,
        street: 'Gänsemarkt',
        house_number: '12a',
        zip: '20354',
        city: 'Hamburg',
        created_at: NOW,
      },
      meter: {
        object: 'meter',
        id: made.meter,
        number: '1EMH0087654321',
        type: 'analog',
        melo: 'DE0009993707300000000000000123456',
        malo: '50123456789',
        created_at: NOW,
      },
      payment_method: {
        object: 'payment_method',
        id: made.payment_method,
        type: 'sepa_debit',
        sepa_debit: { iban: 'DE****************3000', account_holder: 'Käthe Voß' },
        created_at: NOW,
      },
      supplier: {
        object: 'supplier',
        id: made.supplier.id,
        name: 'Stadtwerke Musterstadt',
        country: 'DE',
        created_at: NOW,
      },
      number: null,
      status: 'active',
      type: 'consumption',
      estimated_usage: 4888,
      start_at: '2024-12-31T23:00:00.000Z',
      terminated_at: null,
      end_at: null,
      metadata: { crm: 'A-1182', tags: [1, null, { deep: true }] },
      created_at: NOW,
      updated_at: NOW,
    });
  });

  test('never shows the account itself', async () => {
    const made = await complete();
    for (const version of [...BEFORE_CURIE, '2026-05-27.curie', '2026-09-08.gauss']) {
      const { text } = await (await contracts.client(version)).get(`/subscriptions/${made.id}`);
      expect(text).not.toContain('DE89370400440532013000');
    }
  });

  test('has null where there is nothing: no delivery address, no supplier', async () => {
    const { id } = await contracts.contract({ type: 'feed_in', address_id: null });
    const { body } = await (await contracts.client()).get(`/subscriptions/${id}`);
    expect(body).toMatchObject({
      address: null,
      supplier: null,
      metadata: null,
      start_at: null,
      type: 'feed_in',
      meter: { melo: null, malo: null },
    });
  });

  test('shows a company with its name', async () => {
    const household = await contracts.household({
      customer: {
        type: 'company',
        company_name: 'Bäckerei Brandt GmbH',
        first_name: 'Jule',
        last_name: 'Brandt',
        email: 'gmbh@example.org',
        vat_id: 'DE123456789',
      },
    });
    const { id } = await contracts.contract({ household });
    const customer = { type: 'company', company_name: 'Bäckerei Brandt GmbH' };
    const newest = await (await contracts.client()).get(`/subscriptions/${id}`);
    expect(newest.body).toMatchObject({ customer: { ...customer, vat_id: 'DE123456789' } });
    const older = await (await contracts.client('2026-01-29.edison')).get<{ customer: object }>(
      `/subscriptions/${id}`,
    );
    expect(older.body.customer).toMatchObject(customer);
    expect(older.body.customer).not.toHaveProperty('vat_id');
  });
});

describe('older versions', () => {
  test.each(BEFORE_CURIE)(
    '%s: no type, no billing address, no tax number, the supplier with its code',
    async (version) => {
      const made = await complete();
      const path = `/subscriptions/${made.id}`;
      const newest = (await (await contracts.client()).get<Record<string, object>>(path)).body;
      const { type, billing_address, customer, supplier, ...same } = newest;
      const { vat_id, ...olderCustomer } = customer as Record<string, unknown>;
      expect([type, vat_id, typeof billing_address]).toEqual(['consumption', null, 'object']);
      const { body } = await (await contracts.client(version)).get(path);
      expect(body).toEqual({
        ...same,
        customer: olderCustomer,
        supplier: { ...supplier, code: made.supplier.code, code_type: 'BDEW' },
      });
    },
  );

  test.each(BEFORE_CURIE)('%s does not find feed-in', async (version) => {
    const { id } = await contracts.active({ type: 'feed_in' });
    const client = await contracts.client(version);
    const answer = await client.get<ErrorBody>(`/subscriptions/${id}`);
    expect(refusal(answer)).toEqual([404]);
    expect(answer.body.message).toBe('Resource not found');
  });

  test('curie answers as the newest', async () => {
    const { id } = await complete();
    const [curie, newest] = [
      await (await contracts.client('2026-05-27.curie')).get(`/subscriptions/${id}`),
      await (await contracts.client()).get(`/subscriptions/${id}`),
    ];
    expect(curie.body).toEqual(newest.body);
    const feedIn = await contracts.active({ type: 'feed_in' });
    const { body } = await (await contracts.client('2026-05-27.curie')).get(`/subscriptions/${feedIn.id}`);
    expect(body).toMatchObject({ type: 'feed_in' });
  });
});

describe('not found', () => {
  test("I01 is another organization's, byte for byte as one that does not exist", async () => {
    const other = await createTenant(contracts.api);
    const { id } = await contracts.active();
    const stranger = contracts.api.client(other.token);
    const read = async (path: string) => {
      const answer = await stranger.get<ErrorBody & { requestId?: string }>(`/subscriptions/${path}`);
      delete answer.body.requestId;
      return { status: answer.status, body: answer.body };
    };
    const foreign = await read(id);
    expect(foreign.status).toBe(404);
    for (const path of ['sub_000000000000000000000000', 'x', 'a%00b'])
      expect(await read(path)).toEqual(foreign);
  });

  test('I09 is another customer of the same organization for a customer token', async () => {
    const own = await contracts.active();
    const neighbour = await contracts.active();
    const { api, organization } = contracts;
    const credentials = await createClient(api.deps, organization, { customer_id: own.place.customer });
    const customer = api.client(await tokenFor(api, credentials));
    const answer = await customer.get<{ customer: { id: string } }>(`/subscriptions/${own.id}`);
    expect(answer.body.customer.id).toBe(own.place.customer);
    expect((await customer.get(`/subscriptions/${neighbour.id}`)).status).toBe(404);
    expect((await api.client(null).get(`/subscriptions/${own.id}`)).status).toBe(401);
  });
});

test('the audit log keeps who read it', async () => {
  const { id } = await contracts.active();
  const answer = await (await contracts.client()).get(`/subscriptions/${id}`);
  const reads = async () => {
    const rows = await auditRows(contracts.api, contracts.organization, 'personal_data.read');
    return rows.filter((row) => row.object_id === id);
  };
  await expect.poll(reads).toEqual([
    expect.objectContaining({
      client_id: contracts.credentials.client_id,
      route: 'GET /subscriptions/{id}',
      request_id: answer.headers.get('x-request-id'),
    }),
  ]);
});
