import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWireApp, type WireApp } from '../wire-app.ts';

const METRICS_TOKEN = 'metrics-token-of-this-test';
let reasons: string[] = [];
let wire: WireApp;
beforeAll(async () => {
  wire = await startWireApp({ environment: { METRICS_TOKEN }, reasons: () => reasons });
});
afterAll(() => wire.close());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${wire.baseUrl}${path}`, { headers });

describe('health', () => {
  test.each(['/health', '/livez'])('%s is OK whatever else is wrong, and is never cached', async (path) => {
    reasons = ['Database: not reachable'];
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe('OK');
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('/readyz says why this process should get no work', async () => {
    reasons = [];
    const ready = await get('/readyz');
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready', reasons: [] }]);
    reasons = ['Database: not reachable', 'The process is closing'];
    const notReady = await get('/readyz');
    expect([notReady.status, await notReady.json()]).toEqual([503, { status: 'not_ready', reasons }]);
  });
});

describe('metrics', () => {
  /** From this machine, without a forwarding header. */
  async function statusOf(environment: Record<string, string>, headers: Record<string, string> = {}) {
    const here = await startWireApp({ environment });
    try {
      return await new Promise((resolve, reject) => {
        const request = httpRequest({ port: here.port, path: '/metrics', headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        request.on('error', reject);
        request.end();
      });
    } finally {
      await here.close();
    }
  }

  test('are read from the machine itself where the service is reached from this machine only', async () => {
    expect(await statusOf({})).toBe(200);
    expect(await statusOf({ BASE_URL: 'http://localhost:4300' }, { host: 'localhost:4300' })).toBe(200);
    expect(await statusOf({ BASE_URL: 'http://[::1]:4300' }, { host: '[::1]:4300' })).toBe(200);
  });

  test('are not read by a neighbour who may be a proxy that sends no forwarding header', async () => {
    expect(await statusOf({ BASE_URL: 'http://energy.example.org' })).toBe(401);
    expect(await statusOf({}, { host: 'energy.example.org' })).toBe(401);
    expect(await statusOf({}, { host: '127.0.0.1.example.org' })).toBe(401);
    expect(await statusOf({}, { host: 'a b' })).toBe(401);
    expect(await statusOf({ METRICS_TOKEN })).toBe(401);
  });

  test.each(['forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'via'])(
    'are not read through a proxy on the machine (%s)',
    async (header) => expect(await statusOf({}, { [header]: 'for=192.0.2.1' })).toBe(401),
  );

  test('are read with the token from anywhere, and with no other one', async () => {
    const through = { 'x-forwarded-for': '192.0.2.1' };
    const authorization = `Bearer ${METRICS_TOKEN}`;
    const answer = await get('/metrics', { ...through, authorization });
    expect([answer.status, await answer.text()]).toEqual([200, 'up 1\n']);
    for (const wrong of [`${authorization}x`, METRICS_TOKEN, '']) {
      const refused = await get('/metrics', { ...through, authorization: wrong });
      expect(refused.status).toBe(401);
      expect(refused.headers.get('www-authenticate')).toBe('Bearer');
      expect(await refused.json()).toMatchObject({ code: 'UNAUTHORIZED' });
    }
  });
});

describe('closing', () => {
  test('an answer given while the service closes ends its connection, and closing does not wait for idle ones', async () => {
    const closing = await startWireApp();
    const release = closing.holdBatches();
    const answered = new Promise<{ status: number | undefined; connection: string | undefined }>(
      (resolve, reject) => {
        const request = httpRequest(
          {
            port: closing.port,
            method: 'POST',
            path: '/batches',
            headers: {
              authorization: 'Bearer good-token',
              'content-type': 'application/json',
              connection: 'keep-alive',
            },
          },
          (response) => {
            response.resume();
            resolve({ status: response.statusCode, connection: response.headers.connection });
          },
        );
        request.on('error', reject);
        request.end('{"rows":[]}');
      },
    );
    await expect.poll(() => closing.room.bytesTaken).toBeGreaterThan(0);
    const startedAt = performance.now();
    const closed = closing.close();
    await expect.poll(() => closing.app.server.listening).toBe(false);
    release();
    expect(await answered).toEqual({ status: 200, connection: 'close' });
    await closed;
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});
