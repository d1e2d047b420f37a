/*
 * What an export is made of: the columns of a view of an organization's analysts, as sql/analytics defines and describes them. A
 * file is written over many statements and maybe several runs, so its columns are a fixed list.
 */

/** Types of columns, with what Parquet calls them (docs/dictionary.md names those of the database). */
export const COLUMN_TYPES = {
  text: 'VARCHAR',
  /** Several, with spaces between them. */
  words: 'VARCHAR',
  instant: 'TIMESTAMP WITH TIME ZONE',
  clock_time: 'TIMESTAMP',
  time_of_day: 'TIME',
  day: 'DATE',
  integer: 'INTEGER',
  number: 'DOUBLE',
  yes_no: 'BOOLEAN',
  /** Prices and metered energy: exact. Markets publish two digits; what is metered is stored with twelve. */
  eur_mwh: 'DECIMAL(18, 8)',
  ct_kwh: 'DECIMAL(18, 9)',
  kwh: 'DECIMAL(18, 12)',
  /** What else is stored exactly: figures of price sheets, quantities and prices of bills. */
  exact: 'DECIMAL(24, 12)',
  /** Amounts of bills have cents. */
  eur: 'DECIMAL(14, 2)',
} as const;

export interface ExportColumn {
  name: string;
  type: keyof typeof COLUMN_TYPES;
  /** Alias of its view in the statement: `v`, the view of the rows, or `k`, that of the keys. */
  of: 'v' | 'k';
}

export interface ExportKind {
  /** Of the rows. */
  view: string;
  /** The view is a function from one instant to another: it gives what begins between them. */
  isFunction?: true;
  columns: readonly ExportColumn[];
  /** Instant of a row, by which it belongs to a day; or that day itself. Absent: a list, which is exported as it is now. */
  at?: string;
  isDay?: boolean;
  /** The day of a row is the first of its month. */
  isMonth?: true;
  /** Whose the rows are: the view with one row for each, and its column in both views. Absent: of no organization. */
  key?: { view: string; column: string };
  /** Of no organization, and shown to those alone for which forecasts are enabled. */
  isForecast?: true;
  /** One row for each organization, which names nothing in it. */
  isOneRow?: true;
  /**
   * The rows of a day are read in the order of `at`, by an index. Without it by keys: of what has a row for each key and
   * day. Rare rows have portions for those keys alone that have some.
   */
  byInstant?: true;
  /** What stands behind day and key, or `at`, in the order of the file. */
  order: readonly string[];
  /** Column of `energy_progress`: retention has removed older rows of all organizations. Absent: it removes none. */
  keptSince?: 'snapshots_kept_since' | 'quarter_hours_kept_since' | 'days_kept_since';
}

/** Columns of one type, their names with spaces between them: of the view of the rows, and of that of the keys. */
export const v = (type: ExportColumn['type'], names: string) => columnsOf('v', type, names);
export const k = (type: ExportColumn['type'], names: string) => columnsOf('k', type, names);
const columnsOf = (of: ExportColumn['of'], type: ExportColumn['type'], names: string): ExportColumn[] =>
  names.split(' ').map((name) => ({ name, type, of }));

/** The day, the clock on the wall, and what tells the two forms of the repeated hour apart. */
export const LOCAL = [
  ...v('day', 'delivery_day'),
  ...v('clock_time', 'local_time'),
  ...v('integer', 'utc_offset_hours'),
];
export const ASSET = [...v('text', 'asset'), ...k('text', 'external_id'), ...v('text', 'household type')];
export const ASSET_KEY = { view: 'assets', column: 'asset' };
export const CONTRACT_KEY = { view: 'contracts', column: 'contract' };
export const CUSTOMER_KEY = { view: 'customers', column: 'customer' };
export const HOUSEHOLD_KEY = { view: 'households', column: 'household' };
export const LEAD_KEY = { view: 'leads', column: 'lead' };
export const PLAN_KEY = { view: 'plans', column: 'plan' };
export const ENDPOINT_KEY = { view: 'webhook_endpoints', column: 'endpoint' };

/** Rows that belong to the day on which they were made. */
export const madeOn = (view: string, key: typeof ASSET_KEY, order: string, columns: ExportColumn[]) =>
  ({ view, key, columns, at: 'created_at', byInstant: true, order: order.split(' ') }) satisfies ExportKind;

/** Sums of a month. */
export const OF_MONTHS = {
  at: 'month',
  isDay: true,
  isMonth: true,
  order: ['month'],
} as const satisfies Partial<ExportKind>;
