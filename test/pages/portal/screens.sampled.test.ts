import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addressBelow } from '../../../src/platform/http/pages/hosted.ts';
import { Visitor } from '../../identity/oauth/visitor.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { isLongTier, sampled } from '../../setup/tier.ts';
import { Portal } from './link.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let portal: Portal;
beforeAll(async () => {
  portal = await Portal.start();
});
afterAll(() => portal.close());

const ACTIVE = { status: 'active' } as const;

const rowOf = async (customer: string) =>
  (
    await storedRows<{ used: number; sessions: number }>(
      portal.api,
      `SELECT (SELECT count(used_at)::int FROM magic_links WHERE customer_id = $1) AS used,
              (SELECT count(*)::int FROM portal_sessions WHERE customer_id = $1) AS sessions`,
      [customer],
    )
  )[0];

describe('the link', () => {
  test('leads to a page with one button; opening it, however often, changes nothing', async () => {
    const { customer } = await portal.customer(ACTIVE);
    const link = await portal.link(customer);
    for (const method of ['GET', 'HEAD', 'GET']) {
      const page = await new Visitor().open(link, { method });
      expect(page.status).toBe(200);
      if (method === 'HEAD') continue;
      expect(page.text.match(/<button/g)).toHaveLength(1);
      expect(page.text).not.toContain('Voß');
    }
    expect(await rowOf(customer)).toEqual({ used: 0, sessions: 0 });
    const visitor = new Visitor();
    expect((await portal.enter(visitor, link)).status).toBe(303);
    expect(await rowOf(customer)).toEqual({ used: 1, sessions: 1 });
  });

  test('lets in once: afterwards everybody gets a page that says so', async () => {
    const { customer } = await portal.customer(ACTIVE);
    const link = await portal.link(customer);
    const visitor = new Visitor();
    const confirm = await visitor.open(link);
    expect((await visitor.submit(confirm, {})).status).toBe(303);
    /* Sooner it was a double click. */
    portal.clock.advance(10_000);
    const again = await visitor.submit(confirm, {});
    expect(again.status).toBe(410);
    expect(again.headers.getSetCookie()).toEqual([]);
    expect(again.text).toContain('This link no longer works');
    expect(again.text).toContain('href="/portal/overview"');
    const stranger = await new Visitor('de').open(link);
    expect(stranger.status).toBe(410);
    expect(stranger.text).toContain('Dieser Link gilt nicht mehr');
    expect(stranger.text).not.toContain('href="/portal/overview"');
    expect(await rowOf(customer)).toEqual({ used: 1, sessions: 1 });
  });

  test('of ten who press the button at once, one gets in', async () => {
    const { customer } = await portal.customer(ACTIVE);
    const link = await portal.link(customer);
    const presses = isLongTier ? 10 : 5;
    const visitors = await Promise.all(
      Array.from({ length: presses }, async () => {
        const visitor = new Visitor();
        return { visitor, confirm: await visitor.open(link) };
      }),
    );
    const answers = await Promise.all(visitors.map(({ visitor, confirm }) => visitor.submit(confirm, {})));
    expect(answers.map((answer) => answer.status).sort()).toEqual([303, ...Array(presses - 1).fill(410)]);
    expect(await rowOf(customer)).toEqual({ used: 1, sessions: 1 });
  });

  test('is over after 15 minutes', async () => {
    const { customer } = await portal.customer(ACTIVE);
    const [early, late] = [await portal.link(customer), await portal.link(customer)];
    portal.clock.advance(15 * MINUTE - 1);
    const visitor = new Visitor();
    const confirm = await visitor.open(late);
    expect((await portal.enter(new Visitor(), early)).status).toBe(303);
    portal.clock.advance(1);
    expect((await new Visitor().open(late)).status).toBe(410);
    expect((await visitor.submit(confirm, {})).status).toBe(410);
  });

  test.each(['', 'mlk_short', `mlk_${'x'.repeat(43)}`, `acd_${'x'.repeat(43)}`, "'; --", '\u0000'])(
    'an invented one (%j) gets the same page',
    async (secret) => {
      const query = new URLSearchParams({ token_hash: secret, type: 'magiclink', next: '/overview' });
      const page = await new Visitor().open(`${portal.url}/auth/confirm?${query}`);
      expect([page.status, page.text.includes('This link no longer works')]).toEqual([410, true]);
    },
  );

  test('a form without its protection, or with that of another link, is not accepted', async () => {
    const { customer } = await portal.customer(ACTIVE);
    const [first, second] = [await portal.link(customer), await portal.link(customer)];
    const visitor = new Visitor();
    const [confirm, other] = [await visitor.open(first), await visitor.open(second)];
    const foreign = /name="_csrf" value="([^"]+)"/.exec(other.text)?.[1] ?? '';
    for (const _csrf of ['', 'x', foreign]) {
      expect((await visitor.submit(confirm, { _csrf })).status).toBe(403);
    }
    const noCookie = new Visitor();
    expect((await noCookie.submit(confirm, {})).status).toBe(403);
    expect(await rowOf(customer)).toEqual({ used: 0, sessions: 0 });
    expect((await visitor.submit(confirm, {})).status).toBe(303);
  });

  const ELSEWHERE: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'http://127.0.0.1' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
  ];

  test.for(sampled(ELSEWHERE, 2))(
    'a form that was sent from another origin (%j) is not accepted, whatever is in it',
    async (headers) => {
      const { customer } = await portal.customer(ACTIVE);
      const visitor = new Visitor();
      const confirm = await visitor.open(await portal.link(customer));
      const foreign = await visitor.submit(confirm, {}, { headers });
      expect([foreign.status, foreign.headers.get('location')]).toEqual([403, null]);
      expect(foreign.text).toContain('This form was not accepted');
      expect(await rowOf(customer)).toEqual({ used: 0, sessions: 0 });
      /* As browsers send it from a page whose address is hidden. */
      const own = { origin: 'null', 'sec-fetch-site': 'same-origin' };
      expect((await visitor.submit(confirm, {}, { headers: own })).status).toBe(303);
      const other = await portal.link(customer);
      const named = { origin: new URL(portal.url).origin };
      expect((await visitor.submit(await visitor.open(other), {}, { headers: named })).status).toBe(303);
    },
  );

  test('of an organization that is switched off lets nobody in, of one past due it does', async () => {
    const own = await Portal.start();
    try {
      const { customer } = await own.customer(ACTIVE);
      const link = await own.link(customer);
      const visitor = new Visitor();
      await own.enter(visitor, await own.link(customer));
      const standing = (value: string) =>
        storedRows(own.api, 'UPDATE organizations SET standing = $1', [value]);
      await standing('suspended');
      const closed = await new Visitor().open(link);
      expect([closed.status, closed.text.includes('closed at the moment')]).toEqual([403, true]);
      expect(closed.text).not.toContain('/login');
      expect((await visitor.open(`${own.url}/overview`)).status).toBe(401);
      await standing('past_due');
      expect((await visitor.open(`${own.url}/overview`)).status).toBe(200);
      expect((await own.enter(new Visitor(), link)).status).toBe(303);
    } finally {
      await own.close();
    }
  });
});

