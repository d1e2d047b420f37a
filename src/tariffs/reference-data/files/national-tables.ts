import { Decimal } from 'decimal.js';
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
import { haveDaysInCommon, type RowValues, type RuleContext, soundValues, type TableRule } from './rows.ts';
import type { ReferenceTable } from './table-description.ts';

/** The caps of the law are rows without a metering operator; nobody may charge households more. */
const legalCaps: TableRule = (rows, context) => {
  const caps = Map.groupBy(
    rows.filter((row) => row.values.metering_operator === null),
    (row) => row.values.case,
  );
  for (const row of rows) {
    const [, code, fee] = soundValues(row, 'metering_operator', 'case', 'eur_year_gross') ?? [];
    if (row.line === null || code === undefined || fee === undefined) continue;
    for (const cap of caps.get(code) ?? []) {
      const [most] = soundValues(cap, 'eur_year_gross') ?? [];
      if (most === undefined || !haveDaysInCommon(row, cap) || !new Decimal(fee).greaterThan(most)) continue;
      context.warning(row, 'eur_year_gross', `is above the legal cap, ${most}`);
      break;
    }
  }
};

/** A case with its bounds the wrong way round would fit nobody. */
const soundBounds: TableRule = (rows, context) => {
  for (const row of rows) {
    if (row.line === null) continue;
    compareBounds(['over_kwh', 'up_to_kwh'], row, context);
    compareBounds(['over_pv_kw', 'up_to_pv_kw'], row, context);
  }
};

function compareBounds(
  [over, upTo]: readonly [string, string],
  row: Parameters<RuleContext['problem']>[0],
  context: RuleContext,
): void {
  const [least, most] = soundValues(row, over, upTo) ?? [];
  if (least === undefined || most === undefined || new Decimal(least).lessThan(most)) return;
  context.problem(row, upTo, `must be above ${over}, ${least}`);
}

/** These are parts of a whole: 45 in place of 0.45 would promise a household more than it pays. */
const PARTS = /^(flexible_share_[a-z]+|optimization_rate_max)$/;

const partsOfWhole: TableRule = (rows, context) => {
  for (const row of rows) {
    const [code, value] = soundValues(row, 'code', 'value') ?? [];
    if (row.line === null || code === undefined || value === undefined || !PARTS.test(code)) continue;
    if (new Decimal(value).greaterThan(1)) context.problem(row, 'value', 'must be a part from 0 to 1: 0.45');
  }
};

/** Published shares are rounded. */
const MIX_TOLERANCE = '0.005';

const wholeMix: TableRule = (rows, context) => {
  for (const row of rows) {
    const shares = soundValues(row, ...ENERGY_SOURCES);
    if (row.line === null || shares === undefined) continue;
    const sum = shares.reduce((before, share) => before.plus(share ?? 0), new Decimal(0));
    if (sum.minus(1).abs().greaterThan(MIX_TOLERANCE))
      context.problem(row, 'nuclear', `and the other shares must be 1 together, not ${sum.toFixed()}`);
  }
};

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
