import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { topics } from '../../../src/api/topics.ts';
import { deliveryGauges } from '../../../src/events/deliveries/gauges.ts';
import { listDeliveries } from '../../../src/events/deliveries/log.ts';
import { changeEndpoint } from '../../../src/events/endpoints/change.ts';
import { createMetrics } from '../../../src/platform/metrics.ts';
import { fakeClock } from '../../setup/clock.ts';
import { auditRows } from '../../setup/stored-rows.ts';
import { HERE, type TestReceiver, testReceiver } from '../requests/receiver.ts';
import { DeliveryFixture, type TestWorker } from './delivery-fixture.ts';
import { hourByHour } from './hour-by-hour.ts';

const START = '2026-11-05T06:00:00.000Z';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const clock = fakeClock(START);
const fixture = new DeliveryFixture(clock);
let worker: TestWorker;
let answer: { status: number; headers?: Record<string, string> } = { status: 200 };
let receiver: TestReceiver;

beforeAll(async () => {
  await fixture.open();
  worker = fixture.worker();
  receiver = await testReceiver((_request, response) => {
    response.writeHead(answer.status, answer.headers).end();
  });
});
afterAll(async () => {
  await fixture.close();
  await receiver?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  clock.set(START);
  answer = { status: 200 };
  receiver.requests.length = 0;
  await fixture.empty();
});

const live = (hours: number, atOnce = 1) => hourByHour({ fixture, clock, worker }, hours, atOnce);

test('W07 an answer with 410 switches the endpoint off, cancels what waits, and sends one mail', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url, contact: 'partner@example.org' });
  await fixture.record(30);
  answer = { status: 410 };
  await worker.work();
  expect(receiver.requests.length).toBeLessThanOrEqual(4);
  expect(await fixture.states()).toEqual({ cancelled: 30 });
  expect(await fixture.endpoint(endpoint)).toMatchObject({
    disabled_at: clock.now(),
    disabled_reason: 'gone',
  });
  /* What happens from now on is not for it; what had happened before and was not written yet is among the thirty. */
  clock.advance(1_000);
  await fixture.record();
  await live(30, 15);
  expect(await fixture.states()).toEqual({ cancelled: 30 });
  expect(await fixture.mails()).toMatchObject([
    { to: 'partner@example.org', subject: /^Webhooks switched off/ },
  ]);
  const { organization } = fixture;
  const listed = await fixture.database.inOrganization({ organization }, (connection) =>
    listDeliveries(connection, organization, { endpoint, state: 'cancelled', limit: 1_000 }),
  );
  expect(listed).toHaveLength(30);
  const audited = await auditRows(
    { database: fixture.testDatabase },
    organization,
    'webhook_endpoint.disable',
  );
  expect(audited).toMatchObject([{ object_id: endpoint, reason: 'gone', staff: null }]);
});

test.each([
  ['seconds', '120', 2 * MINUTE],
  ['a date', new Date(Date.parse(START) + 120_000).toUTCString(), 2 * MINUTE],
  ['more than a day', '1000000', DAY],
])(
  'W08 429 with Retry-After as %s: the whole endpoint waits so long, a day at most',
  async (_name, value, wait) => {
    const endpoint = await fixture.addEndpoint({ url: receiver.url });
    await fixture.record();
    answer = { status: 429, headers: { 'retry-after': value } };
    await worker.work();
    answer = { status: 200 };
    await fixture.record(5);
    await worker.work();
    clock.advance(wait - 1);
    await fixture.record(5);
    await worker.work();
    expect(receiver.requests).toHaveLength(1);
    expect(await fixture.endpoint(endpoint)).toMatchObject({ one_at_a_time: true });
    clock.advance(1);
    await worker.work();
    expect(await fixture.states()).toEqual({ delivered: 11 });
    expect(await fixture.endpoint(endpoint)).toMatchObject({ one_at_a_time: false, wait_until: null });
  },
);

