import { expect, test } from 'vitest';
import { checkReferenceData } from '../../../src/tariffs/reference-data/check.ts';
import { importFirstReferenceData } from '../../../src/tariffs/reference-data/files/import.ts';
import { readReferenceFiles } from '../../../src/tariffs/reference-data/files/read-files.ts';
import { gridFigures, loadProfile, vatRate } from '../../../src/tariffs/reference-data/service.ts';
import { NOW, referenceFolder, silent, takeReferenceStore } from './reference-store.ts';

const store = await takeReferenceStore();
const act = { staff: 'tests', reason: 'test', command: 'start', now: NOW };

test('the files of the project are taken in without a problem or a warning, on the first start only', async () => {
  const report = await importFirstReferenceData(store.database, referenceFolder, act);
  expect(report).toMatchObject({ problems: [], warnings: [] });
  expect(report?.tables.map(({ table, inserted }) => [table, inserted])).toEqual([
    ['vat_rates', 1],
    ['levies', 7],
    ['concession_fees', 6],
    ['metering_fees', 12],
    ['eeg_rates', 42],
    ['market_values', 2],
    ['benchmarks', 1],
    ['savings_parameters', 9],
    ['usage_groups', 4],
    ['grid_operators', 48],
    ['grid_fees', 43],
    ['grid_fee_schedules', 37],
    ['zip_areas', 121],
    ['load_profiles', 3456],
  ]);
  expect(await importFirstReferenceData(store.database, referenceFolder, act)).toBeNull();
});

test('taking them in a second time changes nothing', async () => {
  const report = await store.import(referenceFolder);
  expect(report.problems).toEqual([]);
  for (const table of report.tables) {
    expect(table).toMatchObject({ inserted: 0, changed: 0, equal: table.rows, missing: [], removed: [] });
  }
  expect(await store.rows('SELECT * FROM reference_history')).toEqual([]);
  const results = await store.rows<{ result: string }>(
    "SELECT result FROM audit_log WHERE act = 'reference_data.import' ORDER BY id",
  );
  expect(results.map(({ result }) => result)).toEqual(['done', 'unchanged']);
});

test('leading zeros of zips survive', async () => {
  expect(await store.rows('SELECT zip FROM zip_areas ORDER BY zip LIMIT 2')).toEqual([
    { zip: '04103' },
    { zip: '04105' },
  ]);
});

test('in 2026 only grid fees of six operators are missing, nothing is carried forward; stand-ins are named', async () => {
  const findings = await store.asService((connection) => checkReferenceData(connection, '2026-11-21'));
  const missing = findings.filter(({ state }) => state === 'missing');
  expect(missing.map(({ table, key }) => `${table} ${key}`)).toEqual([
    'grid_fees creos-deutschland',
    'grid_fees fairnetz',
    'grid_fees leinenetz',
    'grid_fees leitungspartner',
    'grid_fees naturenergie-netze',
    'grid_fees stadtwerke-ingolstadt-netze',
  ]);
  expect(findings.filter(({ state }) => state === 'carried_forward')).toEqual([]);
  const provisional = findings.filter(({ state }) => state === 'provisional').map(({ key }) => key);
  expect(provisional).toEqual([
    'bonn-netz',
    'dortmunder-netz',
    'eam-netz',
    'lsw-netz',
    'mvv-netze',
    'netz-leipzig',
    'netzgesellschaft-duesseldorf',
    'nordnetz',
    'nrm-rhein-main',
    'stadtnetze-muenster',
    'westfalen-weser-netz',
  ]);
  const unchecked = findings.filter(({ state, table }) => state === 'unchecked' && table === 'grid_fees');
  expect(unchecked).toHaveLength(36);
});

test('with the new year what ended is carried forward until newer rows are there', async () => {
  const findings = await store.asService((connection) => checkReferenceData(connection, '2027-01-01'));
  const carried = findings.filter(({ state }) => state === 'carried_forward');
  const counts = (of: typeof findings) =>
    Object.fromEntries(
      [...Map.groupBy(of, ({ table }) => table)].map(([table, { length }]) => [table, length]),
    );
  const ended = { levies: 3, market_values: 1, benchmarks: 1, grid_fees: 42, grid_fee_schedules: 37 };
  expect(counts(carried)).toEqual(ended);
  expect(carried.find(({ table }) => table === 'grid_fees')).toEqual({
    state: 'carried_forward',
    table: 'grid_fees',
    key: 'allgaeunetz',
    is_used: true,
    rows: 1,
    ended_on: '2027-01-01',
  });
  const later = await store.asService((connection) => checkReferenceData(connection, '2028-01-03'));
  expect(counts(later.filter(({ state }) => state === 'missing'))).toEqual({ ...ended, grid_fees: 48 });
});

