import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const PATH = '/.well-known/oauth-authorization-server';

test('V09 the metadata names the issuer, every endpoint and what is supported, and nothing else', async () => {
  const response = await fetch(`${api.baseUrl}${PATH}`);
  const issuer = api.deps.config.BASE_URL;
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('public, max-age=300');
  expect(await response.json()).toEqual({
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token'],
    code_challenge_methods_supported: ['S256', 'plain'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'none'],
    scopes_supported: ['read:*', 'write:*'],
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    authorization_response_iss_parameter_supported: true,
  });
});

test('every address that it names is served', async () => {
  const metadata = (await (await fetch(`${api.baseUrl}${PATH}`)).json()) as Record<string, unknown>;
  for (const name of ['token_endpoint', 'jwks_uri', 'revocation_endpoint', 'introspection_endpoint']) {
    const response = await fetch(String(metadata[name]));
    await response.body?.cancel();
    expect([name, response.status]).toEqual([name, name === 'jwks_uri' ? 200 : 405]);
  }
});

test('a forwarded host changes no address, HEAD has no body, other methods are 405', async () => {
  const forwarded = await fetch(`${api.baseUrl}${PATH}`, { headers: { 'x-forwarded-host': 'evil.example' } });
  expect(await forwarded.json()).toMatchObject({ issuer: api.deps.config.BASE_URL });
  const head = await fetch(`${api.baseUrl}${PATH}`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  const post = await fetch(`${api.baseUrl}${PATH}`, { method: 'POST' });
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('there is no OpenID Connect document', async () => {
  expect((await fetch(`${api.baseUrl}/.well-known/openid-configuration`)).status).toBe(401);
});
