import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { withDatabaseClient } from '../../../../src/platform/database/setup.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../../faults/database-proxy.ts';
import { startApi } from '../../../setup/api.ts';
import { fakeClock } from '../../../setup/clock.ts';
import { createTestDatabase, type TestDatabase } from '../../../setup/database.ts';
import { storedRows } from '../../../setup/stored-rows.ts';
import { sampled } from '../../../setup/tier.ts';
import { expectRefused, tokensIn } from '../code-exchange.ts';
import { callStatus, type TokenAnswer } from '../token-requests.ts';
import { clientWithCustomer, consented, exchange } from '../visitor.ts';

/* K21: whatever ends an exchange in its middle, there is never a token together with a code that still works. */

const clock = fakeClock('2026-11-20T10:00:00.000Z');
let database: TestDatabase;
let proxy: DatabaseProxy;
let api: Awaited<ReturnType<typeof startApi>>;

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startDatabaseProxy(database.appUrl, { after: 'insert into "refresh_tokens"' });
  api = await startApi({ clock, database: { ...database, appUrl: proxy.url } });
  await asAdmin(`CREATE FUNCTION kill_exchange() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN
      IF NOT EXISTS (SELECT FROM authorization_codes WHERE used_at IS NOT NULL AND xmin = pg_current_xact_id()::xid) THEN
        RAISE EXCEPTION 'This transaction has used no code up';
      END IF;
      PERFORM pg_terminate_backend(pg_backend_pid());
      PERFORM pg_sleep(60);
      RETURN NEW;
    END $$`);
});
afterEach(() => proxy.heal());
afterAll(async () => {
  await api?.close();
  await proxy?.close();
  await database?.drop();
});

const asAdmin = (text: string) => withDatabaseClient(database.adminUrl, (admin) => admin.query(text));

async function newCode() {
  const made = await clientWithCustomer(api);
  return { ...made, code: (await consented(api, made.client, made.email)).get('code') ?? '' };
}

function expectNothing(answer: TokenAnswer): void {
  expect([answer.status, answer.body.error]).toEqual([503, 'temporarily_unavailable']);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(5);
  expect(answer.body).not.toHaveProperty('access_token');
  expect(answer.body).not.toHaveProperty('refresh_token');
}

const grantsOf = (client: string) =>
  storedRows<{ revoked: boolean }>(
    { database },
    'SELECT revoked_at IS NOT NULL AS revoked FROM grants WHERE client_id = $1',
    [client],
  );

describe('the exchange of a code is cut off', () => {
  const moments = [
    ['before the grant is written', 'TRIGGER', 'BEFORE INSERT ON grants', ''],
    ['before the refresh token is written', 'TRIGGER', 'BEFORE INSERT ON refresh_tokens', ''],
    ['behind everything', 'TRIGGER', 'AFTER INSERT ON audit_log', ''],
    ['inside COMMIT', 'CONSTRAINT TRIGGER', 'AFTER INSERT ON grants', 'DEFERRABLE INITIALLY DEFERRED'],
  ] as const;
  test.each(sampled(moments, 2, 1))(
    'K21 the database kills the connection %s: no token, and the code is whole and works once',
    async (_, kind, moment, when) => {
      const { client, code } = await newCode();
      await asAdmin(
        `CREATE ${kind} kill_exchange ${moment} ${when} FOR EACH ROW EXECUTE FUNCTION kill_exchange()`,
      );
      expectNothing(await exchange(api, client, code));
      await asAdmin(`DROP TRIGGER kill_exchange ON ${moment.split(' ').at(-1)}`);
      expect(await grantsOf(client.id)).toEqual([]);

      const { access_token } = tokensIn(await exchange(api, client, code));
      expect(await callStatus(api.baseUrl, access_token, '/households')).toBe(200);
      expectRefused(await exchange(api, client, code));
      expect(await grantsOf(client.id)).toEqual([{ revoked: true }]);
    },
  );

  test('K21 the connection breaks before COMMIT arrives: no token, and the code is whole', async () => {
    const { client, code } = await newCode();
    proxy.fault = 'lose-commit';
    expectNothing(await exchange(api, client, code));
    expect(proxy.fault).toBe('none');
    expect(await grantsOf(client.id)).toEqual([]);
    expect((await exchange(api, client, code)).status).toBe(200);
  });

  test('K21 the answer of COMMIT is lost: no token, the code is used up, and coming back with it ends the grant', async () => {
    const { client, code } = await newCode();
    proxy.fault = 'lose-answer-of-commit';
    expectNothing(await exchange(api, client, code));
    expect(proxy.fault).toBe('none');
    expect(await grantsOf(client.id)).toEqual([{ revoked: false }]);
    expectRefused(await exchange(api, client, code));
    expect(await grantsOf(client.id)).toEqual([{ revoked: true }]);
  });
});
