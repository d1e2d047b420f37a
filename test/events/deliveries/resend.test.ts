import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { resendDelivery, resendFailed } from '../../../src/events/deliveries/resend.ts';
import { serveListener } from '../../../src/events/deliveries/serve.ts';
import { disableEndpoint, enableEndpoint } from '../../../src/events/endpoints/switch.ts';
import { openWebhookRequests } from '../../../src/events/requests/send.ts';
import { sweepExpiredRows } from '../../../src/governance/retention/service.ts';
import { setStanding } from '../../../src/identity/organizations/service.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { fakeClock } from '../../setup/clock.ts';
import { auditRows } from '../../setup/stored-rows.ts';
import { HERE, type TestReceiver, testReceiver } from '../requests/receiver.ts';
import { DeliveryFixture, type TestWorker } from './delivery-fixture.ts';

const clock = fakeClock('2026-11-05T06:00:00.000Z');
const fixture = new DeliveryFixture(clock);
let worker: TestWorker;
let status = 200;
let receiver: TestReceiver;

beforeAll(async () => {
  await fixture.open();
  worker = fixture.worker();
  receiver = await testReceiver((_request, response) => void response.writeHead(status).end());
});
afterAll(async () => {
  await fixture.close();
  await receiver?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  status = 200;
  receiver.requests.length = 0;
  await fixture.empty();
});

const act = () => ({
  staff: 'operator',
  reason: 'the receiver was mended',
  command: 'webhooks resend',
  now: clock.now().toISOString(),
});
const deps = () => ({ database: fixture.database, clock });
const DAY = 24 * 3_600_000;
const run = {
  signal: new AbortController().signal,
  log: createLogger({ level: 'silent', name: 'resend-test' }),
};

/** The waits of a delivery, in whole hours. */
const WAITS = [...Array<number>(8).fill(1), 2, 4, 8, 16, 32];

async function exhaust(): Promise<void> {
  await worker.work();
  for (const hours of WAITS) {
    clock.advance(hours * 3_600_000);
    await worker.work();
  }
}

test('a delivery that was given up is sent again with all its attempts, and its log goes on', async () => {
  const { organization } = fixture;
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  await fixture.record();
  status = 500;
  await exhaust();
  const [failed] = await fixture.deliveries();
  expect(failed).toMatchObject({ state: 'failed', attempts: 13 });
  const event = failed?.event_id ?? '';
  await resendDelivery(deps(), organization, { event, endpoint }, act());
  await worker.work();
  expect(await fixture.deliveries()).toMatchObject([{ state: 'pending', attempts: 1, attempts_in_all: 14 }]);
  status = 200;
  clock.advance(60_000);
  await worker.work();
  expect(await fixture.deliveries()).toMatchObject([{ state: 'delivered', attempts_in_all: 15 }]);
  expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([event]));
  const audited = await auditRows(
    { database: fixture.testDatabase },
    organization,
    'webhook_delivery.resend',
  );
  expect(audited).toMatchObject([{ staff: 'operator', object_id: event, reason: 'the receiver was mended' }]);
});

test('what was delivered can be sent again, and asked for twice it is sent once', async () => {
  const { organization } = fixture;
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  await fixture.record();
  await worker.work();
  const [{ event_id: event } = { event_id: '' }] = await fixture.deliveries();
  await resendDelivery(deps(), organization, { event, endpoint }, act());
  await resendDelivery(deps(), organization, { event, endpoint }, act());
  await worker.work();
  expect(receiver.requests).toHaveLength(2);
});

test('all that an endpoint was not told, given up or cancelled, is sent again at once', async () => {
  const { organization } = fixture;
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  await fixture.record(40);
  await worker.work();
  await fixture.record(30);
  status = 410;
  await worker.work();
  expect(await fixture.states()).toEqual({ delivered: 40, cancelled: 30 });
  await expect(resendFailed(deps(), organization, endpoint, act())).rejects.toThrow('switched off');
  await fixture.rows(
    'UPDATE webhook_endpoints SET disabled_at = NULL, disabled_reason = NULL, failing_since = NULL',
  );
  status = 200;
  receiver.requests.length = 0;
  expect(await resendFailed(deps(), organization, endpoint, act())).toBe(30);
  await worker.work();
  expect(await fixture.states()).toEqual({ delivered: 70 });
  expect(receiver.requests).toHaveLength(30);
});

