import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import {
  createClient,
  createHousehold,
  createTenant,
  type TestClient,
  tokenFor,
} from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import type { ErrorBody } from '../../telemetry/assets/devices.ts';

let api: TestApi;
let clock: FakeClock;
let organization: string;
let credentials: TestClient;
let token: string;

beforeAll(async () => {
  clock = fakeClock('2026-10-05T08:30:00.123Z');
  api = await startApi({ clock, alone: true });
  ({ organization, token, client: credentials } = await createTenant(api));
});
afterAll(() => api.close());

describe('the answer', () => {
  test('shows customer and address as whole objects', async () => {
    const created = await createHousehold(api.deps, organization, {
      customer: { type: 'person', first_name: 'Jule', last_name: 'Brandt', email: 'Jule.Brandt@example.org' },
      address: { street: 'Am Mühlgraben', house_number: '7a', zip: '37073', city: 'Göttingen' },
      display_name: 'Haus am See',
    });
    const moment = '2026-10-05T08:30:00.123Z';
    const { status, body } = await api.client(token).get(`/households/${created.household}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      object: 'household',
      id: created.household,
      display_name: 'Haus am See',
      created_at: moment,
      updated_at: moment,
      customer: {
        object: 'customer',
        id: created.customer,
        type: 'person',
        first_name: 'Jule',
        last_name: 'Brandt',
        email: 'Jule.Brandt@example.org',
        vat_id: null,
        created_at: moment,
      },
      address: {
        object: 'address',
        id: created.address,
        street: 'Am Mühlgraben',
        house_number: '7a',
        zip: '37073',
        city: 'Göttingen',
        created_at: moment,
      },
    });
  });

  test('shows a company with its name and VAT id, and no address where there is none', async () => {
    const created = await createHousehold(api.deps, organization, {
      customer: {
        type: 'company',
        company_name: 'Bäckerei Brandt GmbH',
        first_name: 'Jule',
        last_name: 'Brandt',
        email: 'info@example.org',
        vat_id: 'DE123456789',
      },
      address: null,
    });
    const { body } = await api.client(token).get(`/households/${created.household}`);
    expect(body).toMatchObject({
      customer: { type: 'company', company_name: 'Bäckerei Brandt GmbH', vat_id: 'DE123456789' },
      address: null,
    });
  });
});

describe('not found', () => {
  test("I01 is another organization's household, byte for byte as one that does not exist", async () => {
    const other = await createTenant(api);
    const theirs = await createHousehold(api.deps, other.organization);
    const read = async (id: string, method = 'GET') => {
      const answer = await api
        .client(token)
        .request<ErrorBody & { requestId?: string }>(method, `/households/${id}`);
      delete answer.body.requestId;
      return { status: answer.status, body: answer.body };
    };
    const foreign = await read(theirs.household);
    expect(foreign.status).toBe(404);
    for (const id of ['dom_000000000000000000000000', 'x', 'a%00b', 'ast_000000000000000000000000']) {
      expect(await read(id)).toEqual(foreign);
    }
    expect((await read(theirs.household, 'HEAD')).status).toBe(404);
  });

  test('I09 is another customer of the same organization for a customer token', async () => {
    const own = await createHousehold(api.deps, organization);
    const neighbour = await createHousehold(api.deps, organization);
    const client = await createClient(api.deps, organization, { customer_id: own.customer });
    const customer = api.client(await tokenFor(api, client));
    expect((await customer.get(`/households/${own.household}`)).status).toBe(200);
    expect((await customer.get(`/households/${neighbour.household}`)).status).toBe(404);
  });
});

test('I06 the database refuses a household that would link two organizations or two customers', async () => {
  const other = await createTenant(api);
  const theirs = await createHousehold(api.deps, other.organization);
  const own = await createHousehold(api.deps, organization);
  const neighbour = await createHousehold(api.deps, organization);
  const insert = (customer: string, address: string | null) =>
    storedRows(
      api,
      `INSERT INTO households (organization_id, id, customer_id, address_id)
       VALUES ($1, 'dom_' || substr(md5(random()::text), 1, 24), $2, $3)`,
      [organization, customer, address],
    );
  await expect(insert(theirs.customer, null)).rejects.toMatchObject({ code: '23503' });
  await expect(insert(own.customer, theirs.address)).rejects.toMatchObject({ code: '23503' });
  await expect(insert(own.customer, neighbour.address)).rejects.toMatchObject({ code: '23503' });
});

test('I08 the same e-mail address may be a customer of two organizations', async () => {
  const other = await createTenant(api);
  const customer = { type: 'person' as const, first_name: 'A', last_name: 'B', email: 'both@example.org' };
  await createHousehold(api.deps, organization, { customer });
  await createHousehold(api.deps, other.organization, { customer });
  const again = { customer: { ...customer, email: 'BOTH@example.ORG' } };
  await expect(createHousehold(api.deps, organization, again)).rejects.toMatchObject({
    status: 409,
    entries: [{ code: 'duplicate_customer_email', field: 'customer.email' }],
  });
});

describe('the audit log', () => {
  test('keeps who read it', async () => {
    const { household } = await createHousehold(api.deps, organization);
    const answer = await api.client(token).get(`/households/${household}`);
    const reads = async () => {
      const rows = await auditRows(api, organization, 'personal_data.read');
      return rows.filter((row) => row.object_id === household);
    };
    await expect.poll(reads).toEqual([
      {
        organization_id: organization,
        client_id: credentials.client_id,
        grant_id: expect.stringMatching(/^grt_/),
        staff: null,
        act: 'personal_data.read',
        object_id: household,
        route: 'GET /households/{id}',
        reason: null,
        result: 'done',
        request_id: answer.headers.get('x-request-id'),
        address: '127.0.0.0/24',
      },
    ]);
  });

  test('has no part in whether it can be read: what it misses is counted', async () => {
    const { household } = await createHousehold(api.deps, organization);
    /* There before the first loss, or its alarm sees nothing grow. */
    expect(await api.deps.metrics.text()).toMatch(/audit_losses_total 0\b/);
    await storedRows(api, 'REVOKE INSERT ON audit_log FROM voltstream_app');
    const { status } = await api.client(token).get(`/households/${household}`);
    expect(status).toBe(200);
    await expect.poll(() => api.deps.metrics.text()).toMatch(/audit_losses_total 1\b/);
    await storedRows(api, 'GRANT INSERT ON audit_log TO voltstream_app');
  });

  test('keeps which member of staff created it, and why', async () => {
    const { household } = await createHousehold(api.deps, organization);
    const rows = await auditRows(api, organization, 'household.create');
    expect(rows.find((row) => row.object_id === household)).toMatchObject({
      staff: 'tests',
      reason: 'test',
      route: 'test',
      result: 'done',
      client_id: null,
    });
  });
});
