import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callStatus } from '../identity/oauth/token-requests.ts';
import {
  authorizeUrl,
  clientWithCustomer,
  exchange,
  mailedCode,
  newEmail,
} from '../identity/oauth/visitor.ts';
import { startApi } from '../setup/api.ts';
import { FETCHING_MILLISECONDS, openBrowser } from './browser.ts';
import { KILOBYTES_MAX, type Watched, watch } from './looking.ts';

/* What a customer sees and does, from a client's link to its callback, in German and in English, on a phone too. */

const PHONE = { width: 360, height: 740 };

let api: Awaited<ReturnType<typeof startApi>>;
let browser: Browser;
const listeners: Server[] = [];
let redirectUri: string;
/** A page of the client on another origin. */
let homeUrl: string;
const callbacks: URL[] = [];

beforeAll(async () => {
  [browser, api] = await Promise.all([openBrowser(), startApi()]);
  homeUrl = await listening('/home', (_request, response) => {
    response.setHeader('content-type', 'text/html').end('<title>Home</title><h1>At home</h1>');
  });
  redirectUri = await listening('/callback', (request, response) => {
    callbacks.push(new URL(request.url ?? '', redirectUri));
    if (request.url?.startsWith('/forwarding')) response.writeHead(302, { location: homeUrl }).end();
    else
      response.setHeader('content-type', 'text/html').end('<title>Client</title><h1>Back at the client</h1>');
  });
}, FETCHING_MILLISECONDS);

afterAll(async () => {
  await browser?.close();
  for (const listener of listeners) {
    listener.closeAllConnections();
    listener.close();
  }
  await api?.close();
});

async function listening(path: string, answer: RequestListener): Promise<string> {
  const listener = createServer(answer);
  listeners.push(listener);
  await new Promise<void>((resolve) => listener.listen({ host: '127.0.0.1', port: 0 }, resolve));
  return `http://127.0.0.1:${(listener.address() as AddressInfo).port}${path}`;
}

/** The client's page has no icon; and the measuring of contrasts paints. */
const NOT_OURS = /favicon\.ico|Canvas2D/;

interface Visit {
  page: Page;
  problems: string[];
  /** Readable in light and dark, with names for its controls, no wider than the screen. */
  expectGood(): Promise<void>;
}

async function visiting(
  locale: 'de-DE' | 'en-GB',
  work: (visit: Visit) => Promise<void>,
  viewport = { width: 1280, height: 800 },
): Promise<void> {
  const context: BrowserContext = await browser.newContext({ locale, viewport, javaScriptEnabled: true });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (line) => {
    if (line.type() === 'error' || line.type() === 'warning') problems.push(line.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  const watched = await watch(page, new URL(api.baseUrl).origin);
  try {
    await work({ page, problems, expectGood: () => expectGoodPage(page, watched) });
    expect(watched.foreign).toEqual([]);
    expect(await watched.kilobytes()).toBeLessThan(KILOBYTES_MAX);
    expect(problems.filter((problem) => !NOT_OURS.test(problem))).toEqual([]);
  } finally {
    await context.close();
  }
}

const start = (client: { id: string }, more: Record<string, string> = {}) =>
  authorizeUrl(api, {
    client_id: client.id,
    redirect_uri: redirectUri,
    state: 'state of the client',
    ...more,
  });

const newClient = () =>
  clientWithCustomer(api, { redirect_uris: [redirectUri], display_name: 'Wärmepumpen-Wächter' });

async function typeCode(page: Page, email: string, button: string): Promise<void> {
  await page.waitForURL(/\/auth\/verify\?/);
  const code = (await mailedCode(api, email)) ?? '';
  await page.getByRole('textbox').fill(code);
  await page.getByRole('button', { name: button, exact: true }).click();
}

async function expectGoodPage(page: Page, { unreadable, nameless }: Watched): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await expect.poll(() => unreadable()).toEqual([]);
  }
  expect(await nameless()).toEqual([]);
  const width = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  expect(width).toBeLessThanOrEqual(0);
  expect(await page.locator('h1').count()).toBe(1);
}

