import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { callStatus, registeredClient, type TestClient } from '../token-requests.ts';

let api: TestApi;
let client: TestClient;

beforeAll(async () => {
  api = await startApi();
  client = await registeredClient(api.deps);
});
afterAll(() => api.close());

function server(): oauth.AuthorizationServer {
  return { issuer: api.deps.config.BASE_URL, token_endpoint: `${api.baseUrl}/oauth/token` };
}

describe('unmodified OAuth libraries', () => {
  test('oauth4webapi gets a token, refreshes it, and reads a refusal', async () => {
    const as = server();
    const self: oauth.Client = { client_id: client.id };
    const authentication = oauth.ClientSecretBasic(client.secret);
    const options = { [oauth.allowInsecureRequests]: true };
    const first = await oauth.processClientCredentialsResponse(
      as,
      self,
      await oauth.clientCredentialsGrantRequest(as, self, authentication, {}, options),
    );
    expect(first.token_type).toBe('bearer');
    expect(first.expires_in).toBe(3600);
    const refresh = async () =>
      await oauth.processRefreshTokenResponse(
        as,
        self,
        await oauth.refreshTokenGrantRequest(as, self, authentication, String(first.refresh_token), options),
      );
    const second = await refresh();
    expect(await callStatus(api.baseUrl, second.access_token)).toBe(200);
    await expect(refresh()).rejects.toMatchObject({ error: 'invalid_grant', status: 401 });
    const response = await oauth.clientCredentialsGrantRequest(
      as,
      self,
      oauth.ClientSecretBasic('wrong'),
      {},
      options,
    );
    await expect(oauth.processClientCredentialsResponse(as, self, response)).rejects.toThrow(
      oauth.WWWAuthenticateChallengeError,
    );
  });

  test('openid-client gets a token, refreshes it, and reads a refusal', async () => {
    const configuration = new openid.Configuration(
      server(),
      client.id,
      undefined,
      openid.ClientSecretBasic(client.secret),
    );
    openid.allowInsecureRequests(configuration);
    const first = await openid.clientCredentialsGrant(configuration, { scope: 'read:*' });
    expect(first.scope).toBe('read:*');
    await expect(openid.clientCredentialsGrant(configuration, { scope: 'admin' })).rejects.toMatchObject({
      error: 'invalid_scope',
      status: 400,
    });
    const second = await openid.refreshTokenGrant(configuration, String(first.refresh_token));
    expect(await callStatus(api.baseUrl, second.access_token)).toBe(200);
    await expect(openid.refreshTokenGrant(configuration, String(first.refresh_token))).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });
});
