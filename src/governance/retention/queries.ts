import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { ExpiringRows } from '../../platform/retention.ts';

/** Removes some of an organization's rows of before an instant and says how many; callers repeat it. */
export async function deleteExpired(
  connection: Connection,
  organization: string,
  { table, key, at, also = sql<boolean>`true` }: ExpiringRows,
  old: { before: string; rowsMax: number },
): Promise<number> {
  const columns = sql.join(key.map((name) => sql.ref(name)));
  const { numAffectedRows } = await sql`
    DELETE FROM ${sql.table(table)}
     WHERE organization_id = ${organization}
       AND (${columns}) IN (
             SELECT ${columns}
               FROM ${sql.table(table)}
              WHERE organization_id = ${organization} AND ${sql.ref(at)} < ${old.before} AND ${also}
              LIMIT ${old.rowsMax})`.execute(connection);
  return Number(numAffectedRows ?? 0n);
}
