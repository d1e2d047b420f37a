import type { CsvProblem } from '../../platform/csv/csv.ts';
import { type CsvRow, readCsvTable } from '../../platform/csv/table.ts';
import { isId } from '../../platform/ids.ts';
import { type PlanRow, type PlanTermsRow, TERM_COLUMNS } from './queries.ts';
import { PLAN_TYPES, SMART_METER_PRODUCTS } from './schema.ts';

/** The first of a plan's rows has to name these; the others may be left out of the file. */
const REQUIRED = ['slug', 'name', 'type', 'base_fee_net'];
const OPTIONAL = ['id', 'description', 'status', ...TERM_COLUMNS.filter((name) => !REQUIRED.includes(name))];

const NAME_CHARACTERS_MAX = 100;
const DESCRIPTION_CHARACTERS_MAX = 1_000;
/** RFC 1035, 2.3.4: a slug is the first label of a host name. */
const SLUG_CHARACTERS_MAX = 63;

/** One row of the file: the plan, repeated in each of its rows, and the terms of one period. */
export interface PlanFileRow {
  row: CsvRow;
  /** Null: as it is stored. */
  plan: Pick<PlanRow, 'slug' | 'name' | 'type'> & {
    [Key in 'id' | 'description' | 'status']: PlanRow[Key] | null;
  };
  terms: PlanTermsRow;
  /** Columns of terms that the file does not have. */
  leftOut: readonly (keyof PlanTermsRow)[];
}

/** The rows without a problem, and the problems of all others. */
export function readPlanFile(bytes: Uint8Array): { rows: PlanFileRow[]; problems: CsvProblem[] } {
  const table = readCsvTable(bytes, { columns: [...REQUIRED, ...OPTIONAL], optional: OPTIONAL });
  const rows: PlanFileRow[] = [];
  for (const row of table.rows) {
    const before = table.problems.length;
    const read = { row, plan: planOf(row), terms: termsOf(row), leftOut: leftOutOf(row) };
    if (table.problems.length === before) rows.push(read as PlanFileRow);
  }
  return { rows, problems: table.problems };
}

/** The parts of one thing are there together: a file with one of their columns says all of it. */
const TOGETHER = [
  ...(['valid_to', 'margin_ct_net', 'optimization_rate', 'cancellation_months'] as const).map((name) => [
    name,
  ]),
  ['smart_meter_product'],
  ['sells_module_1', 'sells_module_2', 'sells_module_3'],
  ['discount_name', 'discount_amount_off', 'discount_duration', 'discount_duration_in_months'],
] as const;

function leftOutOf(row: CsvRow): PlanFileRow['leftOut'] {
  return TOGETHER.filter((columns) => !columns.some((column) => row.has(column))).flat();
}

type ReadPart<Part> = { [Key in keyof Part]: Part[Key] | null };

function planOf(row: CsvRow): ReadPart<PlanFileRow['plan']> {
  const id = row.text('id');
  if (id !== null && !(isId(id) && id.startsWith('pln_')))
    row.refuse('id', 'Not pln_ and 24 letters or digits');
  return {
    id,
    slug: row.needed('slug', slugOf(row)),
    name: row.needed('name', textOf(row, NAME_CHARACTERS_MAX)),
    description: row.has('description')
      ? (textOf(row, DESCRIPTION_CHARACTERS_MAX)('description') ?? '')
      : null,
    status: row.oneOf('status', ['active', 'archived']),
    type: row.needed('type', (column) => row.oneOf(column, PLAN_TYPES)),
  };
}

function slugOf(row: CsvRow) {
  const rule = 'Lower-case letters, digits and single hyphens between them';
  return (column: string) => {
    const slug = row.matching(column, /^[a-z0-9]+(-[a-z0-9]+)*$/, rule);
    if (slug !== null && slug.length > SLUG_CHARACTERS_MAX) {
      return row.refuse(column, `At most ${SLUG_CHARACTERS_MAX} characters`);
    }
    return slug;
  };
}

function textOf(row: CsvRow, charactersMax: number) {
  return (column: string) => {
    const text = row.text(column);
    return text !== null && [...text].length > charactersMax
      ? row.refuse(column, `At most ${charactersMax} characters`)
      : text;
  };
}

/** In EUR a month, or ct a kWh: a larger one is a slip of the keyboard. */
const AMOUNT_MAX = 100_000;

