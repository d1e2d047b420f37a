import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient, createTenant, tokenFor } from '../../setup/factories.ts';
import { auditRows } from '../../setup/stored-rows.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { type Contract, type Metered, quarterHours, startMetered, type UsageBody } from './metered.ts';

const OLDER = ['2025-12-01.chucky', '2025-12-16.batman', '2026-01-29.edison'] as const;
const NEWER = ['2026-05-27.curie', '2026-09-08.gauss'] as const;

let metered: Metered;
let contract: Contract;
let fed: Contract;
beforeAll(async () => {
  metered = await startMetered('2026-11-21T16:05:00.000Z');
  contract = await metered.contract({ meter_type: 'smart' });
  fed = await metered.contract({ type: 'feed_in', at: contract.place });
  for (const { id } of [contract, fed]) {
    await metered.import(id, quarterHours('2026-11-19T23:00:00Z', '2026-11-20T00:00:00Z', 0.25));
  }
});
afterAll(() => metered?.close());

const path = (name: string, id = contract.id) => `/subscriptions/${id}/${name}?resolution=hour`;
const shown = {
  meter_type: 'smart',
  resolution: 'hour',
  data: [{ start: '2026-11-19T23:00:00Z', usage: 1, type: 'final' }],
};

describe.each(OLDER)('%s', (version) => {
  test('calls it consumption', async () => {
    const client = await metered.client(version);
    const answer = await client.get<UsageBody>(path('consumption'));
    expect(answer.body).toEqual({ object: 'consumption', ...shown });
  });

  test('has no route called usage', async () => {
    const answer = await (await metered.client(version)).get<ErrorBody>(path('usage'));
    expect(answer.status).toBe(404);
    expect(answer.body.message).toBe(
      `GET /subscriptions/{id}/usage is available from API version 2026-05-27.curie. This request used ${version}.`,
    );
    expect(answer.body).not.toHaveProperty('errors');
  });

  test('shows no feed-in', async () => {
    const answer = await (await metered.client(version)).get<ErrorBody>(path('consumption', fed.id));
    expect([answer.status, answer.body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(answer.body.message).toBe('Feed-in needs API version 2026-05-27.curie or later');
  });
});

describe.each(NEWER)('%s', (version) => {
  test('calls it usage, of feed-in too', async () => {
    const client = await metered.client(version);
    for (const { id } of [contract, fed]) {
      expect((await client.get<UsageBody>(path('usage', id))).body).toEqual({ object: 'usage', ...shown });
    }
  });

  test('has no route called consumption any more', async () => {
    const answer = await (await metered.client(version)).get<ErrorBody>(path('consumption'));
    expect(answer.status).toBe(404);
    expect(answer.body.message).toBe(
      'GET /subscriptions/{id}/consumption was removed in API version 2026-05-27.curie. Use GET /subscriptions/{id}/usage.',
    );
  });
});

describe('who', () => {
  test('a customer sees the own contracts', async () => {
    const { api, organization } = metered;
    const other = await metered.contract({ meter_type: 'smart' });
    const credentials = await createClient(api.deps, organization, { customer_id: contract.place.customer });
    const customer = api.client(await tokenFor(api, credentials));
    expect((await customer.get<UsageBody>(path('usage'))).body.data).toEqual(shown.data);
    expect(refusal(await customer.get<ErrorBody>(path('usage', other.id)))).toEqual([404]);
  });

  test('I01 one of another organization is 404 as one that does not exist; nobody without a token', async () => {
    const { api } = metered;
    const stranger = api.client((await createTenant(api)).token);
    for (const id of [contract.id, 'sub_000000000000000000000000', 'x', 'a%00b']) {
      const answer = await stranger.get<ErrorBody>(path('usage', id));
      expect(refusal(answer)).toEqual([404]);
      expect(answer.body.message).toBe('Resource not found');
    }
    expect((await api.client(null).get(path('usage'))).status).toBe(401);
  });

  test('a read-only key may read; who read it is kept', async () => {
    const { api, organization } = metered;
    const reader = await createClient(api.deps, organization, { read_only: true });
    expect((await api.client(await tokenFor(api, reader)).get(path('usage'))).status).toBe(200);
    await expect
      .poll(() => auditRows(api, organization, 'personal_data.read'))
      .toContainEqual(
        expect.objectContaining({
          client_id: reader.client_id,
          object_id: contract.id,
          route: 'GET /subscriptions/{id}/usage',
        }),
      );
  });
});
