import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newAuthorizationCode } from '../../../../src/identity/oauth/protocol/secrets.ts';
import { withDatabaseClient } from '../../../../src/platform/database/setup.ts';
import { startApi } from '../../../setup/api.ts';
import { fakeClock } from '../../../setup/clock.ts';
import { isLongTier, sampled } from '../../../setup/tier.ts';
import { expectRefused, s256, tokensIn, VERIFIER } from '../code-exchange.ts';
import {
  basic,
  callStatus,
  refreshed,
  registeredClient,
  requestToken,
  type Tokens,
} from '../token-requests.ts';
import { clientWithCustomer, consented, exchange, REDIRECT_URI } from '../visitor.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const clock = fakeClock('2026-11-20T10:00:00.000Z');
let api: Awaited<ReturnType<typeof startApi>>;

beforeAll(async () => {
  api = await startApi({ clock, environment: { DATABASE_CONNECTIONS_MAX: '24' } });
});
afterAll(() => api.close());

type Made = Awaited<ReturnType<typeof clientWithCustomer>>;

const madeWith = (input: Parameters<typeof clientWithCustomer>[1] = {}) => clientWithCustomer(api, input);

async function codeOf(made: Made, parameters: Record<string, string> = {}): Promise<string> {
  return (await consented(api, made.client, made.email, parameters)).get('code') ?? '';
}

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

async function replaysOf({ id }: { id: string }) {
  const { rows } = await withDatabaseClient(api.database.adminUrl, (admin) =>
    admin.query("SELECT object_id FROM audit_log WHERE act = 'token.replay' AND client_id = $1", [id]),
  );
  return rows;
}

