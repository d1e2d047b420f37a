import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DemoPages, openDemoPages } from '../../../src/cli/demo/start/demo-pages.ts';

const BASE = 'http://127.0.0.1:4300';
const LEAD = `led_${'a'.repeat(24)}`;
let pages: DemoPages;
let port: number;

beforeAll(async () => {
  pages = await openDemoPages('http://127.0.0.1:0/callback');
  port = Number(new URL(pages.redirectUri).port);
});
afterAll(() => pages?.stop());

/** By the name that a browser would resolve to this machine. */
async function open(host: string, path: string) {
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers: { host: `${host}:${port}` } }, resolve)
      .on('error', reject)
      .end();
  });
  return { status: response.statusCode, headers: response.headers, text: await text(response) };
}

test('before the service runs the pages say so', async () => {
  expect(await open('127.0.0.1', '/callback')).toMatchObject({ status: 503 });
  pages.lead({ base_url: BASE, client_id: 'oac_demo' });
});

test('the callback shows code, state and issuer, and the line that exchanges the code', async () => {
  const iss = encodeURIComponent(BASE);
  const { status, text, headers } = await open('127.0.0.1', `/callback?code=oco_Az-9.~&state=s1&iss=${iss}`);
  expect(status).toBe(200);
  expect(text).toContain('<dd><code>oco_Az-9.~</code></dd>');
  expect(text).toContain('<dd><code>s1</code></dd>');
  expect(text).toContain(`<dd><code>${BASE}</code></dd>`);
  expect(text).toContain('-d grant_type=authorization_code -d code=oco_Az-9.~');
  expect(text).toContain(`redirect_uri=${pages.redirectUri}</pre>`);
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  expect(headers['referrer-policy']).toBe('no-referrer');
  expect(headers['cache-control']).toBe('no-store');
});

test('an error is shown as such, another issuer is named, and nothing strange reaches the line for the shell', async () => {
  const denied = await open('127.0.0.1', '/callback?error=access_denied&error_description=%3Cb%3Eno%3C/b%3E');
  expect(denied.text).toContain('<code>access_denied</code> &lt;b&gt;no&lt;/b&gt;');
  const strange = await open(
    '127.0.0.1',
    '/callback?code=a%3Brm%20-rf%20.&iss=https%3A%2F%2Felsewhere.example',
  );
  expect(strange.text).not.toContain('rm -rf');
  const mixed = await open('127.0.0.1', '/callback?code=abc&iss=https%3A%2F%2Felsewhere.example');
  expect(mixed.text).toContain('is not this service');
});

test('without a code the callback leads to the sign-in of the demo client', async () => {
  const { text } = await open('127.0.0.1', '/callback');
  const address = new URL(/href="([^"]+authorize[^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '');
  expect(address.origin).toBe(BASE);
  expect(Object.fromEntries(address.searchParams)).toEqual({
    response_type: 'code',
    client_id: 'oac_demo',
    redirect_uri: pages.redirectUri,
  });
});

test('the checkout names the lead and the plan of its link, and how a visit is reported', async () => {
  expect(pages.checkoutHost).toBe(`checkout.localhost:${port}`);
  const lead = await open('dynamisch.checkout.localhost', `/?id=${LEAD}`);
  expect(lead.text).toContain(`<code>${LEAD}</code>`);
  expect(lead.text).toContain('<code>dynamisch</code>');
  expect(lead.text).toContain(`leads visited ${LEAD}`);
  const none = await open('checkout.localhost', '/');
  expect([none.status, none.text.includes('leads visited')]).toEqual([200, false]);
});

test('a port that is taken leads to the next one, and the redirect address with it', async () => {
  const next = await openDemoPages(pages.redirectUri);
  try {
    expect(Number(new URL(next.redirectUri).port)).toBeGreaterThan(port);
  } finally {
    await next.stop();
  }
});
