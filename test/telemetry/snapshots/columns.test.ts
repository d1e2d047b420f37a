import { expect, test } from 'vitest';
import { parseJson } from '../../../src/platform/body/json.ts';
import { JsonText } from '../../../src/platform/body/json-text.ts';
import { type Columns, lendColumns } from '../../../src/telemetry/snapshots/columns.ts';
import { assetMap, LIMITS } from './asset-maps.ts';
import { readBatch } from './both-readers.ts';

const row = { asset: 'ast_household_net', timestamp: '2026-05-01T00:00:00Z', power_kw: 1 };

test('whoever awaits while the columns are lent gets an error, and what is held on to is never lent again', async () => {
  let kept: Columns | undefined;
  const gate = Promise.withResolvers<void>();
  const late = async (columns: Columns) => {
    kept = columns;
    await gate.promise;
    columns.length = 7;
  };
  expect(() => lendColumns(late)).toThrow('nothing may be awaited');
  gate.resolve();
  await gate.promise;
  lendColumns((columns) => {
    expect(columns).not.toBe(kept);
    expect(columns.length).toBe(0);
  });
});

test('nobody gets the columns while somebody has them', () => {
  expect(() => lendColumns(() => lendColumns(() => 1))).toThrow('are lent');
  /* Parsed rows are read in pieces, beside other batches: into columns of their own. */
  expect(lendColumns(() => readBatch([row], assetMap(), LIMITS)).batch?.total).toBe(1);
});

test('the columns come back empty, also behind an error', () => {
  const failing = (columns: Columns) => {
    columns.length = 3;
    throw new Error('in the middle');
  };
  expect(() => lendColumns(failing)).toThrow('in the middle');
  expect(lendColumns(({ length }) => length)).toBe(0);
});

test('the bytes of a batch that was recycled, and of a body that was parsed, are no longer there', () => {
  const { batch } = readBatch([row], assetMap(), LIMITS);
  expect(batch?.encoded.buffer.length).toBeGreaterThan(50);
  batch?.encoded.recycle();
  expect(() => batch?.encoded.buffer).toThrow('given back');

  const json = new JsonText(Buffer.from(JSON.stringify(row)));
  expect(parseJson(json.bytes)).toEqual(row);
  expect(json.parse()).toEqual(row);
  expect(() => json.bytes).toThrow('given back');
});
