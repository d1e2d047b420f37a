import { setTimeout as wait } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { topics } from '../../../src/api/topics.ts';
import { changeEndpoint } from '../../../src/events/endpoints/change.ts';
import { createEndpoint } from '../../../src/events/endpoints/create.ts';
import { rotateSecret } from '../../../src/events/endpoints/rotate.ts';
import { deleteEndpoint, disableEndpoint, enableEndpoint } from '../../../src/events/endpoints/switch.ts';
import { DeliveryFixture, type TestWorker } from '../deliveries/delivery-fixture.ts';
import { HERE, type TestReceiver, testReceiver } from '../requests/receiver.ts';

/* A worker sends one event after the other while a command takes something back. */

/* Four requests at once: a command has more than three seconds until the last one begins. */
const EVENTS = 50;
const ANSWER_MILLISECONDS = 300;

const fixture = new DeliveryFixture();
let worker: TestWorker;
let answerMilliseconds = ANSWER_MILLISECONDS;
let answer = { status: 200, when: Promise.resolve() };
let receiver: TestReceiver;
let endpoint: string;
let oldSecret: string;

const act = () => ({
  ...{ staff: 'ada', reason: 'ticket 17', command: 'test' },
  now: fixture.clock.now().toISOString(),
});
const deps = () => {
  const { database, clock, encryptionKey } = fixture;
  return { database, clock, config: { ENCRYPTION_KEY: encryptionKey }, rules: HERE, topics };
};

beforeAll(() => fixture.open());
afterAll(() => fixture.close());
beforeEach(async () => {
  await fixture.empty();
  answerMilliseconds = ANSWER_MILLISECONDS;
  answer = { status: 200, when: Promise.resolve() };
  receiver = await testReceiver((_request, response) => {
    const { status, when } = answer;
    void Promise.all([wait(answerMilliseconds), when]).then(() => response.writeHead(status).end());
  });
  const created = await createEndpoint(deps(), fixture.organization, { url: receiver.url }, act());
  endpoint = created.endpoint.id;
  oldSecret = created.secret;
  await fixture.record(EVENTS);
  worker = fixture.worker();
  await worker.own.work();
  expect(await fixture.states()).toEqual({ pending: EVENTS });
  worker.start();
  await expect.poll(() => receiver.requests.length).toBeGreaterThan(4);
});
afterEach(async () => {
  await worker.stop();
  await receiver[Symbol.asyncDispose]();
});

const isServed = async () => (await fixture.endpoint(endpoint)).served_by !== null;

describe('once the command has ended', () => {
  test.each([
    ['delete', deleteEndpoint],
    ['disable', disableEndpoint],
  ] as const)(
    'W17 no request begins to an endpoint after %s, and what waited is cancelled',
    async (_name, end) => {
      const { cancelled } = await end(fixture.database, fixture.organization, endpoint, act());
      const arrived = receiver.requests.length;
      expect(arrived).toBeLessThan(EVENTS);
      await expect.poll(isServed).toBe(false);
      expect(receiver.requests.length).toBe(arrived);
      const states = await fixture.states();
      expect(states.pending).toBeUndefined();
      expect((states.delivered ?? 0) + (states.cancelled ?? 0)).toBe(EVENTS);
      /* The worker cancels as well: the command counts what it did itself. */
      expect(cancelled).toBeLessThanOrEqual(states.cancelled ?? 0);
    },
  );

  test('W03 no request is signed with a secret that was compromised', async () => {
    const { secret } = await rotateSecret(deps(), fixture.organization, endpoint, 'compromised', act());
    const before = receiver.requests.length;
    answerMilliseconds = 0;
    await expect.poll(() => receiver.requests.length).toBe(EVENTS);
    const later = receiver.requests.slice(before);
    expect(later.length).toBeGreaterThan(0);
    for (const { body, headers } of later) {
      new Webhook(secret).verify(body, headers as Record<string, string>);
      expect(() => new Webhook(oldSecret).verify(body, headers as Record<string, string>)).toThrow();
    }
  });

  test('no request goes to the address of before', async () => {
    await using other = await testReceiver();
    await changeEndpoint(deps(), fixture.organization, endpoint, { url: other.url }, act());
    const arrived = receiver.requests.length;
    answerMilliseconds = 0;
    await expect.poll(() => other.requests.length).toBe(EVENTS - arrived);
    expect(receiver.requests.length).toBe(arrived);
  });

  test('what the address of before answers late neither switches off the new one nor keeps it waiting', async () => {
    await using other = await testReceiver();
    const before = receiver.requests.length;
    const changed = Promise.withResolvers<void>();
    answer = { status: 410, when: changed.promise };
    await expect.poll(() => receiver.requests.length).toBeGreaterThan(before);
    await changeEndpoint(deps(), fixture.organization, endpoint, { url: other.url }, act());
    const arrived = receiver.requests.length;
    changed.resolve();
    answerMilliseconds = 0;
    await expect.poll(() => other.requests.length).toBe(EVENTS - arrived);
    await expect.poll(isServed).toBe(false);
    const { cancelled, failed } = await fixture.states();
    expect([cancelled, failed]).toEqual([undefined, undefined]);
    expect(await fixture.endpoint(endpoint)).toMatchObject({
      disabled_at: null,
      failing_since: null,
      wait_until: null,
    });
  });

  test('what is answered late to requests of before it was switched off and on does not switch it off again', async () => {
    const before = receiver.requests.length;
    const isOn = Promise.withResolvers<void>();
    answer = { status: 410, when: isOn.promise };
    await expect.poll(() => receiver.requests.length).toBeGreaterThan(before);
    await disableEndpoint(fixture.database, fixture.organization, endpoint, act());
    await enableEndpoint(fixture.database, fixture.organization, endpoint, act());
    isOn.resolve();
    const isAnswered = async () => (await fixture.deliveries('last_status = 410')).length > 0;
    await expect.poll(isAnswered).toBe(true);
    expect(await fixture.endpoint(endpoint)).toMatchObject({
      ...{ disabled_at: null, failing_since: null, last_failure_at: null, served_by: null },
    });
  });
});
