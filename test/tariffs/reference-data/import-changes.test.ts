import { beforeEach, describe, expect, test } from 'vitest';
import { keepBilledRows } from '../../../src/tariffs/reference-data/keep-billed-rows.ts';
import {
  feeLine,
  NOW,
  operatorLine,
  places,
  takeReferenceStore,
  vatLine,
  zipLine,
} from './reference-store.ts';

const store = await takeReferenceStore();

const LATER = '2026-11-22T10:00:00.000Z';
const FEE = feeLine('alpha', '7.50', '2026-01-01', '2027-01-01');

beforeEach(() =>
  store.reset({
    vat_rates: [vatLine('0.19', '2021-01-01')],
    grid_operators: [operatorLine('alpha'), operatorLine('beta')],
    grid_fees: [FEE, feeLine('beta', '6.00', '2026-01-01', '2027-01-01')],
    zip_areas: [zipLine('04109', 'alpha')],
  }),
);

const history = () =>
  store.rows<{ reference_table: string; change: string; old_row: object; changed_at: Date }>(
    'SELECT reference_table, change, old_row, changed_at FROM reference_history ORDER BY id',
  );

test('equal rows change nothing, however their numbers are written', async () => {
  const same = FEE.replace('75.00', '75').replace('7.50', '7.500');
  expect(await store.import({ grid_fees: [same] })).toMatchObject({
    tables: [{ rows: 1, inserted: 0, changed: 0, equal: 1 }],
  });
  expect(await history()).toEqual([]);
  expect(await store.rows("SELECT working_ct_net FROM grid_fees WHERE operator = 'alpha'")).toEqual([
    { working_ct_net: '7.50' },
  ]);
});

test('a changed row is updated, and the old one kept with the time of the change', async () => {
  const changed = feeLine('alpha', '7.77', '2026-01-01', '2027-01-01');
  const report = await store.import({ grid_fees: [changed] }, {}, LATER);
  expect(report).toMatchObject({ problems: [], tables: [{ inserted: 0, changed: 1, equal: 0 }] });
  expect(await store.rows("SELECT working_ct_net FROM grid_fees WHERE operator = 'alpha'")).toEqual([
    { working_ct_net: '7.77' },
  ]);
  expect(await history()).toEqual([
    {
      reference_table: 'grid_fees',
      change: 'changed',
      old_row: expect.objectContaining({ operator: 'alpha', working_ct_net: 7.5, valid_to: '2027-01-01' }),
      changed_at: new Date(LATER),
    },
  ]);
});

test('a cell that becomes empty, or ceases to be, is a change', async () => {
  const line = FEE.replace('75.00,7.50,,', '75.00,7.50,123.48,');
  await store.import({ grid_fees: [line] });
  expect(await store.rows("SELECT module_1_eur_year_net FROM grid_fees WHERE operator = 'alpha'")).toEqual([
    { module_1_eur_year_net: '123.48' },
  ]);
  await store.import({ grid_fees: [FEE] });
  expect(await store.rows("SELECT module_1_eur_year_net FROM grid_fees WHERE operator = 'alpha'")).toEqual([
    { module_1_eur_year_net: null },
  ]);
  expect(await history()).toHaveLength(2);
});

test('a new year is new rows and nothing else', async () => {
  const report = await store.import({
    grid_fees: [FEE, feeLine('alpha', '8.00', '2027-01-01', '2028-01-01')],
  });
  expect(report).toMatchObject({ problems: [], tables: [{ inserted: 1, changed: 0, equal: 1 }] });
  expect(await history()).toEqual([]);
});

