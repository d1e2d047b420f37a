import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCustomer } from '../../../../src/identity/customers/service.ts';
import { lockCounted } from '../../../../src/identity/oauth/sign-in/one-time-code-queries.ts';
import { addressHash } from '../../../../src/identity/oauth/sign-in/one-time-codes.ts';
import { withDatabaseClient } from '../../../../src/platform/database/setup.ts';
import { startApi } from '../../../setup/api.ts';
import { fakeClock } from '../../../setup/clock.ts';
import type { TestClient } from '../token-requests.ts';
import {
  answerOf,
  authorizeUrl,
  clientWithCustomer,
  exchange,
  loginPage,
  mailedCode,
  newEmail,
  type Page,
  Visitor,
} from '../visitor.ts';

const clock = fakeClock('2026-11-20T10:00:00.000Z');
let api: Awaited<ReturnType<typeof startApi>>;
let client: TestClient;
let known: string;

beforeAll(async () => {
  api = await startApi({ clock });
  ({ client, email: known } = await clientWithCustomer(api));
});
afterAll(() => api.close());

const person = { type: 'person', first_name: 'Jürgen', last_name: "O'Neill", company_name: '' };
const company = { ...person, type: 'company', company_name: 'Käserei & Söhne' };

const toSignUp = (visitor: Visitor): Promise<Page> =>
  loginPage(api, visitor, { client_id: client.id, flow_type: 'signup' });

async function signUp(fields: Record<string, string>): Promise<URLSearchParams> {
  const visitor = new Visitor();
  const verify = await visitor.follow(await visitor.submit(await toSignUp(visitor), fields), api.baseUrl);
  const code = (await mailedCode(api, fields.email ?? '')) ?? '';
  const consent = await visitor.follow(await visitor.submit(verify, { code }), api.baseUrl);
  return answerOf(await visitor.submit(consent, { decision: 'allow' }));
}

async function customersWith(email: string) {
  const { rows } = await withDatabaseClient(api.database.adminUrl, (admin) =>
    admin.query(
      `SELECT c.id, c.type, c.first_name, c.last_name, c.company_name, c.organization_id,
              (SELECT count(*)::int FROM audit_log a WHERE a.object_id = c.id AND a.act = 'customer.create') AS audited
         FROM customers c WHERE c.email = $1`,
      [email],
    ),
  );
  return rows;
}

