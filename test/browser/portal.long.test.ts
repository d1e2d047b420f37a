import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setBrand } from '../../src/identity/brands/service.ts';
import { takePriced } from '../contracts/subscription-prices/priced.ts';
import { drawnPng } from '../identity/brands/drawn-png.ts';
import { Portal } from '../pages/portal/link.ts';
import { createAsset, createPlan, createSubscription } from '../setup/factories.ts';
import { createInvoice } from '../setup/invoice-factories.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { FETCHING_MILLISECONDS, openBrowser } from './browser.ts';
import { KILOBYTES_MAX, type Watched, watch } from './looking.ts';

/* What a customer sees behind a magic link, in German and in English, on a screen and on a phone. */

const PHONE = { width: 375, height: 740 };
const SCREEN = { width: 1280, height: 800 };

const priced = await takePriced('2026-11-20T10:00:00.000Z');
let portal: Portal;
let browser: Browser;

beforeAll(async () => {
  [browser, portal] = await Promise.all([
    openBrowser(),
    Portal.on(priced.api, priced.clock, priced.organization),
  ]);
}, FETCHING_MILLISECONDS);

afterAll(async () => {
  await browser?.close();
  await priced.close();
});

async function visiting(
  locale: 'de-DE' | 'en-GB',
  viewport: { width: number; height: number },
  work: (page: Page, problems: string[], expectGood: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ locale, viewport });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (line) => {
    if (line.type() === 'error' || line.type() === 'warning') problems.push(line.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  const watched = await watch(page, new URL(portal.url).origin);
  try {
    await work(page, problems, () => expectGoodPage(page, watched));
    expect(watched.foreign).toEqual([]);
    expect(await watched.kilobytes()).toBeLessThan(KILOBYTES_MAX);
    /* The measuring of contrasts paints. */
    expect(problems.filter((problem) => !problem.includes('Canvas2D'))).toEqual([]);
  } finally {
    await context.close();
  }
}

/** Readable in light and dark, with names for its controls; no wider than the screen or a phone, and no table in it either. */
async function expectGoodPage(page: Page, { unreadable, nameless, behind }: Watched): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    /* The style sheet of a page that is new may come behind its text. */
    await expect.poll(() => unreadable()).toEqual([]);
  }
  expect(await nameless()).toEqual([]);
  for (const size of [PHONE, page.viewportSize() ?? PHONE]) {
    await page.setViewportSize(size);
    await expect.poll(() => behind()).toBeLessThanOrEqual(0);
  }
  expect(await page.locator('h1').count()).toBe(1);
}

