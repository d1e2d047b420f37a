import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { type Connection, type Database, openDatabase } from '../../../src/platform/database/db.ts';
import { createLogger } from '../../../src/platform/log/logger.ts';
import {
  type ImportOptions,
  type ImportReport,
  importReferenceData,
} from '../../../src/tariffs/reference-data/files/import.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { storedRows } from '../../setup/stored-rows.ts';

/** The project's own files. */
export const referenceFolder = fileURLToPath(new URL('../../../reference', import.meta.url));

export const HEADERS = {
  vat_rates: 'rate,valid_from,valid_to,source,checked_on',
  levies: 'code,ct_net,valid_from,valid_to,source,checked_on',
  concession_fees: 'class,ct_net,valid_from,valid_to,source,checked_on',
  metering_fees:
    'metering_operator,case,meter,over_kwh,up_to_kwh,over_pv_kw,up_to_pv_kw,needs_14a_module,eur_year_gross,valid_from,valid_to,source,checked_on',
  eeg_rates: 'kind,up_to_kw,value_ct_net,tariff_ct_net,valid_from,valid_to,source,checked_on',
  market_values: 'code,ct_net,valid_from,valid_to,source,checked_on',
  benchmarks: 'base_fee_eur_year_gross,energy_ct_net,valid_from,valid_to,source,checked_on',
  savings_parameters: 'code,value,valid_from,valid_to,source,checked_on',
  energy_mixes:
    'supplier,year,nuclear,coal,gas,other_fossil,renewable_funded,renewable_other,co2_g_kwh,radioactive_waste_g_kwh,valid_from,valid_to,source,checked_on',
  usage_groups: 'code,kwh_year,valid_from,valid_to,source,checked_on',
  grid_operators: 'operator,name,bdew_code,mastr_number,website,valid_from,valid_to,source,checked_on',
  grid_fees:
    'operator,base_eur_year_net,working_ct_net,module_1_eur_year_net,module_2_ct_net,provisional,valid_from,valid_to,source,checked_on',
  grid_fee_schedules:
    'operator,low_ct_net,standard_ct_net,high_ct_net,quarters,low_windows,high_windows,weight_low,weight_standard,weight_high,share_of_year,valid_from,valid_to,source,checked_on',
  zip_areas:
    'zip,operator,concession_class,share,municipality_key,city,valid_from,valid_to,source,checked_on',
  load_profiles: 'profile,month,day_type,quarter_hour,kwh,valid_from,valid_to,source,checked_on',
};

type Table = keyof typeof HEADERS;

/** Lines under the header of each file; a whole file where it is a text. */
export type Files = Partial<Record<Table, readonly string[] | string>>;

export interface ReferenceStore {
  testDatabase: TestDatabase;
  database: Database;
  folderOf(files: Files): Promise<string>;
  import(files: Files | string, options?: Omit<ImportOptions, 'folder'>, now?: string): Promise<ImportReport>;
  /** With these rows and no others. */
  reset(files?: Files): Promise<void>;
  rows<Row>(text: string, values?: unknown[]): Promise<Row[]>;
  asService<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result>;
}

export const NOW = '2026-11-21T10:00:00.000Z';

/** Of those who do not look at warnings. */
export const silent = createLogger({ level: 'silent', name: 'test' });

/** A database of its own for a test file, and folders of files for it; to be called at the top of the file. */
export async function takeReferenceStore(): Promise<ReferenceStore> {
  const testDatabase = await createTestDatabase();
  const database = openDatabase({
    url: testDatabase.appUrl,
    applicationName: 'test',
    connectionsMax: 4,
    onError: () => {},
  });
  const root = await mkdtemp(join(tmpdir(), 'voltstream-reference-'));
  afterAll(async () => {
    await database.close();
    await testDatabase.drop();
    await rm(root, { recursive: true });
  });

  async function folderOf(files: Files): Promise<string> {
    const folder = await mkdtemp(join(root, 'files-'));
    for (const [table, content] of Object.entries(files)) {
      const text = typeof content === 'string' ? content : fileText(table as Table, content);
      await writeFile(join(folder, `${table}.csv`), text);
    }
    return folder;
  }

  async function importFiles(files: Files | string, options: Omit<ImportOptions, 'folder'> = {}, now = NOW) {
    const folder = typeof files === 'string' ? files : await folderOf(files);
    const act = { staff: 'tests', reason: 'test', command: 'tariffs import', now };
    return await importReferenceData(database, { folder, ...options }, act);
  }

  return {
    testDatabase,
    database,
    folderOf,
    import: importFiles,
    reset: async (files) => {
      await storedRows(
        { database: testDatabase },
        // Of few rows: to truncate takes 40 ms, because each table gets a new file.
        [...Object.keys(HEADERS), 'reference_history'].map((table) => `DELETE FROM ${table}`).join('; '),
      );
      if (files === undefined) return;
      const { problems } = await importFiles(files);
      if (problems.length > 0) throw new Error(JSON.stringify(problems));
    },
    rows: (text, values) => storedRows({ database: testDatabase }, text, values),
    asService: (work) => database.asService(work),
  };
}

/** The project's rows that end with 2026, as rows of another year. */
export async function rowsOf(year: number) {
  const linesOf = async (table: Table) => {
    const text = await readFile(join(referenceFolder, `${table}.csv`), 'utf8');
    const ending = text.split('\n').filter((line) => line.includes(',2026-01-01,2027-01-01,'));
    return ending.map((line) => line.replace(',2026-01-01,2027-01-01,', `,${year}-01-01,${year + 1}-01-01,`));
  };
  return {
    levies: await linesOf('levies'),
    market_values: await linesOf('market_values'),
    benchmarks: await linesOf('benchmarks'),
    grid_fees: await linesOf('grid_fees'),
    grid_fee_schedules: await linesOf('grid_fee_schedules'),
  };
}

export function fileText(table: Table, lines: readonly string[]): string {
  return `${[HEADERS[table], ...lines].join('\n')}\n`;
}

/* Lines of the files, with what a test is not about filled in. */

export function vatLine(rate: string, from: string, to = ''): string {
  return `${rate},${from},${to},law,2026-01-01`;
}

export function levyLine(code: string, price: string, from: string, to = ''): string {
  return `${code},${price},${from},${to},law,2026-01-01`;
}

/** Of the largest cities, which is the class of every zip here. */
export function concessionLine(price: string, from: string, to = ''): string {
  return `T4,${price},${from},${to},law,2026-01-01`;
}

export function operatorLine(operator: string, from = '2020-01-01', to = ''): string {
  return `${operator},Name of ${operator},,,,${from},${to},register,2026-01-01`;
}

export function feeLine(operator: string, working: string, from: string, to = ''): string {
  return `${operator},75.00,${working},,,no,${from},${to},price sheet,2026-01-01`;
}

export function zipLine(zip: string, operator: string, share = '1', from = '2026-01-01', to = ''): string {
  return `${zip},${operator},T4,${share},,,${from},${to},register,2026-01-01`;
}

/** `file:line column: rule`, which is what an operator mends a file by. */
export function places(report: ImportReport, kind: 'problems' | 'warnings' = 'problems'): string[] {
  return report[kind].map(
    ({ file, line, column, value, rule }) => `${file}:${line} ${column} "${value}" ${rule}`,
  );
}
