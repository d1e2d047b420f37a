import { afterAll, beforeAll, expect, test } from 'vitest';
import { Visitor } from '../../identity/oauth/visitor.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { signedIn } from '../console/console.ts';
import { Portal } from './link.ts';

/* So many pages of one person, or of one network of strangers: each costs the database something, and many a row of the audit log. */

let portal: Portal;
beforeAll(async () => {
  portal = await Portal.start({ TRUSTED_PROXIES: '127.0.0.1' });
});
afterAll(() => portal.close());

/** As if so many pages had been opened. */
async function open(bucket: string, count: number): Promise<void> {
  const numbers = { perSecond: 50, burst: 1_000 };
  const { limiter } = portal.api.deps;
  await Promise.all(Array.from({ length: count }, () => limiter.take(bucket, numbers)));
}

async function expectRefused(bucket: string, openPage: () => Promise<{ status: number; headers: Headers }>) {
  /* The bucket refills while it is emptied. */
  await expect
    .poll(async () => {
      await open(bucket, 1_000);
      const { status, headers } = await openPage();
      return [status, headers.get('retry-after')];
    })
    .toEqual([429, '1']);
}

test('a customer in however many browsers opens 1,000 pages at once, and others are served meanwhile', async () => {
  const [greedy, other] = [await portal.customer({}), await portal.customer({})];
  const visitors = [await portal.signedIn(greedy.customer), await portal.signedIn(greedy.customer)] as const;
  const overview = `${portal.url}/overview`;
  for (const visitor of visitors) expect((await visitor.open(overview)).status).toBe(200);
  await expectRefused(`pages:${greedy.customer}`, () => visitors[0].open(overview));
  await expectRefused(`pages:${greedy.customer}`, () => visitors[1].open(overview));
  expect((await (await portal.signedIn(other.customer)).open(overview)).status).toBe(200);
});

test('a user of the console does as well', async () => {
  const user = await signedIn(portal.api, portal.organization);
  const [row] = await storedRows<{ id: string }>(
    portal.api,
    'SELECT id FROM console_users WHERE organization_id = $1',
    [portal.organization],
  );
  const home = `${portal.api.baseUrl}/console`;
  expect((await user.open(home)).status).toBe(200);
  await expectRefused(`pages:${row?.id}`, () => user.open(home));
});

test('strangers of one network do as well, at every place where one signs in', async () => {
  const login = (host: string) => new Visitor('en', { 'x-forwarded-for': host }).open(`${portal.url}/login`);
  expect((await login('10.12.0.1')).status).toBe(200);
  await expectRefused('screens:10.12.0.1', () => login('10.12.0.1'));
  expect((await login('10.12.0.2')).status).toBe(200);
});

const MADE_UP = 'x'.repeat(43);

test.each([
  ['made-up links', `/auth/confirm?token_hash=mlk_${MADE_UP}`, 410, '10.13.0'],
  [
    'made-up pictures of brands',
    `/overview/brand/org_${'0'.repeat(24)}-${'0'.repeat(16)}.png`,
    404,
    '10.14.0',
  ],
])('strangers of one network ask for so many %s', async (_what, path, status, network) => {
  const ask = (host: string) => new Visitor('en', { 'x-forwarded-for': host }).open(portal.url + path);
  expect((await ask(`${network}.1`)).status).toBe(status);
  await expectRefused(`screens:${network}.1`, () => ask(`${network}.1`));
  expect((await ask(`${network}.2`)).status).toBe(status);
});

test('the database is asked for no session that somebody made up, and who is signed in behind the same address gets on', async () => {
  const { customer } = await portal.customer({});
  const known = await portal.signedIn(customer);
  const names = { portal: 'find_portal_session', console: 'find_console_session' };
  const rename = (from: string, to: string) =>
    storedRows(portal.api, `ALTER FUNCTION ${from} RENAME TO ${to}`);
  for (const name of Object.values(names)) await rename(name, `${name}_away`);
  try {
    for (const [site, prefix] of [
      ['portal', 'pse_'],
      ['console', 'cse_'],
    ] as const) {
      const stranger = new Visitor('en');
      stranger.cookies.set(`voltstream-${site}`, prefix + MADE_UP);
      const page = await stranger.open(
        `${portal.api.baseUrl}/${site}${site === 'portal' ? '/overview' : ''}`,
      );
      expect([site, page.status]).toEqual([site, site === 'portal' ? 401 : 303]);
    }
  } finally {
    for (const name of Object.values(names)) await rename(`${name}_away`, name);
  }
  expect((await known.open(`${portal.url}/overview`)).status).toBe(200);
});
