import type { Browser, Page } from 'playwright-core';
import { unreadableTexts } from './unreadable-texts.ts';

/** What is held against every page, whoever opens it. */
export interface Watched {
  /** Addresses that a page of the service asked and that are not the service's own. */
  foreign: string[];
  /** Texts without enough contrast to their background, with the contrast. */
  unreadable(): Promise<string[]>;
  /** Controls without a name for a screen reader. */
  nameless(): Promise<string[]>;
  /** Pixels by which the page, or a table in it, goes on behind the edge. */
  behind(): Promise<number>;
  /** Of the heaviest page so far, with all that it loads, as it came, for a browser that has nothing of it yet. */
  kilobytes(): Promise<number>;
}

export interface Look extends Watched {
  page: Page;
  /** Errors of the console, of scripts, of the page's own policy, failed requests. */
  problems: string[];
  close(): Promise<void>;
}

/** As people with ordinary sight read it without effort (WCAG 2, level AA). */
export const CONTRAST_MIN = 4.5;

/** With style, scripts, fonts and pictures; the reference brings a program of its own. */
export const KILOBYTES_MAX = 100;

const CONTROLS = ['button', 'link', 'textbox', 'combobox', 'checkbox', 'radio', 'spinbutton'] as const;

/** What the page's policy refuses is reported to its scripts only: told on, it stands among the problems. */
const TELL_REFUSALS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('Refused by the policy: ' + event.effectiveDirective + ' ' + event.blockedURI));`;

export async function watch(page: Page, origin: string): Promise<Watched> {
  const foreign: string[] = [];
  const pages: Promise<number>[][] = [[]];
  /* A browser whose requests are looked at keeps no copies: each page is weighed whole. */
  await page.context().route('**', (route) => route.fallback());
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (request.isNavigationRequest()) {
      if (request.frame() === page.mainFrame()) pages.push([]);
    } else if (
      !['data:', 'blob:'].includes(url.protocol) &&
      url.origin !== origin &&
      request.frame().url().startsWith(origin)
    )
      foreign.push(request.url());
  });
  page.on('requestfinished', (request) => {
    const size = request.sizes().then(({ responseBodySize }) => responseBodySize);
    /* Of a page that is closed meanwhile nobody asks the weight. */
    size.catch(() => {});
    if (request.url().startsWith(origin)) pages.at(-1)?.push(size);
  });
  return {
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
    behind: () =>
      page.evaluate<number>(`Math.max(...[document.documentElement, ...document.querySelectorAll('.scroll')]
        .map((part) => part.scrollWidth - part.clientWidth))`),
    kilobytes: async () => {
      const sums = pages.map(async (sizes) =>
        (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0),
      );
      return Math.max(...(await Promise.all(sums))) / 1_000;
    },
  };
}

/** Opens the address as a visitor of its own and notes everything that goes wrong. */
export async function look(
  browser: Browser,
  address: string,
  locale: 'en-GB' | 'de-DE' = 'en-GB',
): Promise<Look> {
  const context = await browser.newContext({ locale });
  // Shorter than a test may take, so that what was waited for is named.
  context.setDefaultTimeout(120_000);
  await context.addInitScript(TELL_REFUSALS);
  const page = await context.newPage();
  const problems: string[] = [];
  const watched = await watch(page, new URL(address).origin);
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
  return { ...watched, page, problems, close: () => context.close() };
}
