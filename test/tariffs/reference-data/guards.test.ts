import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ImportReport, importReferenceData } from '../../../src/tariffs/reference-data/files/import.ts';
import {
  concessionLine,
  feeLine,
  levyLine,
  NOW,
  operatorLine,
  places,
  takeReferenceStore,
  vatLine,
  zipLine,
} from './reference-store.ts';

const store = await takeReferenceStore();

/** Of each kind one row. */
const fresh = () =>
  store.reset({
    vat_rates: [vatLine('0.19', '2021-01-01')],
    grid_operators: [operatorLine('alpha')],
    grid_fees: [feeLine('alpha', '7.50', '2026-01-01', '2027-01-01')],
    zip_areas: [zipLine('04109', 'alpha')],
    load_profiles: ['h25,1,WT,0,20.126,2025-01-01,,BDEW,'],
    levies: [levyLine('kwkg', '0.446', '2026-01-01')],
    concession_fees: [concessionLine('2.39', '2025-01-01')],
    metering_fees: [',smart_14a,smart,,,,,yes,50,2025-01-01,,law,'],
    grid_fee_schedules: [
      'alpha,1.5,7.5,12,1;4,23:00-05:00,17:00-20:00,0.2,0.6,0.2,0.4986,2026-01-01,2027-01-01,sheet,',
    ],
    eeg_rates: ['full,10,12.62,12.22,2026-08-01,,law,'],
    market_values: ['day_ahead_mean,8.932,2026-01-01,,prices,'],
    benchmarks: ['36,14.54,2026-01-01,,estimate,'],
    savings_parameters: ['ev_kwh_per_100_km,18,2025-01-01,,estimate,'],
    usage_groups: ['house,4500,2025-01-01,,estimate,'],
    energy_mixes: ['9907248000001,2025,0,0.1,0.2,0,0.5,0.2,180,0,2026-07-01,,supplier,'],
  });

async function refusal(statement: string): Promise<string> {
  const outcome = store.asService((connection) => sql.raw(statement).execute(connection));
  return await outcome.then(
    () => 'taken',
    (error: { code: string }) => error.code,
  );
}