describe('the way on', () => {
  const PORTAL = 'https://energy.example/portal';

  test.each([
    ['/overview', `${PORTAL}/overview`],
    ['/overview?from=mail#top', `${PORTAL}/overview?from=mail#top`],
    ['/bills/2026', `${PORTAL}/bills/2026`],
    ['', `${PORTAL}/overview`],
    ['overview', `${PORTAL}/overview`],
    ['//evil.example', `${PORTAL}/overview`],
    ['/\\evil.example', `${PORTAL}/overview`],
    ['\\\\evil.example', `${PORTAL}/overview`],
    ['https://evil.example', `${PORTAL}/overview`],
    ['/../docs', `${PORTAL}/overview`],
    ['/a/../../docs', `${PORTAL}/overview`],
    ['/%2e%2e/docs', `${PORTAL}/overview`],
    ['/..%2fdocs', `${PORTAL}/overview`],
    ['/a\tb', `${PORTAL}/overview`],
    ['/a\r\nSet-Cookie: x', `${PORTAL}/overview`],
    ['@evil.example', `${PORTAL}/overview`],
    ['.evil.example', `${PORTAL}/overview`],
  ])('next=%j leads to %s', (next, address) => {
    expect(addressBelow(PORTAL, next, `${PORTAL}/overview`)).toBe(address);
  });

  test('is the path in the link, once the button is pressed', async () => {
    const { customer } = await portal.customer(ACTIVE);
    for (const [next, expected] of [
      ['/overview', '/overview'],
      ['/other', '/other'],
      ['https://evil.example/', '/overview'],
      ['//evil.example/', '/overview'],
    ] as const) {
      const link = (await portal.link(customer)).replace('/overview', encodeURIComponent(next));
      const entered = await portal.enter(new Visitor(), link);
      expect([entered.status, entered.headers.get('location')]).toEqual([303, portal.url + expected]);
    }
  });

  test('of a customer without a contract is the sign-up', async () => {
    const { customer } = await portal.customer();
    const visitor = new Visitor();
    const entered = await portal.enter(visitor, await portal.link(customer));
    const checkout = `https://${portal.api.deps.config.CHECKOUT_HOST}/`;
    expect([entered.status, entered.headers.get('location')]).toEqual([303, checkout]);
    expect(entered.headers.get('content-security-policy')).toContain(
      `form-action 'self' ${checkout.slice(0, -1)}`,
    );
    const overview = await visitor.open(`${portal.url}/overview`);
    expect([overview.status, overview.headers.get('location')]).toEqual([303, checkout]);
  });
});

