import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERSION_NAMES } from '../../../src/config/versions.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { ApiClient } from '../../setup/client.ts';
import { fakeClock } from '../../setup/clock.ts';
import { createClient, createHousehold, createPlan, createTenant, tokenFor } from '../../setup/factories.ts';
import { insertReferenceRows } from '../../setup/reference-rows.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { sampled } from '../../setup/tier.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { fullLead, newLead } from './lead-bodies.ts';

let api: TestApi;
let organization: string;
let token: string;
let client: ApiClient;
let plan: string;

const NOW = '2026-10-05T08:30:00.000Z';

beforeAll(async () => {
  const environment = { CHECKOUT_HOST: 'checkout.example.org' };
  api = await startApi({ clock: fakeClock(NOW), environment });
  await insertReferenceRows(api);
  ({ organization, token } = await createTenant(api));
  client = api.client(token);
  plan = (await createPlan(api.deps, organization, { slug: 'strom-dynamisch' })).id;
});
afterAll(() => api?.close());

const create = (body: object, headers: Record<string, string> = {}) =>
  client.post<ErrorBody & { id: string }>('/leads', body, { headers });

const countLeads = async () => {
  const [row] = await storedRows<{ count: number }>(api, 'SELECT count(*)::int FROM leads');
  return row?.count;
};

describe('the answer', () => {
  test.each(VERSION_NAMES)('%s shows the lead with its link', async (version) => {
    const { status, body } = await create(newLead(plan), { 'x-api-version': version });
    expect(status).toBe(200);
    expect(body).toEqual({
      object: 'lead',
      id: expect.stringMatching(/^lead_[0-9a-z]{24}$/),
      link: `https://strom-dynamisch.checkout.example.org/?id=${body.id}`,
      subscription: null,
      subscribed_at: null,
      created_by: null,
      last_visited_at: null,
      metadata: null,
      created_at: NOW,
    });
    expect((await client.get(`/leads/${body.id}`)).body).toEqual(body);
  });

  test('shows who made it and what the client keeps with it; the rest is stored', async () => {
    const { plan: _, created_by, metadata, ...details } = fullLead(plan);
    const { body } = await create({ ...fullLead(plan), unknown: 1 });
    expect(body).toMatchObject({ created_by, metadata });
    const [row] = await storedRows<{ details: object; metadata: object }>(
      api,
      'SELECT details, metadata, plan_id FROM leads WHERE id = $1',
      [body.id],
    );
    expect(row).toEqual({ details, metadata, plan_id: plan });
  });

  test('everything that may be null or left out', async () => {
    const nothing = {
      address: { zip: '20354', street: null, house_number: null, city: null },
      meter: { estimated_usage: 100, type: null, number: null },
      customer: null,
      payment_method: null,
      previous_supplier: null,
      created_by: null,
      next_possible_start: null,
      intended_start_date: null,
    };
    expect((await create(newLead(plan, nothing))).status).toBe(200);
    for (const part of [{ customer: {} }, { payment_method: {} }, { payment_method: { sepa_debit: {} } }]) {
      expect((await create(newLead(plan, part))).status).toBe(200);
    }
    const account = { sepa_debit: { iban: null, account_holder: null } };
    expect((await create(newLead(plan, { payment_method: account, metadata: {} }))).status).toBe(200);
  });
});

