import type { Connection } from '../../platform/database/db.ts';
import { type BilledUsage, listChangedBills, listContractsChangedSince } from './change-queries.ts';

export type { BilledUsage };

/** Energy is read before the bill has its instant, and what comes in meanwhile is not in it. A portion takes far less. */
const READ_BEFORE_ISSUE = '1 hour';

/**
 * Which bills may be wrong by now: a reading took the place of an estimate, the metering operator sent other values, another
 * device was entered. Whether cents differ says only a new calculation.
 */
export function changedBills(
  connection: Connection,
  organization: string,
  billed: readonly BilledUsage[],
): Promise<ReadonlySet<string>> {
  return listChangedBills(connection, organization, billed, READ_BEFORE_ISSUE);
}

export interface ChangedPortion {
  readonly contracts: readonly string[];
  /** Where the next portion goes on; null: this was the last one. */
  readonly last: string | null;
}

/**
 * The contracts whose bills are to be looked at, by id: those of which something came in since an instant, mostly that of
 * the last look less an hour. Its cost is what came in, however many contracts there are.
 */
export async function changedContracts(
  connection: Connection,
  organization: string,
  since: string,
  { after, rowsMax }: { after: string; rowsMax: number },
): Promise<ChangedPortion> {
  const contracts = await listContractsChangedSince(connection, organization, since, { after, rowsMax });
  return { contracts, last: contracts.length < rowsMax ? null : (contracts.at(-1) ?? null) };
}
