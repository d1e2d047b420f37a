import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Visitor } from '../../identity/oauth/visitor.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { fakeClock } from '../../setup/clock.ts';
import { createAsset, createHousehold, createTenant, type TestHousehold } from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { expectSoundPage, signedIn } from './console.ts';

const NOW = '2026-05-16T10:00:00.000Z';

let api: TestApi;
let organization: string;
let home: TestHousehold;
let visitor: Visitor;
let foreign: Visitor;
const assets: Record<string, string> = {};

const store = (key: number, timestamp: string, power: number) =>
  storedRows(
    api,
    `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw) VALUES ($1, $2, $3) RETURNING asset_id`,
    [key, timestamp, power],
  );
const sum = (key: number, start: string, consumed: number, fed: number) =>
  storedRows(
    api,
    `INSERT INTO asset_quarter_hours (asset_id, start, samples, connected_samples, covered_seconds, consumed_kwh, fed_kwh)
     VALUES ($1, $2, 3, 0, 900, $3, $4) RETURNING asset_id`,
    [key, start, consumed, fed],
  );

beforeAll(async () => {
  api = await startApi({ clock: fakeClock(NOW) });
  ({ organization } = await createTenant(api));
  home = await createHousehold(api.deps, organization, { display_name: 'Gänse & <b>Markt</b>' });
  const make = async (name: string, type: 'household_net' | 'battery' | 'wallbox' | 'heat_pump') => {
    const asset = await createAsset(api.deps, organization, home, { type, display_name: name });
    assets[name] = asset.id;
    return asset.key;
  };
  await store(await make('fresh', 'heat_pump'), '2026-05-16T09:50:00Z', 1.5);
  await store(await make('quiet', 'battery'), '2026-05-16T07:00:00Z', -2.25);
  const old = await make('old', 'wallbox');
  await storedRows(
    api,
    `INSERT INTO asset_days (asset_id, day, quarter_hours, samples, covered_seconds, consumed_kwh, fed_kwh)
     VALUES ($1, '2025-12-24', 1, 3, 900, 1, 0) RETURNING asset_id`,
    [old],
  );
  await make('mute', 'wallbox');
  const net = await createAsset(api.deps, organization, home, {
    type: 'household_net',
    display_name: 'net',
  });
  assets.net = net.id;
  await store(net.key, '2026-05-16T09:59:00Z', 0.5);
  await sum(net.key, '2026-03-28T23:00:00Z', 0.5, 0);
  await sum(net.key, '2026-03-29T21:45:00Z', 0, 0.25);
  await sum(net.key, '2026-03-29T22:00:00Z', 7, 0);
  visitor = await signedIn(api, organization);
  foreign = await signedIn(api, (await createTenant(api)).organization, 'de');
});
afterAll(() => api.close());

const open = (path: string, who = visitor) => who.open(`${api.baseUrl}/console${path}`);
const namesIn = (text: string) =>
  [...text.matchAll(/<span class="hint below">(\w+)/g)].map(([, name]) => name).sort();

test.each([
  ['', ['fresh', 'mute', 'net', 'old', 'quiet']],
  ['1h', ['mute', 'old', 'quiet']],
  ['24h', ['mute', 'old']],
  ['7d', ['mute', 'old']],
  ['never', ['mute']],
])('the fleet shows devices that sent nothing for so long: %s', async (silent, names) => {
  const page = await open(`/fleet?silent=${silent}`);
  expectSoundPage(page);
  expect(namesIn(page.text)).toEqual(names);
});

test('a device stands there with its newest value, or with the last day that has one', async () => {
  const { text } = await open('/fleet');
  expect(text).toMatch(
    /quiet.*>-2\.25 kW<.*<time datetime="2026-05-16T07:00:00.000Z">16\/05\/2026, 09:00:00</,
  );
  expect(text).toMatch(/old.*>last on 24 Dec 2025</);
  expect(text).toMatch(/mute.*>never</);
});

test.each(['id', 'external_id', 'household'])('a device is found by its %s', async (by) => {
  const [row] = await storedRows<{ external_id: string }>(
    api,
    'SELECT external_id FROM assets WHERE id = $1',
    [assets.quiet],
  );
  const find = { id: assets.quiet, external_id: row?.external_id, household: home.household }[by] ?? '';
  const page = await open(`/fleet?find=${find}`);
  expectSoundPage(page);
  expect(namesIn(page.text)).toContain('quiet');
  expect(namesIn(page.text)).toHaveLength(by === 'household' ? 5 : 1);
  expect(namesIn((await open(`/fleet?find=${find}`, foreign)).text)).toEqual([]);
});