describe('exchanging a code', () => {
  test('K01 gives tokens that act for the customer, also after a refresh', async () => {
    const made = await madeWith();
    const answer = await exchange(api, made.client, await codeOf(made));
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'read:* write:*' });
    const tokens = tokensIn(answer);
    const next = tokensIn(await refreshed(api.baseUrl, made.client, tokens.refresh_token));
    for (const { access_token } of [tokens, next]) {
      expect(claimsOf(access_token)).toMatchObject({
        sub: made.customer,
        customer: made.customer,
        role: 'customer',
        client_id: made.client.id,
        org: made.client.organization,
      });
    }
  });

  test.each(sampled(['2026-01-29.edison', '2026-05-27.curie', '2026-09-08.gauss'], 3))(
    'K01 the header X-API-Version (%s) is not read, and the names of RFC 6749 stay',
    async (version) => {
      const made = await madeWith();
      const body = { grant_type: 'authorization_code', code: await codeOf(made), redirect_uri: REDIRECT_URI };
      const options = { authorization: basic(made.client), headers: { 'x-api-version': version } };
      expect((await requestToken(api.baseUrl, body, options)).status).toBe(200);
      expectRefused(await requestToken(api.baseUrl, body, options));
    },
  );

  test('K02 a second use is refused and ends what the first one gave', async () => {
    const made = await madeWith();
    const code = await codeOf(made);
    const tokens = tokensIn(await exchange(api, made.client, code));
    const next = tokensIn(await refreshed(api.baseUrl, made.client, tokens.refresh_token));
    clock.advance(SECOND);
    expectRefused(await exchange(api, made.client, code));
    expect((await refreshed(api.baseUrl, made.client, next.refresh_token)).body.error).toBe('invalid_grant');
    clock.advance(5 * SECOND);
    expect(await callStatus(api.baseUrl, tokens.access_token)).toBe(401);
    expect(await callStatus(api.baseUrl, next.access_token)).toBe(401);
    expect(await replaysOf(made.client)).toEqual([{ object_id: claimsOf(tokens.access_token).grant }]);
  });

  test('R02 a refresh token of a consent that comes back after its use ends the consent', async () => {
    const made = await madeWith();
    const first = tokensIn(await exchange(api, made.client, await codeOf(made)));
    const second = tokensIn(await refreshed(api.baseUrl, made.client, first.refresh_token));
    clock.advance(3 * SECOND);
    for (const { refresh_token } of [first, second]) {
      const refused = await refreshed(api.baseUrl, made.client, refresh_token);
      expect([refused.status, refused.body.error]).toEqual([401, 'invalid_grant']);
      expect(refused.headers.get('www-authenticate')).toBeNull();
    }
    clock.advance(5 * SECOND);
    for (const { access_token } of [first, second]) {
      expect(await callStatus(api.baseUrl, access_token)).toBe(401);
    }
  });

  test('K03 of twenty at once on two processes one gets tokens, and the rest ends them', async () => {
    const { config } = api.deps;
    const { SECRET_PEPPER, ENCRYPTION_KEY, CURSOR_KEY } = config;
    const second = await startApi({
      clock,
      database: api.database,
      environment: { SECRET_PEPPER, ENCRYPTION_KEY, CURSOR_KEY, BASE_URL: config.BASE_URL },
    });
    try {
      const made = await madeWith();
      const code = await codeOf(made);
      const processes = [api.baseUrl, `http://127.0.0.1:${second.deps.config.PORT}`];
      const answers = await Promise.all(
        Array.from({ length: isLongTier ? 20 : 8 }, (_, at) =>
          exchange({ baseUrl: processes[at % 2] ?? '' }, made.client, code),
        ),
      );
      const won = answers.filter(({ status }) => status === 200);
      expect(won).toHaveLength(1);
      for (const answer of answers) if (answer.status !== 200) expectRefused(answer);
      const winner = won[0]?.body as unknown as Tokens;
      clock.advance(5 * SECOND);
      expect(await callStatus(api.baseUrl, winner.access_token)).toBe(401);
    } finally {
      await second.close();
    }
  });

  test('K04 a code lives for 10 minutes, and who presents it later is no thief', async () => {
    const made = await madeWith();
    const early = await codeOf(made);
    clock.advance(9 * MINUTE + 59 * SECOND);
    expect((await exchange(api, made.client, early)).status).toBe(200);
    const late = await codeOf(made);
    clock.advance(10 * MINUTE + SECOND);
    for (let attempt = 0; attempt < 2; attempt += 1) expectRefused(await exchange(api, made.client, late));
    expect(await replaysOf(made.client)).toEqual([]);
  });

  test('K05 another client burns it, also one of another organization, and the audit log has the attempt', async () => {
    const made = await madeWith();
    const sister = await registeredClient(
      api.deps,
      { redirect_uris: [REDIRECT_URI] },
      made.client.organization,
    );
    const stranger = await registeredClient(api.deps, { redirect_uris: [REDIRECT_URI] });
    for (const thief of [sister, stranger]) {
      const code = await codeOf(made);
      const refused = await exchange(api, thief, code);
      expectRefused(refused);
      expectRefused(await exchange(api, made.client, code));
      const { rows } = await withDatabaseClient(api.database.adminUrl, (admin) =>
        admin.query(
          'SELECT organization_id, client_id, result FROM audit_log WHERE request_id = $1 ORDER BY client_id',
          [refused.body.requestId],
        ),
      );
      const noted = { organization_id: thief.organization, client_id: thief.id, result: 'invalid_grant' };
      const there = { organization_id: made.client.organization, client_id: null, result: 'invalid_grant' };
      expect(rows).toEqual(thief === sister ? [noted] : [noted, there]);
    }
  });

  test('K02 a used code that a client of another organization presents ends what it gave', async () => {
    const made = await madeWith();
    const code = await codeOf(made);
    const tokens = tokensIn(await exchange(api, made.client, code));
    const stranger = await registeredClient(api.deps, { redirect_uris: [REDIRECT_URI] });
    expectRefused(await exchange(api, stranger, code));
    expect((await refreshed(api.baseUrl, made.client, tokens.refresh_token)).body.error).toBe(
      'invalid_grant',
    );
    expect(await callStatus(api.baseUrl, tokens.access_token)).toBe(401);
    const { rows } = await withDatabaseClient(api.database.adminUrl, (admin) =>
      admin.query("SELECT object_id FROM audit_log WHERE act = 'token.replay' AND organization_id = $1", [
        made.client.organization,
      ]),
    );
    expect(rows).toEqual([{ object_id: claimsOf(tokens.access_token).grant }]);
  });

  test('K06 K07 the address must be the same text, and in the body', async () => {
    const made = await madeWith();
    const others = [`${REDIRECT_URI}/`, `${REDIRECT_URI}?`, 'https://app.example/other'];
    for (const redirect_uri of sampled(others, 2)) {
      expectRefused(await exchange(api, made.client, await codeOf(made), { redirect_uri }));
      clock.advance(15 * MINUTE);
    }
    const code = await codeOf(made);
    const body = { grant_type: 'authorization_code', code };
    const authorization = basic(made.client);
    expectRefused(await requestToken(api.baseUrl, body, { authorization }), 'invalid_request');
    const query = `?redirect_uri=${encodeURIComponent(REDIRECT_URI)}`;
    expectRefused(await requestToken(api.baseUrl, body, { authorization, query }), 'invalid_request');
    expect((await exchange(api, made.client, code)).status).toBe(200);
  });

  test('K08 a code that is none is refused, never a defect', async () => {
    const { client } = await madeWith();
    const authorization = basic(client);
    const body = { grant_type: 'authorization_code', redirect_uri: REDIRECT_URI };
    for (const more of [{}, { code: '' }, { 'code[]': 'x' }]) {
      expectRefused(
        await requestToken(api.baseUrl, { ...body, ...more }, { authorization }),
        'invalid_request',
      );
    }
    for (const code of ['x'.repeat(10_000), 'a\0b\n\u001b', newAuthorizationCode()]) {
      expectRefused(await exchange(api, client, code));
    }
  });

  test('K16 a client with a secret needs it, verifier or not', async () => {
    const made = await madeWith();
    const pkce = { code_challenge: s256(VERIFIER), code_challenge_method: 'S256' };
    const code = await codeOf(made, pkce);
    const answer = await exchange(api, { ...made.client, secret: '' }, code, { code_verifier: VERIFIER });
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
    expect((await exchange(api, made.client, code, { code_verifier: VERIFIER })).status).toBe(200);
  });

  test('K20 codes are long, safe in an address and never the same', () => {
    const codes = new Set<string>();
    const count = isLongTier ? 100_000 : 2_000;
    for (let number = 0; number < count; number += 1) codes.add(newAuthorizationCode());
    expect(codes.size).toBe(count);
    for (const code of codes) if (!/^acd_[A-Za-z0-9_-]{43}$/.test(code)) throw new Error(code);
  });

  test('K21 what fails behind the code takes everything back: no token, and the code still whole', async () => {
    const made = await madeWith();
    const code = await codeOf(made);
    const asAdmin = (text: string) => withDatabaseClient(api.database.adminUrl, (admin) => admin.query(text));
    await asAdmin('REVOKE INSERT ON refresh_tokens FROM voltstream_app');
    const failed = await exchange(api, made.client, code);
    expect([failed.status, failed.body.error]).toEqual([500, 'server_error']);
    expect(failed.body.access_token).toBeUndefined();
    await asAdmin('GRANT INSERT ON refresh_tokens TO voltstream_app');
    expect((await exchange(api, made.client, code)).status).toBe(200);
  });

  test('a client without refresh_token gets an access token only', async () => {
    const made = await madeWith({ grants: ['authorization_code'] });
    const answer = await exchange(api, made.client, await codeOf(made));
    expect(answer.status).toBe(200);
    expect(answer.body.refresh_token).toBeUndefined();
  });
});
