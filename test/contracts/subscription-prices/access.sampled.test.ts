import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../setup/client.ts';
import { createClient, createTenant, tokenFor } from '../../setup/factories.ts';
import { auditRows } from '../../setup/stored-rows.ts';
import { sampled } from '../../setup/tier.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { type PricedContract, type PricesBody, takePriced } from './priced.ts';

const priced = await takePriced('2026-11-20T12:00:00+01:00');
let contract: PricedContract;
beforeAll(async () => {
  contract = await priced.contract();
});
afterAll(() => priced.close());

const GAUSS = '2026-09-08.gauss';
const path = (query: string, id = contract.id) => `/subscriptions/${id}/prices${query}`;
const DAY = '?start=2026-11-18&end=2026-11-18';

describe('dates', () => {
  test.each([
    ['', 'invalid_type start', 'invalid_type end'],
    ['?start=2026-11-18', 'invalid_type end'],
    ['?end=2026-11-18', 'invalid_type start'],
    ['?start=2026-02-29&end=tomorrow', 'invalid_format start', 'invalid_format end'],
    ['?start=2026-11-18&start=2026-11-18&end=2026-11-18', 'custom start'],
    ['?start=2026-11-18&end=2026-11-17', 'too_small end'],
    ['?start=2025-11-18&end=2026-11-19', 'too_big end'],
    ['?start=0001-01-01&end=9999-12-31', 'too_big end'],
    ['?start=9999-12-31&end=0001-01-01', 'too_small end'],
  ])('%s is refused', async (query, ...entries) => {
    const answer = await (await priced.client(GAUSS)).get<ErrorBody>(path(query));
    expect(refusal(answer)).toEqual([400, ...entries]);
  });

  test('366 days are answered, at both ends of the calendar too', async () => {
    const client = await priced.client(GAUSS);
    /* Such a year of prices is read by market.test.ts. */
    const years = ['?start=0001-01-01&end=0001-12-31', '?start=2025-11-18&end=2026-11-18'];
    for (const query of sampled(years, 2)) {
      expect((await client.get(path(query))).status).toBe(200);
    }
  });
});

describe('who', () => {
  test('a customer sees the own contracts', async () => {
    const { api, organization } = priced;
    const other = await priced.contract();
    const credentials = await createClient(api.deps, organization, { customer_id: contract.place.customer });
    const customer = api.client(await tokenFor(api, credentials));
    const own = await customer.get<PricesBody>(path(DAY));
    expect([own.status, own.body.items?.length]).toEqual([200, 96]);
    expect(refusal(await customer.get<ErrorBody>(path(DAY, other.id)))).toEqual([404]);
  });

  test('I01 one of another organization is 404 as one that does not exist, whatever is sent with it', async () => {
    const { api } = priced;
    const stranger = api.client((await createTenant(api)).token);
    const known = await priced.prices(contract, '2026-11-18');
    const headers = { 'if-none-match': known.headers.get('etag') ?? '' };
    for (const query of [DAY, '?start=2026-11-18&end=2026-11-17']) {
      for (const id of [contract.id, 'sub_000000000000000000000000', 'x', 'a%00b']) {
        const answer: Answer<ErrorBody> = await stranger.get(path(query, id), { headers });
        expect(refusal(answer)).toEqual([404]);
        expect(answer.body.message).toBe('Resource not found');
      }
    }
    const any = await stranger.get<ErrorBody>(path(DAY), { headers: { 'if-none-match': '*' } });
    expect(any.status).toBe(404);
    expect((await api.client(null).get(path(DAY))).status).toBe(401);
  });

  test('a read-only key may read; who read it is kept, also where nothing has changed', async () => {
    const { api, organization } = priced;
    const reader = await createClient(api.deps, organization, { read_only: true });
    const client = api.client(await tokenFor(api, reader));
    const answer = await client.get(path(DAY));
    expect(answer.status).toBe(200);
    const headers = { 'if-none-match': answer.headers.get('etag') ?? '' };
    expect((await client.get(path(DAY), { headers })).status).toBe(304);
    const entry = expect.objectContaining({
      client_id: reader.client_id,
      object_id: contract.id,
      route: 'GET /subscriptions/{id}/prices',
    });
    const read = async () =>
      (await auditRows(api, organization, 'personal_data.read')).filter(
        ({ client_id }) => client_id === reader.client_id,
      );
    await expect.poll(read).toEqual([entry, entry]);
  });
});
