import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { sampled } from '../../setup/tier.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { type Contract, type Metered, startMetered } from '../usage/metered.ts';

/** A Saturday, 17:05 in Berlin. */
const NOW = '2026-11-21T16:05:00.000Z';

let metered: Metered;
beforeAll(async () => {
  metered = await startMetered(NOW);
});
afterAll(() => metered?.close());

async function send(contract: Pick<Contract, 'id'>, timestamp: string, value: unknown = 1000) {
  const client = await metered.client();
  return await client.post<ErrorBody>('/meter-readings', { subscription: contract.id, value, timestamp });
}

describe('what is accepted', () => {
  test('the answer is the reading, moved to the start of its day in Berlin, without the message', async () => {
    const contract = await metered.contract();
    const client = await metered.client();
    const answer = await client.post('/meter-readings', {
      subscription: contract.id,
      value: 18_342.7,
      timestamp: '2026-11-20T23:20:00.123456Z',
      message: 'Display read twice\n😀',
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      object: 'meter_reading',
      id: expect.stringMatching(/^mr_[0-9a-z]{24}$/),
      customer: contract.place.customer,
      subscription: contract.id,
      meter: contract.meter,
      value: 18_342.7,
      timestamp: '2026-11-20T23:00:00.000Z',
      type: 'customer_report',
      created_at: NOW,
    });
    const columns = 'message, read_on::text AS read_on';
    expect(
      await storedRows(metered.api, `SELECT ${columns} FROM meter_readings WHERE id = $1`, [answer.body.id]),
    ).toEqual([{ message: 'Display read twice\n😀', read_on: '2026-11-21' }]);
    const lines = await auditRows(metered.api, metered.organization, 'meter_reading.create');
    expect(lines.filter(({ object_id }) => object_id === answer.body.id)).toEqual([
      expect.objectContaining({
        client_id: metered.credentials.client_id,
        route: 'POST /meter-readings',
        result: 'done',
        request_id: answer.headers.get('x-request-id'),
      }),
    ]);
  });

  test.each([
    ['2026-07-01T21:59:59.999999Z', '2026-06-30T22:00:00.000Z'],
    ['2026-07-01T22:00:00Z', '2026-07-01T22:00:00.000Z'],
    ['2026-03-29T23:30:00+02:00', '2026-03-28T23:00:00.000Z'],
    ['2026-10-25T23:59:59+01:00', '2026-10-24T22:00:00.000Z'],
    ['2026-02-01T00:00:00-11:00', '2026-01-31T23:00:00.000Z'],
  ])('%s is the day that begins at %s', async (sent, begins) => {
    const answer = await send(await metered.contract(), sent);
    expect(answer.body).toMatchObject({ timestamp: begins });
  });

  test('a key repeats the first answer, on another subscription it is another key', async () => {
    const [contract, other] = [await metered.contract(), await metered.contract()];
    const client = await metered.client();
    const headers = { 'idempotency-key': 'reading-1' };
    const body = { subscription: contract.id, value: 1000, timestamp: NOW };
    const first = await client.post('/meter-readings', body, { headers });
    const again = await client.post('/meter-readings', body, { headers });
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const changed = { ...body, subscription: other.id };
    expect((await client.post('/meter-readings', changed, { headers })).status).toBe(409);
  });
});

