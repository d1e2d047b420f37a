import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { deliveryGauges } from '../../../src/events/deliveries/gauges.ts';
import { sweepExpiredRows } from '../../../src/governance/retention/service.ts';
import { reconcile } from '../../../src/platform/jobs/reconciler.ts';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { createMetrics } from '../../../src/platform/metrics.ts';
import { fakeClock } from '../../setup/clock.ts';
import { isLongTier } from '../../setup/tier.ts';
import { type TestReceiver, testReceiver } from '../requests/receiver.ts';
import { DeliveryFixture, type TestWorker } from './delivery-fixture.ts';

const START = '2026-11-05T06:00:00.000Z';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** More than a run cancels at once. */
const PENDING = isLongTier ? 20_000 : 2_500;
const clock = fakeClock(START);
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
  clock.set(START);
  status = 200;
  receiver.requests.length = 0;
  await fixture.empty();
});

const run = { signal: new AbortController().signal, log: createLogger({ level: 'silent', name: 'test' }) };
const sweep = () => fixture.sweep();

/** Deliveries whose run was lost. */
async function lost(count: number, endpoint: string): Promise<void> {
  await fixture.record(count);
  await fixture.rows(`DELETE FROM job_runs`);
  await fixture.rows(
    `INSERT INTO event_deliveries (organization_id, event_id, endpoint_id, created_at, next_at)
     SELECT organization_id, id, $1, $2, $2 FROM events WHERE timestamp = $2
     ON CONFLICT DO NOTHING`,
    [endpoint, clock.now()],
  );
}

test('what lost its run is asked for again two minutes after it was due, once', async () => {
  await lost(5, await fixture.addEndpoint({ url: receiver.url }));
  clock.advance(2 * MINUTE - 1);
  expect(await sweep()).toMatchObject({ runs: 0 });
  clock.advance(1);
  expect(await sweep()).toMatchObject({ runs: 1 });
  await sweep();
  expect(await fixture.rows(`SELECT 1 FROM job_runs WHERE job = 'deliver-webhooks'`)).toHaveLength(1);
  await worker.work();
  expect((await fixture.states()).delivered).toBeGreaterThanOrEqual(5);
});

test('a run that waits for its turn keeps its place, however often the sweep comes by', async () => {
  await lost(1, await fixture.addEndpoint({ url: receiver.url }));
  clock.advance(3 * MINUTE);
  await sweep();
  const place = () =>
    fixture.rows(`SELECT id, next_at FROM job_runs WHERE state = 'queued' AND job = 'deliver-webhooks'`);
  const before = await place();
  clock.advance(MINUTE);
  await sweep();
  expect(await place()).toEqual(before);
});

test('a run that was given up is made up for', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  await lost(1, endpoint);
  await fixture.rows(
    `WITH given_up AS (
       INSERT INTO job_runs (organization_id, job, state, due_at, next_at, finished_at)
       VALUES ($1, 'deliver-webhooks', 'failed', $2, $2, $2) RETURNING id)
     UPDATE webhook_endpoints SET asked_run = given_up.id, asked_at = $2 FROM given_up`,
    [fixture.organization, clock.now()],
  );
  clock.advance(3 * MINUTE);
  await sweep();
  await worker.work();
  expect(await fixture.states()).toMatchObject({ delivered: expect.any(Number) });
});

test('a clock that ran a year ahead and was set back delays nothing for a year', async () => {
  await fixture.addEndpoint({ url: receiver.url });
  clock.advance(365 * DAY);
  status = 500;
  await fixture.record();
  await worker.work();
  clock.set(START);
  clock.advance(HOUR);
  status = 200;
  await sweep();
  await worker.work();
  expect(await fixture.states()).toEqual({ delivered: 1 });
});

test.each(['the sweep', 'the next event'])(
  'a clock that ran twenty hours ahead and was set back delays nothing for so long: %s brings it along',
  async (way) => {
    await fixture.addEndpoint({ url: receiver.url });
    status = 500;
    await fixture.record();
    await worker.work();
    clock.advance(20 * HOUR);
    await fixture.record();
    await worker.work();
    clock.set(START);
    clock.advance(HOUR);
    status = 200;
    if (way === 'the sweep') await sweep();
    else await fixture.record();
    await worker.work();
    expect(await fixture.states()).toEqual({ delivered: way === 'the sweep' ? 2 : 3 });
  },
);

