import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  mailedCode,
  newEmail,
  type Page,
  submitTwice,
  Visitor,
  wrongFor,
} from '../../identity/oauth/visitor.ts';
import { createHousehold, createOrganization, createSubscription } from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { sampled } from '../../setup/tier.ts';
import { Portal } from './link.ts';

/* Signing in to the portal without a link, with a code that is mailed. */

const MINUTE = 60_000;
const ACTIVE = { status: 'active' } as const;

let portal: Portal;
let email: string;
let customer: string;

async function customerOf(organization: string, address: string): Promise<string> {
  const place = await createHousehold(portal.api.deps, organization, {
    customer: { type: 'person', first_name: 'Käthe', last_name: 'Voß', email: address },
  });
  await createSubscription(portal.api.deps, organization, place, ACTIVE);
  return place.customer;
}

beforeAll(async () => {
  portal = await Portal.start();
});
beforeEach(async () => {
  portal.clock.advance(61 * MINUTE);
  email = newEmail();
  customer = await customerOf(portal.organization, email);
});
afterAll(() => portal.close());

const follow = (visitor: Visitor, page: Page) => visitor.follow(page, portal.api.baseUrl);

/** From the address to the page that asks for the code. */
async function codePage(visitor: Visitor, address = email, next = ''): Promise<Page> {
  const login = await visitor.open(`${portal.url}/login${next}`);
  return await follow(visitor, await visitor.submit(login, { email: address }));
}

const codeFor = async (address = email) => (await mailedCode(portal.api, address)) ?? '';

const sessionsOf = async (whose: string) =>
  (
    await storedRows<{ sessions: number }>(
      portal.api,
      'SELECT count(*)::int AS sessions FROM portal_sessions WHERE customer_id = $1',
      [whose],
    )
  )[0]?.sessions;

test('without a mail server the first page says that nobody can sign in, to customers and strangers', async () => {
  const { deps } = portal.api;
  const visitor = new Visitor('de');
  const login = await visitor.open(`${portal.url}/login`);
  const { mail } = deps;
  Object.assign(deps, { mail: { ...mail, isOn: false } });
  try {
    for (const page of [
      await new Visitor('de').open(`${portal.url}/login`),
      await visitor.submit(login, { email }),
      await visitor.submit(login, { email: newEmail() }),
    ]) {
      expect([page.status, page.text.includes('Anmelden geht zurzeit nicht')]).toEqual([503, true]);
    }
    const console = await new Visitor('en').open(`${portal.api.baseUrl}/console/login`);
    expect([console.status, console.text.includes('Signing in is not possible')]).toEqual([503, true]);
  } finally {
    Object.assign(deps, { mail });
  }
});

