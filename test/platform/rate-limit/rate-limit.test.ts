import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { updateClient } from '../../../src/identity/oauth/clients/clients.ts';
import { setStanding } from '../../../src/identity/organizations/service.ts';
import { redisPrefix } from '../../../src/platform/redis/redis.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { fakeClock } from '../../setup/clock.ts';
import { createClient, createTenant, tokenFor } from '../../setup/factories.ts';
import { atOnce, counted, metric, quietRedis, waitForSharedCount } from '../counted-requests.ts';

const clock = fakeClock(new Date().toISOString());
let api: TestApi;

beforeAll(async () => {
  api = await startApi({ clock, environment: { REDIS_URL: quietRedis() } });
  await waitForSharedCount(api);
});
afterAll(() => api.close());

const staff = () => ({
  staff: 'tests',
  reason: 'test',
  command: 'test',
  now: api.deps.clock.now().toISOString(),
});

/** A bucket that does not fill up during a test. */
const slow = (burst: number) => ({ rate_per_second: 1, rate_burst: burst });

/** How many of the answers got through, and how many that could be after so much time. */
async function passed(
  amount: number,
  send: (index: number) => Promise<{ status: number }>,
  perSecond: number,
) {
  const begun = performance.now();
  const answers = await Promise.all(Array.from({ length: amount }, (_, index) => send(index)));
  const refilled = Math.ceil(((performance.now() - begun) / 1000) * perSecond);
  return { count: answers.filter((answer) => answer.status === 200).length, refilled, answers };
}

describe('the bucket of a client', () => {
  test('of 150 immediate requests with 50 a second and 100 at once about 101 pass, never more than the time allows', async () => {
    const { token } = await createTenant(api, { rate_per_second: 50, rate_burst: 100 });
    const { count, refilled } = await passed(150, () => counted(api.baseUrl, token), 50);
    expect(count).toBeGreaterThanOrEqual(100);
    expect(count).toBeLessThanOrEqual(100 + refilled);
  });

  test('is shared by all processes', async () => {
    const { config } = api.deps;
    const other = await startApi({
      clock,
      database: api.database,
      environment: {
        REDIS_URL: quietRedis(),
        BASE_URL: config.BASE_URL,
        SECRET_PEPPER: config.SECRET_PEPPER,
        ENCRYPTION_KEY: config.ENCRYPTION_KEY,
      },
    });
    try {
      const { token, client } = await createTenant(api, { rate_per_second: 5, rate_burst: 40 });
      /* The other process has to know token and Redis before it counts. */
      while (!(await counted(other.baseUrl, token)).headers.has('ratelimit-limit'));
      await forget(client.client_id);
      const urls = [api.baseUrl, other.baseUrl];
      const { count, refilled } = await passed(80, (i) => counted(urls[i % 2] ?? '', token), 5);
      expect(count).toBeGreaterThanOrEqual(40);
      expect(count).toBeLessThanOrEqual(40 + refilled);
    } finally {
      await other.close();
    }
  });

  test('a large one that gives tokens on credit has lost as many as it gave, as soon as that is paid', async () => {
    const { token } = await createTenant(api, { rate_per_second: 1, rate_burst: 10_000 });
    for (let round = 0; round < 5; round += 1) await atOnce(40, () => counted(api.baseUrl, token));
    await expect
      .poll(async () => Number((await counted(api.baseUrl, token)).headers.get('ratelimit-remaining')))
      .toBeLessThan(10_000 - 200);
    const { headers } = await counted(api.baseUrl, token);
    expect(Number(headers.get('ratelimit-remaining'))).toBeGreaterThan(10_000 - 400);
  });

  test('is the client’s own, with its own numbers', async () => {
    const { organization, token } = await createTenant(api, slow(3));
    const wide = await tokenFor(api, await createClient(api.deps, organization, slow(30)));
    await atOnce(5, () => counted(api.baseUrl, token));
    const answer = await counted(api.baseUrl, wide);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('ratelimit-limit')).toBe('30');
    expect(answer.headers.get('ratelimit-remaining')).toBe('29');
  });

  test('gets new numbers within 5 seconds', async () => {
    const { client, token } = await createTenant(api, slow(3));
    expect((await counted(api.baseUrl, token)).headers.get('ratelimit-limit')).toBe('3');
    await updateClient(api.deps.database, client.client_id, { rate_burst: 50 }, staff());
    clock.advance(5_000);
    const answer = await counted(api.baseUrl, token);
    expect(answer.headers.get('ratelimit-limit')).toBe('50');
    expect(Number(answer.headers.get('ratelimit-remaining'))).toBeGreaterThanOrEqual(48);
  });

  test('that was emptied from outside, scripts included, is a full one', async () => {
    const { client, token } = await createTenant(api, slow(2));
    await atOnce(4, () => counted(api.baseUrl, token));
    await forget(client.client_id);
    const redis = new Redis(quietRedis());
    await redis.script('FLUSH');
    redis.disconnect();
    const answer = await counted(api.baseUrl, token);
    expect([answer.status, answer.headers.get('ratelimit-remaining')]).toEqual([200, '1']);
  });

  /** As FLUSHALL would, for one client. */
  async function forget(client: string): Promise<void> {
    const redis = new Redis(quietRedis());
    await redis.del(`${redisPrefix(api.deps.config.DATABASE_URL)}:bucket:client:${client}`);
    redis.disconnect();
  }
});

