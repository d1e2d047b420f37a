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
/** Longer than a busy machine takes for the others. How fast they are says `npm run load -- webhooks`. */
const HANGS_MILLISECONDS = 100_000;
let hanging: TestReceiver;
let hangsOpen = 0;
let givenUp = 0;

beforeAll(async () => {
  await fixture.open();
  healthy = await testReceiver();
  /* Takes the request and never answers. */
  hanging = await testReceiver((_request, response) => {
    hangsOpen += 1;
    response.on('close', () => {
      givenUp += 1;
    });
  });
});
afterAll(async () => {
  await fixture.close();
  await healthy?.[Symbol.asyncDispose]();
  await hanging?.[Symbol.asyncDispose]();
});

test('W10 with 200 endpoints that hang, deliveries to the others arrive before one of these is given up', async () => {
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
  const webhooks = openWebhookRequests({ ...HERE, exchangeMilliseconds: HANGS_MILLISECONDS });
  const worker = fixture.worker({ webhooks });
  worker.start();
  for (const organization of organizations) await fixture.record(10, undefined, organization);
  worker.wake();
  await expect.poll(() => hangsOpen).toBeGreaterThan(100);
  for (let event = 0; event < EVENTS; event += 1) {
    if (event % 4 === 0) await fixture.record(1, ended, sick);
    else await fixture.record(1, created);
    worker.wake();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const delivered = () => fixture.deliveries(`endpoint_id = ANY($1) AND state = 'delivered'`, [well]);
  await expect.poll(async () => (await delivered()).length, { timeout: HANGS_MILLISECONDS }).toBe(EVENTS);
  expect(healthy.requests).toHaveLength(EVENTS);
  expect(givenUp).toBe(0);
  /* They hang all the while, in a lane of their own. */
  const lanes = () =>
    fixture.rows(
      `SELECT job, count(*)::int > 40 AS many FROM job_runs WHERE state = 'running' GROUP BY job ORDER BY job`,
    );
  await expect.poll(lanes).toEqual([{ job: 'retry-webhooks', many: true }]);
  await Promise.all([worker.stop(), hanging[Symbol.asyncDispose]()]);
});
