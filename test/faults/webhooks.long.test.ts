import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { withDatabaseClient } from '../../src/platform/database/setup.ts';
import { startJobs } from '../../workers/job-engine.ts';
import { fakeClock } from '../setup/clock.ts';
import { openWebhookFaults, type WebhookFaults } from './webhook-faults.ts';

/* A worker process of its own, a receiver in this one, and between them and Redis a line that can be cut. */
let faults: WebhookFaults;

beforeAll(async () => {
  faults = await openWebhookFaults();
});
beforeEach(() => faults.begin());
afterEach(() => faults.end());
afterAll(() => faults.close());

/** As if the time that a killed worker is waited for were over. */
async function forgetWorker(): Promise<void> {
  await faults.rows(`UPDATE job_runs SET heartbeat_at = heartbeat_at - interval '61 seconds'`);
  await faults.rows(`UPDATE webhook_endpoints SET served_at = served_at - interval '91 seconds'`);
}

const allDelivered = (count: number) => ({ states: { delivered: count }, arrived: count });

test('W12 a worker that is killed between asking for deliveries and noting that it did: all arrive, under one id', async () => {
  const worker = await faults.startWorker();
  await withDatabaseClient(faults.database.adminUrl, async (client) => {
    await client.query('BEGIN; LOCK TABLE event_deliveries IN EXCLUSIVE MODE');
    await faults.happen(1);
    await expect.poll(() => faults.runs('fan-out-event')).toMatchObject([{ state: 'running' }]);
    await withDatabaseClient(faults.database.adminUrl, async (second) => {
      await second.query(`BEGIN; SELECT FROM job_runs WHERE job = 'fan-out-event' FOR UPDATE`);
      await client.query('COMMIT');
      await expect.poll(() => faults.rows('SELECT FROM event_deliveries')).toHaveLength(1);
      await worker.kill();
      await second.query('COMMIT');
    });
  });
  expect(await faults.runs('fan-out-event')).toMatchObject([{ state: 'running', fence: 1 }]);
  await forgetWorker();
  await faults.startWorker();
  await expect.poll(faults.outcome).toEqual(allDelivered(1));
  await expect.poll(() => faults.runs('fan-out-event')).toMatchObject([{ state: 'done', fence: 2 }]);
  expect(new Set(faults.received.map(({ id }) => id))).toEqual(new Set(await faults.eventIds()));
});

test.each([
  ['before it answers', true],
  ['after it answered, before that is noted', false],
])(
  'W13 a worker that is killed when the receiver has the body, %s: sent again, same id, later time',
  async (_words, isHeld) => {
    const worker = await faults.startWorker();
    await withDatabaseClient(faults.database.adminUrl, async (client) => {
      if (isHeld) faults.holdAnswers();
      else {
        /* What came of a request is written behind the lock of the endpoint; it is taken when the request is under way. */
        faults.beforeAnswer(() =>
          client.query('BEGIN; SELECT FROM webhook_endpoints FOR UPDATE').then(() => {}),
        );
      }
      await faults.happen(1);
      await expect.poll(() => faults.received).toHaveLength(1);
      if (!isHeld) await expect.poll(() => faults.answered()).toBe(1);
      await worker.kill();
      if (!isHeld) await client.query('COMMIT');
    });
    expect(await faults.outcome()).toEqual({ states: { pending: 1 }, arrived: 1 });
    faults.beforeAnswer(null);
    await forgetWorker();
    /* Times of a message are whole seconds. */
    await wait(1_000);
    await faults.startWorker();
    await expect.poll(faults.outcome).toEqual(allDelivered(1));
    const [first, again] = faults.received;
    expect(faults.received).toHaveLength(2);
    expect([again?.id, again?.body]).toEqual([first?.id, first?.body]);
    expect(Number(again?.timestamp)).toBeGreaterThan(Number(first?.timestamp));
  },
);

test('W14 FLUSHALL with 1,000 waiting: all are delivered', async () => {
  await faults.startWorker();
  faults.answerWith(503, { 'retry-after': '3600' });
  await faults.happen(1);
  await expect.poll(() => faults.runs('retry-webhooks')).toMatchObject([{ state: 'queued' }]);
  await faults.happen(999);
  await expect.poll(faults.outcome).toMatchObject({ states: { pending: 1_000 } });
  await expect.poll(() => faults.rows(`SELECT FROM job_runs WHERE state = 'running'`)).toEqual([]);
  const redis = new Redis(faults.redisUrl);
  await redis.flushdb();
  redis.disconnect();
  /* As if the hour were over: nobody says so, for the message that would is gone. */
  await faults.rows(`UPDATE webhook_endpoints SET wait_until = now()`);
  await faults.rows(`UPDATE job_runs SET next_at = now() WHERE job = 'retry-webhooks' AND state = 'queued'`);
  faults.answerWith(204);
  await expect.poll(faults.outcome, { interval: 500 }).toEqual(allDelivered(1_000));
});

test('W15 Redis away for 10 minutes: events are committed, and delivered when it is back', async () => {
  const clock = fakeClock(new Date().toISOString());
  const deps = faults.openWorkerDeps(clock);
  const jobs = startJobs(deps);
  try {
    await faults.happen(1, clock);
    await expect.poll(faults.outcome).toEqual(allDelivered(1));
    await faults.way.cut();
    await expect.poll(() => deps.commands.status).not.toBe('ready');
    for (let minute = 0; minute < 10; minute += 1) {
      await faults.happen(10, clock);
      clock.advance(60_000);
    }
    expect(await faults.eventIds()).toHaveLength(101);
    await faults.way.mend();
    await expect.poll(faults.outcome).toEqual(allDelivered(101));
    expect(faults.received).toHaveLength(101);
  } finally {
    await jobs.stop();
    await deps.close();
  }
});