async function isWaitedFor(): Promise<boolean> {
  const { rows } = await withDatabaseClient(api.database.adminUrl, (admin) =>
    admin.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`,
    ),
  );
  return rows.length > 0;
}

describe('flow_type=signup', () => {
  test.each([
    ['person', person],
    ['company', company],
  ])('makes a %s a customer without a subscription, once the address is proven', async (_, fields) => {
    const email = newEmail();
    const visitor = new Visitor();
    const sent = await visitor.submit(await toSignUp(visitor), { ...fields, email });
    expect(sent.headers.get('location')).toContain('/auth/verify?');
    expect(await customersWith(email)).toEqual([]);
    clock.advance(60_000);
    const answer = await signUp({ ...fields, email });
    const [customer] = await customersWith(email);
    expect(customer).toMatchObject({
      organization_id: client.organization,
      first_name: fields.first_name,
      last_name: fields.last_name,
      company_name: fields.type === 'company' ? fields.company_name : null,
      audited: 1,
    });
    const tokens = await exchange(api, client, answer.get('code') ?? '');
    const claims = JSON.parse(
      Buffer.from(String(tokens.body.access_token).split('.')[1] ?? '', 'base64url').toString(),
    );
    expect(claims.sub).toBe(customer.id);
    const households = await api.client(String(tokens.body.access_token)).get('/households');
    expect(households.body.items).toEqual([]);
  });

  test('a known address goes on as a sign-in, and keeps its names', async () => {
    const before = await customersWith(known);
    await signUp({ ...person, email: known });
    expect(await customersWith(known)).toEqual(before);
    expect(before).toHaveLength(1);
  });

  test('an address that becomes known while its code is typed goes on as a sign-in', async () => {
    const email = newEmail();
    const visitor = new Visitor();
    const verify = await visitor.follow(
      await visitor.submit(await toSignUp(visitor), { ...person, email }),
      api.baseUrl,
    );
    const code = (await mailedCode(api, email)) ?? '';
    const { organization } = client;
    const pepper = api.deps.config.SECRET_PEPPER;
    const address = addressHash({ pepper, request: { organization_id: organization } }, email);
    let typed: Promise<Page> | undefined;
    /* As a second browser does it that signs up with the same address. */
    await api.deps.database.inOrganization({ organization }, async (connection) => {
      await lockCounted(connection, address);
      typed = visitor.submit(verify, { code });
      await expect.poll(isWaitedFor).toBe(true);
      const customer = { type: 'person', first_name: 'Anna', last_name: 'Ott', email } as const;
      await createCustomer(connection, organization, customer, clock.now().toISOString());
    });
    const consent = await typed;
    expect([consent?.status, consent?.headers.get('location')]).toEqual([
      303,
      expect.stringContaining('/auth/consent?'),
    ]);
    expect(await customersWith(email)).toMatchObject([{ first_name: 'Anna' }]);
  });

  test('whoever tried to sign in first is mailed a code by the sign-up', async () => {
    const email = newEmail();
    const visitor = new Visitor();
    const page = await toSignUp(visitor);
    const login = await visitor.open(page.url.replace('/signup', '/login'));
    expect((await visitor.submit(login, { email })).headers.get('location')).toContain('/auth/verify?');
    expect(await mailedCode(api, email)).toBeUndefined();
    const verify = await visitor.follow(await visitor.submit(page, { ...person, email }), api.baseUrl);
    const code = (await mailedCode(api, email)) ?? '';
    expect((await visitor.submit(verify, { code })).headers.get('location')).toContain('/auth/consent?');
  });

  test('known and unknown addresses are answered alike', async () => {
    const told: string[] = [];
    for (const email of [known, newEmail()]) {
      clock.advance(60_000);
      const visitor = new Visitor();
      const page = await visitor.follow(
        await visitor.submit(await toSignUp(visitor), { ...person, email }),
        api.baseUrl,
      );
      told.push(
        page.text
          .replaceAll(email, 'ADDRESS')
          .replaceAll(/atx_\w{24}/g, 'REQUEST')
          .replaceAll(/value="[^"]{40,}"/g, 'FORGERY'),
      );
      expect(await mailedCode(api, email)).toMatch(/^\d{6}$/);
    }
    expect(told[0]).toBe(told[1]);
  });

  test.each<[string, Record<string, string>]>([
    ['first_name', { first_name: '' }],
    ['first_name', { first_name: '\u200b' }],
    ['last_name', { last_name: 'x'.repeat(101) }],
    ['email', { email: 'nobody' }],
    ['company_name', { ...company, company_name: '  ' }],
  ])('a wrong %s is marked, and what was typed is still there', async (field, change) => {
    const visitor = new Visitor();
    const page = await visitor.submit(await toSignUp(visitor), {
      ...person,
      email: newEmail(),
      first_name: 'Jürgen',
      ...change,
    });
    expect(page.status).toBe(400);
    expect(page.text).toContain(`aria-describedby="${field}-error"`);
    expect(page.text).toContain('O&#39;Neill'.slice(0, field === 'last_name' ? 0 : undefined));
    expect(page.text).toContain('role="alert"');
  });

  test('a client that did not ask for it lets no stranger in', async () => {
    const visitor = new Visitor();
    const login = await visitor.follow(
      await visitor.open(authorizeUrl(api, { client_id: client.id })),
      api.baseUrl,
    );
    const address = login.url.replace('/login', '/signup');
    expect((await visitor.open(address)).status).toBe(404);
    const forced = { ...login, text: login.text.replace('/login', '/signup') };
    expect((await visitor.submit(forced, { ...person, email: newEmail() })).status).toBe(404);
  });
});
