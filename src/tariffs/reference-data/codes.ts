/*
 * Names by which rows of the reference data are asked for. Their figures are rows; that there is such a figure is a rule of
 * the answer it stands in.
 */

export const LEVY_CODES = ['stromsteuer', 'offshore', 'besondere_netznutzung', 'kwkg'] as const;
export type LevyCode = (typeof LEVY_CODES)[number];

/** By inhabitants of the municipality (§2(2) KAV): what a zip has. */
export const MUNICIPALITY_CLASSES = ['T1', 'T2', 'T3', 'T4'] as const;
/** Two-zone tariffs and special contracts; no household of ours has one. */
export const OTHER_CONCESSION_CLASSES = ['LOW', 'SPECIAL'] as const;

export const METERING_CASES = [
  ...['analog', 'smart_up_to_6000', 'smart_over_6000', 'smart_over_10000', 'smart_over_20000'],
  ...['smart_over_50000', 'smart_14a', 'smart_pv_over_7', 'smart_pv_over_15', 'smart_pv_over_25'],
  ...['control_box', 'early_installation'],
] as const;

/**
 * The fees of metering operation and of a grid follow this ( 2 MsbG): a meter with quarter hours, or with a number that
 * grows.
 */
export const METER_TYPES = ['smart', 'analog'] as const;

export const EEG_KINDS = ['partial', 'full'] as const;
export type EegKind = (typeof EEG_KINDS)[number];
export const EEG_SIZES_KW = ['10', '40', '100'] as const;

/** Sizes of households that bills compare with. */
export const USAGE_GROUP_CODES = ['one_person', 'two_persons', 'three_persons', 'house'] as const;
export type UsageGroupCode = (typeof USAGE_GROUP_CODES)[number];

export const MARKET_VALUE_CODES = ['day_ahead_mean', 'solar_market_value'] as const;

export const SAVINGS_PARAMETER_CODES = [
  'ev_kwh_per_100_km',
  'pv_kwh_per_kwp',
  'flexible_share_ev',
  'flexible_share_heatpump',
  'flexible_share_battery',
  'battery_cycles_per_year',
  'battery_hours',
  'optimization_rate_max',
  'controllable_power_over_kw',
] as const;
export type SavingsParameterCode = (typeof SAVINGS_PARAMETER_CODES)[number];

export const SAVINGS_PARAMETER_UNITS: Readonly<Record<SavingsParameterCode, string>> = {
  ev_kwh_per_100_km: 'kWh/100 km',
  pv_kwh_per_kwp: 'kWh/kWp',
  flexible_share_ev: 'share',
  flexible_share_heatpump: 'share',
  flexible_share_battery: 'share',
  battery_cycles_per_year: 'cycles/year',
  battery_hours: 'h',
  optimization_rate_max: 'share',
  controllable_power_over_kw: 'kW',
};

/** The sources of electricity (section 42 EnWG); the shares of a mix are 1 together. */
export const ENERGY_SOURCES = [
  'nuclear',
  'coal',
  'gas',
  'other_fossil',
  'renewable_funded',
  'renewable_other',
] as const;
