import { decodeProtectedHeader, importJWK, type JWK, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listSigningKeys } from '../../../../src/identity/oauth/keys/queries.ts';
import { rotateSigningKey } from '../../../../src/identity/oauth/keys/rotation.ts';
import { unseal } from '../../../../src/platform/sealed.ts';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { fakeClock } from '../../../setup/clock.ts';
import { storedRows } from '../../../setup/stored-rows.ts';
import { actAt, callStatus, registeredClient, type TestClient, tokensOf } from '../token-requests.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const clock = fakeClock('2026-11-20T10:00:00.000Z');
let api: TestApi;
let client: TestClient;

beforeAll(async () => {
  api = await startApi({ clock, environment: { SIGNING_KEY_DAYS: '90' } });
  client = await registeredClient(api.deps);
});
afterAll(() => api.close());

const kidOf = (token: string) => decodeProtectedHeader(token).kid;
const newToken = async () => (await tokensOf(api.baseUrl, client)).access_token;
const rotate = () => rotateSigningKey(api.deps, actAt(api.deps));

async function published(): Promise<(string | undefined)[]> {
  const response = await fetch(`${api.baseUrl}/.well-known/jwks.json`);
  const { keys } = (await response.json()) as { keys: JWK[] };
  return keys.map((key) => key.kid);
}

async function storedKeys() {
  const now = clock.now().toISOString();
  return await api.deps.database.asService((connection) => listSigningKeys(connection, now));
}

describe('a new key', () => {
  test('is published more than 10 minutes before it signs, and no token becomes invalid', async () => {
    const before = await newToken();
    const { kid, signs_from } = await rotate();
    expect(Date.parse(signs_from) - clock.nowMilliseconds()).toBeGreaterThanOrEqual(10 * MINUTE);
    /* Processes read the keys once a minute. */
    clock.advance(MINUTE);
    expect(await published()).toContain(kid);
    expect(kidOf(await newToken())).toBe(kidOf(before));

    clock.advance(9 * MINUTE);
    const last = await newToken();
    expect(kidOf(last)).toBe(kidOf(before));
    clock.advance(MINUTE);
    const first = await newToken();
    expect(kidOf(first)).toBe(kid);
    for (const token of [before, last, first]) expect(await callStatus(api.baseUrl, token)).toBe(200);

    clock.advance(48 * MINUTE);
    expect(await callStatus(api.baseUrl, before)).toBe(200);
    clock.advance(MINUTE);
    expect(await callStatus(api.baseUrl, before)).toBe(401);
    expect(await callStatus(api.baseUrl, last)).toBe(200);
    expect(await published()).toContain(kidOf(before));
  });

  test('S10 a token of the previous key works during the rotation, and not after the key is gone', async () => {
    const old = await newToken();
    const token = await endless(old);
    await rotate();
    clock.advance(12 * MINUTE);
    expect(await callStatus(api.baseUrl, token)).toBe(200);
    expect(kidOf(await newToken())).not.toBe(kidOf(old));
    clock.advance(68 * MINUTE);
    expect(await callStatus(api.baseUrl, token)).toBe(200);
    expect(await published()).toContain(kidOf(old));
    clock.advance(2 * MINUTE);
    expect(await published()).not.toContain(kidOf(old));
    /* Tokens of ours ended 10 minutes before. One that did not is believed for as long as any other. */
    clock.advance(13 * MINUTE);
    expect(await callStatus(api.baseUrl, token)).toBe(401);
  });

  test('is not made while another one waits, and each rotation stands in the audit log', async () => {
    const { kid } = await rotate();
    await expect(rotate()).rejects.toThrow('A new key is published already');
    const attempts = await Promise.allSettled([rotate(), rotate()]);
    expect(attempts.map((attempt) => attempt.status)).toEqual(['rejected', 'rejected']);
    clock.advance(11 * MINUTE);
    const rows = await storedRows(
      api,
      "SELECT staff, reason, route, result FROM audit_log WHERE act = 'signing_key.rotate' AND object_id = $1",
      [kid],
    );
    expect(rows).toEqual([{ staff: 'test', reason: 'a test needs it', route: 'test', result: 'done' }]);
  });

  test('of simultaneous rotations one makes the key', async () => {
    const attempts = await Promise.allSettled(Array.from({ length: 5 }, rotate));
    expect(attempts.filter((attempt) => attempt.status === 'fulfilled')).toHaveLength(1);
    clock.advance(11 * MINUTE);
    expect((await storedKeys()).filter((key) => key.signs)).toHaveLength(1);
  });

  test('comes by itself when the newest one is old enough, without a gap', async () => {
    clock.advance(89 * DAY);
    const before = kidOf(await newToken());
    expect((await storedKeys()).map((key) => key.kid)).toEqual([before]);
    clock.advance(2 * DAY);
    expect(kidOf(await newToken())).toBe(before);
    /* Made beside the request that found the old one. */
    while ((await storedKeys()).length < 2);
    clock.advance(12 * MINUTE);
    expect(kidOf(await newToken())).not.toBe(before);
    const rows = await storedRows<{ reason: string }>(
      api,
      "SELECT reason FROM audit_log WHERE act = 'signing_key.rotate' AND staff IS NULL",
    );
    expect(rows).toEqual([{ reason: 'older than 90 days' }]);
  });

  /** A token as the service itself signed it, but without an end: only the key can make it invalid. */
  async function endless(token: string): Promise<string> {
    const row = (await storedKeys()).find((key) => key.kid === kidOf(token));
    if (row === undefined) throw new Error('The key of the token is not there');
    const jwk = unseal(
      api.deps.config.ENCRYPTION_KEY,
      'signing-key',
      row.kid,
      row.private_key_encrypted,
    ).toString();
    const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as JWTPayload;
    return await new SignJWT({ ...payload, exp: Number(payload.exp) + 86_400 })
      .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: row.kid })
      .sign(await importJWK(JSON.parse(jwk) as JWK, 'RS256'));
  }
});
