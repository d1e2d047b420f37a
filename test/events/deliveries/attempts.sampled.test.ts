import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { topics } from '../../../src/api/topics.ts';
import { meterOrderTopics } from '../../../src/contracts/meter-orders/topics.ts';
import { subscriptionTopics } from '../../../src/contracts/subscriptions/topics.ts';
import { listAttempts, listDeliveries } from '../../../src/events/deliveries/log.ts';
import { fakeClock } from '../../setup/clock.ts';
import { createClient, createOrganization, type FactoryDeps } from '../../setup/factories.ts';
import { sampled } from '../../setup/tier.ts';
import { testAuthority, tlsReceiver } from '../requests/certificates.ts';
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

/** Path and topic of what arrived. */
const arrivals = () =>
  receiver.requests
    .map(({ path, body }) => `${path} ${(JSON.parse(body) as { topic: string }).topic}`)
    .sort();

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

test.each(sampled([301, 302, 307, 308], 2))(
  'W05 an answer with %i is a failed attempt, tried again',
  async (status) => {
    await using inner = await testReceiver();
    answer = { status, headers: { location: inner.url } };
    await fixture.addEndpoint({ url: receiver.url });
    await fixture.record();
    await worker.work();
    expect(await only()).toMatchObject({ state: 'pending', attempts: 1, last_status: status });
    clock.advance(MINUTE);
    answer = { status: 200 };
    await worker.work();
    expect(await only()).toMatchObject({ state: 'delivered', attempts: 2 });
    expect([receiver.requests.length, inner.connections]).toEqual([2, 0]);
  },
);

test.each(sampled([400, 401, 404, 500, 503], 3))(
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

test('W18 of events that happen together each goes to the endpoints that chose its topic, and to no other one', async () => {
  const { created, ended } = subscriptionTopics;
  const paths = { '/created': [created.name], '/ended': [ended.name], '/both': [ended.name, created.name] };
  for (const [path, topics] of Object.entries(paths)) {
    await fixture.addEndpoint({ url: new URL(path, receiver.url).href, topics });
  }
  await fixture.database.inOrganization({ organization: fixture.organization }, async (connection) => {
    for (const topic of [created, meterOrderTopics.created, ended]) {
      await fixture.recordIn(connection, 1, topic);
    }
  });
  await worker.work();
  expect(arrivals()).toEqual(
    Object.entries(paths)
      .flatMap(([path, topics]) => topics.map((topic) => `${path} ${topic}`))
      .sort(),
  );
});

test('W18 the version of auth clients plays no part: clients of chucky alone, and what chucky does not list is sent', async () => {
  const config = { SECRET_PEPPER: 'p'.repeat(43) } as FactoryDeps['config'];
  const deps = { database: fixture.database, clock, config };
  const organization = await createOrganization(deps);
  await createClient(deps, organization, { version: '2025-12-01.chucky' });
  await fixture.addEndpoint({ organization, url: receiver.url });
  for (const topic of topics) await fixture.record(1, topic, organization);
  await worker.work();
  expect(topics.some(({ since }) => since > '2025-12-01.chucky')).toBe(true);
  expect(arrivals()).toEqual(topics.map(({ name }) => `/hook ${name}`).sort());
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
  await failsWith(gone.url, 'connection');
});

test('W21 a certificate that nobody vouches for is logged as an error of TLS', async () => {
  await using receiver = await tlsReceiver(
    testAuthority().issue({ host: 'localhost', days: [-1, 1], signer: 'itself' }),
  );
  await failsWith(`https://localhost:${receiver.port}/hook`, 'tls');
  expect(receiver.requests).toBe(0);
});

test('W16 an address that became private is logged as one, and waits like any other', async () => {
  await failsWith('https://10.0.0.1/hook', 'address');
});

/** The delivery is tried again, and the log has the error and neither status nor answer. */
async function failsWith(url: string, error: string): Promise<void> {
  const endpoint = await fixture.addEndpoint({ url });
  await fixture.record();
  await worker.work();
  const { event_id: event, ...delivery } = await only();
  expect(delivery).toMatchObject({ state: 'pending', attempts: 1, last_status: null, last_error: error });
  const { organization } = fixture;
  const attempts = await fixture.database.inOrganization({ organization }, (connection) =>
    listAttempts(connection, organization, event, endpoint),
  );
  expect(attempts).toMatchObject([{ number: 1, status: null, error, answer: '' }]);
}
