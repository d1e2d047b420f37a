import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { beginAuthorization } from '../../../../src/identity/oauth/authorize/endpoint.ts';
import { setClientDisabled } from '../../../../src/identity/oauth/clients/clients.ts';
import { setStanding } from '../../../../src/identity/organizations/service.ts';
import { withDatabaseClient } from '../../../../src/platform/database/setup.ts';
import { queryPairs } from '../../../../src/platform/interface/query.ts';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { actAt, registeredClient, type TestClient } from '../token-requests.ts';
import { answerOf, authorizeUrl, type Page, REDIRECT_URI, Visitor } from '../visitor.ts';

const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const origin = 'https://console.example';

let api: TestApi;
let c1: TestClient;
let exact: TestClient;
let p1: TestClient;

beforeAll(async () => {
  api = await startApi({ environment: { CORS_ORIGINS: origin } });
  c1 = await registeredClient(api.deps, { redirect_uris: [REDIRECT_URI] });
  const redirect_uris = [REDIRECT_URI];
  exact = await registeredClient(api.deps, { redirect_uris, redirect_rule: 'exact' }, c1.organization);
  p1 = await registeredClient(api.deps, { redirect_uris, public: true }, c1.organization);
});
afterAll(() => api.close());

const visit = (parameters: Record<string, string>, init?: RequestInit) =>
  new Visitor().open(authorizeUrl(api, { client_id: c1.id, ...parameters }), init);

function expectErrorPage(page: Page): void {
  expect(page.status).toBe(400);
  expect(page.headers.get('location')).toBeNull();
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(page.text).toContain('role="alert"');
}

function expectRefusal(page: Page, error: string, state: string | null = null): URLSearchParams {
  expect(page.status).toBe(302);
  expect(page.headers.get('location')?.startsWith(`${REDIRECT_URI}?`)).toBe(true);
  const answer = answerOf(page);
  expect(answer.get('error')).toBe(error);
  expect(answer.get('state')).toBe(state);
  expect(answer.get('iss')).toBe(api.baseUrl);
  expect(answer.has('code')).toBe(false);
  return answer;
}

function expectBegun(page: Page): void {
  expect(page.status).toBe(302);
  expect(page.headers.get('location')).toMatch(/\/auth\/login\?transaction=atx_[0-9a-z]{24}$/);
}