describe('the database itself holds', () => {
  /* What is refused leaves nothing behind. */
  beforeAll(fresh);

  test.each([
    "INSERT INTO vat_rates VALUES (0.2, '2027-01-01', NULL, 'law', NULL)",
    "INSERT INTO grid_operators VALUES ('alpha', 'A', NULL, NULL, NULL, '2027-01-01', NULL, 'register', NULL)",
    "INSERT INTO grid_fees VALUES ('alpha', 1, 1, NULL, NULL, false, '2026-12-31', NULL, 'sheet', NULL)",
    "INSERT INTO zip_areas VALUES ('04109', 'alpha', 'T4', 0.1, NULL, NULL, '2027-01-01', NULL, 'register', NULL)",
    "INSERT INTO load_profiles VALUES ('h25', 1, 'WT', 0, 1, '2027-01-01', NULL, 'BDEW', NULL)",
    "INSERT INTO levies VALUES ('kwkg', 1, '2027-01-01', NULL, 'law', NULL)",
    "INSERT INTO concession_fees VALUES ('T4', 1, '2027-01-01', NULL, 'law', NULL)",
    "INSERT INTO metering_fees VALUES (NULL, 'smart_14a', 'smart', NULL, NULL, NULL, NULL, true, 1, '2027-01-01', NULL, 'law', NULL)",
    "INSERT INTO grid_fee_schedules VALUES ('alpha', 1, 2, 3, '1', '00:00-01:00', '02:00-03:00', NULL, NULL, NULL, 1, '2026-12-31', NULL, 'sheet', NULL)",
    "INSERT INTO eeg_rates VALUES ('full', 10, 1, 1, '2027-01-01', NULL, 'law', NULL)",
    "INSERT INTO market_values VALUES ('day_ahead_mean', 1, '2027-01-01', NULL, 'prices', NULL)",
    "INSERT INTO benchmarks VALUES (1, 1, '2027-01-01', NULL, 'estimate', NULL)",
    "INSERT INTO savings_parameters VALUES ('ev_kwh_per_100_km', 1, '2027-01-01', NULL, 'estimate', NULL)",
    "INSERT INTO usage_groups VALUES ('house', 1, '2027-01-01', NULL, 'estimate', NULL)",
    "INSERT INTO energy_mixes VALUES ('9907248000001', 2026, 0, 0, 0, 0, 1, 0, 0, 0, '2027-07-01', NULL, 'supplier', NULL)",
    "UPDATE grid_fees SET valid_from = '2020-01-01', valid_to = NULL; INSERT INTO grid_fees VALUES ('alpha', 1, 1, NULL, NULL, false, '2019-01-01', '2020-01-02', 'sheet', NULL)",
  ])('that two rows of one key never overlap: %s', async (statement) => {
    expect(await refusal(statement)).toBe('23P01');
  });

  test('that rows which touch do not overlap', async () => {
    const next =
      "INSERT INTO grid_fees VALUES ('alpha', 1, 1, NULL, NULL, false, '2027-01-01', NULL, 'sheet', NULL)";
    expect(await refusal(next)).toBe('taken');
  });

  test.each([
    "INSERT INTO vat_rates VALUES (0.2, '2000-01-01', '2000-01-01', 'law', NULL)",
    'UPDATE grid_fees SET working_ct_net = -1',
    "UPDATE zip_areas SET zip = '4109'",
    'UPDATE zip_areas SET share = 0',
    'UPDATE levies SET ct_net = -1',
    'UPDATE metering_fees SET over_kwh = 6000, up_to_kwh = 6000',
    'UPDATE grid_fee_schedules SET weight_low = NULL',
    'UPDATE grid_fee_schedules SET weight_low = 0.1999',
    "UPDATE grid_fee_schedules SET quarters = '5'",
    'UPDATE eeg_rates SET up_to_kw = 30',
    "UPDATE load_profiles SET source = ''",
  ])('the plain rules: %s', async (statement) => {
    expect(await refusal(statement)).toBe('23514');
  });

  test('that nobody of the service rewrites the history', async () => {
    for (const statement of [
      "UPDATE reference_history SET change = 'removed'",
      'DELETE FROM reference_history',
    ]) {
      expect(await refusal(statement)).toBe('42501');
    }
  });
});

describe('two imports at once', () => {
  beforeEach(fresh);

  const act = (now: string) => ({ staff: 'tests', reason: 'test', command: 'tariffs import', now });

  test('of the same files are one import and one that changes nothing', async () => {
    const zip_areas = Array.from({ length: 500 }, (_, index) => zipLine(String(20_000 + index), 'alpha'));
    const folder = await store.folderOf({ zip_areas });
    const both = await Promise.all(
      [1, 2].map(() => importReferenceData(store.database, { folder }, act(NOW))),
    );
    expect(both.map((report) => report.problems)).toEqual([[], []]);
    expect(both.map(({ tables }) => tables[0]?.inserted).toSorted()).toEqual([0, 500]);
    expect(both.map(({ tables }) => tables[0]?.equal).toSorted()).toEqual([0, 500]);
    expect(await store.rows('SELECT FROM zip_areas')).toHaveLength(501);
  });

  test('that contradict one another: the second one is told what the first one stored', async () => {
    const folderWith = (from: string) => store.folderOf({ grid_fees: [feeLine('alpha', '8', from)] });
    const folders = await Promise.all([folderWith('2027-01-01'), folderWith('2027-02-01')]);
    const both: ImportReport[] = await Promise.all(
      folders.map((folder) => importReferenceData(store.database, { folder }, act(NOW))),
    );
    const refused = both.filter((report) => report.problems.length > 0);
    expect(refused).toHaveLength(1);
    expect(refused.flatMap((report) => places(report))).toEqual([
      expect.stringMatching(
        /^grid_fees\.csv:2 valid_from .* overlaps the stored row of 2027-0[12]-01 to open/,
      ),
    ]);
    expect(await store.rows('SELECT FROM grid_fees')).toHaveLength(2);
  });
});
