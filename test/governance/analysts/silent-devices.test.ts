import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cookbook } from '../../../scripts/cookbook.ts';
import { addDays } from '../../../src/platform/time/berlin-calendar.ts';
import { type AssetType, createAsset, createHousehold, type TestHousehold } from '../../setup/factories.ts';
import { sumAllQuarterHours } from '../../setup/quarter-hours.ts';
import { type SnapshotApi, startSnapshotApi } from '../../telemetry/snapshots/snapshot-api.ts';
import { Accounts } from './account.ts';

/* A household uses 1 kW all day, its roof makes 2 kW from 10 to 14 o'clock in Berlin. Values come every five minutes. */
const MINUTE = 60_000;
const MIDNIGHT = Date.parse('2026-11-29T23:00:00Z');
const DAY = '2026-11-30';

let service: SnapshotApi;
let accounts: Accounts;
let analyst: pg.Client;

beforeAll(async () => {
  service = await startSnapshotApi({});
  accounts = new Accounts(service.api.database);
  analyst = await accounts.connect((await accounts.make(service.organization)).address);
});
afterAll(async () => {
  await accounts?.close();
  await service?.close();
});

const solarAt = (minute: number) => (minute >= 600 && minute < 840 ? 2 : 0);
const POWER: Partial<Record<AssetType, (minute: number) => number>> = {
  household_net: (minute) => 1 - solarAt(minute),
  solar: (minute) => -solarAt(minute),
  battery: () => 0,
  wallbox: () => 0,
};

type Sends = Partial<Record<AssetType, (minute: number) => boolean>>;

/** A household that sends as said, and what its analyst sees of the day by the minute at which a quarter hour begins. */
async function dayOf(
  sends: Sends,
  change?: (ids: Partial<Record<AssetType, string>>, home: TestHousehold) => Promise<void>,
) {
  const { deps } = service.api;
  const home = await createHousehold(deps, service.organization);
  const ids: Partial<Record<AssetType, string>> = {};
  for (const type of Object.keys(sends) as AssetType[]) {
    ids[type] = (await createAsset(deps, service.organization, home, { type })).id;
  }
  await change?.(ids, home);
  const snapshots = Object.entries(sends).flatMap(([type, isSent]) =>
    Array.from({ length: 288 }, (_, at) => at * 5)
      .filter(isSent)
      .map((minute) => ({
        asset: ids[type as AssetType],
        timestamp: new Date(MIDNIGHT + minute * MINUTE).toISOString(),
        power_kw: POWER[type as AssetType]?.(minute),
      })),
  );
  const answer = await service.client.post('/asset-snapshots', { household: home.household, snapshots });
  expect(answer.status).toBe(200);
  await sumAllQuarterHours(service.api.database, service.clock);
  const { rows } = await analyst.query(
    `SELECT extract(epoch FROM start)::float8 AS at, * FROM household_energy WHERE household = $1 AND delivery_day = $2`,
    [home.household, DAY],
  );
  return { ...home, at: new Map(rows.map((row) => [(row.at * 1_000 - MIDNIGHT) / MINUTE, row])) };
}

const always = () => true;
const noon = (minute: number) => minute < 720 || minute >= 840;

test('a roof that is silent for two hours makes consumption unknown, not wrong, and the row says so', async () => {
  const { at, household } = await dayOf({ household_net: always, solar: noon });
  expect(at.size).toBe(96);
  for (const [minute, row] of at) {
    const silent = minute > 720 && minute < 840;
    const share = silent ? 0 : minute === 720 ? 2 / 3 : 1;
    expect([minute, row.covered_share]).toEqual([minute, expect.closeTo(share, 9)]);
    if (silent) expect(row).toMatchObject({ consumption_kwh: null, residual_kwh: null, solar_kwh: null });
    if (share === 1) expect(row.consumption_kwh).toBeCloseTo(0.25, 9);
    expect(row.grid_covered_seconds).toBe(900);
  }
  const query = (await cookbook()).find(({ name }) => name === '02-self-consumption-and-autarky');
  const text = query?.statement
    .replace(
      "date '2026-10-10' AS first_day, date '2026-11-09'",
      `date '${DAY}' AS first_day, date '${addDays(DAY, 1)}'`,
    )
    .replace('dom_learning0000000000000001', household);
  const { rows } = await analyst.query(text ?? '');
  expect(rows).toMatchObject([
    { quarter_hours: '88', self_consumption_percent: '50.0', consumption_kwh: '22.00', solar_kwh: '4.00' },
  ]);
});

test('null stands for what a silent device would have to say, and for nothing else', async () => {
  const wallbox = await dayOf({ household_net: always, solar: always, wallbox: (minute) => minute < 60 });
  expect(wallbox.at.get(30)).toMatchObject({
    wallbox_kwh: 0,
    covered_share: 1,
    residual_kwh: expect.closeTo(0.25, 9),
  });
  expect(wallbox.at.get(90)).toMatchObject({ wallbox_kwh: null, covered_share: 0, residual_kwh: null });
  expect(wallbox.at.get(90).consumption_kwh).toBeCloseTo(0.25, 9);

  const net = await dayOf({ household_net: (minute) => minute < 60, solar: always });
  expect(net.at.get(90)).toMatchObject({ consumption_kwh: null, solar_kwh: 0, covered_share: 0 });

  const none = await dayOf({ household_net: always });
  expect(none.at.get(90)).toMatchObject({
    solar_kwh: null,
    covered_share: 1,
    consumption_kwh: expect.closeTo(0.25, 9),
  });
});

