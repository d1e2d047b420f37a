import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { RowRemoval } from '../../platform/retention.ts';

/** Files for the bank and movements of the account: eight years from the end of the year, which the database counts. */
export const vouchersKept: RowRemoval = {
  name: 'vouchers',
  keptFor: () => ({}),
  portion: 500,
  remove: async (connection: Connection, { portion }): Promise<number> => {
    const { rows } = await sql<{ deleted: number }>`
      SELECT delete_old_vouchers(${portion}) AS deleted`.execute(connection);
    return rows[0]?.deleted ?? 0;
  },
};
