import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NEWEST_VERSION, VERSION_NAMES } from '../../src/config/versions.ts';
import { ERROR_CATALOGUE } from '../../src/platform/errors.ts';
import { startApi, type TestApi } from '../setup/api.ts';
import { createTenant } from '../setup/factories.ts';
import { FETCHING_MILLISECONDS, openBrowser } from './browser.ts';
import { KILOBYTES_MAX, type Look, look } from './looking.ts';

/* What a page is made of is tested without a browser; here it is looked at as its visitors see it. */

let api: TestApi | undefined;
let browser: Browser | undefined;

beforeAll(async () => {
  [browser, api] = await Promise.all([openBrowser(), startApi()]);
}, FETCHING_MILLISECONDS);

afterAll(async () => {
  await browser?.close();
  await api?.close();
});

const baseUrl = () => api?.baseUrl ?? '';

/** Opens a page, lets the test say what it expects of it, and closes it. */
async function looking(path: string, expectations: (seen: Look) => Promise<void>): Promise<void> {
  if (browser === undefined) throw new Error('No browser');
  const seen = await look(browser, `${baseUrl()}${path}`);
  try {
    await expectations(seen);
    expect(seen.problems).toEqual([]);
    expect(seen.foreign).toEqual([]);
  } finally {
    await seen.close();
  }
}

const WRITTEN_PAGES = [
  { path: '/', title: 'Home · Voltstream', heading: 'Voltstream' },
  { path: '/?lang=de', title: 'Start · Voltstream', heading: 'Voltstream' },
  { path: '/prices', title: 'Day-ahead prices · Voltstream', heading: 'Day-ahead prices' },
  { path: '/docs/data-sources', title: 'Data sources · Voltstream', heading: 'Data sources' },
  { path: '/changelog', title: 'Changes · Voltstream', heading: 'Changes by version' },
  { path: '/docs', title: 'Guide · Voltstream', heading: 'Guide' },
  { path: '/docs/rows', title: 'Rows of a batch · Voltstream', heading: 'Rows of a batch' },
  { path: '/docs/gateways', title: 'Gateways · Voltstream', heading: 'Gateways' },
  { path: '/docs/rules', title: 'Rules of the interface · Voltstream', heading: 'Rules of the interface' },
  {
    path: '/docs/customers',
    title: 'Customers, prices and events · Voltstream',
    heading: 'Customers, prices and events',
  },
  { path: '/docs/style', title: 'Style · Voltstream', heading: 'Style' },
  { path: '/docs/quotes', title: 'Quotes and savings · Voltstream', heading: 'Quotes and savings' },
  {
    path: '/docs/analysts',
    title: 'Analysts · Voltstream',
    heading: 'Analysts',
  },
  { path: '/docs/queries', title: 'Questions · Voltstream', heading: 'Questions and their queries' },
  { path: '/docs/trust', title: 'Trust · Voltstream', heading: 'How much can I believe this number' },
  { path: '/docs/dictionary', title: 'Dictionary · Voltstream', heading: 'Dictionary for analysts' },
  { path: '/docs/topics', title: 'Events and webhooks · Voltstream', heading: 'Events and webhooks' },
  { path: '/docs/served-zips', title: 'Served ZIP codes · Voltstream', heading: 'Served ZIP codes' },
  { path: '/docs/errors', title: 'Error codes · Voltstream', heading: 'Error codes' },
  ...Object.keys(ERROR_CATALOGUE).map((code) => ({
    path: `/docs/errors/${code}`,
    title: `${code} · Voltstream`,
    heading: code,
  })),
];

async function colorSchemeOf({ page }: Look): Promise<'light' | 'dark'> {
  const paper = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  return Math.max(...[...paper.matchAll(/\d+/g)].map(Number)) > 127 ? 'light' : 'dark';
}

/* Asked until it holds: the reference follows a change of the scheme by a script of its own. */
async function expectReadable(seen: Look): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await seen.page.emulateMedia({ colorScheme });
    await expect.poll(() => colorSchemeOf(seen)).toBe(colorScheme);
    await expect.poll(() => seen.unreadable()).toEqual([]);
  }
}

/* Asked until it holds: charts follow the width of the window by a script of their own. */
async function expectToFitOnPhone({ page }: Look): Promise<void> {
  await page.setViewportSize({ width: 360, height: 740 });
  const reach = () =>
    page.evaluate<number>(`(() => {
      scrollTo(10_000, 0);
      return scrollX + document.documentElement.clientWidth;
    })()`);
  await expect.poll(reach).toBe(360);
}

describe.each(WRITTEN_PAGES)('$path in Chromium', ({ path, title, heading }) => {
  test('has its title and one heading, names for its controls and at most 100 kB, is readable in light and dark and fits on a phone, without an error or a request to another host', () =>
    looking(path, async (seen) => {
      expect(await seen.kilobytes()).toBeLessThan(KILOBYTES_MAX);
      expect(await seen.nameless()).toEqual([]);
      expect(await seen.page.locator('h1').allInnerTexts()).toEqual([heading]);
      expect(await seen.page.title()).toBe(title);
      await expectReadable(seen);
      await expectToFitOnPhone(seen);
    }));
});

