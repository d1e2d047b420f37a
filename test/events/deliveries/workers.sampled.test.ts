import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { fanOutEvent } from '../../../src/events/fan-out.ts';
import { openWebhookRequests, type WebhookRequests } from '../../../src/events/requests/send.ts';
import { isLongTier, runs } from '../../setup/tier.ts';
import { HERE, type TestReceiver, testReceiver } from '../requests/receiver.ts';
import { DeliveryFixture } from './delivery-fixture.ts';

/* Workers on the real clock, many runs at once. */
const ROUNDS = runs(3);
/** Each of fifteen moments once. */
const RACES = isLongTier ? 300 : 15;
const fixture = new DeliveryFixture();
let receiver: TestReceiver;
let pauseMilliseconds = 0;
let open = 0;
let mostOpen = 0;

beforeAll(async () => {
  await fixture.open();
  receiver = await testReceiver((_request, response) => {
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    setTimeout(() => {
      open -= 1;
      response.end();
    }, pauseMilliseconds);
  });
});
afterAll(async () => {
  await fixture.close();
  await receiver?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  pauseMilliseconds = 0;
  receiver.requests.length = 0;
  [open, mostOpen] = [0, 0];
  await fixture.empty();
});

const ids = () => receiver.requests.map(({ headers }) => String(headers['webhook-id']));

/** Whether anything is left that a later event would have to set off. */
const left = async () => {
  const [row] = await fixture.rows<{ pending: number; runs: number }>(
    `SELECT (SELECT count(*)::int FROM event_deliveries WHERE state = 'pending') AS pending,
            (SELECT count(*)::int FROM job_runs WHERE state IN ('queued', 'running')) AS runs`,
  );
  return row;
};

test('two workers at once: everything arrives, nothing twice, at most four requests at an endpoint', async () => {
  pauseMilliseconds = 3;
  await fixture.addEndpoint({ url: receiver.url });
  const [first, second] = [fixture.worker(), fixture.worker()];
  first.start();
  second.start();
  for (let round = 0; round < ROUNDS; round += 1) {
    await fixture.record(10);
    first.wake();
    second.wake();
  }
  await expect.poll(left).toEqual({ pending: 0, runs: 0 });
  expect(ids()).toHaveLength(10 * ROUNDS);
  expect(new Set(ids()).size).toBe(10 * ROUNDS);
  expect(mostOpen).toBeLessThanOrEqual(4);
  await Promise.all([first.stop(), second.stop()]);
});

/*
 * The end of a run and a fan-out, in as many orders as chance gives: each event comes at another moment of the run before.
 * Nothing is left for a later event or for the sweep to set off.
 */
test(`no event falls between its fan-out and the end of a run, in ${RACES} races`, async () => {
  const endpoints = await Promise.all([
    fixture.addEndpoint({ url: receiver.url }),
    fixture.addEndpoint({ url: receiver.url }),
  ]);
  const [first, second] = [fixture.worker({ connections: 4 }), fixture.worker({ connections: 4 })];
  first.start();
  second.start();
  for (let race = 0; race < RACES; race += 1) {
    await fixture.record();
    first.wake();
    /* 0 to 14 ms: as long as a run takes. */
    for (let turn = 0; turn < race % 15; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await expect.poll(left).toEqual({ pending: 0, runs: 0 });
  expect(await fixture.states()).toEqual({ delivered: RACES * endpoints.length });
  expect(new Set(ids()).size).toBe(RACES);
  await Promise.all([first.stop(), second.stop()]);
});

test('a worker that is killed in the middle: another one goes on when its silence is over, under the same ids', async () => {
  pauseMilliseconds = 200;
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  await fixture.record(12);
  /* As if its process were gone: its requests go out, and nothing that comes back is ever written. */
  const killed = fixture.worker({ webhooks: neverBack() });
  killed.start();
  await expect.poll(() => receiver.requests.length).toBe(4);
  expect(await fixture.endpoint(endpoint)).toMatchObject({ served_by: expect.anything() });
  const other = fixture.worker();
  other.start();
  await fixture.record();
  other.wake();
  await expect.poll(async () => (await fixture.deliveries()).length).toBe(13);
  expect(await fixture.states()).toEqual({ pending: 13 });
  await fixture.rows(`UPDATE job_runs SET state = 'queued' WHERE state = 'running'`);
  other.wake();
  await expect.poll(() => fixture.states()).toEqual({ delivered: 13 });
  expect(new Set(ids()).size).toBe(13);
  expect(ids()).toHaveLength(17);
  await other.stop();
});

/** Sends, and keeps what came back for itself. */
function neverBack(): WebhookRequests {
  const real = openWebhookRequests(HERE);
  return {
    send: (to, message, signal) => {
      void real.send(to, message).catch(() => {});
      return new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
    },
    close: () => real.close(),
  };
}

test('a worker that ends gives back what it was about to send, and the next one sends it at once', async () => {
  await fixture.addEndpoint({ url: receiver.url });
  await fixture.record(5);
  const ending = fixture.worker({ webhooks: neverBack() });
  ending.start();
  await expect.poll(() => receiver.requests.length).toBe(4);
  await ending.stop();
  const next = fixture.worker();
  next.start();
  await expect.poll(() => fixture.states()).toEqual({ delivered: 5 });
  expect(new Set(ids()).size).toBe(5);
  await next.stop();
});

test('a fan-out that is killed after its commit and runs again tells nobody twice', async () => {
  await fixture.addEndpoint({ url: receiver.url });
  await fixture.record();
  const worker = fixture.worker();
  const [event] = await fixture.rows<{ id: string }>('SELECT id FROM events ORDER BY position DESC LIMIT 1');
  const run = { payload: { event: event?.id ?? '' }, organization: fixture.organization };
  await fanOutEvent(worker.deps, run);
  await fanOutEvent(worker.deps, run);
  await worker.work();
  expect(ids()).toEqual([event?.id]);
  await worker.stop();
});
