import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../setup/api.ts';
import { addressOf, startApiProcess } from '../setup/api-process.ts';
import { createTestDatabase } from '../setup/database.ts';
import { createTenant } from '../setup/factories.ts';
import { takeTestRedis } from '../setup/redis.ts';
import type { ServiceProcess } from '../setup/service-process.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { memberPids, OF_SIZE } from './process-group.ts';

/*
 * The API as a process of its own, on the same database and keys as the service inside this test, which only makes
 * tenants and tokens. Redis is away all the time.
 */

const REDIS_AWAY = 'redis://127.0.0.1:1';
let api: TestApi;
let token: string;
const running: ServiceProcess[] = [];

beforeAll(async () => {
  api = await startApi();
  ({ token } = await createTenant(api));
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.kill()));
});

afterAll(() => api.close());

function start(changes: Record<string, string> = {}): ServiceProcess {
  const started = startApiProcess(api, {
    REDIS_URL: REDIS_AWAY,
    /* On a busy machine it would turn requests away: not what is asked for here. */
    OVERLOAD_EVENT_LOOP_DELAY_MILLISECONDS: '60000',
    ...changes,
  });
  running.push(started);
  return started;
}

const get = (url: string) =>
  fetch(url, { headers: { authorization: `Bearer ${token}`, 'x-api-version': '2026-09-08.gauss' } });

test('F16 Redis away: tokens, reads and health go on', async () => {
  const url = await addressOf(start());
  expect((await get(`${url}/households`)).status).toBe(200);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
});

test.each([
  ['one process stands', () => start()],
  ['two processes at one port stand', async () => start({ ...OF_SIZE, REDIS_URL: await takeTestRedis() })],
])(
  'a thousand gateways that come while %s still are let in: none waits until it tries again',
  async (_, begin) => {
    const started = await begin();
    const { hostname, port } = new URL(await addressOf(started));
    const all = [started.pid, ...memberPids(started)];
    for (const pid of all) process.kill(pid, 'SIGSTOP');
    const sockets = Array.from({ length: 1_000 }, () => connect(Number(port), hostname));
    try {
      await expect.poll(() => sockets.filter(({ readyState }) => readyState === 'open').length).toBe(1_000);
    } finally {
      for (const pid of all) process.kill(pid, 'SIGCONT');
    }
    for (const socket of sockets) socket.destroy();
  },
);

test('SIGTERM: the process ends with 0 although connections are kept alive', async () => {
  const started = start();
  const url = await addressOf(started);
  await get(`${url}/households`);
  const startedAt = performance.now();
  started.child.kill('SIGTERM');
  expect(await started.ended).toEqual({ code: 0, signal: null });
  expect(performance.now() - startedAt).toBeLessThan(20_000);
  await expect(fetch(`${url}/livez`)).rejects.toThrow();
});

test('readiness goes off at once, requests are served until the delay is over', async () => {
  const started = start({ SHUTDOWN_DELAY_SECONDS: '10' });
  const url = await addressOf(started);
  started.child.kill('SIGTERM');
  await started.line('shutdown begins');
  const ready = await fetch(`${url}/readyz`);
  expect(ready.status).toBe(503);
  expect(await ready.json()).toMatchObject({
    reasons: expect.arrayContaining(['The process is closing']),
  });
  expect((await get(`${url}/households`)).status).toBe(200);
  expect(await started.ended).toEqual({ code: 0, signal: null });
});

/** A request whose body never comes to its end keeps the server from closing. */
async function openEndlessRequest(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  const continued = new Promise<void>((resolve) => socket.once('data', () => resolve()));
  socket.write(
    `POST /asset-snapshots HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n` +
      'X-API-Version: 2026-09-08.gauss\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n' +
      'Content-Length: 1000\r\n\r\n',
  );
  await continued;
  socket.write('{"household":');
}

test('F27 SIGTERM twice: the second one ends the process on the spot', async () => {
  const started = start();
  await openEndlessRequest(await addressOf(started));
  started.child.kill('SIGTERM');
  await started.line('shutdown begins');
  const startedAt = performance.now();
  started.child.kill('SIGTERM');
  expect((await started.ended).code).toBe(130);
  /* Otherwise the endless request holds it until it is given up after 25 seconds. */
  expect(performance.now() - startedAt).toBeLessThan(20_000);
});

