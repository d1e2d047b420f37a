import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientsOf } from '../../src/identity/oauth/clients/clients.ts';
import { WORK_LISTS } from '../../src/pages/console/work/lists.ts';
import { newId } from '../../src/platform/ids.ts';
import { createEntry } from '../billing/payments/entries.ts';
import { mailedCode } from '../identity/oauth/visitor.ts';
import { consoleUser } from '../pages/console/console.ts';
import {
  createAsset,
  createFailedDelivery,
  createHousehold,
  createSubscription,
  createTenant,
} from '../setup/factories.ts';
import { createInvoice } from '../setup/invoice-factories.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { takePriceApi } from '../spot-prices/serve/price-api.ts';
import { FETCHING_MILLISECONDS, openBrowser } from './browser.ts';
import { KILOBYTES_MAX, type Look, look } from './looking.ts';

const WORK = '/work';

const prices = await takePriceApi('2026-05-16T13:30:00+02:00');
let browser: Browser;
let organization: string;
let household: string;
let contract: string;
let bill: string;
let entry: string;
let order: string;
let reduction: string;
let delivery: string;

beforeAll(async () => {
  browser = await openBrowser();
  await prices.pull('2026-05-16', '2026-05-17');
  const { api } = prices;
  const tenant = await createTenant(api);
  ({ organization } = tenant);
  const place = await createHousehold(api.deps, organization, { display_name: 'Gänsemarkt' });
  ({ household } = place);
  ({ id: contract } = await createSubscription(api.deps, organization, place, { status: 'active' }));
  const of = { customer_id: place.customer, subscription_id: contract };
  const invoice = await createInvoice(api.deps, organization, of);
  bill = invoice.id;
  const text = `Rechnung ${invoice.invoice_number} und noch ein langer Text, wie ihn Menschen schreiben`;
  entry = await createEntry(api, organization, { name: 'Käthe Voß', booked_on: '2026-05-15', text });
  order = newId('prdo');
  await storedRows(
    api,
    `INSERT INTO meter_orders (organization_id, customer_id, subscription_id, id, product, provider, status, unblocked_status,
       created_at, updated_at)
     VALUES ($1, $2, $3, $4, 'smart-meter-octopus', 'octopus', 'waiting', 'waiting', '2026-05-01', '2026-05-01')`,
    [organization, place.customer, contract, order],
  );
  reduction = newId('gfr');
  await storedRows(
    api,
    `INSERT INTO grid_fee_reductions (organization_id, customer_id, subscription_id, id, type, status, created_at, updated_at)
     VALUES ($1, $2, $3, $4, 'enwg-14a-module-1', 'ordered', '2026-05-01', '2026-05-01')`,
    [organization, place.customer, contract, reduction],
  );
  /* Refused, so that the list of requests has what is wrong with one. */
  await api
    .client(tenant.token)
    .post('/asset-snapshots', { household, snapshots: [{ asset: 'ast_unknown' }] });
  const failed = { attempts: 1, description: 'Receiver' };
  const { endpoint, event } = await createFailedDelivery(api, organization, failed);
  delivery = `${endpoint}/${event}`;
  for (const type of ['household_net', 'battery', 'wallbox', 'heat_pump'] as const) {
    const { key } = await createAsset(api.deps, organization, place, { type, display_name: `Gerät ${type}` });
    await storedRows(
      api,
      `INSERT INTO asset_quarter_hours (asset_id, start, samples, connected_samples, covered_seconds, consumed_kwh, fed_kwh)
       SELECT $1, at, 3, 0, 900, 0.5, 0.25
         FROM generate_series(timestamptz '2026-05-15T22:00Z', '2026-05-16T11:00Z', interval '15 minutes') AS at`,
      [key],
    );
  }
}, FETCHING_MILLISECONDS);
afterAll(async () => {
  await browser?.close();
  await prices.close();
});

/** By the keyboard alone. */
async function signIn(locale: 'en-GB' | 'de-DE' = 'en-GB'): Promise<Look> {
  const { api } = prices;
  const email = await consoleUser(api, organization);
  const opened = await look(browser, `${api.baseUrl}/console`, locale);
  const { page, nameless } = opened;
  await page.waitForSelector('#email:focus');
  expect(await nameless()).toEqual([]);
  await page.keyboard.type(email);
  await page.keyboard.press('Enter');
  await page.waitForSelector('#code:focus');
  expect(await nameless()).toEqual([]);
  await expect.poll(() => mailedCode(api, email)).toBeDefined();
  await page.keyboard.type((await mailedCode(api, email)) ?? '');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/console');
  expect(await nameless()).toEqual([]);
  return opened;
}

test('home is come to by the keyboard alone, draws its chart, and is readable in light, dark and on a phone', async () => {
  const { page, problems, foreign, unreadable, behind, close } = await signIn();
  try {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [1280, 390]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        await page.waitForSelector('#chart[data-points="192"] canvas');
        await expect.poll(() => unreadable()).toEqual([]);
        await expect.poll(() => behind()).toBe(0);
      }
    }
    expect([problems, foreign]).toEqual([[], []]);
  } finally {
    await close();
  }
});

