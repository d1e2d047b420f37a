import { expect, test } from 'vitest';
import { checkReferenceData } from '../../src/tariffs/check.ts';
import { importFirstReferenceData } from '../../src/tariffs/files/import.ts';
import { gridFigures, loadProfile, vatRate } from '../../src/tariffs/service.ts';
import { showZip } from '../../src/tariffs/show.ts';
import { compareWeights, type WeightsOptions } from '../../src/tariffs/weights.ts';
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
    rows: 1,
    ended_on: '2027-01-01',
  });
  const later = await store.asService((connection) => checkReferenceData(connection, '2028-01-03'));
  expect(counts(later.filter(({ state }) => state === 'missing'))).toEqual({ ...ended, grid_fees: 48 });
});

const shown = (zip: string, on = '2026-11-21') =>
  store.asService((connection) => showZip(connection, zip, on));

test('a zip shows its operator, its class and where its figures are from', async () => {
  expect(await shown('10115')).toMatchObject({
    city: 'Berlin',
    operator: 'stromnetz-berlin',
    name: 'Stromnetz Berlin',
    concession_class: 'T4',
    provisional: false,
    module_1_from: 'price sheet',
    quarters: '1;2;3;4',
    low_windows: '22:15-06:30',
    high_windows: '17:15-20:15',
    weights_from: 'profile',
    carried_forward: [],
  });
  expect(await shown('68159')).toMatchObject({
    operator: 'mvv-netze',
    concession_class: 'T3',
    module_1_from: 'formula',
    module_2_from: 'formula',
    provisional: true,
  });
  expect(await shown('27568')).toMatchObject({ operator: 'wesernetz-bremerhaven', quarters: null });
  await expect(shown('99999')).rejects.toThrow(
    '99999 is not served on 2026-11-21: no operator is known for it',
  );
});

test('a zip shows every figure that is used for it, with its row', async () => {
  const { figures } = await shown('10115');
  const texts = figures.map(({ figure, value, unit, table, key }) =>
    [figure, value, unit, `(${table}${key === '' ? '' : ` ${key}`})`].join(' '),
  );
  expect(texts).toEqual([
    'base price 33.36 EUR/year net (grid_fees stromnetz-berlin)',
    'working price 7.46 ct/kWh net (grid_fees stromnetz-berlin)',
    'module 1 credit 123.18 EUR/year net (grid_fees stromnetz-berlin)',
    'module 2 working price 2.98 ct/kWh net (grid_fees stromnetz-berlin)',
    'module 3 low 2.61 ct/kWh net (grid_fee_schedules stromnetz-berlin)',
    'module 3 standard 7.46 ct/kWh net (grid_fee_schedules stromnetz-berlin)',
    'module 3 high 13.94 ct/kWh net (grid_fee_schedules stromnetz-berlin)',
    'module 3 weight low 0.2455 share (grid_fee_schedules stromnetz-berlin)',
    'module 3 weight standard 0.5740 share (grid_fee_schedules stromnetz-berlin)',
    'module 3 weight high 0.1805 share (grid_fee_schedules stromnetz-berlin)',
    'module 3 share of the year 1 share (grid_fee_schedules stromnetz-berlin)',
    'concession fee 2.39 ct/kWh net (concession_fees T4)',
    'VAT 0.19 share (vat_rates)',
    'levy stromsteuer 2.05 ct/kWh net (levies stromsteuer)',
    'levy offshore 0.941 ct/kWh net (levies offshore)',
    'levy besondere_netznutzung 1.559 ct/kWh net (levies besondere_netznutzung)',
    'levy kwkg 0.446 ct/kWh net (levies kwkg)',
    'metering fee 25.00 EUR/year with VAT (metering_fees analog)',
    'metering fee 30.00 EUR/year with VAT (metering_fees smart_up_to_6000)',
    'metering fee 40.00 EUR/year with VAT (metering_fees smart_over_6000)',
    'metering fee 50.00 EUR/year with VAT (metering_fees smart_over_10000)',
    'metering fee 110.00 EUR/year with VAT (metering_fees smart_over_20000)',
    'metering fee 140.00 EUR/year with VAT (metering_fees smart_over_50000)',
    'metering fee 50.00 EUR/year with VAT (metering_fees smart_14a)',
    'metering fee 50.00 EUR/year with VAT (metering_fees smart_pv_over_7)',
    'metering fee 110.00 EUR/year with VAT (metering_fees smart_pv_over_15)',
    'metering fee 140.00 EUR/year with VAT (metering_fees smart_pv_over_25)',
    'metering fee 50.00 EUR/year with VAT (metering_fees control_box)',
    'metering fee 100.00 EUR/year with VAT (metering_fees early_installation)',
    'day-ahead mean, if too few prices are stored 8.932 ct/kWh net (market_values day_ahead_mean)',
    'solar market value 5.875 ct/kWh net (market_values solar_market_value)',
    'EEG value, partial, 10 kW 8.10 ct/kWh net (eeg_rates partial 10)',
    'EEG tariff, partial, 10 kW 7.70 ct/kWh net (eeg_rates partial 10)',
    'EEG value, partial, 40 kW 7.06 ct/kWh net (eeg_rates partial 40)',
    'EEG tariff, partial, 40 kW 6.66 ct/kWh net (eeg_rates partial 40)',
    'EEG value, partial, 100 kW 5.84 ct/kWh net (eeg_rates partial 100)',
    'EEG tariff, partial, 100 kW 5.44 ct/kWh net (eeg_rates partial 100)',
    'EEG value, full, 10 kW 12.62 ct/kWh net (eeg_rates full 10)',
    'EEG tariff, full, 10 kW 12.22 ct/kWh net (eeg_rates full 10)',
    'EEG value, full, 40 kW 10.64 ct/kWh net (eeg_rates full 40)',
    'EEG tariff, full, 40 kW 10.24 ct/kWh net (eeg_rates full 40)',
    'EEG value, full, 100 kW 10.64 ct/kWh net (eeg_rates full 100)',
    'EEG tariff, full, 100 kW 10.24 ct/kWh net (eeg_rates full 100)',
    'benchmark base fee 36.00 EUR/year with VAT (benchmarks)',
    'benchmark energy 14.54 ct/kWh net (benchmarks)',
    'assumption 18 kWh/100 km (savings_parameters ev_kwh_per_100_km)',
    'assumption 950 kWh/kWp (savings_parameters pv_kwh_per_kwp)',
    'assumption 0.45 share (savings_parameters flexible_share_ev)',
    'assumption 0.18 share (savings_parameters flexible_share_heatpump)',
    'assumption 0.35 share (savings_parameters flexible_share_battery)',
    'assumption 200 cycles/year (savings_parameters battery_cycles_per_year)',
    'assumption 4 h (savings_parameters battery_hours)',
    'assumption 0.6 share (savings_parameters optimization_rate_max)',
    'assumption 4.2 kW (savings_parameters controllable_power_over_kw)',
  ]);
  expect(figures.find(({ key }) => key === 'kwkg')).toMatchObject({
    valid_from: '2026-01-01',
    valid_to: '2027-01-01',
    source: 'KWKG-Umlage 2026 of the transmission system operators',
    checked_on: '2026-11-20',
    is_carried_forward: false,
  });
});