describe('/docs/reference in Chromium', () => {
  test('shows the calls of a version that has some, without an error or a request to another host', () =>
    looking('/docs/reference', async ({ page }) => {
      await page.getByText('/asset-snapshots').first().waitFor();
      expect(await page.title()).toBe('API reference · Voltstream');
      expect(await page.locator('h1').allInnerTexts()).toEqual(['Voltstream']);
      await page.getByRole('link', { name: 'Subscriptions', exact: true }).click();
      await page.getByText('/subscriptions/{id}').first().waitFor();
    }));

  test('opens on the newest version, with real examples', () =>
    looking('/docs/reference', async ({ page }) => {
      await page.getByText('/asset-snapshots').first().waitFor();
      await page.getByRole('link', { name: 'Asset snapshots', exact: true }).click();
      await page.getByText('battery-1').first().waitFor();
      expect(await page.getByText('-9007199254740991').count()).toBe(0);
    }));

  test.each(VERSION_NAMES)('the address of a call of %s leads to it and stays as it is', (version) => {
    const path = `/docs/reference#${version.replace('.', '-')}/tag/customers/GET/customers`;
    return looking(path, async ({ page }) => {
      await page.getByText(`X-API-Version: ${version}`).first().waitFor();
      await page.waitForLoadState('networkidle');
      expect(page.url().endsWith(path)).toBe(true);
    });
  });

  test('each of its controls has a name for a screen reader, also where a call is tried', () =>
    looking('/docs/reference', async ({ page, nameless }) => {
      await page.getByText('/asset-snapshots').first().waitFor();
      await page.getByRole('combobox', { name: 'Client ID' }).waitFor();
      expect(await nameless()).toEqual([]);
      await page.getByText('authorizationCode').first().click();
      await page.getByRole('combobox', { name: 'Redirect URL' }).waitFor();
      expect(await nameless()).toEqual([]);
      await page.getByRole('button', { name: 'Test Request' }).first().click();
      await page.getByRole('textbox', { name: 'Body' }).waitFor();
      expect(await nameless()).toEqual([]);
    }));

  test('its examples name the version that is shown; it is readable in light and dark and fits on a phone', () =>
    looking('/docs/reference', async (seen) => {
      await seen.page.getByText(`X-API-Version: ${NEWEST_VERSION}`).first().waitFor();
      await expectReadable(seen);
      await expectToFitOnPhone(seen);
    }));
});

test.each(['/', '/docs', '/docs/gateways'])(
  'no command in the text of %s is cut off, or broken within its hyphens',
  (path) =>
    looking(path, async ({ page }) => {
      for (const width of [1280, 1000]) {
        await page.setViewportSize({ width, height: 900 });
        const broken = await page.evaluate<
          string[]
        >(`[...document.querySelectorAll('p code, li code')].filter((code) => {
        const range = document.createRange();
        const at = code.textContent.indexOf('--');
        if (at >= 0) {
          range.setStart(code.firstChild, at);
          range.setEnd(code.firstChild, at + 2);
        }
        return code.scrollWidth > code.clientWidth || (at >= 0 && range.getClientRects().length > 1);
      }).map((code) => code.textContent)`);
        expect([width, broken]).toEqual([width, []]);
      }
    }),
);

test('blocks of the guide are copied by a button, and one button says so', () =>
  looking('/docs', async ({ page }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const button = page.getByRole('button', { name: 'Copy' }).first();
    await button.click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toBe(await page.locator('main pre').first().textContent());
  }));

test('without a script the guide has the same lines and no button', async () => {
  const context = await browser?.newContext({ javaScriptEnabled: false });
  const page = await context?.newPage();
  await page?.goto(`${baseUrl()}/docs`);
  expect(await page?.locator('main pre').count()).toBeGreaterThan(5);
  expect(await page?.getByRole('button').count()).toBe(0);
  await context?.close();
});

test('every link leads to a page of the service that is there; only the reference names its maker', async () => {
  /* Without an organization nobody could sign in to a console. */
  await createTenant(api as TestApi);
  const found = new Map<string, string>();
  for (const { path } of [...WRITTEN_PAGES, { path: '/docs/reference' }]) {
    await looking(path, async ({ page }) => {
      await page.locator('a[href]').first().waitFor();
      const addresses = await page.evaluate<string[]>('[...document.links].map((link) => link.href)');
      for (const address of addresses) found.set(address.replace(/#.*$/, ''), path);
    });
  }
  /* There are many suppliers here, and none of them is the browser's. */
  found.delete(`${baseUrl()}/portal/login`);
  const own = [...found.keys()].filter((address) => address.startsWith(`${baseUrl()}/`));
  expect(own.length).toBeGreaterThan(WRITTEN_PAGES.length + VERSION_NAMES.length);
  expect([...found].filter(([address]) => !own.includes(address))).toEqual([
    ['https://www.scalar.com/', '/docs/reference'],
  ]);
  const answers = () => Promise.all(own.map(async (address) => [address, (await fetch(address)).status]));
  /* Readiness may be gone for a moment on a busy machine. */
  await expect.poll(answers, { interval: 1_000 }).toEqual(own.map((address) => [address, 200]));
});
