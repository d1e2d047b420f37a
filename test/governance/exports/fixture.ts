import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type ExportReport, type ExportTask, exportRows } from '../../../src/governance/exports/export.ts';
import { exportKind, isOfOrganization } from '../../../src/governance/exports/kinds.ts';
import { readCsv } from '../../../src/platform/csv/csv.ts';
import { type Database, openDatabase } from '../../../src/platform/database/db.ts';
import type { StaffAct } from '../../../src/platform/staff-act.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { insertTenant, type Tenant } from '../../setup/tenants.ts';

export const act: StaffAct = {
  staff: 'ada',
  reason: 'forecast of the load',
  command: 'export',
  now: '2026-01-01T00:00:00.000Z',
};

/** Two organizations, of the first 23 more assets with names as customers write them, and a folder for files. */
export interface ExportWorld {
  database: TestDatabase;
  owner: Database;
  admin: pg.Client;
  a: Tenant;
  b: Tenant;
  folder: string;
  run(task: Partial<ExportTask> & Pick<ExportTask, 'what'>): Promise<{ file: string; report: ExportReport }>;
  rows<Row>(text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export const HARD_NAMES = [
  '=HYPERLINK("http://x")',
  '+49',
  '-1+2',
  '@SUM(A1)',
  'a,"b"',
  'two\nlines',
  "'quoted",
];

export async function exportWorld(): Promise<ExportWorld> {
  const database = await createTestDatabase();
  const admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  const [a, b] = [await insertTenant(admin), await insertTenant(admin)];
  await admin.query("DELETE FROM asset_snapshots; UPDATE meters SET type = 'smart'");
  await admin.query(
    `INSERT INTO assets (organization_id, customer_id, household_id, id, type, external_id, max_power_kw)
     SELECT $1, $2, $3, 'ast_' || lpad(n::text, 24, '0'), 'heat_pump', coalesce(($4::text[])[n], 'device ' || n), 3
       FROM generate_series(1, 23) AS n`,
    [a.organization, a.customers[0], a.households[0], HARD_NAMES],
  );
  const folder = mkdtempSync(join(tmpdir(), 'voltstream-export-'));
  const owner = openDatabase({
    url: database.ownerUrl,
    applicationName: 'test',
    connectionsMax: 2,
    onError: () => {},
  });
  let files = 0;
  return {
    database,
    owner,
    admin,
    a,
    b,
    folder,
    run: async (given) => {
      files += 1;
      const task: ExportTask = {
        organization: isOfOrganization(exportKind(given.what)) ? a.organization : null,
        household: null,
        from: '2026-10-25',
        to: '2026-10-26',
        format: 'csv',
        file: join(folder, `${files}.${given.format ?? 'csv'}`),
        ...given,
      };
      return { file: task.file, report: await exportRows({ database: owner }, task, act) };
    },
    rows: async <Row>(text: string, values: unknown[] = []) =>
      (await admin.query(text, values)).rows as Row[],
    close: async () => {
      await owner.close();
      await admin.end();
      await database.drop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A value each quarter hour of the days, a little behind its start, for all assets. */
export async function insertSnapshots(world: ExportWorld, from: string, to: string): Promise<void> {
  await world.admin.query(
    `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw, state_of_charge, connected)
     SELECT a.key, t + a.place * interval '1 microsecond', a.place + extract(epoch FROM t) / 1e9,
            CASE WHEN a.place % 2 = 0 THEN 0.5 END, CASE WHEN a.place % 3 = 0 THEN true END
       FROM (SELECT key, row_number() OVER (ORDER BY key) AS place FROM assets) AS a,
            generate_series($1::timestamp AT TIME ZONE 'Europe/Berlin',
                            ($2::timestamp + interval '1 day') AT TIME ZONE 'Europe/Berlin' - interval '15 minutes',
                            interval '15 minutes') AS t`,
    [from, to],
  );
}

/** Rows by the names of the header; throws where the text breaks a rule of CSV. */
export async function csvRows(file: string): Promise<Record<string, string>[]> {
  const { records, problems } = readCsv(await readFile(file, 'utf8'));
  if (problems.length > 0) throw new Error(JSON.stringify(problems.slice(0, 3)));
  const [header, ...rest] = records;
  return rest.map(({ fields }) =>
    Object.fromEntries((header?.fields ?? []).map((name, index) => [name, fields[index] ?? '(missing)'])),
  );
}
