import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuthenticator } from '../../../../src/identity/oauth/access/access.ts';
import { clientWithSecrets } from '../../../../src/identity/oauth/clients/clients.ts';
import type { Deps } from '../../../../src/platform/deps.ts';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { fakeClock } from '../../../setup/clock.ts';
import { storedRows } from '../../../setup/stored-rows.ts';
import { callStatus, refreshed, registeredClient, type TestClient, tokensOf } from '../token-requests.ts';
import { askAbout } from './token-questions.ts';

const MINUTE = 60_000;
const clock = fakeClock('2026-11-20T10:00:00.000Z');
let api: TestApi;
beforeAll(async () => {
  api = await startApi({ clock });
  /* The first look cannot tell what changed before it. */
  await api.deps.changes.look();
});
afterAll(() => api.close());

/** An authenticator of its own, which counts its queries. */
async function authenticating(client: TestClient, changes: Partial<Deps['changes']> = {}) {
  const { access_token } = await tokensOf(api.baseUrl, client);
  const queries = { count: 0, meanwhile: () => {} };
  const asService: Deps['database']['asService'] = async (work) => {
    queries.count += 1;
    const result = await api.deps.database.asService(work);
    queries.meanwhile();
    return result;
  };
  const authenticate = createAuthenticator({
    ...api.deps,
    database: { ...api.deps.database, asService },
    changes: { ...api.deps.changes, ...changes },
  });
  const call = () => authenticate(`Bearer ${access_token}`);
  await call();
  queries.count = 0;
  return { queries, call, grant: grantOf(access_token), jti: payloadOf(access_token).jti };
}

const payloadOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
    jti: string;
    grant: string;
  };
const grantOf = (token: string) => payloadOf(token).grant;

test('a token that is used again and again is looked up once in a quarter of an hour', async () => {
  const { queries, call } = await authenticating(await registeredClient(api.deps));
  await api.deps.changes.look();
  for (let minute = 1; minute < 15; minute += 1) {
    clock.advance(MINUTE);
    await api.deps.changes.look();
    await call();
  }
  expect(queries.count).toBe(0);
  clock.advance(MINUTE);
  await call();
  expect(queries.count).toBeGreaterThan(0);
});

/* Before the others: each of them leaves an authenticator that hears of every change. */
test('behind ten thousand changes every token is looked up again', async () => {
  const client = await registeredClient(api.deps);
  const { queries, call } = await authenticating(client);
  const emit = (object: string, from: number, until: number) => {
    for (let change = from; change < until; change += 1) {
      api.deps.changed.emit({ organization: client.organization, object: `${object}_${change}` });
    }
  };
  emit('dom', 0, 6_000);
  emit('grt', 0, 6_000);
  await call();
  expect(queries.count, 'households end no token').toBe(0);
  emit('grt', 6_000, 10_001);
  await call();
  expect(queries.count).toBe(1);
});

const ENDS: [string, (ids: { client: TestClient; grant: string; jti: string }) => [string, unknown[]]][] = [
  [
    'grant',
    ({ grant }) => [
      "UPDATE grants SET revoked_at = now(), revoked_reason = 'operator' WHERE id = $1",
      [grant],
    ],
  ],
  ['client', ({ client }) => ['UPDATE auth_clients SET disabled_at = now() WHERE id = $1', [client.id]]],
  [
    'organization',
    ({ client }) => ["UPDATE organizations SET standing = 'suspended' WHERE id = $1", [client.organization]],
  ],
  [
    'token itself',
    ({ client, jti }) => [
      `INSERT INTO revoked_tokens (organization_id, jti, client_id, expires_at)
       VALUES ($1, $2, $3, now() + interval '1 hour')`,
      [client.organization, jti, client.id],
    ],
  ],
];

test.each(ENDS)('the next look finds that the %s ended, whoever wrote it', async (_what, statementOf) => {
  const client = await registeredClient(api.deps);
  const others = await authenticating(await registeredClient(api.deps));
  const { call, grant, jti } = await authenticating(client);
  await api.deps.changes.look();
  const [text, values] = statementOf({ client, grant, jti });
  await storedRows(api, text, values);
  await api.deps.changes.look();
  await expect(call()).rejects.toMatchObject({ status: 401 });
  await others.call();
  expect(others.queries.count).toBe(0);
});

test('another rate of a client counts from the next look on', async () => {
  const client = await registeredClient(api.deps);
  const { call } = await authenticating(client);
  await api.deps.changes.look();
  await storedRows(api, 'UPDATE auth_clients SET rate_per_second = 7 WHERE id = $1', [client.id]);
  await api.deps.changes.look();
  expect((await call()).rate.perSecond).toBe(7);
});

test('where the process does not know what changed, a token is believed for five seconds', async () => {
  const { queries, call } = await authenticating(await registeredClient(api.deps), { isSure: () => false });
  clock.advance(4_999);
  await call();
  expect(queries.count).toBe(0);
  clock.advance(1);
  await call();
  expect(queries.count).toBe(1);
});

test('what ends while it is looked up is looked up again', async () => {
  const client = await registeredClient(api.deps);
  const { queries, call, grant } = await authenticating(client);
  clock.advance(15 * MINUTE);
  queries.meanwhile = () => api.deps.changed.emit({ organization: client.organization, object: grant });
  await call();
  queries.meanwhile = () => {};
  queries.count = 0;
  await call();
  expect(queries.count).toBe(1);
});

/* No look, and the clock stands: nothing but the message of the endpoint ends them. */
test.each(['access_token', 'refresh_token'] as const)('a revoked %s ends at once', async (kind) => {
  const client = await registeredClient(api.deps);
  const tokens = await tokensOf(api.baseUrl, client);
  expect(await callStatus(api.baseUrl, tokens.access_token)).toBe(200);
  expect((await askAbout(api.baseUrl, '/oauth/revoke', client, { token: tokens[kind] })).status).toBe(200);
  expect(await callStatus(api.baseUrl, tokens.access_token)).toBe(401);
});

test('a refresh token that comes back ends the access tokens of its family at once', async () => {
  const client = await registeredClient(api.deps);
  const first = await tokensOf(api.baseUrl, client);
  const second = (await refreshed(api.baseUrl, client, first.refresh_token)).body;
  expect(await callStatus(api.baseUrl, String(second.access_token))).toBe(200);
  clock.advance(MINUTE);
  await api.deps.changes.look();
  expect((await refreshed(api.baseUrl, client, first.refresh_token)).status).toBe(401);
  expect(await callStatus(api.baseUrl, String(second.access_token))).toBe(401);
});

test('the last use of a client is kept, to the minute, while its token is not looked up', async () => {
  const client = await registeredClient(api.deps);
  const { queries, call } = await authenticating(client);
  await api.deps.changes.look();
  clock.advance(2 * MINUTE);
  await api.deps.changes.look();
  await call();
  expect(queries.count).toBe(0);
  const used = async () => (await clientWithSecrets(api.deps.database, client.id)).client.last_used_at;
  await expect.poll(used).toBe(clock.now().toISOString());
});
