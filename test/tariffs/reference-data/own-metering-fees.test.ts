import { expect, test } from 'vitest';
import type { NationalRows, TextRow } from '../../../src/tariffs/reference-data/queries.ts';
import { nationalFigures } from '../../../src/tariffs/reference-data/reference-set.ts';

type FeeRow = TextRow<'metering_fees'>;

function feeRow(operator: string | null, name: string, eur: string, validTo: string | null = null): FeeRow {
  return {
    ...{ metering_operator: operator, case: name, meter: 'smart', over_kwh: null, up_to_kwh: null },
    ...{ over_pv_kw: null, up_to_pv_kw: null, needs_14a_module: 'false', eur_year_gross: eur },
    ...{ valid_from: '2025-01-01', valid_to: validTo, source: 'tests', checked_on: null },
  };
}

function feesOf(operator: string, ...fees: FeeRow[]): string[] {
  const vat = { rate: '0.19', valid_from: '2021-01-01', valid_to: null, source: 'tests', checked_on: null };
  const rows: NationalRows = {
    ...{ vat_rates: [vat], levies: [], concession_fees: [], metering_fees: fees, eeg_rates: [] },
    ...{ market_values: [], benchmarks: [], savings_parameters: [], usage_groups: [] },
  };
  const { reference } = nationalFigures(rows, '2026-05-01');
  return reference.meteringFeesOf(operator).map((fee) => {
    const { key, is_carried_forward } = fee.fee.origin;
    return `${key} ${fee.fee.value}${is_carried_forward ? ' ended' : ''}`;
  });
}

const CAPS = [feeRow(null, 'smart_up_to_6000', '30'), feeRow(null, 'smart_14a', '50')];

test('a metering operator without rows of its own charges the caps of the law', () => {
  const other = feeRow('messwerk', 'smart_14a', '45');
  expect(feesOf('stadtwerk', ...CAPS, other)).toEqual(['smart_up_to_6000 30', 'smart_14a 50']);
});

test('its own row of a case stands in the place of the cap of this case', () => {
  expect(feesOf('messwerk', ...CAPS, feeRow('messwerk', 'smart_14a', '45'))).toEqual([
    ...['messwerk smart_14a 45', 'smart_up_to_6000 30'],
  ]);
});

test.each(['2026-01-01', '2025-02-01'])(
  'its own row that ended on %s is not silently the cap again: it is marked as ended',
  (end) => {
    expect(feesOf('messwerk', ...CAPS, feeRow('messwerk', 'smart_14a', '45', end))).toEqual([
      ...['messwerk smart_14a 45 ended', 'smart_up_to_6000 30'],
    ]);
  },
);

test('its own row that is not valid yet leaves the cap', () => {
  const later = { ...feeRow('messwerk', 'smart_14a', '45'), valid_from: '2026-06-01' };
  expect(feesOf('messwerk', ...CAPS, later)).toEqual(['smart_up_to_6000 30', 'smart_14a 50']);
});
