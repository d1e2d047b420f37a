import { MUNICIPALITY_CLASSES } from '../codes.ts';
import {
  clockWindowList,
  oneOf,
  operator,
  optional,
  part,
  pattern,
  price,
  quarterList,
  share,
  text,
  yesOrNo,
  zip,
} from './column-kinds.ts';
import {
  soundShareOfYear,
  soundWeights,
  soundWindows,
  standardIsWorkingPrice,
  usualRatios,
  weightsOfProfile,
  workingPriceIsStandard,
} from './schedule-rules.ts';
import type { ReferenceTable } from './table-description.ts';
import { publishedModules, sharesOfZip, statedOperator, usedOperators } from './table-rules.ts';

/** Who runs a grid, what it costs, and where it is. */
export const GRID_TABLES: readonly ReferenceTable[] = [
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
    rules: [statedOperator, publishedModules, workingPriceIsStandard],
    expectedKeys: (_, rowsOnDay) =>
      rowsOnDay('grid_operators').map(({ operator: code = null }) => ({ operator: code })),
  },
  {
    name: 'grid_fee_schedules',
    key: ['operator'],
    columns: {
      operator,
      low_ct_net: price,
      standard_ct_net: price,
      high_ct_net: price,
      quarters: quarterList,
      low_windows: clockWindowList,
      high_windows: clockWindowList,
      weight_low: optional(part),
      weight_standard: optional(part),
      weight_high: optional(part),
      share_of_year: share,
    },
    rules: [
      statedOperator,
      standardIsWorkingPrice,
      soundWindows,
      soundWeights,
      soundShareOfYear,
      usualRatios,
      weightsOfProfile,
    ],
  },
  {
    name: 'zip_areas',
    key: ['zip', 'operator'],
    columns: {
      zip,
      operator,
      concession_class: oneOf(...MUNICIPALITY_CLASSES),
      share,
      municipality_key: optional(pattern(/^\d{8}$/, 'must be eight digits')),
      city: optional(text),
    },
    rules: [statedOperator, sharesOfZip],
    carriedBy: ['zip'],
  },
];