function termsOf(row: CsvRow): ReadPart<PlanTermsRow> {
  const isFeedIn = row.raw('type') === 'feed_in';
  const amount = (column: string) => row.decimal(column, { min: 0, max: AMOUNT_MAX });
  const valid_from = row.date('valid_from');
  const valid_to = row.date('valid_to');
  if (valid_from !== null && valid_to !== null && valid_to <= valid_from) {
    row.refuse('valid_to', 'Not after valid_from');
  }
  const modules = {
    sells_module_1: row.yesNo('sells_module_1') ?? false,
    sells_module_2: row.yesNo('sells_module_2') ?? false,
    sells_module_3: row.yesNo('sells_module_3') ?? false,
  };
  if (modules.sells_module_3 && !modules.sells_module_1) {
    row.refuse('sells_module_3', 'Module 3 demands module 1');
  }
  return {
    valid_from,
    valid_to,
    /* A feed-in plan may have none. */
    base_fee_net: isFeedIn ? (amount('base_fee_net') ?? '0') : row.needed('base_fee_net', amount),
    margin_ct_net: amount('margin_ct_net') ?? '0',
    optimization_rate: row.decimal('optimization_rate', { min: 0, max: 1 }),
    ...modules,
    cancellation_months: row.raw('cancellation_months') === '' ? 1 : row.wholeNumber('cancellation_months'),
    smart_meter_product: row.oneOf('smart_meter_product', SMART_METER_PRODUCTS),
    ...discountOf(row, isFeedIn),
    ...feedInOf(row, isFeedIn),
  };
}

type Discount = ReadPart<
  Pick<
    PlanTermsRow,
    'discount_name' | 'discount_amount_off' | 'discount_duration' | 'discount_duration_in_months'
  >
>;

const DISCOUNT_COLUMNS = ['discount_name', 'discount_amount_off', 'discount_duration'];
const MONTHS = 'discount_duration_in_months';

function discountOf(row: CsvRow, isFeedIn: boolean): Discount {
  const duration = row.oneOf('discount_duration', ['once', 'recurring']);
  const discount = {
    discount_name: textOf(row, NAME_CHARACTERS_MAX)('discount_name'),
    discount_amount_off: row.decimal('discount_amount_off', {
      min: 0.01,
      max: AMOUNT_MAX,
      fractionDigitsMax: 2,
    }),
    discount_duration: duration,
    [MONTHS]: row.wholeNumber(MONTHS, { min: 1 }),
  };
  const given = [...DISCOUNT_COLUMNS, MONTHS].filter((column) => row.raw(column) !== '');
  if (given.length === 0) return discount;
  if (isFeedIn) {
    for (const column of given) row.refuse(column, 'A feed-in plan has no discount');
    return discount;
  }
  for (const column of DISCOUNT_COLUMNS) {
    if (!given.includes(column)) row.refuse(column, 'A discount needs name, amount and duration');
  }
  if (duration === 'recurring' && !given.includes(MONTHS)) row.refuse(MONTHS, 'Needed when it recurs');
  if (duration === 'once' && given.includes(MONTHS)) row.refuse(MONTHS, 'Empty when it is given once');
  return discount;
}

type FeedIn = ReadPart<
  Pick<
    PlanTermsRow,
    'feed_in_kind' | 'feed_in_scope' | 'feed_in_up_to_kw' | 'feed_in_ct_net' | 'feed_in_margin_ct_net'
  >
>;

const FEED_IN_COLUMNS = [
  'feed_in_kind',
  'feed_in_scope',
  'feed_in_up_to_kw',
  'feed_in_ct_net',
  'feed_in_margin_ct_net',
];

const NEEDED_BY_KIND = {
  eeg: ['feed_in_scope', 'feed_in_up_to_kw'],
  direct: ['feed_in_scope', 'feed_in_up_to_kw', 'feed_in_margin_ct_net'],
  fixed: ['feed_in_ct_net'],
} as const;

function feedInOf(row: CsvRow, isFeedIn: boolean): FeedIn {
  const kind = row.oneOf('feed_in_kind', ['eeg', 'direct', 'fixed']);
  const size = row.oneOf('feed_in_up_to_kw', ['10', '40', '100']);
  const feedIn = {
    feed_in_kind: kind,
    feed_in_scope: row.oneOf('feed_in_scope', ['partial', 'full']),
    feed_in_up_to_kw: size === null ? null : Number(size),
    feed_in_ct_net: row.decimal('feed_in_ct_net', { min: 0, max: AMOUNT_MAX }),
    feed_in_margin_ct_net: row.decimal('feed_in_margin_ct_net', { min: 0, max: AMOUNT_MAX }),
  };
  if (isFeedIn && row.raw('feed_in_kind') === '') row.refuse('feed_in_kind', 'A feed-in plan needs it');
  if (!isFeedIn) {
    for (const column of FEED_IN_COLUMNS) {
      if (row.raw(column) !== '') row.refuse(column, 'On feed-in plans only');
    }
  } else if (kind !== null) {
    for (const column of NEEDED_BY_KIND[kind]) {
      if (row.raw(column) === '') row.refuse(column, `Needed where feed_in_kind is ${kind}`);
    }
  }
  return feedIn;
}
