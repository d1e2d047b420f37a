import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { registeredClient, type TestClient } from '../token-requests.ts';
import { authorizeUrl, REDIRECT_URI, Visitor } from '../visitor.ts';

let api: TestApi;
let c1: TestClient;

beforeAll(async () => {
  api = await startApi();
  c1 = await registeredClient(api.deps, { redirect_uris: [REDIRECT_URI] });
});
afterAll(() => api.close());

const visit = (redirect_uri: string) =>
  new Visitor().open(authorizeUrl(api, { client_id: c1.id, redirect_uri, response_type: 'token' }));

async function expectRefused(redirect_uri: string): Promise<void> {
  const page = await visit(redirect_uri);
  expect([redirect_uri, page.status, page.headers.get('location')]).toEqual([redirect_uri, 400, null]);
}

/** Texts that one reader takes for the registered address and another one for somewhere else. */
const CONFUSING = [
  'https://app.example/callback/../evil',
  'https://app.example/callback/..%2fevil',
  'https://app.example/callback/%2e%2e/evil',
  'https://app.example/callback%00.evil.example',
  'https://app.example/callback%0d%0aLocation:%20https://evil.example',
  'https://app.example:443@evil.example/callback',
  'https://app.example%2eevil.example/callback',
  'https://app.example%252eevil.example/callback',
  'https://evil.example/https://app.example/callback',
  'https://evil.example?https://app.example/callback',
  'https://evil.example#https://app.example/callback',
  'https://evil.example\\https://app.example/callback',
  'https:\\\\app.example\\callback',
  'https:/app.example/callback',
  'https:app.example/callback',
  'https:///app.example/callback',
  'HTTPS://app.example/callback',
  'https://app.example/callback;evil.example',
  'https://app.example/callback\t',
  ' https://app.example/callback',
  'https://app.example\u0000.evil.example/callback',
  'https://app.example\uff0fcallback',
  'https://xn--app-xyz.example/callback',
  'https://sub.app.example/callback',
  'https://appxexample/callback',
] as const;

describe('an answer never leaves the registered origin', () => {
  test('Z05 another origin is an error page', async () => {
    await expectRefused('https://evil.example/callback');
  });

  test('Z06 texts that readers disagree about are refused, or stay inside', async () => {
    for (const text of CONFUSING) {
      const page = await visit(text);
      const location = page.headers.get('location');
      if (location === null) expect([text, page.status]).toEqual([text, 400]);
      else expect([text, new URL(location).origin]).toEqual([text, 'https://app.example']);
    }
  });

  test.each([
    'https://app.example.evil.com/cb',
    'https://app.example@evil.com/',
    'https://app.example\\@evil.com/',
    '//app.example/cb',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'https://app\uff0eexample/callback',
    'https://app.example./callback',
    'https://app.example:8443/callback',
    'http://app.example/callback',
  ])('Z07 %s', expectRefused);

  test('Z08 an address with a fragment', async () => {
    await expectRefused(`${REDIRECT_URI}#x`);
    await expectRefused(`${REDIRECT_URI}#`);
  });

  test.each(['code', 'state', 'iss', 'error', 'error_uri', 'access_token', '%63ode', 'x=1;code', 'code[]'])(
    'Z09 an address whose query names %s',
    async (name) => {
      await expectRefused(`${REDIRECT_URI}?${name}=1`);
    },
  );
});
