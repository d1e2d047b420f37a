import { afterAll, beforeAll, expect, test } from 'vitest';
import { VERSION_NAMES } from '../../../src/config/versions.ts';
import type { NewCustomer } from '../../../src/identity/customers/schema.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createClient, createHousehold, createTenant, tokenFor } from '../../setup/factories.ts';
import { auditRows } from '../../setup/stored-rows.ts';

let api: TestApi;
let organization: string;
let token: string;

beforeAll(async () => {
  api = await startApi();
  ({ organization, token } = await createTenant(api));
});
afterAll(() => api?.close());

const names = { first_name: 'Jule', last_name: 'Brandt' };
const company = { type: 'company' as const, ...names, company_name: 'Bäckerei Brandt GmbH' };

test.each(VERSION_NAMES)('%s shows persons and companies in its own shape', async (version) => {
  const number = VERSION_NAMES.indexOf(version);
  const client = api.client(token, { version });
  const vatId = (value: string | null) => (version < '2026-05-27' ? {} : { vat_id: value });
  const shown = async (customer: NewCustomer) => {
    const created = await createHousehold(api.deps, organization, { customer });
    const { status, body } = await client.get(`/customers/${created.customer}`);
    expect(status).toBe(200);
    const { id, created_at, ...rest } = body;
    expect([id, created_at]).toEqual([created.customer, expect.stringMatching(/Z$/)]);
    return rest;
  };
  const person = { type: 'person' as const, ...names, email: `Jule.${number}@example.org` };
  expect(await shown(person)).toEqual({ object: 'customer', ...person, ...vatId(null) });
  const other = { ...company, email: `info.${number}@example.org` };
  expect(await shown({ ...other, vat_id: 'DE123456789' })).toEqual({
    object: 'customer',
    ...other,
    ...vatId('DE123456789'),
  });
});

test("not found is another organization's customer, and whatever is no id", async () => {
  const other = await createTenant(api);
  const theirs = await createHousehold(api.deps, other.organization);
  for (const id of [theirs.customer, 'cus_000000000000000000000000', 'x', 'a%00b', theirs.household]) {
    const { status, body } = await api.client(token).get<{ message: string }>(`/customers/${id}`);
    expect([status, body.message]).toEqual([404, 'Resource not found']);
  }
  expect((await api.client(null).get(`/customers/${theirs.customer}`)).status).toBe(401);
});

test('I09 a customer token reads its own record and no other', async () => {
  const own = await createHousehold(api.deps, organization);
  const neighbour = await createHousehold(api.deps, organization);
  const credentials = await createClient(api.deps, organization, { customer_id: own.customer });
  const client = api.client(await tokenFor(api, credentials));
  expect((await client.get(`/customers/${own.customer}`)).status).toBe(200);
  expect((await client.get(`/customers/${neighbour.customer}`)).status).toBe(404);
});

test('the audit log keeps who read it', async () => {
  const { customer } = await createHousehold(api.deps, organization);
  const answer = await api.client(token).get(`/customers/${customer}`);
  const reads = async () => {
    const rows = await auditRows(api, organization, 'personal_data.read');
    return rows.filter((row) => row.object_id === customer);
  };
  await expect.poll(reads).toEqual([
    expect.objectContaining({
      route: 'GET /customers/{id}',
      request_id: answer.headers.get('x-request-id'),
    }),
  ]);
});