test.each([0, 150, 300, 450, 600])(
  'F27 SIGTERM %i ms after the start leaves no half-started server',
  async (delay) => {
    const started = start();
    const timer = setTimeout(() => started.child.kill('SIGTERM'), delay);
    const { code, signal } = await started.ended;
    clearTimeout(timer);
    expect(signal === 'SIGTERM' || code === 0).toBe(true);
  },
);

test('F32 a database that cannot be reached: one line, no crash, ends on SIGTERM', async () => {
  const started = start({ DATABASE_URL: 'postgres://voltstream_app:canary-password@127.0.0.1:1/none' });
  const line = await started.line(/^DATABASE_URL leads to 127\.0\.0\.1:1, which cannot be used/);
  expect(String(line.msg)).toContain('ECONNREFUSED');
  expect(JSON.stringify(started.lines)).not.toContain('canary-password');
  started.child.kill('SIGTERM');
  expect((await started.ended).code).toBe(0);
});

test('Redis and a mail server that cannot be reached are named with variable, host and port, and the API starts', async () => {
  const started = start({
    REDIS_URL: 'redis://:canary-password@127.0.0.1:1',
    SMTP_URL: 'smtp://user:canary-password@127.0.0.1:2',
  });
  /* On a busy machine the process may look at the answer behind its own limit. */
  await started.line(
    /REDIS_URL leads to 127\.0\.0\.1:1, which cannot be used \(connect E(CONNREFUSED|TIMEDOUT)/,
  );
  await started.line(
    /SMTP_URL leads to 127\.0\.0\.1:2, which cannot be used \((connect ECONNREFUSED|Connection timeout)/,
  );
  await started.line('API ready');
  expect(JSON.stringify(started.lines)).not.toContain('canary-password');
  started.child.kill('SIGTERM');
  expect((await started.ended).code).toBe(0);
});

test('a wrong password or an unknown database: refused with that sentence, not waited for', async () => {
  const wrong = api.database.appUrl.replace(/:[^:@/]+@/, ':canary-password@');
  const unknown = new URL(api.database.appUrl);
  unknown.pathname = '/voltstream_nowhere';
  for (const [url, reason] of [
    [wrong, 'password authentication failed for user'],
    [unknown.href, 'voltstream_nowhere'],
  ] as const) {
    const started = start({ DATABASE_URL: url });
    const failed = JSON.stringify(await started.line('start failed'));
    expect(failed).toContain('The database refuses the sign-in');
    expect(failed).toContain(reason);
    expect(failed).not.toMatch(/busy|canary-password/);
    expect((await started.ended).code).toBe(1);
  }
});

test('a database without the schema: refused, with the command that mends it', async () => {
  const empty = await createTestDatabase({ empty: true });
  try {
    const started = start({ DATABASE_URL: empty.appUrl });
    expect((await started.ended).code).toBe(1);
    expect(JSON.stringify(started.lines)).toMatch(/npm run db/);
  } finally {
    await running[0]?.kill();
    await empty.drop();
  }
});

test('another ENCRYPTION_KEY than that of the stored keys: refused, because no token could be signed', async () => {
  const started = start({ ENCRYPTION_KEY: 'x'.repeat(43) });
  const failed = JSON.stringify(await started.line('start failed'));
  expect(failed).toMatch(/ENCRYPTION_KEY does not open the signing key \S+: set the one of before/);
  expect((await started.ended).code).toBe(1);
});

test('prices of another kind than the database holds: refused, because they would never be stored', async () => {
  const invented = await createTestDatabase();
  try {
    await storedRows({ database: invented }, "INSERT INTO price_kind (kind) VALUES ('synthetic')");
    const started = start({ DATABASE_URL: invented.appUrl });
    expect(JSON.stringify(await started.line('start failed'))).toMatch(
      /give local prices, and this database holds synthetic ones for good/,
    );
    expect((await started.ended).code).toBe(1);
  } finally {
    await running[0]?.kill();
    await invented.drop();
  }
});

test('an incomplete configuration: every problem at once, nothing else', async () => {
  const started = start({ SECRET_PEPPER: '', PORT: 'http', INGEST_GROUP_ROWS: '5' });
  expect((await started.ended).code).toBe(1);
  expect(started.errors()).toContain('SECRET_PEPPER is missing');
  expect(started.errors()).toContain('PORT');
  expect(started.errors()).toContain('INGEST_GROUP_ROWS is not a variable of this service');
  expect(started.errors()).not.toContain('    at ');
});
