import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient, createTenant, tokenFor } from '../../setup/factories.ts';
import { idsOfAllPages } from '../../setup/lists.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { type Metered, startMetered } from '../usage/metered.ts';

const NOW = '2026-11-21T16:05:00.000Z';
const OLDER = ['2025-12-01.chucky', '2025-12-16.batman', '2026-01-29.edison'] as const;
const NEWER = ['2026-05-27.curie', '2026-09-08.gauss'] as const;

let metered: Metered;
beforeAll(async () => {
  metered = await startMetered(NOW);
});
afterAll(() => metered?.close());

const path = (id: string) => `/subscriptions/${id}/meter_readings`;
const body = { value: 1000, timestamp: '2026-11-01T12:00:00Z' };

describe.each(OLDER)('%s', (version) => {
  test('takes readings of one subscription', async () => {
    const contract = await metered.contract();
    const client = await metered.client(version);
    const answer = await client.post(path(contract.id), { ...body, message: 'x', subscription: 7 });
    expect(answer.body).toEqual({
      object: 'meter_reading',
      id: expect.stringMatching(/^mr_/),
      customer: contract.place.customer,
      subscription: contract.id,
      meter: contract.meter,
      value: 1000,
      timestamp: '2026-10-31T23:00:00.000Z',
      type: 'customer_report',
      created_at: NOW,
    });
    const again = await client.post<ErrorBody>(path(contract.id), body);
    expect(again.status).toBe(409);
    expect(again.body).toMatchObject({ code: 'CONFLICT', message: 'A reading for this day exists' });
    expect(again.body).not.toHaveProperty('errors');
  });

  test('lists them, and those of no other', async () => {
    const [contract, other] = [await metered.contract(), await metered.contract()];
    await metered.read(contract, { '2026-01-01': 1, '2026-02-01': 2, '2026-03-01': 3 });
    await metered.read(other, { '2026-01-01': 4 });
    const client = await metered.client(version);
    const isPaged = version !== '2025-12-01.chucky';
    const { body: list } = await client.get<{ items: { value: number }[] }>(`${path(contract.id)}?limit=2`);
    expect(Object.keys(list)).toEqual(
      isPaged ? ['object', 'items', 'has_more', 'next_page'] : ['object', 'items'],
    );
    expect(list.items).toHaveLength(isPaged ? 2 : 3);
    if (!isPaged) return;
    expect(await idsOfAllPages(client, path(contract.id))).toHaveLength(3);
    const cursor = String((list as Record<string, unknown>).next_page);
    expect((await client.get(`${path(other.id)}?limit=2&cursor=${cursor}`)).status).toBe(400);
  });

  test('has no filter there', async () => {
    const { id } = await metered.contract();
    const client = await metered.client(version);
    for (const filter of ['type', 'subscription', 'created_at']) {
      expect((await client.get(`${path(id)}?filter[${filter}][eq]=x`)).status).toBe(400);
    }
  });

  test('has no list of all', async () => {
    const client = await metered.client(version);
    for (const method of ['GET', 'POST']) {
      const answer = await client.request<ErrorBody>(method, '/meter-readings');
      expect(answer.status).toBe(404);
      expect(answer.body.message).toBe(
        `${method} /meter-readings is available from API version 2026-05-27.curie. This request used ${version}.`,
      );
    }
  });

  test('does not know feed-in', async () => {
    const { id } = await metered.contract({ type: 'feed_in' });
    const client = await metered.client(version);
    for (const answer of [
      await client.get<ErrorBody>(path(id)),
      await client.post<ErrorBody>(path(id), body),
    ]) {
      expect(answer.status).toBe(400);
      expect(answer.body.message).toBe('Feed-in needs API version 2026-05-27.curie or later');
    }
  });

  test('I01 shows a customer and a stranger nothing that is not theirs', async () => {
    const { api, organization } = metered;
    const [contract, other] = [await metered.contract(), await metered.contract()];
    const credentials = await createClient(api.deps, organization, { customer_id: contract.place.customer });
    const customer = api.client(await tokenFor(api, credentials), { version });
    expect((await customer.get(path(contract.id))).status).toBe(200);
    expect((await customer.post(path(contract.id), body)).status).toBe(200);
    const stranger = api.client((await createTenant(api)).token, { version });
    for (const [client, id] of [
      [customer, other.id],
      [stranger, contract.id],
      [stranger, 'x'],
    ] as const) {
      expect(refusal(await client.get<ErrorBody>(path(id)))).toEqual([404]);
      expect(refusal(await client.post<ErrorBody>(path(id), body))).toEqual([404]);
    }
  });
});

describe.each(NEWER)('%s', (version) => {
  test('has the list of all, and names it where the older routes were', async () => {
    const contract = await metered.contract();
    const client = await metered.client(version);
    const sent = await client.post('/meter-readings', { subscription: contract.id, ...body });
    expect(sent.status).toBe(200);
    expect((await client.get('/meter-readings')).status).toBe(200);
    const removed = 'was removed in API version 2026-05-27.curie.';
    expect((await client.get<ErrorBody>(path(contract.id))).body.message).toBe(
      `GET /subscriptions/{id}/meter_readings ${removed} Use GET /meter-readings?filter[subscription][eq]={id}.`,
    );
    expect((await client.post<ErrorBody>(path(contract.id), body)).body.message).toBe(
      `POST /subscriptions/{id}/meter_readings ${removed} Use POST /meter-readings.`,
    );
  });
});
