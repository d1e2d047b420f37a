import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERSION_NAMES } from '../../../src/config/versions.ts';
import { mailedCode, newEmail, Visitor } from '../../identity/oauth/visitor.ts';
import {
  createClient,
  createHousehold,
  createOrganization,
  createSubscription,
  tokenFor,
} from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { Portal } from './link.ts';

let portal: Portal;
beforeAll(async () => {
  portal = await Portal.start();
});
afterAll(() => portal.close());

describe('POST /admin/magic_link', () => {
  test.each(VERSION_NAMES)('%s: the answer is a link into the portal', async (version) => {
    const { customer } = await portal.customer();
    const client = await portal.client(version);
    const { status, body, headers } = await client.post('/admin/magic_link', { customerId: customer });
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['object', 'link']);
    expect(body.object).toBe('magic_link');
    expect(headers.get('cache-control')).toBe('no-store');
    const link = new URL(String(body.link));
    expect(link.origin + link.pathname).toBe(`${portal.api.baseUrl}/portal/auth/confirm`);
    expect([...link.searchParams.keys()]).toEqual(['token_hash', 'type', 'next']);
    expect(link.searchParams.get('token_hash')).toMatch(/^mlk_[A-Za-z0-9_-]{43}$/);
    expect(link.searchParams.get('type')).toBe('magiclink');
    expect(link.search).toMatch(/&next=\/overview$/);
  });

  test('every link is another one, and the database does not know its secret', async () => {
    const { customer } = await portal.customer();
    const [first, second] = [await portal.link(customer), await portal.link(customer)];
    expect(first).not.toBe(second);
    const rows = await storedRows<{ text: string; minutes: number }>(
      portal.api,
      `SELECT magic_links::text AS text, extract(minute FROM expires_at - created_at)::int AS minutes
         FROM magic_links WHERE customer_id = $1`,
      [customer],
    );
    expect(rows.map((row) => row.minutes)).toEqual([15, 15]);
    for (const link of [first, second]) {
      const secret = new URL(link).searchParams.get('token_hash') ?? '';
      for (const { text } of rows) {
        expect(text).not.toContain(secret);
        expect(text).not.toContain(Buffer.from(secret.slice(4), 'base64url').toString('hex'));
      }
    }
  });

  test('creating one leaves a row in the audit log, with ids only', async () => {
    const { customer } = await portal.customer();
    await portal.link(customer);
    const rows = await auditRows(portal.api, portal.organization, 'magic_link.create');
    const row = rows.find((auditRow) => auditRow.object_id === customer);
    expect(row).toMatchObject({ route: 'POST /admin/magic_link', result: 'done' });
    expect(JSON.stringify(row)).not.toContain('mlk_');
  });

  test('an unknown customer and one of another organization are not found', async () => {
    const other = await createHousehold(portal.api.deps, await createOrganization(portal.api.deps));
    const client = await portal.client();
    for (const customerId of ['cus_000000000000000000000000', 'nobody', other.customer]) {
      const answer = await client.post<ErrorBody>('/admin/magic_link', { customerId });
      expect([answer.status, answer.body.code, answer.body.message]).toEqual([
        404,
        'NOT_FOUND',
        'Resource not found',
      ]);
    }
  });

  test.each([
    [{}, 'invalid_type customerId'],
    [{ customerId: null }, 'invalid_type customerId'],
    [{ customerId: 7 }, 'invalid_type customerId'],
    [{ customerId: '' }, 'too_small customerId'],
  ])('%j is refused', async (body, entry) => {
    const answer = await (await portal.client()).post<ErrorBody>('/admin/magic_link', body);
    expect(refusal(answer)).toEqual([400, entry]);
  });

  test('a token of a customer and one that may only read are refused', async () => {
    const { customer } = await portal.customer();
    const acting = await createClient(portal.api.deps, portal.organization, { customer_id: customer });
    const reading = await createClient(portal.api.deps, portal.organization, { read_only: true });
    for (const client of [acting, reading]) {
      const token = await tokenFor(portal.api, client);
      const answer = await portal.api.client(token).post('/admin/magic_link', { customerId: customer });
      expect(answer.status).toBe(403);
    }
  });
});

test.each(['address', 'code'] as const)(
  'a form for the %s that is open while somebody else is let in beside it leads nobody into that session',
  async (form) => {
    const email = newEmail();
    const makeCustomer = async (last_name: string, address: string) => {
      const made = await createHousehold(portal.api.deps, portal.organization, {
        customer: { type: 'person', first_name: 'Käthe', last_name, email: address },
      });
      await createSubscription(portal.api.deps, portal.organization, made, { status: 'active' });
      return made;
    };
    await makeCustomer('Open', email);
    const other = await makeCustomer('Beside', newEmail());
    const visitor = new Visitor();
    const link = await visitor.open(await portal.link(other.customer));
    const login = await visitor.open(`${portal.url}/login`);
    const verify = await visitor.follow(await visitor.submit(login, { email }), portal.api.baseUrl);
    const code = (await mailedCode(portal.api, email)) ?? '';
    await visitor.submit(link, {});
    const send = () =>
      visitor.submit(form === 'code' ? verify : login, form === 'code' ? { code } : { email });
    const refused = await send();
    expect([refused.status, refused.headers.get('location')]).toEqual([409, null]);
    expect(refused.text).toContain('Somebody is signed in with this browser already');
    expect(refused.text).toContain('<a href="/portal/overview">See who is signed in</a>');
    const overview = await visitor.open(`${portal.url}/overview`);
    expect(overview.text).toContain('Signed in: Käthe Beside');
    await visitor.submit(overview, {});
    portal.clock.advance(60_000);
    const next = form === 'code' ? '/overview' : '/login/code';
    expect((await send()).headers.get('location')).toBe(portal.url + next);
  },
);