test('an event of a time in which the organization is off is told when that ends within thirty days', async () => {
  const { organization } = fixture;
  await fixture.addEndpoint({ url: receiver.url });
  const set = (standing: 'suspended' | 'in_order') =>
    setStanding(fixture.database, organization, standing, act());
  for (const [days, requests] of [
    [29, 1],
    [31, 0],
  ] as const) {
    receiver.requests.length = 0;
    await set('suspended');
    await fixture.record();
    clock.advance(days * DAY);
    await worker.work();
    await sweepExpiredRows(deps(), run);
    await set('in_order');
    await worker.work();
    expect([days, receiver.requests.length]).toEqual([days, requests]);
    expect(await fixture.rows("SELECT FROM job_runs WHERE state = 'queued'")).toEqual([]);
  }
});

test('after thirty days a delivery is neither sent again nor kept', async () => {
  const { organization } = fixture;
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  await fixture.record();
  await worker.work();
  const [{ event_id: event } = { event_id: '' }] = await fixture.deliveries();
  clock.advance(30 * DAY + 1);
  const again = resendDelivery(deps(), organization, { event, endpoint }, act());
  await expect(again).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('what was given up or cancelled can be sent again for thirty days from then on', async () => {
  const { organization } = fixture;
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  const again = () => resendFailed(deps(), organization, endpoint, act());
  await fixture.record();
  status = 500;
  await exhaust();
  clock.advance(29 * DAY);
  await sweepExpiredRows({ database: fixture.database, clock }, run);
  expect(await again()).toBe(1);
  await disableEndpoint(fixture.database, organization, endpoint, act());
  clock.advance(29 * DAY);
  await sweepExpiredRows({ database: fixture.database, clock }, run);
  await enableEndpoint(fixture.database, organization, endpoint, act());
  expect(await fixture.states()).toEqual({ cancelled: 1 });
  clock.advance(DAY + 1);
  expect(await again()).toBe(0);
  await sweepExpiredRows({ database: fixture.database, clock }, run);
  expect(await fixture.states()).toEqual({});
});

test('a stranger finds neither the endpoint nor the delivery', async () => {
  const other = await fixture.addOrganization();
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  await fixture.record();
  await worker.work();
  const [{ event_id: event } = { event_id: '' }] = await fixture.deliveries();
  for (const [organization, id] of [
    [other, event],
    [fixture.organization, newId('evt')],
  ] as const) {
    const again = resendDelivery(deps(), organization, { event: id, endpoint }, act());
    await expect(again).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
});

test('a listener takes what is due, is never asked for a run, and stops when its endpoint is gone', async () => {
  const { organization } = fixture;
  const endpoint = await fixture.addEndpoint({ kind: 'listener' });
  await fixture.record(3);
  await worker.work();
  expect(
    await fixture.rows(`SELECT 1 FROM job_runs WHERE job LIKE '%webhooks' AND payload ? 'endpoint'`),
  ).toEqual([]);
  const webhooks = openWebhookRequests(HERE);
  const ending = new AbortController();
  const listening = serveListener(
    { database: fixture.database, clock, webhooks },
    {
      organization,
      endpoint,
      receiver: { url: receiver.url, secrets: [Buffer.alloc(32, 1)] },
    },
    ending.signal,
  );
  await expect.poll(() => fixture.states()).toEqual({ delivered: 3 });
  expect(receiver.requests).toHaveLength(3);
  await fixture.record();
  await worker.work();
  await expect.poll(() => fixture.states()).toEqual({ delivered: 4 });
  await fixture.rows('UPDATE webhook_endpoints SET deleted_at = now()');
  await listening;
  await webhooks.close();
});
