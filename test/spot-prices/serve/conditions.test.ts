import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { get } from '../plain-request.ts';
import { type PriceClient, takePriceApi } from './price-api.ts';

const NOON = '2026-11-20T12:00:00+01:00';
const prices = await takePriceApi(NOON, { CORS_ORIGINS: 'https://partner.example' });
let partner: PriceClient;

beforeAll(async () => {
  await prices.captureAt('2026-11-20T11:30:00+01:00');
  prices.clock.set(NOON);
  await prices.pull('2026-11-11', '2026-11-12', '2026-11-13', '2026-11-20');
  partner = await prices.tenant({ forecasts: true });
});
afterAll(() => prices.close());

/** Tokens do not live as long as the jumps of the clock. */
async function goTo(instant: string): Promise<void> {
  prices.clock.set(instant);
  partner = await prices.tenant({ forecasts: true });
}

/** Over the wire without a library that asks for compression by itself. */
async function bare(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return await get(`${prices.api.baseUrl}/spot-prices${path}`, {
    method,
    headers: {
      authorization: `Bearer ${partner.token}`,
      'x-api-version': '2026-09-08.gauss',
      ...headers,
    },
  });
}

describe('conditions', () => {
  test('the tag is answered with 304 until a price changes, then the answer has another one', async () => {
    const first = await partner.prices('?start=2026-11-20');
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w.-]+"$/);
    const again = await partner.prices('?start=2026-11-20', { 'if-none-match': etag });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);

    prices.feed.set({ entsoe: { revision: [{ interval: '2026-11-20T11:00Z', value: -12.34 }] } });
    await prices.pull('2026-11-20');
    const changed = await partner.prices('?start=2026-11-20', { 'if-none-match': etag });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(etag);
    expect(changed.body.items.find(({ timestamp }) => timestamp === '2026-11-20T11:00:00Z')?.amount).toBe(
      -1.234,
    );
  });

  test.each([
    ['*', 304],
    ['"x", {tag}', 304],
    ['W/{tag}', 304],
    ['"x",W/{tag},"y"', 304],
    ['"x"', 200],
    ['', 200],
    ['{bare}', 200],
  ])('If-None-Match: %s is answered %i', async (condition, status) => {
    const tag = (await bare('?start=2026-11-12')).headers.etag ?? '';
    const sent = condition.replace('{tag}', tag).replace('{bare}', tag.replaceAll('"', ''));
    expect((await bare('?start=2026-11-12', { 'if-none-match': sent })).status).toBe(status);
  });

  test('type, dates and version each have tags of their own; organizations share them', async () => {
    const tagOf = async (query: string) => (await bare(query)).headers.etag;
    const tags = await Promise.all(
      [
        '?start=2026-11-12',
        '?start=2026-11-13',
        '?start=2026-11-12&end=2026-11-13',
        '?start=2026-11-21',
        '?start=2026-11-21&type=day_ahead_forecast',
      ].map(tagOf),
    );
    expect(new Set(tags).size).toBe(5);
    expect(tags[0]).toMatch(/^"2026-09-08\./);
    const other = await prices.tenant();
    const seen = await other.prices('?start=2026-11-12', { 'if-none-match': tags[0] ?? '' });
    expect(seen.status).toBe(304);
  });

  test('a forecast that appears is another answer; after the freeze no later one is', async () => {
    const sunday = '?type=day_ahead_forecast&start=2026-11-22';
    const before = await partner.prices(sunday);
    expect(before.body.missing.length).toBe(96);
    await prices.captureAt('2026-11-21T05:40:00+01:00');
    await goTo('2026-11-21T05:40:10+01:00');
    const after = await partner.prices(sunday, { 'if-none-match': before.headers.get('etag') ?? '' });
    expect([after.status, after.body.missing]).toEqual([200, []]);
    await prices.captureAt('2026-11-21T17:40:00+01:00');
    await goTo('2026-11-21T17:40:10+01:00');
    const later = await partner.prices(sunday, { 'if-none-match': after.headers.get('etag') ?? '' });
    expect(later.status).toBe(304);
    await goTo(NOON);
  });
});

