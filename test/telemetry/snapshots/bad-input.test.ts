import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type BatchAnswer,
  entriesOf,
  instant,
  type SnapshotApi,
  type SnapshotHousehold,
  startSnapshotApi,
} from './snapshot-api.ts';

/* What no other route has; the rest of the codes: test/bad-input. */

let service: SnapshotApi;
let home: SnapshotHousehold;

beforeAll(async () => {
  service = await startSnapshotApi();
  home = await service.addHousehold();
});
afterAll(() => service?.close());

const post = (body: unknown) => service.client.post<BatchAnswer>('/asset-snapshots', body);

/** A body as text, with `value` in the place of the power. */
function withPower(value: string): string {
  const { id } = home.assets.household_net;
  return `{"household":"${home.household}","snapshots":[{"asset":"${id}","timestamp":"2026-12-01T06:00:00Z","power_kw":${value}}]}`;
}

function withExternalId(value: string): string {
  return `{"household":"${home.household}","snapshots":[{"external_id":${value},"timestamp":"2026-12-01T06:00:00Z","power_kw":1}]}`;
}

const good = () => ({ asset: home.assets.household_net.id, timestamp: instant(0), power_kw: 1 });

/** The answer is the envelope with these entries, and nothing was stored. */
async function expectRefused(body: unknown, entries: string[]): Promise<void> {
  const before = await home.count();
  const answer = await post(body);
  expect(entriesOf(answer)).toEqual(entries);
  expect(answer.status).toBe(400);
  expect(answer.body.code).toBe('BAD_REQUEST');
  expect(await home.count()).toBe(before);
}

describe('the frame of a batch', () => {
  test('B55 no rows', () =>
    expectRefused({ household: home.household, snapshots: [] }, ['too_small snapshots']));

  test('B53 10,001 rows are refused as a whole, without a word about any of them', () =>
    expectRefused({ household: home.household, snapshots: Array.from({ length: 10_001 }, () => 'bad') }, [
      'too_big snapshots',
    ]));

  test('rows are looked at even when the household is missing', () =>
    expectRefused(
      { snapshots: [good(), { ...good(), power_kw: 'x' }, { ...good(), timestamp: '2030-01-01T00:00:00Z' }] },
      ['invalid_type household', 'invalid_type snapshots.1.power_kw', 'too_big snapshots.2.timestamp'],
    ));
});

describe('texts', () => {
  test.each([
    ['B26 256 emoji', JSON.stringify('😀'.repeat(256)), 'too_big'],
    ['B62 5 MB', JSON.stringify('x'.repeat(5_000_000)), 'too_big'],
    ['B26 255 emoji, which name nothing', JSON.stringify('😀'.repeat(255)), 'custom'],
    ['B113 a quote and a comment, which name nothing', `"'; DROP TABLE assets; --"`, 'custom'],
    ['B113 the end of a text COPY, which names nothing', '"\\\\."', 'custom'],
  ])('%s in an external id', (_title, value, code) =>
    expectRefused(withExternalId(value), [`${code} snapshots.0.external_id`]),
  );

  test('B25 an external id is compared as it was sent: two normal forms are two ids', async () => {
    const composed = 'Wärme'.normalize('NFC');
    const decomposed = 'Wärme'.normalize('NFD');
    const create = (external_id: string) =>
      service.client.post('/assets', {
        household: home.household,
        type: 'inverter',
        external_id,
        inverter: { max_power_kw: 5 },
      });
    expect((await create(composed)).status).toBe(200);
    const send = (external_id: string) => home.send([{ external_id, timestamp: instant(0), power_kw: 1 }]);
    expect((await send(composed)).status).toBe(200);
    expect((await send(decomposed)).status).toBe(400);
    expect((await create(decomposed)).status).toBe(200);
    expect((await send(decomposed)).body).toMatchObject({ stored: 1 });
  });

  test('B113 an external id may hold anything else that can be written', async () => {
    for (const external_id of ['\\.', '\\N', `'; DROP TABLE x`, '=HYPERLINK("x")', '<script>', '"', 'a\\b']) {
      const created = await service.client.post('/assets', {
        household: home.household,
        type: 'inverter',
        external_id,
        inverter: { max_power_kw: 5 },
      });
      expect(created.status).toBe(200);
      const answer = await home.send([{ external_id, timestamp: instant(0), power_kw: 1 }]);
      expect(answer.body).toMatchObject({ stored: 1 });
    }
  });
});

describe('numbers', () => {
  test('B37 100 digits are too big', () =>
    expectRefused(withPower('9'.repeat(100)), ['too_big snapshots.0.power_kw']));

  test('B38 shares lie between 0 and 1, both included', async () => {
    const { battery, wallbox } = home.assets;
    const row = (second: number, state_of_charge: number) => ({
      asset: battery.id,
      timestamp: instant(second),
      state_of_charge,
    });
    await expectRefused(
      { household: home.household, snapshots: [row(0, -0.0001), row(1, 1.0001), row(2, -1)] },
      [
        'too_small snapshots.0.state_of_charge',
        'too_big snapshots.1.state_of_charge',
        'too_small snapshots.2.state_of_charge',
      ],
    );
    const answer = await home.send([
      row(10, 0),
      row(11, 1),
      { asset: wallbox.id, timestamp: instant(0), vehicle_state_of_charge: 0 },
    ]);
    expect(answer.body).toMatchObject({ stored: 3 });
  });

  test('B39 what is stored is the double that the digits stand for', async () => {
    expect((await post(withPower('0.1000000000000000055511151231257827'))).body).toMatchObject({ stored: 1 });
    expect((await post(withPower('0.1'))).body).toMatchObject({ stored: 0, duplicates: 1 });
    const { rows } = await service.admin.query<{ power_kw: number }>(
      'SELECT power_kw FROM asset_snapshots WHERE asset_id = $1 AND timestamp = $2',
      [home.assets.household_net.key, '2026-12-01T06:00:00Z'],
    );
    expect(rows).toEqual([{ power_kw: 0.1 }]);
  });
});
