import { beforeEach, describe, expect, test } from 'vitest';
import {
  feeLine,
  levyLine,
  operatorLine,
  places,
  takeReferenceStore,
  vatLine,
  zipLine,
} from './reference-store.ts';

const store = await takeReferenceStore();

beforeEach(() => store.reset());

const meteringLine = (
  operator: string,
  code: string,
  fee: string,
  from = '2025-01-01',
  to = '',
  bounds = ',,,',
) => `${operator},${code},smart,${bounds},no,${fee},${from},${to},law,2026-01-01`;

describe('a metering fee above the legal cap is a warning', () => {
  const CAP = meteringLine('', 'smart_14a', '50.00', '2025-01-01', '2026-01-01');
  const warned = async (...lines: string[]) => {
    const report = await store.import({ metering_fees: lines });
    expect(report.problems).toEqual([]);
    return places(report, 'warnings');
  };

  test('by a cent, on one day in common', async () => {
    const above = meteringLine('meter-company', 'smart_14a', '50.01', '2025-12-31', '2027-01-01');
    expect(await warned(CAP, above)).toEqual([
      'metering_fees.csv:3 eur_year_gross "50.01" is above the legal cap, 50.00',
    ]);
  });

  test.each([
    ['the cap itself', meteringLine('meter-company', 'smart_14a', '50.0')],
    ['another case', meteringLine('meter-company', 'smart_over_20000', '110.00')],
    ['other days', meteringLine('meter-company', 'smart_14a', '60.00', '2026-01-01')],
  ])('%s is not', async (_, line) => {
    expect(await warned(CAP, line)).toEqual([]);
  });
});

describe('a metering fee', () => {
  test('without an operator is one row, however often it is imported', async () => {
    const files = { metering_fees: [meteringLine('', 'smart_14a', '50.00')] };
    await store.import(files);
    expect(await store.import(files)).toMatchObject({ tables: [{ inserted: 0, changed: 0, equal: 1 }] });
    const changed = { metering_fees: [meteringLine('', 'smart_14a', '55.00')] };
    expect(await store.import(changed)).toMatchObject({ tables: [{ inserted: 0, changed: 1, equal: 0 }] });
    expect(await store.rows('SELECT eur_year_gross FROM metering_fees')).toEqual([
      { eur_year_gross: '55.00' },
    ]);
    expect(await store.rows('SELECT change FROM reference_history')).toEqual([{ change: 'changed' }]);
    const other = { metering_fees: [meteringLine('', 'smart_over_6000', '40.00')] };
    expect(await store.import(other, { prune: true })).toMatchObject({
      tables: [{ removed: ['smart_14a from 2025-01-01'] }],
    });
    expect(await store.rows('SELECT "case" FROM metering_fees')).toEqual([{ case: 'smart_over_6000' }]);
  });

  test('without an operator overlaps another one of its case, and none of an operator', async () => {
    const report = await store.import({
      metering_fees: [
        meteringLine('', 'smart_14a', '50.00'),
        meteringLine('meter-company', 'smart_14a', '50.00'),
        meteringLine('', 'smart_14a', '50.00', '2026-01-01'),
      ],
    });
    expect(places(report)).toEqual([
      'metering_fees.csv:4 valid_from "2026-01-01" overlaps line 2, 2025-01-01 to open',
    ]);
  });

  test.each([
    ['6000,6000,,', 'up_to_kwh "6000" must be above over_kwh, 6000'],
    [',,15,7', 'up_to_pv_kw "7" must be above over_pv_kw, 15'],
  ])('with the bounds %s is refused', async (bounds, place) => {
    const report = await store.import({
      metering_fees: [meteringLine('', 'smart_14a', '1', '2025-01-01', '', bounds)],
    });
    expect(places(report)).toEqual([`metering_fees.csv:2 ${place}`]);
  });
});

describe('a code that nobody knows is refused', () => {
  test.each([
    [{ levies: [levyLine('umlage', '1', '2026-01-01')] }, 'levies.csv:2 code "umlage" is unknown'],
    [{ concession_fees: ['T5,1.32,2025-01-01,,law,'] }, 'concession_fees.csv:2 class "T5" is unknown'],
    [
      { metering_fees: [meteringLine('', 'smart_14', '1')] },
      'metering_fees.csv:2 case "smart_14" is unknown',
    ],
    [
      { metering_fees: [meteringLine('', 'smart_14a', '1').replace(',smart,', ',digital,')] },
      'metering_fees.csv:2 meter "digital" is unknown',
    ],
    [{ eeg_rates: ['half,10,8,7.6,2026-01-01,,law,'] }, 'eeg_rates.csv:2 kind "half" is unknown'],
    [{ eeg_rates: ['full,30,8,7.6,2026-01-01,,law,'] }, 'eeg_rates.csv:2 up_to_kw "30" is unknown'],
    [{ market_values: ['wind,8,2026-01-01,,sheet,'] }, 'market_values.csv:2 code "wind" is unknown'],
    [{ savings_parameters: ['ev,18,2025-01-01,,guess,'] }, 'savings_parameters.csv:2 code "ev" is unknown'],
  ])('%j', async (files, place) => {
    const [found, ...others] = places(await store.import(files));
    expect(found).toContain(place);
    expect(others).toEqual([]);
  });
});