describe('the way in', () => {
  test.each(['de', 'en'])(
    'leads from the page of who is signed out over a mailed code to the page that was asked for (%s)',
    async (language) => {
      const mixed = email.replace('kunde', 'Kunde');
      const visitor = new Visitor(language);
      const out = await visitor.open(`${portal.url}/overview?from=mail`);
      expect(out.status).toBe(401);
      const way = /href="(\/portal\/login[^"]*)"/.exec(out.text)?.[1] ?? '';
      const login = await visitor.open(new URL(way, portal.url).href);
      expect([login.status, login.text.includes(language === 'de' ? 'Anmelden' : 'Sign in')]).toEqual([
        200,
        true,
      ]);
      const verify = await follow(visitor, await visitor.submit(login, { email: mixed }));
      expect([verify.status, verify.url.split('?')[0]]).toEqual([200, `${portal.url}/login/code`]);
      portal.clock.advance(10 * MINUTE - 1);
      const entered = await visitor.submit(verify, { code: await codeFor(mixed) });
      expect([entered.status, entered.headers.get('location')]).toEqual([
        303,
        `${portal.url}/overview?from=mail`,
      ]);
      expect(entered.headers.getSetCookie().join('\n')).toMatch(
        /^voltstream-portal=pse_[A-Za-z0-9_-]{43}\.[\w/+]+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/m,
      );
      const overview = await follow(visitor, entered);
      expect([overview.status, overview.text.includes('Käthe Voß')]).toEqual([200, true]);
      expect(await sessionsOf(customer)).toBe(1);
      const acts = (await auditRows(portal.api, portal.organization, ''))
        .filter(({ object_id }) => object_id === customer)
        .map(({ act, route }) => [act, route]);
      expect(acts).toContainEqual(['portal.sign_in', 'POST /portal/login/code']);
      /* Who is in has no business here. */
      const again = await visitor.open(`${portal.url}/login?next=/overview`);
      expect([again.status, again.headers.get('location')]).toEqual([303, `${portal.url}/overview`]);
    },
  );

  test('leads on from every page to that page, also from a form that was open for too long', async () => {
    const [row] = await storedRows<{ id: string }>(
      portal.api,
      'SELECT id FROM subscriptions WHERE customer_id = $1',
      [customer],
    );
    const pages = ['usage?year=2026', 'prices', 'reading', 'terminate', 'withdraw'].map((name) =>
      portal.page(row?.id ?? '', name),
    );
    const over = new Visitor('de');
    await portal.enter(over, await portal.link(customer));
    const form = await over.open(portal.page(row?.id ?? '', 'reading'));
    over.cookies.delete('voltstream-portal');
    const sent = await over.submit(form, { value: '1', day: '2026-11-20' });
    expect([sent.status, sent.text.includes(`${row?.id}%2Freading`)]).toEqual([401, true]);
    const visitor = new Visitor('de');
    const verify = await codePage(visitor, email, `?next=${encodeURIComponent(`/overview/consents`)}`);
    const entered = await visitor.submit(verify, { code: await codeFor() });
    expect(entered.headers.get('location')).toBe(`${portal.url}/overview/consents`);
    for (const address of [...pages, `${portal.url}/overview/consents`]) {
      const out = await new Visitor('de').open(address);
      const way = /href="(\/portal\/login[^"]*)"/.exec(out.text)?.[1] ?? '';
      const led = await visitor.open(new URL(way, portal.url).href);
      expect([out.status, led.status, led.headers.get('location')]).toEqual([401, 303, address]);
    }
  });

  test('is shown after signing out, when the session is over, and by a link that is used or over', async () => {
    const visitor = new Visitor();
    const used = await portal.link(customer);
    await portal.enter(visitor, used);
    const over = await portal.link(customer);
    const overview = await visitor.open(`${portal.url}/overview`);
    const left = await follow(visitor, await visitor.submit(overview, {}));
    await portal.enter(visitor, await portal.link(customer));
    portal.clock.advance(12 * 60 * MINUTE);
    for (const [page, next] of [
      [left, '/overview'],
      [await visitor.open(`${portal.url}/overview`), '/overview'],
      [await new Visitor().open(used), '/overview'],
      [await new Visitor().open(over.replace('next=/overview', 'next=/overview?a=b')), '/overview?a=b'],
    ] as const) {
      expect([200, 401, 410]).toContain(page.status);
      expect(page.text).toContain(`href="/portal/login?next=${encodeURIComponent(next)}"`);
    }
  });

  const ELSEWHERE = [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/../docs',
    '@evil.example',
  ];
  test.each(sampled(ELSEWHERE, 3))(
    'leads to no other site and no other page of the service (next=%s)',
    async (next) => {
      const visitor = new Visitor();
      const verify = await codePage(visitor, email, `?next=${encodeURIComponent(next)}`);
      const entered = await visitor.submit(verify, { code: await codeFor() });
      expect([entered.status, entered.headers.get('location')]).toEqual([303, `${portal.url}/overview`]);
      const again = await visitor.open(`${portal.url}/login?next=${encodeURIComponent(next)}`);
      expect(again.headers.get('location')).toBe(`${portal.url}/overview`);
    },
  );

  test('is on a host of its own beside the hosted screens on theirs', async () => {
    const own = await Portal.start({
      AUTH_URL: 'https://auth.example',
      PORTAL_URL: 'https://portal.example',
    });
    try {
      const { request } = await import('node:http');
      const titleAt = (host: string) =>
        new Promise<string>((resolve, reject) => {
          const headers = { host, 'accept-language': 'en' };
          request(`${own.api.baseUrl}/login`, { headers }, (response) => {
            let text = '';
            response.setEncoding('utf8').on('data', (part) => {
              text += part;
            });
            response.on('end', () => resolve(/<h1>([^<]*)/.exec(text)?.[1] ?? ''));
          })
            .on('error', reject)
            .end();
        });
      expect(await titleAt('portal.example')).toBe('Sign in');
      expect(await titleAt('auth.example')).toBe('There is no such sign-in');
    } finally {
      await own.close();
    }
  });
});

