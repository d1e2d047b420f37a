import { randomUUID } from 'node:crypto';
import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../../../src/identity/oauth/access/access.ts';
import { updateGrantRevoked } from '../../../../src/identity/oauth/access/grant-queries.ts';
import { listSigningKeys } from '../../../../src/identity/oauth/keys/queries.ts';
import { unseal } from '../../../../src/platform/sealed.ts';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { fakeClock } from '../../../setup/clock.ts';
import { callStatus, registeredClient, type TestClient, tokensOf } from '../token-requests.ts';

const clock = fakeClock('2026-11-20T10:00:00.000Z');
let api: TestApi;
let client: TestClient;
let signing: { kid: string; key: CryptoKey; publicJwk: JWK };
let claims: JWTPayload;

beforeAll(async () => {
  api = await startApi({ clock });
  client = await registeredClient(api.deps);
  signing = await signingKey();
  claims = payloadOf((await tokensOf(api.baseUrl, client)).access_token);
});
afterAll(() => api.close());

/** The service's own key, opened as only the service can: forged claims can then be tried one by one. */
async function signingKey() {
  const now = clock.now().toISOString();
  const [row] = await api.deps.database.asService((connection) => listSigningKeys(connection, now));
  if (row === undefined) throw new Error('There is no signing key');
  const jwk = unseal(
    api.deps.config.ENCRYPTION_KEY,
    'signing-key',
    row.kid,
    row.private_key_encrypted,
  ).toString();
  const key = (await importJWK(JSON.parse(jwk) as JWK, 'RS256')) as CryptoKey;
  return { kid: row.kid, key, publicJwk: row.public_jwk as JWK };
}

function payloadOf(token: string): JWTPayload {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as JWTPayload;
}

async function signed(changes: JWTPayload = {}, header: Partial<JWTHeaderParameters> = {}): Promise<string> {
  const nowSeconds = Math.floor(clock.nowMilliseconds() / 1000);
  return await new SignJWT({
    ...claims,
    iat: nowSeconds,
    exp: nowSeconds + 3600,
    jti: randomUUID(),
    ...changes,
  })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: signing.kid, ...header })
    .sign(signing.key);
}

/** What no library would sign. */
async function signedText(header: object, payload: string): Promise<string> {
  const input = `${encoded(header)}.${Buffer.from(payload).toString('base64url')}`;
  const signature = await crypto.subtle.sign(
    'RSASSA-PKCS1-v1_5',
    signing.key,
    new TextEncoder().encode(input),
  );
  return `${input}.${Buffer.from(signature).toString('base64url')}`;
}

async function call(authorization: string | undefined, query = ''): Promise<Response> {
  return await fetch(`${api.baseUrl}/assets${query}`, {
    headers: {
      'x-api-version': '2026-09-08.gauss',
      ...(authorization === undefined ? {} : { authorization }),
    },
  });
}