describe('validation', () => {
  const good = { value: 1000, timestamp: '2026-11-01T12:00:00Z' };

  const WRONG: [object, [number, ...string[]]][] = [
    [{ value: undefined }, [400, 'invalid_type value']],
    [{ timestamp: undefined }, [400, 'invalid_type timestamp']],
    [{ subscription: undefined }, [400, 'invalid_type subscription']],
    [{ subscription: null }, [400, 'invalid_type subscription']],
    [{ value: null }, [400, 'invalid_type value']],
    [{ value: '1000' }, [400, 'invalid_type value']],
    [{ value: 0 }, [400, 'too_small value']],
    [{ value: -0.001 }, [400, 'too_small value']],
    [{ timestamp: '2026-11-01' }, [400, 'invalid_format timestamp']],
    [{ timestamp: '2026-11-01T12:00:00' }, [400, 'invalid_format timestamp']],
    [{ timestamp: '2026-11-01T12:00:00.1234567Z' }, [400, 'invalid_format timestamp']],
    [{ timestamp: '2026-02-30T12:00:00Z' }, [400, 'invalid_format timestamp']],
    [{ message: null }, [400, 'invalid_type message']],
    [{ message: 7 }, [400, 'invalid_type message']],
    [{ message: 'x'.repeat(501) }, [400, 'too_big message']],
    [{ value: 0, timestamp: 'x' }, [400, 'too_small value', 'invalid_format timestamp']],
  ];
  test.each(sampled(WRONG, 2))('%j is refused', async (change, expected) => {
    const { id } = await metered.contract();
    const answer = await (await metered.client()).post<ErrorBody>('/meter-readings', {
      subscription: id,
      ...good,
      ...change,
    });
    expect(refusal(answer)).toEqual(expected);
  });

  test.each([
    [{ message: 'x'.repeat(500) }],
    [{ message: '😀'.repeat(500) }],
    [{ message: '' }],
    [{ value: 1e-7 }],
    [{ type: 'grid_reading', unknown: 1 }],
  ])('%j is accepted', async (change) => {
    const { id } = await metered.contract();
    const answer = await (await metered.client()).post('/meter-readings', {
      subscription: id,
      ...good,
      ...change,
    });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({ type: 'customer_report' });
  });
});

describe('for which contracts', () => {
  test('not for feed-in', async () => {
    const answer = await send(await metered.contract({ type: 'feed_in' }), '2026-11-01T12:00:00Z');
    expect(refusal(answer)).toEqual([400, 'unsupported_meter_reading subscription']);
    expect(answer.body.message).toBe('No reading is taken for this subscription');
  });

  test('not for smart meters', async () => {
    const answer = await send(await metered.contract({ meter_type: 'smart' }), '2026-11-01T12:00:00Z');
    expect(refusal(answer)).toEqual([400, 'unsupported_meter subscription']);
    expect(answer.body.message).toBe('This type of meter is not supported here');
  });

  test('all findings of 400 are told together', async () => {
    const answer = await send(await metered.contract({ meter_type: 'smart' }), '2026-11-23T12:00:00Z');
    expect(refusal(answer)).toEqual([
      400,
      'unsupported_meter subscription',
      'out_of_period_meter_reading timestamp',
    ]);
  });
});

describe('for which days', () => {
  const bounded = { start_at: '2026-03-31T22:00:00Z', end_at: '2026-10-31T23:00:00Z' };

  test.each([
    ['2026-03-31T21:59:59Z', 400],
    ['2026-03-31T22:00:00Z', 200],
    ['2026-10-31T12:00:00Z', 200],
    ['2026-10-31T23:00:00Z', 200],
    ['2026-11-01T22:59:59Z', 200],
    ['2026-11-01T23:00:00Z', 400],
    ['0001-01-01T00:00:00Z', 400],
    ['9999-12-31T23:59:59Z', 400],
  ])('supplied from 1 April to 31 October: %s is %i', async (timestamp, status) => {
    const answer = await send(await metered.contract({ ...bounded, status: 'ended' }), timestamp);
    expect(answer.status, answer.text).toBe(status);
    if (status === 200) return;
    expect(refusal(answer)).toEqual([400, 'out_of_period_meter_reading timestamp']);
    expect(answer.body.message).toBe('The reading lies outside the supply period');
  });

  test.each([
    ['2026-11-21T16:05:00Z', 200],
    ['2026-11-21T16:05:00.001Z', 400],
    ['2026-11-21T16:06:00Z', 400],
    ['2026-11-21T22:59:59Z', 400],
    ['2026-11-22T12:00:00Z', 400],
  ])('today, 17:05: %s is %i', async (timestamp, status) => {
    expect((await send(await metered.contract(), timestamp)).status).toBe(status);
  });

  test('none before the start is confirmed, and none of a contract that never began', async () => {
    const never = { start_at: null, confirmed_at: null };
    const pending = await metered.contract({ ...never, status: 'pending' });
    const rejected = await metered.contract({ ...never, status: 'ended', end_at: '2026-11-01T10:00:00Z' });
    for (const contract of [pending, rejected]) {
      const answer = await send(contract, '2026-11-01T12:00:00Z');
      expect(refusal(answer)).toEqual([400, 'out_of_period_meter_reading timestamp']);
    }
  });
});
