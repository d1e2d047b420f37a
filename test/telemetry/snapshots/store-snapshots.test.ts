import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTenant } from '../../setup/factories.ts';
import { metric } from './held-rows.ts';
import {
  entriesOf,
  instant,
  type SnapshotApi,
  type SnapshotHousehold,
  startSnapshotApi,
  storedRows,
} from './snapshot-api.ts';

let service: SnapshotApi;
let home: SnapshotHousehold;

beforeAll(async () => {
  service = await startSnapshotApi();
  home = await service.addHousehold();
});
afterAll(() => service?.close());

describe('how a batch is read', () => {
  test('a good batch in an unusual spelling is stored and counted; a usual or a wrong one is not', async () => {
    const asset = home.assets.household_residual.id;
    const parsed = () => metric(service, 'snapshot_batches_parsed_total');
    const snapshots = (second: number) => [{ asset, timestamp: instant(second), power_kw: 1 }];
    await home.send(snapshots(7_000));
    const before = await parsed();
    expect(before).toBeGreaterThanOrEqual(0);
    expect((await home.send(snapshots(7_001))).status).toBe(200);
    expect((await home.send([{ asset, timestamp: 'never', power_kw: 1 }])).status).toBe(400);
    expect(await parsed()).toBe(before);
    const turned = { snapshots: snapshots(7_002), household: home.household };
    expect((await service.client.post('/asset-snapshots', turned)).body).toMatchObject({ stored: 1 });
    expect(await parsed()).toBe(before + 1);
  });

  test('its sender pays for the time that this takes, and for its rows', async () => {
    const asset = home.assets.household_residual.id;
    const batch = (from: number, rows: number) =>
      Array.from({ length: rows }, (_, index) => ({ asset, timestamp: instant(from + index), power_kw: 1 }));
    expect((await home.send(batch(-9_000, 1))).status).toBe(200);
    const account = service.api.deps.queue.account({ path: [service.organization], weight: 1 });
    const before = account.spent;
    const begunAt = performance.now();
    expect((await home.send(batch(-8_000, 1_000))).status).toBe(200);
    const tookMilliseconds = performance.now() - begunAt;
    const paid = (account.spent - before) * account.weight;
    /* 0.1 ms for a batch and 0.002 ms for each row. */
    expect(paid).toBeGreaterThan(2.1);
    expect(paid).toBeLessThan(2.1 + tookMilliseconds);
  });
});

describe('a good batch', () => {
  test('stores each type with its own fields, under both names of an asset, and answers with the totals', async () => {
    const { battery, wallbox, solar, inverter, heat_pump, household_net, household_residual } = home.assets;
    const answer = await home.send([
      { asset: battery.id, timestamp: '2026-12-01T11:00:00Z', power_kw: -3.42, state_of_charge: 0.64 },
      { external_id: wallbox.external_id, timestamp: '2026-12-01T12:00:00.250+01:00', connected: true },
      { external_id: wallbox.external_id, timestamp: '2026-12-01T11:00:00.250Z', connected: true },
      { asset: wallbox.id, timestamp: '2026-12-01T11:01:00Z', power_kw: 0, vehicle_state_of_charge: 1 },
      { asset: solar.id, timestamp: '2026-12-01T10:59:59.999999Z', power_kw: -9.8 },
      { asset: inverter.id, timestamp: '2026-12-01T11:00:00Z', power_kw: 10 },
      { asset: heat_pump.id, timestamp: '2026-12-01T11:00:00Z', power_kw: 1.5 },
      { asset: household_net.id, timestamp: '2026-12-01T11:00:00Z', power_kw: -7.25 },
      { asset: household_residual.id, timestamp: '2026-12-01T11:00:00Z', power_kw: 0.5 },
    ]);
    expect(answer.body).toEqual({
      object: 'asset_snapshot_batch',
      household: home.household,
      start: '2026-12-01T10:59:59.999999Z',
      end: '2026-12-01T11:01:00.000Z',
      total: 9,
      stored: 8,
      duplicates: 1,
    });
    expect(answer.status).toBe(200);
    expect(await storedRows(service, battery.key)).toEqual([
      {
        timestamp: '2026-12-01T11:00:00.000000Z',
        power_kw: -3.42,
        state_of_charge: 0.64,
        connected: null,
        vehicle_state_of_charge: null,
      },
    ]);
    expect(await storedRows(service, wallbox.key)).toEqual([
      {
        timestamp: '2026-12-01T11:00:00.250000Z',
        power_kw: null,
        state_of_charge: null,
        connected: true,
        vehicle_state_of_charge: null,
      },
      {
        timestamp: '2026-12-01T11:01:00.000000Z',
        power_kw: 0,
        state_of_charge: null,
        connected: null,
        vehicle_state_of_charge: 1,
      },
    ]);
  });

  test('B54 holds 10,000 snapshots, in any order', async () => {
    const { inverter } = home.assets;
    const rows = Array.from({ length: 10_000 }, (_, index) => ({
      asset: inverter.id,
      timestamp: instant((index * 7919) % 10_000),
      power_kw: index / 1000,
    }));
    const answer = await home.send(rows);
    expect(answer.body).toMatchObject({ total: 10_000, stored: 10_000, duplicates: 0 });
    const stored = await storedRows(service, inverter.key);
    const sent = new Map(rows.map((row) => [row.timestamp.replace('Z', '000Z'), row.power_kw]));
    expect(stored.filter((row) => sent.get(row.timestamp) === row.power_kw)).toHaveLength(10_000);
  });

  test('B57 ignores unknown fields beside the rows', async () => {
    const answer = await service.client.post('/asset-snapshots', {
      household: home.household,
      gateway: { firmware: '1.2' },
      snapshots: [{ asset: home.assets.inverter.id, timestamp: instant(-1), power_kw: 1 }],
    });
    expect(answer.status).toBe(200);
  });

  test('needs no idempotency key: the same body again is a batch of duplicates', async () => {
    const rows = [{ asset: home.assets.heat_pump.id, timestamp: instant(-2), power_kw: 1 }];
    expect((await home.send(rows)).body).toMatchObject({ stored: 1, duplicates: 0 });
    expect((await home.send(rows)).body).toMatchObject({ stored: 0, duplicates: 1 });
  });

  test('its rows carry the moment of storing', async () => {
    const { heat_pump } = home.assets;
    await home.send([{ asset: heat_pump.id, timestamp: instant(-3), power_kw: 1 }]);
    const { rows } = await service.admin.query<{ recent: boolean }>(
      `SELECT abs(extract(epoch FROM now() - created_at)) < 600 AS recent FROM asset_snapshots
        WHERE asset_id = $1 AND timestamp = $2`,
      [heat_pump.key, instant(-3)],
    );
    expect(rows).toEqual([{ recent: true }]);
  });
});

