/** Two plans as rows of a file; what is not named is empty. */
export const DYNAMIC = {
  slug: 'dynamisch',
  name: 'Dynamisch, "neu"',
  description: 'Preis nach Börse',
  status: 'active',
  type: 'consumption',
  base_fee_net: '5.00',
  margin_ct_net: '1.80',
  optimization_rate: '0.10',
  sells_module_1: 'yes',
  sells_module_2: 'yes',
  sells_module_3: 'yes',
  cancellation_months: '',
  smart_meter_product: 'smart-meter-partner-b',
  discount_name: 'Start',
  discount_amount_off: '3.50',
  discount_duration: 'recurring',
  discount_duration_in_months: '6',
};

export const FEED_IN = {
  slug: 'einspeisung',
  name: 'Einspeisung',
  type: 'feed_in',
  base_fee_net: '2.50',
  feed_in_kind: 'eeg',
  feed_in_scope: 'partial',
  feed_in_up_to_kw: '10',
};

/** The filled cells of one row by their columns. */
export type Cells = Readonly<Record<string, string>>;

/** A file of these rows, with the columns that any of them names. */
export function planFile(...rows: readonly Cells[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`;
  const lines = rows.map((row) => columns.map((column) => quoted(row[column] ?? '')).join(','));
  return `${[columns.join(','), ...lines].join('\r\n')}\r\n`;
}
