import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callerOf } from '../../../src/platform/fair-queue.ts';
import { createTenant } from '../../setup/factories.ts';
import {
  addHousehold,
  entriesOf,
  instant,
  type SnapshotApi,
  type SnapshotHousehold,
  startSnapshotApi,
} from './snapshot-api.ts';

let service: SnapshotApi;
let home: SnapshotHousehold;

beforeAll(async () => {
  service = await startSnapshotApi();
  home = await service.addHousehold();
});
afterAll(() => service?.close());

describe('rules of the rows', () => {
  test('B107 exactly 1.5 times the rating is accepted, a thousandth more is not, in both directions', async () => {
    const { battery, inverter, heat_pump } = home.assets;
    const row = (asset: string, power_kw: number, second: number) => ({
      asset,
      timestamp: instant(-100 - second),
      power_kw,
    });
    const good = [
      row(inverter.id, 15, 0),
      row(inverter.id, -15, 1),
      row(battery.id, 9, 2),
      row(battery.id, -7.5, 3),
      /* 1.5 times 3.5 kW has no exact binary form. */
      row(heat_pump.id, 5.25, 4),
    ];
    expect((await home.send(good)).status).toBe(200);
    const answer = await home.send([
      row(inverter.id, 15.001, 10),
      row(inverter.id, -15.001, 11),
      row(battery.id, 9.001, 12),
      row(battery.id, -7.501, 13),
    ]);
    expect(answer.body.errors).toEqual([
      {
        code: 'too_big',
        field: 'snapshots.0.power_kw',
        message: '15.001 kW is more than 1.5 times the rating of 10 kW',
      },
      {
        code: 'too_small',
        field: 'snapshots.1.power_kw',
        message: '-15.001 kW is less than -1.5 times the rating of 10 kW',
      },
      {
        code: 'too_big',
        field: 'snapshots.2.power_kw',
        message: '9.001 kW is more than 1.5 times the rating of 6 kW',
      },
      {
        code: 'too_small',
        field: 'snapshots.3.power_kw',
        message: '-7.501 kW is less than -1.5 times the rating of 5 kW',
      },
    ]);
  });

  test('B107 field and rating are named to each of a hundred that send at once, whose looks at stored rows are too many', async () => {
    const { id: asset } = home.assets.inverter;
    const bad = [1, 99].map((power_kw, second) => ({ asset, timestamp: instant(-200 - second), power_kw }));
    const answers = await Promise.all(Array.from({ length: 100 }, () => home.send(bad)));
    const told = new Set(answers.map(({ body }) => JSON.stringify(body.errors)));
    expect([...told].map((text) => JSON.parse(text))).toEqual([
      [expect.objectContaining({ code: 'too_big', field: 'snapshots.1.power_kw' })],
    ]);
  });

  test('B107 1.5 times a rating is counted in decimals, as the customer does', async () => {
    const { household } = home;
    await service.admin.query(
      `UPDATE assets SET max_power_kw = 4.6 WHERE household_id = $1 AND type = 'wallbox'`,
      [household],
    );
    service.api.deps.changed.emit({ organization: service.organization, object: household });
    const send = (power_kw: number) =>
      home.send([{ asset: home.assets.wallbox.id, timestamp: instant(-200 - power_kw), power_kw }]);
    expect((await send(6.9)).status).toBe(200);
    expect((await send(6.900001)).status).toBe(400);
  });

  test('B108 without a rating the absolute limit holds', async () => {
    const { household_net, household_residual } = home.assets;
    const answer = await home.send(
      [999_999_999, 1e9, -1e9, 2e9].map((power_kw, index) => ({
        asset: household_net.id,
        timestamp: instant(-300 - index),
        power_kw,
      })),
    );
    expect(entriesOf(answer)).toEqual([
      'too_big snapshots.1.power_kw',
      'too_small snapshots.2.power_kw',
      'too_big snapshots.3.power_kw',
    ]);
    const most = { asset: household_residual.id, timestamp: instant(-300), power_kw: 999_999_999.9 };
    expect((await home.send([most])).status).toBe(200);
  });

  test('B108 the rating at the time of the request counts, stored rows stay', async () => {
    const other = await service.addHousehold();
    const { inverter } = other.assets;
    const send = (second: number) =>
      other.send([{ asset: inverter.id, timestamp: instant(second), power_kw: 14 }]);
    expect((await send(0)).status).toBe(200);
    const { status } = await service.client.patch(`/assets/${inverter.id}`, {
      inverter: { max_power_kw: 5 },
    });
    expect(status).toBe(200);
    expect(entriesOf(await send(1))).toEqual(['too_big snapshots.0.power_kw']);
    expect((await send(0)).status).toBe(400);
    expect(await other.count()).toBe(1);
  });

  test('a type bounds the sign of its power', async () => {
    const answer = await home.send([
      { asset: home.assets.solar.id, timestamp: instant(-400), power_kw: 0.1 },
      { asset: home.assets.household_residual.id, timestamp: instant(-400), power_kw: -0.1 },
    ]);
    expect(entriesOf(answer)).toEqual(['too_big snapshots.0.power_kw', 'too_small snapshots.1.power_kw']);
  });

  test('B109 assets that are unknown, foreign or of another household have one text', async () => {
    const second = await service.addHousehold();
    const stranger = await createTenant(service.api);
    const foreign = await addHousehold(service, stranger.organization);
    const names = [
      { asset: `ast_${'0'.repeat(24)}` },
      { asset: second.assets.inverter.id },
      { asset: foreign.assets.inverter.id },
      { external_id: 'nobody' },
      { external_id: second.assets.inverter.external_id },
      { external_id: foreign.assets.inverter.external_id },
    ];
    const answer = await home.send(names.map((name) => ({ ...name, timestamp: instant(0), power_kw: 1 })));
    expect(entriesOf(answer)).toEqual([
      'custom snapshots.0.asset',
      'custom snapshots.1.asset',
      'custom snapshots.2.asset',
      'custom snapshots.3.external_id',
      'custom snapshots.4.external_id',
      'custom snapshots.5.external_id',
    ]);
    expect(new Set(answer.body.errors?.map((entry) => entry.message)).size).toBe(1);
    expect(await second.count()).toBe(0);
    expect(await foreign.count()).toBe(0);
  });

  test('B109 nothing after the end of an asset, everything until then', async () => {
    const other = await service.addHousehold();
    const { wallbox } = other.assets;
    await service.client.post(`/assets/${wallbox.id}/decommission`, {});
    const { rows } = await service.admin.query<{ at: string }>(
      `SELECT to_char(decommissioned_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at FROM assets WHERE id = $1`,
      [wallbox.id],
    );
    const end = rows[0]?.at;
    const send = (timestamp: unknown) => other.send([{ asset: wallbox.id, timestamp, connected: false }]);
    expect((await send(end)).status).toBe(200);
    const answer = await send('2026-12-01T11:05:00.000001Z');
    expect(entriesOf(answer)).toEqual(['custom snapshots.0.timestamp']);
  });

  test('B110 the same row twice is stored once', async () => {
    const row = { asset: home.assets.battery.id, timestamp: instant(-500), state_of_charge: 0.5 };
    expect((await home.send([row, row, row])).body).toMatchObject({ total: 3, stored: 1, duplicates: 2 });
  });

  test('B111 a stored row is no problem when it is equal and one per row when it differs', async () => {
    const { battery, wallbox } = home.assets;
    const stored = [
      { asset: battery.id, timestamp: instant(-600), power_kw: 2.1, state_of_charge: 0.5 },
      { asset: battery.id, timestamp: instant(-601), power_kw: 1 },
      { asset: wallbox.id, timestamp: instant(-600), connected: true },
    ];
    expect((await home.send(stored)).body).toMatchObject({ stored: 3 });
    expect((await home.send(stored)).body).toMatchObject({ stored: 0, duplicates: 3 });
    const before = await home.count();
    const answer = await home.send([
      { asset: battery.id, timestamp: instant(-602), power_kw: 1 },
      { asset: battery.id, timestamp: instant(-601), power_kw: 1, state_of_charge: 0.25 },
      { asset: wallbox.id, timestamp: instant(-600), connected: false },
      { asset: battery.id, timestamp: instant(-600), power_kw: 2.3, state_of_charge: 0.5 },
      { external_id: battery.external_id, timestamp: instant(-600), power_kw: 2.3, state_of_charge: 0.5 },
    ]);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([
      {
        code: 'custom',
        field: 'snapshots.1.state_of_charge',
        message: '0.25 differs from none stored for the same asset and timestamp',
      },
      {
        code: 'custom',
        field: 'snapshots.2.connected',
        message: 'false differs from true stored for the same asset and timestamp',
      },
      {
        code: 'custom',
        field: 'snapshots.3.power_kw',
        message: '2.3 differs from 2.1 stored for the same asset and timestamp',
      },
      {
        code: 'custom',
        field: 'snapshots.4.power_kw',
        message: '2.3 differs from 2.1 stored for the same asset and timestamp',
      },
    ]);
    expect(await home.count()).toBe(before);
  });

  test('a value that is refused is told, with the rule', async () => {
    const { battery, solar } = home.assets;
    const answer = await home.send([
      { asset: battery.id, timestamp: instant(-650), state_of_charge: 64 },
      { asset: solar.id, timestamp: instant(-650), power_kw: 3.2 },
      { asset: solar.id, timestamp: '2026-10-05 08:30', power_kw: -1 },
      { asset: solar.id, timestamp: 'x'.repeat(1_000), power_kw: -1 },
    ]);
    expect(answer.body.errors?.map(({ message }) => message)).toEqual([
      '64 is not between 0 and 1',
      '3.2 kW is more than 0 kW, the most for an asset of type solar: what it gives is negative',
      expect.stringMatching(/^Not a date-time with time zone .*: "2026-10-05 08:30"$/),
      expect.stringMatching(/: "x{40}…"$/),
    ]);
  });

  test('B111 rows that differ from stored ones are told beside every other problem of the batch', async () => {
    const { battery, wallbox } = home.assets;
    const at = { asset: battery.id, timestamp: instant(-700) };
    expect((await home.send([{ ...at, power_kw: 2.1 }])).status).toBe(200);
    const before = await home.count();
    const answer = await home.send([
      { ...at, power_kw: 2.3 },
      { ...at, timestamp: 'yesterday', power_kw: 2.3 },
      { external_id: battery.external_id, timestamp: instant(-700), power_kw: 2.3 },
      { ...at, power_kw: 2.1 },
      { asset: wallbox.id, timestamp: instant(-700), power_kw: 99, connected: true },
      { asset: wallbox.id, timestamp: '2027-01-01T00:00:00Z', connected: true },
    ]);
    expect(answer.status).toBe(400);
    const firstWords = (text: string) => text.split(' ').slice(0, 5).join(' ');
    expect(answer.body.errors?.map(({ field, message }) => `${field}: ${firstWords(message)}`)).toEqual([
      'snapshots.0.power_kw: 2.3 differs from 2.1 stored',
      'snapshots.1.timestamp: Not a date-time with time',
      'snapshots.2.power_kw: 2.3 differs from 2.1 stored',
      'snapshots.3.power_kw: 2.1 differs from 2.3 sent',
      'snapshots.4.power_kw: 99 kW is more than',
      expect.stringMatching(/^snapshots\.5\.timestamp: .* ahead/),
    ]);
    expect(await home.count()).toBe(before);
  });

  test('B111 a small refused batch is compared while long work of its caller is under way', async () => {
    const at = { asset: home.assets.battery.id, timestamp: instant(-800) };
    expect((await home.send([{ ...at, power_kw: 2.1 }])).status).toBe(200);
    const { rows } = await service.admin.query<{ client: string; rate: number }>(
      'SELECT id AS client, rate_per_second AS rate FROM auth_clients WHERE organization_id = $1',
      [service.organization],
    );
    const { client = '', rate = 1 } = rows[0] ?? {};
    const caller = callerOf({ organization: service.organization, client }, rate);
    const end = Promise.withResolvers<void>();
    const long = [0, 1].map(() => service.api.deps.queue.inTurn(caller, () => end.promise));
    try {
      const { body } = await home.send([{ ...at, power_kw: 2.3 }, 17]);
      expect(body.errors?.map(({ code, field }) => `${code} ${field}`)).toEqual([
        'custom snapshots.0.power_kw',
        'invalid_type snapshots.1',
      ]);
    } finally {
      end.resolve();
      await Promise.all(long);
    }
  });

  test('B111 a batch that overlaps with stored rows adds what is missing', async () => {
    const rows = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => ({
        asset: home.assets.inverter.id,
        timestamp: instant(-2000 - from - index),
        power_kw: index + from === 7 ? 0 : (from + index) / 1000,
      }));
    expect((await home.send(rows(0, 100))).body).toMatchObject({ stored: 100 });
    expect((await home.send(rows(50, 150))).body).toMatchObject({ stored: 50, duplicates: 50 });
    /* Every row is stored, and others of the asset lie in between. */
    const everySecond = rows(0, 150).filter((_, index) => index % 2 === 0);
    expect((await home.send(everySecond)).body).toMatchObject({ stored: 0, duplicates: 75 });
    expect((await home.send(rows(0, 150))).body).toMatchObject({ stored: 0, duplicates: 150 });
  });

  test('B32 -0 is stored and compared as 0', async () => {
    const raw = (power: string) =>
      service.client.post(
        '/asset-snapshots',
        `{"household":"${home.household}","snapshots":[{"asset":
        "${home.assets.inverter.id}","timestamp":"2026-11-29T00:00:00Z","power_kw":${power}}]}`,
      );
    expect((await raw('-0')).body).toMatchObject({ stored: 1 });
    expect((await raw('0')).body).toMatchObject({ stored: 0, duplicates: 1 });
    expect((await raw('-0.0')).body).toMatchObject({ stored: 0, duplicates: 1 });
    expect((await raw('1e-400')).body).toMatchObject({ stored: 0, duplicates: 1 });
  });

  test('an asset that was made a moment ago is known at once', async () => {
    const other = await service.addHousehold();
    const row = (asset: string) => ({ asset, timestamp: instant(0), power_kw: 1 });
    expect((await other.send([row(other.assets.inverter.id)])).status).toBe(200);
    const created = await service.client.post<{ id: string }>('/assets', {
      household: other.household,
      type: 'inverter',
      external_id: 'new-one',
      inverter: { max_power_kw: 3 },
    });
    expect((await other.send([row(created.body.id)])).status).toBe(200);
    /* Made by another process, which tells this one nothing. */
    const { rows } = await service.admin.query<{ id: string }>(
      `INSERT INTO assets (organization_id, id, household_id, customer_id, type, max_power_kw, hybrid)
       SELECT organization_id, 'ast_' || substr(md5(id) || md5(id), 1, 24), household_id, customer_id, type, 3, false
         FROM assets WHERE id = $1 RETURNING id`,
      [created.body.id],
    );
    expect((await other.send([row(rows[0]?.id ?? '')])).status).toBe(200);
  });
});