describe('a double click', () => {
  test.each(['at once', 'one by one'] as const)(
    'on each form of the sign-in is as good as one click: one code, one session (%s)',
    async (order) => {
      const visitor = new Visitor();
      const login = await visitor.open(`${portal.url}/login`);
      const verify = await follow(visitor, await submitTwice(visitor, login, { email }, order));
      expect(verify.url).toBe(`${portal.url}/login/code`);
      const since = new Date(portal.clock.nowMilliseconds() - MINUTE).toISOString();
      const codes = 'SELECT count(*)::int AS codes FROM one_time_codes WHERE created_at > $1';
      expect(await storedRows(portal.api, codes, [since])).toEqual([{ codes: 1 }]);
      const entered = await submitTwice(visitor, verify, { code: await codeFor() }, order);
      expect([entered.status, entered.headers.get('location')]).toEqual([303, `${portal.url}/overview`]);
      expect((await visitor.open(`${portal.url}/overview`)).status).toBe(200);
      expect(await sessionsOf(customer)).toBe(1);
    },
  );

  test('on a link lets in once', async () => {
    const visitor = new Visitor();
    const confirm = await visitor.open(await portal.link(customer));
    const entered = await submitTwice(visitor, confirm, {}, 'at once');
    expect([entered.status, entered.headers.get('location')]).toEqual([303, `${portal.url}/overview`]);
    expect((await visitor.open(`${portal.url}/overview`)).status).toBe(200);
    expect(await sessionsOf(customer)).toBe(1);
  });

  test('whose first answer came in before the second click leads to the page as well', async () => {
    const visitor = new Visitor();
    const verify = await codePage(visitor);
    const code = await codeFor();
    await visitor.submit(verify, { code });
    const second = await visitor.submit(verify, { code });
    expect([second.status, second.headers.get('location')]).toEqual([303, `${portal.url}/overview`]);
    expect(await sessionsOf(customer)).toBe(1);
  });
});

describe('the code', () => {
  test('is counted when it is wrong: the sixth guess is none, even the right one', async () => {
    const visitor = new Visitor();
    let page = await codePage(visitor);
    const code = await codeFor();
    for (let guess = 1; guess <= 5; guess += 1) {
      page = await visitor.submit(page, { code: wrongFor(code) });
      expect([page.status, page.text.includes(guess < 5 ? 'is not right' : 'no longer good')]).toEqual([
        400,
        true,
      ]);
    }
    expect((await visitor.submit(page, { code })).status).toBe(400);
    expect(await sessionsOf(customer)).toBe(0);
  });

  test('is over after ten minutes, and works once', async () => {
    const [early, late] = [new Visitor(), new Visitor()];
    const verify = await codePage(early);
    const code = await codeFor();
    const kept = new Map(early.cookies);
    expect((await early.submit(verify, { code })).status).toBe(303);
    early.cookies.clear();
    for (const [name, value] of kept) early.cookies.set(name, value);
    portal.clock.advance(10_000);
    expect((await early.submit(verify, { code })).status).toBe(400);
    const second = await codePage(late);
    const secondCode = await codeFor();
    portal.clock.advance(10 * MINUTE);
    const over = await late.submit(second, { code: secondCode });
    expect([over.status, over.text.includes('no longer good')]).toEqual([400, true]);
    expect(await sessionsOf(customer)).toBe(1);
  });

  test('comes again after 60 seconds, and five times an hour', async () => {
    const visitor = new Visitor();
    let page = await codePage(visitor);
    expect((await visitor.submit(page, { again: '1' })).status).toBe(429);
    for (let more = 1; more <= 4; more += 1) {
      portal.clock.advance(MINUTE);
      page = await visitor.submit(page, { again: '1' });
      expect(page.status).toBe(200);
    }
    portal.clock.advance(MINUTE);
    const refused = await visitor.submit(page, { again: '1' });
    expect([refused.status, Number(refused.headers.get('retry-after')) > 3000]).toEqual([429, true]);
  });

  test('belongs to the sign-in of its browser: without its cookie, or with a changed one, it begins anew', async () => {
    const visitor = new Visitor();
    const verify = await codePage(visitor);
    const name = 'voltstream-portal-sign-in';
    const value = decodeURIComponent(visitor.cookies.get(name) ?? '');
    const forged = Buffer.from(
      JSON.stringify({
        ...JSON.parse(Buffer.from(value.split('.')[0] ?? '', 'base64url').toString()),
        email: 'x',
      }),
    ).toString('base64url');
    for (const other of ['', `${forged}.${value.split('.')[1]}`]) {
      visitor.cookies.set(name, other);
      const refused = await visitor.submit(verify, { code: await codeFor() });
      expect([refused.status, refused.headers.get('location')]).toEqual([303, `${portal.url}/login`]);
    }
    expect(await sessionsOf(customer)).toBe(0);
  });
});

