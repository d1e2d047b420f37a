import {
  EEG_KINDS,
  EEG_SIZES_KW,
  ENERGY_SOURCES,
  LEVY_CODES,
  MARKET_VALUE_CODES,
  METERING_CASES,
  MUNICIPALITY_CLASSES,
  OTHER_CONCESSION_CLASSES,
  SAVINGS_PARAMETER_CODES,
  USAGE_GROUP_CODES,
} from '../codes.ts';
import {
  oneOf,
  operator,
  optional,
  part,
  pattern,
  price,
  rate,
  wholeNumber,
  yesOrNo,
} from './column-kinds.ts';
import { legalCaps, partsOfWhole, soundBounds, wholeMix } from './national-rules.ts';
import type { RowValues } from './rows.ts';
import type { ReferenceTable } from './table-description.ts';

/** What is the same in the whole country. */
export const NATIONAL_TABLES: readonly ReferenceTable[] = [
  { name: 'vat_rates', key: [], columns: { rate }, rules: [] },
  {
    name: 'levies',
    key: ['code'],
    columns: { code: oneOf(...LEVY_CODES), ct_net: price },
    rules: [],
    expectedKeys: () => keys('code', LEVY_CODES),
  },
  {
    name: 'concession_fees',
    key: ['class'],
    columns: { class: oneOf(...MUNICIPALITY_CLASSES, ...OTHER_CONCESSION_CLASSES), ct_net: price },
    rules: [],
    expectedKeys: () => keys('class', MUNICIPALITY_CLASSES),
  },
  {
    name: 'metering_fees',
    key: ['metering_operator', 'case'],
    columns: {
      metering_operator: optional(operator),
      case: oneOf(...METERING_CASES),
      meter: oneOf('analog', 'smart', 'other'),
      over_kwh: optional(price),
      up_to_kwh: optional(price),
      over_pv_kw: optional(price),
      up_to_pv_kw: optional(price),
      needs_14a_module: yesOrNo,
      eur_year_gross: price,
    },
    rules: [soundBounds, legalCaps],
    expectedKeys: () => keys('case', METERING_CASES),
  },
  {
    name: 'eeg_rates',
    key: ['kind', 'up_to_kw'],
    columns: {
      kind: oneOf(...EEG_KINDS),
      up_to_kw: oneOf(...EEG_SIZES_KW),
      value_ct_net: price,
      tariff_ct_net: price,
    },
    rules: [],
    expectedKeys: () =>
      EEG_KINDS.flatMap((kind) => keys('up_to_kw', EEG_SIZES_KW).map((size) => ({ kind, ...size }))),
  },
  {
    name: 'market_values',
    key: ['code'],
    columns: { code: oneOf(...MARKET_VALUE_CODES), ct_net: price },
    rules: [],
    expectedKeys: () => keys('code', MARKET_VALUE_CODES),
  },
  {
    name: 'benchmarks',
    key: [],
    columns: { base_fee_eur_year_gross: price, energy_ct_net: price },
    rules: [],
  },
  {
    name: 'savings_parameters',
    key: ['code'],
    columns: { code: oneOf(...SAVINGS_PARAMETER_CODES), value: price },
    rules: [partsOfWhole],
    expectedKeys: () => keys('code', SAVINGS_PARAMETER_CODES),
  },
  {
    name: 'usage_groups',
    key: ['code'],
    columns: { code: oneOf(...USAGE_GROUP_CODES), kwh_year: price },
    rules: [],
    expectedKeys: () => keys('code', USAGE_GROUP_CODES),
  },
  {
    name: 'energy_mixes',
    key: ['supplier'],
    columns: {
      supplier: pattern(/^(\d{13}|germany)$/, 'must be the 13 digits of a supplier, or germany'),
      year: wholeNumber(2000, 2100),
      ...Object.fromEntries(ENERGY_SOURCES.map((source) => [source, part])),
      co2_g_kwh: price,
      radioactive_waste_g_kwh: price,
    },
    rules: [wholeMix],
    /* Each supplier enters its own, or encloses it with its bills. */
    mayBeEmpty: true,
  },
];

function keys(column: string, codes: readonly string[]): RowValues[] {
  return codes.map((code) => ({ [column]: code }));
}
