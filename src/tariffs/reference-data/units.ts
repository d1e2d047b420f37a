/** Columns of the reference data end with their unit, as people read it. */
const UNITS = [
  ['eur_year_gross', 'EUR/year with VAT'],
  ['eur_year_net', 'EUR/year net'],
  ['ct_net', 'ct/kWh net'],
  ['kwh_year', 'kWh/year'],
  ['rate', 'share'],
] as const;

/** The unit of a column, as people read it. */
export function unitOf(column: string): string {
  const found = UNITS.find(([ending]) => column.endsWith(ending));
  if (found === undefined) throw new Error(`The column ${column} does not end with a unit`);
  return found[1];
}