describe('what a client hears', () => {
  test('every answer says limit, what is left and when it is full again; each request takes one', async () => {
    const { token } = await createTenant(api, slow(10));
    const begun = performance.now();
    for (let request = 1; request <= 4; request += 1) {
      const { headers } = await counted(api.baseUrl, token);
      const refilled = Math.ceil((performance.now() - begun) / 1000);
      expect(headers.get('ratelimit-limit')).toBe('10');
      const remaining = Number(headers.get('ratelimit-remaining'));
      expect(remaining).toBeGreaterThanOrEqual(10 - request);
      expect(remaining).toBeLessThanOrEqual(10 - request + refilled);
      const reset = Number(headers.get('ratelimit-reset'));
      expect(reset).toBeGreaterThanOrEqual(request - refilled);
      expect(reset).toBeLessThanOrEqual(request);
    }
  });

  test('429 says in the message and in Retry-After how many seconds to wait, at least 1', async () => {
    const refusals = await metric(api, 'rate_limit_refusals_total');
    const { token } = await createTenant(api, slow(2));
    const answers = await atOnce(9, () => counted(api.baseUrl, token));
    const refused = answers.filter((answer) => answer.status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(5);
    for (const { headers, body } of refused) {
      expect(headers.get('retry-after')).toBe('1');
      expect(body.message).toBe('Too many requests. Retry after 1 seconds');
      expect(body).toMatchObject({ code: 'TOO_MANY_REQUESTS', requestId: headers.get('x-request-id') });
      expect(headers.get('ratelimit-limit')).toBe('2');
      expect(headers.get('ratelimit-remaining')).toBe('0');
      expect(headers.get('cache-control')).toBe('no-store');
    }
    expect((await metric(api, 'rate_limit_refusals_total')) - refusals).toBe(refused.length);
  });

  test('answers 400, 403, 404, 405 and 402 take a token as well and say so', async () => {
    const { organization, client } = await createTenant(api);
    const readOnly = await createClient(api.deps, organization, { ...slow(50), read_only: true });
    const token = await tokenFor(api, readOnly);
    const seen: number[] = [];
    const begun = performance.now();
    const send = async (options: Parameters<typeof counted>[2]) => {
      const { status, headers } = await counted(api.baseUrl, token, options);
      seen.push(status);
      const left = Number(headers.get('ratelimit-remaining'));
      expect(left).toBeGreaterThanOrEqual(50 - seen.length);
      /* One a second comes back. */
      const refilled = Math.floor((performance.now() - begun) / 1_000);
      expect(left).toBeLessThanOrEqual(50 - seen.length + refilled);
    };
    await send({ headers: { 'x-api-version': 'nonsense' } });
    await send({ method: 'POST', path: '/assets' });
    await send({ path: '/no-such-path' });
    await send({ path: '/assets?limit=0' });
    await send({ method: 'OPTIONS', path: '/assets' });
    await send({ method: 'HEAD' });
    await setStanding(api.deps.database, organization, 'past_due', staff());
    clock.advance(5_000);
    await api.deps.changes.look();
    await send({});
    expect(seen).toEqual([400, 403, 404, 400, 405, 200, 402]);
    expect(client.client_id).not.toBe(readOnly.client_id);
  });

  test('429 comes after standing, version, path and scope, and before the body', async () => {
    const { organization } = await createTenant(api);
    const token = await tokenFor(
      api,
      await createClient(api.deps, organization, { ...slow(1), read_only: true }),
    );
    await atOnce(20, () => counted(api.baseUrl, token));
    const status = async (options: Parameters<typeof counted>[2]) =>
      (await counted(api.baseUrl, token, options)).status;
    expect(await status({ headers: { 'x-api-version': 'nonsense' } })).toBe(400);
    expect(await status({ path: '/no-such-path' })).toBe(404);
    expect(await status({ method: 'DELETE', path: '/assets' })).toBe(405);
    expect(await status({ method: 'POST', path: '/assets' })).toBe(403);
    const refused = await atOnce(3, () => counted(api.baseUrl, token, { path: '/assets?limit=0' }));
    expect(refused.map((answer) => answer.status)).toContain(429);

    const writer = await tokenFor(api, await createClient(api.deps, organization, slow(1)));
    await atOnce(20, () => counted(api.baseUrl, writer));
    const bodies = await Promise.all(
      Array.from({ length: 3 }, () =>
        fetch(`${api.baseUrl}/assets`, {
          method: 'POST',
          headers: { authorization: `Bearer ${writer}`, 'x-api-version': '2026-09-08.gauss' },
          body: '{ not json',
        }),
      ),
    );
    expect(bodies.map((answer) => answer.status)).toContain(429);
  });

  test('HEAD is refused as GET is, without a body', async () => {
    const { token } = await createTenant(api, slow(1));
    const answers = await atOnce(4, () => counted(api.baseUrl, token, { method: 'HEAD' }));
    const refused = answers.filter((answer) => answer.status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(2);
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
    expect(refused[0]?.body).toEqual({});
  });

  test('without a good token, and on public routes, nothing is counted and no header says so', async () => {
    for (const [path, token] of [
      ['/livez', undefined],
      ['/openapi.2026-09-08.gauss.json', undefined],
      ['/assets', 'not.a.token'],
    ] as const) {
      const response = await fetch(`${api.baseUrl}${path}`, {
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      });
      await response.body?.cancel();
      expect([...response.headers.keys()].filter((name) => name.startsWith('ratelimit'))).toEqual([]);
    }
  });
});
