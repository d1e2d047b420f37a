import type { TestApi } from './api.ts';
import { storedRows } from './stored-rows.ts';

/** The ZIP of the tests' addresses, and one in Göttingen. */
export const SERVED_ZIPS = ['20354', '37073'] as const;

/** All figures of the country and one grid operator that serves two ZIPs: what prices, quotes and sign-ups ask for. */
export async function insertReferenceRows(api: Pick<TestApi, 'database'>): Promise<void> {
  const [known] = await storedRows(api, 'SELECT FROM zip_areas LIMIT 1');
  if (known !== undefined) return;
  const dated = "'2021-01-01', 'tests'";
  const rows = (...values: string[]) => values.map((value) => `(${value}, ${dated})`).join(', ');
  await storedRows(
    api,
    `WITH vat AS (INSERT INTO vat_rates (rate, valid_from, source) VALUES ${rows('0.19')}),
       levy_rows AS (
         INSERT INTO levies (code, ct_net, valid_from, source)
         VALUES ${rows("'stromsteuer', 2.05", "'offshore', 0.941", "'besondere_netznutzung', 1.559", "'kwkg', 0.446")}),
       concessions AS (INSERT INTO concession_fees (class, ct_net, valid_from, source) VALUES ${rows("'T4', 2.39")}),
       metering AS (
         INSERT INTO metering_fees ("case", meter, up_to_kwh, needs_14a_module, eur_year_gross, valid_from, source)
         VALUES ${rows("'analog', 'analog', NULL::numeric, false, 25", "'smart', 'smart', NULL, false, 30", "'smart_14a', 'smart', NULL, true, 50")}),
       eeg AS (
         INSERT INTO eeg_rates (kind, up_to_kw, value_ct_net, tariff_ct_net, valid_from, source)
         VALUES ${rows("'partial', 10, 8.1, 7.7", "'full', 10, 12.62, 12.22")}),
       market AS (
         INSERT INTO market_values (code, ct_net, valid_from, source)
         VALUES ${rows("'day_ahead_mean', 8.932", "'solar_market_value', 5.875")}),
       benchmark AS (
         INSERT INTO benchmarks (base_fee_eur_year_gross, energy_ct_net, valid_from, source) VALUES ${rows('36, 14.54')}),
       parameters AS (
         INSERT INTO savings_parameters (code, value, valid_from, source)
         VALUES ${rows(...SAVINGS_PARAMETERS)}),
       groups AS (
         INSERT INTO usage_groups (code, kwh_year, valid_from, source)
         VALUES ${rows("'one_person', 1500", "'two_persons', 2500", "'three_persons', 3500", "'house', 4500")}),
       operators AS (
         INSERT INTO grid_operators (operator, name, valid_from, source) VALUES ${rows("'test-netz', 'Test Netz'")}),
       fees AS (
         INSERT INTO grid_fees (operator, base_eur_year_net, working_ct_net, provisional, valid_from, source)
         VALUES ${rows("'test-netz', 80, 9.5, false")}),
       schedules AS (
         INSERT INTO grid_fee_schedules (operator, low_ct_net, standard_ct_net, high_ct_net, quarters, low_windows,
           high_windows, weight_low, weight_standard, weight_high, share_of_year, valid_from, source)
         VALUES ${rows("'test-netz', 0.95, 9.5, 15.65, '1;2;3;4', '00:00-07:00', '15:00-20:00', 0.2, 0.5, 0.3, 1")})
     INSERT INTO zip_areas (zip, operator, concession_class, share, valid_from, source)
     SELECT zip, 'test-netz', 'T4', 1, ${dated} FROM unnest($1::text[]) AS zip`,
    [SERVED_ZIPS],
  );
}

const SAVINGS_PARAMETERS = [
  "'ev_kwh_per_100_km', 18",
  "'pv_kwh_per_kwp', 950",
  "'flexible_share_ev', 0.45",
  "'flexible_share_heatpump', 0.18",
  "'flexible_share_battery', 0.35",
  "'battery_cycles_per_year', 200",
  "'battery_hours', 4",
  "'optimization_rate_max', 0.6",
  "'controllable_power_over_kw', 4.2",
];