test.each([429, 503])(
  'W08 %i with a Retry-After that says nothing waits as any other, 500 with one too',
  async (status) => {
    const endpoint = await fixture.addEndpoint({ url: receiver.url });
    await fixture.record();
    answer = { status, headers: { 'retry-after': 'soon' } };
    await worker.work();
    expect(await fixture.endpoint(endpoint)).toMatchObject({ wait_until: null, one_at_a_time: false });
    clock.advance(MINUTE);
    answer = { status: 500, headers: { 'retry-after': '7200' } };
    await worker.work();
    expect(receiver.requests).toHaveLength(2);
    clock.advance(2 * MINUTE);
    answer = { status: 200 };
    await worker.work();
    expect(await fixture.states()).toEqual({ delivered: 1 });
  },
);

test('W08 what waited for a receiver that asked to be left alone goes to its new address at once', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  await fixture.record();
  answer = { status: 429, headers: { 'retry-after': '86400' } };
  await worker.work();
  clock.advance(10 * MINUTE);
  answer = { status: 200 };
  const act = {
    staff: 'ada',
    reason: 'ticket 17',
    command: 'webhooks change',
    now: clock.now().toISOString(),
  };
  const deps = { database: fixture.database, rules: HERE, topics };
  await changeEndpoint(
    deps,
    fixture.organization,
    endpoint,
    { url: new URL('/new', receiver.url).href },
    act,
  );
  await worker.work();
  expect(receiver.requests).toHaveLength(2);
  expect(await fixture.states()).toEqual({ delivered: 1 });
});

test('W07 a mail that cannot be delivered is tried again by its job', async () => {
  await fixture.addEndpoint({ url: receiver.url, contact: 'partner@example.org' });
  await fixture.record();
  answer = { status: 410 };
  const mailFolder = join(await mkdtemp(join(tmpdir(), 'voltstream-mail-')), 'mails');
  await writeFile(mailFolder, 'no folder');
  const telling = fixture.worker({ mailFolder });
  await telling.work();
  const runs = () => fixture.rows(`SELECT state, attempts FROM job_runs WHERE job = 'tell-webhook-contact'`);
  expect(await runs()).toEqual([{ state: 'queued', attempts: 1 }]);
  await rm(mailFolder);
  clock.advance(MINUTE);
  await telling.work();
  expect(await runs()).toEqual([{ state: 'done', attempts: 2 }]);
  expect(await readdir(mailFolder)).toHaveLength(1);
  await rm(dirname(mailFolder), { recursive: true });
});

test('W08 after its wait an endpoint gets one request at a time until a success, then several at once', async () => {
  let open = 0;
  let most = 0;
  let taken = 0;
  /* Behind the first success they wait for each other, however late a busy machine sends them. */
  const turn = () => (taken > 0 ? vi.waitUntil(() => most === 4, 60_000) : setTimeout(20));
  const slow = await testReceiver((_request, response) => {
    open += 1;
    most = Math.max(most, open);
    void turn().then(() => {
      open -= 1;
      if (answer.status === 200) taken += 1;
      response.writeHead(answer.status, answer.headers).end();
    });
  });
  await fixture.addEndpoint({ url: slow.url });
  await fixture.record(12);
  answer = { status: 503, headers: { 'retry-after': '60' } };
  await worker.work();
  clock.advance(MINUTE);
  [most, answer] = [0, { status: 503 }];
  await worker.work();
  expect(most).toBe(1);
  /* One failure after the other: not before everything that waits has its turn is it tried several at a time. */
  clock.advance(5 * MINUTE);
  [most, answer] = [0, { status: 200 }];
  await worker.work();
  expect(await fixture.states()).toEqual({ delivered: 12 });
  expect(most).toBe(4);
  await slow[Symbol.asyncDispose]();
});

test('an endpoint that fails for five days is switched off; mails go out on the first day and then', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url, contact: 'partner@example.org' });
  answer = { status: 500 };
  await fixture.record(3);
  await worker.work();
  await live(20, 5);
  await live(3);
  expect(await fixture.mails()).toEqual([]);
  await live(2);
  expect(await fixture.mails()).toMatchObject([{ subject: /^Webhooks fail/ }]);
  await live(90, 15);
  await live(4);
  expect(await fixture.endpoint(endpoint)).toMatchObject({ disabled_at: null });
  await fixture.record();
  await live(2);
  expect(await fixture.endpoint(endpoint)).toMatchObject({ disabled_reason: 'long_failure' });
  expect(await fixture.states()).toEqual({ failed: 3, cancelled: 1 });
  await live(30, 15);
  expect((await fixture.mails()).map(({ subject }) => subject.replace(/:.*/, ''))).toEqual([
    'Webhooks fail',
    'Webhooks switched off',
  ]);
});

