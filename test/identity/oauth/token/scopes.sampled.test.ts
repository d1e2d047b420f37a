import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi } from '../../../setup/api.ts';
import { fakeClock } from '../../../setup/clock.ts';
import { storedRows } from '../../../setup/stored-rows.ts';
import { sampled } from '../../../setup/tier.ts';
import { askAbout } from '../access/token-questions.ts';
import { expectRefused, tokensIn } from '../code-exchange.ts';
import {
  basic,
  registeredClient,
  requestToken,
  type TestClient,
  type TokenAnswer,
  tokensOf,
} from '../token-requests.ts';
import {
  answerOf,
  authorizeUrl,
  clientWithCustomer,
  consented,
  REDIRECT_URI,
  signIn,
  Visitor,
} from '../visitor.ts';

const clock = fakeClock('2026-11-20T10:00:00.000Z');
let api: Awaited<ReturnType<typeof startApi>>;
let full: TestClient;
let readOnly: TestClient;

beforeAll(async () => {
  api = await startApi({ clock });
  full = await registeredClient(api.deps);
  readOnly = await registeredClient(api.deps, { read_only: true });
});
afterAll(() => api.close());

const BOTH = 'read:* write:*';
/** Unknown names, other spellings, and lists that RFC 6749 does not write so. */
const FOREIGN = [
  'admin',
  'read',
  'READ:*',
  'read:* openid',
  'read:*,write:*',
  'read:*  write:*',
  ' read:*',
  'read:* ',
];
const UNREADABLE = ['\0', 'read:*\twrite:*', 'lesen:é', '__proto__', 'x'.repeat(10_000)];

function ask(client: TestClient, parameters: Record<string, string>): Promise<TokenAnswer> {
  return requestToken(api.baseUrl, parameters, { authorization: basic(client) });
}

const forItself = (client: TestClient, scope: string) =>
  ask(client, { grant_type: 'client_credentials', scope });
const refresh = (client: TestClient, refresh_token: string, more: Record<string, string> = {}) =>
  ask(client, { grant_type: 'refresh_token', refresh_token, ...more });

async function scopesIn(answer: TokenAnswer): Promise<string[]> {
  const { access_token, scope } = tokensIn(answer);
  const claims = JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString());
  return [scope, claims.scope];
}

function expectInvalidScope(answer: TokenAnswer): void {
  expectRefused(answer, 'invalid_scope');
  expect(answer.body).toMatchObject({ errors: [{ code: 'custom', field: 'scope' }] });
  expect(answer.body.error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  expect(JSON.stringify(answer.body).length).toBeLessThan(1_000);
}

async function writeStatus(token: string): Promise<number> {
  const response = await fetch(`${api.baseUrl}/assets`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'x-api-version': '2026-09-08.gauss',
    },
    body: '{}',
  });
  return response.status;
}

describe('the scope of a token request', () => {
  test.each([
    ['read:*', 'read:*'],
    ['write:*', 'write:*'],
    ['read:* write:*', BOTH],
    ['write:* read:*', BOTH],
    ['read:* read:*', 'read:*'],
    ['', BOTH],
  ])('T28 "%s" gives a full client "%s"', async (scope, given) => {
    expect(await scopesIn(await forItself(full, scope))).toEqual([given, given]);
  });

  test('T28 without a scope a client gets all that it has', async () => {
    expect(await scopesIn(await ask(full, { grant_type: 'client_credentials' }))).toEqual([BOTH, BOTH]);
    const narrow = await ask(readOnly, { grant_type: 'client_credentials' });
    expect(await scopesIn(narrow)).toEqual(['read:*', 'read:*']);
  });

  test('a token that was asked for with read:* reads and does not write', async () => {
    const { access_token } = tokensIn(await forItself(full, 'read:*'));
    expect(await writeStatus(access_token)).toBe(403);
    expect(await writeStatus((await tokensOf(api.baseUrl, full)).access_token)).not.toBe(403);
  });

  test('T29 what the client does not have is invalid_scope, also beside what it has', async () => {
    for (const scope of ['write:*', BOTH]) expectInvalidScope(await forItself(readOnly, scope));
    expect((await forItself(readOnly, 'read:*')).status).toBe(200);
  });

  test.each(sampled([...FOREIGN, ...UNREADABLE], 4))('T30 %j is invalid_scope', async (scope) => {
    expectInvalidScope(await forItself(full, scope));
  });

  test('T30 JSON is held to the same', async () => {
    for (const [scope, status] of [
      ['read:*', 200],
      ['admin', 400],
    ] as const) {
      const body = JSON.stringify({ grant_type: 'client_credentials', scope });
      const headers = { 'content-type': 'application/json' };
      const answer = await requestToken(api.baseUrl, body, { authorization: basic(full), headers });
      expect([scope, answer.status]).toEqual([scope, status]);
    }
  });

  test('who is not known by its secret hears invalid_client, whatever it asks for', async () => {
    const answer = await forItself({ ...full, secret: 'wrong' }, 'admin');
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });

  test('a refused scope stands in the audit log', async () => {
    const client = await registeredClient(api.deps);
    await forItself(client, 'admin');
    const rows = await storedRows(api, 'SELECT result FROM audit_log WHERE client_id = $1', [client.id]);
    expect(rows).toEqual([{ result: 'invalid_scope' }]);
  });
});