describe('GET /oauth/authorize', () => {
  test('Z01 a valid call leads to the sign-in, which answers with the headers of a safe page', async () => {
    const begun = await visit({ state: 'x' });
    expectBegun(begun);
    const login = await new Visitor().open(begun.headers.get('location') ?? '');
    expect(login.status).toBe(200);
    const policy = login.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self' https://app.example");
    expect(policy).not.toContain('script');
    expect(login.headers.get('x-frame-options')).toBe('DENY');
    expect(login.headers.get('referrer-policy')).toBe('no-referrer');
    expect(login.headers.get('cache-control')).toBe('no-store');
  });

  test.each([
    ['unknown', 'oac_000000000000000000000000'],
    ['no id at all', '\0'],
    ['empty', ''],
  ])('Z04 a client_id that is %s is an error page', async (_, client_id) => {
    expectErrorPage(await visit({ client_id }));
  });

  test('Z04 so is the id of a client that was switched off, or whose organization was suspended', async () => {
    const client = await registeredClient(api.deps, { redirect_uris: [REDIRECT_URI] });
    expectBegun(await visit({ client_id: client.id }));
    await setStanding(api.deps.database, client.organization, 'past_due', actAt(api.deps));
    expectBegun(await visit({ client_id: client.id }));
    await setStanding(api.deps.database, client.organization, 'suspended', actAt(api.deps));
    expectErrorPage(await visit({ client_id: client.id }));
    await setStanding(api.deps.database, client.organization, 'in_order', actAt(api.deps));
    await setClientDisabled(api.deps.database, client.id, true, actAt(api.deps));
    expectErrorPage(await visit({ client_id: client.id }));
  });

  test('a program gets the same as JSON', async () => {
    const page = await visit({ client_id: 'x' }, { headers: { accept: 'application/json' } });
    expect(page.status).toBe(400);
    expect(JSON.parse(page.text)).toMatchObject({
      code: 'BAD_REQUEST',
      error: 'invalid_request',
      errors: [{ field: 'client_id' }],
    });
  });

  test('Z11 Z12 redirect_uri must be there once, however many are registered', async () => {
    const two = await registeredClient(api.deps, { redirect_uris: [REDIRECT_URI, 'https://b.example/'] });
    for (const client_id of [c1.id, two.id]) {
      const without = authorizeUrl(api, { client_id }).replace(/redirect_uri=[^&]*/, '');
      expectErrorPage(await new Visitor().open(without));
      expectErrorPage(await new Visitor().open(`${without}&redirect_uri=`));
      const address = authorizeUrl(api, { client_id });
      expectErrorPage(
        await new Visitor().open(`${address}&redirect_uri=${encodeURIComponent(REDIRECT_URI)}`),
      );
    }
  });

  test('Z19 a repeated parameter is never read as its first value', async () => {
    const address = authorizeUrl(api, { client_id: c1.id, state: 'one' });
    expectRefusal(await new Visitor().open(`${address}&state=two`), 'invalid_request', null);
    expectErrorPage(await new Visitor().open(`${address}&client_id=${c1.id}`));
    for (const name of ['response_type', 'scope', 'code_challenge', 'code_challenge_method', 'flow_type']) {
      const twice = await new Visitor().open(`${address}&${name}=a&${name}=b`);
      expectRefusal(twice, 'invalid_request', 'one');
    }
    expectRefusal(await new Visitor().open(`${address}&flow_type=%zz`), 'invalid_request', 'one');
  });

  test.each(['2026-01-29.edison', '2026-05-27.curie', '2026-09-08.gauss', 'no version'])(
    'Z01 the header X-API-Version (%s) is not read',
    async (version) => {
      expectBegun(await visit({}, { headers: { 'x-api-version': version } }));
    },
  );

  test('Z15 a missing response_type is told to the client', async () => {
    expectRefusal(await visit({ response_type: '', state: 's' }), 'invalid_request', 's');
  });

  test.each(['token', 'code token', 'id_token', 'CODE', '__proto__'])(
    'Z16 response_type %s is unsupported',
    async (response_type) => {
      expectRefusal(await visit({ response_type, state: 's' }), 'unsupported_response_type', 's');
    },
  );

  test('Z20 unknown parameters are ignored, however often they come', async () => {
    const address = authorizeUrl(api, { client_id: c1.id, prompt: 'none' });
    expectBegun(await new Visitor().open(`${address}&resource=a&resource=b`));
  });

  test('Z21 only GET and HEAD are known', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const page = await visit({}, { method });
      expect(page.status).toBe(405);
      expect(page.headers.get('allow')).toBe('GET, HEAD');
    }
    expect((await visit({}, { method: 'HEAD' })).status).toBe(302);
  });

  test('Z23 a public client must send a challenge', async () => {
    const answer = expectRefusal(await visit({ client_id: p1.id, state: 's' }), 'invalid_request', 's');
    expect(answer.get('error_description')).toContain('code challenge required');
    expectBegun(await visit({ client_id: p1.id, code_challenge: CHALLENGE, code_challenge_method: 'S256' }));
  });

  test.each([
    ['42 characters', 'a'.repeat(42)],
    ['129 characters', 'a'.repeat(129)],
    ['three letters', 'abc'],
    ['padding', `${'a'.repeat(43)}=`],
    ['nothing', ''],
  ])('Z24 a challenge of %s is refused', async (_, code_challenge) => {
    for (const client_id of [c1.id, p1.id]) {
      const page = await visit({ client_id, code_challenge, code_challenge_method: 'S256' });
      expectRefusal(page, 'invalid_request');
    }
  });

  test.each([['S512'], ['s256'], ['']])('Z25 the method "%s" is refused', async (code_challenge_method) => {
    expectRefusal(await visit({ code_challenge: CHALLENGE, code_challenge_method }), 'invalid_request');
  });

  test('Z26 a method without a challenge is refused', async () => {
    expectRefusal(await visit({ code_challenge_method: 'S256' }), 'invalid_request');
  });

  test('Z23 Z27 a client that is set to S256 only cannot leave the challenge out, with a secret or without', async () => {
    for (const isPublic of [false, true]) {
      const strict = await registeredClient(api.deps, {
        redirect_uris: [REDIRECT_URI],
        s256_only: true,
        public: isPublic,
      });
      for (const challenge of ['', CHALLENGE.slice(1)]) {
        const parameters = { client_id: strict.id, state: 's' };
        expectRefusal(await visit(parameters), 'invalid_request', 's');
        expectRefusal(await visit({ ...parameters, code_challenge: challenge }), 'invalid_request', 's');
      }
      const code_challenge_method = 'S256';
      expectBegun(await visit({ client_id: strict.id, code_challenge: CHALLENGE, code_challenge_method }));
    }
  });

  test('Z27 plain, said or not, is accepted but from a client that is set to S256 only', async () => {
    const s256Only = await registeredClient(api.deps, { redirect_uris: [REDIRECT_URI], s256_only: true });
    for (const method of [{}, { code_challenge_method: 'plain' }]) {
      for (const client_id of [c1.id, p1.id]) {
        expectBegun(await visit({ client_id, code_challenge: CHALLENGE, ...method }));
      }
      const page = await visit({ client_id: s256Only.id, code_challenge: CHALLENGE, ...method });
      expectRefusal(page, 'invalid_request');
    }
  });

  test('an unknown flow_type is refused; signup leads to the sign-up', async () => {
    expectRefusal(await visit({ flow_type: 'logout' }), 'invalid_request');
    expectBegun(await visit({ flow_type: 'login' }));
    const signup = await visit({ flow_type: 'signup' });
    expect(signup.headers.get('location')).toContain('/auth/signup?transaction=');
  });

  test('a client without this grant is told so', async () => {
    const client = await registeredClient(api.deps, {
      redirect_uris: [REDIRECT_URI],
      grants: ['client_credentials'],
    });
    expectRefusal(await visit({ client_id: client.id }), 'unauthorized_client');
  });

  test('Z13 Z14 another path of the origin is accepted, but not from a client with exact addresses', async () => {
    const redirect_uri = 'https://app.example/other/path';
    expectBegun(await visit({ redirect_uri }));
    expectErrorPage(await visit({ client_id: exact.id, redirect_uri }));
    expectBegun(await visit({ client_id: exact.id }));
  });

  test('Z10 a query is kept under the rule origin and refused under exact', async () => {
    const redirect_uri = `${REDIRECT_URI}?x=1`;
    const refused = await visit({ redirect_uri, response_type: 'token', state: 's' });
    expect(refused.headers.get('location')).toMatch(/^https:\/\/app\.example\/callback\?x=1&error=/);
    expectErrorPage(await visit({ client_id: exact.id, redirect_uri }));
  });

  test('Z32 no page of another origin may read it', async () => {
    const headers = { origin, 'access-control-request-method': 'GET' };
    for (const method of ['GET', 'OPTIONS']) {
      const page = await visit({}, { method, headers });
      expect([...page.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
    const token = await fetch(`${api.baseUrl}/oauth/token`, { method: 'OPTIONS', headers });
    expect(token.headers.get('access-control-allow-origin')).toBe(origin);
  });

  test('Z33 a forged host changes neither links nor iss', async () => {
    const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
    const page = await visit({ response_type: 'token' }, { headers });
    expectRefusal(page, 'unsupported_response_type');
    const begun = await visit({}, { headers });
    expect(begun.headers.get('location')?.startsWith(`${api.baseUrl}/auth/login?`)).toBe(true);
  });

  test('without a mail server nobody can sign in, and the client is told', async () => {
    const withoutMail = { ...api.deps, mail: { ...api.deps.mail, isOn: false } };
    const pairs = queryPairs(authorizeUrl(api, { client_id: c1.id, state: 's' }));
    const location = await beginAuthorization(withoutMail, pairs, api.deps.log);
    expect(Object.fromEntries(new URL(location).searchParams)).toMatchObject({
      error: 'server_error',
      state: 's',
    });
  });

  test('a defect inside is told to the client as server_error', async () => {
    const own = await startApi({ alone: true });
    try {
      const client = await registeredClient(own.deps, { redirect_uris: [REDIRECT_URI] });
      await withDatabaseClient(own.database.adminUrl, (admin) =>
        admin.query('REVOKE INSERT ON authorization_requests FROM voltstream_app'),
      );
      const page = await new Visitor().open(authorizeUrl(own, { client_id: client.id, state: 's' }));
      expect(page.status).toBe(302);
      expect(Object.fromEntries(answerOf(page))).toMatchObject({
        error: 'server_error',
        state: 's',
        iss: own.baseUrl,
      });
    } finally {
      await own.close();
    }
  });
});
