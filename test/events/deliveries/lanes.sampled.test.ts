import { afterAll, beforeAll, expect, test } from 'vitest';
import { subscriptionTopics } from '../../../src/contracts/subscriptions/topics.ts';
import { openWebhookRequests } from '../../../src/events/requests/send.ts';
import { isLongTier } from '../../setup/tier.ts';
import { HERE, type TestReceiver, testReceiver } from '../requests/receiver.ts';
import { DeliveryFixture } from './delivery-fixture.ts';

const fixture = new DeliveryFixture();
const DEAD = 200;
const EVENTS = isLongTier ? 60 : 20;
let healthy: TestReceiver;
/** When each event arrived, by its id. */
const arrivedAt = new Map<string, number>();
let hanging: TestReceiver;
let hangsOpen = 0;

beforeAll(async () => {
  await fixture.open();
  healthy = await testReceiver((request, response) => {
    arrivedAt.set(String(request.headers['webhook-id']), Date.now());
    response.end();
  });
  /* Takes the request and never answers. */
  hanging = await testReceiver(() => {
    hangsOpen += 1;
  });
});
afterAll(async () => {
  await fixture.close();
  await healthy?.[Symbol.asyncDispose]();
  await hanging?.[Symbol.asyncDispose]();
});

test('W10 with 200 endpoints that hang, deliveries to the others arrive: p95 under 5 s', {
  timeout: 240_000,
}, async () => {
  /* Down for hours: their attempts have failed before, and each has more waiting than it will ever take. */
  const sick = await fixture.addOrganization();
  const organizations = [sick, await fixture.addOrganization(), await fixture.addOrganization()];
  for (let index = 0; index < DEAD; index += 1) {
    await fixture.addEndpoint({ organization: organizations[index % 3] ?? sick, url: hanging.url });
  }
  await fixture.rows(
    `UPDATE webhook_endpoints SET failing_since = now() - interval '5 hours', last_failure_at = now() - interval '1 hour'`,
  );
  const { created, ended } = subscriptionTopics;
  /* One of an organization that has no other, and one beside 67 that hang. */
  const well = [
    await fixture.addEndpoint({ url: healthy.url }),
    await fixture.addEndpoint({ organization: sick, url: healthy.url, topics: [ended.name] }),
  ];
  const webhooks = openWebhookRequests({ ...HERE, exchangeMilliseconds: 15_000 });
  const worker = fixture.worker({ webhooks });
  worker.start();
  for (const organization of organizations) await fixture.record(10, undefined, organization);
  worker.wake();
  await expect.poll(() => hangsOpen, { timeout: 60_000 }).toBeGreaterThan(100);
  const recordedAt: number[] = [];
  for (let event = 0; event < EVENTS; event += 1) {
    recordedAt.push(Date.now());
    if (event % 4 === 0) await fixture.record(1, ended, sick);
    else await fixture.record(1, created);
    worker.wake();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const delivered = () => fixture.deliveries(`endpoint_id = ANY($1) AND state = 'delivered'`, [well]);
  await expect.poll(async () => (await delivered()).length, { timeout: 60_000 }).toBe(EVENTS);
  const events = await fixture.rows<{ id: string; organization_id: string }>(
    'SELECT id, organization_id FROM events WHERE organization_id = $1 OR topic = $2 ORDER BY position',
    [fixture.organization, ended.name],
  );
  const delays = events.map(({ id, organization_id }, index) => ({
    organization_id,
    delay: (arrivedAt.get(id) ?? Number.POSITIVE_INFINITY) - (recordedAt[index] ?? 0),
  }));
  for (const [organization, count] of [
    [fixture.organization, (EVENTS * 3) / 4],
    [sick, EVENTS / 4],
  ] as const) {
    const own = delays.filter(({ organization_id }) => organization_id === organization);
    expect(own).toHaveLength(count);
    own.sort((left, right) => left.delay - right.delay);
    expect(own[Math.floor(count * 0.95)]?.delay).toBeLessThan(5_000);
  }
  /* They hang all the while, in a lane of their own. */
  const lanes = await fixture.rows(
    `SELECT job, count(*)::int > 40 AS many FROM job_runs WHERE state = 'running' GROUP BY job ORDER BY job`,
  );
  expect(lanes).toEqual([{ job: 'retry-webhooks', many: true }]);
  await worker.stop();
});
