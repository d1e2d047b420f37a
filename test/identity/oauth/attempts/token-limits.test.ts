import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { logLines, metric, quietRedis, waitForSharedCount } from '../../../platform/counted-requests.ts';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { fakeClock } from '../../../setup/clock.ts';
import { storedRows } from '../../../setup/stored-rows.ts';
import {
  basic,
  registeredClient,
  requestToken,
  type TestClient,
  type TokenAnswer,
} from '../token-requests.ts';
import { authorizeUrl, REDIRECT_URI, Visitor } from '../visitor.ts';

const clock = fakeClock('2026-11-20T10:00:00.000Z');
const lines = logLines();
let api: TestApi;

/* Each test sends as from an address of its own: limits of addresses would meet otherwise. */
let host = 0;
const newAddress = () => {
  host += 1;
  return { 'x-forwarded-for': `10.7.${host >> 8}.${host & 255}` };
};

beforeAll(async () => {
  api = await startApi({
    clock,
    log: lines.log,
    environment: {
      REDIS_URL: quietRedis(),
      TRUSTED_PROXIES: '127.0.0.1',
      TOKEN_REQUESTS_PER_SECOND: '5',
      TOKEN_REQUESTS_BURST: '20',
      TOKEN_FAILURES_MAX: '10',
      TOKEN_FAILURES_OF_ADDRESS_MAX: '100',
      TOKEN_FAILURES_ALARM: '30',
    },
  });
  await waitForSharedCount(api);
});
afterAll(() => api.close());

const credentials = { grant_type: 'client_credentials' };

function ask(
  client: Pick<TestClient, 'id' | 'secret'>,
  headers: Record<string, string>,
): Promise<TokenAnswer> {
  return requestToken(api.baseUrl, credentials, { authorization: basic(client), headers });
}

const wrong = (client: TestClient) => ({ ...client, secret: `${client.secret.slice(0, -1)}_` });

/** One after the other, at a pace that the endpoint's own bucket allows. */
async function failures(amount: number, client: TestClient, headers: () => Record<string, string>) {
  const statuses: number[] = [];
  for (let attempt = 0; attempt < amount; attempt += 1) {
    const from = headers();
    let answer = await ask(wrong(client), from);
    while (answer.status === 429 && answer.headers.get('retry-after') === '1') {
      answer = await ask(wrong(client), from);
    }
    statuses.push(answer.status);
  }
  return statuses;
}

const FAST = 'Too many requests';
const GUESSED =
  'Too many wrong secrets or dead tokens came from this address within a minute (10 for one client, or 100 in all): the right one has to wait as well';

function expectSlowDown(answer: TokenAnswer, because = GUESSED): number {
  expect(answer.status).toBe(429);
  const seconds = Number(answer.headers.get('retry-after'));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(answer.body).toMatchObject({
    code: 'TOO_MANY_REQUESTS',
    error: 'slow_down',
    message: `${because}. Retry after ${seconds} seconds`,
    error_description: `${because}. Retry after ${seconds} seconds`,
    requestId: answer.headers.get('x-request-id'),
  });
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('www-authenticate')).toBeNull();
  return seconds;
}