test('a device is in use from its creation to its end', async () => {
  const { at } = await dayOf(
    { household_net: always, solar: () => false, battery: () => false },
    async (ids) => {
      /* The battery came later than the household, the roof went. */
      await service.admin.query('UPDATE assets SET created_at = $2 WHERE id = ANY ($1)', [
        [ids.household_net, ids.solar],
        new Date(MIDNIGHT - 10 * 1_440 * MINUTE),
      ]);
      await service.admin.query('UPDATE assets SET created_at = $2 WHERE id = $1', [
        ids.battery,
        new Date(MIDNIGHT + 600 * MINUTE),
      ]);
      await service.admin.query('UPDATE assets SET decommissioned_at = $2 WHERE id = $1', [
        ids.solar,
        new Date(MIDNIGHT + 300 * MINUTE),
      ]);
    },
  );
  expect(at.get(285)).toMatchObject({ consumption_kwh: null, covered_share: 0 });
  expect(at.get(300)).toMatchObject({ consumption_kwh: expect.closeTo(0.25, 9), covered_share: 1 });
  expect(at.get(585)).toMatchObject({ consumption_kwh: expect.closeTo(0.25, 9), covered_share: 1 });
  expect(at.get(600)).toMatchObject({ consumption_kwh: null, covered_share: 0 });
});

test('a roof that was in use for a part of the time does not stand for one that is silent all day', async () => {
  const { at, household } = await dayOf(
    { household_net: always, solar: (minute) => minute < 310 },
    async (ids, home) => {
      /* In place of the first one it sends, until it ends in the middle of a quarter hour. */
      const { id } = await createAsset(service.api.deps, service.organization, home, { type: 'solar' });
      const decommissioned_at = new Date(MIDNIGHT + 307 * MINUTE).toISOString();
      const { status } = await service.client.post(`/assets/${id}/decommission`, { decommissioned_at });
      expect(status).toBe(200);
      ids.solar = id;
    },
  );
  const unknown = { consumption_kwh: null, residual_kwh: null, solar_kwh: null, covered_share: 0 };
  for (const minute of [285, 300, 315, 330])
    expect([minute, at.get(minute)]).toEqual([minute, expect.objectContaining(unknown)]);
  const { rows } = await analyst.query(
    'SELECT * FROM household_energy_days WHERE household = $1 AND delivery_day = $2',
    [household, DAY],
  );
  expect(rows).toEqual([expect.objectContaining(unknown)]);
});

test('cost by day and month shows which share is covered', async () => {
  const { household } = await dayOf({ household_net: (minute) => minute < 1_080 });
  const { rows } = await analyst.query(
    `SELECT d.covered_share AS day, m.covered_share AS month
       FROM energy_cost_days AS d JOIN energy_cost_months AS m ON m.household = d.household
      WHERE d.household = $1 AND d.delivery_day = $2 AND m.month = '2026-11-01'`,
    [household, DAY],
  );
  /* The last value, of 17:55, holds for a quarter of an hour. */
  expect(rows).toEqual([
    { day: expect.closeTo(1_090 / 1_440, 9), month: expect.closeTo(1_090 / 1_440 / 30, 9) },
  ]);
});

test('a gateway that is silent for longer than snapshots are kept is found by its last day, and no device out of use', async () => {
  const { deps } = service.api;
  const home = await createHousehold(deps, service.organization);
  const [silent, gone, never] = [
    await createAsset(deps, service.organization, home, { type: 'household_net' }),
    await createAsset(deps, service.organization, home, { type: 'battery' }),
    await createAsset(deps, service.organization, home, { type: 'solar' }),
  ];
  await service.admin.query(
    `INSERT INTO asset_days (asset_id, day, quarter_hours, samples, covered_seconds, consumed_kwh, fed_kwh)
     SELECT key, day, 96, 96, 86400, 1, 0 FROM unnest($1::bigint[]) AS key, unnest('{2025-05-30,2025-06-01}'::date[]) AS day`,
    [[silent.key, gone.key]],
  );
  await service.admin.query('UPDATE assets SET decommissioned_at = now() WHERE id = $1', [gone.id]);
  const query = (await cookbook()).find(({ name }) => name === '05-dead-gateways');
  const { rows } = await analyst.query(query?.statement ?? '');
  expect(rows.filter(({ household }) => household === home.household)).toMatchObject([
    { assets: '1', newest: new Date('2025-06-01T22:00:00Z') },
  ]);
  const unsent = await analyst.query('SELECT asset FROM never_sent_assets WHERE household = $1', [
    home.household,
  ]);
  const ids = unsent.rows.map(({ asset }) => asset);
  expect([ids.includes(never.id), ids.includes(silent.id)]).toEqual([true, false]);
});