test('a clock that ran a day ahead and was set back before anybody was found to be told delays no event', async () => {
  await fixture.addEndpoint({ url: receiver.url });
  clock.advance(DAY);
  await fixture.record();
  clock.set(START);
  await reconcile(fixture);
  await worker.work();
  expect(await fixture.states()).toEqual({ delivered: 1 });
});

test('a listener whose command went away is removed after five minutes, and what waited for it is cancelled', async () => {
  const endpoint = await fixture.addEndpoint({ kind: 'listener', createdAt: START });
  await fixture.record(3);
  await worker.work();
  clock.advance(5 * MINUTE - 1);
  expect(await sweep()).toMatchObject({ listeners_removed: 0 });
  clock.advance(1);
  expect(await sweep()).toMatchObject({ listeners_removed: 1 });
  await worker.work();
  expect(await fixture.endpoint(endpoint)).toMatchObject({ deleted_at: clock.now() });
  expect(await fixture.states()).toEqual({ cancelled: 3 });
});

test(`an endpoint that is off with ${PENDING} deliveries pending: its run cancels all of them`, async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  await fixture.rows(
    `INSERT INTO events (organization_id, id, topic, timestamp, context)
     SELECT $1, 'evt_' || lpad(i::text, 24, '0'), 'subscription.created', $2, '{}' FROM generate_series(1, $3::int) i`,
    [fixture.organization, clock.now(), PENDING],
  );
  await fixture.rows(
    `INSERT INTO event_deliveries (organization_id, event_id, endpoint_id, created_at, next_at)
     SELECT organization_id, id, $1, $2, $2 FROM events WHERE context = '{}'`,
    [endpoint, clock.now()],
  );
  await fixture.rows(`UPDATE webhook_endpoints SET disabled_at = $1, disabled_reason = 'operator'`, [
    clock.now(),
  ]);
  await sweep();
  await worker.work();
  expect(await fixture.states()).toEqual({ cancelled: PENDING });
  expect(receiver.requests).toEqual([]);
});

test('metrics tell what is due in each lane, and stop telling when it is not', async () => {
  const metrics = createMetrics({ runtime: false });
  const refresh = deliveryGauges({ database: fixture.database, clock, metrics });
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  await lost(4, endpoint);
  clock.advance(90_000);
  await refresh();
  expect(await metrics.text()).toContain('voltstream_webhook_oldest_due_seconds{lane="healthy"} 90');
  expect(await metrics.text()).toContain('voltstream_webhook_endpoints_due{lane="healthy"} 1');
  await fixture.rows('UPDATE webhook_endpoints SET failing_since = $1', [
    new Date(clock.nowMilliseconds() - DAY),
  ]);
  await refresh();
  expect(await metrics.text()).toContain('voltstream_webhook_endpoints_failing 1');
  expect(await metrics.text()).toContain('voltstream_webhook_endpoints_due{lane="failing"} 1');
  clock.advance(MINUTE);
  await sweep();
  await worker.work();
  await refresh();
  expect(await metrics.text()).toContain('voltstream_webhook_endpoints_failing 0');
  expect(await metrics.text()).toContain('voltstream_webhook_oldest_due_seconds{lane="failing"} 0');
});

test('deliveries go after thirty days with their attempts, those that wait stay, and then a deleted endpoint goes', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  await fixture.record(2);
  await worker.work();
  await lost(1, endpoint);
  await fixture.rows('UPDATE webhook_endpoints SET deleted_at = $1', [clock.now()]);
  const kept = async () =>
    fixture.rows(
      `SELECT (SELECT count(*)::int FROM event_deliveries) AS deliveries, (SELECT count(*)::int FROM delivery_attempts) AS attempts,
              (SELECT count(*)::int FROM webhook_endpoints) AS endpoints`,
    );
  clock.advance(30 * DAY - 1);
  await sweepExpiredRows({ database: fixture.database, clock }, run);
  expect(await kept()).toMatchObject([{ attempts: 2, endpoints: 1 }]);
  clock.advance(2);
  await sweepExpiredRows({ database: fixture.database, clock }, run);
  expect(await kept()).toMatchObject([{ attempts: 0, endpoints: 1, deliveries: expect.any(Number) }]);
  await sweep();
  await worker.work();
  clock.advance(30 * DAY + 1);
  await sweepExpiredRows({ database: fixture.database, clock }, run);
  expect(await kept()).toEqual([{ deliveries: 0, attempts: 0, endpoints: 0 }]);
});
