import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Visitor } from '../../identity/oauth/visitor.ts';
import type { TestApi } from '../../setup/api.ts';
import { createAsset, createHousehold, createTenant } from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { takePriceApi } from '../../spot-prices/serve/price-api.ts';
import { expectSoundPage, signedIn } from './console.ts';

const AFTERNOON = '2026-05-16T13:30:00+02:00';
const prices = await takePriceApi(AFTERNOON);

let api: TestApi;
let organization: string;
let other: string;
let visitor: Visitor;

beforeAll(async () => {
  ({ api } = prices);
  await prices.pull('2026-05-15', '2026-05-16', '2026-05-17');
  const tenant = await createTenant(api);
  ({ organization } = tenant);
  ({ organization: other } = await createTenant(api));
  const place = await createHousehold(api.deps, organization);
  const { household } = place;
  const asset = await createAsset(api.deps, organization, place, { type: 'household_net' });
  visitor = await signedIn(api, organization);
  const client = api.client(tenant.token);
  const snapshots = [0, 1, 2].map((minute) => ({
    asset: asset.id,
    timestamp: `2026-05-16T10:0${minute}:00Z`,
    power_kw: 1.5,
  }));
  await client.post('/asset-snapshots', { household, snapshots });
  await client.post('/asset-snapshots', {
    household,
    snapshots: [1, 2, 3, 4].map(() => ({ asset: asset.id, timestamp: 'Käthe Voß', power_kw: 1 })),
  });
});
afterAll(() => prices.close());

const logged = () =>
  storedRows<{ route: string; status: number; rows_stored: number | null; problems: unknown }>(
    api,
    'SELECT route, status, rows_stored, problems FROM request_log WHERE organization_id = $1 ORDER BY id',
    [organization],
  );

test('each request is kept with route, status and rows, and of a refusal three codes and paths without a value', async () => {
  await expect.poll(async () => (await logged()).length).toBe(2);
  const [stored, refused] = await logged();
  expect(stored).toEqual({ route: 'POST /asset-snapshots', status: 200, rows_stored: 3, problems: null });
  expect(refused).toMatchObject({ status: 400, rows_stored: null });
  expect(refused?.problems).toEqual(
    [0, 1, 2].map((index) => ({ code: 'invalid_format', field: `snapshots.${index}.timestamp` })),
  );
  expect(JSON.stringify(refused)).not.toContain('Voß');
});

test('home shows rows of the organization, those of the last minutes, requests, health and the prices of today and tomorrow, invented ones as such', async () => {
  await expect.poll(async () => (await logged()).length).toBe(2);
  const page = await visitor.open(`${api.baseUrl}/console`);
  expectSoundPage(page);
  expect(page.text).toMatch(/Values stored<\/dt><dd><b>3</);
  expect(page.text).toMatch(
    /Values of the last 5 minutes<\/dt><dd><b>3<\/b> <span class="hint">in 2 requests</,
  );
  expect(page.text).toMatch(/Requests today<\/dt><dd><b>2<\/b> <span class="hint">1 of them refused/);
  expect(page.text).toContain('They are not those of the market.');
  expect(page.text).toContain('Made-up prices today and tomorrow');
  expect(page.text).not.toContain('Market prices today');
  expect(page.text).toMatch(/Made-up price tomorrow<\/dt><dd><b>-?\d+\.\d\d ct\/kWh</);
  /* On a busy machine a check of the service may be late once. */
  const shown = async () => (await visitor.open(`${api.baseUrl}/console`)).text;
  await expect.poll(shown).toMatch(/Service<\/dt><dd><b>in order</);
  expect(page.text.match(/<time datetime/g)).toHaveLength(192);
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
  const script = /<script src="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const answer = await fetch(`${api.baseUrl}${script}`, { headers: { 'accept-encoding': 'gzip' } });
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([
    200,
    'public, max-age=31536000, immutable',
  ]);
  expect(page.text.length + (await answer.text()).length).toBeLessThan(100_000);
});

test('home of another organization counts nothing of it', async () => {
  await expect.poll(async () => (await logged()).length).toBe(2);
  const foreign = await (await signedIn(api, other, 'de')).open(`${api.baseUrl}/console`);
  expect(foreign.text).toMatch(/Gespeicherte Messwerte<\/dt><dd><b>0</);
  expect(foreign.text).toMatch(/Anfragen heute<\/dt><dd><b>0</);
});

test('without all prices of tomorrow home says when they come, that they are late, in part or held back', async () => {
  const at = async (instant: string) => {
    prices.clock.set(instant);
    const { text } = await (await signedIn(api, organization)).open(`${api.baseUrl}/console`);
    return /price tomorrow<\/dt><dd><b>([^<]*)<\/b> <span class="hint">([^<]*)</.exec(text)?.slice(1);
  };
  expect(await at('2026-05-17T12:00:00+02:00')).toEqual(['none yet', 'It comes about 13:00.']);
  expect(await at('2026-05-17T15:05:00+02:00')).toEqual(['late', 'It was expected about 13:00.']);
  prices.feed.set({ entsoe: { drop: ['2026-05-18T10:00Z'] } });
  await prices.pull('2026-05-18');
  expect(await at('2026-05-17T15:06:00+02:00')).toEqual(['in part', 'Not all quarter hours have a price.']);
  prices.feed.set({ entsoe: { zeros: true } });
  await prices.pull('2026-05-18');
  expect(await at('2026-05-17T15:07:00+02:00')).toEqual(['held back', 'It is being checked.']);
});