describe('refusals by the schema', () => {
  const customer = (fields: object) => ({ customer: fields });
  const iban = (value: unknown) => ({ payment_method: { sepa_debit: { iban: value } } });

  const WRONG: [Record<string, unknown>, (number | string)[]][] = [
    [{ plan: undefined }, [400, 'invalid_type plan']],
    [{ address: undefined }, [400, 'invalid_type address']],
    [{ address: {} }, [400, 'invalid_type address.zip']],
    [{ address: { zip: '2035' } }, [400, 'too_small address.zip']],
    [{ address: { zip: 20354 } }, [400, 'invalid_type address.zip']],
    [
      { address: { zip: '20354', street: '', city: '' } },
      [400, 'too_small address.street', 'too_small address.city'],
    ],
    [{ meter: null }, [400, 'invalid_type meter']],
    [{ meter: {} }, [400, 'invalid_type meter.estimated_usage']],
    [{ meter: { estimated_usage: '2500' } }, [400, 'invalid_type meter.estimated_usage']],
    [{ meter: { estimated_usage: 99.9 } }, [400, 'too_small meter.estimated_usage']],
    [{ meter: { estimated_usage: 100, type: 'x' } }, [422, 'invalid_value meter.type']],
    [{ meter: { estimated_usage: 100, number: '' } }, [400, 'too_small meter.number']],
    [customer({ type: 'x' }), [422, 'invalid_value customer.type']],
    [customer({ first_name: '' }), [400, 'too_small customer.first_name']],
    [customer({ last_name: null }), [400, 'invalid_type customer.last_name']],
    [customer({ email: 'x' }), [400, 'invalid_format customer.email']],
    [customer({ company_name: 'x'.repeat(101) }), [400, 'too_big customer.company_name']],
    [customer({ vat_id: '' }), [400, 'too_small customer.vat_id']],
    [{ customer: 'cus_x' }, [400, 'invalid_type customer']],
    [{ payment_method: { type: 'x' } }, [422, 'invalid_value payment_method.type']],
    [{ payment_method: { sepa_debit: null } }, [400, 'invalid_type payment_method.sepa_debit']],
    [iban('DE89 3704 0044 0532 0130 00'), [400, 'invalid_format payment_method.sepa_debit.iban']],
    [iban('de89370400440532013000'), [400, 'invalid_format payment_method.sepa_debit.iban']],
    [{ previous_supplier: 1 }, [400, 'invalid_type previous_supplier']],
    [{ next_possible_start: 'yes' }, [400, 'invalid_type next_possible_start']],
    [{ intended_start_date: '2026-02-30' }, [400, 'invalid_format intended_start_date']],
    [{ intended_start_date: '2026-12-01T00:00:00Z' }, [400, 'invalid_format intended_start_date']],
    [{ change_reason: 'x' }, [422, 'invalid_value change_reason']],
    [{ change_reason: null }, [400, 'invalid_type change_reason']],
    [{ metadata: null }, [400, 'invalid_type metadata']],
    [{ metadata: { a: 1 } }, [400, 'invalid_type metadata.a']],
    [{ metadata: { a: 'x'.repeat(10_240) } }, [400, 'too_big metadata']],
    [{ metadata: { constructor: 'x' } }, [400, 'custom metadata.constructor']],
    [{ metadata: { a: 'x\u0000' } }, [400, 'invalid_format metadata.a']],
    [
      { meter: { estimated_usage: 1, type: 'x' }, change_reason: 'x' },
      [400, 'too_small meter.estimated_usage', 'invalid_value meter.type', 'invalid_value change_reason'],
    ],
  ];
  test.each(sampled(WRONG, 2, 1))('%j', async (change, expected) => {
    const before = await countLeads();
    expect(refusal(await create(newLead(plan, change)))).toEqual(expected);
    expect(await countLeads()).toBe(before);
  });
});

