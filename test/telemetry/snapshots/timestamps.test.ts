import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  entriesOf,
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

describe('timestamps', () => {
  test('B101 a timestamp may be 59 s ahead; 61 s are refused with the server time and the difference', async () => {
    const { inverter } = home.assets;
    const at = (timestamp: string) => home.send([{ asset: inverter.id, timestamp, power_kw: 1 }]);
    expect((await at('2026-12-01T11:05:59Z')).status).toBe(200);
    expect((await at('2026-12-01T11:06:00Z')).status).toBe(200);
    expect((await at('2026-12-01T11:06:00.000001Z')).status).toBe(400);
    expect((await at('2026-12-01T11:06:01Z')).body.errors).toEqual([
      {
        code: 'too_big',
        field: 'snapshots.0.timestamp',
        message: '1 min 1 s ahead of the server time 2026-12-01T11:05:00.000Z',
      },
    ]);
    expect((await at('2026-12-01T12:08:12+01:00')).body.message).toBe(
      "too_big in 'snapshots.0.timestamp': 3 min 12 s ahead of the server time 2026-12-01T11:05:00.000Z",
    );
  });

  test.each([
    ['B102 no offset', '2026-12-01T10:00:00'],
    ['B102 no seconds', '2026-12-01T10:00Z'],
    ['B102 date only', '2026-12-01'],
    ['B102 a space for T', '2026-12-01 10:00:00Z'],
    ['B102 lower-case t', '2026-12-01t10:00:00Z'],
    ['B102 lower-case z', '2026-12-01T10:00:00z'],
    ['B102 +0200', '2026-12-01T10:00:00+0200'],
    ['B102 +02', '2026-12-01T10:00:00+02'],
    ['B102 +25:00', '2026-12-01T10:00:00+25:00'],
    ['B102 a decimal comma', '2026-12-01T10:00:00,5Z'],
    ['B102 a week date', '2026-W49-2T10:00:00Z'],
    ['B103 hour 24', '2026-12-01T24:00:00Z'],
    ['B103 second 60', '2026-12-01T10:00:60Z'],
    ['B103 30 February', '2026-02-30T10:00:00Z'],
    ['B103 29 February of a common year', '2025-02-29T10:00:00Z'],
    ['B103 year 294277', '294277-01-01T00:00:00Z'],
    ['B103 year -000001', '-000001-01-01T00:00:00Z'],
    ['B103 year 0000', '0000-01-01T00:00:00Z'],
    ['B105 seven fraction digits', '2026-12-01T10:00:00.1234567Z'],
  ])('%s is no timestamp', async (_title, timestamp) => {
    const answer = await home.send([{ asset: home.assets.inverter.id, timestamp, power_kw: 1 }]);
    expect(answer.status).toBe(400);
    expect(entriesOf(answer)).toEqual(['invalid_format snapshots.0.timestamp']);
  });

  test('B103 year 9999 lies ahead', async () => {
    const answer = await home.send([
      { asset: home.assets.inverter.id, timestamp: '9999-12-31T23:59:59Z', power_kw: 1 },
    ]);
    expect(entriesOf(answer)).toEqual(['too_big snapshots.0.timestamp']);
  });

  test('B104 one instant in two offsets is one row; with another value the later row is refused', async () => {
    const { inverter } = home.assets;
    const first = { asset: inverter.id, timestamp: '2026-11-30T10:00:00Z', power_kw: 1 };
    const again = { asset: inverter.id, timestamp: '2026-11-30T11:00:00+01:00', power_kw: 1 };
    expect((await home.send([first, again])).body).toMatchObject({ total: 2, stored: 1, duplicates: 1 });
    const answer = await home.send([
      { ...first, timestamp: '2026-11-30T10:00:01Z', power_kw: 2.1 },
      { ...again, timestamp: '2026-11-30T11:00:01+01:00', power_kw: 2.3 },
    ]);
    expect(answer.body.errors).toEqual([
      {
        code: 'custom',
        field: 'snapshots.1.power_kw',
        message: '2.3 differs from 2.1 sent for the same asset and timestamp',
      },
    ]);
  });

  test('B105 two instants one microsecond apart are two rows, kept to the microsecond', async () => {
    const { household_net } = home.assets;
    const answer = await home.send([
      { asset: household_net.id, timestamp: '2026-11-30T10:00:00.123457Z', power_kw: 2 },
      { asset: household_net.id, timestamp: '2026-11-30T10:00:00.123456Z', power_kw: 1 },
    ]);
    expect(answer.body).toMatchObject({
      stored: 2,
      start: '2026-11-30T10:00:00.123456Z',
      end: '2026-11-30T10:00:00.123457Z',
    });
    const stored = await storedRows(service, household_net.key);
    expect(stored.slice(0, 2).map((row) => [row.timestamp, row.power_kw])).toEqual([
      ['2026-11-30T10:00:00.123456Z', 1],
      ['2026-11-30T10:00:00.123457Z', 2],
    ]);
  });

  test('B106 the doubled hour of the autumn change holds two rows', async () => {
    const answer = await home.send(
      ['2026-10-25T02:30:00+02:00', '2026-10-25T02:30:00+01:00'].map((timestamp) => ({
        asset: home.assets.inverter.id,
        timestamp,
        power_kw: 1,
      })),
    );
    expect(answer.body).toMatchObject({
      stored: 2,
      start: '2026-10-25T00:30:00.000Z',
      end: '2026-10-25T01:30:00.000Z',
    });
  });

  test('B112 older than the retention is refused naming the limit; older than the asset is not', async () => {
    const { inverter } = home.assets;
    const at = (timestamp: string) => home.send([{ asset: inverter.id, timestamp, power_kw: 1 }]);
    expect((await at('2025-11-01T11:05:00Z')).status).toBe(200);
    const answer = await at('2025-11-01T11:04:59.999999Z');
    expect(answer.body.errors).toEqual([
      {
        code: 'too_small',
        field: 'snapshots.0.timestamp',
        message: 'Before 2025-11-01T11:05:00.000Z: snapshots are kept for 13 months',
      },
    ]);
    /* The asset was made at the instant at which the clock stands. */
    expect((await at('2025-12-01T00:00:00Z')).status).toBe(200);
  });
});