test('a negative price is refused in every table', async () => {
  const report = await store.import({
    levies: [levyLine('kwkg', '-0.1', '2026-01-01')],
    concession_fees: ['T1,-1.32,2025-01-01,,law,'],
    metering_fees: [meteringLine('', 'smart_14a', '-50')],
    eeg_rates: ['full,10,-8,-7.6,2026-01-01,,law,'],
    market_values: ['day_ahead_mean,-8,2026-01-01,,sheet,'],
    benchmarks: ['-36,-14.54,2026-01-01,,estimate,'],
    savings_parameters: ['ev_kwh_per_100_km,-18,2025-01-01,,guess,'],
  });
  expect(report.problems.map(({ file, column, rule }) => `${file} ${column} ${rule}`)).toEqual(
    [
      'levies.csv ct_net',
      'concession_fees.csv ct_net',
      'metering_fees.csv eur_year_gross',
      'eeg_rates.csv value_ct_net',
      'eeg_rates.csv tariff_ct_net',
      'market_values.csv ct_net',
      'benchmarks.csv base_fee_eur_year_gross',
      'benchmarks.csv energy_ct_net',
      'savings_parameters.csv value',
    ].map((place) => `${place} must not be negative`),
  );
});

test.each([
  'flexible_share_ev',
  'flexible_share_heatpump',
  'flexible_share_battery',
  'optimization_rate_max',
])('%s is a part, never a percentage', async (code) => {
  const line = (value: string) => ({ savings_parameters: [`${code},${value},2025-01-01,,guess,`] });
  expect(places(await store.import(line('45')))).toEqual([
    'savings_parameters.csv:2 value "45" must be a part from 0 to 1: 0.45',
  ]);
  expect(places(await store.import(line('1')))).toEqual([]);
});

describe('days between two rows of a key, on which none counts, are a warning', () => {
  test('at the later row', async () => {
    const report = await store.import({
      levies: [
        levyLine('kwkg', '0.5', '2027-01-02', '2028-01-01'),
        levyLine('kwkg', '0.4', '2026-01-01', '2027-01-01'),
        levyLine('offshore', '0.9', '2028-01-01'),
      ],
    });
    expect(report.problems).toEqual([]);
    expect(places(report, 'warnings')).toEqual([
      'levies.csv:2 valid_from "2027-01-02" leaves a gap: no row counts from 2027-01-01 until 2027-01-02',
    ]);
  });

  test('at a new row before a stored one', async () => {
    await store.import({ levies: [levyLine('kwkg', '0.5', '2027-01-01')] });
    const report = await store.import({ levies: [levyLine('kwkg', '0.4', '2026-01-01', '2026-12-31')] });
    expect(places(report, 'warnings')).toEqual([
      'levies.csv:2 valid_to "2026-12-31" leaves a gap: no row counts from 2026-12-31 until 2027-01-01',
    ]);
  });

  test('of a series without a key, too', async () => {
    const report = await store.import({
      vat_rates: [vatLine('0.19', '2021-01-01', '2022-01-01'), vatLine('0.20', '2023-01-01')],
    });
    expect(places(report, 'warnings')).toEqual([
      'vat_rates.csv:3 valid_from "2023-01-01" leaves a gap: no row counts from 2022-01-01 until 2023-01-01',
    ]);
  });

  test('but of a zip by the zip alone: another operator follows', async () => {
    await store.reset({
      vat_rates: [vatLine('0.19', '2021-01-01')],
      grid_operators: [operatorLine('alpha'), operatorLine('beta')],
      grid_fees: [feeLine('alpha', '7.5', '2026-01-01')],
    });
    const zips = (ends: string) => ({
      zip_areas: [
        zipLine('04109', 'alpha', '1', '2026-01-01', ends),
        zipLine('04109', 'beta', '1', '2026-07-01', '2026-12-01'),
        zipLine('04109', 'alpha', '1', '2026-12-01'),
      ],
    });
    expect(places(await store.import(zips('2026-07-01')), 'warnings')).toEqual([]);
    expect(places(await store.import(zips('2026-06-30')), 'warnings')).toEqual([
      'zip_areas.csv:3 valid_from "2026-07-01" leaves a gap: no row counts from 2026-06-30 until 2026-07-01',
    ]);
  });
});