test('one success makes the five days begin anew, and a day later there is another mail', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url, contact: 'partner@example.org' });
  answer = { status: 500 };
  await fixture.record();
  await worker.work();
  await live(30, 10);
  answer = { status: 200 };
  await fixture.record();
  await worker.work();
  expect(await fixture.endpoint(endpoint)).toMatchObject({ failing_since: null });
  answer = { status: 500 };
  await fixture.record();
  await worker.work();
  await live(100, 20);
  expect(await fixture.endpoint(endpoint)).toMatchObject({ disabled_at: null });
  expect(await fixture.mails()).toHaveLength(2);
});

test('time alone switches no endpoint off: an attempt fails five days after the first one', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  answer = { status: 500 };
  await fixture.record();
  await worker.work();
  clock.advance(6 * DAY);
  await fixture.sweep();
  expect(await fixture.endpoint(endpoint)).toMatchObject({ disabled_at: null });
  await worker.work();
  expect(await fixture.endpoint(endpoint)).toMatchObject({ disabled_reason: 'long_failure' });
});

test('one exhausted delivery leaves an endpoint on that nothing else was sent to, and the next one arrives', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  answer = { status: 500 };
  await fixture.record();
  await worker.work();
  await live(70, 1);
  expect(await fixture.states()).toEqual({ failed: 1 });
  answer = { status: 200 };
  await live(240, 60);
  expect(await fixture.endpoint(endpoint)).toMatchObject({ disabled_at: null });
  await fixture.record();
  await worker.work();
  expect(await fixture.states()).toEqual({ delivered: 1, failed: 1 });
});

test('an endpoint that nothing was sent to for five days is not failing any more, and one failed attempt does not switch it off', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url, contact: 'partner@example.org' });
  const metrics = createMetrics({ runtime: false });
  const refresh = deliveryGauges({ database: fixture.database, clock, metrics });
  const failing = async () => {
    await refresh();
    return /voltstream_webhook_endpoints_failing (\d)/.exec(await metrics.text())?.[1];
  };
  answer = { status: 500 };
  await fixture.record();
  await worker.work();
  await live(70);
  expect(await fixture.states()).toEqual({ failed: 1 });
  clock.advance(5 * DAY - 2 * HOUR);
  await fixture.sweep();
  expect([(await fixture.endpoint(endpoint)).failing_since, await failing()]).toEqual([new Date(START), '1']);
  await live(2);
  expect([(await fixture.endpoint(endpoint)).failing_since, await failing()]).toEqual([null, '0']);
  clock.advance(30 * DAY);
  await fixture.record();
  await worker.work();
  expect(await fixture.endpoint(endpoint)).toMatchObject({ disabled_at: null, failing_since: clock.now() });
  await live(25);
  expect((await fixture.mails()).map(({ subject }) => subject.replace(/:.*/, ''))).toEqual([
    'Webhooks fail',
    'Webhooks fail',
  ]);
});

test('an endpoint that failed before its organization was switched off is asked again before it is', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url, contact: 'partner@example.org' });
  answer = { status: 500 };
  await fixture.record();
  await worker.work();
  await live(20, 5);
  const stand = (standing: string) =>
    fixture.rows('UPDATE organizations SET standing = $1 WHERE id = $2', [standing, fixture.organization]);
  await stand('suspended');
  await live(144, 24);
  await stand('in_order');
  answer = { status: 200 };
  await live(1);
  expect(await fixture.states()).toEqual({ delivered: 1 });
  expect(await fixture.endpoint(endpoint)).toMatchObject({ disabled_at: null, failing_since: null });
  expect(await fixture.mails()).toEqual([]);
});
