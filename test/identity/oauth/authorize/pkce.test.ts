import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isProven } from '../../../../src/identity/oauth/authorize/pkce.ts';
import { withDatabaseClient } from '../../../../src/platform/database/setup.ts';
import { logLines } from '../../../platform/counted-requests.ts';
import { startApi } from '../../../setup/api.ts';
import { fakeClock } from '../../../setup/clock.ts';
import { CHALLENGE, expectRefused, s256, tokensIn, VERIFIER } from '../code-exchange.ts';
import { requestToken, type TestClient } from '../token-requests.ts';
import { clientWithCustomer, consented, exchange } from '../visitor.ts';

const MINUTE = 60_000;
const clock = fakeClock('2026-11-20T10:00:00.000Z');
const lines = logLines();
let api: Awaited<ReturnType<typeof startApi>>;

beforeAll(async () => {
  api = await startApi({ clock, log: lines.log });
});
afterAll(() => api.close());

type Made = Awaited<ReturnType<typeof clientWithCustomer>>;

const madeWith = (input: Parameters<typeof clientWithCustomer>[1] = {}) => clientWithCustomer(api, input);

async function codeOf(made: Made, parameters: Record<string, string> = {}): Promise<string> {
  return (await consented(api, made.client, made.email, parameters)).get('code') ?? '';
}

describe('PKCE', () => {
  const pkce = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };

  test('K09 S256 with the right verifier', async () => {
    expect(s256(VERIFIER)).toBe(CHALLENGE);
    const made = await madeWith();
    const answer = await exchange(api, made.client, await codeOf(made, pkce), { code_verifier: VERIFIER });
    expect(answer.status).toBe(200);
  });

  test('K10 a wrong verifier burns the code', async () => {
    const made = await madeWith();
    const code = await codeOf(made, pkce);
    expectRefused(await exchange(api, made.client, code, { code_verifier: 'a'.repeat(43) }));
    expectRefused(await exchange(api, made.client, code, { code_verifier: VERIFIER }));
  });

  test('K10 a challenge is compared to its last character', () => {
    expect(isProven(CHALLENGE, VERIFIER)).toBe(true);
    expect(isProven(CHALLENGE.replace(/.$/, 'A'), VERIFIER)).toBe(false);
    expect(isProven(CHALLENGE.slice(0, -1), VERIFIER)).toBe(false);
  });

  test('K11 K12 K13 a missing verifier, the challenge itself, a verifier without challenge', async () => {
    const made = await madeWith();
    expectRefused(await exchange(api, made.client, await codeOf(made, pkce)));
    clock.advance(15 * MINUTE);
    const challenge = { code_verifier: pkce.code_challenge };
    expectRefused(await exchange(api, made.client, await codeOf(made, pkce), challenge));
    clock.advance(15 * MINUTE);
    expectRefused(await exchange(api, made.client, await codeOf(made), { code_verifier: VERIFIER }));
  });

  test('K14 plain, equal and unequal', async () => {
    const made = await madeWith();
    const plain = { code_challenge: VERIFIER };
    const right = await exchange(api, made.client, await codeOf(made, plain), { code_verifier: VERIFIER });
    expect(right.status).toBe(200);
    const wrong = { code_verifier: `${VERIFIER}x` };
    expectRefused(await exchange(api, made.client, await codeOf(made, plain), wrong));
    const { rows } = await withDatabaseClient(api.database.adminUrl, (admin) =>
      admin.query(
        "SELECT string_agg(a::text || r::text, ' ') AS kept FROM authorization_codes a, authorization_requests r",
      ),
    );
    expect(rows[0].kept).not.toContain(VERIFIER);
  });

  test('K15 a verifier has 43 to 128 characters of a few kinds; what is malformed does not burn the code', async () => {
    const made = await madeWith();
    const long = 'a'.repeat(128);
    const code = await codeOf(made, { code_challenge: s256(long), code_challenge_method: 'S256' });
    for (const bad of ['a'.repeat(42), 'a'.repeat(129), `${VERIFIER}!`, `${VERIFIER} `, `${VERIFIER}é`]) {
      expectRefused(await exchange(api, made.client, code, { code_verifier: bad }), 'invalid_request');
    }
    expect((await exchange(api, made.client, code, { code_verifier: long })).status).toBe(200);
  });

  test('K17 K18 a public client gets tokens by its verifier, refreshes them, and has no secret', async () => {
    const made = await madeWith({ public: true });
    const code_verifier = { code_verifier: VERIFIER };
    const code = await codeOf(made, pkce);
    const made_up: TestClient = { ...made.client, secret: 'made-up' };
    const refused = await exchange(api, made_up, code, code_verifier);
    expect([refused.status, refused.body.error]).toEqual([401, 'invalid_client']);
    const tokens = tokensIn(await exchange(api, made.client, code, code_verifier));
    const refresh = async (refresh_token: string) =>
      await requestToken(api.baseUrl, {
        grant_type: 'refresh_token',
        refresh_token,
        client_id: made.client.id,
      });
    const next = tokensIn(await refresh(tokens.refresh_token));
    expect(next.refresh_token).not.toBe(tokens.refresh_token);
    expect((await refresh(tokens.refresh_token)).status).toBe(401);
  });

  test('K19 the same challenge in two flows of a client is accepted, and logged by the name of the client', async () => {
    const made = await madeWith();
    const logged = () =>
      lines
        .text()
        .split('\n')
        .filter((line) => line.includes('code challenge a second time') && line.includes(made.client.id));
    for (let flow = 0; flow < 2; flow += 1) {
      const code = await codeOf(made, pkce);
      expect((await exchange(api, made.client, code, { code_verifier: VERIFIER })).status).toBe(200);
      expect(logged()).toHaveLength(flow);
    }
    expect(lines.text()).not.toContain(CHALLENGE);
  });
});