describe('statuses', () => {
  test('401 without a token, 404 for another version, 403 for a read-only client', async () => {
    const rows = [{ asset: home.assets.inverter.id, timestamp: instant(0), power_kw: 1 }];
    const before = await home.count();
    expect((await home.send(rows, service.api.client(null))).status).toBe(401);
    const readOnly = await createTenant(service.api, { read_only: true });
    expect((await home.send(rows, service.api.client(readOnly.token))).status).toBe(403);
    const { token } = await createTenant(service.api);
    for (const version of ['2026-05-27.curie', '2025-12-01.chucky', null]) {
      expect((await home.send(rows, service.api.client(token, { version }))).status).toBe(404);
    }
    expect(await home.count()).toBe(before);
  });

  test('404 for an unknown household, but 400 when the body has a problem of its own', async () => {
    const household = `dom_${'0'.repeat(24)}`;
    const row = { asset: home.assets.inverter.id, timestamp: instant(0), power_kw: 1 };
    const post = (snapshots: unknown[], id = household) =>
      service.client.post<{ code: string; message: string; errors?: { field: string }[] }>(
        '/asset-snapshots',
        {
          household: id,
          snapshots,
        },
      );
    expect(await post([row])).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND', message: 'Resource not found' },
    });
    expect((await post([row], 'nonsense')).status).toBe(404);
    expect((await post([{ ...row, timestamp: '2027-01-01T00:00:00Z' }])).status).toBe(404);
    const answer = await post([row, { ...row, power_kw: 'x' }]);
    expect(answer.status).toBe(400);
    expect(answer.body.errors?.map((entry) => entry.field)).toEqual(['snapshots.1.power_kw']);
  });
});

test('every problem is listed: rows ascending, fields in the order of the schema, good rows of a bad batch too', async () => {
  const { inverter, battery } = home.assets;
  const before = await home.count();
  const answer = await home.send([
    { asset: inverter.id, timestamp: instant(-700), power_kw: 1 },
    { asset: inverter.id, timestamp: '2027-01-01T00:00:00Z', power_kw: 99, state_of_charge: 0.5 },
    'text',
    { asset: inverter.id, external_id: 'x', timestamp: 'never', soc: 1, power_kw: 1 },
    { timestamp: instant(-700), power_kw: null, vehicle_state_of_charge: 1.5, state_of_charge: -0.1 },
    { asset: battery.id, timestamp: instant(-700) },
    { asset: inverter.id, timestamp: instant(-700), power_kw: 2 },
    { asset: battery.id, timestamp: instant(-700), connected: true },
  ]);
  expect(answer.status).toBe(400);
  expect(entriesOf(answer)).toEqual([
    'too_big snapshots.1.timestamp',
    'too_big snapshots.1.power_kw',
    'unrecognized_keys snapshots.1.state_of_charge',
    'invalid_type snapshots.2',
    'invalid_format snapshots.3.timestamp',
    'unrecognized_keys snapshots.3.soc',
    'custom snapshots.3',
    'invalid_type snapshots.4.asset',
    'invalid_type snapshots.4.power_kw',
    'too_small snapshots.4.state_of_charge',
    'too_big snapshots.4.vehicle_state_of_charge',
    'custom snapshots.5',
    'custom snapshots.6.power_kw',
    'unrecognized_keys snapshots.7.connected',
    'custom snapshots.7',
  ]);
  expect(answer.body.message).toMatch(/^too_big in 'snapshots\.1\.timestamp': .*/);
  expect(await home.count()).toBe(before);
});
