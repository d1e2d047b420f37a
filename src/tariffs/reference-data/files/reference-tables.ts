import { DAY_TYPES, MONTHS, QUARTER_HOURS } from '../load-profile.ts';
import { oneOf, pattern, price, wholeNumber } from './column-kinds.ts';
import { GRID_TABLES } from './grid-tables.ts';
import { NATIONAL_TABLES } from './national-tables.ts';
import type { RowValues } from './rows.ts';
import type { ReferenceTable } from './table-description.ts';

const LOAD_PROFILES: ReferenceTable = {
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
  isBilledWhole: true,
  expectedKeys: (stored) => [...new Set(stored.map((row) => row.profile ?? ''))].flatMap(keysOfProfile),
};

export const REFERENCE_TABLES: readonly ReferenceTable[] = [
  ...NATIONAL_TABLES,
  ...GRID_TABLES,
  LOAD_PROFILES,
];

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
