import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countText, homePage } from '../../../src/pages/docs/home.ts';
import { type Database, openDatabase } from '../../../src/platform/database/db.ts';
import type { TestApi } from '../../setup/api.ts';
import { createAsset, createHousehold, createTenant } from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { takePriceApi } from '../../spot-prices/serve/price-api.ts';

/* What everybody sees who opens the service. */

const AFTERNOON = '2026-05-16T13:30:00+02:00';
const prices = await takePriceApi(AFTERNOON);
let api: TestApi;

beforeAll(async () => {
  ({ api } = prices);
  await prices.pull('2026-05-16');
  for (const rows of [3, 2]) {
    const { organization, token } = await createTenant(api);
    const place = await createHousehold(api.deps, organization);
    const asset = await createAsset(api.deps, organization, place, { type: 'household_net' });
    const snapshots = Array.from({ length: rows }, (_, minute) => ({
      ...{ asset: asset.id, timestamp: `2026-05-16T10:0${minute}:00Z`, power_kw: 1.5 },
    }));
    await api.client(token).post('/asset-snapshots', { household: place.household, snapshots });
  }
});
afterAll(() => prices.close());

const home = async () => {
  const answer = await fetch(`${api.baseUrl}/`);
  return { headers: answer.headers, text: await answer.text() };
};

test('it says how many rows all organizations stored and how fast more come, and names none of them', async () => {
  await expect
    .poll(() => storedRows(api, 'SELECT sum(rows_stored)::int AS n FROM request_days', []))
    .toEqual([{ n: 5 }]);
  const { text } = await home();
  expect(text).toMatch(/Values stored<\/dt><dd><b>5<\/b>.*in the last 30 days/);
  expect(text).toMatch(/Coming in<\/dt><dd><b>1\.?\d*<\/b>.*a minute, in the last 5 minutes/);
  expect(text).not.toMatch(/org_/);
});

test('it draws the prices of today without a script, invented ones as such, and says how the service is', async () => {
  const { text } = await home();
  expect(text).toContain('<strong>Made-up numbers.</strong>');
  expect(text).toMatch(/Made-up price now<\/dt><dd><b>-?\d+\.\d\d ct\/kWh</);
  expect(text).toMatch(/Service<\/dt><dd><b>ready</);
  expect(text).toMatch(/<svg class="step-curve"[^>]* role="img" aria-labelledby="today-title today-text">/);
  expect(text).toMatch(/<desc id="today-text">From -?\d+\.\d\d to \d+\.\d\d ct\/kWh, 96 of 96 quarter hours/);
  /* A step for each quarter hour. */
  expect(/<path class="line" d="([^"]+)"/.exec(text)?.[1]?.match(/H/g)).toHaveLength(96);
  expect(text).not.toMatch(/<script|\sstyle=/);
});

test.each(['Gateways', 'Partners', 'Analysts', 'Capacity testers', 'Operators', 'Sign in'])(
  'there is a door for %s',
  async (name) => {
    expect((await home()).text).toMatch(new RegExp(`<h3 id="door-[a-z-]+">${name}</h3>`));
  },
);

test('customers and the back office find where they sign in', async () => {
  const { text } = await home();
  expect(text).toContain('<a href="/portal/login">');
  expect(text).toContain('<a href="/console">');
});

describe('in German', () => {
  const inGerman = async (path: string, headers: Record<string, string>) => {
    const answer = await fetch(`${api.baseUrl}${path}`, { headers });
    return { headers: answer.headers, text: await answer.text() };
  };

  test.each([
    ['by a link, whatever the browser would rather have', '/?lang=de', { 'accept-language': 'en' }],
    ['by what the browser would rather have', '/', { 'accept-language': 'de-DE,de;q=0.9,en;q=0.8' }],
  ])('it is shown %s, with the same figures, doors and links', async (_how, path, headersSent) => {
    const { text, headers } = await inGerman(path, headersSent as Record<string, string>);
    expect(text).toContain('<html lang="de">');
    expect(text).toContain('<a href="?lang=en" lang="en" hreflang="en">English</a>');
    expect(text).toMatch(/<nav aria-label="Seiten">.*>Anleitung<.*>Referenz<.*>Fehlercodes</);
    expect([headers.get('content-language'), headers.get('vary')]).toEqual([
      'de',
      expect.stringMatching(/accept-language/i),
    ]);
    expect(text).toMatch(/Gespeicherte Werte<\/dt><dd><b>5<\/b>.*in den letzten 30 Tagen/);
    expect(text).toMatch(/Erfundener Preis jetzt<\/dt><dd><b>-?\d+,\d\d ct\/kWh</);
    expect(text).toMatch(
      /<desc id="today-text">Von -?\d+,\d\d bis \d+,\d\d ct\/kWh, 96 von 96 Viertelstunden/,
    );
    const links = (page: string) =>
      [...page.matchAll(/ href="([^"]+)"/g)]
        .map(([, address]) => address)
        .filter((to) => !to?.startsWith('?'));
    expect(links(text)).toEqual(links((await home()).text));
  });

  test('nobody else gets it, and each language is kept apart', async () => {
    await inGerman('/?lang=de', {});
    const { text } = await inGerman('/', { 'accept-language': 'fr' });
    expect(text).toContain('<html lang="en">');
    expect(text).toContain('<a href="?lang=de" lang="de" hreflang="de">Deutsch</a>');
  });
});

test('analysts and operators are told the command that they begin with', async () => {
  const { text } = await home();
  expect(text).toContain('<code>npm run -s db -- psql --as analyst</code>');
  expect(text).toContain('<code>npm run cli -- doctor</code>');
});

describe('what it costs', () => {
  test('everybody may keep it for half a minute', async () => {
    expect((await home()).headers.get('cache-control')).toBe('public, max-age=30');
  });

  test('fifty who come at once cost one look into the database, or two where five seconds end between them', async () => {
    let looks = 0;
    const database: Database = Object.create(api.deps.database, {
      asService: {
        value: (work: Parameters<Database['asService']>[0]) => {
          looks += 1;
          return api.deps.database.asService(work);
        },
      },
    });
    const app = Fastify();
    homePage(app, { ...api.deps, database });
    const answers = await Promise.all(Array.from({ length: 50 }, () => app.inject('/')));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: 50 }, () => 200));
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThanOrEqual(2);
    await app.close();
  });
});

test('without its database it is there, and says what is not known', async () => {
  const database = openDatabase({
    ...{ url: 'postgres://nobody@127.0.0.1:1/nowhere', applicationName: 'test', connectionsMax: 1 },
    ...{ connectTimeoutMilliseconds: 1_000, onError: () => {} },
  });
  const app = Fastify();
  homePage(app, {
    ...api.deps,
    database,
    readiness: { ...api.deps.readiness, reasons: async () => ['Database'] },
  });
  const { statusCode, body } = await app.inject('/');
  expect(statusCode).toBe(200);
  expect(body).toMatch(/Values stored<\/dt><dd><b>not known now</);
  expect(body).toMatch(/Service<\/dt><dd><b>disturbed</);
  expect(body).toContain('No price of today is stored.');
  await app.close();
  await database.close();
});

describe('of a service with customers', () => {
  test.each([
    [0, 'below 1,000'],
    [999, 'below 1,000'],
    [1_234, 'about 1,200'],
    [123_456_789, 'about 120,000,000'],
  ])('%i rows are %s', (count, text) => {
    expect(countText(count, true)).toBe(text);
  });

  test('a demo tells its own exactly', () => {
    expect(countText(123_456, false)).toBe('123,456');
  });
});
