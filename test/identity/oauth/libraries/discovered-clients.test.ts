import { OAuth2Client } from '@badgateway/oauth2-client';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { ClientCredentials } from 'simple-oauth2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { fakeClock } from '../../../setup/clock.ts';
import { callStatus, registeredClient, type TestClient } from '../token-requests.ts';

/* Of today: the libraries look at the clock of the machine. */
const clock = fakeClock(new Date().toISOString());
let api: TestApi;
let client: TestClient;

beforeAll(async () => {
  api = await startApi({ clock });
  client = await registeredClient(api.deps);
});
afterAll(() => api.close());

const insecure = { [oauth.allowInsecureRequests]: true };

describe('unmodified libraries that know nothing but the issuer', () => {
  test('openid-client discovers, gets, refreshes, introspects and revokes', async () => {
    const configuration = await openid.discovery(
      new URL(api.baseUrl),
      client.id,
      undefined,
      openid.ClientSecretBasic(client.secret),
      { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
    );
    expect(configuration.serverMetadata().issuer).toBe(api.baseUrl);
    const first = await openid.clientCredentialsGrant(configuration);
    const second = await openid.refreshTokenGrant(configuration, String(first.refresh_token));
    expect(await callStatus(api.baseUrl, second.access_token)).toBe(200);
    expect(await openid.tokenIntrospection(configuration, second.access_token)).toMatchObject({
      active: true,
      client_id: client.id,
      scope: 'read:* write:*',
    });
    await openid.tokenRevocation(configuration, second.access_token, { token_type_hint: 'access_token' });
    expect(await openid.tokenIntrospection(configuration, second.access_token)).toEqual({ active: false });
    await openid.tokenRevocation(configuration, String(second.refresh_token));
    await expect(openid.refreshTokenGrant(configuration, String(second.refresh_token))).rejects.toMatchObject(
      { error: 'invalid_grant' },
    );
    clock.advance(5_000);
    expect(await callStatus(api.baseUrl, second.access_token)).toBe(401);
  });

  test('oauth4webapi discovers, gets, verifies by the published keys, introspects and revokes', async () => {
    const issuer = new URL(api.baseUrl);
    const as = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
    );
    const self: oauth.Client = { client_id: client.id };
    const authentication = oauth.ClientSecretBasic(client.secret);
    const tokens = await oauth.processClientCredentialsResponse(
      as,
      self,
      await oauth.clientCredentialsGrantRequest(as, self, authentication, {}, insecure),
    );
    const claims = await oauth.validateJwtAccessToken(
      as,
      new Request(`${api.baseUrl}/assets`, { headers: { authorization: `Bearer ${tokens.access_token}` } }),
      api.baseUrl,
      insecure,
    );
    expect(claims).toMatchObject({ iss: api.baseUrl, client_id: client.id });

    const ask = async (token: string) =>
      await oauth.processIntrospectionResponse(
        as,
        self,
        await oauth.introspectionRequest(as, self, authentication, token, insecure),
      );
    expect(await ask(tokens.access_token)).toMatchObject({ active: true, token_type: 'Bearer' });
    expect(await ask(String(tokens.refresh_token))).toMatchObject({ active: true });
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(as, self, authentication, String(tokens.refresh_token), insecure),
    );
    expect(await ask(tokens.access_token)).toEqual({ active: false });
    expect(await ask(String(tokens.refresh_token))).toEqual({ active: false });
  });

  test('@badgateway/oauth2-client discovers, gets, refreshes, introspects and revokes', async () => {
    const library = new OAuth2Client({
      server: api.baseUrl,
      discoveryEndpoint: '/.well-known/oauth-authorization-server',
      clientId: client.id,
      clientSecret: client.secret,
      authenticationMethod: 'client_secret_basic',
    });
    const first = await library.clientCredentials({ scope: ['read:*'] });
    const second = await library.refreshToken(first);
    expect(await callStatus(api.baseUrl, second.accessToken)).toBe(200);
    expect(await library.introspect(second)).toMatchObject({ active: true, client_id: client.id });
    await library.revoke(second, 'access_token');
    expect(await library.introspect(second)).toEqual({ active: false });
    await library.revoke(second, 'refresh_token');
    await expect(library.refreshToken(second)).rejects.toMatchObject({ oauth2Code: 'invalid_grant' });
  });

  test('simple-oauth2 gets a token, refreshes it, revokes both, and reads a refusal', async () => {
    const auth = { tokenHost: api.baseUrl };
    const grant = new ClientCredentials({ client: { id: client.id, secret: client.secret }, auth });
    const first = await grant.getToken({});
    expect(first.token.scope).toBe('read:* write:*');
    expect(first.expired()).toBe(false);
    const second = await first.refresh();
    expect(second.token.refresh_token).not.toBe(first.token.refresh_token);
    expect(await callStatus(api.baseUrl, String(second.token.access_token))).toBe(200);
    await second.revokeAll();
    clock.advance(5_000);
    expect(await callStatus(api.baseUrl, String(second.token.access_token))).toBe(401);
    await expect(second.refresh()).rejects.toMatchObject({ output: { statusCode: 401 } });
    const wrong = new ClientCredentials({ client: { id: client.id, secret: 'wrong' }, auth });
    await expect(wrong.getToken({})).rejects.toMatchObject({
      data: { payload: { error: 'invalid_client' } },
    });
  });
});
