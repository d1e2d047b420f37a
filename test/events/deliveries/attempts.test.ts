import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { listAttempts, listDeliveries } from '../../../src/events/deliveries/log.ts';
import { fakeClock } from '../../setup/clock.ts';
import { type TestReceiver, testReceiver } from '../requests/receiver.ts';
import { DeliveryFixture, type TestWorker } from './delivery-fixture.ts';

const clock = fakeClock('2026-11-05T06:00:00.000Z');
const fixture = new DeliveryFixture(clock);
let worker: TestWorker;
let answer: { status: number; headers?: Record<string, string> } = { status: 200 };
let receiver: TestReceiver;

beforeAll(async () => {
  await fixture.open();
  worker = fixture.worker();
  receiver = await testReceiver((_request, response) => {
    response.writeHead(answer.status, answer.headers).end('an answer');
  });
});
afterAll(async () => {
  await fixture.close();
  await receiver?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  answer = { status: 200 };
  receiver.requests.length = 0;
  await fixture.empty();
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const WAITS = [1, 2, 4, 8, 16, 32]
  .flatMap((times) => times * MINUTE)
  .concat([1, 2, 4, 8, 16, 32].map((n) => n * HOUR));

const only = async () => {
  const rows = await fixture.deliveries();
  expect(rows).toHaveLength(1);
  return rows[0] as (typeof rows)[number];
};

test.each([200, 204, 299])('W04 an answer with %i ends a delivery after one attempt', async (status) => {
  answer = { status };
  await fixture.addEndpoint({ url: receiver.url });
  await fixture.record();
  await worker.work();
  expect(await only()).toMatchObject({ state: 'delivered', attempts: 1, next_at: null, last_status: status });
  clock.advance(100 * HOUR);
  await worker.work();
  expect(receiver.requests).toHaveLength(1);
});

test.each([400, 401, 404, 500, 503])(
  'W06 an answer with %i: 13 attempts at the printed waits, then failed',
  async (status) => {
    answer = { status };
    const endpoint = await fixture.addEndpoint({ url: receiver.url });
    const startedAt = clock.nowMilliseconds();
    await fixture.record();
    await worker.work();
    for (const [index, milliseconds] of WAITS.entries()) {
      expect(receiver.requests).toHaveLength(index + 1);
      clock.advance(milliseconds - 1);
      await worker.work();
      expect(receiver.requests).toHaveLength(index + 1);
      clock.advance(1);
      await worker.work();
    }
    expect(receiver.requests).toHaveLength(13);
    expect(clock.nowMilliseconds() - startedAt).toBe(64 * HOUR + 3 * MINUTE);
    const { event_id: event, ...delivery } = await only();
    expect(delivery).toMatchObject({ state: 'failed', attempts: 13, next_at: null, last_status: status });
    clock.advance(100 * HOUR);
    await worker.work();
    expect(receiver.requests).toHaveLength(13);
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([event]));
    expect(new Set(receiver.requests.map(({ body }) => body)).size).toBe(1);
    const { organization } = fixture;
    await fixture.database.inOrganization({ organization }, async (connection) => {
      const attempts = await listAttempts(connection, organization, event, endpoint);
      expect(attempts.map(({ number }) => number)).toEqual(
        Array.from({ length: 13 }, (_, index) => index + 1),
      );
      expect(attempts[12]).toMatchObject({ status, error: null, answer: 'an answer' });
      const listed = await listDeliveries(connection, organization, { state: 'failed', limit: 10 });
      expect(listed).toMatchObject([{ event_id: event, endpoint_id: endpoint, attempts_in_all: 13 }]);
    });
    /* One delivery that was given up leaves the endpoint on. */
    expect(await fixture.endpoint(endpoint)).toMatchObject({ disabled_at: null });
  },
);

test('W18 a topic that the endpoint did not choose is never sent', async () => {
  await fixture.addEndpoint({ url: receiver.url, topics: ['subscription.ended', 'test.other'] });
  await fixture.record();
  await worker.work();
  expect(receiver.requests).toEqual([]);
  expect(await fixture.deliveries()).toEqual([]);
});

test('every attempt has the time of its own sending, and signs anew', async () => {
  answer = { status: 500 };
  await fixture.addEndpoint({ url: receiver.url });
  await fixture.record();
  await worker.work();
  clock.advance(MINUTE);
  await worker.work();
  const [first, second] = receiver.requests.map(({ headers }) => headers);
  expect(Number(second?.['webhook-timestamp']) - Number(first?.['webhook-timestamp'])).toBe(60);
  expect(second?.['webhook-signature']).not.toBe(first?.['webhook-signature']);
});

test('an endpoint that nobody answers is logged as a connection error, and waits like any other', async () => {
  const gone = await testReceiver();
  await gone[Symbol.asyncDispose]();
  await fixture.addEndpoint({ url: gone.url });
  await fixture.record();
  await worker.work();
  expect(await only()).toMatchObject({
    state: 'pending',
    attempts: 1,
    last_status: null,
    last_error: 'connection',
  });
});
