import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gridOf, startsOf } from '../../../src/spot-prices/calendar.ts';
import { textsIn } from '../../../src/spot-prices/page/texts.ts';
import { viewOf } from '../../../src/spot-prices/page/view.ts';
import { feedConfig } from '../../setup/feed.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { get } from '../plain-request.ts';
import { takePriceApi } from '../serve/price-api.ts';

const NOON = '2026-05-16T12:05:00+02:00';
const prices = await takePriceApi(NOON);
const shown = await takePriceApi(NOON, { PRICES_PAGE_FORECASTS: 'true' });

beforeAll(async () => {
  await prices.pull('2026-05-15', '2026-05-16', '2026-05-17');
  await shown.captureAt('2026-05-16T05:40:00+02:00');
  shown.clock.set(NOON);
});
afterAll(async () => {
  await prices.close();
  await shown.close();
});

async function page(at: typeof prices, path = '/prices') {
  const { status, headers, body } = await get(`${at.api.baseUrl}${path}`);
  return { status, headers, text: body.toString() };
}

interface CurveDocument {
  now: number;
  end: number;
  marks: { at: number; label: string; rank: number }[];
  starts: number[];
  labels: string[];
  realized: (number | null)[];
  forecast: (number | null)[];
}

async function curve(at = prices): Promise<CurveDocument> {
  return JSON.parse((await page(at, '/prices/curve.json')).text) as CurveDocument;
}

const publication = async (at = prices) =>
  /<p id="publication">([^<]*)</.exec((await page(at)).text)?.[1] ?? 'nothing is said';

describe('publication of tomorrow', () => {
  test('expected, awaited, late, in part, published', async () => {
    const name = 'Tomorrow, Sunday 17 May 2026,';
    expect(await publication()).toBe(`${name} is expected about 13:00.`);
    prices.clock.set('2026-05-16T13:05:00+02:00');
    expect(await publication()).toMatch(`${name} is expected any minute; usually it is there about 13:00.`);
    prices.clock.set('2026-05-16T15:00:00+02:00');
    expect(await publication()).toMatch(`${name} is late: it was expected about 13:00.`);
    prices.feed.set({ entsoe: { drop: ['2026-05-17T10:00Z'] } });
    await prices.pull('2026-05-17');
    expect(await publication()).toBe(
      `${name} is published in part: 95 of 96 intervals. Last looked at 15:00.`,
    );
    prices.feed.set({ entsoe: { zeros: true } });
    await prices.pull('2026-05-17');
    expect(await publication()).toBe(
      `${name} is shown in part: 95 of 96 intervals. The prices of the others are being checked. Last looked at 15:00.`,
    );
    expect((await page(prices)).text).toContain('95 of 96 intervals, the others held back');
    prices.feed.set({ entsoe: {} });
    prices.clock.set('2026-05-16T15:10:00+02:00');
    await prices.pull('2026-05-17');
    expect(await publication()).toBe(`${name} is published; first seen at 15:10.`);
    prices.clock.set(NOON);
  });
});

describe('the document of the curve', () => {
  test('has the intervals of three days, exact prices, and marks by the clock of Berlin', async () => {
    const { now, end, starts, realized, labels, marks } = await curve();
    expect([now, end]).toEqual([Date.parse(NOON) / 1000, Date.parse('2026-05-18T00:00:00+02:00') / 1000]);
    expect([starts.length, realized.length, labels.length]).toEqual([288, 288, 288]);
    expect(starts[0]).toBe(Date.parse('2026-05-15T00:00:00+02:00') / 1000);
    expect(realized[192]).toBe(3.222);
    expect(labels[97]).toBe('00:15 to 00:30');
    expect(marks.filter(({ rank }) => rank === 0).map(({ label }) => label)).toEqual([
      'Fri 15 May',
      'Sat 16 May',
      'Sun 17 May',
    ]);
  });

  test('on the days of a clock change noon is eleven or thirteen hours after midnight', async () => {
    for (const [day, hours] of [
      ['2026-03-29', 11],
      ['2026-10-25', 13],
    ] as const) {
      prices.clock.set(`${day}T12:00:00Z`);
      const { marks } = await curve();
      const noon = marks.findIndex(({ label }, index) => label === '12:00' && index > 4);
      expect(((marks[noon]?.at ?? 0) - (marks[4]?.at ?? 0)) / 3600).toBe(hours);
    }
    prices.clock.set(NOON);
  });

  test('everybody may keep page and document for half a minute, and the drawing files for ever', async () => {
    for (const path of ['/prices', '/prices/curve.json']) {
      expect((await page(prices, path)).headers['cache-control']).toBe('public, max-age=30');
    }
    const files = [...(await page(prices)).text.matchAll(/"(\/prices\/files\/[^"]+)"/g)].map(
      ([, path]) => path ?? '',
    );
    expect(files.map((path) => path.replace(/.*\./, ''))).toEqual(['css', 'js']);
    for (const path of files) {
      const file = await page(prices, path);
      expect([file.status, file.headers['cache-control']]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
      const zipped = await get(`${prices.api.baseUrl}${path}`, { headers: { 'accept-encoding': 'gzip' } });
      expect(zipped.unzipped()).toBe(file.text);
    }
    expect((await page(prices, '/prices/files/x.js')).status).toBe(404);
  });
});

