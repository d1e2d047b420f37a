import { Decimal } from 'decimal.js';
import { MUNICIPALITY_CLASSES } from '../codes.ts';
import { module1Net, module2Net } from '../module-formulas.ts';
import { isValidOn, type Validity } from '../validity.ts';
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
import { type ReferenceRow, type RuleContext, soundValues, type TableRule } from './rows.ts';
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

/** An operator is named by its code: a row about one that nobody knows is a slip of the pen. */
const statedOperator: TableRule = (rows, context) => {
  const known = operatorCodes(context);
  for (const row of rows) {
    const [operator] = soundValues(row, 'operator') ?? [];
    if (row.line === null || operator === undefined || known.has(operator)) continue;
    context.problem(row, 'operator', 'is unknown: grid_operators has no such operator');
  }
};

/** The other side of it: an operator that stored rows name cannot be removed alone. */
const usedOperators: TableRule = (_, context) => {
  const known = operatorCodes(context);
  for (const table of ['grid_fees', 'grid_fee_schedules', 'zip_areas']) {
    const stored = context.rows(table).filter((row) => row.line === null);
    const missing = stored.filter((row) => !known.has(row.values.operator ?? ''));
    for (const [first] of Map.groupBy(missing, (row) => row.values.operator).values()) {
      if (first !== undefined)
        context.problem(first, 'operator', `cannot be removed: rows of ${table} name it`);
    }
  }
};

function operatorCodes(context: RuleContext): Set<string> {
  return new Set(context.rows('grid_operators').flatMap((row) => soundValues(row, 'operator') ?? []));
}

const MODULE_1_DIFFERENCE_MAX = '0.02';
const MODULE_2_DIFFERENCE_MAX = '0.01';

/** Operators round, but what is far from the formula is more likely a wrong digit. */
const publishedModules: TableRule = (rows, context) => {
  for (const row of rows) {
    if (row.line === null) continue;
    const [working, from] = soundValues(row, 'working_ct_net', 'valid_from') ?? [];
    if (working === undefined || from === undefined) continue;
    const vatRate = vatRateOn(context, from);
    const module1 = vatRate === undefined ? undefined : module1Net(working, vatRate);
    compare(row, 'module_1_eur_year_net', module1, MODULE_1_DIFFERENCE_MAX, context);
    compare(row, 'module_2_ct_net', module2Net(working), MODULE_2_DIFFERENCE_MAX, context);
  }
};

function compare(
  row: ReferenceRow,
  column: string,
  formula: Decimal | undefined,
  differenceMax: string,
  context: RuleContext,
): void {
  const [published] = soundValues(row, column) ?? [];
  if (published === undefined || formula === undefined) return;
  if (formula.minus(published).abs().lessThanOrEqualTo(differenceMax)) return;
  context.warning(row, column, `is far from the formula, which gives ${formula.toFixed(2)}`);
}

function vatRateOn(context: RuleContext, on: string): string | undefined {
  for (const row of context.rows('vat_rates')) {
    const [rate] = soundValues(row, 'rate', 'valid_from') ?? [];
    if (rate !== undefined && !row.bad.has('valid_to') && isValidOn(validityOf(row), on)) return rate;
  }
  return undefined;
}

/** The parts of a zip are at most the whole of it, on every day. */
const sharesOfZip: TableRule = (rows, context) => {
  const sound = rows.filter(
    (row) =>
      soundValues(row, 'zip', 'operator', 'share', 'valid_from') !== undefined && !row.bad.has('valid_to'),
  );
  for (const [zip, ofZip] of Map.groupBy(sound, (row) => row.values.zip)) {
    if (ofZip.length < 2 || ofZip.every((row) => row.line === null)) continue;
    /* The sum only grows on a day on which a row begins. */
    for (const on of new Set(ofZip.map((row) => validityOf(row).valid_from))) {
      const valid = ofZip.filter((row) => isValidOn(validityOf(row), on));
      const sum = Decimal.sum(...valid.map((row) => row.values.share ?? '0'));
      const last = valid.findLast((row) => row.line !== null);
      const isTwice = new Set(valid.map((row) => row.values.operator)).size < valid.length;
      if (sum.lessThanOrEqualTo(1) || last === undefined || isTwice) continue;
      context.problem(last, 'share', `the shares of ${zip} sum to ${sum.toFixed()} on ${on}`);
      break;
    }
  }
};

function validityOf({ values }: ReferenceRow): Validity {
  return { valid_from: values.valid_from ?? '', valid_to: values.valid_to ?? null };
}

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