describe('a customer in Chromium', () => {
  test('signs in with the code from the mail, consents in German, and the client gets its token', () =>
    visiting('de-DE', async ({ page, expectGood }) => {
      const { client, email, customer } = await newClient();
      await page.goto(start(client));
      expect(await page.title()).toBe('Anmelden');
      await expectGood();
      await page.getByLabel('E-Mail-Adresse').fill(email);
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/auth\/verify\?/);
      await expectGood();
      const input = page.getByLabel('Sechsstelliger Code');
      expect(await input.getAttribute('autocomplete')).toBe('one-time-code');
      expect(await input.getAttribute('inputmode')).toBe('numeric');
      await typeCode(page, email, 'Weiter');
      await page.waitForURL(/\/auth\/consent\?/);
      await expectGood();
      expect(await page.locator('h1').textContent()).toBe('Wärmepumpen-Wächter Zugriff erlauben?');
      await page.getByRole('button', { name: 'Erlauben' }).click();
      await page.waitForURL(`${redirectUri}?*`);
      const callback = new URL(page.url()).searchParams;
      expect(callback.get('state')).toBe('state of the client');
      expect(callback.get('iss')).toBe(api.baseUrl);
      const answer = await exchange(api, client, callback.get('code') ?? '', { redirect_uri: redirectUri });
      expect(answer.status).toBe(200);
      const token = String(answer.body.access_token);
      expect(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sub).toBe(customer);
      expect(await callStatus(api.baseUrl, token, '/households')).toBe(200);
      expect(callbacks.at(-1)?.searchParams.get('code')).toBe(callback.get('code'));
    }));

  test.each([
    ['a consent', {}, 'Allow'],
    ['a sign-in without one', { flow_type: 'login' }, null],
  ])('is led on to another origin of the client after %s', (_, more, button) =>
    visiting('en-GB', async ({ page }) => {
      const { client, email } = await newClient();
      const forwarding = redirectUri.replace('/callback', '/forwarding');
      await page.goto(start(client, { redirect_uri: forwarding, ...more }));
      await page.getByLabel('E-mail address').fill(email);
      await page.keyboard.press('Enter');
      await typeCode(page, email, 'Continue');
      if (button !== null) await page.getByRole('button', { name: button }).click();
      await page.waitForURL(homeUrl);
      expect(callbacks.at(-1)?.searchParams.get('code')).toMatch(/^acd_/);
    }),
  );

  test('denies in English on a phone, and the client hears of it', () =>
    visiting(
      'en-GB',
      async ({ page, expectGood }) => {
        const { client, email } = await newClient();
        await page.goto(start(client));
        await expectGood();
        await page.getByLabel('E-mail address').fill(email);
        await page.getByRole('button', { name: 'Continue' }).click();
        await expectGood();
        await typeCode(page, email, 'Continue');
        await page.waitForURL(/\/auth\/consent\?/);
        await expectGood();
        await page.getByRole('button', { name: 'Deny' }).click();
        await page.waitForURL(`${redirectUri}?*`);
        const callback = new URL(page.url()).searchParams;
        expect(callback.get('error')).toBe('access_denied');
        expect(callback.get('state')).toBe('state of the client');
        expect(callback.has('code')).toBe(false);
      },
      PHONE,
    ));

  test('signs up on a phone, after correcting what was wrong', () =>
    visiting(
      'de-DE',
      async ({ page, problems, expectGood }) => {
        const { client } = await newClient();
        const email = newEmail();
        await page.goto(start(client, { flow_type: 'signup' }));
        await expectGood();
        await page.getByLabel('Unternehmen', { exact: true }).check();
        await page.getByLabel('Vorname').fill('Jürgen');
        await page.getByLabel('Nachname').fill('Süß');
        await page.getByLabel('E-Mail-Adresse').fill(email);
        await page.getByRole('button', { name: 'Weiter' }).click();
        await expectGood();
        expect(await page.getByRole('alert').textContent()).toContain('markierten Felder');
        expect(await page.getByLabel('Vorname').inputValue()).toBe('Jürgen');
        const name = page.getByLabel('Name des Unternehmens');
        expect(await name.getAttribute('aria-invalid')).toBe('true');
        await name.fill('Süß & Söhne');
        await page.getByRole('button', { name: 'Weiter' }).click();
        await page.waitForURL(/\/auth\/verify\?/);
        await typeCode(page, email, 'Weiter');
        await page.waitForURL(/\/auth\/consent\?/);
        await page.getByRole('button', { name: 'Erlauben' }).click();
        await page.waitForURL(`${redirectUri}?*`);
        expect(new URL(page.url()).searchParams.get('code')).toMatch(/^acd_/);
        /* A refused form is an answer of status 400, which the console notes. */
        problems.splice(0, problems.length, ...problems.filter((line) => !line.includes('status of 400')));
      },
      PHONE,
    ));

  test('reads what is wrong with a link, in the language of the browser', () =>
    visiting(
      'de-DE',
      async ({ page, problems, expectGood }) => {
        const { client } = await newClient();
        await page.goto(start(client, { redirect_uri: 'https://evil.example/' }));
        await expectGood();
        expect(await page.locator('h1').textContent()).toBe('Diese Anfrage ist nicht gültig');
        expect(await page.getByRole('alert').textContent()).toContain('beginnen Sie dort neu');
        problems.splice(0, problems.length, ...problems.filter((line) => !line.includes('status of 400')));
      },
      PHONE,
    ));

  test('Z29 no page of somebody else shows the screens in a frame', () =>
    visiting('en-GB', async ({ page, problems }) => {
      const { client } = await newClient();
      await page.goto(`${redirectUri}/elsewhere`);
      await page.evaluate(
        `(() => { const frame = document.createElement('iframe'); frame.src = ${JSON.stringify(start(client))}; document.body.append(frame); })()`,
      );
      await expect
        .poll(() => problems.some((line) => /frame-ancestors|X-Frame-Options/i.test(line)))
        .toBe(true);
      problems.length = 0;
    }));
});
