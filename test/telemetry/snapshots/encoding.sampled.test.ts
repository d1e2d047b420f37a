import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { instantFromMicroseconds, instantMicroseconds } from '../../../src/platform/time/instant.ts';
import { type AssetRow, createAssetMap } from '../../../src/telemetry/snapshots/asset-map.ts';
import type { Batch } from '../../../src/telemetry/snapshots/batch.ts';
import { COPY_HEADER, COPY_TRAILER } from '../../../src/telemetry/snapshots/encode.ts';
import { mergeBatches } from '../../../src/telemetry/snapshots/merge.ts';
import { copySnapshots } from '../../../src/telemetry/snapshots/queries.ts';
import { timeLimits } from '../../../src/telemetry/snapshots/time-limits.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { runs } from '../../setup/tier.ts';
import { readBatch } from './both-readers.ts';

let database: TestDatabase;
let app: pg.Client;
let admin: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  app = new pg.Client({ connectionString: database.appUrl });
  admin = new pg.Client({ connectionString: database.adminUrl });
  await Promise.all([app.connect(), admin.connect()]);
});
afterAll(async () => {
  await app?.end();
  await admin?.end();
  await database?.drop();
});

/* Far enough in the future that every year a double counts in microseconds is in the past. */
const LIMITS = timeLimits(Date.UTC(2285, 0, 1), 0);

function netAsset(key: number, type: AssetRow['type'] = 'wallbox'): AssetRow {
  return {
    key,
    id: `ast_${key}`,
    external_id: null,
    type,
    max_power_kw: 900_000_000,
    peak_power_kw: null,
    max_charge_power_kw: null,
    max_discharge_power_kw: null,
    decommissioned_at: null,
  };
}

interface Row {
  asset: string;
  timestamp: string;
  power_kw?: number;
  connected?: boolean;
  vehicle_state_of_charge?: number;
}

function batchOf(rows: readonly Row[], keys: readonly number[]): Batch {
  const { batch, entries } = readBatch(rows, createAssetMap(keys.map((key) => netAsset(key))), LIMITS);
  if (batch === null) throw new Error(JSON.stringify(entries));
  return batch;
}

async function copy(bytes: Buffer): Promise<number> {
  const stored = await copySnapshots(app, bytes);
  await app.query('COMMIT');
  return stored;
}

const LARGEST = 999_999_999.999_999_9;

describe('what is encoded is what the database reads', () => {
  test('the extremes of every column', async () => {
    const keys = [1, 2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER];
    const instants = [
      '1715-01-01T00:00:00.000001Z',
      '1969-12-31T23:59:59.999999Z',
      '1999-12-31T23:59:59.999999Z',
      '2000-01-01T00:00:00Z',
      '2000-01-01T00:00:00.000001Z',
      '2284-12-31T23:59:59.999999Z',
    ];
    const powers = [LARGEST, -LARGEST, 5e-324, -5e-324, 0.1, 0, 1 / 3];
    const rows: Row[] = [];
    for (const key of keys) {
      for (const [index, timestamp] of instants.entries()) {
        rows.push({
          asset: `ast_${key}`,
          timestamp,
          power_kw: powers[(index + rows.length) % powers.length] ?? 0,
        });
      }
    }
    rows.push({
      asset: 'ast_1',
      timestamp: '2020-01-01T00:00:00Z',
      connected: false,
      vehicle_state_of_charge: 1,
    });
    rows.push({
      asset: 'ast_1',
      timestamp: '2020-01-01T00:00:01Z',
      connected: true,
      vehicle_state_of_charge: 5e-324,
    });
    expect(await copy(batchOf(rows, keys).encoded.buffer)).toBe(rows.length);

    const { rows: stored } = await admin.query<{ asset: string; at: string }>(
      `SELECT 'ast_' || asset_id AS asset, power_kw, connected, vehicle_state_of_charge,
              to_char(timestamp AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
         FROM asset_snapshots`,
    );
    const nameOf = (asset: string, at: string) => `${asset} ${instantMicroseconds(at)}`;
    const byName = new Map(stored.map(({ asset, at, ...values }) => [nameOf(asset, at), values]));
    expect(byName.size).toBe(rows.length);
    for (const { asset, timestamp, ...values } of rows) {
      expect(byName.get(nameOf(asset, timestamp))).toEqual({
        power_kw: null,
        connected: null,
        vehicle_state_of_charge: null,
        ...values,
      });
    }
  });

  test('random rows come back as they were sent', async () => {
    let key = 1_000_000;
    const value = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(
          fc.record({
            microseconds: fc.integer({ min: 700_000_000_000_000, max: 700_000_000_000_000 + 86_400_000_000 }),
            power_kw: value(fc.double({ min: -LARGEST, max: LARGEST, noNaN: true })),
            connected: fc.boolean(),
            vehicle_state_of_charge: value(fc.double({ min: 0, max: 1, noNaN: true })),
          }),
          { selector: (row) => row.microseconds, minLength: 1, maxLength: 40 },
        ),
        async (sent) => {
          key += 1;
          const rows = sent.map(({ microseconds, ...values }) => ({
            asset: `ast_${key}`,
            timestamp: instantFromMicroseconds(microseconds),
            ...(JSON.parse(JSON.stringify(values)) as Partial<Row>),
          }));
          expect(await copy(batchOf(rows, [key]).encoded.buffer)).toBe(rows.length);
          const { rows: stored } = await admin.query<{ microseconds: string }>(
            `SELECT (extract(epoch FROM timestamp - '2000-01-01T00:00:00Z') * 1000000)::bigint AS microseconds,
                    power_kw, connected, vehicle_state_of_charge
               FROM asset_snapshots WHERE asset_id = $1 ORDER BY timestamp`,
            [key],
          );
          const expected = sent
            .toSorted((a, b) => a.microseconds - b.microseconds)
            .map((row) => ({
              microseconds: String(row.microseconds),
              power_kw: row.power_kw === undefined ? null : row.power_kw + 0,
              connected: row.connected,
              vehicle_state_of_charge:
                row.vehicle_state_of_charge === undefined ? null : row.vehicle_state_of_charge + 0,
            }));
          expect(stored).toEqual(expected);
        },
      ),
      { numRuns: runs(10) },
    );
  });
});

