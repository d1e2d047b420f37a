import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { RowRemoval } from '../../platform/retention.ts';

/** Each document says itself until when it is kept: eight years from the end of the year of issue. */
export const invoicesKept: RowRemoval = {
  name: 'invoices',
  keptFor: () => ({}),
  portion: 500,
  remove: async (connection: Connection, { portion }): Promise<number> => {
    const { rows } = await sql<{ deleted: number }>`
      SELECT delete_old_invoices(${portion}) AS deleted`.execute(connection);
    return rows[0]?.deleted ?? 0;
  },
};
