import { beforeEach, expect, test } from 'vitest';
import type { SourceSwitches } from '../../../../src/cli/demo/feed/switches.ts';
import { takeFeed } from '../../../setup/feed.ts';
import { ask, entsoePath } from './ask.ts';

/* What goes wrong between a source and its reader. */

const feed = await takeFeed({ now: '2026-11-20T14:00+01:00' });
beforeEach(() => feed.set({ entsoe: {}, smard: {} }));

const PRICES = entsoePath('202611202300', '202611212300');
async function askWith(switches: SourceSwitches) {
  feed.set({ entsoe: switches });
  return ask(feed, PRICES);
}

test.for([401, 403, 404, 429, 500] as const)('status %i', async (status) => {
  const { status: sent, headers } = await askWith({ status });
  expect([sent, headers['retry-after']]).toEqual([status, undefined]);
});

test('429 may say when to come again; 503 is a page', async () => {
  expect((await askWith({ status: 429, retry_after: 120 })).headers['retry-after']).toBe('120');
  const { status, headers, text } = await askWith({ status: 503 });
  expect([status, headers['content-type'], text.startsWith('<!DOCTYPE html>')]).toEqual([
    503,
    'text/html; charset=utf-8',
    true,
  ]);
});

test('a page with 200', async () => {
  const { status, headers } = await askWith({ html_200: true });
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
});

test('a connection that is reset', async () => {
  await expect(askWith({ reset: true })).rejects.toThrow(/ECONNRESET|hang up/);
});

test('a body that is cut, from its beginning or at its end, that is empty, that is too long', async () => {
  const whole = (await askWith({})).text;
  expect((await askWith({ truncate_bytes: 500 })).text).toBe(whole.slice(0, 500));
  expect((await askWith({ truncate_bytes: -30 })).text).toBe(whole.slice(0, -30));
  expect((await askWith({ empty: true })).text).toBe('');
  expect((await askWith({ oversize: true })).text.length).toBeGreaterThan(8 * 1024 * 1024);
  expect((await askWith({ oversize: 50_000 })).text).toBe(whole.padEnd(50_000));
});

test('a redirect', async () => {
  const { status, headers } = await askWith({ redirect: 'http://127.0.0.1:1/elsewhere' });
  expect([status, headers.location]).toEqual([302, 'http://127.0.0.1:1/elsewhere']);
});

test('an answer that comes late comes whole', async () => {
  const whole = (await askWith({})).text;
  const startedAt = performance.now();
  expect((await askWith({ slow_seconds: 0.2 })).text).toBe(whole);
  expect(performance.now() - startedAt).toBeGreaterThan(190);
});

test('a client that does not wait for it leaves nothing behind', async () => {
  feed.set({ entsoe: { slow_seconds: 3600 } });
  const waiting = fetch(`${feed.url}${PRICES}`, { signal: AbortSignal.timeout(100) });
  await expect(waiting.then((response) => response.text())).rejects.toThrow(/abort|timeout/i);
  expect((await askWith({})).status).toBe(200);
});

test('what goes wrong so many times is well afterwards', async () => {
  feed.set({ entsoe: { status: 503, times: 2, curve: 'A01' } });
  const answers = [await ask(feed, PRICES), await ask(feed, PRICES), await ask(feed, PRICES)];
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 200]);
  expect(answers[2]?.text).toContain('<curveType>A01</curveType>');
});

test('one source fails, another one does not', async () => {
  feed.set({ entsoe: { status: 503 } });
  expect((await ask(feed, PRICES)).status).toBe(503);
  expect((await ask(feed, '/smard/app/chart_data/4169/DE-LU/index_hour.json')).status).toBe(200);
});

test('bodies are compressed for those who ask for it', async () => {
  const plain = await ask(feed, PRICES);
  expect(plain.headers['content-encoding']).toBeUndefined();
  const response = await fetch(`${feed.url}${PRICES}`, { headers: { 'accept-encoding': 'gzip' } });
  expect(response.headers.get('content-encoding')).toBe('gzip');
  expect(await response.text()).toBe(plain.text);
});