describe('several batches in one stream', () => {
  const row = (key: number, second: number): Row => ({
    asset: `ast_${key}`,
    timestamp: instantFromMicroseconds(800_000_000_000_000 + second * 1_000_000),
    power_kw: key + second,
    ...(second % 3 === 0 ? { connected: true } : {}),
  });

  const mergedOf = (batches: readonly Batch[]) =>
    mergeBatches(batches.map((batch) => ({ batch, rest: batch.encoded })));

  test('are as if all rows had come in one batch, each line known by its batch; repeating ones are named', () => {
    const name = fc.record({ key: fc.integer({ min: 1, max: 4 }), second: fc.integer({ min: 0, max: 25 }) });
    const textOf = ({ key, second }: { key: number; second: number }) => `${key}/${second}`;
    const batchOfNames = (names: readonly { key: number; second: number }[]) =>
      batchOf(
        names.map(({ key, second }) => row(key, second)),
        [1, 2, 3, 4],
      );
    fc.assert(
      fc.property(
        fc.array(fc.uniqueArray(name, { selector: textOf, minLength: 1, maxLength: 20 }), {
          minLength: 1,
          maxLength: 5,
        }),
        (groups) => {
          const repeating = groups.flatMap((group, member) => {
            const before = new Set(groups.slice(0, member).flat().map(textOf));
            return group.some((sent) => before.has(textOf(sent))) ? [member] : [];
          });
          const first = mergedOf(groups.map(batchOfNames));
          if (!('buffer' in first)) expect([...first].toSorted()).toEqual(repeating);
          else expect(repeating).toEqual([]);
          const rest = groups.filter((_, member) => !repeating.includes(member));
          const merged = mergedOf(rest.map(batchOfNames));
          if (!('buffer' in merged)) throw new Error('What is left repeats nothing');
          const sorted = rest.flat().sort((a, b) => a.key - b.key || a.second - b.second);
          expect(merged.rows).toBe(sorted.length);
          expect(merged.buffer.equals(batchOfNames(sorted).encoded.buffer)).toBe(true);
          const members = sorted.map((sent) => rest.findIndex((group) => group.includes(sent)));
          expect(members.map((_, index) => merged.memberAt(index + 1))).toEqual(members);
          if (rest.length > 1)
            expect([merged.memberAt(0), merged.memberAt(sorted.length + 1)]).toEqual([null, null]);
        },
      ),
      { numRuns: runs(100) },
    );
  });

  test('begin with the header and end with the trailer of the format', () => {
    const merged = mergedOf([batchOf([row(1, 1)], [1]), batchOf([row(2, 1)], [2])]);
    if (!('buffer' in merged)) throw new Error('Nothing is repeated');
    expect(merged.buffer.subarray(0, COPY_HEADER.length)).toEqual(COPY_HEADER);
    expect(merged.buffer.subarray(-2)).toEqual(COPY_TRAILER);
  });
});
