import type { StartFacts } from '../../../src/cli/local/facts.ts';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';

/** The status of its own answer whether it is ready. */
export const isReady = async (of: StartFacts) => (await fetch(`${of.base_url}/readyz`)).status;

/** The counts that a statement gives. */
export async function countsOf(of: StartFacts, text: string): Promise<{ count: number }[]> {
  return await withDatabaseClient(of.database_url, async (client) => (await client.query(text)).rows);
}

/** Stored snapshots of a started service. */
export async function countRows(of: StartFacts, condition = 'true'): Promise<number> {
  const text = `SELECT count(*)::int AS count FROM ${of.snapshot_table} WHERE ${condition}`;
  return (await countsOf(of, text))[0]?.count ?? -1;
}
