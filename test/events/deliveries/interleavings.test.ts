import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { serveHealthy } from '../../../src/events/deliveries/serve.ts';
import { fanOutEvent } from '../../../src/events/fan-out.ts';
import type { Database } from '../../../src/platform/database/db.ts';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { type TestReceiver, testReceiver } from '../requests/receiver.ts';
import { DeliveryFixture, type TestWorker } from './delivery-fixture.ts';

/* The orders in which fan-out and runs can meet, one by one: each test holds a transaction just before its commit. */
const fixture = new DeliveryFixture();
let worker: TestWorker;
let receiver: TestReceiver;
let answering: Promise<void> = Promise.resolve();

beforeAll(async () => {
  await fixture.open();
  worker = fixture.worker({ connections: 12 });
  receiver = await testReceiver((_request, response) => {
    void answering.then(() => response.end());
  });
});
afterAll(async () => {
  await fixture.close();
  await receiver?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  answering = Promise.resolve();
  receiver.requests.length = 0;
  await fixture.empty();
});

const ids = () => receiver.requests.map(({ headers }) => String(headers['webhook-id']));

/** A database whose next transaction that fits stops before its commit, until it is let go. */
function held(database: Database, fits: (result: unknown) => boolean) {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let isHeld = false;
  const holding: Database = {
    ...database,
    inOrganization: (tenant, work) =>
      database.inOrganization(tenant, async (connection) => {
        const result = await work(connection);
        if (isHeld || !fits(result)) return result;
        isHeld = true;
        reached.resolve();
        await gate.promise;
        return result;
      }),
  };
  return { database: holding, reached: reached.promise, letGo: gate.resolve };
}

const run = (id: number, endpoint: string) => {
  const { signal } = new AbortController();
  const log = createLogger({ level: 'silent', name: 'test' });
  const { organization } = fixture;
  return { id, payload: { endpoint }, organization, signal, closing: signal, log };
};

/** The newest event, which nobody fans out but the test. */
async function newEvent(): Promise<string> {
  await fixture.record();
  await fixture.rows(`DELETE FROM job_runs WHERE job = 'fan-out-event'`);
  const [event] = await fixture.rows<{ id: string }>('SELECT id FROM events ORDER BY position DESC LIMIT 1');
  return event?.id ?? '';
}

/** No run but those of the test may find what it leaves behind. */
async function removeRuns(): Promise<void> {
  await fixture.rows('UPDATE webhook_endpoints SET asked_run = NULL, asked_at = NULL');
  await fixture.rows('DELETE FROM job_runs');
}

const fanOut = (event: string, database: Database = fixture.database) =>
  fanOutEvent({ database, clock: fixture.clock }, { payload: { event }, organization: fixture.organization });

const waitsForLock = async () =>
  (
    await fixture.rows(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
  ).length > 0;

test('a fan-out that relies on the run that serves: the run does not end before it has seen what is new', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  const first = await newEvent();
  await fanOut(first);
  await removeRuns();
  const answers = Promise.withResolvers<void>();
  answering = answers.promise;
  let hasEnded = false;
  const serving = serveHealthy(worker.deps, run(1, endpoint)).finally(() => {
    hasEnded = true;
  });
  await expect.poll(() => ids().length).toBe(1);
  const second = await newEvent();
  const holding = held(fixture.database, () => true);
  const fanning = fanOut(second, holding.database);
  await holding.reached;
  answers.resolve();
  /* The end of the run: either it waits for the fan-out, or it ends without having seen what is new. */
  await expect.poll(async () => hasEnded || (await waitsForLock())).toBe(true);
  holding.letGo();
  await Promise.all([fanning, serving]);
  await worker.work();
  expect(ids()).toEqual([first, second]);
});

