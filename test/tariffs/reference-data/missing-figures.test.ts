import { beforeAll, expect, test } from 'vitest';
import { checkReferenceData } from '../../../src/tariffs/reference-data/check.ts';
import { gridFigures, isServed, referenceSet } from '../../../src/tariffs/reference-data/service.ts';
import { showZip } from '../../../src/tariffs/reference-data/show.ts';
import { MissingReferenceError } from '../../../src/tariffs/reference-data/validity.ts';
import { feeLine, operatorLine, silent, takeReferenceStore, vatLine, zipLine } from './reference-store.ts';

const store = await takeReferenceStore();
const ON = '2026-05-01';

beforeAll(() =>
  store.reset({
    vat_rates: [vatLine('0.19', '2021-01-01', '2027-01-01')],
    concession_fees: ['T1,1.32,2025-01-01,,law,'],
    metering_fees: ['meter-company,analog,analog,,,,,no,20,2025-01-01,,price sheet,'],
    grid_operators: [operatorLine('alpha')],
    grid_fees: [feeLine('alpha', '7.50', '2026-01-01')],
    zip_areas: [zipLine('10115', 'alpha'), zipLine('10117', 'alpha').replace('T4', 'T1')],
  }),
);

const caught = (read: () => unknown): unknown => {
  try {
    return read();
  } catch (error) {
    return error;
  }
};

test('every key that an answer may ask for and that has no row is named by the check', async () => {
  const findings = await store.asService((connection) => checkReferenceData(connection, ON));
  const missing = findings.filter(({ state }) => state === 'missing');
  const ofTable = Map.groupBy(missing, ({ table }) => table);
  const keys = Object.fromEntries([...ofTable].map(([table, of]) => [table, of.map(({ key }) => key)]));
  expect(keys).toMatchObject({
    levies: ['', 'besondere_netznutzung', 'kwkg', 'offshore', 'stromsteuer'],
    concession_fees: ['T2', 'T3', 'T4'],
    eeg_rates: ['', 'full 10', 'full 100', 'full 40', 'partial 10', 'partial 100', 'partial 40'],
    market_values: ['', 'day_ahead_mean', 'solar_market_value'],
    benchmarks: [''],
    usage_groups: ['', 'house', 'one_person', 'three_persons', 'two_persons'],
  });
  /* What a metering operator charges is no cap of the law. */
  expect(keys.metering_fees).toHaveLength(12);
  expect(keys.metering_fees).toContain('analog');
  expect(keys.savings_parameters).toHaveLength(1 + 9);
});

test('who asks for it is told table, key and day', async () => {
  const reference = await store.asService((connection) => referenceSet(connection, ON, silent));
  expect(reference.vatRate.value).toBe('0.19');
  expect(reference.meteringFees).toEqual([]);
  expect(reference.publishedDayAheadMean()).toBeUndefined();
  const questions: [() => unknown, string][] = [
    [() => reference.levy('kwkg'), 'levies for kwkg'],
    [() => reference.eegRate('full', 10), 'eeg_rates for full 10'],
    [() => reference.solarMarketValue(), 'market_values for solar_market_value'],
    [() => reference.benchmark(), 'benchmarks'],
    [() => reference.savingsParameter('battery_hours'), 'savings_parameters for battery_hours'],
  ];
  for (const [read, what] of questions) {
    const error = caught(read);
    expect(error).toBeInstanceOf(MissingReferenceError);
    expect(error).toMatchObject({ message: `No row of ${what} counts on ${ON}` });
  }
  const late = await store.asService((connection) => referenceSet(connection, '2028-01-03', silent));
  expect(caught(() => late.vatRate)).toMatchObject({
    message: 'No row of vat_rates counts on 2028-01-03',
  });
});

test('a zip without the fee of its class is served, and has no price', async () => {
  expect(await store.asService((connection) => isServed(connection, '10115', ON, silent))).toBe(true);
  const figures = (zip: string) => store.asService((connection) => gridFigures(connection, zip, ON, silent));
  await expect(figures('10115')).rejects.toThrow(`No row of concession_fees for T4 counts on ${ON}`);
  expect(await figures('10117')).toMatchObject({ concessionFee: { value: '1.32' }, schedule: null });
});

test('a zip shows what is missing', async () => {
  const { figures } = await store.asService((connection) => showZip(connection, '10117', ON));
  expect(figures.find(({ key }) => key === 'kwkg')).toEqual({
    ...{ figure: 'levy kwkg', value: null, unit: null, table: 'levies', key: 'kwkg' },
    ...{ valid_from: null, valid_to: null, source: null, checked_on: null, is_carried_forward: false },
  });
});