describe('refusals by the rules', () => {
  test('an unknown plan, or one of another organization, is 404', async () => {
    const other = await createTenant(api);
    const theirs = await createPlan(api.deps, other.organization);
    for (const id of [theirs.id, 'pln_000000000000000000000000', 'x']) {
      const { status, body } = await create(newLead(id, { address: { zip: '00000' } }));
      expect([status, body.message]).toEqual([404, 'Resource not found']);
      expect(body.errors).toEqual([
        { code: 'custom', field: 'plan', message: 'There is no such plan in your organization' },
      ]);
    }
  });

  test('an archived plan, a ZIP that is not served and a wrong IBAN are told together', async () => {
    const archived = await createPlan(api.deps, organization, { status: 'archived' });
    const payment_method = { sepa_debit: { iban: 'DE89370400440532013001' } };
    const { status, body } = await create(
      newLead(archived.id, { address: { zip: '99999' }, payment_method }),
    );
    expect([status, body.code, body.errors]).toEqual([
      400,
      'BAD_REQUEST',
      [
        { code: 'unsupported_product', field: 'plan', message: 'The plan does not offer this product' },
        { code: 'unserviceable_zip', field: 'address.zip', message: 'This ZIP code cannot be supplied' },
        { code: 'invalid_iban', field: 'payment_method.sepa_debit.iban', message: 'The IBAN is not valid' },
      ],
    ]);
    expect(body.message).toBe('The plan does not offer this product');
  });

  test.each(['99999', 'ABCDE', '20354 Hamburg', '203540'])('the ZIP "%s" is not served', async (zip) => {
    expect(refusal(await create(newLead(plan, { address: { zip } })))).toEqual([
      400,
      'unserviceable_zip address.zip',
    ]);
  });

  test.each(['XX89370400440532013000', 'DE8937040044053201300', 'DE00370400440532013000'])(
    'the IBAN %s is not valid',
    async (iban) => {
      const payment_method = { sepa_debit: { iban } };
      expect(refusal(await create(newLead(plan, { payment_method })))).toEqual([
        400,
        'invalid_iban payment_method.sepa_debit.iban',
      ]);
    },
  );

  test.each(VERSION_NAMES)('feed-in on %s', async (version) => {
    const { id } = await createPlan(api.deps, organization, { type: 'feed_in' });
    const { status, body } = await create(newLead(id), { 'x-api-version': version });
    if (version >= '2026-05-27') return expect(status).toBe(200);
    expect([status, body.code, body.message]).toEqual([
      400,
      'BAD_REQUEST',
      'Feed-in needs API version 2026-05-27.curie or later',
    ]);
  });

  test('the gate of feed-in comes before the rules', async () => {
    const { id } = await createPlan(api.deps, organization, { type: 'feed_in', status: 'archived' });
    const headers = { 'x-api-version': '2026-01-29.edison' };
    expect((await create(newLead(id, { address: { zip: '99999' } }), headers)).body.message).toBe(
      'Feed-in needs API version 2026-05-27.curie or later',
    );
  });

  test('a read-only token and a customer token are 403, no token is 401', async () => {
    const { customer } = await createHousehold(api.deps, organization);
    for (const input of [{ read_only: true }, { customer_id: customer }]) {
      const credentials = await createClient(api.deps, organization, input);
      const answer = await api.client(await tokenFor(api, credentials)).post('/leads', newLead(plan));
      expect(answer.status).toBe(403);
    }
    expect((await api.client(null).post('/leads', newLead(plan))).status).toBe(401);
  });
});

test('an idempotency key makes one lead of two requests', async () => {
  const headers = { 'idempotency-key': 'lead-1' };
  const first = await create(newLead(plan), headers);
  const before = await countLeads();
  const second = await create(newLead(plan), headers);
  expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect(second.body).toEqual(first.body);
  const other = await create(newLead(plan, { created_by: 'x' }), headers);
  expect(refusal(other)).toEqual([409, 'custom Idempotency-Key']);
  expect(await countLeads()).toBe(before);
});

test('a feed-in lead is not replayed on a version that refuses it', async () => {
  const { id } = await createPlan(api.deps, organization, { type: 'feed_in' });
  const headers = { 'idempotency-key': 'feed-in-lead' };
  expect((await create(newLead(id), { ...headers, 'x-api-version': '2026-05-27.curie' })).status).toBe(200);
  const { status, body } = await create(newLead(id), { ...headers, 'x-api-version': '2026-01-29.edison' });
  expect([status, body.message]).toEqual([400, 'Feed-in needs API version 2026-05-27.curie or later']);
});

test('the audit log keeps that it was created, without anything of its content', async () => {
  const { body, headers } = await create(fullLead(plan));
  const rows = await auditRows(api, organization, 'lead.create');
  const line = rows.find((row) => row.object_id === body.id);
  expect(line).toMatchObject({
    route: 'POST /leads',
    result: 'done',
    request_id: headers.get('x-request-id'),
  });
  expect(JSON.stringify(line)).not.toMatch(/Jule|Brandt|staff@|DE89/);
});
