import { describe, expect, test } from 'vitest';
import {
  beginOfBatch,
  compareHousehold,
  type Findings,
  type Fleet,
  firstBatchFrom,
  ledgerBatch,
  type Outcome,
  type StoredRow,
} from '../../load/measure/ledger.ts';

const FLEET: Fleet = {
  households: [
    { household: 'dom_a', assets: [11, 12, 13].map((key) => ({ id: `ast_${key}`, key })) },
    { household: 'dom_b', assets: [21, 22, 23].map((key) => ({ id: `ast_${key}`, key })) },
  ],
  beginMilliseconds: Date.UTC(2026, 10, 1),
};

/** A batch as the database tells its rows. */
const rowsOf = (number: number): StoredRow[] =>
  ledgerBatch(FLEET, number).snapshots.map(({ asset, timestamp, power_kw }) => ({
    key: asset.slice(4),
    milliseconds: String(Date.parse(timestamp)),
    power_kw,
  }));

/** What is said of the first household, whose batches are the even ones. */
function compared(ledger: Record<number, Outcome[]>, rows: readonly StoredRow[]): Findings {
  const findings: Findings = {
    ...{ lost: [], partial: [], storedThoughRefused: [] },
    ...{ strangers: 0, acknowledged: 0, unknown: 0, rows: 0 },
  };
  const entries = Object.entries(ledger).map(
    ([number, outcomes]) => [Number(number), new Set<Outcome>(['invoke', ...outcomes])] as const,
  );
  compareHousehold(FLEET, 0, new Map(entries), rows, findings);
  return findings;
}

const NOTHING = { lost: [], partial: [], storedThoughRefused: [], strangers: 0 };

describe('the ledger', () => {
  test('finds nothing where acknowledged batches are whole, and others whole or absent', () => {
    const ledger: Record<number, Outcome[]> = {
      0: ['ok'],
      2: ['unknown'],
      4: ['unknown'],
      6: ['unknown', 'ok'],
      8: ['fail'],
    };
    const stored = [0, 2, 6].flatMap(rowsOf);
    expect(compared(ledger, stored)).toEqual({
      ...NOTHING,
      acknowledged: 2,
      unknown: 3,
      rows: stored.length,
    });
  });

  test('leaves the batches of other households to them', () => {
    expect(compared({ 1: ['ok'] }, [])).toEqual({ ...NOTHING, acknowledged: 0, unknown: 0, rows: 0 });
  });

  test('sees an acknowledged batch that is not stored', () => {
    expect(compared({ 0: ['ok'], 2: ['ok'] }, rowsOf(2))).toMatchObject({ ...NOTHING, lost: [0] });
  });

  test('sees a batch of which one row is missing, whatever was answered', () => {
    expect(compared({ 2: ['ok'] }, rowsOf(2).slice(1))).toMatchObject({ lost: [2], partial: [2] });
    expect(compared({ 2: ['unknown'] }, rowsOf(2).slice(0, -1))).toMatchObject({ lost: [], partial: [2] });
  });

  test('sees one value that is stored otherwise than sent, and a row at another instant', () => {
    const [first, ...rest] = rowsOf(2) as [StoredRow, ...StoredRow[]];
    expect(compared({ 2: ['ok'] }, [{ ...first, power_kw: first.power_kw + 0.001 }, ...rest])).toMatchObject({
      lost: [2],
      partial: [2],
    });
    const moved = { ...first, milliseconds: String(Number(first.milliseconds) + 1300) };
    expect(compared({ 2: ['ok'] }, [moved, ...rest])).toMatchObject({ lost: [2] });
  });

  test('sees a refused batch that is stored, and rows of no batch', () => {
    expect(compared({ 2: ['fail'] }, rowsOf(2))).toMatchObject({ ...NOTHING, storedThoughRefused: [2] });
    expect(compared({}, rowsOf(2))).toMatchObject({ ...NOTHING, strangers: rowsOf(2).length });
  });
});

describe('batches of the ledger', () => {
  test('of one household have no instant of an asset in common', () => {
    const seen = new Set<string>();
    let rows = 0;
    for (let number = 0; number < 200; number += 2) {
      for (const { key, milliseconds } of rowsOf(number)) seen.add(`${key} ${milliseconds}`);
      rows += rowsOf(number).length;
    }
    expect(seen.size).toBe(rows);
  });

  test('can be begun at an instant', () => {
    const number = firstBatchFrom(FLEET, FLEET.beginMilliseconds + 10_000);
    expect(beginOfBatch(FLEET, number)).toBeGreaterThanOrEqual(FLEET.beginMilliseconds + 10_000);
    expect(beginOfBatch(FLEET, number - 1)).toBeLessThan(FLEET.beginMilliseconds + 10_000);
    expect(firstBatchFrom(FLEET, 0)).toBe(0);
  });
});