describe('stored rows that the file does not have', () => {
  test('stay and are listed', async () => {
    const report = await store.import({ grid_fees: [FEE] });
    expect(report.tables[0]).toMatchObject({ missing: ['beta from 2026-01-01'], removed: [] });
    expect(await store.rows('SELECT FROM grid_fees')).toHaveLength(2);
  });

  test('go with --prune, and are kept in the history', async () => {
    const report = await store.import({ grid_fees: [FEE] }, { prune: true }, LATER);
    expect(report.tables[0]).toMatchObject({ missing: [], removed: ['beta from 2026-01-01'] });
    expect(await store.rows('SELECT operator FROM grid_fees')).toEqual([{ operator: 'alpha' }]);
    expect(await history()).toEqual([
      expect.objectContaining({
        reference_table: 'grid_fees',
        change: 'removed',
        changed_at: new Date(LATER),
      }),
    ]);
  });

  test('stay in spite of it where bills were made of them', async () => {
    const billed = { table: 'grid_fees', key: 'beta', validFrom: '2026-01-01' };
    const other = { table: 'levies', key: 'alpha', validFrom: '2026-01-01' };
    await store.asService((connection) => keepBilledRows(connection, [billed, billed, other]));
    await store.asService((connection) => keepBilledRows(connection, [billed]));
    const report = await store.import({ grid_fees: [FEE] }, { prune: true }, LATER);
    expect(report.tables[0]).toMatchObject({ missing: ['beta from 2026-01-01'], removed: [] });
    expect(await store.rows('SELECT operator FROM grid_fees ORDER BY 1')).toEqual([
      { operator: 'alpha' },
      { operator: 'beta' },
    ]);
    await store.rows('TRUNCATE billed_reference_rows');
  });

  test('of a load profile stay with --prune as soon as there are bills, but for those of days to come', async () => {
    const line = (quarter: number, from: string, until = '') =>
      `h25,1,WT,${quarter},20.126,${from},${until},tests,`;
    const kept = line(0, '2025-01-01');
    const profile = [kept, line(1, '2025-01-01'), line(2, '2026-11-21'), line(3, '2026-11-22')];
    const prune = async () => {
      const report = await store.import(
        { load_profiles: [kept] },
        { prune: true },
        '2026-11-21T22:59:59.000Z',
      );
      return report.tables[0]?.removed;
    };
    await store.import({ load_profiles: profile });
    const billed = { table: 'levies', key: 'kwkg', validFrom: '2026-01-01' };
    await store.asService((connection) => keepBilledRows(connection, [billed]));
    expect(await prune()).toEqual(['h25 1 WT 3 from 2026-11-22']);
    await store.rows('TRUNCATE billed_reference_rows');
    expect(await prune()).toEqual(['h25 1 WT 1 from 2025-01-01', 'h25 1 WT 2 from 2026-11-21']);
  });

  test('of tables without a file are no concern of it', async () => {
    await store.import({ grid_fees: [FEE] }, { prune: true });
    expect(await store.rows('SELECT FROM zip_areas')).toHaveLength(1);
  });

  test('make room for others when they are pruned', async () => {
    const wider = feeLine('alpha', '7.50', '2025-07-01', '2026-07-01');
    expect(places(await store.import({ grid_fees: [wider] }))).toHaveLength(1);
    expect(places(await store.import({ grid_fees: [wider] }, { prune: true }))).toEqual([]);
    expect(await store.rows('SELECT valid_from::text FROM grid_fees')).toEqual([
      { valid_from: '2025-07-01' },
    ]);
  });

  test('stay in spite of it where rows of another table name them', async () => {
    const report = await store.import({ grid_operators: [operatorLine('beta')] }, { prune: true });
    expect(places(report)).toEqual([
      'grid_operators.csv:1 operator "alpha" cannot be removed: rows of grid_fees name it',
      'grid_operators.csv:1 operator "alpha" cannot be removed: rows of zip_areas name it',
    ]);
    expect(await store.rows('SELECT FROM grid_operators')).toHaveLength(2);
    const files = {
      grid_operators: [operatorLine('beta')],
      grid_fees: [feeLine('beta', '6.00', '2026-01-01', '2027-01-01')],
      zip_areas: [zipLine('04109', 'beta')],
    };
    expect(places(await store.import(files, { prune: true }))).toEqual([]);
    expect(await store.rows('SELECT operator FROM zip_areas')).toEqual([{ operator: 'beta' }]);
  });
});

test('a dry run says what would happen and stores nothing', async () => {
  const files = {
    grid_fees: [feeLine('alpha', '9.99', '2026-01-01'), feeLine('beta', '1', '2020-01-01', '2021-01-01')],
  };
  const report = await store.import(files, { dryRun: true, prune: true });
  expect(report.tables[0]).toMatchObject({ inserted: 1, changed: 1, removed: ['beta from 2026-01-01'] });
  expect(await store.rows('SELECT FROM grid_fees')).toHaveLength(2);
  expect(await store.rows('SELECT FROM grid_fees WHERE working_ct_net = 9.99')).toEqual([]);
  expect(await history()).toEqual([]);
});

