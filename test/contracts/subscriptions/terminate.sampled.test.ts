import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient, createTenant, tokenFor } from '../../setup/factories.ts';
import { auditRows } from '../../setup/stored-rows.ts';
import { sampled } from '../../setup/tier.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { Contracts } from './contracts.ts';

/** A Monday, 09:30 in Berlin. */
const MONDAY = '2026-11-23T08:30:00.000Z';

let contracts: Contracts;
beforeAll(async () => {
  contracts = await Contracts.start(MONDAY);
});
afterAll(() => contracts.close());

async function terminate(id: string, body: unknown) {
  return await (await contracts.client()).post<ErrorBody>(`/subscriptions/${id}/terminate`, body);
}

describe('what is accepted', () => {
  test('without a date it is the earliest possible end, and the answer has the offset of Berlin', async () => {
    const { id } = await contracts.active();
    const answer = await terminate(id, { reason: 'ORDINARY' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ reason: 'ORDINARY', intended_end_at: '2026-12-24T00:00:00+01:00' });
    expect(answer.text).not.toContain('object');
  });

  test('the contract stays as it is until then', async () => {
    const { id } = await contracts.active({ updated_at: '2026-11-01T08:00:00.000Z' });
    await terminate(id, { reason: 'MOVE_OUT', intended_end_at: '2026-12-01T00:00:00+01:00' });
    const { body } = await (await contracts.client()).get(`/subscriptions/${id}`);
    expect(body).toMatchObject({
      status: 'active',
      start_at: '2024-12-31T23:00:00.000Z',
      terminated_at: MONDAY,
      end_at: '2026-11-30T23:00:00.000Z',
      updated_at: MONDAY,
    });
    expect(await contracts.row(id)).toMatchObject({ termination_reason: 'MOVE_OUT' });
    expect(await contracts.events(id)).toEqual([
      { topic: 'subscription.terminated', context: { subscription: id }, timestamp: new Date(MONDAY) },
    ]);
  });

  const SPELLINGS = [
    '2027-01-01T00:00:00+01:00',
    '2026-12-31T23:00:00Z',
    '2026-12-31T23:00:00.000000Z',
    '2026-12-31T18:00:00-05:00',
  ];
  test.each(sampled(SPELLINGS, 2, 1))('midnight in Berlin may be written %s', async (intended_end_at) => {
    const { id } = await contracts.active();
    const answer = await terminate(id, { reason: 'ORDINARY', intended_end_at });
    expect(answer.body).toEqual({ reason: 'ORDINARY', intended_end_at: '2027-01-01T00:00:00+01:00' });
    expect(await contracts.row(id)).toMatchObject({ end_at: '2026-12-31T23:00:00' });
  });

  test('in summer the answer has the offset of summer', async () => {
    const { id } = await contracts.active();
    const answer = await terminate(id, { reason: 'ORDINARY', intended_end_at: '2027-06-30T22:00:00Z' });
    expect(answer.body).toMatchObject({ intended_end_at: '2027-07-01T00:00:00+02:00' });
  });

  test('one that is confirmed and not begun yet ends after its first day at the earliest', async () => {
    const start = { start_at: '2027-02-28T23:00:00Z', confirmed_at: MONDAY };
    const { id } = await contracts.contract(start);
    const early = { reason: 'MOVE_OUT', intended_end_at: '2027-03-01T00:00:00+01:00' };
    expect(refusal(await terminate(id, early))).toEqual([409, 'invalid_termination_date intended_end_at']);
    const answer = await terminate(id, { reason: 'ORDINARY' });
    expect(answer.body).toMatchObject({ intended_end_at: '2027-03-02T00:00:00+01:00' });
    expect(await contracts.row(id)).toMatchObject({ status: 'pending' });
  });

  test('it leaves one audit line, a refusal none', async () => {
    const { id } = await contracts.active();
    await terminate(id, { reason: 'MOVE_OUT', intended_end_at: '2026-11-24T00:00:00+01:00' });
    const answer = await terminate(id, { reason: 'ORDINARY' });
    const lines = await auditRows(contracts.api, contracts.organization, 'subscription.');
    expect(lines.filter(({ object_id }) => object_id === id)).toEqual([
      expect.objectContaining({
        client_id: contracts.credentials.client_id,
        act: 'subscription.terminate',
        route: 'POST /subscriptions/{id}/terminate',
        result: 'done',
        staff: null,
        request_id: answer.headers.get('x-request-id'),
      }),
    ]);
    expect(await contracts.topics(id)).toEqual(['subscription.terminated']);
  });
});