describe('the session', () => {
  test('is a cookie that scripts and other sites do not get, for twelve hours', async () => {
    const { customer } = await portal.customer(ACTIVE);
    const visitor = new Visitor();
    const entered = await portal.enter(visitor, await portal.link(customer));
    const [cookie = ''] = entered.headers.getSetCookie();
    expect(cookie).toMatch(
      /^voltstream-portal=pse_[A-Za-z0-9_-]{43}\.[\w/+]+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    portal.clock.advance(12 * HOUR - 1);
    expect((await visitor.open(`${portal.url}/overview`)).status).toBe(200);
    portal.clock.advance(1);
    const late = await visitor.open(`${portal.url}/overview`);
    expect([late.status, late.text.includes('You are not signed in')]).toEqual([401, true]);
  });

  test('under https the cookie is for this host alone', async () => {
    const own = await Portal.start({ PORTAL_URL: 'https://portal.example' });
    try {
      const { customer } = await own.customer(ACTIVE);
      const link = await own.link(customer);
      expect(link).toMatch(/^https:\/\/portal\.example\/auth\/confirm\?token_hash=/);
      const visitor = new Visitor();
      const confirm = await visitor.open(link.replace('https://portal.example', own.api.baseUrl));
      expect(confirm.status).toBe(200);
      const entered = await visitor.submit(confirm, {});
      expect(entered.headers.get('location')).toBe('https://portal.example/overview');
      const [cookie = ''] = entered.headers.getSetCookie();
      expect(cookie).toMatch(/^__Host-voltstream-portal=.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
      expect((await visitor.open(`${own.api.baseUrl}/overview`)).status).toBe(200);
      expect((await visitor.open(`${own.api.baseUrl}/overview/style.css`)).status).toBe(200);
    } finally {
      await own.close();
    }
  });

  test('ends when the customer signs out, for good', async () => {
    const { customer } = await portal.customer(ACTIVE);
    const visitor = new Visitor();
    await portal.enter(visitor, await portal.link(customer));
    const kept = new Map(visitor.cookies);
    const overview = await visitor.open(`${portal.url}/overview`);
    const left = await visitor.submit(overview, {});
    expect([left.status, left.headers.get('location')]).toEqual([303, `${portal.url}/overview?left=1`]);
    const farewell = await visitor.follow(left, portal.api.baseUrl);
    expect([farewell.status, farewell.text.includes('You are signed out')]).toEqual([200, true]);
    expect(farewell.text).toContain(`href="/portal/login?next=${encodeURIComponent('/overview')}"`);
    expect(farewell.text).not.toMatch(/not signed in|Reference for questions/);
    for (const [name, value] of kept) visitor.cookies.set(name, value);
    expect((await visitor.open(`${portal.url}/overview`)).status).toBe(401);
    expect(await rowOf(customer)).toMatchObject({ sessions: 0 });
  });

  test('is over for who signs out once more, from another tab or too late: it leads to the way in', async () => {
    const { customer } = await portal.customer(ACTIVE);
    const visitor = await portal.signedIn(customer);
    const [first, other] = [
      await visitor.open(`${portal.url}/overview`),
      await visitor.open(`${portal.url}/overview`),
    ];
    const kept = new Map(visitor.cookies);
    await visitor.submit(first, {});
    for (const cookies of [new Map(visitor.cookies), kept]) {
      for (const [name, value] of cookies) visitor.cookies.set(name, value);
      const again = await visitor.submit(other, {});
      expect([again.status, again.headers.get('location')]).toEqual([303, `${portal.url}/overview?left=1`]);
      expect(again.headers.getSetCookie().join()).toContain('voltstream-portal=;');
    }
  });

  test('without one there is nothing to see, whatever the cookie says', async () => {
    for (const value of ['', 'pse_', `pse_${'x'.repeat(43)}`]) {
      const visitor = new Visitor();
      if (value !== '') visitor.cookies.set('voltstream-portal', value);
      const page = await visitor.open(`${portal.url}/overview`);
      expect([page.status, page.text.includes('You are not signed in')]).toEqual([401, true]);
    }
  });

  test('signing in, looking and signing out leave one row each, with the customer and nothing of the person', async () => {
    const { customer } = await portal.customer(ACTIVE);
    const visitor = new Visitor();
    await portal.enter(visitor, await portal.link(customer));
    const overview = await visitor.open(`${portal.url}/overview`);
    await visitor.submit(overview, {});
    const rows = (await auditRows(portal.api, portal.organization, '')).filter(
      (row) => row.object_id === customer && row.act !== 'magic_link.create',
    );
    expect(rows.map(({ act, route, result }) => [act, route, result])).toEqual(
      expect.arrayContaining([
        ['portal.sign_in', 'POST /portal/auth/confirm', 'done'],
        ['personal_data.read', 'GET /portal/overview', 'done'],
        ['portal.sign_out', 'POST /portal/sign-out', 'done'],
      ]),
    );
    expect(JSON.stringify(rows)).not.toMatch(/Voß|pse_|mlk_/);
  });
});
