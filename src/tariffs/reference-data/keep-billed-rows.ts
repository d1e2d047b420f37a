import type { Connection } from '../../platform/database/db.ts';
import { type BilledRow, insertBilledRows } from './billed-queries.ts';

/** A figure of a bill; only some of them stand in the price lists. */
interface Figure {
  readonly table: string | null;
  readonly key: string | null;
  readonly validFrom: string | null;
}

/** Remembers which rows of the price lists bills were made of: they stay when others are pruned. */
export async function keepBilledRows(connection: Connection, figures: Iterable<Figure>): Promise<void> {
  const rows = new Map<string, BilledRow>();
  for (const { table, key, validFrom } of figures) {
    if (table === null || key === null || validFrom === null) continue;
    rows.set(`${table} ${key} ${validFrom}`, { table, key, validFrom });
  }
  await insertBilledRows(connection, [...rows.values()]);
}
