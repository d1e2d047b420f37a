import * as openid from 'openid-client';
import { AuthorizationCode } from 'simple-oauth2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi } from '../../../setup/api.ts';
import { callStatus } from '../token-requests.ts';
import { clientWithCustomer, REDIRECT_URI, signIn, Visitor } from '../visitor.ts';

let api: Awaited<ReturnType<typeof startApi>>;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

/** What the customer does; returns the address that the browser is called back with. */
async function customerAllows(address: string, email: string): Promise<string> {
  const visitor = new Visitor();
  const consent = await signIn(api, visitor, address, email);
  const back = await visitor.submit(consent, { decision: 'allow' });
  return back.headers.get('location') ?? '';
}

function configuration(client: { id: string; secret: string }): openid.Configuration {
  const server = {
    issuer: api.baseUrl,
    authorization_endpoint: `${api.baseUrl}/oauth/authorize`,
    token_endpoint: `${api.baseUrl}/oauth/token`,
    authorization_response_iss_parameter_supported: true,
  };
  const authentication = client.secret === '' ? openid.None() : openid.ClientSecretBasic(client.secret);
  const made = new openid.Configuration(server, client.id, undefined, authentication);
  openid.allowInsecureRequests(made);
  return made;
}

describe('unmodified OAuth libraries run the authorization code flow', () => {
  test.each([
    ['with a secret', false],
    ['without a secret', true],
  ])('openid-client, for a client %s: PKCE, state, iss, tokens, refresh', async (_, isPublic) => {
    const { client, email } = await clientWithCustomer(api, { public: isPublic });
    const config = configuration(client);
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const expectedState = openid.randomState();
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      state: expectedState,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    const callback = new URL(await customerAllows(address.href, email));
    const checks = { pkceCodeVerifier, expectedState };
    const first = await openid.authorizationCodeGrant(config, callback, checks);
    expect(first.scope).toBe('read:* write:*');
    expect(await callStatus(api.baseUrl, first.access_token)).toBe(200);
    const second = await openid.refreshTokenGrant(config, String(first.refresh_token));
    expect(await callStatus(api.baseUrl, second.access_token)).toBe(200);
    await expect(openid.authorizationCodeGrant(config, callback, checks)).rejects.toMatchObject({
      error: 'invalid_grant',
      status: 400,
    });
  });

  test('openid-client reads a refusal of the customer', async () => {
    const { client, email } = await clientWithCustomer(api);
    const config = configuration(client);
    const expectedState = openid.randomState();
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      state: expectedState,
    });
    const visitor = new Visitor();
    const consent = await signIn(api, visitor, address.href, email);
    const back = await visitor.submit(consent, { decision: 'deny' });
    const callback = new URL(back.headers.get('location') ?? '');
    await expect(openid.authorizationCodeGrant(config, callback, { expectedState })).rejects.toMatchObject({
      error: 'access_denied',
    });
  });

  test('simple-oauth2 names its scope at every step, and gets no other', async () => {
    const { client, email } = await clientWithCustomer(api);
    const library = new AuthorizationCode({
      client: { id: client.id, secret: client.secret },
      auth: { tokenHost: api.baseUrl, tokenPath: '/oauth/token', authorizePath: '/oauth/authorize' },
      options: { authorizationMethod: 'header' },
    });
    const scope = ['read:*'];
    const address = library.authorizeURL({ redirect_uri: REDIRECT_URI, scope, state: 'abc' });
    const code = new URL(await customerAllows(address, email)).searchParams.get('code') ?? '';
    const first = await library.getToken({ code, redirect_uri: REDIRECT_URI, scope });
    expect(first.token.scope).toBe('read:*');
    const second = await first.refresh({ scope });
    expect(second.token.scope).toBe('read:*');
    await expect(second.refresh({ scope: ['write:*'] })).rejects.toMatchObject({
      data: { payload: { error: 'invalid_scope' } },
    });
  });

  test('simple-oauth2: tokens and refresh, with Basic credentials in its own encoding', async () => {
    const { client, email } = await clientWithCustomer(api);
    const library = new AuthorizationCode({
      client: { id: client.id, secret: client.secret },
      auth: { tokenHost: api.baseUrl, tokenPath: '/oauth/token', authorizePath: '/oauth/authorize' },
      options: { authorizationMethod: 'header' },
    });
    const address = library.authorizeURL({ redirect_uri: REDIRECT_URI, state: 'abc' });
    const callback = new URL(await customerAllows(address, email));
    expect(callback.searchParams.get('state')).toBe('abc');
    const code = callback.searchParams.get('code') ?? '';
    const first = await library.getToken({ code, redirect_uri: REDIRECT_URI });
    expect(await callStatus(api.baseUrl, String(first.token.access_token))).toBe(200);
    const second = await first.refresh();
    expect(await callStatus(api.baseUrl, String(second.token.access_token))).toBe(200);
    await expect(library.getToken({ code, redirect_uri: REDIRECT_URI })).rejects.toThrow();
  });

  test('simple-oauth2: PKCE with S256 and plain; another verifier is refused', async () => {
    for (const method of ['S256', 'plain'] as const) {
      const { client, email } = await clientWithCustomer(api);
      const library = new AuthorizationCode({
        client: { id: client.id, secret: client.secret },
        auth: { tokenHost: api.baseUrl, tokenPath: '/oauth/token', authorizePath: '/oauth/authorize' },
        options: { authorizationMethod: 'header' },
      });
      const code_verifier = openid.randomPKCECodeVerifier();
      const code_challenge =
        method === 'S256' ? await openid.calculatePKCECodeChallenge(code_verifier) : code_verifier;
      const challenge = { code_challenge, code_challenge_method: method };
      const codeOf = async () => {
        const address = library.authorizeURL({ redirect_uri: REDIRECT_URI, state: 'abc', ...challenge });
        return new URL(await customerAllows(address, email)).searchParams.get('code') ?? '';
      };
      const exchange = { redirect_uri: REDIRECT_URI, code_verifier };
      const { token } = await library.getToken({ code: await codeOf(), ...exchange });
      expect(await callStatus(api.baseUrl, String(token.access_token))).toBe(200);
      const other = { ...exchange, code_verifier: openid.randomPKCECodeVerifier() };
      await expect(library.getToken({ code: await codeOf(), ...other })).rejects.toThrow();
    }
  });
});