test('strangers see the same as customers, byte for byte, and are not mailed', async () => {
  const stranger = newEmail();
  const told: string[] = [];
  for (const address of [email, stranger]) {
    const visitor = new Visitor();
    const verify = await codePage(visitor, address);
    const wrong = await visitor.submit(verify, { code: wrongFor(await codeFor()) });
    told.push(
      [verify, wrong]
        .map((page) => `${page.status} ${page.text}`)
        .join('\n')
        .replaceAll(address, 'ADDRESS')
        .replaceAll(/name="_csrf" value="[^"]*"/g, 'FORGERY'),
    );
  }
  expect(told[0]).toBe(told[1]);
  expect(await mailedCode(portal.api, email)).toMatch(/^\d{6}$/);
  expect(await mailedCode(portal.api, stranger)).toBeUndefined();
});

test('forms from another origin or without their protection are not accepted', async () => {
  const visitor = new Visitor();
  const login = await visitor.open(`${portal.url}/login`);
  const headers = { origin: 'https://evil.example' };
  expect((await visitor.submit(login, { email }, { headers })).status).toBe(403);
  expect((await visitor.submit(login, { email, _csrf: 'x' })).status).toBe(403);
  expect(await mailedCode(portal.api, email)).toBeUndefined();
  const verify = await follow(visitor, await visitor.submit(login, { email }));
  const code = await codeFor();
  expect((await visitor.submit(verify, { code }, { headers })).status).toBe(403);
  expect((await visitor.submit(verify, { code, organization: 'x' })).status).toBe(400);
  expect(await sessionsOf(customer)).toBe(0);
});

describe('among several organizations', () => {
  test('a browser comes to the one whose link or sign-in page it opened, and to no other', async () => {
    const other = await createOrganization(portal.api.deps);
    const namesake = await customerOf(other, email);
    try {
      const unknown = await new Visitor().open(`${portal.url}/login`);
      expect([unknown.status, unknown.text.includes('Whose customer are you?')]).toEqual([404, true]);
      const forged = new Visitor();
      forged.cookies.set('voltstream-portal-organization', `${other}.x`);
      expect((await forged.open(`${portal.url}/login`)).status).toBe(404);
      /* A link that was opened names the organization, though it let nobody in. */
      const visitor = new Visitor();
      await visitor.open(await portal.link(customer));
      const entered = await visitor.submit(await codePage(visitor), { code: await codeFor() });
      expect(entered.status).toBe(303);
      expect([await sessionsOf(customer), await sessionsOf(namesake)]).toEqual([1, 0]);
      const known = [...visitor.cookies].filter(([name]) => name === 'voltstream-portal-organization');
      expect(decodeURIComponent(known[0]?.[1] ?? '')).toMatch(new RegExp(`^${portal.organization}\\.`));
      const named = new Visitor();
      const theirPage = await codePage(named, email, `?organization=${other}&next=/overview`);
      await named.submit(theirPage, { code: await codeFor() });
      expect([await sessionsOf(customer), await sessionsOf(namesake)]).toEqual([1, 1]);
      for (const id of ['x', 'org_000000000000000000000000', customer])
        expect((await new Visitor().open(`${portal.url}/login?organization=${id}`)).status).toBe(404);
      /* The address of a customer of the other one only is a stranger's here. */
      const theirs = newEmail();
      await customerOf(other, theirs);
      const second = new Visitor();
      for (const [name, value] of known) second.cookies.set(name, value);
      await codePage(second, theirs);
      expect(await mailedCode(portal.api, theirs)).toBeUndefined();
      await storedRows(portal.api, "UPDATE organizations SET standing = 'suspended' WHERE id = $1", [
        portal.organization,
      ]);
      const closed = await second.open(`${portal.url}/login`);
      expect([closed.status, closed.text.includes('closed at the moment')]).toEqual([403, true]);
    } finally {
      await storedRows(portal.api, "UPDATE organizations SET standing = 'in_order' WHERE id = $1", [
        portal.organization,
      ]);
      await storedRows(portal.api, "UPDATE organizations SET standing = 'deleted' WHERE id = $1", [other]);
    }
  });
});
