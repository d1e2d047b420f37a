import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type Files,
  HEADERS,
  operatorLine,
  places,
  takeReferenceStore,
  vatLine,
  zipLine,
} from './reference-store.ts';

const store = await takeReferenceStore();

const OPERATORS = ['alpha', 'beta', 'gamma'].map((operator) => operatorLine(operator));
const BASE: Files = { vat_rates: [vatLine('0.19', '2021-01-01')], grid_operators: OPERATORS };

/** What stands against the files, which then change no table. */
async function refused(files: Files): Promise<string[]> {
  const before = await stored();
  const report = await store.import(files);
  expect(await stored()).toEqual(before);
  return places(report);
}

const stored = () =>
  store.rows(
    `SELECT ${Object.keys(HEADERS)
      .map((table) => `(SELECT json_agg(${table} ORDER BY ${table}) FROM ${table}) AS ${table}`)
      .join(', ')}`,
  );

/** One cell of a row of grid fees that is fine but for it. */
function feeWith(column: number, text: string): Files {
  const cells = 'alpha,75.00,7.50,,,no,2026-01-01,2027-01-01,price sheet,2026-01-01'.split(',');
  cells[column] = text;
  return { grid_fees: [cells.join(',')] };
}

describe('a cell is refused with file, line, column, value and rule', () => {
  beforeAll(() => store.reset(BASE));

  test.each([
    [feeWith(0, 'delta'), 'grid_fees.csv:2 operator "delta" is unknown: grid_operators has no such operator'],
    [
      feeWith(0, 'Delta'),
      'grid_fees.csv:2 operator "Delta" must be lower-case letters and digits with hyphens',
    ],
    [feeWith(0, ''), 'grid_fees.csv:2 operator "" must not be empty'],
    [
      feeWith(1, '75.0.00'),
      'grid_fees.csv:2 base_eur_year_net "75.0.00" must be a decimal number such as 12.34',
    ],
    [
      feeWith(1, '"75,00"'),
      'grid_fees.csv:2 base_eur_year_net "75,00" must be a decimal number such as 12.34',
    ],
    [feeWith(1, '1e2'), 'grid_fees.csv:2 base_eur_year_net "1e2" must be a decimal number such as 12.34'],
    [feeWith(1, ' 75'), 'grid_fees.csv:2 base_eur_year_net " 75" must be a decimal number such as 12.34'],
    [
      feeWith(1, '"1,075.00"'),
      'grid_fees.csv:2 base_eur_year_net "1,075.00" must be a decimal number such as 12.34',
    ],
    [feeWith(2, '-7.5'), 'grid_fees.csv:2 working_ct_net "-7.5" must not be negative'],
    [feeWith(2, ''), 'grid_fees.csv:2 working_ct_net "" must not be empty'],
    [feeWith(5, 'true'), 'grid_fees.csv:2 provisional "true" must be yes or no'],
    [feeWith(6, '01.01.2026'), 'grid_fees.csv:2 valid_from "01.01.2026" must be a day as YYYY-MM-DD'],
    [feeWith(6, '2026-02-29'), 'grid_fees.csv:2 valid_from "2026-02-29" must be a day as YYYY-MM-DD'],
    [feeWith(7, '2026-13-01'), 'grid_fees.csv:2 valid_to "2026-13-01" must be a day as YYYY-MM-DD'],
    [feeWith(7, '2026-01-01'), 'grid_fees.csv:2 valid_to "2026-01-01" must be after valid_from, 2026-01-01'],
    [feeWith(7, '2025-12-31'), 'grid_fees.csv:2 valid_to "2025-12-31" must be after valid_from, 2026-01-01'],
    [feeWith(8, ''), 'grid_fees.csv:2 source "" must not be empty'],
    [feeWith(9, 'yesterday'), 'grid_fees.csv:2 checked_on "yesterday" must be a day as YYYY-MM-DD'],
    [{ zip_areas: [zipLine('4109', 'alpha')] }, 'zip_areas.csv:2 zip "4109" must be five digits'],
    [
      { zip_areas: [zipLine('04109', 'alpha', '0')] },
      'zip_areas.csv:2 share "0" must be above 0 and at most 1',
    ],
    [
      { zip_areas: [zipLine('04109', 'alpha', '1.01')] },
      'zip_areas.csv:2 share "1.01" must be above 0 and at most 1',
    ],
    [
      { zip_areas: [zipLine('04109', 'alpha').replace('T4', 'T5')] },
      'zip_areas.csv:2 concession_class "T5" is unknown: T1, T2, T3, T4 are known',
    ],
    [
      { zip_areas: [zipLine('04109', 'delta')] },
      'zip_areas.csv:2 operator "delta" is unknown: grid_operators has no such operator',
    ],
    [
      { vat_rates: [vatLine('19', '2020-01-01', '2021-01-01')] },
      'vat_rates.csv:2 rate "19" must be a share from 0 to below 1: 0.19',
    ],
    [
      { load_profiles: ['h25,13,WT,0,1,2025-01-01,,BDEW,'] },
      'load_profiles.csv:2 month "13" must be a whole number from 1 to 12',
    ],
    [
      { load_profiles: ['h25,1,SU,0,1,2025-01-01,,BDEW,'] },
      'load_profiles.csv:2 day_type "SU" is unknown: WT, SA, FT are known',
    ],
    [
      { load_profiles: ['h25,1,FT,96,1,2025-01-01,,BDEW,'] },
      'load_profiles.csv:2 quarter_hour "96" must be a whole number from 0 to 95',
    ],
    [
      { grid_operators: ['delta,D,123,,,2026-01-01,,register,'] },
      'grid_operators.csv:2 bdew_code "123" must be 13 digits',
    ],
    [
      { grid_operators: ['delta,D,,SNB96,,2026-01-01,,register,'] },
      'grid_operators.csv:2 mastr_number "SNB96" must be three capital letters and twelve digits',
    ],
    [
      { grid_operators: ['delta,D,,,javascript:1,2026-01-01,,register,'] },
      'grid_operators.csv:2 website "javascript:1" must begin with https:// or http://',
    ],
    [
      { grid_operators: ['delta,"D\nE",,,,2026-01-01,,register,'] },
      'grid_operators.csv:2 name "D\nE" must be a text on one line',
    ],
  ])('%#: %j', async (files, place) => {
    expect(await refused(files)).toEqual([place]);
  });
});