test('a served zip has an operator, another one has none', async () => {
  const found = await store.asService((connection) => gridFigures(connection, '45127', '2026-11-21', silent));
  expect(found).toMatchObject({
    operator: 'westnetz',
    name: 'Westnetz',
    basePriceYear: { value: '80.30', unit: 'EUR/year net' },
    workingPrice: { value: '9.53', unit: 'ct/kWh net' },
    module1CreditYear: { value: '138.70', unit: 'EUR/year net' },
    module2Price: { value: '3.81', unit: 'ct/kWh net' },
    concessionFee: { value: '2.39', unit: 'ct/kWh net', origin: { table: 'concession_fees', key: 'T4' } },
    schedule: {
      low: '0.95',
      standard: '9.53',
      high: '15.65',
      quarters: [1, 2, 3, 4],
      lowWindows: [{ fromMinute: 0, untilMinute: 420 }],
      highWindows: [{ fromMinute: 900, untilMinute: 1200 }],
      weights: { low: '0.1910', standard: '0.5402', high: '0.2688' },
      shareOfYear: '1',
      origin: { table: 'grid_fee_schedules', key: 'westnetz', is_carried_forward: false },
    },
    carriedForward: [],
  });
  expect(
    await store.asService((connection) => gridFigures(connection, '47051', '2026-11-21', silent)),
  ).toBeUndefined();
  expect(await store.asService((connection) => vatRate(connection, '2026-11-21'))).toBe('0.19');
});

/*
 * BDEW: the year's energy of H25 splits over the quarters of 2026 in these shares, once each day is corrected by its place
 * in the year.
 */
test('the household profile gives the published shares of the quarters of 2026', async () => {
  const profile = await store.asService((connection) => loadProfile(connection, 'h25', '2026-11-21'));
  const quarters = [0, 0, 0, 0];
  for (let day = 1; day <= 365; day += 1) {
    const date = new Date(Date.UTC(2026, 0, day));
    const month = date.getUTCMonth();
    const energy = profile[month]?.[dayTypeOf(date)]?.reduce((sum, kwh) => sum + kwh, 0) ?? 0;
    quarters[Math.floor(month / 3)] = (quarters[Math.floor(month / 3)] ?? 0) + energy * correction(day);
  }
  const year = quarters.reduce((sum, energy) => sum + energy, 0);
  expect(year).toBeGreaterThan(990_000);
  expect(year).toBeLessThan(1_010_000);
  expect(quarters.map((energy) => (energy / year).toFixed(4))).toEqual([
    '0.2770',
    '0.2315',
    '0.2200',
    '0.2715',
  ]);
});

function correction(day: number): number {
  return -3.92e-10 * day ** 4 + 3.2e-7 * day ** 3 - 7.02e-5 * day ** 2 + 2.1e-3 * day + 1.24;
}

/** The nine holidays of all states that fell on working days, and Christmas Eve and New Year's Eve as Saturdays. */
const HOLIDAYS = ['0101', '0403', '0406', '0501', '0514', '0525', '1003', '1225', '1226'];
const LIKE_SATURDAYS = ['1224', '1231'];

function dayTypeOf(date: Date): number {
  const name = date.toISOString().slice(5, 10).replace('-', '');
  if (date.getUTCDay() === 0 || HOLIDAYS.includes(name)) return 2;
  return date.getUTCDay() === 6 || LIKE_SATURDAYS.includes(name) ? 1 : 0;
}

test('a store from before the schedules gets them, with operators that it did not know', async () => {
  await store.rows('TRUNCATE grid_fee_schedules');
  await store.rows(`DELETE FROM grid_operators WHERE operator = 'creos-deutschland'`);
  const report = await importFirstReferenceData(store.database, referenceFolder, act);
  expect(report?.problems).toEqual([]);
  expect(report?.tables.map(({ table, inserted }) => [table, inserted])).toEqual([
    ['grid_operators', 1],
    ['grid_fee_schedules', 37],
  ]);
});

test('what bills print of a source is German', async () => {
  const { rows } = await readReferenceFiles(referenceFolder);
  const printed = ['vat_rates', 'levies', 'concession_fees', 'metering_fees', 'eeg_rates', 'market_values'];
  const sources = [...printed, 'grid_fees', 'grid_fee_schedules', 'usage_groups'].flatMap((table) =>
    (rows.get(table) ?? []).map(({ values }) => values.source ?? ''),
  );
  expect(sources.length).toBeGreaterThan(100);
  expect(sources.filter((source) => /\b(of|the|and|by|price|sheet|usage|mean)\b/i.test(source))).toEqual([]);
});

test('the shares of an energy mix are 1 together', async () => {
  const mix = (coal: string) => `9907248000001,2025,0,${coal},0.2,0,0.5,0.2,180,0,2026-07-01,,Strom GmbH,`;
  const { problems } = await store.import({ energy_mixes: [mix('0.2')] });
  expect(problems).toMatchObject([{ file: 'energy_mixes.csv', line: 2, column: 'nuclear' }]);
  expect((await store.import({ energy_mixes: [mix('0.1')] })).problems).toEqual([]);
});
