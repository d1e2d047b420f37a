import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { INVOICE_STATUSES, INVOICE_TYPES } from '../../../src/billing/invoices/schema.ts';
import { createClient, createTenant, tokenFor } from '../../setup/factories.ts';
import { filterAnswers, filterRefusals, idsOf, idsOfAllPages } from '../../setup/lists.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { sampled } from '../../setup/tier.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { Bills, type Payer } from './bills.ts';

const LIST = '/invoices';

let bills: Bills;
let first: Payer;
let second: Payer;
let others: Awaited<ReturnType<Bills['oneOfEach']>>;
/** Newest first. */
let all: string[];
beforeAll(async () => {
  bills = await Bills.start();
  first = await bills.payer();
  second = await bills.payer();
  const own = await bills.oneOfEach(first);
  others = await bills.oneOfEach(second);
  all = [...Object.values(own), ...Object.values(others)].toReversed();
});
afterAll(() => bills?.close());

const fields = {
  status: { type: 'enum', values: INVOICE_STATUSES },
  type: { type: 'enum', values: INVOICE_TYPES },
  subscription: { type: 'string' },
  period_start: { type: 'date' },
  period_end: { type: 'date' },
} as const;

describe('the list', () => {
  test('shows all invoices of the organization, newest first, page by page', async () => {
    const client = bills.client();
    expect(await idsOf(client, `${LIST}?limit=100`)).toEqual(all);
    expect(await idsOfAllPages(client, LIST)).toEqual(all);
    const { body } = await client.get<{ items: unknown[] }>(`${LIST}?limit=1`);
    expect(body.items).toEqual([(await client.get(`${LIST}/${all[0]}`)).body]);
  });

  test('takes every operator of every field', async () => {
    const client = bills.client();
    type Item = { id: string; status: string };
    const { items } = (await client.get<{ items: Item[] }>(`${LIST}?limit=100`)).body;
    const paid = items.find(({ status }) => status === 'paid');
    if (paid === undefined) throw new Error('None is paid');
    for (const [query, expected] of filterAnswers(fields, items, paid)) {
      expect(await idsOf(client, `${LIST}?limit=100&${query}`), query).toEqual(expected);
    }
  });

  test.each(sampled(filterRefusals(fields), 3))('%s is refused', async (query, entry) => {
    expect(refusal(await bills.client().get<ErrorBody>(`${LIST}?${query}`))).toEqual([400, entry]);
  });

  test('a read leaves a line in the audit log', async () => {
    const client = bills.client();
    await client.get(LIST);
    await client.get(`${LIST}/${all[0]}`);
    await client.get(`${LIST}/${all[0]}/file`);
    const routes = async () =>
      (await auditRows(bills.api, bills.organization, 'personal_data.read')).map(({ route }) => route);
    const read = ['GET /invoices', 'GET /invoices/{id}', 'GET /invoices/{id}/file'];
    await expect.poll(routes).toEqual(expect.arrayContaining(read));
  });
});

describe('who', () => {
  test('a customer sees the own ones, also when a filter names somebody else', async () => {
    const { api, organization } = bills;
    const credentials = await createClient(api.deps, organization, { customer_id: second.place.customer });
    const customer = api.client(await tokenFor(api, credentials));
    const own = Object.values(others).toReversed();
    expect(await idsOf(customer, `${LIST}?limit=100`)).toEqual(own);
    expect(await idsOf(customer, `${LIST}?filter[subscription][eq]=${first.consumption}`)).toEqual([]);
    expect((await customer.get(`${LIST}/${own[0]}`)).status).toBe(200);
    expect((await customer.get(`${LIST}/${own[0]}/file`)).status).toBe(302);
    for (const path of [`${LIST}/${all.at(-1)}`, `${LIST}/${all.at(-1)}/file`]) {
      expect((await customer.get(path)).status).toBe(404);
    }
  });

  test('a stranger sees none', async () => {
    const stranger = bills.api.client((await createTenant(bills.api)).token);
    expect(await idsOf(stranger, LIST)).toEqual([]);
    for (const id of [all[0], 'inv_000000000000000000000000', 'x']) {
      expect((await stranger.get(`${LIST}/${id}`)).status).toBe(404);
      expect((await stranger.get(`${LIST}/${id}/file`)).status).toBe(404);
    }
  });

  test('nobody sees what is restricted to the finance role', async () => {
    const third = await bills.payer();
    const id = await bills.issued(third);
    const client = bills.client();
    expect((await client.get(`${LIST}/${id}`)).status).toBe(200);
    await storedRows(bills.api, 'UPDATE invoices SET restricted_at = now() WHERE id = $1', [id]);
    expect((await client.get(`${LIST}/${id}`)).status).toBe(404);
    expect((await client.get(`${LIST}/${id}/file`)).status).toBe(404);
    expect(await idsOf(client, `${LIST}?limit=100`)).toEqual(all);
  });

  test('no request changes or removes one', async () => {
    const client = bills.client();
    const state = () => storedRows(bills.api, 'SELECT * FROM invoices ORDER BY id');
    const before = await state();
    for (const method of ['PATCH', 'PUT', 'DELETE', 'POST']) {
      const answer = await client.request(method, `${LIST}/${all[0]}`, { body: { status: 'paid' } });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
    for (const verb of ['pay', 'void', 'refund']) {
      expect((await client.post(`${LIST}/${all[0]}/${verb}`, {})).status).toBe(404);
    }
    expect((await client.post(LIST, {})).status).toBe(405);
    expect(await state()).toEqual(before);
  });
});
