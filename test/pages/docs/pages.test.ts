import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERSION_NAMES } from '../../../src/config/versions.ts';
import { ERROR_CATALOGUE } from '../../../src/platform/errors.ts';
import { ruleCodes } from '../../../src/platform/rule-codes.ts';
import { tooMuch } from '../../../src/telemetry/snapshots/problems.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { get as plainGet } from '../../spot-prices/plain-request.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function page(path: string) {
  const answer = await fetch(`${api.baseUrl}${path}`);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** Addresses that a browser would fetch by itself; links are only followed when somebody clicks. */
function fetchedAddresses(html: string): string[] {
  return [...html.matchAll(/<(?:script|link|img|iframe)[^>]*?(?:src|href)="([^"]+)"/g)].map(
    ([, address]) => address ?? '',
  );
}

describe('pages for people', () => {
  test.each([
    '/',
    '/prices',
    '/changelog',
    '/docs',
    '/docs/customers',
    '/docs/data-sources',
    '/docs/dictionary',
    '/docs/errors',
    '/docs/gateways',
    '/docs/quotes',
    '/docs/reference',
    '/docs/rows',
    '/docs/rules',
    '/docs/served-zips',
    '/docs/style',
    '/docs/topics',
  ])('GET %s needs no token and asks no other host', async (path) => {
    const { status, headers, text } = await page(path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(headers.get('content-security-policy')).toContain("connect-src 'self'");
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('content-security-policy')).not.toContain('http');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    const addresses = fetchedAddresses(text);
    expect(addresses.length).toBeGreaterThan(0);
    expect(addresses.filter((address) => !/^\/[^/]/.test(address))).toEqual([]);
    for (const address of addresses) expect((await page(address)).status).toBe(200);
  });

  test.each([
    '/docs/',
    '/docs/errors/',
    '/docs/errors/BAD_REQUEST/',
    '/docs/quotes/',
    '/docs/reference/',
    '/docs/topics/',
    '/changelog/',
    '/prices/',
  ])('GET %s leads to the page without the slash', async (path) => {
    const answer = await fetch(`${api.baseUrl}${path}?a=b`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([308, `${path.slice(0, -1)}?a=b`]);
    expect((await page(path)).status).toBe(200);
  });

  test('every link of the pages leads somewhere', async () => {
    const seen = new Set<string>(['/']);
    for (const path of seen) {
      const { status, text, headers } = await page(path);
      expect([path, status]).toEqual([path, 200]);
      if (!headers.get('content-type')?.startsWith('text/html') || path === '/docs/reference') continue;
      for (const [, address = ''] of text.matchAll(/<a href="([^"#]+)/g)) {
        /* The portal does not know whose customer asks where there are many suppliers. */
        if (address !== '/portal/login') seen.add(address);
      }
    }
    expect(seen.size).toBeGreaterThan(Object.keys(ERROR_CATALOGUE).length + VERSION_NAMES.length);
  });

  test.each(Object.keys(ERROR_CATALOGUE))(
    '/docs/errors/%s explains the code that answers point to',
    async (code) => {
      const { status, text } = await page(`/docs/errors/${code}`);
      expect(status).toBe(200);
      expect(text).toContain(`<h1><code>${code}</code></h1>`);
      expect(text).toContain('What to do');
      expect(text).not.toContain('[object Object]');
    },
  );

  test.each([
    [
      'TOO_MANY_REQUESTS',
      ['its rate', 'more rows per request', 'too much costly work', 'one after the other', 'slow_down'],
    ],
    [
      'UNPROCESSABLE_ENTITY',
      ['not among the allowed ones', 'implausible_meter_reading', 'entered by the supplier'],
    ],
    ['UNAUTHORIZED', ['no access token', 'invalid_client', 'HTTP Basic', 'invalid_grant', 'consent again']],
    ['FORBIDDEN', ['reading only', 'acts for one customer', 'Forecast prices are not enabled', 'day_ahead']],
  ])('/docs/errors/%s names every cause with its remedy', async (code, causes) => {
    const { text } = await page(`/docs/errors/${code}`);
    for (const cause of causes) expect(text.toLowerCase()).toContain(cause.toLowerCase());
  });

  test('each page with all it fetches is at most 100 kB on its way, but for the reference', async () => {
    const bytesOf = async (path: string) => {
      const { body } = await plainGet(`${api.baseUrl}${path}`, { headers: { 'accept-encoding': 'gzip' } });
      return body.length;
    };
    for (const path of ['/', '/docs', '/prices', '/docs/dictionary', '/docs/style', '/changelog']) {
      const { text } = await page(path);
      const all = await Promise.all([path, ...fetchedAddresses(text)].map(bytesOf));
      const bytes = all.reduce((sum, size) => sum + size, 0);
      expect([path, bytes > 1_000 && bytes < 100_000, bytes]).toEqual([path, true, bytes]);
    }
  });

  test('/docs/errors says what each code of a rule means', async () => {
    const { text } = await page('/docs/errors');
    const shown = text.replaceAll('<wbr>', '').replaceAll('&#39;', "'");
    expect(ruleCodes().length).toBeGreaterThan(20);
    for (const { code, meaning } of ruleCodes()) {
      const words = meaning.replaceAll(/`([^`]+)`/g, '<code>$1</code>');
      expect(shown).toContain(`<tr><td><code>${code}</code></td><td>${words}</td>`);
    }
    expect(shown).toContain('<code>POST /plans/{id}/savings</code> <code>POST /leads</code>');
    expect(shown.match(/<td class="routes">every call<\/td>/g)).toHaveLength(1);
  });

  test.each([
    '/docs/errors/NOPE',
    '/docs/errors/constructor',
    '/docs/errors/bad_request',
    '/docs/reference/x.js',
  ])('GET %s is 404 without a token', async (path) => {
    const { status, text } = await page(path);
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ code: 'NOT_FOUND', message: 'Resource not found' });
  });

  /* As Chromium sends it. */
  const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
  const get = (path: string, headers: Record<string, string>) => fetch(`${api.baseUrl}${path}`, { headers });

  test.each(['/nothing', '/docs/nothing', '/docs/errors/NOPE', '/files/x', '/openapi.x.json', '/%zz'])(
    'GET %s in a browser is a page, for programs it stays JSON',
    async (path) => {
      const shown = await get(path, { accept: BROWSER });
      const text = await shown.text();
      expect([shown.status, shown.headers.get('content-type')]).toEqual([
        path === '/%zz' ? 400 : 404,
        'text/html; charset=utf-8',
      ]);
      expect(shown.headers.get('content-security-policy')).toContain("default-src 'self'");
      expect(text).toContain(path === '/%zz' ? 'The path cannot be decoded' : 'There is no such page');
      for (const address of fetchedAddresses(text)) expect((await page(address)).status).toBe(200);
      for (const headers of [
        { accept: '*/*' },
        { accept: 'application/json' },
        { accept: BROWSER, authorization: 'Bearer x' },
      ]) {
        const told = await get(path, headers);
        expect(told.headers.get('content-type')).toBe('application/json; charset=utf-8');
      }
    },
  );

  test('a route of the interface answers JSON to a browser as well', async () => {
    const answer = await get('/assets', { accept: BROWSER });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      401,
      'application/json; charset=utf-8',
    ]);
  });

  test('what browsers and crawlers ask for by themselves is there', async () => {
    const icon = await get('/favicon.ico', { accept: 'image/avif,image/webp,*/*;q=0.8' });
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    const robots = await get('/robots.txt', {});
    expect([robots.status, robots.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(await robots.text()).toContain('Disallow: /\n');
  });

  test('the pages of error codes list every status with which a code comes', async () => {
    const list = (await page('/docs/errors')).text.replaceAll('<wbr>', '');
    expect(list).toContain('<code>BAD_REQUEST</code></a></td><td>400, 408, 413, 415, 417, 431</td>');
    expect(list).toContain('<code>INTERNAL_SERVER_ERROR</code></a></td><td>500, 503</td>');
    const { text } = await page('/docs/errors/BAD_REQUEST');
    for (const status of [408, 413, 415, 417, 431]) expect(text).toContain(`<tr><td>${status}</td>`);
    expect((await page('/docs/errors/INTERNAL_SERVER_ERROR')).text).toContain('<tr><td>503</td>');
  });

  test('controls have names, and drawings and tables say what they are', async () => {
    let [drawings, controls] = [0, 0];
    for (const path of ['/', '/docs/style', '/docs/served-zips']) {
      const { text } = await page(path);
      for (const [svg] of text.matchAll(/<svg[^>]*>/g)) {
        drawings += 1;
        expect(svg).toMatch(/aria-labelledby=/);
      }
      for (const [control] of text.matchAll(
        /<label[^>]*>[^<]*<(?:input|select)[^>]*>\S?|<(?:input|select)/g,
      )) {
        controls += 1;
        expect(control).toMatch(/^<label>\S|^<label class="choice"><input[^>]*>\S/);
      }
    }
    expect([drawings > 0, controls > 0]).toEqual([true, true]);
  });

  test('the example of BAD_REQUEST has the sentence with which too much power is refused', async () => {
    const rated = { ratingIn: 10 } as Parameters<typeof tooMuch>[1];
    const sentence = tooMuch({ unit: 'kW' } as Parameters<typeof tooMuch>[0], rated, 16.2);
    const { text } = await page('/docs/errors/BAD_REQUEST');
    expect(text.split(sentence)).toHaveLength(3);
  });

  test('what is put into a page is escaped', async () => {
    const { text } = await page('/docs/errors/BAD_REQUEST');
    expect(text).toContain('&quot;code&quot;: &quot;BAD_REQUEST&quot;');
    expect(text).toContain('too_big in &#39;snapshots.17.power_kw&#39;');
  });
});

describe('the API reference', () => {
  test('offers every version and reports to nobody', async () => {
    const { text } = await page('/docs/reference');
    for (const version of VERSION_NAMES) expect(text).toContain(`/docs/reference/${version}.json`);
    expect(text).toMatch(/"?telemetry"?: ?false/);
    expect(text).toMatch(/"?withDefaultFonts"?: ?false/);
    expect(text).not.toContain('proxyUrl');
  });

  test('says by which rules a call is refused, in the words of the page of error codes', async () => {
    const { text } = await page('/openapi.2026-09-08.gauss.json');
    const { paths } = JSON.parse(text) as {
      paths: Record<string, Record<string, { description?: string }>>;
    };
    const leads = paths['/leads']?.post?.description ?? '';
    expect(leads).toContain(
      '- `unserviceable_zip`: Nobody is supplied at this ZIP code; the page `/docs/served-zips` says why.',
    );
    /* Where the message only says that it does not go on, the meaning says how it does. */
    expect(paths['/subscriptions']?.post?.description).toContain('send its id as `customer`');
    const told = new Set([...text.matchAll(/- `([a-z0-9_]+)`: /g)].map(([, code]) => code));
    /* It may come from every call. */
    told.add('upgrade_api_version');
    expect(ruleCodes().filter(({ code }) => !told.has(code))).toEqual([]);
  });

  test('its script may be kept for ever, compressed or not', async () => {
    const { text } = await page('/docs/reference');
    const path = /src="(\/docs\/reference\/[0-9a-f]+\.js)"/.exec(text)?.[1];
    const script = await fetch(`${api.baseUrl}${path}`, { headers: { 'accept-encoding': 'gzip' } });
    expect(script.headers.get('cache-control')).toContain('immutable');
    expect(script.headers.get('content-encoding')).toBe('gzip');
    const plain = await fetch(`${api.baseUrl}${path}`, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.text()).toBe(await script.text());
  });
});

describe('GET /openapi.{version}.json', () => {
  test.each(VERSION_NAMES)('%s is public and describes that version', async (version) => {
    const { status, headers, text } = await page(`/docs/reference/${version}.json`);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(JSON.parse(text)).toMatchObject({
      openapi: '3.1.1',
      info: { version },
      servers: [{ url: api.baseUrl }],
    });
  });

  test.each(['2026-09-09.gauss', 'gauss', 'constructor', ''])(
    'an unknown version (%s) is 404',
    async (version) => {
      expect((await page(`/docs/reference/${version}.json`)).status).toBe(404);
    },
  );
});
