import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientWithCustomer, loginPage, type Page, Visitor } from '../identity/oauth/visitor.ts';
import { press, signedIn } from './console/console.ts';
import { Portal } from './portal/link.ts';

/* One choice of the language for all pages: a link to the same page, and a cookie. */

let portal: Portal;
beforeAll(async () => {
  portal = await Portal.start({ TRUSTED_PROXIES: '127.0.0.1' });
});
afterAll(() => portal.close());

const addressOf = (path: string) => new URL(path, portal.api.baseUrl).href;
const languageOf = ({ text }: Page) => /<html lang="(\w\w)">/.exec(text)?.[1];
const linkOf = ({ text }: Page) =>
  /<p class="language"><a href="([^"]+)" lang="(\w\w)" hreflang="\2">(\w+)</.exec(text)?.slice(1);

async function follow(visitor: Visitor, page: Page): Promise<Page> {
  const [address = ''] = linkOf(page) ?? [];
  return await visitor.open(new URL(address.replaceAll('&amp;', '&'), page.url).href);
}

/** A page of each site, in English. */
const PAGES = {
  'the first page': async () => opened(new Visitor(), '/', '/prices'),
  'the prices': async () => opened(new Visitor(), '/prices', '/'),
  'the console': async () =>
    opened(await signedIn(portal.api, portal.organization), '/console/fleet?q=one', '/console'),
  'the sign-in of the console': async () => opened(new Visitor(), '/console/login', '/console/no-such-page'),
  'the portal': async () => {
    const { customer } = await portal.customer({ status: 'active' });
    const visitor = new Visitor();
    await portal.enter(visitor, await portal.link(customer));
    return await opened(visitor, `${portal.url}/overview`, `${portal.url}/overview/consents`);
  },
  'the link to the portal': async () => {
    const { customer } = await portal.customer({ status: 'active' });
    return await opened(new Visitor(), await portal.link(customer), `${portal.url}/overview`);
  },
  'the sign-in for a program': async () => {
    const { client } = await clientWithCustomer(portal.api, {}, portal.organization);
    const visitor = new Visitor();
    const page = await loginPage(portal.api, visitor, { client_id: client.id });
    return { visitor, page, next: '/auth/login' };
  },
};

async function opened(visitor: Visitor, path: string, next: string) {
  return { visitor, page: await visitor.open(addressOf(path)), next };
}

describe.each(Object.entries(PAGES))('on %s', (_name, open) => {
  test('a link leads to the same page in the other language, which the pages behind it keep, and back', async () => {
    const { visitor, page, next } = await open();
    expect([languageOf(page), linkOf(page)?.slice(1)]).toEqual(['en', ['de', 'Deutsch']]);
    const german = await follow(visitor, page);
    expect([german.status, languageOf(german), linkOf(german)?.slice(1)]).toEqual([
      ...[page.status, 'de', ['en', 'English']],
    ]);
    expect(german.headers.get('content-language')).toBe('de');
    const [before, behind] = [new URL(page.url), new URL(german.url)];
    before.searchParams.set('lang', 'de');
    expect(behind.href).toBe(before.href);
    expect(german.headers.getSetCookie()).toContain(
      'voltstream-language=de; Max-Age=34560000; Path=/; HttpOnly; SameSite=Lax',
    );
    expect(german.headers.get('cache-control')).toBe('no-store');
    expect(languageOf(await visitor.open(addressOf(next)))).toBe('de');
    const english = await follow(visitor, german);
    expect([languageOf(english), languageOf(await visitor.open(addressOf(next)))]).toEqual(['en', 'en']);
  });
});

test('a page that everybody keeps for a moment is another one for each choice', async () => {
  const page = await new Visitor().open(addressOf('/'));
  expect(page.headers.get('cache-control')).toBe('public, max-age=30');
  expect(page.headers.get('vary')).toMatch(/accept-language, cookie/);
  expect(page.headers.getSetCookie()).toEqual([]);
});

test('the cookie goes by https only where the page came by it', async () => {
  const page = await new Visitor('en', { 'x-forwarded-proto': 'https' }).open(addressOf('/?lang=de'));
  expect(page.headers.getSetCookie().join()).toMatch(/^voltstream-language=de; .*; Secure$/);
});

test.each(['?lang=fr', '?lang=de&lang=en', '?lang=', '?lang=de%0d%0aset-cookie:a=b'])(
  '%s chooses nothing',
  async (query) => {
    const page = await new Visitor().open(addressOf(`/console/login${query}`));
    expect([languageOf(page), page.headers.getSetCookie().join()]).toEqual([
      'en',
      expect.not.stringContaining('language'),
    ]);
  },
);

test('a cookie that names another language is none', async () => {
  const visitor = new Visitor();
  visitor.cookies.set('voltstream-language', 'dex');
  expect(languageOf(await visitor.open(addressOf('/console/login')))).toBe('en');
});

test('what a form answers stands at no address, and has no link', async () => {
  const visitor = await signedIn(portal.api, portal.organization);
  const keys = await visitor.open(addressOf('/console/keys'));
  const refused = await press(visitor, keys, '/console/keys', {});
  expect([refused.status, linkOf(refused)]).toEqual([400, undefined]);
});
