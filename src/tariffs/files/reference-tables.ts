import { DAY_TYPES, MONTHS, QUARTER_HOURS } from '../load-profile.ts';
import {
  type ColumnKind,
  day,
  oneOf,
  operator,
  optional,
  pattern,
  price,
  rate,
  share,
  text,
  wholeNumber,
  yesOrNo,
  zip,
} from './column-kinds.ts';
import type { RowValues, TableRule } from './rows.ts';
import { publishedModules, sharesOfZip, statedOperator, usedOperators } from './table-rules.ts';

/**
 * One file of reference data and the table of the same name and columns. A new one is a migration, a description here and
 * its CSV file: import, check and history come by themselves.
 */
export interface ReferenceTable {
  readonly name: string;
  /** Empty: the table is one series. */
  readonly key: readonly string[];
  /** In the order of the header, key first, without the four columns that every table ends with. */
  readonly columns: Readonly<Record<string, ColumnKind>>;
  /** What is wrong or doubtful between rows and tables. */
  readonly rules: readonly TableRule[];
  /** The part of the key whose rows are carried forward together; the whole key where absent. */
  readonly carriedBy?: readonly string[];
  /** The part of the key by which the check lists what it finds, where single keys would be too many. */
  readonly listedBy?: readonly string[];
  /** Keys that have to have a row, whatever is stored. */
  expectedKeys?(
    stored: readonly RowValues[],
    rowsOnDay: (table: string) => readonly RowValues[],
  ): RowValues[];
}

/** Every table ends with these: from when to when a row counts, where it comes from, and when that was confirmed. */
const COMMON_COLUMNS: Readonly<Record<string, ColumnKind>> = {
  valid_from: day,
  valid_to: optional(day),
  source: text,
  checked_on: optional(day),
};

export const REFERENCE_TABLES: readonly ReferenceTable[] = [
  { name: 'vat_rates', key: [], columns: { rate }, rules: [] },
  {
    name: 'grid_operators',
    key: ['operator'],
    columns: {
      operator,
      name: text,
      bdew_code: optional(pattern(/^\d{13}$/, 'must be 13 digits')),
      mastr_number: optional(pattern(/^[A-Z]{3}\d{12}$/, 'must be three capital letters and twelve digits')),
      website: optional(pattern(/^https?:\/\/[^\s/]+/, 'must begin with https:// or http://')),
    },
    rules: [usedOperators],
  },
  {
    name: 'grid_fees',
    key: ['operator'],
    columns: {
      operator,
      base_eur_year_net: price,
      working_ct_net: price,
      module_1_eur_year_net: optional(price),
      module_2_ct_net: optional(price),
      provisional: yesOrNo,
    },
    rules: [statedOperator, publishedModules],
    expectedKeys: (_, rowsOnDay) =>
      rowsOnDay('grid_operators').map(({ operator: code = null }) => ({ operator: code })),
  },
  {
    name: 'zip_areas',
    key: ['zip', 'operator'],
    columns: {
      zip,
      operator,
      concession_class: oneOf('T1', 'T2', 'T3', 'T4'),
      share,
      municipality_key: optional(pattern(/^\d{8}$/, 'must be eight digits')),
      city: optional(text),
    },
    rules: [statedOperator, sharesOfZip],
    carriedBy: ['zip'],
  },
  {
    name: 'load_profiles',
    key: ['profile', 'month', 'day_type', 'quarter_hour'],
    columns: {
      profile: pattern(/^[a-z0-9]+$/, 'must be lower-case letters and digits'),
      month: wholeNumber(1, MONTHS),
      day_type: oneOf(...DAY_TYPES),
      quarter_hour: wholeNumber(0, QUARTER_HOURS - 1),
      kwh: price,
    },
    rules: [],
    listedBy: ['profile'],
    expectedKeys: (stored) => [...new Set(stored.map((row) => row.profile ?? ''))].flatMap(keysOfProfile),
  },
];

export function columnsOf(table: ReferenceTable): Readonly<Record<string, ColumnKind>> {
  return { ...table.columns, ...COMMON_COLUMNS };
}

function keysOfProfile(profile: string): RowValues[] {
  return [...Array(MONTHS).keys()].flatMap((month) =>
    DAY_TYPES.flatMap((day_type) =>
      [...Array(QUARTER_HOURS).keys()].map((quarter_hour) => ({
        profile,
        month: String(month + 1),
        day_type,
        quarter_hour: String(quarter_hour),
      })),
    ),
  );
}
