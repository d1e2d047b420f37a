import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sentencesOf } from '../../src/cli/engine/sentences.ts';
import { openDatabase } from '../../src/platform/database/db.ts';
import { newId } from '../../src/platform/ids.ts';
import { runCommand } from '../cli/command-line.ts';
import { newLead } from '../contracts/leads/lead-bodies.ts';
import { mailedCode, type Page, Visitor } from '../identity/oauth/visitor.ts';
import { codePage, consoleUser, press, signedIn } from '../pages/console/console.ts';
import { endConnections } from '../setup/administrator.ts';
import { startApi, type TestApi, testEnvironment } from '../setup/api.ts';
import type { ApiClient } from '../setup/client.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { createHousehold, createPlan, createSubscription, createTenant } from '../setup/factories.ts';
import { insertReferenceRows } from '../setup/reference-rows.ts';
import { storedRows } from '../setup/stored-rows.ts';
import type { ErrorBody } from '../telemetry/assets/devices.ts';
import { type DatabaseProxy, startDatabaseProxy } from './database-proxy.ts';

let database: TestDatabase;
let proxy: DatabaseProxy;
let api: TestApi;
let client: ApiClient;
let plan: string;
let organization: string;
beforeAll(async () => {
  database = await createTestDatabase();
  const acts = ['subscription.terminate', 'portal.sign_in', 'console.sign_in', 'console.sign_out'];
  proxy = await startDatabaseProxy(database.appUrl, {
    after: ['"leads"', 'insert into "auth_clients"', ...acts],
  });
  api = await startApi({ database: { ...database, appUrl: proxy.url } });
  const tenant = await createTenant(api);
  organization = tenant.organization;
  client = api.client(tenant.token);
  plan = (await createPlan(api.deps, organization, { slug: 'strom' })).id;
  await insertReferenceRows({ database });
});
afterEach(() => proxy.heal());
afterAll(async () => {
  await api?.close();
  await proxy?.close();
  await database?.drop();
});

const count = async (table: string, where: string, value: string) => {
  const text = `SELECT count(*)::int AS n FROM ${table} WHERE ${where} = $1`;
  return (await storedRows<{ n: number }>({ database }, text, [value]))[0]?.n;
};
const post = (mark: string, headers = {}) =>
  client.post<ErrorBody>('/leads', newLead(plan, { metadata: { mark } }), { headers });
const leads = (mark: string) => count('leads', "metadata ->> 'mark'", mark);

const linkOf = async (customerId: string) =>
  (await client.post<{ link: string }>('/admin/magic_link', { customerId })).body.link;