describe('headers', () => {
  test('how long an answer may be kept: 30 s with holes, 300 s complete, an hour when it is settled', async () => {
    const kept = async (query: string) => (await bare(query)).headers['cache-control'];
    expect(await kept('?start=2026-11-21')).toBe('private, max-age=30');
    expect(await kept('?start=2026-11-20&end=2026-11-20')).toBe('private, max-age=300');
    expect(await kept('?start=2026-11-13&end=2026-11-13')).toBe('private, max-age=300');
    expect(await kept('?start=2026-11-12')).toBe('private, max-age=3600');
    expect(await kept('?start=2026-11-11&end=2026-11-12')).toBe('private, max-age=3600');
    expect(await kept('?start=2026-11-10&end=2026-11-12')).toBe('private, max-age=30');
    expect(await kept('?type=day_ahead_forecast&start=2026-11-21')).toBe('private, max-age=300');
  });

  test('with a date left out it is kept until midnight at the longest', async () => {
    await goTo('2026-11-20T23:59:48.500+01:00');
    const tag = async (query: string) => (await bare(query)).headers['cache-control'];
    expect(await tag('?end=2026-11-20')).toBe('private, max-age=11');
    expect(await tag('?start=2026-11-20&end=2026-11-20')).toBe('private, max-age=300');
    await goTo(NOON);
  });

  test.each([
    [200, {}],
    [304, { 'if-none-match': '*' }],
  ])(
    '%i names what it depends on, the licences, and that the prices are not those of the market',
    async (status, condition) => {
      const answer = await bare('?start=2026-11-12', condition);
      expect(answer.status).toBe(status);
      expect(answer.headers.link).toBe(
        `<${prices.api.baseUrl}/docs/data-sources>; rel="license"; title="local: prices of a feed on this machine, no market prices"`,
      );
      expect(answer.headers.vary).toBe('Origin, Authorization, X-API-Version, Accept, Accept-Encoding');
      expect(answer.headers['cache-control']).toBe('private, max-age=3600');
      expect(answer.headers.etag).toMatch(/^"2026-09-08\.[\w-]{27}"$/);
      expect(answer.headers['x-api-version']).toBe('2026-09-08.gauss');
      expect(answer.headers['content-type']).toBe(
        status === 200 ? 'application/json; charset=utf-8' : undefined,
      );
      expect(answer.headers['content-length']).toBe(status === 200 ? String(answer.body.length) : undefined);
    },
  );

  test('HEAD has the headers of GET and no body, with and without a condition', async () => {
    const whole = await bare('?start=2026-11-12');
    const head = await bare('?start=2026-11-12', {}, 'HEAD');
    expect([head.status, head.body.length]).toEqual([200, 0]);
    const changing = ['date', 'x-request-id', 'ratelimit-remaining', 'ratelimit-reset'];
    const lasting = (headers: object) =>
      Object.fromEntries(Object.entries(headers).filter(([name]) => !changing.includes(name)));
    expect(lasting(head.headers)).toEqual(lasting(whole.headers));
    const known = await bare('?start=2026-11-12', { 'if-none-match': whole.headers.etag ?? '' }, 'HEAD');
    expect([known.status, known.body.length]).toEqual([304, 0]);
  });

  test('compressed it has a tag of its own, and either tag is a condition for both', async () => {
    const plain = await bare('?start=2026-11-12');
    const zipped = await bare('?start=2026-11-12', { 'accept-encoding': 'br, gzip;q=0.5' });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(zipped.unzipped()).toBe(plain.body.toString());
    expect(zipped.headers.etag).toBe(plain.headers.etag?.replace(/"$/, '-gzip"'));
    expect(zipped.body.length).toBeLessThan(plain.body.length / 4);
    for (const etag of [plain.headers.etag ?? '', zipped.headers.etag ?? '']) {
      const known = await bare('?start=2026-11-12', { 'accept-encoding': 'gzip', 'if-none-match': etag });
      expect([known.status, known.headers.etag]).toEqual([304, zipped.headers.etag]);
      expect((await bare('?start=2026-11-12', { 'if-none-match': etag })).headers.etag).toBe(
        plain.headers.etag,
      );
    }
    const refused = await bare('?start=2026-11-12', { 'accept-encoding': 'gzip;q=0, br' });
    expect([refused.headers['content-encoding'], refused.headers.etag]).toEqual([
      undefined,
      plain.headers.etag,
    ]);
  });
});