describe('validation', () => {
  const WRONG: [unknown, [number, ...string[]]][] = [
    [undefined, [400, 'invalid_type reason']],
    [{}, [400, 'invalid_type reason']],
    [{ reason: null }, [400, 'invalid_type reason']],
    [{ reason: 7 }, [400, 'invalid_type reason']],
    [{ reason: 'ordinary' }, [422, 'invalid_value reason']],
    [{ reason: 'CANCEL' }, [422, 'invalid_value reason']],
    [{ reason: 'MOVE_OUT' }, [400, 'invalid_type intended_end_at']],
    [{ reason: 'MOVE_OUT', intended_end_at: null }, [400, 'invalid_type intended_end_at']],
    [{ reason: 'ORDINARY', intended_end_at: null }, [400, 'invalid_type intended_end_at']],
    [{ reason: 'ORDINARY', intended_end_at: 7 }, [400, 'invalid_type intended_end_at']],
    [{ reason: 'ORDINARY', intended_end_at: '2027-01-01' }, [400, 'invalid_format intended_end_at']],
    [{ reason: 'ORDINARY', intended_end_at: '2027-01-01T00:00:00' }, [400, 'invalid_format intended_end_at']],
    [
      { reason: 'ORDINARY', intended_end_at: '2027-02-30T00:00:00Z' },
      [400, 'invalid_format intended_end_at'],
    ],
    [{ reason: 'ORDINARY', intended_end_at: '2027-01-01T00:00:00Z' }, [400, 'custom intended_end_at']],
    [
      { reason: 'ORDINARY', intended_end_at: '2027-01-01T00:00:00.001+01:00' },
      [400, 'custom intended_end_at'],
    ],
    [{ reason: 'MOVE_OUT', intended_end_at: '2027-07-01T00:00:00+01:00' }, [400, 'custom intended_end_at']],
    [[], [400, 'invalid_type ']],
  ];
  let id: string;
  beforeAll(async () => {
    ({ id } = await contracts.active());
  });

  test.each(sampled(WRONG, 3))('%j is refused', async (body, expected) => {
    expect(refusal(await terminate(id, body))).toEqual(expected);
    expect(await contracts.row(id)).toMatchObject({ end_at: null });
  });

  test('the end of a withdrawal is not looked at, whatever was sent', async () => {
    const { id } = await contracts.active({ confirmed_at: MONDAY });
    const answer = await terminate(id, { reason: 'WITHDRAWAL', intended_end_at: 'nonsense' });
    expect(answer.body).toEqual({ reason: 'WITHDRAWAL', intended_end_at: '2026-11-27T00:00:00+01:00' });
  });
});