describe('guessing secrets', () => {
  test('T17 after 10 wrong secrets in a minute further attempts wait and hear why, then the right one works; others go on', async () => {
    const client = await registeredClient(api.deps);
    const neighbour = await registeredClient(api.deps, {}, client.organization);
    const address = newAddress();
    expect(await failures(10, client, () => address)).toEqual(Array.from({ length: 10 }, () => 401));
    expectSlowDown(await ask(wrong(client), address));
    expect(expectSlowDown(await ask(client, address))).toBe(60);
    expect((await ask(neighbour, address)).status).toBe(200);
    expect((await ask(client, newAddress())).status).toBe(200);
    clock.advance(60_000);
    expect((await ask(client, address)).status).toBe(200);
  });

  test('T17 whoever goes on after the wait has one attempt each time, and the waits grow', async () => {
    const client = await registeredClient(api.deps);
    const address = newAddress();
    await failures(10, client, () => address);
    const waits: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const seconds = expectSlowDown(await ask(client, address));
      waits.push(seconds);
      clock.advance(seconds * 1000);
      expect((await ask(wrong(client), address)).status).toBe(401);
    }
    expect(waits).toEqual([60, 120, 240]);
  });

  test('100 failures from one address close it for every client, known or not', async () => {
    const address = newAddress();
    const client = await registeredClient(api.deps);
    for (let number = 0; number < 10; number += 1) {
      const other = await registeredClient(api.deps, {}, client.organization);
      for (let failure = 0; failure < 10; failure += 1) {
        expect((await ask(wrong(other), address)).status).toBe(401);
      }
    }
    expect(expectSlowDown(await ask(client, address))).toBeGreaterThan(1);
    expect((await ask(client, newAddress())).status).toBe(200);
  });

  test('many failures for one client raise an alarm that names it, and never lock it', async () => {
    const client = await registeredClient(api.deps);
    const alarms = await metric(api, 'token_failure_alarms_total');
    await failures(29, client, newAddress);
    expect(await metric(api, 'token_failure_alarms_total')).toBe(alarms);
    await failures(3, client, newAddress);
    expect(await metric(api, 'token_failure_alarms_total')).toBe(alarms + 1);
    const said = lines
      .text()
      .split('\n')
      .filter((line) => line.includes('many wrong secrets for one client'));
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(client.id);
    let answer = await ask(client, newAddress());
    while (answer.status === 429) answer = await ask(client, newAddress());
    expect(answer.status).toBe(200);
  });

  test('revocation and introspection are no way around it', async () => {
    const client = await registeredClient(api.deps);
    for (const path of ['/oauth/revoke', '/oauth/introspect']) {
      const address = newAddress();
      const send = (secret: string) =>
        fetch(`${api.baseUrl}${path}`, {
          method: 'POST',
          headers: { authorization: basic({ ...client, secret }), ...address },
          body: new URLSearchParams({ token: 'x' }),
        });
      for (let attempt = 0; attempt < 10; attempt += 1) expect((await send('wrong')).status).toBe(401);
      const refused = await send(client.secret);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
      expect(await refused.json()).toMatchObject({ error: 'slow_down' });
      expectSlowDown(await ask(client, address));
    }
  });

  test('an attempt that was turned away leaves no line in the audit log', async () => {
    const client = await registeredClient(api.deps);
    const address = newAddress();
    await failures(10, client, () => address);
    const refused = await Promise.all(Array.from({ length: 20 }, () => ask(wrong(client), address)));
    for (const answer of refused) expectSlowDown(answer);
    const rows = await storedRows<{ result: string }>(
      api,
      "SELECT result FROM audit_log WHERE client_id = $1 AND act = 'token.issue'",
      [client.id],
    );
    expect(rows).toHaveLength(10);
  });
});

describe('the bucket of the token endpoint', () => {
  test('T18 of 50 requests at once those beyond 20 are 429 slow_down, and another client goes on', async () => {
    const client = await registeredClient(api.deps);
    const address = newAddress();
    const begun = performance.now();
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(client, address)));
    const refilled = Math.ceil(((performance.now() - begun) / 1000) * 5);
    const passed = answers.filter((answer) => answer.status === 200);
    expect(passed.length).toBeGreaterThanOrEqual(20);
    expect(passed.length).toBeLessThanOrEqual(20 + refilled);
    expect(new Set(passed.map((answer) => answer.body.access_token)).size).toBe(passed.length);
    for (const answer of answers.filter((attempt) => attempt.status !== 200)) expectSlowDown(answer, FAST);
    const other = await registeredClient(api.deps, {}, client.organization);
    expect((await ask(other, address)).status).toBe(200);
  });

  test('requests that are not valid take none: they are refused for what they are', async () => {
    const address = newAddress();
    const client = await registeredClient(api.deps);
    const answers = await Promise.all(
      Array.from({ length: 40 }, () =>
        requestToken(
          api.baseUrl,
          { grant_type: 'password' },
          { authorization: basic(client), headers: address },
        ),
      ),
    );
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([400]));
    expect((await ask(client, address)).status).toBe(200);
  });
});

describe('the bucket of the authorize endpoint', () => {
  test('an address that begins too many authorizations waits, told by a page or as JSON; others go on', async () => {
    const client = await registeredClient(api.deps, { redirect_uris: [REDIRECT_URI] });
    const address = newAddress();
    /* Empty for an hour: what the bucket holds is the instant at which it is full again. */
    const fullAt = (Date.now() + 3_600_000) * 1_000;
    await api.deps.redis.ask((redis, prefix) =>
      redis.set(`${prefix}:bucket:oauth-authorize:${address['x-forwarded-for']}`, fullAt),
    );
    const begin = (accept: string, from: Record<string, string>) =>
      new Visitor('en', from).open(authorizeUrl(api, { client_id: client.id }), { headers: { accept } });
    const page = await begin('text/html', address);
    const json = await begin('application/json', address);
    for (const refused of [page, json]) {
      expect([refused.status, refused.headers.get('location')]).toEqual([429, null]);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    expect(page.text).toContain('Too many attempts');
    expect(JSON.parse(json.text)).toMatchObject({ code: 'TOO_MANY_REQUESTS', error: 'slow_down' });
    expect((await begin('text/html', newAddress())).status).toBe(302);
  });
});
