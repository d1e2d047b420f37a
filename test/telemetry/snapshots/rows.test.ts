import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assetMap, LIMITS } from './asset-maps.ts';
import { readBatch } from './both-readers.ts';

const map = assetMap();

describe('a whole batch', () => {
  const rowAt = (second: number, power_kw: number, asset = 'ast_household_net') => ({
    asset,
    timestamp: new Date(Date.UTC(2026, 4, 1) + second * 1000).toISOString(),
    power_kw,
  });

  test('whatever the order, the same rows give the same bytes', () => {
    const rows = Array.from({ length: 200 }, (_, index) =>
      rowAt(
        index % 50,
        index,
        ['ast_household_net', 'my x', 'ast_household_residual', 'ast_household_net'][index % 4],
      ),
    ).filter((row) => row.asset !== 'my x');
    const distinct = [...new Map(rows.map((row) => [`${row.asset}${row.timestamp}`, row])).values()];
    const expected = readBatch(distinct, map, LIMITS).batch?.encoded.buffer;
    expect(expected).toBeDefined();
    fc.assert(
      fc.property(fc.shuffledSubarray(distinct, { minLength: distinct.length }), (shuffled) => {
        const { batch, entries } = readBatch(shuffled, map, LIMITS);
        expect(entries).toEqual([]);
        expect(batch?.encoded.buffer.equals(expected as Buffer)).toBe(true);
        /* Each encoded row knows where it stood in the request. */
        const sorted = Array.from(batch?.positions ?? [], (position) => shuffled[position]);
        const orderOf = (row: (typeof shuffled)[number] | undefined) => `${row?.asset}${row?.timestamp}`;
        expect(sorted.map(orderOf)).toEqual(sorted.map(orderOf).toSorted());
      }),
      { numRuns: 50 },
    );
  });

  test('repetitions count once and differences are found whatever stands between them', () => {
    const outcome = readBatch(
      [rowAt(5, 1), rowAt(4, 2), rowAt(5, 1), rowAt(3, 1), rowAt(4, 3), rowAt(4, 2)],
      map,
      LIMITS,
    );
    expect(outcome.entries).toEqual([
      {
        code: 'custom',
        field: 'snapshots.4.power_kw',
        message: '3 differs from 2 sent for the same asset and timestamp',
      },
    ]);
    const good = readBatch([rowAt(5, 1), rowAt(4, 2), rowAt(5, 1), rowAt(3, 1)], map, LIMITS).batch;
    expect(good).toMatchObject({ total: 4, encoded: { rows: 3 }, repetitions: [{ row: 2, kept: 0 }] });
  });

  test('a field that is present in one row and absent in the other is a difference', () => {
    const { timestamp } = rowAt(1, 0);
    const rows = [
      { asset: 'ast_wallbox', timestamp, connected: true },
      { asset: 'ast_wallbox', timestamp, connected: true, vehicle_state_of_charge: 0.5 },
      { external_id: 'my wallbox', timestamp, power_kw: 0 },
    ];
    expect(readBatch(rows, map, LIMITS).entries.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'snapshots.1.vehicle_state_of_charge: 0.5 differs from none sent for the same asset and timestamp',
      'snapshots.2.power_kw: 0 differs from none sent for the same asset and timestamp',
    ]);
  });

  test('a row that breaks another rule may contradict too, and a row of wrong shape takes no part', () => {
    const { timestamp } = rowAt(1, 0);
    const rows = [
      { asset: 'ast_inverter', timestamp, power_kw: 1 },
      { asset: 'ast_inverter', timestamp, power_kw: 99 },
      { asset: 'ast_inverter', timestamp, power_kw: 98, soc: 1 },
    ];
    expect(readBatch(rows, map, LIMITS).entries.map(({ code, field }) => `${code} ${field}`)).toEqual([
      'too_big snapshots.1.power_kw',
      'custom snapshots.1.power_kw',
      'unrecognized_keys snapshots.2.soc',
    ]);
  });
});
