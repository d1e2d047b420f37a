import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Queue, type Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { dataFolder } from '../../scripts/data-folder.mjs';
import { resetLocalServices, startLocalServices, stopLocalServices } from '../../scripts/local-services.ts';
import { type JobQueue, openJobQueue, openQueueWorker, queuePrefix } from '../../src/platform/jobs/queue.ts';
import { openRedis } from '../../src/platform/redis/redis.ts';
import { daysBetween } from '../../src/spot-prices/calendar.ts';
import { formulaCents, PriceRun } from '../spot-prices/price-run.ts';
import { PriceOperation, ticksBetween } from './price-operation.ts';

/*
 * The queue on a real server that is emptied while runs wait in it, and stopped and started again. Where the tests have
 * no private servers it is emptied only.
 */
const START = '2026-10-24T09:00:00Z';
const run = new PriceRun({ at: START });
const isPrivate = inject('servers').arePrivate;
const folder = join(dataFolder, `test-prices-${randomBytes(4).toString('hex')}`);

let redisUrl: string;
let commands: Redis;
let work: Redis;
let queue: JobQueue;
/** The same queue, looked into. */
let messages: Queue;
let worker: Worker | undefined;
let operation: PriceOperation;

const startServer = () => startLocalServices({ folder, needs: { redis: true } });

beforeAll(async () => {
  redisUrl = isPrivate ? (await startServer()).redis.adminUrl : run.redisUrl;
  commands = openRedis({ url: redisUrl, use: 'commands', connectionName: 'prices', onStateChange: () => {} });
  work = openRedis({ url: redisUrl, use: 'work', connectionName: 'prices-work', onStateChange: () => {} });
  await once(commands, 'ready');
  operation = new PriceOperation(run);
  const prefix = queuePrefix(run.deps.config.DATABASE_URL);
  queue = openJobQueue({ connect: () => commands, prefix, clock: run.clock, onError: () => {} });
  messages = new Queue('runs', { connection: commands, prefix });
  messages.on('error', () => {});
});

afterAll(async () => {
  await worker?.close(true);
  await queue?.close();
  await messages?.close();
  commands?.disconnect();
  work?.disconnect();
  if (!isPrivate) return;
  await resetLocalServices(folder);
  await rm(folder, { recursive: true, force: true });
});

async function openWorker(): Promise<void> {
  worker = await openQueueWorker({
    redis: work,
    prefix: queuePrefix(run.deps.config.DATABASE_URL),
    concurrency: 4,
    work: operation.processor.work,
    onError: () => {},
  });
  void worker.run().catch(() => {});
}

/** Runs that are due and not through. */
const waiting = async () =>
  (
    await run.rows(`SELECT FROM job_runs WHERE state = 'running' OR (state = 'queued' AND next_at <= $1)`, [
      run.clock.now(),
    ])
  ).length;
const untilThrough = () => expect.poll(waiting, { interval: 10 }).toBe(0);

/** From moment to moment by the real queue. */
async function workUntil(instant: string): Promise<void> {
  for (
    let next = await operation.nextMoment();
    next <= Date.parse(instant);
    next = await operation.nextMoment()
  ) {
    const now = run.clock.nowMilliseconds();
    if (next > now) run.clock.advance(next - now);
    await operation.round(queue);
    await untilThrough();
  }
  run.clock.set(instant);
}

async function empty(): Promise<void> {
  const admin = new Redis(redisUrl);
  if (isPrivate) await admin.flushall();
  else await admin.flushdb();
  admin.disconnect();
}

test('F18 F17 the queue is emptied and its server restarted in the middle: nothing is missed, nothing comes twice', async () => {
  await operation.start();
  await openWorker();
  await workUntil('2026-10-24T10:50:00Z');

  /* Told, and lost before a worker hears of it: the auction's first minutes. */
  await worker?.close();
  await workless('2026-10-24T11:02:00Z');
  expect(await messages.getWaitingCount()).toBeGreaterThan(0);
  await empty();
  expect(await messages.getWaitingCount()).toBe(0);
  await openWorker();
  run.clock.advance(30_000);
  await operation.round(queue);
  await untilThrough();
  await workUntil('2026-10-24T15:00:00Z');

  if (isPrivate) {
    await worker?.close(true);
    await stopLocalServices(folder, { redis: true });
    run.clock.advance(30 * 60_000);
    await expect(operation.round(queue)).rejects.toThrow();
    await startServer();
    await expect.poll(() => commands.status).toBe('ready');
    await empty();
    await openWorker();
  }
  await workUntil('2026-10-25T13:30:00Z');

  const days = daysBetween('2026-10-24', '2026-10-26');
  for (const day of days)
    expect({ day, cents: await run.servedCents(day) }).toEqual({ day, cents: formulaCents(day) });
  expect(await run.rows(`SELECT FROM price_revisions WHERE revision > 1`)).toEqual([]);
  await expectEveryTickOnce();
});

/** Rows are made and messages sent, and nobody works. */
async function workless(instant: string): Promise<void> {
  while (run.clock.nowMilliseconds() < Date.parse(instant)) {
    run.clock.advance(30_000);
    await operation.round(queue);
  }
}

/** Of the lines that owe a run for every moment; the others owe the newest one. */
async function expectEveryTickOnce(): Promise<void> {
  const rows = await run.rows<{ schedule: string; due: string; state: string }>(
    `SELECT schedule, to_char(due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS due, state
       FROM job_runs ORDER BY due_at`,
  );
  expect(rows.filter((row) => row.state !== 'done')).toEqual([]);
  const [from, until] = [Date.parse(START), run.clock.nowMilliseconds()];
  for (const line of operation.lines) {
    const made = rows.filter((row) => row.schedule === line.id).map((row) => row.due);
    const ticks = ticksBetween(line, from, until);
    expect(new Set(made).size).toBe(made.length);
    if (line.catchUp === 'all') expect({ id: line.id, made }).toEqual({ id: line.id, made: ticks });
    if (ticks.length > 0)
      expect({ id: line.id, made }).toEqual({ id: line.id, made: expect.arrayContaining(ticks.slice(-1)) });
  }
}
