import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { ExpiringRows, RowRemoval } from '../../platform/retention.ts';

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

/** How a run came out is asked for in the months after it. Its portions go a month before it: they refer to it. */
export const billingPortionsKept: ExpiringRows = {
  table: 'billing_portions',
  key: ['run_id', 'first_subscription'],
  at: 'created_at',
  keptFor: { months: 24 },
};

export const billingRunsKept: ExpiringRows = {
  table: 'billing_runs',
  key: ['id'],
  at: 'created_at',
  keptFor: { months: 25 },
};