test('one bad line of 1,000 stores nothing of any file and is named', async () => {
  const lines = Array.from({ length: 1_000 }, (_, index) => zipLine(String(10_000 + index), 'gamma'));
  lines[617] = zipLine('10617', 'gamma', '1.5');
  const files = { grid_operators: [operatorLine('gamma')], zip_areas: lines };
  expect(places(await store.import(files))).toEqual([
    'zip_areas.csv:619 share "1.5" must be above 0 and at most 1',
  ]);
  expect(await store.rows('SELECT FROM zip_areas')).toHaveLength(1);
  expect(await store.rows('SELECT FROM grid_operators')).toHaveLength(2);
  lines[617] = zipLine('10617', 'gamma');
  expect(places(await store.import({ ...files, zip_areas: lines }))).toEqual([]);
  expect(await store.rows('SELECT FROM zip_areas')).toHaveLength(1_001);
});

test('every error of every file is named at once, in the order of the files', async () => {
  const report = await store.import({
    vat_rates: [vatLine('x', '2027-01-01')],
    grid_operators: [operatorLine('gamma', '2026-01-01', '2026-01-01')],
    grid_fees: ['alpha,-1,y,,,maybe,2026-05-01,,,', feeLine('delta', '1', '2026-01-01')],
    zip_areas: [zipLine('1', 'alpha')],
  });
  expect(places(report)).toEqual([
    'vat_rates.csv:2 rate "x" must be a decimal number such as 12.34',
    expect.stringContaining('vat_rates.csv:2 valid_from "2027-01-01" overlaps the stored row'),
    'grid_operators.csv:2 valid_to "2026-01-01" must be after valid_from, 2026-01-01',
    'grid_fees.csv:2 base_eur_year_net "-1" must not be negative',
    'grid_fees.csv:2 working_ct_net "y" must be a decimal number such as 12.34',
    'grid_fees.csv:2 provisional "maybe" must be yes or no',
    'grid_fees.csv:2 source "" must not be empty',
    expect.stringContaining('grid_fees.csv:2 valid_from "2026-05-01" overlaps the stored row'),
    'grid_fees.csv:3 operator "delta" is unknown: grid_operators has no such operator',
    'zip_areas.csv:2 zip "1" must be five digits',
  ]);
});

test('an import of named tables leaves the other files of the folder alone', async () => {
  const folder = await store.folderOf({ vat_rates: ['broken'], grid_fees: [FEE] });
  expect(await store.import(folder, { tables: ['grid_fees'] })).toMatchObject({
    problems: [],
    tables: [{ table: 'grid_fees', equal: 1 }],
  });
});

test('who imported is in the audit log', async () => {
  const lines = await store.rows(
    "SELECT staff, reason, route, result FROM audit_log WHERE act = 'reference_data.import' ORDER BY id DESC LIMIT 1",
  );
  expect(lines).toEqual([{ staff: 'tests', reason: 'test', route: 'tariffs import', result: 'done' }]);
  expect(NOW < LATER).toBe(true);
});

test('another share changes days of bills only where another operator serves by it', async () => {
  const rows = [
    ...[zipLine('10115', 'alpha', '0.6'), zipLine('10115', 'beta', '0.4')],
    ...[zipLine('10117', 'alpha', '0.6'), zipLine('10117', 'beta', '0.4')],
    zipLine('10119', 'alpha', '0.6'),
  ];
  const others = {
    grid_operators: [operatorLine('alpha'), operatorLine('beta')],
    grid_fees: [feeLine('alpha', '7.50', '2026-01-01'), feeLine('beta', '7.50', '2026-01-01')],
  };
  await store.reset({ ...others, zip_areas: rows });
  await store.rows('DELETE FROM reference_changes');
  await store.import({
    zip_areas: [
      ...[zipLine('10115', 'alpha', '0.55'), zipLine('10115', 'beta', '0.45')],
      ...[zipLine('10117', 'alpha', '0.6', '2026-01-01', '2026-07-01')],
      ...[zipLine('10117', 'alpha', '0.3', '2026-07-01'), zipLine('10117', 'beta', '0.7', '2026-07-01')],
      ...[zipLine('10117', 'beta', '0.4', '2026-01-01', '2026-07-01')],
      ...[zipLine('10119', 'alpha', '0.6'), zipLine('10119', 'beta', '0.2', '2026-03-01')],
      zipLine('10179', 'alpha'),
    ],
  });
  expect(await store.rows('SELECT key, first_day::text, end_day::text FROM reference_changes')).toEqual([
    { key: '10117', first_day: '2026-07-01', end_day: null },
  ]);
});
