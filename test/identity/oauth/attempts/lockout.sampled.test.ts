import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../../src/platform/ids.ts';
import { quietRedis, waitForSharedCount } from '../../../platform/counted-requests.ts';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { fakeClock } from '../../../setup/clock.ts';
import { isLongTier, sampled } from '../../../setup/tier.ts';
import { basic, registeredClient, requestToken, type TestClient, tokensOf } from '../token-requests.ts';
import { REDIRECT_URI } from '../visitor.ts';

const clock = fakeClock('2026-11-20T10:00:00.000Z');
let api: TestApi;

/* Another network each time: limits of one would meet otherwise. */
let host = 0;
const newNetwork = () => {
  host += 1;
  return { 'x-forwarded-for': `10.9.${host >> 8}.${host & 255}` };
};

beforeAll(async () => {
  const environment = {
    REDIS_URL: quietRedis(),
    TRUSTED_PROXIES: '127.0.0.1',
    TOKEN_REQUESTS_PER_SECOND: '1',
    TOKEN_REQUESTS_BURST: '20',
    TOKEN_FAILURES_MAX: '10',
    TOKEN_FAILURES_OF_ADDRESS_MAX: '100',
    DATABASE_CONNECTIONS_MAX: '24',
  };
  api = await startApi({ clock, environment });
  await waitForSharedCount(api);
});
afterAll(() => api.close());

type Network = Record<string, string>;
type Credentials = Pick<TestClient, 'id' | 'secret'>;

async function ask(path: string, client: Credentials, headers: Network): Promise<Response> {
  const form = path === '/oauth/token' ? { grant_type: 'client_credentials' } : { token: 'x' };
  return await fetch(`${api.baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: basic(client), ...headers },
    body: new URLSearchParams(form),
  });
}

const FLOOD = isLongTier ? 60 : 30;

/** As many at once as empty any bucket of the endpoint. */
async function flood(
  path: string,
  client: Credentials,
  network: () => Network,
  amount = path === '/oauth/token' ? FLOOD : 120,
): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: amount }, () => ask(path, client, network())));
  return await Promise.all(
    answers.map(async (answer) => {
      await answer.arrayBuffer();
      return answer.status;
    }),
  );
}

const PATHS = ['/oauth/token', '/oauth/introspect', '/oauth/revoke'];
const nobody = () => ({ id: newId('oac'), secret: 'x' });

describe('who knows a client id', () => {
  test.each(sampled(PATHS, 2))('cannot keep its owner from %s', async (path) => {
    const owner = await registeredClient(api.deps);
    const stranger = { id: owner.id, secret: 'wrong' };
    const home = newNetwork();
    const networks = [newNetwork, () => ({ 'x-forwarded-for': '10.8.0.1' })];
    for (const network of sampled(networks, 2, PATHS.indexOf(path))) {
      const statuses = await flood(path, stranger, network);
      expect(new Set(statuses).has(200)).toBe(false);
      let answer = await ask(path, owner, home);
      while (answer.status === 503) answer = await ask(path, owner, home);
      expect(answer.status).toBe(200);
    }
  });

  test('cannot keep the users of a client without a secret out', async () => {
    const owner = await registeredClient(api.deps, { public: true, redirect_uris: [REDIRECT_URI] });
    const guess = async (headers: Network) =>
      await requestToken(
        api.baseUrl,
        { grant_type: 'refresh_token', refresh_token: 'f'.repeat(64), client_id: owner.id },
        { headers },
      );
    await Promise.all(Array.from({ length: FLOOD }, () => guess(newNetwork())));
    expect((await guess(newNetwork())).body.error).toBe('invalid_grant');
  });

  test.each(sampled(PATHS, 2, 1))('does not learn at %s whether anybody has it', async (path) => {
    const known = await registeredClient(api.deps);
    const told = async (client: Credentials) => {
      const [here, there] = [newNetwork(), newNetwork()];
      const statuses = await flood(path, client, () => here, 50);
      const after = [await ask(path, client, here), await ask(path, client, there)];
      const other = await ask(path, nobody(), here);
      return {
        first: new Set(statuses),
        after: await Promise.all(
          [...after, other].map(async (answer) => {
            const { error, message } = (await answer.json()) as Record<string, unknown>;
            return [answer.status, answer.headers.get('retry-after') === null, error, typeof message];
          }),
        ),
      };
    };
    const ofKnown = await told({ id: known.id, secret: 'wrong' });
    expect(await told(nobody())).toEqual(ofKnown);
    expect(ofKnown.after.map(([status]) => status)).toEqual([429, 401, 401]);
  });
});

describe('who has proven who it is', () => {
  test('takes from a bucket of its own, wherever it asks from', async () => {
    const owner = await registeredClient(api.deps);
    const statuses = await flood('/oauth/token', owner, newNetwork);
    const passed = statuses.filter((status) => status === 200).length;
    expect(passed).toBeGreaterThanOrEqual(20);
    expect(passed).toBeLessThan(FLOOD);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
  });
});

describe('a client without a secret', () => {
  const refuse = async (client: string, kind: 'refresh_token' | 'authorization_code', headers: Network) => {
    const proof =
      kind === 'refresh_token'
        ? { refresh_token: 'f'.repeat(64) }
        : { code: 'acd_x', redirect_uri: REDIRECT_URI, code_verifier: 'v'.repeat(43) };
    return await requestToken(api.baseUrl, { grant_type: kind, client_id: client, ...proof }, { headers });
  };

  test.each(['refresh_token', 'authorization_code'] as const)(
    'waits after ten failures with a %s, like one with a wrong secret',
    async (kind) => {
      const { id } = await registeredClient(api.deps, { public: true, redirect_uris: [REDIRECT_URI] });
      const network = newNetwork();
      for (let attempt = 0; attempt < 10; attempt += 1) {
        expect((await refuse(id, kind, network)).body.error).toBe('invalid_grant');
      }
      const refused = await refuse(id, kind, network);
      expect([refused.status, refused.body.error, refused.headers.get('retry-after')]).toEqual([
        429,
        'slow_down',
        '60',
      ]);
      expect((await refuse(id, kind, newNetwork())).body.error).toBe('invalid_grant');
    },
  );

  test('a confidential client is not held back by dead refresh tokens: its secret has proven who it is', async () => {
    const owner = await registeredClient(api.deps);
    const network = newNetwork();
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const body = { grant_type: 'refresh_token', refresh_token: 'f'.repeat(64) };
      const answer = await requestToken(api.baseUrl, body, { authorization: basic(owner), headers: network });
      expect(answer.body.error).toBe('invalid_grant');
    }
    expect((await tokensOf(api.baseUrl, owner)).scope).toBe('read:* write:*');
  });
});
