/** What is exported by days, or by months. */
const DAY_NAMES = [
  'snapshots',
  'energy',
  'energy_days',
  'energy_months',
  'quarter_hours',
  'quarter_hours_filled',
  'completeness',
  'household_energy',
  'household_energy_days',
  'household_energy_months',
  'energy_cost',
  'energy_cost_days',
  'energy_cost_months',
  'charging_sessions',
  'customers',
  'households',
  'assets',
  'never_sent_assets',
  'contracts',
  'meter_orders',
  'grid_fee_reductions',
  'readings',
  'usage',
  'usage_days',
  'settled_months',
  'load_forecasts',
  'retail_cost',
  'retail_cost_days',
  'invoices',
  'invoice_lines',
  'payments',
  'reminders',
  'leads',
  'events',
  'webhook_deliveries',
  'prices',
  'spot_price_quarter_hours',
  'price_forecasts',
  'fee_days',
  'calendar',
  'delivery_days',
  'holidays',
] as const;

/** No day belongs to their rows: they are exported whole, as they are now. */
const LIST_NAMES = [
  'newest_snapshots',
  'energy_progress',
  'meters',
  'billing_terms',
  'billing_refusals',
  'webhook_endpoints',
  'plans',
  'plan_terms',
  'grid_fees',
  'grid_fee_bands',
  'reference_tariffs',
] as const;

/** What can be exported (src/governance/exports/kinds.ts). */
export const EXPORT_NAMES = [...DAY_NAMES, ...LIST_NAMES] as const;

export type ExportName = (typeof EXPORT_NAMES)[number];

/** The database keeps these for less than a month: a file of a month would lose rows. */
const KEPT_FOR_DAYS: readonly ExportName[] = ['webhook_deliveries'];

/** What data sets are made of. */
export const DATA_SET_NAMES: readonly ExportName[] = DAY_NAMES.filter(
  (name) => !KEPT_FOR_DAYS.includes(name),
);
