import type { ExportName } from '../../config/export-names.ts';
import { MEASURED_FIELDS } from '../../telemetry/snapshots/fields.ts';

/*
 * The exports: views of an organization's analysts, column by column, as sql/analytics defines and describes them. A file is
 * written over many statements and maybe several runs, so its columns are a fixed list.
 */

/** Types of columns, with what Parquet calls them (docs/dictionary.md names those of the database). */
export const COLUMN_TYPES = {
  text: 'VARCHAR',
  /** Several, with spaces between them. */
  words: 'VARCHAR',
  instant: 'TIMESTAMP WITH TIME ZONE',
  clock_time: 'TIMESTAMP',
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

interface ExportKind {
  /** Of the rows. */
  view: string;
  /** The view is a function from one instant to another: it gives what begins between them. */
  isFunction?: true;
  columns: readonly ExportColumn[];
  /** Instant of a row, by which it belongs to a day; or that day itself. */
  at: string;
  isDay?: boolean;
  /** Whose the rows are: the view with one row for each, and its column in both views. Absent: of no organization. */
  key?: { view: string; column: string };
  /**
   * The rows of a day are read in the order of `at`, by an index. Without it by keys: of what has a row for each key and
   * day. Rare rows have portions for those keys alone that have some.
   */
  byInstant?: true;
  /** What stands behind day and key, or `at`, in the order of the file. */
  order: readonly string[];
  /** Column of `energy_progress`: retention has removed older rows of all organizations. Absent: it removes none. */
  keptSince?: 'snapshots_kept_since' | 'quarter_hours_kept_since';
}

const v = (name: string, type: ExportColumn['type']): ExportColumn => ({ name, type, of: 'v' });
const k = (name: string, type: ExportColumn['type']): ExportColumn => ({ name, type, of: 'k' });

/** The day, the clock on the wall, and what tells the two forms of the repeated hour apart. */
const LOCAL = [v('delivery_day', 'day'), v('local_time', 'clock_time'), v('utc_offset_hours', 'integer')];
const ASSET = [v('asset', 'text'), k('external_id', 'text'), v('household', 'text'), v('type', 'text')];
const ASSET_KEY = { view: 'assets', column: 'asset' };
const CONTRACT_KEY = { view: 'contracts', column: 'contract' };

/** Energy of a household, by quarter hour or day. */
const HOUSEHOLD_ENERGY = [
  ...[v('grid_import_kwh', 'number'), v('grid_export_kwh', 'number'), v('solar_kwh', 'number')],
  ...[v('battery_charge_kwh', 'number'), v('battery_discharge_kwh', 'number')],
  ...[v('wallbox_kwh', 'number'), v('wallbox_fed_kwh', 'number'), v('heat_pump_kwh', 'number')],
  ...[v('consumption_kwh', 'number'), v('residual_kwh', 'number'), v('is_residual_measured', 'yes_no')],
  ...[v('grid_covered_seconds', 'number'), v('covered_share', 'number')],
];

const EXPORT_KINDS = {
  snapshots: {
    view: 'snapshots',
    columns: [
      ...ASSET,
      v('timestamp', 'instant'),
      ...LOCAL,
      ...MEASURED_FIELDS.map(({ name, kind }) => v(name, kind === 'number' ? 'number' : 'yes_no')),
      v('created_at', 'instant'),
    ],
    at: 'timestamp',
    key: ASSET_KEY,
    order: ['timestamp'],
    keptSince: 'snapshots_kept_since',
  },
  energy: {
    view: 'energy',
    columns: [
      ...ASSET,
      v('start', 'instant'),
      ...LOCAL,
      v('consumed_kwh', 'number'),
      v('fed_kwh', 'number'),
      v('covered_seconds', 'number'),
    ],
    at: 'start',
    key: ASSET_KEY,
    order: ['start'],
    keptSince: 'quarter_hours_kept_since',
  },
  energy_days: {
    view: 'energy_days',
    columns: [
      ...ASSET,
      v('delivery_day', 'day'),
      ...[v('consumed_kwh', 'number'), v('fed_kwh', 'number')],
      ...[v('min_power_kw', 'number'), v('max_power_kw', 'number'), v('samples', 'integer')],
      ...[v('quarter_hours', 'integer'), v('covered_seconds', 'number'), v('covered_share', 'number')],
    ],
    at: 'delivery_day',
    isDay: true,
    key: ASSET_KEY,
    order: [],
    keptSince: 'quarter_hours_kept_since',
  },
  household_energy: {
    view: 'household_energy',
    columns: [v('household', 'text'), v('start', 'instant'), ...LOCAL, ...HOUSEHOLD_ENERGY],
    at: 'start',
    key: { view: 'households', column: 'household' },
    order: ['start'],
    keptSince: 'quarter_hours_kept_since',
  },
  household_energy_days: {
    view: 'household_energy_days',
    columns: [v('household', 'text'), v('delivery_day', 'day'), ...HOUSEHOLD_ENERGY],
    at: 'delivery_day',
    isDay: true,
    key: { view: 'households', column: 'household' },
    order: [],
    keptSince: 'quarter_hours_kept_since',
  },
  charging_sessions: {
    view: 'charging_sessions',
    isFunction: true,
    columns: [
      ...[
        v('asset', 'text'),
        k('external_id', 'text'),
        v('household', 'text'),
        v('start', 'instant'),
        ...LOCAL,
      ],
      ...[v('ended_at', 'instant'), v('charged_kwh', 'number'), v('fed_kwh', 'number')],
      ...[v('max_power_kw', 'number'), v('state_of_charge_before', 'number')],
      v('state_of_charge_after', 'number'),
    ],
    at: 'start',
    key: ASSET_KEY,
    order: ['start'],
    keptSince: 'quarter_hours_kept_since',
  },
  never_sent_assets: {
    view: 'never_sent_assets',
    columns: [...ASSET, v('created_at', 'instant')],
    at: 'created_at',
    key: ASSET_KEY,
    byInstant: true,
    order: ['asset'],
  },
  usage: {
    view: 'usage_quarter_hours',
    columns: [
      v('contract', 'text'),
      v('household', 'text'),
      v('start', 'instant'),
      ...LOCAL,
      v('kwh', 'kwh'),
      v('source', 'text'),
      v('kept_at', 'instant'),
    ],
    at: 'start',
    key: CONTRACT_KEY,
    order: ['start'],
  },
  retail_cost: {
    view: 'retail_cost',
    columns: [
      ...[v('contract', 'text'), v('household', 'text'), v('start', 'instant'), ...LOCAL, v('kwh', 'kwh')],
      ...[v('market_net_ct_kwh', 'ct_kwh'), v('margin_net_ct_kwh', 'ct_kwh'), v('grid_net_ct_kwh', 'ct_kwh')],
      ...[v('band', 'text'), v('levies_net_ct_kwh', 'ct_kwh'), v('vat_share', 'exact')],
      ...[v('gross_ct_kwh', 'number'), v('gross_eur', 'number'), v('is_synthetic', 'yes_no')],
    ],
    at: 'delivery_day',
    isDay: true,
    key: CONTRACT_KEY,
    order: ['start'],
  },
  retail_cost_days: {
    view: 'retail_cost_days',
    columns: [
      ...[v('contract', 'text'), v('household', 'text'), v('delivery_day', 'day'), v('kwh', 'kwh')],
      ...[v('gross_eur', 'number'), v('market_gross_eur', 'number'), v('margin_gross_eur', 'number')],
      ...[v('grid_gross_eur', 'number'), v('levies_gross_eur', 'number')],
      ...[v('quarter_hours', 'integer'), v('priced_quarter_hours', 'integer')],
    ],
    at: 'delivery_day',
    isDay: true,
    key: CONTRACT_KEY,
    order: [],
  },
  invoices: {
    view: 'invoices',
    columns: [
      ...[v('invoice', 'text'), v('contract', 'text'), v('household', 'text'), v('customer', 'text')],
      ...[v('type', 'text'), v('status', 'text'), v('ledger_number', 'integer'), v('voids', 'text')],
      ...[v('period_start_on', 'day'), v('period_end_on', 'day'), v('usage_kwh', 'exact')],
      ...[v('is_estimated', 'yes_no'), v('is_final', 'yes_no')],
      ...[v('net_eur', 'eur'), v('tax_eur', 'eur'), v('deducted_eur', 'eur'), v('total_eur', 'eur')],
      ...[v('due_on', 'day'), v('issued_at', 'instant'), v('paid_at', 'instant'), v('created_at', 'instant')],
    ],
    at: 'created_at',
    key: CONTRACT_KEY,
    byInstant: true,
    order: ['ledger_number'],
  },
  invoice_lines: {
    view: 'invoice_lines',
    columns: [
      ...[v('invoice', 'text'), v('position', 'integer'), v('contract', 'text'), k('household', 'text')],
      ...[v('customer', 'text'), v('type', 'text'), v('status', 'text'), v('kind', 'text')],
      ...[v('first_day', 'day'), v('end_day', 'day'), v('band', 'text'), v('quantity', 'exact')],
      ...[v('unit', 'text'), v('unit_price_net_eur', 'exact'), v('net_eur', 'eur'), v('vat_share', 'exact')],
      v('created_at', 'instant'),
    ],
    at: 'created_at',
    key: CONTRACT_KEY,
    byInstant: true,
    order: ['invoice', 'position'],
  },
  payments: {
    view: 'payments',
    columns: [
      ...[v('payment', 'text'), v('invoice', 'text'), v('contract', 'text'), k('household', 'text')],
      ...[v('customer', 'text'), v('direction', 'text'), v('way', 'text'), v('amount_eur', 'eur')],
      ...[v('status', 'text'), v('execute_on', 'day'), v('booked_on', 'day'), v('final_on', 'day')],
      ...[v('return_reason', 'text'), v('created_at', 'instant')],
    ],
    at: 'created_at',
    key: CONTRACT_KEY,
    byInstant: true,
    order: ['payment'],
  },
  reminders: {
    view: 'reminders',
    columns: [
      ...[v('invoice', 'text'), v('level', 'integer'), v('contract', 'text'), k('household', 'text')],
      ...[v('customer', 'text'), v('amount_eur', 'eur'), v('reminded_on', 'day')],
    ],
    at: 'reminded_on',
    isDay: true,
    key: CONTRACT_KEY,
    byInstant: true,
    order: ['invoice', 'level'],
  },
  leads: {
    view: 'leads',
    columns: [
      ...[v('lead', 'text'), v('plan', 'text'), v('created_at', 'instant'), v('last_visited_at', 'instant')],
      ...[
        v('subscribed_at', 'instant'),
        v('contract', 'text'),
        v('customer', 'text'),
        v('household', 'text'),
      ],
      ...[v('contract_status', 'text'), v('start_at', 'instant'), v('end_at', 'instant')],
      ...[v('termination_reason', 'text'), v('outcome', 'text')],
    ],
    at: 'created_at',
    key: { view: 'leads', column: 'lead' },
    byInstant: true,
    order: ['lead'],
  },
  events: {
    view: 'events',
    columns: [
      ...[v('event', 'text'), v('topic', 'text'), v('timestamp', 'instant'), v('delivery_day', 'day')],
    ],
    at: 'timestamp',
    key: { view: 'events', column: 'event' },
    byInstant: true,
    order: ['event'],
  },
  webhook_deliveries: {
    view: 'webhook_deliveries',
    columns: [
      ...[v('event', 'text'), v('topic', 'text'), v('endpoint', 'text'), v('state', 'text')],
      ...[v('created_at', 'instant'), v('attempts', 'integer'), v('last_attempt_at', 'instant')],
      ...[v('delivered_at', 'instant'), v('took_seconds', 'number'), v('last_status', 'integer')],
      v('next_at', 'instant'),
    ],
    at: 'created_at',
    key: { view: 'webhook_endpoints', column: 'endpoint' },
    byInstant: true,
    order: ['event', 'endpoint'],
  },
  prices: {
    view: 'spot_prices',
    columns: [
      v('zone', 'text'),
      v('start', 'instant'),
      v('minutes', 'integer'),
      ...LOCAL,
      v('eur_mwh', 'eur_mwh'),
      v('ct_kwh', 'ct_kwh'),
      v('source', 'text'),
      v('is_synthetic', 'yes_no'),
    ],
    at: 'start',
    order: ['zone', 'start', 'minutes'],
  },
  price_forecasts: {
    view: 'price_forecasts',
    columns: [
      ...[v('zone', 'text'), v('source', 'text'), v('kind', 'text'), v('start', 'instant')],
      ...[v('minutes', 'integer'), ...LOCAL, v('eur_mwh', 'eur_mwh'), v('came_eur_mwh', 'eur_mwh')],
      ...[v('captured_at', 'instant'), v('is_late', 'yes_no')],
    ],
    at: 'delivery_day',
    isDay: true,
    order: ['zone', 'source', 'kind', 'start'],
  },
  fee_days: {
    view: 'fee_days',
    columns: [
      ...[v('delivery_day', 'day'), v('zip', 'text'), v('grid_operator', 'text')],
      ...[v('grid_base_net_eur_year', 'exact'), v('grid_net_ct_kwh', 'ct_kwh')],
      ...[v('grid_module_2_net_ct_kwh', 'ct_kwh'), v('concession_net_ct_kwh', 'ct_kwh')],
      ...[v('levies_net_ct_kwh', 'ct_kwh'), v('vat_share', 'exact')],
    ],
    at: 'delivery_day',
    isDay: true,
    order: ['zip'],
  },
  calendar: {
    view: 'calendar',
    columns: [
      ...[v('delivery_day', 'day'), v('weekday', 'integer'), v('is_weekend', 'yes_no'), v('week', 'day')],
      ...[v('month', 'day'), v('hours', 'integer'), v('clock_change', 'text'), v('is_holiday', 'yes_no')],
      ...[v('holiday', 'text'), v('holiday_states', 'words')],
    ],
    at: 'delivery_day',
    isDay: true,
    order: ['delivery_day'],
  },
} as const satisfies Record<ExportName, ExportKind>;

export const exportKind = (name: ExportName): ExportKind => EXPORT_KINDS[name];