test('forecasts are shown where the configuration says so, and nowhere else', async () => {
  expect((await curve()).forecast.every((amount) => amount === null)).toBe(true);
  expect((await page(prices)).text).not.toMatch(/forecast/i);
  const { forecast, realized, starts } = await curve(shown);
  expect(forecast.filter((amount) => amount !== null).length).toBe(96);
  expect(realized.every((amount) => amount === null)).toBe(true);
  expect(starts.length).toBe(288);
  expect((await page(shown)).text).toContain('<th scope="col" class="number">Forecast</th>');
});

test('invented prices are called so, and nowhere prices of the market; nothing inline, nothing from elsewhere', async () => {
  const { text, headers } = await page(prices);
  expect(text).toContain('<strong>Made-up numbers.</strong>');
  expect(text).toContain('>Made-up price</th>');
  expect(text).not.toMatch(/market price/i);
  expect(text).not.toMatch(/<script(?![^>]*src=)|<style|\sstyle=|\son[a-z]+=/);
  expect([...text.matchAll(/(?:src|href)="([^"]+)"/g)].filter(([, to = '']) => !/^[/#?]/.test(to))).toEqual(
    [],
  );
  expect(headers['content-security-policy']).toContain("default-src 'self'");
  const real = Object.fromEntries(
    Object.keys(feedConfig({ url: '' }))
      .filter((name) => name.endsWith('_URL'))
      .map((name) => [name, 'https://prices.example']),
  );
  const other = await takePriceApi(NOON, real);
  expect((await page(other)).text).not.toMatch(/made-up/i);
  expect((await page(other)).text).toContain('>Market price</th>');
  expect((await page(other)).text).toContain('Nothing is stored yet');
  expect((await page(other, '/docs/data-sources')).text).toContain('No prices are stored yet.');
  /* The database says of which kind its prices are, whatever this process is configured to ask. */
  await storedRows(other.api, "INSERT INTO price_kind (kind) VALUES ('synthetic')");
  await expect.poll(async () => (await page(other)).text, { timeout: 9_000 }).toMatch(/made-up/i);
  await other.close();
});

test('the sources of stored values are named with the licence text of their newest data', async () => {
  const { text } = await page(prices, '/docs/data-sources');
  expect(text).toContain(
    '<th scope="row">ENTSO-E Transparency Platform</th><td>ENTSO-E Transparency Platform</td>',
  );
  expect(text).not.toContain('<th scope="row">SMARD</th>');
  expect(text).toMatch(/ENTSO-E, SMARD( and|,) .*are asked in this order/);
  expect(text).toContain('aWATTar’s hourly means only confirm');
  expect((await page(prices)).text).toContain('<li>ENTSO-E Transparency Platform</li>');
});

test('the sources are looked up every few seconds, however often their page is opened', async () => {
  const rename = (from: string, to: string) => storedRows(prices.api, `ALTER TABLE ${from} RENAME TO ${to}`);
  /* What is kept may be forgotten in between. */
  await expect
    .poll(async () => {
      await page(prices, '/docs/data-sources');
      await rename('price_fetches', 'price_fetches_away');
      const { status } = await get(`${prices.api.baseUrl}/docs/data-sources`);
      await rename('price_fetches_away', 'price_fetches');
      return status;
    })
    .toBe(200);
});

test.each(['/prices', '/prices/curve.json', '/docs/data-sources'])(
  '%s comes compressed to those who take it, and says so to whoever keeps it for others',
  async (path) => {
    const address = `${prices.api.baseUrl}${path}`;
    const plain = await get(address);
    const zipped = await get(address, { headers: { 'accept-encoding': 'gzip' } });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(zipped.unzipped()).toBe(plain.body.toString());
    expect(zipped.body.length).toBeLessThan(plain.body.length);
    for (const { headers } of [plain, zipped]) {
      expect(headers.vary).toMatch(/^accept-encoding(, accept-language, cookie)?$/i);
    }
  },
);

test('in the night in which an hour comes twice each interval has a name of its own', async () => {
  prices.clock.set('2026-10-25T12:00:00+01:00');
  const { labels } = await curve();
  const ofTheDay = labels.slice(96, 196);
  expect(new Set(ofTheDay).size).toBe(100);
  expect(ofTheDay.slice(7, 17)).toEqual([
    '01:45 to 02:00',
    ...['02:00 to 02:15', '02:15 to 02:30', '02:30 to 02:45', '02:45 to 02:00'].map(
      (label) => `${label} (+02:00)`,
    ),
    ...['02:00 to 02:15', '02:15 to 02:30', '02:30 to 02:45', '02:45 to 03:00'].map(
      (label) => `${label} (+01:00)`,
    ),
    '03:00 to 03:15',
  ]);
  prices.clock.set(NOON);
});