/** A keyboard reaches the document of each invoice, older ones too, and the words of a link say which it is. */
async function expectInvoices(page: Page, expectGood: () => Promise<void>): Promise<void> {
  const links = page.getByRole('link', { name: /-0\d\d \(PDF\)$/ });
  expect(await links.count()).toBe(11);
  await page.locator('summary').focus();
  await page.keyboard.press('Enter');
  expect(await links.count()).toBe(13);
  await expectGood();
  await links.first().focus();
  const file = page.waitForRequest(/\/files\//);
  await page.keyboard.press('Enter');
  await file;
  await page.goto(`${portal.url}/overview`);
}

/** Of two days with prices, in percent of the width: what is shaded, and where the line of now stands, at eleven in Berlin. */
async function expectMarks(page: Page): Promise<void> {
  type Part = { style: Record<'left' | 'width', string> };
  const sizes = (name: string, side: 'left' | 'width') =>
    page
      .locator(`#chart .${name}`)
      .evaluateAll((parts: Part[], key) => parts.map(({ style }) => Number.parseFloat(style[key])), side);
  for (const kind of ['cheap', 'dear']) {
    const widths = await sizes(kind, 'width');
    expect(widths.reduce((sum, width) => sum + width, 0)).toBeCloseTo((24 / 192) * 100);
  }
  expect(await sizes('now', 'left')).toEqual([expect.closeTo((11 / 48) * 100)]);
  expect(await page.locator('#chart .now').isVisible()).toBe(true);
}

async function customerWithContracts(): Promise<string> {
  const named = (name: string, type: 'consumption' | 'feed_in') =>
    createPlan(portal.api.deps, portal.organization, { name, type });
  const [supply, feedIn] = [
    await named('Strom Dynamisch', 'consumption'),
    await named('Einspeisung', 'feed_in'),
  ];
  const start_at = '2025-12-31T23:00:00Z';
  const place = await portal.customer({ status: 'active', plan_id: supply.id, start_at });
  const { organization } = portal;
  const { id } = await createSubscription(portal.api.deps, organization, place, {
    ...{ status: 'active', type: 'feed_in', plan_id: feedIn.id, start_at },
  });
  const of = { customer_id: place.customer, subscription_id: id };
  for (let month = 1; month <= 14; month += 1) {
    portal.clock.advance(1);
    const document = month === 14 ? null : '%PDF-1.7';
    const status = month < 13 ? 'paid' : 'open';
    await createInvoice(portal.api.deps, organization, { ...of, document, status, total: '-1080.25' });
  }
  return place.customer;
}

describe('a customer in Chromium', () => {
  test.each([
    [
      'de-DE',
      SCREEN,
      'Zu meinen Verträgen',
      'Ihre Verträge',
      'Abmelden',
      'Sie sind abgemeldet',
      'Mit einem Code anmelden',
    ],
    [
      'en-GB',
      PHONE,
      'Go to my contracts',
      'Your contracts',
      'Sign out',
      'You are signed out',
      'Sign in with a code',
    ],
  ] as const)('%s: opens the link, sees contracts, signs out', async (...given) => {
    const [locale, viewport, go, title, leave, out, signIn] = given;
    const link = await portal.link(await customerWithContracts());
    await visiting(locale, viewport, async (page, problems, expectGood) => {
      await page.goto(link);
      await expectGood();
      await page.getByRole('button', { name: go }).click();
      await page.waitForURL(`${portal.url}/overview`);
      expect(await page.title()).toBe(title);
      expect(await page.locator('section').count()).toBe(2);
      await expectGood();
      await expectInvoices(page, expectGood);
      await page.getByRole('button', { name: leave }).click();
      await page.getByRole('heading', { name: out }).waitFor();
      await expectGood();
      await page.getByRole('link', { name: signIn }).click();
      await page.waitForSelector('#email');
      await expectGood();
      /* A page that is refused is an answer of status 401, which the console notes. */
      problems.splice(0, problems.length, ...problems.filter((line) => !line.includes('status of 401')));
    });
  });

  test('reads that a link was used, and is one click from the contracts', async () => {
    const link = await portal.link(await customerWithContracts());
    await visiting('de-DE', PHONE, async (page, problems, expectGood) => {
      await page.goto(link);
      await page.getByRole('button').click();
      await page.waitForURL(`${portal.url}/overview`);
      await page.goto(link);
      expect(await page.locator('h1').textContent()).toBe('Dieser Link gilt nicht mehr');
      await expectGood();
      await page.getByRole('link', { name: 'Zu meinen Verträgen' }).click();
      await page.waitForURL(`${portal.url}/overview`);
      problems.splice(0, problems.length, ...problems.filter((line) => !line.includes('status of 410')));
    });
  });

  test('without a contract is led to the sign-up, which the policy of the page lets happen', async () => {
    const { customer } = await portal.customer();
    const link = await portal.link(customer);
    await visiting('de-DE', SCREEN, async (page, problems) => {
      await page.goto(link);
      /* Nobody listens there; a browser whose page forbids the way does not even ask. */
      const visit = page.waitForRequest('https://checkout.localhost/');
      await page.getByRole('button').click();
      expect((await visit).isNavigationRequest()).toBe(true);
      expect(problems.filter((line) => /form-action|Content Security/i.test(line))).toEqual([]);
      problems.length = 0;
    });
  });

  test.each([
    ['de-DE', SCREEN, 'Preise heute und morgen', 'jetzt kündigen'],
    ['en-GB', PHONE, 'Prices today and tomorrow', 'end it now'],
  ] as const)('%s: sees prices and usage, sends a reading, ends the contract', async (...given) => {
    const [locale, viewport, prices, end] = given;
    const price = (index: number) => String(60 + 40 * Math.sin(index / 14));
    await priced.store('2026-11-20', price);
    await priced.store('2026-11-21', price);
    const contract = await priced.contract({ confirmed_at: '2026-11-15T10:00:00Z' });
    await visiting(locale, viewport, async (page, problems, expectGood) => {
      await page.clock.setFixedTime(priced.clock.now());
      await page.goto(await portal.link(contract.place.customer));
      await page.getByRole('button').click();
      await page.waitForURL(`${portal.url}/overview`);
      await expectGood();
      await page.getByRole('link', { name: prices }).click();
      await page.locator('#chart canvas').waitFor();
      expect(await page.locator('#chart').getAttribute('data-points')).toBe('192');
      const readout = page.locator('#readout');
      await page.locator('#chart .u-over').hover();
      expect(await readout.textContent()).toMatch(
        /^\S+ \d\d:\d\d {3}(Preis|Price) [\d.,]+ {3}(Energie|Energy) [\d.,]+ {3}(Netz|Grid) .* ct\/kWh/,
      );
      await page.locator('summary').focus();
      await page.keyboard.press('Enter');
      expect(await page.locator('tr.cheap').count()).toBe(24);
      await expectMarks(page);
      await expectGood();
      await page.goto(portal.page(contract.id, 'usage'));
      await page.locator('#chart canvas').waitFor();
      await page.locator('#chart .u-over').hover();
      expect(await readout.textContent()).toMatch(/ {3}(–|[\d.,]+) kWh/);
      await expectGood();
      await page.goto(portal.page(contract.id, 'reading'));
      await page.locator('#value').fill('18.342');
      await page.keyboard.press('Enter');
      await page.locator('#error-value').waitFor();
      expect(await page.locator('#value').inputValue()).toBe('18.342');
      await expectGood();
      await page.locator('#value').fill('18342,7');
      await page.keyboard.press('Enter');
      await page.getByRole('status').waitFor();
      await expectGood();
      for (const name of ['withdraw', 'terminate'] as const) {
        await page.goto(portal.page(contract.id, name));
        await expectGood();
      }
      await page.getByRole('button', { name: end }).click();
      await page.waitForURL(portal.page(contract.id, 'ended'));
      await expectGood();
      await page.goto(`${portal.url}/overview/consents`);
      await expectGood();
      /* A reading that is refused is an answer of status 400, which the console notes. */
      problems.splice(0, problems.length, ...problems.filter((line) => !line.includes('status of 400')));
    });
  });

  test.each([
    ['de-DE', 'vorläufig'],
    ['en-GB', 'preliminary'],
  ] as const)('%s: reads what a month cost that is not over, also on a phone', async (locale, remark) => {
    await priced.store('2026-11-18', '100');
    const contract = await priced.contract({ meter_type: 'smart' });
    const { key } = await createAsset(portal.api.deps, priced.organization, contract.place, {
      type: 'household_net',
    });
    await storedRows(
      portal.api,
      `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw, created_at)
       SELECT $1, t, 30, t FROM generate_series('2026-11-17T23:00Z'::timestamptz, '2026-11-18T23:00Z', '1 minute') AS t`,
      [key],
    );
    const link = await portal.link(contract.place.customer);
    await visiting(locale, PHONE, async (page, _problems, expectGood) => {
      await page.goto(link);
      await page.getByRole('button').click();
      await page.waitForURL(`${portal.url}/overview`);
      await page.goto(`${portal.page(contract.id, 'usage')}?year=2026`);
      const row = page.getByRole('row', { name: remark });
      expect(await row.textContent()).toMatch(/720[,.]00\d{3}[,.]\d\d/);
      await expectGood();
    });
  });

  test('sees name, logo and colour of the supplier, readable in light and dark, on the portal and its sign-in', async () => {
    const act = { staff: 'ada', reason: 'test', command: 'test', now: priced.clock.now().toISOString() };
    const logo = { name: 'logo.png', bytes: drawnPng({ width: 400, height: 100 }) };
    const brand = { name: 'Stadtwerke Beispiel', color: '#7a1f5c', logo };
    await setBrand(portal.api.deps.database, portal.organization, brand, act);
    const link = await portal.link(await customerWithContracts());
    await visiting('de-DE', PHONE, async (page, _problems, expectGood) => {
      await page.goto(link);
      const image = page.getByRole('img', { name: 'Stadtwerke Beispiel' });
      /* Pages of the last five seconds had none. */
      const shown = async () => {
        await page.reload();
        return await image.count();
      };
      await expect.poll(shown).toBe(1);
      expect(await image.getAttribute('width')).toBe('400');
      await page.emulateMedia({ colorScheme: 'light' });
      const button = page.getByRole('button');
      const paint = () =>
        page.evaluate<string>("getComputedStyle(document.querySelector('button')).backgroundColor");
      expect(await paint()).toBe('rgb(122, 31, 92)');
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await paint()).not.toBe('rgb(122, 31, 92)');
      await expectGood();
      await button.click();
      await page.waitForURL(`${portal.url}/overview`);
      expect(await page.title()).toBe('Ihre Verträge · Stadtwerke Beispiel');
      await expectGood();
    });
  });
});
