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
  /** Of no organization, and shown to those alone for which forecasts are enabled. */
  isForecast?: true;
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
const v = (type: ExportColumn['type'], names: string) => columnsOf('v', type, names);
const k = (type: ExportColumn['type'], names: string) => columnsOf('k', type, names);
const columnsOf = (of: ExportColumn['of'], type: ExportColumn['type'], names: string): ExportColumn[] =>
  names.split(' ').map((name) => ({ name, type, of }));

/** The day, the clock on the wall, and what tells the two forms of the repeated hour apart. */
const LOCAL = [
  ...v('day', 'delivery_day'),
  ...v('clock_time', 'local_time'),
  ...v('integer', 'utc_offset_hours'),
];
const ASSET = [...v('text', 'asset'), ...k('text', 'external_id'), ...v('text', 'household type')];
const USAGE = [...v('text', 'contract household'), ...v('instant', 'start'), ...LOCAL, ...v('kwh', 'kwh')];
const ASSET_KEY = { view: 'assets', column: 'asset' };
const CONTRACT_KEY = { view: 'contracts', column: 'contract' };
const CUSTOMER_KEY = { view: 'customers', column: 'customer' };
const HOUSEHOLD_KEY = { view: 'households', column: 'household' };
const LEAD_KEY = { view: 'leads', column: 'lead' };
const ENDPOINT_KEY = { view: 'webhook_endpoints', column: 'endpoint' };

/** Rows that belong to the day on which they were made. */
const madeOn = (view: string, key: typeof ASSET_KEY, order: string, columns: ExportColumn[]) =>
  ({ view, key, columns, at: 'created_at', byInstant: true, order: order.split(' ') }) satisfies ExportKind;

/** Energy of a household, by quarter hour or day. */
const HOUSEHOLD_ENERGY = [
  ...v('number', 'grid_import_kwh grid_export_kwh solar_kwh battery_charge_kwh battery_discharge_kwh'),
  ...v('number', 'wallbox_kwh wallbox_fed_kwh heat_pump_kwh consumption_kwh residual_kwh'),
  ...v('yes_no', 'is_residual_measured'),
  ...v('number', 'grid_covered_seconds covered_share'),
];

