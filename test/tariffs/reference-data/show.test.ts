import { beforeAll, expect, test } from 'vitest';
import { showZip } from '../../../src/tariffs/reference-data/show.ts';
import { referenceFolder, takeReferenceStore } from './reference-store.ts';

const store = await takeReferenceStore();

beforeAll(async () => {
  expect((await store.import(referenceFolder)).problems).toEqual([]);
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
    source: 'KWKG-Umlage 2026 der Übertragungsnetzbetreiber',
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

test('a zip shows what the grid operator itself charges for metering on bills, beside the caps of quotes', async () => {
  const row = 'stromnetz-berlin,analog,analog,,,,,no,20,2026-01-01,,price sheet,2026-11-20';
  expect((await store.import({ metering_fees: [row] })).problems).toEqual([]);
  const analog = (await shown('10115')).figures.filter(({ key }) => key.endsWith('analog'));
  expect(analog.map(({ figure, key, value }) => `${figure}: ${key} ${value}`)).toEqual([
    'metering fee: analog 25.00',
    'metering fee on bills: stromnetz-berlin analog 20',
  ]);
});
