import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { ApiClient } from '../../setup/client.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import { createClient, createHousehold, createTenant, tokenFor } from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';

let api: TestApi;
let clock: FakeClock;
let organization: string;
let client: ApiClient;

beforeAll(async () => {
  clock = fakeClock('2026-10-05T08:30:00.000Z');
  api = await startApi({ clock });
  const tenant = await createTenant(api);
  ({ organization } = tenant);
  client = api.client(tenant.token);
});
afterAll(() => api?.close());

let count = 0;

async function newCustomer(type: 'person' | 'company' = 'person'): Promise<string> {
  count += 1;
  const names = { first_name: 'Jule', last_name: 'Brandt', email: `jule.${count}@example.org` };
  const { customer } = await createHousehold(api.deps, organization, {
    customer: type === 'person' ? { type, ...names } : { type, ...names, company_name: 'Brandt GmbH' },
  });
  return customer;
}

const change = (id: string, body: object) => client.patch<ErrorBody>(`/customers/${id}`, body);

async function stored(id: string) {
  const [row] = await storedRows<Record<string, unknown>>(
    api,
    'SELECT first_name, last_name, company_name, email, vat_id, type, updated_at FROM customers WHERE id = $1',
    [id],
  );
  return row;
}

describe('what is sent changes, the rest stays', () => {
  test('of a person', async () => {
    const id = await newCustomer();
    clock.advance(1000);
    const { status, body } = await change(id, { last_name: '  Ørsted-Voß ' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ object: 'customer', id, first_name: 'Jule', last_name: '  Ørsted-Voß ' });
    expect((await client.get(`/customers/${id}`)).body).toEqual(body);
    expect((await stored(id))?.updated_at).toEqual(clock.now());
  });

  test('of a company', async () => {
    const id = await newCustomer('company');
    const all = { first_name: 'A', last_name: 'B', company_name: 'x'.repeat(100) };
    expect((await change(id, all)).body).toMatchObject({ type: 'company', ...all });
  });

  test('an empty body, or the same names again, change nothing', async () => {
    const id = await newCustomer();
    const before = await stored(id);
    clock.advance(1000);
    for (const body of [{}, { first_name: 'Jule' }]) {
      const answer = await change(id, body);
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ first_name: 'Jule', last_name: 'Brandt' });
    }
    expect(await stored(id)).toEqual(before);
  });

  test('stored values of the others are ignored', async () => {
    const id = await newCustomer();
    const before = await stored(id);
    const { body: shown } = await client.get<Record<string, unknown>>(`/customers/${id}`);
    expect((await change(id, shown)).status).toBe(200);
    expect(await stored(id)).toEqual(before);
  });

  test('fields that nobody knows are refused', async () => {
    const id = await newCustomer();
    const before = await stored(id);
    const answer = await change(id, { first_name: 'A', phone: '1', updated_at: '2020-01-01T00:00:00.000Z' });
    expect(refusal(answer)).toEqual([400, 'unrecognized_keys phone', 'unrecognized_keys updated_at']);
    expect(await stored(id)).toEqual(before);
  });

  test('a field that cannot change is refused when it is sent with another value', async () => {
    const id = await newCustomer();
    const before = await stored(id);
    const sent = {
      first_name: 'A',
      email: 'x',
      vat_id: 'x',
      type: 'company',
      id: 'x',
      created_at: 1,
      object: null,
    };
    const answer = await change(id, sent);
    expect(refusal(answer)).toEqual([
      400,
      ...['object', 'id', 'type', 'email', 'vat_id', 'created_at'].map((field) => `custom ${field}`),
    ]);
    expect(await stored(id)).toEqual(before);
  });
});

describe('refusals', () => {
  test.each([
    [{ first_name: '' }, [400, 'too_small first_name']],
    [{ last_name: null }, [400, 'invalid_type last_name']],
    [{ first_name: 1 }, [400, 'invalid_type first_name']],
    [{ last_name: 'x'.repeat(101) }, [400, 'too_big last_name']],
    [{ first_name: 'x\u202ey' }, [400, 'invalid_format first_name']],
    [{ first_name: 'x\u0000' }, [400, 'invalid_format first_name']],
    [{ company_name: '' }, [400, 'too_small company_name']],
    [{ company_name: null }, [400, 'invalid_type company_name']],
    [{ company_name: 'Brandt GmbH' }, [400, 'custom company_name']],
    [{ first_name: '', last_name: 2 }, [400, 'too_small first_name', 'invalid_type last_name']],
    [[], [400, 'invalid_type ']],
  ])('%j of a person', async (body, expected) => {
    const id = await newCustomer();
    const before = await stored(id);
    const answer = await change(id, body);
    expect(refusal(answer).map((part) => part)).toEqual(expected);
    expect(await stored(id)).toEqual(before);
  });

  test('an unknown customer is 404, whatever else is wrong with the names', async () => {
    const other = await createTenant(api);
    const theirs = await createHousehold(api.deps, other.organization);
    for (const id of [theirs.customer, 'cus_000000000000000000000000', 'x']) {
      expect((await change(id, { first_name: 'A', company_name: 'B' })).status).toBe(404);
    }
    expect((await change('x', { first_name: '' })).status).toBe(400);
  });

  test('a read-only token and a customer token are 403', async () => {
    const id = await newCustomer();
    for (const input of [{ read_only: true }, { customer_id: id }]) {
      const credentials = await createClient(api.deps, organization, input);
      const answer = await api.client(await tokenFor(api, credentials)).patch(`/customers/${id}`, {});
      expect(answer.status).toBe(403);
    }
  });

  test.each(['2025-12-01.chucky', '2025-12-16.batman', '2026-01-29.edison'])(
    'before curie the method is not there yet: %s',
    async (version) => {
      const headers = { 'x-api-version': version };
      const answer = await client.patch<ErrorBody>('/customers/x', {}, { headers });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      expect(answer.body.message).toBe(
        `PATCH /customers/{id} is available from API version 2026-05-27.curie. This request used ${version}.`,
      );
    },
  );
});

test('the audit log keeps every change, without the names', async () => {
  const id = await newCustomer();
  const answer = await change(id, { first_name: 'Secretname' });
  await change(id, {});
  const rows = (await auditRows(api, organization, 'customer.update')).filter((row) => row.object_id === id);
  expect(rows.map(({ result }) => result)).toEqual(['done', 'unchanged']);
  expect(rows[0]).toMatchObject({
    route: 'PATCH /customers/{id}',
    request_id: answer.headers.get('x-request-id'),
  });
  expect(JSON.stringify(rows)).not.toContain('Secretname');
});