const EXPORT_KINDS = {
  snapshots: {
    view: 'snapshots',
    columns: [
      ...ASSET,
      ...v('instant', 'timestamp'),
      ...LOCAL,
      ...MEASURED_FIELDS.flatMap(({ name, kind }) => v(kind === 'number' ? 'number' : 'yes_no', name)),
      ...v('instant', 'created_at'),
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
      ...v('instant', 'start'),
      ...LOCAL,
      ...v('number', 'consumed_kwh fed_kwh covered_seconds'),
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
      ...v('day', 'delivery_day'),
      ...v('number', 'consumed_kwh fed_kwh min_power_kw max_power_kw'),
      ...v('integer', 'samples quarter_hours'),
      ...v('number', 'covered_seconds covered_share'),
    ],
    at: 'delivery_day',
    isDay: true,
    key: ASSET_KEY,
    order: [],
    keptSince: 'days_kept_since',
  },
  household_energy: {
    view: 'household_energy',
    columns: [...v('text', 'household'), ...v('instant', 'start'), ...LOCAL, ...HOUSEHOLD_ENERGY],
    at: 'start',
    key: HOUSEHOLD_KEY,
    order: ['start'],
    keptSince: 'quarter_hours_kept_since',
  },
  household_energy_days: {
    view: 'household_energy_days',
    columns: [...v('text', 'household'), ...v('day', 'delivery_day'), ...HOUSEHOLD_ENERGY],
    at: 'delivery_day',
    isDay: true,
    key: HOUSEHOLD_KEY,
    order: [],
    keptSince: 'days_kept_since',
  },
  charging_sessions: {
    view: 'charging_sessions',
    isFunction: true,
    columns: [
      ...v('text', 'asset'),
      ...k('text', 'external_id'),
      ...v('text', 'household'),
      ...v('instant', 'start'),
      ...LOCAL,
      ...v('instant', 'ended_at'),
      ...v('number', 'charged_kwh fed_kwh max_power_kw state_of_charge_before state_of_charge_after'),
    ],
    at: 'start',
    key: ASSET_KEY,
    order: ['start'],
    /* The state of charge before a session is that of a snapshot. */
    keptSince: 'snapshots_kept_since',
  },
  never_sent_assets: madeOn('never_sent_assets', ASSET_KEY, 'asset', [
    ...ASSET,
    ...v('instant', 'created_at'),
  ]),
  usage: {
    view: 'usage_quarter_hours',
    columns: [...USAGE, ...v('text', 'source'), ...v('instant', 'kept_at')],
    at: 'start',
    key: CONTRACT_KEY,
    order: ['start'],
  },
  retail_cost: {
    view: 'retail_cost',
    columns: [
      ...USAGE,
      ...v('ct_kwh', 'market_net_ct_kwh margin_net_ct_kwh grid_net_ct_kwh'),
      ...v('text', 'band'),
      ...v('ct_kwh', 'levies_net_ct_kwh'),
      ...v('exact', 'vat_share'),
      ...v('number', 'gross_ct_kwh gross_eur'),
      ...v('yes_no', 'is_synthetic'),
    ],
    at: 'delivery_day',
    isDay: true,
    key: CONTRACT_KEY,
    order: ['start'],
  },
  retail_cost_days: {
    view: 'retail_cost_days',
    columns: [
      ...v('text', 'contract household'),
      ...v('day', 'delivery_day'),
      ...v('kwh', 'kwh'),
      ...v('number', 'gross_eur market_gross_eur margin_gross_eur grid_gross_eur levies_gross_eur'),
      ...v('integer', 'quarter_hours priced_quarter_hours'),
      ...v('yes_no', 'is_synthetic'),
    ],
    at: 'delivery_day',
    isDay: true,
    key: CONTRACT_KEY,
    order: [],
  },
  customers: madeOn('customers', CUSTOMER_KEY, 'customer', [
    ...v('text', 'customer type'),
    ...v('instant', 'created_at'),
  ]),
  households: madeOn('households', HOUSEHOLD_KEY, 'household', [
    ...v('text', 'household customer zip grid_operator'),
    ...v('instant', 'created_at'),
  ]),
  assets: madeOn('assets', ASSET_KEY, 'asset', [
    ...v('text', 'asset external_id household customer type manufacturer model parent_inverter'),
    ...v('number', 'max_power_kw peak_power_kw azimuth_degrees tilt_degrees'),
    ...v('number', 'capacity_kwh max_charge_power_kw max_discharge_power_kw thermal_power_kw'),
    ...v('integer', 'phases'),
    ...v('yes_no', 'hybrid bidirectional'),
    ...v('instant', 'decommissioned_at created_at'),
  ]),
  contracts: madeOn('contracts', CONTRACT_KEY, 'contract', [
    ...v('text', 'contract household customer meter zip grid_operator type status plan plan_name'),
    ...v('exact', 'estimated_kwh_year'),
    ...v('day', 'intended_start_on start_on end_on'),
    ...v('text', 'termination_reason'),
    ...v('yes_no', 'is_tax_exempt'),
    ...v('day', 'plant_commissioned_on'),
    ...v('exact', 'plant_size_kw'),
    ...v('instant', 'confirmed_at terminated_at created_at'),
  ]),
  meter_orders: madeOn('meter_orders', CONTRACT_KEY, 'meter_order', [
    ...v('text', 'meter_order contract'),
    ...k('text', 'household'),
    ...v('text', 'customer product provider status cancelled_reason blocked_reason'),
    ...v('instant', 'details_received_at appointment_at installed_at activated_at cancelled_at'),
    ...v('instant', 'blocked_at created_at'),
  ]),
  grid_fee_reductions: madeOn('grid_fee_reductions', CONTRACT_KEY, 'grid_fee_reduction', [
    ...v('text', 'grid_fee_reduction contract'),
    ...k('text', 'household'),
    ...v('text', 'customer type status'),
    ...v('instant', 'valid_from valid_until created_at'),
  ]),
  invoices: madeOn('invoices', CONTRACT_KEY, 'ledger_number', [
    ...v('text', 'invoice contract household customer type status'),
    ...v('integer', 'ledger_number'),
    ...v('text', 'voids'),
    ...v('day', 'period_start_on period_end_on'),
    ...v('exact', 'usage_kwh'),
    ...v('yes_no', 'is_estimated is_final'),
    ...v('eur', 'net_eur tax_eur deducted_eur total_eur'),
    ...v('day', 'due_on'),
    ...v('eur', 'missing_eur'),
    ...v('text', 'taken_over_by'),
    ...v('instant', 'issued_at paid_at created_at'),
  ]),
  invoice_lines: madeOn('invoice_lines', CONTRACT_KEY, 'invoice position', [
    ...v('text', 'invoice'),
    ...v('integer', 'position'),
    ...v('text', 'contract'),
    ...k('text', 'household'),
    ...v('text', 'customer type status kind'),
    ...v('day', 'first_day end_day'),
    ...v('text', 'band'),
    ...v('exact', 'quantity'),
    ...v('text', 'unit'),
    ...v('exact', 'unit_price_net_eur'),
    ...v('eur', 'net_eur'),
    ...v('exact', 'vat_share'),
    ...v('instant', 'created_at'),
  ]),
  payments: madeOn('payments', CONTRACT_KEY, 'payment', [
    ...v('text', 'payment invoice contract'),
    ...k('text', 'household'),
    ...v('text', 'customer direction way'),
    ...v('eur', 'amount_eur'),
    ...v('text', 'status'),
    ...v('day', 'execute_on booked_on final_on'),
    ...v('text', 'return_reason'),
    ...v('instant', 'created_at'),
  ]),
  reminders: {
    view: 'reminders',
    columns: [
      ...v('text', 'invoice'),
      ...v('integer', 'level'),
      ...v('text', 'contract'),
      ...k('text', 'household'),
      ...v('text', 'customer'),
      ...v('eur', 'amount_eur'),
      ...v('day', 'reminded_on'),
    ],
    at: 'reminded_on',
    isDay: true,
    key: CONTRACT_KEY,
    byInstant: true,
    order: ['invoice', 'level'],
  },
  leads: madeOn('leads', LEAD_KEY, 'lead', [
    ...v('text', 'lead plan'),
    ...v('instant', 'created_at last_visited_at subscribed_at'),
    ...v('text', 'contract customer household contract_status'),
    ...v('instant', 'start_at end_at'),
    ...v('text', 'termination_reason outcome'),
  ]),
  events: {
    view: 'events',
    columns: [...v('text', 'event topic'), ...v('instant', 'timestamp'), ...v('day', 'delivery_day')],
    at: 'timestamp',
    key: { view: 'events', column: 'event' },
    byInstant: true,
    order: ['event'],
  },
  webhook_deliveries: madeOn('webhook_deliveries', ENDPOINT_KEY, 'event endpoint', [
    ...v('text', 'event topic endpoint state'),
    ...v('instant', 'created_at'),
    ...v('integer', 'attempts'),
    ...v('instant', 'last_attempt_at delivered_at'),
    ...v('number', 'took_seconds'),
    ...v('integer', 'last_status'),
    ...v('instant', 'next_at'),
  ]),
  prices: {
    view: 'spot_prices',
    columns: [
      ...v('text', 'zone'),
      ...v('instant', 'start'),
      ...v('integer', 'minutes'),
      ...LOCAL,
      ...v('eur_mwh', 'eur_mwh'),
      ...v('ct_kwh', 'ct_kwh'),
      ...v('text', 'source'),
      ...v('yes_no', 'is_synthetic'),
    ],
    at: 'start',
    order: ['zone', 'start', 'minutes'],
  },
  price_forecasts: {
    view: 'price_forecasts',
    isForecast: true,
    columns: [
      ...v('text', 'zone source kind'),
      ...v('instant', 'start'),
      ...v('integer', 'minutes'),
      ...LOCAL,
      ...v('eur_mwh', 'eur_mwh came_eur_mwh'),
      ...v('instant', 'captured_at'),
      ...v('yes_no', 'is_late'),
    ],
    at: 'delivery_day',
    isDay: true,
    order: ['zone', 'source', 'kind', 'start'],
  },
  fee_days: {
    view: 'fee_days',
    columns: [
      ...v('day', 'delivery_day'),
      ...v('text', 'zip grid_operator'),
      ...v('exact', 'grid_base_net_eur_year'),
      ...v('ct_kwh', 'grid_net_ct_kwh grid_module_2_net_ct_kwh concession_net_ct_kwh levies_net_ct_kwh'),
      ...v('exact', 'vat_share'),
    ],
    at: 'delivery_day',
    isDay: true,
    order: ['zip'],
  },
  calendar: {
    view: 'calendar',
    columns: [
      ...v('day', 'delivery_day'),
      ...v('integer', 'weekday'),
      ...v('yes_no', 'is_weekend'),
      ...v('day', 'week month'),
      ...v('integer', 'hours'),
      ...v('text', 'clock_change'),
      ...v('yes_no', 'is_holiday'),
      ...v('text', 'holiday'),
      ...v('words', 'holiday_states'),
    ],
    at: 'delivery_day',
    isDay: true,
    order: ['delivery_day'],
  },
} as const satisfies Record<ExportName, ExportKind>;

export const exportKind = (name: ExportName): ExportKind => EXPORT_KINDS[name];