test('a fan-out that meets the end of a run asks for another one', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  const first = await newEvent();
  await fanOut(first);
  await removeRuns();
  const isEnd = (result: unknown) => (result as { isOver?: boolean }).isOver === true;
  const holding = held(worker.deps.database, isEnd);
  const serving = serveHealthy({ ...worker.deps, database: holding.database }, run(1, endpoint));
  await holding.reached;
  const second = await newEvent();
  let hasEnded = false;
  const fanning = fanOut(second).finally(() => {
    hasEnded = true;
  });
  await expect.poll(async () => hasEnded || (await waitsForLock())).toBe(true);
  holding.letGo();
  await Promise.all([fanning, serving]);
  await worker.work();
  expect(ids()).toEqual([first, second]);
});

test('a fan-out during the claim of a run asks for none: that run has not read yet what is new', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  await fanOut(await newEvent());
  await fixture.rows(`UPDATE job_runs SET state = 'running', heartbeat_at = now()`);
  await fanOut(await newEvent());
  expect(await fixture.rows('SELECT 1 FROM job_runs')).toHaveLength(1);
  const [{ id } = { id: 0 }] = await fixture.rows<{ id: string }>('SELECT id FROM job_runs');
  await serveHealthy(worker.deps, run(Number(id), endpoint));
  expect(ids()).toHaveLength(2);
  expect(await fixture.endpoint(endpoint)).toMatchObject({ asked_run: null, served_by: null });
});

test('of two runs of one endpoint one works, and the other ends at once', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  await fanOut(await newEvent());
  const answers = Promise.withResolvers<void>();
  answering = answers.promise;
  const serving = serveHealthy(worker.deps, run(1, endpoint));
  await expect.poll(() => ids().length).toBe(1);
  expect(await serveHealthy(worker.deps, run(2, endpoint))).toMatchObject({ delivered: 0 });
  answers.resolve();
  expect(await serving).toMatchObject({ delivered: 1 });
  expect(ids()).toHaveLength(1);
});

test('a run that is begun again goes on at once, and its first owner writes no second end', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  const event = await newEvent();
  await fanOut(event);
  const answers = Promise.withResolvers<void>();
  answering = answers.promise;
  const silent = serveHealthy(worker.deps, run(1, endpoint));
  await expect.poll(() => ids().length).toBe(1);
  answering = Promise.resolve();
  expect(await serveHealthy(worker.deps, run(1, endpoint))).toMatchObject({ delivered: 1 });
  answers.resolve();
  expect(await silent).toMatchObject({ delivered: 0 });
  expect(ids()).toEqual([event, event]);
  expect(await fixture.deliveries()).toMatchObject([{ state: 'delivered', attempts_in_all: 1 }]);
});

test('a lease that nobody renews ends after 90 seconds, and one from the future counts for nothing', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  for (const servedAt of [`now() - interval '91 seconds'`, `now() + interval '10 minutes'`]) {
    await fanOut(await newEvent());
    await fixture.rows(`UPDATE webhook_endpoints SET served_by = 77, served_at = ${servedAt}`);
    expect(await serveHealthy(worker.deps, run(1, endpoint))).toMatchObject({ delivered: 1 });
  }
  await fanOut(await newEvent());
  await fixture.rows(
    `UPDATE webhook_endpoints SET served_by = 77, served_at = now() - interval '80 seconds'`,
  );
  expect(await serveHealthy(worker.deps, run(1, endpoint))).toMatchObject({ delivered: 0 });
});

test('an endpoint that fails again and again while events come has one run waiting, not one for each', async () => {
  const refusing = await testReceiver((_request, response) => void response.writeHead(500).end());
  await fixture.addEndpoint({ url: refusing.url });
  for (let round = 0; round < 20; round += 1) {
    await fixture.record();
    await worker.work();
  }
  const waiting = await fixture.rows(`SELECT job FROM job_runs WHERE state = 'queued'`);
  expect(waiting).toEqual([{ job: 'retry-webhooks' }]);
  await refusing[Symbol.asyncDispose]();
});