test('a figure that is carried forward is shown as that', async () => {
  const { figures, carried_forward } = await shown('10115', '2027-06-01');
  expect(figures.find(({ key }) => key === 'kwkg')).toMatchObject({
    value: '0.446',
    is_carried_forward: true,
  });
  expect(carried_forward).toContain('levies kwkg (ended 2027-01-01)');
  expect(carried_forward).toContain('grid_fee_schedules stromnetz-berlin (ended 2027-01-01)');
});

test('stored weights agree with profile and windows to 0.0001, for every schedule', async () => {
  const compared = await store.asService((connection) => compareWeights(connection, {}));
  expect(compared).toHaveLength(3 * 37);
  expect(new Set(compared.map(({ year }) => year))).toEqual(new Set(['2026']));
  expect(compared.filter(({ difference }) => Math.abs(Number(difference)) > 0.0001)).toEqual([]);
  const sums = Map.groupBy(compared, ({ operator }) => operator);
  for (const [operator, bands] of sums) {
    const sum = bands.reduce((total, { recomputed }) => total + Number(recomputed), 0);
    expect(sum.toFixed(8), operator).toBe('1.00000000');
  }
});

test('weights of one operator, and of the calendar of another year', async () => {
  const compare = (options: WeightsOptions) =>
    store.asService((connection) => compareWeights(connection, options));
  const own = await compare({ operator: 'bayernwerk-netz' });
  expect(own.map(({ band, stored }) => [band, stored])).toEqual([
    ['low', '0.2265'],
    ['standard', '0.4927'],
    ['high', '0.2808'],
  ]);
  const later = await compare({ operator: 'bayernwerk-netz', on: '2027-05-01' });
  expect(later.map(({ year, valid_from }) => [year, valid_from])).toEqual(
    own.map(() => ['2027', '2026-01-01']),
  );
  expect(later.map(({ recomputed }) => recomputed)).not.toEqual(own.map(({ recomputed }) => recomputed));
  expect(await compare({ on: '2025-06-01' })).toEqual([]);
  expect(await compare({ operator: 'nobody' })).toEqual([]);
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
