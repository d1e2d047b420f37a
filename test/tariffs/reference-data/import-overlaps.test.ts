import { beforeEach, describe, expect, test } from 'vitest';
import {
  type Files,
  feeLine,
  operatorLine,
  places,
  takeReferenceStore,
  vatLine,
  zipLine,
} from './reference-store.ts';

const store = await takeReferenceStore();

beforeEach(() =>
  store.reset({
    vat_rates: [vatLine('0.19', '2021-01-01')],
    grid_operators: ['alpha', 'beta', 'gamma'].map((operator) => operatorLine(operator)),
  }),
);

const refused = async (files: Files) => places(await store.import(files));

describe('two rows of one key are never valid on the same day', () => {
  test('within a file', async () => {
    const lines = [
      feeLine('alpha', '7.5', '2026-01-01', '2027-01-01'),
      feeLine('beta', '7.5', '2026-01-01', '2027-01-01'),
      feeLine('alpha', '7.5', '2026-12-31', '2028-01-01'),
      feeLine('beta', '7.5', '2027-01-01'),
      feeLine('beta', '7.5', '2030-01-01', '2031-01-01'),
    ];
    expect(await refused({ grid_fees: lines })).toEqual([
      'grid_fees.csv:4 valid_from "2026-12-31" overlaps line 2, 2026-01-01 to 2027-01-01',
      'grid_fees.csv:6 valid_from "2030-01-01" overlaps line 5, 2027-01-01 to open',
    ]);
  });

  test('the same row twice', async () => {
    const line = feeLine('alpha', '7.5', '2026-01-01');
    expect(await refused({ grid_fees: [line, line] })).toEqual([
      'grid_fees.csv:3 valid_from "2026-01-01" overlaps line 2, 2026-01-01 to open',
    ]);
  });

  test('against stored rows, unless the same file ends them', async () => {
    expect(await refused({ vat_rates: [vatLine('0.20', '2027-01-01')] })).toEqual([
      'vat_rates.csv:2 valid_from "2027-01-01" overlaps the stored row of 2021-01-01 to open: end that one in the same file',
    ]);
    const both = [vatLine('0.19', '2021-01-01', '2027-01-01'), vatLine('0.20', '2027-01-01')];
    expect(await store.import({ vat_rates: both })).toMatchObject({
      problems: [],
      tables: [{ inserted: 1, changed: 1, equal: 0 }],
    });
    expect(await store.rows('SELECT rate, valid_from::text FROM vat_rates ORDER BY valid_from')).toEqual([
      { rate: '0.19', valid_from: '2021-01-01' },
      { rate: '0.20', valid_from: '2027-01-01' },
    ]);
  });
});

describe('the shares of a zip sum to at most 1 on every day', () => {
  test('within a file', async () => {
    const lines = [
      zipLine('04109', 'alpha', '0.6', '2026-01-01', '2027-01-01'),
      zipLine('04109', 'beta', '0.4'),
      zipLine('04109', 'gamma', '0.6', '2026-06-01'),
      zipLine('04103', 'alpha', '0.7'),
      zipLine('04103', 'beta', '0.3'),
    ];
    expect(await refused({ zip_areas: lines })).toEqual([
      'zip_areas.csv:4 share "0.6" the shares of 04109 sum to 1.6 on 2026-06-01',
    ]);
    const line = zipLine('04109', 'gamma', '0.6', '2027-01-01');
    expect(places(await store.import({ zip_areas: lines.with(2, line) }))).toEqual([]);
  });

  test('with stored rows', async () => {
    await store.import({ zip_areas: [zipLine('04109', 'alpha', '0.9')] });
    expect(await refused({ zip_areas: [zipLine('04109', 'beta', '0.2')] })).toEqual([
      'zip_areas.csv:2 share "0.2" the shares of 04109 sum to 1.1 on 2026-01-01',
    ]);
  });
});