test.each(['en-GB', 'de-DE'] as const)(
  '%s: every page has names for its controls and at most 100 kB, is readable in light, dark and on a phone, where no table goes on behind the edge, asks no other host, and draws what its table has',
  async (locale) => {
    const { page, problems, foreign, unreadable, nameless, behind, kilobytes, close } = await signIn(locale);
    try {
      const clients = await clientsOf(prices.api.deps.database, organization);
      const paths = [
        ...['', '/fleet'],
        `/households/${household}`,
        '/contracts',
        `/contracts/${contract}`,
        '/requests',
      ];
      const lists = Object.keys(WORK_LISTS).map((name) => `${WORK}/${name}`);
      const items = [`/payments/${entry}`, `/meter-orders/${order}`, `/reductions/${reduction}`];
      const work = [WORK, ...lists, ...items.map((item) => WORK + item)];
      const receiver = `/webhooks/${delivery.split('/')[0]}`;
      const developers = ['/keys', `/keys/${clients[0]?.id}`, '/webhooks', receiver, `/webhooks/${delivery}`];
      const ofContract = [`/contracts/${contract}/correction`, `/contracts/${contract}/bills/${bill}`];
      for (const path of [...paths, ...work, ...ofContract, ...developers]) {
        await page.goto(`${prices.api.baseUrl}/console${path}`);
        expect(await page.getAttribute('html', 'lang')).toBe(locale.slice(0, 2));
        if (path === '/webhooks') await page.click('.new summary');
        if (path.startsWith('/households')) await page.click('details:has(table) summary');
        expect([path, await nameless()]).toEqual([path, []]);
        expect([path, await page.locator('h1').count()]).toEqual([path, 1]);
        for (const colorScheme of ['light', 'dark'] as const) {
          for (const width of [1280, 375]) {
            await page.emulateMedia({ colorScheme });
            await page.setViewportSize({ width, height: 900 });
            if (path.startsWith('/households')) {
              await page.waitForSelector('#chart[data-points="96"] canvas');
              expect(await page.locator('.legend li').count()).toBe(4);
            }
            await expect.poll(async () => [path, await unreadable()]).toEqual([path, []]);
            /* A chart is drawn anew behind the change of the width. */
            await expect.poll(async () => [path, await behind()]).toEqual([path, 0]);
          }
        }
      }
      expect([problems, foreign]).toEqual([[], []]);
      expect(await kilobytes()).toBeLessThan(KILOBYTES_MAX);
    } finally {
      await close();
    }
  },
);

test('on a phone each cell of a row says of which column it is', async () => {
  const { page, close } = await signIn();
  try {
    await page.setViewportSize({ width: 375, height: 900 });
    await page.goto(`${prices.api.baseUrl}/console/contracts`);
    const names = await page.evaluate(`[...document.querySelector('.stacked tbody tr').querySelectorAll('td')]
      .map((cell) => getComputedStyle(cell, '::before').content)`);
    expect(names).toEqual(['"Customer"', '"Status"', '"Plan"', '"Kind"', '"Begins"', '"Last day"']);
  } finally {
    await close();
  }
});

test('a shadow shows that a table goes on behind the edge, until its end is seen', async () => {
  const { page, close } = await signIn();
  try {
    await page.setViewportSize({ width: 730, height: 900 });
    await page.goto(`${prices.api.baseUrl}/console/keys`);
    const table = page.locator('.scroll').first();
    /* Without words and lines only the shadow is left. */
    await table.locator('table').evaluate((element: { style: { visibility: string } }) => {
      element.style.visibility = 'hidden';
    });
    const atStart = await table.screenshot();
    await table.evaluate((element: { scrollLeft: number }) => {
      element.scrollLeft = 1_000;
    });
    const atEnd = await table.screenshot();
    expect(atStart.equals(atEnd)).toBe(false);
  } finally {
    await close();
  }
});

test('a key is made by the keyboard alone, and without a script', async () => {
  const { page, problems, close } = await signIn();
  try {
    await page.route('**/*.js', (route) => route.abort());
    await page.goto(`${prices.api.baseUrl}/console/keys`);
    await page.focus('#create-display_name');
    await page.keyboard.type('by keyboard');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.type('tried');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.notice');
    expect(await page.locator('main').textContent()).toMatch(/ocs_[\w-]{43}/);
    expect(problems).toEqual([]);
    await page.goto(`${prices.api.baseUrl}/console/households/${household}?day=2026-05-16`);
    await page.focus('summary');
    await page.keyboard.press('Enter');
    expect(await page.locator('#chart-table').isVisible()).toBe(true);
    expect(await page.locator('#chart').isVisible()).toBe(false);
  } finally {
    await close();
  }
});

test('a movement is assigned by the keyboard alone, and without a script', async () => {
  const { page, problems, nameless, unreadable, close } = await signIn();
  try {
    await page.route('**/*.js', (route) => route.abort());
    await page.goto(`${prices.api.baseUrl}/console/work`);
    await page.getByRole('link', { name: 'Käthe Voß' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/work/payments/**');
    await page.getByRole('radio').last().focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.type('nothing');
    await page.keyboard.press('Tab');
    await page.keyboard.type('tried');
    await page.keyboard.press('Enter');
    /* Refused: the field that is wrong has the focus, what was typed, and the reason as its description. */
    await page.waitForSelector('#assign-to[aria-invalid]');
    const focused = page.locator(':focus');
    expect([await focused.getAttribute('id'), await focused.inputValue()]).toEqual(['assign-to', 'nothing']);
    const told = page.locator(`#${await focused.getAttribute('aria-describedby')}`);
    expect(await told.textContent()).toMatch(/nothing/i);
    await expect.poll(async () => [await nameless(), await unreadable()]).toEqual([[], []]);
    await page.getByRole('radio').first().focus();
    await page.keyboard.press('Space');
    await page.fill('#assign-to', '');
    await page.focus('#assign-reason');
    await page.keyboard.press('Enter');
    await page.waitForSelector('main a[href*="/bills/"]');
    /* The refusal itself. */
    expect(problems.filter((line) => !/\b409\b/.test(line))).toEqual([]);
  } finally {
    await close();
  }
});