describe('the scope of a refresh', () => {
  test('R07 narrows this access token, and the next refresh has all of the grant again', async () => {
    const first = await tokensOf(api.baseUrl, full);
    const narrow = await refresh(full, first.refresh_token, { scope: 'read:*' });
    expect(await scopesIn(narrow)).toEqual(['read:*', 'read:*']);
    const again = await refresh(full, tokensIn(narrow).refresh_token);
    expect(await scopesIn(again)).toEqual([BOTH, BOTH]);
  });

  test('R07 never widens what was granted, though the client has more', async () => {
    const first = tokensIn(await forItself(full, 'read:*'));
    for (const scope of ['write:*', BOTH]) {
      expectInvalidScope(await refresh(full, first.refresh_token, { scope }));
    }
    const next = await refresh(full, first.refresh_token);
    expect(await scopesIn(next)).toEqual(['read:*', 'read:*']);
  });

  test('R07 a refused scope leaves the refresh token as it was', async () => {
    const first = await tokensOf(api.baseUrl, full);
    expectInvalidScope(await refresh(full, first.refresh_token, { scope: 'admin' }));
    expect((await refresh(full, first.refresh_token)).status).toBe(200);
  });
});

describe('the scope of an authorization', () => {
  const ASKED = [
    ['read:*', 'read:*'],
    ['write:* read:*', BOTH],
    ['', BOTH],
  ] as const;
  test.each(sampled(ASKED, 2))(
    'Z22 "%s" gives the customer\'s client "%s", also after a refresh',
    async (scope, given) => {
      const { client, email } = await clientWithCustomer(api);
      const answer = await consented(api, client, email, { scope });
      const code = answer.get('code') ?? '';
      const exchange = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI };
      const first = await ask(client, exchange);
      expect(await scopesIn(first)).toEqual([given, given]);
      const second = await refresh(client, tokensIn(first).refresh_token);
      expect(await scopesIn(second)).toEqual([given, given]);
    },
  );

  test('the customer is shown what was asked for, no more', async () => {
    const { client, email } = await clientWithCustomer(api);
    const pageFor = (parameters: Record<string, string>) =>
      signIn(api, new Visitor(), authorizeUrl(api, { client_id: client.id, ...parameters }), email);
    const reading = await pageFor({ scope: 'read:*' });
    expect(reading.text).toContain('see your households');
    expect(reading.text).not.toContain('report meter readings');
    const all = await pageFor({});
    expect(all.text).toContain('report meter readings');
  });

  test.each(sampled(FOREIGN, 8, 5))('Z22 %j goes back to the client as invalid_scope', async (scope) => {
    const { client } = await clientWithCustomer(api);
    const page = await new Visitor().open(authorizeUrl(api, { client_id: client.id, scope, state: 's' }));
    const answer = answerOf(page);
    expect([page.status, answer.get('error'), answer.get('state'), answer.get('iss')]).toEqual([
      302,
      'invalid_scope',
      's',
      api.baseUrl,
    ]);
  });

  test('Z22 what the client does not have goes back as invalid_scope', async () => {
    const { client } = await clientWithCustomer(api, { read_only: true });
    const page = await new Visitor().open(authorizeUrl(api, { client_id: client.id, scope: BOTH }));
    expect(answerOf(page).get('error')).toBe('invalid_scope');
  });

  test('an exchange may narrow what the customer allowed, and never widens it', async () => {
    const { client, email } = await clientWithCustomer(api);
    const exchangeOf = async (allowed: Record<string, string>, scope: string) => {
      const code = (await consented(api, client, email, allowed)).get('code') ?? '';
      const parameters = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, scope };
      return { answer: await ask(client, parameters), parameters };
    };
    const narrowed = await exchangeOf({}, 'read:*');
    expect(await scopesIn(narrowed.answer)).toEqual(['read:*', 'read:*']);
    const next = await refresh(client, tokensIn(narrowed.answer).refresh_token);
    expect(await scopesIn(next)).toEqual(['read:*', 'read:*']);
    expectInvalidScope((await exchangeOf({ scope: 'read:*' }, BOTH)).answer);
    /* A name that the client may not ask for anyway is refused before the code is looked at. */
    const unknown = await exchangeOf({}, 'admin');
    expectInvalidScope(unknown.answer);
    expect((await ask(client, { ...unknown.parameters, scope: '' })).status).toBe(200);
  });
});

test('introspection tells what each token may do', async () => {
  const narrow = tokensIn(await forItself(full, 'read:*'));
  for (const token of [narrow.access_token, narrow.refresh_token]) {
    const { text } = await askAbout(api.baseUrl, '/oauth/introspect', full, { token });
    expect(JSON.parse(text)).toMatchObject({ active: true, scope: 'read:*' });
  }
  const whole = await tokensOf(api.baseUrl, full);
  const less = tokensIn(await refresh(full, whole.refresh_token, { scope: 'write:*' }));
  for (const [token, scope] of [
    [less.access_token, 'write:*'],
    [less.refresh_token, BOTH],
  ] as const) {
    const { text } = await askAbout(api.baseUrl, '/oauth/introspect', full, { token });
    expect(JSON.parse(text)).toMatchObject({ active: true, scope });
  }
});
