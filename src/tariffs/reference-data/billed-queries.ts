import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';

/** A row of reference data as the figures of bills name it. */
export interface BilledRow {
  readonly table: string;
  readonly key: string;
  readonly validFrom: string;
}

/** Rows that a bill was made of: they stay when others are pruned. */
export async function insertBilledRows(connection: Connection, rows: readonly BilledRow[]): Promise<void> {
  if (rows.length === 0) return;
  /* In one order, so that two transactions with the same new rows never wait for each other. */
  await sql`
    INSERT INTO billed_reference_rows (reference_table, key, valid_from)
    SELECT DISTINCT "table", key, "validFrom"
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row ("table" text, key text, "validFrom" date)
     ORDER BY 1, 2, 3
    ON CONFLICT DO NOTHING`.execute(connection);
}

export async function listBilledRows(connection: Connection, table: string): Promise<BilledRow[]> {
  const { rows } = await sql<BilledRow>`
    SELECT reference_table AS "table", key, valid_from AS "validFrom"
      FROM billed_reference_rows WHERE reference_table = ${table}`.execute(connection);
  return rows;
}

/** Whether there is a bill at all. */
export async function hasBilledRows(connection: Connection): Promise<boolean> {
  const { rows } = await sql`SELECT FROM billed_reference_rows LIMIT 1`.execute(connection);
  return rows.length > 0;
}
