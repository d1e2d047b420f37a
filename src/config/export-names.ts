/** What can be exported (src/governance/exports/kinds.ts). */
export const EXPORT_NAMES = [
  'snapshots',
  'energy',
  'energy_days',
  'household_energy',
  'household_energy_days',
  'charging_sessions',
  'customers',
  'households',
  'assets',
  'never_sent_assets',
  'contracts',
  'meter_orders',
  'grid_fee_reductions',
  'usage',
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
  'price_forecasts',
  'fee_days',
  'calendar',
] as const;

export type ExportName = (typeof EXPORT_NAMES)[number];

/** The database keeps these for less than a month: a file of a month would lose rows. */
const KEPT_FOR_DAYS: readonly ExportName[] = ['webhook_deliveries'];

/** What data sets are made of. */
export const DATA_SET_NAMES = EXPORT_NAMES.filter((name) => !KEPT_FOR_DAYS.includes(name));