describe('what the contract does not allow', () => {
  let ended: string;
  let unconfirmed: string;
  beforeAll(async () => {
    ({ id: ended } = await contracts.contract({ status: 'ended' }));
    ({ id: unconfirmed } = await contracts.contract());
  });

  test.each(['ORDINARY', 'MOVE_OUT', 'WITHDRAWAL'])('%s of an ended one is 409', async (reason) => {
    const answer = await terminate(ended, { reason, intended_end_at: '2027-01-01T00:00:00+01:00' });
    expect(refusal(answer)).toEqual([409, 'ended_subscription subscription']);
    expect(answer.body.message).toBe('The subscription has ended');
  });

  test.each(['ORDINARY', 'MOVE_OUT'])('%s of an unconfirmed one is 409', async (reason) => {
    const answer = await terminate(unconfirmed, { reason, intended_end_at: '2027-01-01T00:00:00+01:00' });
    expect(refusal(answer)).toEqual([409, 'subscription_not_started subscription']);
    expect(answer.body.message).toBe('The start of the subscription is not confirmed');
  });

  const EARLY = [
    ['MOVE_OUT', '2026-11-26T00:00:00+01:00', '2026-11-27T00:00:00+01:00'],
    ['MOVE_OUT', '2020-01-01T00:00:00+01:00', '2026-11-27T00:00:00+01:00'],
    ['MOVE_OUT', '0001-01-02T23:06:32Z', '2026-11-27T00:00:00+01:00'],
    ['ORDINARY', '2026-12-23T00:00:00+01:00', '2026-12-24T00:00:00+01:00'],
    ['ORDINARY', '2026-11-27T00:00:00+01:00', '2026-12-24T00:00:00+01:00'],
  ] as const;
  test.each(sampled(EARLY, 2))(
    '%s to %s is 409 and names the earliest end, %s',
    async (reason, intended_end_at, earliest) => {
      const { id } = await contracts.active();
      const answer = await terminate(id, { reason, intended_end_at });
      expect(refusal(answer)).toEqual([409, 'invalid_termination_date intended_end_at']);
      expect(answer.body.message).toContain(earliest);
      expect((await terminate(id, { reason, intended_end_at: earliest })).status).toBe(200);
    },
  );
});

describe('who', () => {
  const body = { reason: 'ORDINARY' };

  test('nobody without a token, no read-only key, no token of a customer', async () => {
    const { id, place } = await contracts.active();
    const { api, organization } = contracts;
    expect((await api.client(null).post(`/subscriptions/${id}/terminate`, body)).status).toBe(401);
    const reader = await createClient(api.deps, organization, { read_only: true });
    const forbidden = await api
      .client(await tokenFor(api, reader))
      .post(`/subscriptions/${id}/terminate`, body);
    expect(forbidden.status).toBe(403);
    const own = await createClient(api.deps, organization, { customer_id: place.customer });
    const customer = api.client(await tokenFor(api, own));
    expect((await customer.post(`/subscriptions/${id}/terminate`, body)).body).toMatchObject({
      code: 'FORBIDDEN',
      message: 'This token acts for one customer and cannot be used here',
    });
  });

  test('I01 a contract of another organization is 404 as one that does not exist', async () => {
    const other = await createTenant(contracts.api);
    const { id } = await contracts.active();
    const stranger = contracts.api.client(other.token);
    for (const path of [id, 'sub_000000000000000000000000', 'x', 'a%00b']) {
      const answer = await stranger.post<ErrorBody>(`/subscriptions/${path}/terminate`, body);
      expect(refusal(answer)).toEqual([404]);
      expect(answer.body.message).toBe('Resource not found');
    }
    expect(await contracts.row(id)).toMatchObject({ end_at: null });
  });

  test.each(sampled(['2025-12-01.chucky', '2025-12-16.batman', '2026-01-29.edison'], 3, 1))(
    '%s does not have the route',
    async (version) => {
      const { id } = await contracts.active();
      const answer = await (await contracts.client(version)).post<ErrorBody>(
        `/subscriptions/${id}/terminate`,
        body,
      );
      expect(answer.status).toBe(404);
      expect(answer.body.message).toBe(
        `POST /subscriptions/{id}/terminate is available from API version 2026-05-27.curie. This request used ${version}.`,
      );
    },
  );

  test('curie has it', async () => {
    const { id } = await contracts.active();
    const client = await contracts.client('2026-05-27.curie');
    expect((await client.post(`/subscriptions/${id}/terminate`, body)).status).toBe(200);
  });
});
