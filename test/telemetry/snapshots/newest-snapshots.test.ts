import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { testOnlyOn } from '../../setup/engine.ts';
import { holdRow } from './held-rows.ts';
import { NOW, type SnapshotApi, type SnapshotHousehold, startSnapshotApi } from './snapshot-api.ts';

let service: SnapshotApi;
let home: SnapshotHousehold;
let other: SnapshotHousehold;

beforeAll(async () => {
  service = await startSnapshotApi();
});
afterAll(() => service?.close());
beforeEach(async () => {
  service.clock.set(NOW);
  home = await service.addHousehold();
  other = await service.addHousehold();
});

interface Item {
  asset: string;
  household: string;
  timestamp: string;
  created_at?: string;
}

interface List {
  items: Item[];
  has_more: boolean;
  next_page: string | null;
  errors?: { code: string; field: string }[];
}

const list = (query: string) => service.client.get<List>(`/asset-snapshots?${query}`);
const ofHome = () => list(`filter[household][eq]=${home.household}`);

/** A row `seconds` before the clock. */
function rowBefore(asset: string, seconds: number, fields: Record<string, unknown> = { power_kw: 1 }) {
  const timestamp = new Date(Date.parse(NOW) - seconds * 1000).toISOString();
  return { asset, timestamp, ...fields };
}

describe('the newest snapshots', () => {
  test('one item per asset with the fields of its type, newest first', async () => {
    const { battery, wallbox, solar, heat_pump } = home.assets;
    await home.send([
      rowBefore(battery.id, 60, { power_kw: -1, state_of_charge: 0.5 }),
      rowBefore(battery.id, 30, { state_of_charge: 0.4 }),
      rowBefore(wallbox.id, 10, { connected: true }),
      rowBefore(solar.id, 20, { power_kw: -3 }),
      rowBefore(heat_pump.id, 40, { power_kw: 2 }),
    ]);
    await other.send([rowBefore(other.assets.battery.id, 1, { power_kw: 1 })]);
    const { body, status } = await ofHome();
    expect(status).toBe(200);
    expect(body.items.map(({ created_at, ...item }) => item)).toEqual([
      {
        object: 'asset_snapshot',
        household: home.household,
        asset: wallbox.id,
        timestamp: '2026-12-01T11:04:50.000Z',
        power_kw: null,
        connected: true,
        vehicle_state_of_charge: null,
      },
      {
        object: 'asset_snapshot',
        household: home.household,
        asset: solar.id,
        timestamp: '2026-12-01T11:04:40.000Z',
        power_kw: -3,
      },
      {
        object: 'asset_snapshot',
        household: home.household,
        asset: battery.id,
        timestamp: '2026-12-01T11:04:30.000Z',
        power_kw: null,
        state_of_charge: 0.4,
      },
      {
        object: 'asset_snapshot',
        household: home.household,
        asset: heat_pump.id,
        timestamp: '2026-12-01T11:04:20.000Z',
        power_kw: 2,
      },
    ]);
    expect(body).toMatchObject({ object: 'list', has_more: false, next_page: null });
  });

  test('a snapshot is shown from the moment of its answer', async () => {
    for (let second = 20; second > 0; second -= 1) {
      const row = rowBefore(home.assets.inverter.id, second, { power_kw: second / 10 });
      expect((await home.send([row])).status).toBe(200);
      expect((await ofHome()).body.items[0]).toMatchObject({
        timestamp: row.timestamp,
        power_kw: second / 10,
      });
    }
  });

  test('a late one does not take the place of a newer one', async () => {
    await home.send([rowBefore(home.assets.inverter.id, 10, { power_kw: 1 })]);
    await home.send([rowBefore(home.assets.inverter.id, 20, { power_kw: 2 })]);
    expect((await ofHome()).body.items).toMatchObject([{ power_kw: 1 }]);
  });

  test('24 hours after its timestamp a snapshot is the newest of nothing', async () => {
    const { inverter, heat_pump } = home.assets;
    await home.send([rowBefore(inverter.id, 0), rowBefore(heat_pump.id, 0.001)]);
    const query = `/asset-snapshots?filter[household][eq]=${home.household}`;
    service.clock.advance(24 * 3600 * 1000);
    const tomorrow = await service.signIn();
    const shown = async () => (await tomorrow.get<List>(query)).body.items.map((item) => item.asset);
    expect(await shown()).toEqual([inverter.id]);
    service.clock.advance(1);
    expect(await shown()).toEqual([]);
  });

  test('B105 shows microseconds where they are not zero', async () => {
    const { inverter, heat_pump } = home.assets;
    await home.send([
      { asset: inverter.id, timestamp: '2026-12-01T11:00:00.123456Z', power_kw: 1 },
      { asset: heat_pump.id, timestamp: '2026-12-01T11:00:00.123Z', power_kw: 1 },
    ]);
    expect((await ofHome()).body.items.map((item) => item.timestamp)).toEqual([
      '2026-12-01T11:00:00.123456Z',
      '2026-12-01T11:00:00.123Z',
    ]);
  });
});