async function expectRefused(authorization: string, challenge = 'Bearer error="invalid_token"') {
  const response = await call(authorization);
  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toBe(challenge);
  expect(await response.json()).toMatchObject({
    code: 'UNAUTHORIZED',
    message:
      challenge === 'Bearer'
        ? 'No token was sent. Send the header Authorization: Bearer <token>'
        : 'Invalid or malformed token',
  });
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('access tokens', () => {
  test('a token signed by the service itself is accepted: what follows is refused for its own reason', async () => {
    expect((await call(`Bearer ${await signed()}`)).status).toBe(200);
    expect(
      (await call(`Bearer ${await signed({ aud: ['https://other.example', String(claims.aud)] })}`)).status,
    ).toBe(200);
  });

  test('S01 without a token the challenge names no error', async () => {
    const response = await call(undefined);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('S02 an Authorization header that is no single bearer token is 401', async () => {
    const token = await signed();
    await expectRefused('Bearer', 'Bearer');
    await expectRefused('Bearer ', 'Bearer');
    await expectRefused(`Basic ${Buffer.from('a:b').toString('base64')}`, 'Bearer');
    await expectRefused('garbage', 'Bearer');
    await expectRefused(token, 'Bearer');
    await expectRefused(`Bearer  ${token}`);
    await expectRefused(`Bearer ${token} x`);
    await expectRefused(`Bearer ${token}, Bearer ${token}`);
    await expectRefused('Bearer garbage');
    await expectRefused('Bearer a.b.c');
    await expectRefused('Bearer ..');
    await expectRefused(`Bearer ${token.slice(0, -3)}`);
    await expectRefused(`Bearer ${token}=`);
  });

  test('S03 the scheme is read without regard to case', async () => {
    expect((await call(`bearer ${await signed()}`)).status).toBe(200);
    expect((await call(`BEARER ${await signed()}`)).status).toBe(200);
  });

  test('S04 a token in the query is not read', async () => {
    const response = await call(undefined, `?access_token=${await signed()}`);
    expect(response.status).toBe(401);
  });

  test('S05 expiry has no leeway; issued or valid from later has one minute', async () => {
    const now = Math.floor(clock.nowMilliseconds() / 1000);
    await expectRefused(`Bearer ${await signed({ exp: now - 1 })}`);
    await expectRefused(`Bearer ${await signed({ exp: now })}`);
    expect((await call(`Bearer ${await signed({ exp: now + 1 })}`)).status).toBe(200);
    for (const claim of ['iat', 'nbf'] as const) {
      await expectRefused(`Bearer ${await signed({ [claim]: now + 300 })}`);
      await expectRefused(`Bearer ${await signed({ [claim]: now + 61 })}`);
      expect((await call(`Bearer ${await signed({ [claim]: now + 60 })}`)).status).toBe(200);
    }
  });

  test('S05 a token that is remembered still ends at its second', async () => {
    const now = Math.floor(clock.nowMilliseconds() / 1000);
    const token = await signed({ exp: now + 2 });
    expect((await call(`Bearer ${token}`)).status).toBe(200);
    clock.advance(2_000);
    await expectRefused(`Bearer ${token}`);
  });

  test('S06 no signature, a symmetric one, and keys named by the token itself are 401', async () => {
    const payload = payloadOf(await signed());
    await expectRefused(`Bearer ${encoded({ alg: 'none', typ: 'at+jwt' })}.${encoded(payload)}.`);
    await expectRefused(
      `Bearer ${encoded({ alg: 'none', typ: 'at+jwt', kid: signing.kid })}.${encoded(payload)}.AA`,
    );

    const publicKey = (await importJWK(signing.publicJwk, 'RS256', { extractable: true })) as CryptoKey;
    const secret = new TextEncoder().encode(await exportSPKI(publicKey));
    const symmetric = await new SignJWT(payload)
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: signing.kid })
      .sign(secret);
    await expectRefused(`Bearer ${symmetric}`);

    const own = await generateKeyPair('RS256', { extractable: true });
    const jwk = await exportJWK(own.publicKey);
    for (const header of [
      { jwk },
      { jwk, kid: signing.kid },
      { jku: `${api.baseUrl}/evil.json` },
      { x5u: 'https://evil.example/x' },
      { kid: '../../x' },
      { kid: "' OR 1=1 --" },
      { kid: '__proto__' },
      { kid: await calculateJwkThumbprint(jwk) },
    ]) {
      const forged = await new SignJWT(payload)
        .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', ...header })
        .sign(own.privateKey);
      await expectRefused(`Bearer ${forged}`);
    }
    const critical = { alg: 'RS256', typ: 'at+jwt', kid: signing.kid, crit: ['unknown'], unknown: 1 };
    await expectRefused(`Bearer ${await signedText(critical, JSON.stringify(payload))}`);
  });

  test('S06 a key id of a megabyte costs no look-up', async () => {
    const authenticate = createAuthenticator(api.deps);
    const forged = `${encoded({ alg: 'RS256', typ: 'at+jwt', kid: 'x'.repeat(1_000_000) })}.e30.AA`;
    await expect(authenticate(`Bearer ${forged}`)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('a request whose token was found good a moment ago waits for nothing', async () => {
    const authenticate = createAuthenticator(api.deps);
    const token = await signed();
    const first = authenticate(`Bearer ${token}`);
    expect(first).toBeInstanceOf(Promise);
    expect(authenticate(`Bearer ${token}`)).toBeInstanceOf(Promise);
    const found = await first;
    expect(authenticate(`Bearer ${token}`)).toBe(found);
  });

  test.each([
    ['typ JWT', {}, { typ: 'JWT' }],
    ['no typ', {}, { typ: undefined }],
    ['another issuer', { iss: 'https://evil.example' }, {}],
    ['issuer as a list', { iss: ['http://127.0.0.1'] as unknown as string }, {}],
    ['no issuer', { iss: undefined }, {}],
    ['another audience', { aud: 'https://evil.example' }, {}],
    ['audiences without us', { aud: ['https://evil.example'] }, {}],
    ['no audience', { aud: undefined }, {}],
    ['exp as text', { exp: '9999999999' as unknown as number }, {}],
    ['no exp', { exp: undefined }, {}],
    ['exp as null', { exp: null as unknown as number }, {}],
    ['no grant', { grant: undefined }, {}],
    ['no client', { client_id: undefined }, {}],
    ['an unknown version', { ver: '2020-01-01.none' }, {}],
    ["another client's grant", { client_id: 'oac_000000000000000000000000' }, {}],
    ['another organization', { org: 'org_000000000000000000000000' }, {}],
  ])('S07 %s is 401', async (_, changes, header) => {
    const clean = JSON.parse(JSON.stringify({ ...payloadOf(await signed()), ...changes })) as JWTPayload;
    const { typ } = { typ: 'at+jwt', ...header } as { typ?: string };
    const token = await new SignJWT(clean)
      .setProtectedHeader({ alg: 'RS256', kid: signing.kid, ...(typ === undefined ? {} : { typ }) })
      .sign(signing.key);
    if (_ === 'issuer as a list') expect(Array.isArray(payloadOf(token).iss)).toBe(true);
    await expectRefused(`Bearer ${token}`);
  });

  test('S07 an expiry of 1e400, which reads as infinite, is 401', async () => {
    const payload = JSON.stringify(payloadOf(await signed())).replace(/"exp":\d+/, '"exp":1e400');
    expect((JSON.parse(payload) as { exp: number }).exp).toBe(Number.POSITIVE_INFINITY);
    const header = { alg: 'RS256', typ: 'at+jwt', kid: signing.kid };
    await expectRefused(`Bearer ${await signedText(header, payload)}`);
  });

  test('S08 an unknown grant is 401, a revoked one within 5 seconds', async () => {
    await expectRefused(`Bearer ${await signed({ grant: 'grt_000000000000000000000000' })}`);
    const { access_token } = await tokensOf(api.baseUrl, client);
    expect(await callStatus(api.baseUrl, access_token)).toBe(200);
    const revocation = { at: clock.now().toISOString(), reason: 'test' };
    await api.deps.database.inOrganization(client, (connection) =>
      updateGrantRevoked(connection, client.organization, String(payloadOf(access_token).grant), revocation),
    );
    clock.advance(5_000);
    await api.deps.changes.look();
    await expectRefused(`Bearer ${access_token}`);
  });

  test('S09 a read-only token may read and not write', async () => {
    const readOnly = await registeredClient(api.deps, { read_only: true });
    const { access_token } = await tokensOf(api.baseUrl, readOnly);
    expect(await callStatus(api.baseUrl, access_token)).toBe(200);
    const response = await fetch(`${api.baseUrl}/assets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}`, 'x-api-version': '2026-09-08.gauss' },
    });
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope"');
  });

  test('S11 a token of 9 kB is 401, headers above 16 KiB are 431', async () => {
    await expectRefused(`Bearer ${await signed({ padding: 'x'.repeat(7_000) })}`);
    expect((await call(`Bearer ${'a'.repeat(17_000)}`)).status).toBe(431);
  });
});
