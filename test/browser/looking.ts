import type { Browser, Page } from 'playwright-core';
import { unreadableTexts } from './unreadable-texts.ts';

export interface Look {
  page: Page;
  /** Errors of the console, of scripts, of the page's own policy, failed requests. */
  problems: string[];
  /** Addresses asked that are not the service's own. */
  foreign: string[];
  /** Texts without enough contrast to their background, with the contrast. */
  unreadable(): Promise<string[]>;
  /** Controls without a name for a screen reader. */
  nameless(): Promise<string[]>;
  /** Of all that came so far, as it came. */
  kilobytes(): Promise<number>;
  close(): Promise<void>;
}

/** As people with ordinary sight read it without effort (WCAG 2, level AA). */
const CONTRAST_MIN = 4.5;

const CONTROLS = ['button', 'link', 'textbox', 'combobox', 'checkbox', 'radio', 'spinbutton'] as const;

/** What the page's policy refuses is reported to its scripts only: told on, it stands among the problems. */
const TELL_REFUSALS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('Refused by the policy: ' + event.effectiveDirective + ' ' + event.blockedURI));`;

/** Opens the address as a visitor of its own and notes everything that goes wrong. */
export async function look(browser: Browser, address: string): Promise<Look> {
  const context = await browser.newContext();
  // Shorter than a test may take, so that what was waited for is named.
  context.setDefaultTimeout(20_000);
  await context.addInitScript(TELL_REFUSALS);
  const page = await context.newPage();
  const problems: string[] = [];
  const foreign: string[] = [];
  const sizes: Promise<number>[] = [];
  const { origin } = new URL(address);
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (!['data:', 'blob:'].includes(url.protocol) && url.origin !== origin) foreign.push(request.url());
  });
  context.on('requestfinished', (request) =>
    sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize)),
  );
  context.on('requestfailed', (request) =>
    problems.push(`${request.url()}: ${request.failure()?.errorText ?? 'failed'}`),
  );
  context.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.url()}: ${response.status()}`);
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  try {
    await page.goto(address);
  } catch (error) {
    await context.close();
    throw error;
  }
  return {
    page,
    problems,
    foreign,
    unreadable: () => page.locator('body').evaluate(unreadableTexts, CONTRAST_MIN),
    nameless: async () => {
      const found = CONTROLS.map(async (role) => {
        const controls = await page.getByRole(role, { name: /^\s*$/ }).all();
        return await Promise.all(
          controls.map((control) => control.innerHTML().then((html) => `${role} ${html}`)),
        );
      });
      return (await Promise.all(found)).flat();
    },
    kilobytes: async () => (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) / 1_000,
    close: () => context.close(),
  };
}