describe('a file is refused', () => {
  beforeAll(() => store.reset(BASE));

  const line = zipLine('04109', 'alpha');
  test.each([
    ['a column that nobody knows', `${HEADERS.zip_areas},note\n${line},x\n`, ['1 note "" Unknown column']],
    [
      'missing columns, and bad cells in the others at the same time',
      'zip,operator,concession_class,share,valid_from,valid_to,source\n4109,alpha,T4,1,2026-01-01,,register\n',
      [
        '1 municipality_key "" This column is missing',
        '1 city "" This column is missing',
        '1 checked_on "" This column is missing',
        '2 zip "4109" must be five digits',
      ],
    ],
    [
      'a column that is there twice',
      `${HEADERS.zip_areas},zip\n${line},04109\n`,
      ['1 zip "" This column is there twice'],
    ],
    [
      'another order of the columns',
      `operator,zip,${HEADERS.zip_areas.split(',').slice(2).join(',')}\n`,
      [`1  "" The columns must be in this order: ${HEADERS.zip_areas}`],
    ],
    ['no header at all', '', ['1  "" The file is empty']],
    ['a row with too few fields', `${HEADERS.zip_areas}\n04109,alpha\n`, ['2  "" 2 fields instead of 10']],
    [
      'a quote that is never closed',
      `${HEADERS.zip_areas}\n"04109`,
      ['2 character 1 "" This quote is never closed'],
    ],
  ])('for %s', async (_, text, problems) => {
    expect(await refused({ zip_areas: text })).toEqual(problems.map((place) => `zip_areas.csv:${place}`));
  });

  test('that is not UTF-8, with the line', async () => {
    const { writeFile } = await import('node:fs/promises');
    const folder = await store.folderOf({});
    const text = `${HEADERS.zip_areas}\n${line}\n04103,alpha,T4,1,,K\xf6ln,2026-01-01,,register,\n`;
    await writeFile(`${folder}/zip_areas.csv`, Buffer.from(text, 'latin1'));
    expect(places(await store.import(folder))).toEqual(['zip_areas.csv:3  "" Not valid UTF-8']);
  });
});

describe('what is read', () => {
  beforeEach(() => store.reset(BASE));

  test('line ends of either kind, quotes, commas, empty lines and a byte order mark are read as they are meant', async () => {
    const text = `\uFEFF${HEADERS.grid_operators}\r\ndelta,"Netze ""Nord"", Süd",,,,2026-01-01,,"a, b",\r\n\r\n`;
    expect(await store.import({ grid_operators: text })).toMatchObject({ problems: [] });
    expect(
      await store.rows("SELECT name, source, checked_on FROM grid_operators WHERE operator = 'delta'"),
    ).toEqual([{ name: 'Netze "Nord", Süd', source: 'a, b', checked_on: null }]);
  });

  test('published reductions far from the formula are doubtful, not wrong', async () => {
    const line = (module1: string, module2: string, operator: string) =>
      `${operator},33.36,7.46,${module1},${module2},no,2026-01-01,2027-01-01,price sheet,`;
    const lines = [
      line('123.20', '2.97', 'alpha'),
      line('123.21', '2.99', 'beta'),
      line('123.15', '2.96', 'gamma'),
    ];
    const report = await store.import({ grid_fees: lines });
    expect(report).toMatchObject({ problems: [], tables: [{ inserted: 3 }] });
    expect(places(report, 'warnings')).toEqual([
      'grid_fees.csv:3 module_1_eur_year_net "123.21" is far from the formula, which gives 123.18',
      'grid_fees.csv:4 module_1_eur_year_net "123.15" is far from the formula, which gives 123.18',
      'grid_fees.csv:4 module_2_ct_net "2.96" is far from the formula, which gives 2.98',
    ]);
  });

  test('a file of another name is left out with a warning', async () => {
    const folder = await store.folderOf({ vat_rates: [vatLine('0.19', '2021-01-01')] });
    const { writeFile } = await import('node:fs/promises');
    await writeFile(`${folder}/zip-areas.csv`, 'zip\n');
    const report = await store.import(folder);
    expect(report.problems).toEqual([]);
    expect(places(report, 'warnings')).toEqual(['zip-areas.csv:1  "" No table has this name: left out']);
  });

  test('a folder without files, a missing folder, an unknown table and a missing file are refused in a sentence', async () => {
    const empty = await store.folderOf({});
    await expect(store.import(empty)).rejects.toThrow('There is no file of reference data in');
    await expect(store.import(`${empty}/nowhere`)).rejects.toThrow('cannot be read');
    await expect(store.import(empty, { tables: ['zips'] })).rejects.toThrow(
      'There is no table zips: vat_rates,',
    );
    await expect(store.import(empty, { tables: ['zip_areas'] })).rejects.toThrow(
      'There is no zip_areas.csv in',
    );
  });
});