test('further devices stand on further pages, each once, silent ones too', async () => {
  const tenant = await createTenant(api);
  const place = await createHousehold(api.deps, tenant.organization);
  const { key } = await createAsset(api.deps, tenant.organization, place, {
    type: 'heat_pump',
    display_name: 'loud',
  });
  await store(key, '2026-05-16T09:50:00Z', 1);
  await storedRows(
    api,
    `INSERT INTO assets (organization_id, household_id, customer_id, id, type, display_name, external_id, max_power_kw, created_at)
     SELECT $1, $2, $3, 'ast_' || lpad(n::text, 24, '0'), 'heat_pump', 'pump' || n, 'pump' || n, 3, $4::timestamptz - n / 10 * interval '1 s'
       FROM generate_series(1, 110) AS n RETURNING id`,
    [tenant.organization, place.household, place.customer, NOW],
  );
  const many = await signedIn(api, tenant.organization);
  for (const silent of ['1h', '']) {
    const seen: unknown[] = [];
    let query = `?silent=${silent}`;
    for (let pages = 0; pages < 3; pages += 1) {
      const page = await open(`/fleet${query}`, many);
      expectSoundPage(page);
      seen.push(...namesIn(page.text));
      query = /href="\/console\/fleet(\?[^"]*)">Further/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    }
    const count = silent === '' ? 111 : 110;
    expect([seen.length, new Set(seen).size, query]).toEqual([count, count, '']);
  }
});

test('a household shows its devices, and its power by kept sums on a day of 23 hours', async () => {
  const page = await open(`/households/${home.household}?day=2026-03-29`);
  expectSoundPage(page);
  expect(page.text).toContain('Household Gänse &amp; &lt;b&gt;Markt&lt;/b&gt;');
  expect(page.text).toContain('Käthe Voß');
  expect(namesIn(page.text)).toHaveLength(5);
  expect(page.text).toContain('Power on 29 Mar 2026');
  const chart = page.text.slice(page.text.indexOf('id="chart-table"'));
  expect(chart.match(/<tr/g)).toHaveLength(1 + 92);
  expect([...chart.matchAll(/<data value="([^"]+)"/g)].map(([, value]) => value)).toEqual([
    '2.000',
    '-1.000',
  ]);
  expect(page.text).toMatch(/Taken from the grid<\/dt><dd><b>0\.50 kWh/);
  expect(page.text).toMatch(/Fed into the grid<\/dt><dd><b>0\.25 kWh/);
  expect(page.text).toContain('?day=2026-03-28" rel="prev"');
  expect(page.text).toContain('?day=2026-03-30" rel="next"');
  const today = await open(`/households/${home.household}`);
  expectSoundPage(today);
  expect(today.text).toContain('No power is stored for this day.');
  expect(today.text).not.toContain('rel="next"');
});

test('whoever looks at a household is kept, with the user', async () => {
  await open(`/households/${home.household}`);
  const [row] = (await auditRows(api, organization, 'personal_data.read')).slice(-1);
  expect(row).toMatchObject({
    object_id: home.household,
    route: 'GET /console/households/:id',
    staff: expect.stringMatching(/^usr_/),
  });
});

test('a look for silent devices waits for the turn of the console', async () => {
  const { queue } = api.deps;
  const caller = { path: [organization, 'console'], weight: 50 } as const;
  const others = Promise.withResolvers<void>();
  const working = [1, 2].map(() => queue.inTurn(caller, () => others.promise));
  const page = open('/fleet?silent=never');
  await expect.poll(() => queue.account(caller).waiting).toBe(1);
  expect((await open('/fleet')).status).toBe(200);
  others.resolve();
  await Promise.all(working);
  expect(namesIn((await page).text)).toEqual(['mute']);
});

test('whoever looks through the devices is kept, with the households of those that were shown', async () => {
  await open('/fleet');
  const [row] = (await auditRows(api, organization, 'personal_data.read')).slice(-1);
  expect(row).toMatchObject({
    ...{ object_id: home.household, route: 'GET /console/fleet', staff: expect.stringMatching(/^usr_/) },
  });
});

test('nobody of another organization sees a household, also not by its id', async () => {
  const page = await open(`/households/${home.household}`, foreign);
  expect([page.status, page.text.includes('Voß')]).toEqual([404, false]);
  expect(namesIn((await open('/fleet', foreign)).text)).toEqual([]);
});

test('what is typed into an address harms nothing and finds nothing', async () => {
  for (const [path, status] of [
    ['/households/x', 404],
    [`/households/${'a'.repeat(300)}`, 404],
    ['/households/%00', 404],
    [`/households/${home.household}?day=2026-02-30`, 400],
    [`/households/${home.household}?day=0001-01-01`, 400],
    [`/households/${home.household}?day=<script>`, 400],
    ['/fleet?silent=x&silent=y&after=z', 200],
    ['/fleet?find=%00<script>', 200],
    ['/fleet?find=ast_x', 200],
    ['/fleet?after=2026-13-45T99:00:00.0Z.ast_000000000000000000000000', 200],
  ] as const) {
    const page = await open(path);
    expect([path, page.status, page.text.includes('<script>')]).toEqual([path, status, false]);
  }
});
