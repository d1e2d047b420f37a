import type { TestApi } from './api.ts';
import { storedRows } from './stored-rows.ts';

/** The ZIP of the tests' addresses, and one in Göttingen. */
export const SERVED_ZIPS = ['20354', '37073'] as const;

/** VAT of 19 % and one grid operator that serves two ZIPs: what prices and sign-ups ask for. */
export async function insertReferenceRows(api: Pick<TestApi, 'database'>): Promise<void> {
  const dated = "'2021-01-01', 'tests'";
  await storedRows(
    api,
    `WITH vat AS (INSERT INTO vat_rates (rate, valid_from, source) VALUES (0.19, ${dated})),
       operators AS (
         INSERT INTO grid_operators (operator, name, valid_from, source) VALUES ('test-netz', 'Test Netz', ${dated})),
       fees AS (
         INSERT INTO grid_fees (operator, base_eur_year_net, working_ct_net, provisional, valid_from, source)
         VALUES ('test-netz', 80, 9.5, false, ${dated}))
     INSERT INTO zip_areas (zip, operator, concession_class, share, valid_from, source)
     SELECT zip, 'test-netz', 'T4', 1, ${dated} FROM unnest($1::text[]) AS zip`,
    [SERVED_ZIPS],
  );
}
