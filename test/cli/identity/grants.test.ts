import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { callStatus, refreshed } from '../../identity/oauth/token-requests.ts';
import { clientWithCustomer, consented, exchange } from '../../identity/oauth/visitor.ts';
import { startApi } from '../../setup/api.ts';
import { fakeClock } from '../../setup/clock.ts';
import { runCommand } from '../command-line.ts';

const clock = fakeClock('2026-11-20T10:00:00.000Z');
const why = ['--reason', 'ticket 17', '--staff', 'ada'];
let api: Awaited<ReturnType<typeof startApi>>;
let environment: Record<string, string>;

beforeAll(async () => {
  api = await startApi({ clock });
  const { SECRET_PEPPER, ENCRYPTION_KEY, DATABASE_URL } = api.deps.config;
  environment = { APP_ENV: 'test', SECRET_PEPPER, ENCRYPTION_KEY, DATABASE_URL };
});
afterAll(() => api.close());

const run = (...args: string[]) => runCommand(environment, 'grants', ...args);

/* Each command is a process of its own, which takes seconds on a busy machine. */
describe('grants', () => {
  test('are listed by organization, client and customer, and end when they are revoked', async () => {
    const made = await clientWithCustomer(api);
    const { organization, id: client } = made.client;
    const code = (await consented(api, made.client, made.email)).get('code') ?? '';
    const tokens = (await exchange(api, made.client, code)).body;

    const list = async (...more: string[]) => {
      const { exitCode, stdout } = await run('list', '--organization', organization, '--json', ...more);
      expect(exitCode).toBe(0);
      return JSON.parse(stdout) as { id: string }[];
    };
    const [grant] = await list('--customer', made.customer, '--client', client);
    expect(grant).toMatchObject({
      kind: 'authorization_code',
      client_id: client,
      customer_id: made.customer,
      scopes: ['read:*', 'write:*'],
      revoked_at: null,
    });

    const revoked = await run('revoke', grant?.id ?? '', ...why, '--json');
    expect(JSON.parse(revoked.stdout)).toMatchObject({ id: grant?.id, revoked_reason: 'operator' });
    expect(await list()).toEqual([]);
    expect((await list('--all')).map(({ id }) => id)).toEqual([grant?.id]);
    expect((await refreshed(api.baseUrl, made.client, String(tokens.refresh_token))).status).toBe(401);
    clock.advance(5_000);
    expect(await callStatus(api.baseUrl, String(tokens.access_token))).toBe(401);
    const { rows } = await withDatabaseClient(api.database.adminUrl, (admin) =>
      admin.query("SELECT staff, reason, object_id FROM audit_log WHERE act = 'grant.revoke'"),
    );
    expect(rows).toEqual([{ staff: 'ada', reason: 'ticket 17', object_id: grant?.id }]);
  });

  test('that nobody has are named, and a change needs its reason', async () => {
    for (const id of ['grt_000000000000000000000000', 'x']) {
      const { exitCode, stderr } = await run('revoke', id, ...why);
      expect([exitCode, stderr]).toEqual([1, `There is no grant ${id}\n`]);
    }
    expect((await run('revoke', 'grt_000000000000000000000000')).exitCode).toBe(2);
  });
});
