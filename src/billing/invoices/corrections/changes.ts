import type { Connection } from '../../../platform/database/db.ts';
import type { CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import {
  type BilledUsage,
  findPriceChanges,
  listChangedBills,
  listContractsChangedSince,
  listRepricedContracts,
} from './change-queries.ts';

export type { BilledUsage };

/** What a bill is made of is read before it has its instant, and what comes in meanwhile is not in it. A portion takes far less. */
const READ_BEFORE_ISSUE = '1 hour';

/** Which bills may be wrong by now. Whether cents differ says only a new calculation. */
export function changedBills(
  connection: Connection,
  organization: string,
  billed: readonly BilledUsage[],
): Promise<ReadonlySet<string>> {
  return listChangedBills(connection, organization, billed, READ_BEFORE_ISSUE);
}

/** Contracts are looked at by the thousand: where prices changed, each of them may be concerned. */
const CONTRACTS_AT_ONCE = 1_000;

/**
 * The contracts whose bills are to be looked at, by id: those of which something came in since an instant, mostly that of
 * the last look less an hour. Its cost is what came in, however many contracts there are; where a price list was corrected,
 * each contract is asked once whether it has a bill of those days.
 */
export async function changedContracts(
  connection: Connection,
  organization: string,
  since: string,
  today: CalendarDay,
): Promise<string[]> {
  const found = new Set<string>();
  for (let after: string | null = ''; after !== null; ) {
    const portion = { after, rowsMax: CONTRACTS_AT_ONCE };
    const ids: string[] = await listContractsChangedSince(connection, organization, since, portion);
    for (const id of ids) found.add(id);
    after = ids.length < CONTRACTS_AT_ONCE ? null : (ids.at(-1) ?? null);
  }
  if (await findPriceChanges(connection, organization, since, today)) {
    for (let after: string | null = ''; after !== null; ) {
      const { contracts, last } = await listRepricedContracts(
        connection,
        organization,
        since,
        { after, rowsMax: CONTRACTS_AT_ONCE },
        READ_BEFORE_ISSUE,
      );
      for (const id of contracts) found.add(id);
      after = last;
    }
  }
  return [...found].sort();
}