describe('F34 the answer of a COMMIT is lost', () => {
  test('after a change: 503 says that the outcome is unknown and how to go on', async () => {
    proxy.fault = 'lose-answer-of-commit';
    const answer = await post('plain');
    expect(proxy.strikes).toBe(1);
    expect(answer).toMatchObject({ status: 503, body: { code: 'INTERNAL_SERVER_ERROR' } });
    expect(answer.body.message).toContain('the outcome of the commit is unknown');
    expect(answer.body.message).toContain('With the same Idempotency-Key it may be sent again');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(5);
    expect(await leads('plain')).toBe(1);
  });

  test.each(['lose-answer-of-commit', 'lose-commit'] as const)(
    'with an Idempotency-Key (%s): sent again, the change is there once',
    async (fault) => {
      proxy.fault = fault;
      const key = { 'Idempotency-Key': fault };
      expect((await post(fault, key)).status).toBe(503);
      expect((await post(fault, key)).status).toBe(200);
      expect(await leads(fault)).toBe(1);
    },
  );

  test('of a read: 503 says only that it may be sent again', async () => {
    proxy.fault = 'lose-answer-of-commit';
    const answer = await client.get<ErrorBody>('/leads');
    expect(answer.status).toBe(503);
    expect(answer.body.message).toBe('The service is busy or restarting; try again shortly');
  });

  test('of a form of the console: its page says to look first, and pressed again the form does nothing more', async () => {
    const visitor = await signedIn(api, organization);
    const page = await visitor.open(`${api.baseUrl}/console/keys`);
    const fields = { display_name: 'Lost commit', reason: 'ticket 17' };
    proxy.fault = 'lose-answer-of-commit';
    const lost = await press(visitor, page, '/console/keys', fields);
    expect([lost.status, lost.text]).toEqual([503, expect.stringContaining('Please look first')]);
    expect(lost.text).not.toContain('try again');
    expect((await press(visitor, page, '/console/keys', fields)).status).toBe(303);
    expect(await count('auth_clients', 'display_name', fields.display_name)).toBe(1);
  });

  test('of a form about a contract: its page says to look first', async () => {
    const place = await createHousehold(api.deps, organization);
    const contract = await createSubscription(api.deps, organization, place, {
      ...{ status: 'active', start_at: '2025-12-31T23:00:00Z', confirmed_at: '2025-12-10T10:00:00Z' },
    });
    const visitor = new Visitor();
    await visitor.submit(await visitor.open(await linkOf(place.customer)), {});
    const page = await visitor.open(
      `${api.deps.config.portalUrl}/overview/contracts/${contract.id}/terminate`,
    );
    proxy.fault = 'lose-answer-of-commit';
    const lost = await visitor.submit(page, { kind: 'ORDINARY', day: '' });
    expect([lost.status, lost.text]).toEqual([503, expect.stringContaining('Please look first')]);
  });

  test('of a form behind which nothing can be looked up: its page says to try again', async () => {
    const expectBusy = ({ status, text }: Page) => {
      expect([status, text]).toEqual([503, expect.stringContaining('Please try again in a minute')]);
      expect(text).not.toContain('look first');
      expect(proxy.fault).toBe('none');
    };
    const { customer } = await createHousehold(api.deps, organization);
    const visitor = new Visitor();
    const confirm = await visitor.open(await linkOf(customer));
    proxy.fault = 'lose-answer-of-commit';
    expectBusy(await visitor.submit(confirm, {}));
    const user = new Visitor();
    const email = await consoleUser(api, organization);
    const verify = await codePage(api, user, email);
    const code = (await mailedCode(api, email)) ?? '';
    proxy.fault = 'lose-answer-of-commit';
    expectBusy(await user.submit(verify, { code }));
    const other = await signedIn(api, organization);
    const page = await other.open(`${api.baseUrl}/console`);
    proxy.fault = 'lose-answer-of-commit';
    expectBusy(await other.submit(page, {}));
  });

  test('of a command: it says so, and what it did is there once', async () => {
    const line = await startDatabaseProxy(database.appUrl, { after: 'insert into "audit_log"' });
    line.fault = 'lose-answer-of-commit';
    const name = `Example ${newId('org')}`;
    const environment = { ...testEnvironment(database, 'redis://127.0.0.1:1'), DATABASE_URL: line.url };
    const act = ['--reason', 'ticket 17', '--staff', 'ada'];
    const lost = await runCommand(environment, 'organizations', 'create', '--name', name, ...act);
    await endConnections([line.url]);
    await line.close();
    expect(lost).toMatchObject({ exitCode: 1, stdout: '' });
    expect(lost.stderr).toContain(
      'the outcome of the commit is unknown: look what is stored before you run the command once more',
    );
    expect(await count('organizations', 'name', name)).toBe(1);
  });
});

test('a transaction that the server had ended before its COMMIT is not called unknown', async () => {
  const ended = Promise.withResolvers<void>();
  const other = openDatabase({
    ...{ url: database.appUrl, applicationName: 'ended', connectionsMax: 1 },
    transactionMilliseconds: 50,
    onError: () => ended.resolve(),
  });
  const failure: unknown = await other.asService(() => ended.promise).catch((error: unknown) => error);
  await other.close();
  expect(sentencesOf(failure)).toContain('Its last transaction was rolled back');
});