describe('filters and pages', () => {
  test('household and asset, one or several, together', async () => {
    const { inverter, battery } = home.assets;
    await home.send([rowBefore(inverter.id, 1), rowBefore(battery.id, 2)]);
    await other.send([rowBefore(other.assets.inverter.id, 3)]);
    const assetsOf = async (query: string) => (await list(query)).body.items.map((item) => item.asset);
    expect(await assetsOf(`filter[household][in]=${home.household},${other.household}`)).toEqual([
      inverter.id,
      battery.id,
      other.assets.inverter.id,
    ]);
    expect(await assetsOf(`filter[asset][eq]=${battery.id}`)).toEqual([battery.id]);
    expect(await assetsOf(`filter[asset][in]=${battery.id},${other.assets.inverter.id},ast_unknown`)).toEqual(
      [battery.id, other.assets.inverter.id],
    );
    expect(
      await assetsOf(`filter[household][eq]=${other.household}&filter[asset][eq]=${battery.id}`),
    ).toEqual([]);
    expect(await assetsOf('filter[household][eq]=dom_unknown')).toEqual([]);
    expect(await assetsOf('filter[asset][in]=')).toEqual([]);
  });

  test.each([
    ['no filter', '', ['custom filter[household]']],
    [
      'an unknown field',
      'filter[type][eq]=x',
      ['unrecognized_keys filter[type][eq]', 'custom filter[household]'],
    ],
    [
      'an operator that is not offered',
      'filter[household][ne]=x',
      ['unrecognized_keys filter[household][ne]'],
    ],
    ['NUL in a value', 'filter[household][eq]=%00', ['invalid_value filter[household][eq]']],
    ['a limit of 0', 'filter[household][eq]=x&limit=0', ['too_small limit']],
  ])('%s is refused', async (_title, query, entries) => {
    const { status, body } = await list(query);
    expect(status).toBe(400);
    expect(body.errors?.map(({ code, field }) => `${code} ${field}`)).toEqual(entries);
  });

  test('assets that send between two pages are left out of none and come once', async () => {
    const everyAsset = Object.values(home.assets);
    const sendAll = (seconds: number) =>
      home.send(
        everyAsset.map(({ id, type }) => rowBefore(id, seconds, { power_kw: type === 'solar' ? -1 : 1 })),
      );
    expect((await sendAll(60)).status).toBe(200);
    const query = `filter[household][eq]=${home.household}&limit=3`;
    const first = (await list(query)).body;
    expect((await sendAll(30)).status).toBe(200);
    const second = (await list(`${query}&cursor=${first.next_page}`)).body;
    expect((await sendAll(10)).status).toBe(200);
    const third = (await list(`${query}&cursor=${second.next_page}`)).body;
    const seen = [...first.items, ...second.items, ...third.items];
    expect(third.next_page).toBeNull();
    const descending = everyAsset.map(({ id }) => id).sort((left, right) => (left < right ? 1 : -1));
    expect(seen.map(({ asset }) => asset)).toEqual(descending);
    expect(new Set(seen.map(({ timestamp }) => timestamp))).toEqual(new Set(['2026-12-01T11:04:00.000Z']));
    const anew = (await list(query)).body.items.map(({ timestamp }) => timestamp);
    expect(anew).toEqual(Array(3).fill('2026-12-01T11:04:50.000Z'));
  });

  const testByTransactions = testOnlyOn(
    'timescaledb',
    'transactions of one node are not known on the others',
  );
  testByTransactions(
    'assets whose values are being committed when the first page is read are left out of none and come once',
    async () => {
      const everyAsset = Object.values(home.assets);
      const query = `filter[household][eq]=${home.household}&limit=3`;
      const sent = everyAsset.map(({ id, type }) =>
        rowBefore(id, 60, { power_kw: type === 'solar' ? -1 : 1 }),
      );
      expect((await home.send(sent)).status).toBe(200);
      const held = await holdRow(service, home, 18_270, everyAsset);
      const { items, next_page } = (await list(query)).body;
      await held.letGo('COMMIT');
      const second = (await list(`${query}&cursor=${next_page}`)).body;
      const third = (await list(`${query}&cursor=${second.next_page}`)).body;
      const seen = [...items, ...second.items, ...third.items].map(({ asset }) => asset);
      expect(seen).toEqual(everyAsset.map(({ id }) => id).sort((left, right) => (left < right ? 1 : -1)));
    },
  );

  test('pages follow each other by timestamp and asset, without gap or repetition', async () => {
    const sameInstant = Object.values(home.assets).map((asset) =>
      rowBefore(asset.id, 5, asset.type === 'solar' ? { power_kw: -1 } : { power_kw: 1 }),
    );
    const odd = { ...rowBefore(other.assets.inverter.id, 0), timestamp: '2026-12-01T11:04:55.000001Z' };
    await home.send(sameInstant);
    await other.send([odd, rowBefore(other.assets.battery.id, 6)]);
    const filter = `filter[household][in]=${home.household},${other.household}`;
    const seen: Item[] = [];
    let page: string | null = '';
    while (page !== null) {
      const { body }: { body: List } = await list(
        `${filter}&limit=2${page === '' ? '' : `&cursor=${encodeURIComponent(page)}`}`,
      );
      expect(body.items.length).toBeLessThanOrEqual(2);
      expect(body.has_more).toBe(body.next_page !== null);
      seen.push(...body.items);
      page = body.next_page;
    }
    const expected = [
      other.assets.inverter.id,
      ...Object.values(home.assets)
        .map((asset) => asset.id)
        .sort()
        .reverse(),
      other.assets.battery.id,
    ];
    expect(seen.map((item) => item.asset)).toEqual(expected);
  });
});