test('in the night in which an hour comes twice the summary says which of both is the cheapest', () => {
  const deliveryOn = '2026-10-25';
  const grid = gridOf(deliveryOn);
  const cheapest = Date.parse('2026-10-25T02:30:00+01:00');
  const intervals = startsOf(grid).map((start) => ({
    ...{ start, minutes: grid.minutes, realized: start === cheapest ? '10' : '90', forecast: null },
  }));
  const day = { deliveryOn, known: null, forecastSource: null, intervals };
  const [shown] = viewOf(
    { now: cheapest, today: deliveryOn, days: [day], attributions: [] },
    textsIn.en,
  ).days;
  expect(shown?.summary).toContain('02:30 (+01:00)');
});

describe('the page in German', () => {
  test('says in German whom invented prices come from, and quotes the licences of all others', () => {
    const attributions = [
      { source: 'synthetic', licence: 'invented numbers' },
      { source: 'smard', licence: 'Bundesnetzagentur | SMARD.de, CC BY 4.0' },
    ];
    const sources = (t: typeof textsIn.de) =>
      viewOf({ now: 0, today: '2026-05-16', days: [], attributions }, t).sources;
    expect(sources(textsIn.de)).toEqual([
      expect.stringMatching(/^Erfundene Zahlen/),
      'SMARD: Bundesnetzagentur | SMARD.de, CC BY 4.0',
    ]);
    expect(sources(textsIn.en)[0]).toBe('Synthetic prices: invented numbers');
  });

  const inGerman = (path: string, headers: Record<string, string>) =>
    get(`${prices.api.baseUrl}${path}`, { headers }).then(({ body, headers: answered, status }) => ({
      ...{ text: body.toString(), headers: answered, status },
    }));

  test.each([
    ['by a link', '/prices?lang=de', {}],
    ['by a link, whatever the browser would rather have', '/prices?lang=de', { 'accept-language': 'en' }],
    ['by what the browser would rather have', '/prices', { 'accept-language': 'de-DE,de;q=0.9,en;q=0.8' }],
  ])('is had %s, and leads back to English', async (_how, path, headers) => {
    const { text, headers: answered } = await inGerman(path, headers);
    expect(text).toContain('<html lang="de">');
    expect(text).toContain('<h1>Day-Ahead-Preise</h1>');
    expect(text).toContain('<a href="?lang=en" lang="en" hreflang="en">English</a>');
    expect(text).toMatch(/<nav aria-label="Seiten">.*>Anleitung<.*>Referenz<.*>Fehlercodes</);
    expect(answered['content-language']).toBe('de');
    expect(answered.vary).toMatch(/accept-language/i);
  });

  test.each([
    {},
    { 'accept-language': 'en-GB,de;q=0.5' },
    { 'accept-language': 'fr' },
    { 'accept-language': '*' },
  ])('is not had with %j: English is what it is without a word', async (headers) => {
    const { text } = await inGerman('/prices', headers);
    expect(text).toContain('<html lang="en">');
    expect(text).toContain('<a href="?lang=de" lang="de" hreflang="de">Deutsch</a>');
  });

  test('has the same prices, with a comma, and every word of it in German', async () => {
    const german = (await inGerman('/prices?lang=de', {})).text;
    const english = (await page(prices)).text;
    const amounts = (text: string) =>
      [...text.matchAll(/<td class="number[^"]*">(-?\d+[.,]?\d*)</g)].map(([, amount = '']) => amount);
    expect(amounts(german).length).toBeGreaterThan(90);
    expect(amounts(german).map((amount) => amount.replace(',', '.'))).toEqual(amounts(english));
    expect(german).toContain('Erfundene Zahlen.');
    expect(german).toContain('Heute, Samstag, 16. Mai 2026');
    expect(german).toMatch(/niedrigster -?\d+(,\d+)? um \d\d:\d\d, Mittel \d+(,\d+)?, höchster/);
    expect(german).toMatch(
      /<p id="publication">Morgen, Sonntag, 17\. Mai 2026, ist veröffentlicht; zuerst gesehen/,
    );
    expect(german).not.toMatch(/Tomorrow|Yesterday|market|lowest|not published/);
    const words = (await inGerman('/prices/curve.json?lang=de', {})).text;
    expect(JSON.parse(words)).toMatchObject({
      words: { no_price: 'kein Preis', forecast: 'Prognose', decimal_point: ',' },
    });
    expect(words).toContain('00:00 bis 00:15');
  });
});
