import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mailedCode } from '../identity/oauth/visitor.ts';
import { consoleUser } from '../pages/console/console.ts';
import { createTenant } from '../setup/factories.ts';
import { takePriceApi } from '../spot-prices/serve/price-api.ts';
import { FETCHING_MILLISECONDS, openBrowser } from './browser.ts';
import { look } from './looking.ts';

const prices = await takePriceApi('2026-05-16T13:30:00+02:00');
let browser: Browser;
let organization: string;

beforeAll(async () => {
  browser = await openBrowser();
  await prices.pull('2026-05-16', '2026-05-17');
  ({ organization } = await createTenant(prices.api));
}, FETCHING_MILLISECONDS);
afterAll(async () => {
  await browser?.close();
  await prices.close();
});

test('home is come to by the keyboard alone, draws its chart, and is readable in light, dark and on a phone', async () => {
  const { api } = prices;
  const email = await consoleUser(api, organization);
  const { page, problems, foreign, unreadable, close } = await look(browser, `${api.baseUrl}/console`);
  try {
    await page.waitForSelector('#email:focus');
    await page.keyboard.type(email);
    await page.keyboard.press('Enter');
    await page.waitForSelector('#code:focus');
    await expect.poll(() => mailedCode(api, email)).toBeDefined();
    await page.keyboard.type((await mailedCode(api, email)) ?? '');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console');
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [1280, 390]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        await page.waitForSelector('#chart[data-points="192"] canvas');
        expect(await unreadable()).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      }
    }
    expect([problems, foreign]).toEqual([[], []]);
  } finally {
    await close();
  }
});
