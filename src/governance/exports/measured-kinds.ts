import { MEASURED_FIELDS } from '../../telemetry/snapshots/fields.ts';
import {
  ASSET,
  ASSET_KEY,
  type ExportKind,
  HOUSEHOLD_KEY,
  k,
  LOCAL,
  madeOn,
  OF_MONTHS,
  v,
} from './columns.ts';

/* Devices, what they sent, and what is computed of it. */

const MEASURED_COLUMNS = MEASURED_FIELDS.flatMap(({ name, kind }) =>
  v(kind === 'number' ? 'number' : 'yes_no', name),
);

/** Energy of a household, by quarter hour, day or month. */
const HOUSEHOLD_SUMS = [
  ...v('number', 'grid_import_kwh grid_export_kwh solar_kwh battery_charge_kwh battery_discharge_kwh'),
  ...v('number', 'wallbox_kwh wallbox_fed_kwh heat_pump_kwh consumption_kwh residual_kwh'),
];
const HOUSEHOLD_ENERGY = [
  ...HOUSEHOLD_SUMS,
  ...v('yes_no', 'is_residual_measured'),
  ...v('number', 'grid_covered_seconds covered_share'),
];
/** What the energy of a grid connection cost on the market. */
const COST_SUMS = v('number', 'grid_import_kwh grid_export_kwh import_cost_eur export_value_eur paid_ct_kwh');

export const MEASURED_KINDS = {
  snapshots: {
    view: 'snapshots',
    columns: [
      ...ASSET,
      ...v('instant', 'timestamp'),
      ...LOCAL,
      ...MEASURED_COLUMNS,
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
  quarter_hours: {
    view: 'quarter_hours',
    columns: [
      ...ASSET,
      ...v('instant', 'start'),
      ...LOCAL,
      ...v('integer', 'samples'),
      ...v('number', 'covered_seconds mean_power_kw min_power_kw max_power_kw'),
      ...v('instant', 'first_at last_at'),
      ...v('number', 'state_of_charge_first state_of_charge_last vehicle_state_of_charge_last'),
      ...v('integer', 'connected_samples'),
    ],
    at: 'start',
    key: ASSET_KEY,
    order: ['start'],
    keptSince: 'quarter_hours_kept_since',
  },
  quarter_hours_filled: {
    view: 'quarter_hours_filled',
    columns: [
      ...ASSET,
      ...v('instant', 'start'),
      ...LOCAL,
      ...v('integer', 'samples'),
      ...v('number', 'covered_seconds consumed_kwh fed_kwh'),
    ],
    at: 'delivery_day',
    isDay: true,
    key: ASSET_KEY,
    order: ['start'],
    keptSince: 'quarter_hours_kept_since',
  },
  completeness: {
    view: 'completeness',
    columns: [
      ...ASSET,
      ...v('day', 'delivery_day'),
      ...v('integer', 'expected_quarter_hours quarter_hours'),
      ...v('number', 'value_share covered_share'),
      ...v('instant', 'first_at last_at'),
      ...v('number', 'longest_gap_seconds'),
    ],
    at: 'delivery_day',
    isDay: true,
    key: ASSET_KEY,
    order: [],
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
  energy_months: {
    view: 'energy_months',
    columns: [
      ...ASSET,
      ...v('day', 'month'),
      ...v('number', 'consumed_kwh fed_kwh min_power_kw max_power_kw'),
      ...v('integer', 'days'),
      ...v('number', 'covered_seconds covered_share'),
    ],
    ...OF_MONTHS,
    key: ASSET_KEY,
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
  household_energy_months: {
    view: 'household_energy_months',
    columns: [
      ...v('text', 'household'),
      ...v('day', 'month'),
      ...HOUSEHOLD_SUMS,
      ...v('integer', 'days'),
      ...v('number', 'covered_share'),
    ],
    ...OF_MONTHS,
    key: HOUSEHOLD_KEY,
    keptSince: 'days_kept_since',
  },
  energy_cost: {
    view: 'energy_cost',
    columns: [
      ...v('text', 'household'),
      ...v('instant', 'start'),
      ...LOCAL,
      ...v('number', 'grid_import_kwh grid_export_kwh ct_kwh import_cost_eur export_value_eur'),
      ...v('yes_no', 'is_synthetic'),
      ...v('number', 'grid_covered_seconds'),
    ],
    at: 'start',
    key: HOUSEHOLD_KEY,
    order: ['start'],
    keptSince: 'quarter_hours_kept_since',
  },
  energy_cost_days: {
    view: 'energy_cost_days',
    columns: [
      ...v('text', 'household'),
      ...v('day', 'delivery_day'),
      ...COST_SUMS,
      ...v('integer', 'quarter_hours priced_quarter_hours expected_quarter_hours'),
      ...v('yes_no', 'is_synthetic'),
      ...v('number', 'covered_share'),
    ],
    at: 'delivery_day',
    isDay: true,
    key: HOUSEHOLD_KEY,
    order: [],
    keptSince: 'quarter_hours_kept_since',
  },
  energy_cost_months: {
    view: 'energy_cost_months',
    columns: [
      ...v('text', 'household'),
      ...v('day', 'month'),
      ...COST_SUMS,
      ...v('integer', 'days quarter_hours priced_quarter_hours'),
      ...v('yes_no', 'is_synthetic'),
      ...v('number', 'covered_share'),
    ],
    ...OF_MONTHS,
    key: HOUSEHOLD_KEY,
    keptSince: 'quarter_hours_kept_since',
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
  assets: madeOn('assets', ASSET_KEY, 'asset', [
    ...v('text', 'asset external_id household customer type manufacturer model parent_inverter'),
    ...v('number', 'max_power_kw peak_power_kw azimuth_degrees tilt_degrees'),
    ...v('number', 'capacity_kwh max_charge_power_kw max_discharge_power_kw thermal_power_kw'),
    ...v('integer', 'phases'),
    ...v('yes_no', 'hybrid bidirectional'),
    ...v('instant', 'decommissioned_at created_at'),
  ]),
  never_sent_assets: madeOn('never_sent_assets', ASSET_KEY, 'asset', [
    ...ASSET,
    ...v('instant', 'created_at'),
  ]),
  newest_snapshots: {
    view: 'newest_snapshots',
    columns: [
      ...ASSET,
      ...v('instant', 'timestamp'),
      ...v('clock_time', 'local_time'),
      ...MEASURED_COLUMNS,
      ...v('instant', 'created_at'),
    ],
    key: ASSET_KEY,
    order: [],
  },
  energy_progress: {
    view: 'energy_progress',
    columns: [
      ...v('instant', 'summed_until summed_at'),
      ...v('day', 'days_until'),
      ...v('instant', 'snapshots_kept_since quarter_hours_kept_since days_kept_since'),
    ],
    isOneRow: true,
    order: ['summed_until'],
  },
} as const satisfies Record<string, ExportKind>;
