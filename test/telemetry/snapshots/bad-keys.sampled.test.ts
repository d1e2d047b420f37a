import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runs } from '../../setup/tier.ts';
import {
  type BatchAnswer,
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

const post = (body: unknown) => service.client.post<BatchAnswer>('/asset-snapshots', body);

/** A body as text, with `value` in the place of the power. */
function withPower(value: string, more = ''): string {
  const { id } = home.assets.household_net;
  return `{"household":"${home.household}","snapshots":[{"asset":"${id}","timestamp":"2026-12-01T06:00:00Z","power_kw":${value}${more}}]}`;
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

describe('keys', () => {
  test('B41 B42 of a key that is written twice the last one counts', async () => {
    const at = (value: string) => withPower(value).replace('T06:00:00Z', 'T06:00:01Z');
    expect((await post(at('"x","power_kw":3'))).body).toMatchObject({ stored: 1 });
    expect((await post(at('3,"power_kw":3'))).body).toMatchObject({ duplicates: 1 });
    expect((await post(at('3,"power_kw":"x"'))).status).toBe(400);
  });

  test.each([
    ['B44 __proto__ in a row', ',"__proto__":{"x":1}'],
    ['B45 an escaped __proto__ in a row', ',"\\u005f_proto__":{"x":1}'],
  ])('%s', (_title, more) => expectRefused(withPower('1', more), ['custom ']));

  test('B47 names of the object prototype name no asset', () =>
    expectRefused(
      {
        household: home.household,
        snapshots: [
          { ...good(), asset: '__proto__' },
          { ...good(), asset: 'constructor' },
        ],
      },
      ['custom snapshots.0.asset', 'custom snapshots.1.asset'],
    ));

  test('B56 one entry per unknown key, at the key', () =>
    expectRefused({ household: home.household, snapshots: [good(), { ...good(), soc: 1, Power_kw: 2 }] }, [
      'unrecognized_keys snapshots.1.soc',
      'unrecognized_keys snapshots.1.Power_kw',
    ]));

  test('B59 a field of another type of asset is an unknown key, and the message says whose it is', async () => {
    const row = { asset: home.assets.solar.id, timestamp: instant(0), power_kw: -1, state_of_charge: 0.5 };
    const answer = await post({ household: home.household, snapshots: [{ ...row, connected: true }] });
    expect(answer.body.errors).toEqual([
      {
        code: 'unrecognized_keys',
        field: 'snapshots.0.state_of_charge',
        message: 'state_of_charge belongs to type battery, and the asset is of type solar',
      },
      {
        code: 'unrecognized_keys',
        field: 'snapshots.0.connected',
        message: 'connected belongs to type wallbox, and the asset is of type solar',
      },
    ]);
  });

  test('a row that names no asset is told both ways to name one', async () => {
    const { asset: _, ...row } = good();
    const answer = await post({ household: home.household, snapshots: [row] });
    expect(answer.body.errors).toEqual([
      {
        code: 'invalid_type',
        field: 'snapshots.0.asset',
        message: 'Required: asset or external_id has to name the asset',
      },
    ]);
  });

  test('B51 of a row of 150,000 unknown keys the first are named and the others counted', async () => {
    const keys = Array.from({ length: 150_000 }, (_, index) => `"k${index}":1`).join(',');
    const answer = await post(`{"household":"x","snapshots":[{${keys}}]}`);
    expect(answer.status).toBe(400);
    expect(entriesOf(answer)).toEqual([
      'invalid_type snapshots.0.asset',
      'invalid_type snapshots.0.timestamp',
      ...Array.from({ length: 8 }, (_, index) => `unrecognized_keys snapshots.0.k${index}`),
      'unrecognized_keys snapshots.0',
      'custom snapshots.0',
    ]);
    expect(answer.body.errors?.at(-2)?.message).toBe('149992 more unrecognized keys');
  });
});

test('B58 10,000 bad rows have at least 10,000 entries, in their order', async () => {
  const snapshots = Array.from({ length: 10_000 }, (_, index) => ({
    ...good(),
    timestamp: instant(index),
    soc: 1,
  }));
  const before = await home.count();
  const answer = await home.send(snapshots);
  expect(answer.status).toBe(400);
  expect(entriesOf(answer)).toEqual(snapshots.map((_, index) => `unrecognized_keys snapshots.${index}.soc`));
  expect(await home.count()).toBe(before);
});

test('a refused batch changes nothing: as many rows after it as before', async () => {
  const { assets } = home;
  const names = [...Object.values(assets).map((asset) => asset.id), 'nobody'];
  const row = fc.record(
    {
      asset: fc.constantFrom(...names),
      timestamp: fc.oneof(
        fc.integer({ min: 0, max: 30 }).map((second) => instant(second)),
        fc.constantFrom('2030-01-01T00:00:00Z', 'x'),
      ),
      power_kw: fc.oneof(fc.constantFrom(-1, 0, 1, 100), fc.string()),
      state_of_charge: fc.constantFrom(0, 0.5, 2),
      connected: fc.boolean(),
      soc: fc.boolean(),
    },
    { requiredKeys: ['asset', 'timestamp'] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 12 }), async (rows) => {
      const before = await home.count();
      const answer = await home.send(rows);
      const after = await home.count();
      if (answer.status === 200) expect(after - before).toBe(answer.body.stored);
      else {
        expect(answer.status).toBe(400);
        expect(answer.body.errors?.length).toBeGreaterThan(0);
        expect(after).toBe(before);
      }
    }),
    { numRuns: runs(40) },
  );
});
