/** What can be exported (src/governance/exports/kinds.ts). */
export const EXPORT_NAMES = [
  'snapshots',
  'energy',
  'energy_days',
  'household_energy',
  'household_energy_days',
  'usage',
  'retail_cost_days',
  'invoices',
  'invoice_lines',
  'payments',
  'prices',
  'price_forecasts',
  'fee_days',
  'calendar',
] as const;

export type ExportName = (typeof EXPORT_NAMES)[number];
