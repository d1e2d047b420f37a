import { DateTime } from 'luxon';
import type { Connection } from '../../../platform/database/db.ts';
import { enqueueEach } from '../../../platform/jobs/enqueue.ts';
import { berlinDayAt, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import { CORRECTED_MAX, correctBillsJob } from '../jobs.ts';
import {
  type BilledUsage,
  findInstantOfLastLook,
  findPriceChanges,
  listBilledUsage,
  listChangedBills,
  listContractsChangedSince,
  listOpenCorrections,
  listRepricedContracts,
} from './queries.ts';

/** Data of a bill are read before it has its instant; what comes in meanwhile is not in it. A portion takes far less. */
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
  const changed = new Set<string>();
  for (let after: string | null = ''; after !== null; ) {
    const portion = { after, rowsMax: CONTRACTS_AT_ONCE };
    const ids: string[] = await listContractsChangedSince(connection, organization, since, portion);
    for (const id of ids) changed.add(id);
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
      for (const id of contracts) changed.add(id);
      after = last;
    }
  }
  return [...changed].sort();
}

interface QuestionableContract {
  readonly id: string;
  /** How many of its bills depend on what came in. */
  readonly bills: number;
}

/**
 * Contracts with bills that depend on what came in since the last run, by id behind `after`; the next run calculates them
 * anew. `last`: the contract behind which the next page begins; null: there is none. Leaves out contracts whose prices
 * changed, for each would have to be asked; `pricesChanged` says whether there are any.
 */
export async function questionableContracts(
  connection: Connection,
  organization: string,
  { nowMilliseconds, after, rowsMax }: { nowMilliseconds: number; after: string; rowsMax: number },
): Promise<{ contracts: QuestionableContract[]; last: string | null; pricesChanged: boolean }> {
  const lastRunAt = await findInstantOfLastLook(connection, organization);
  if (lastRunAt === null) return { contracts: [], last: null, pricesChanged: false };
  const since = lookedAtSince(DateTime.fromISO(lastRunAt).toMillis());
  const found = await listContractsChangedSince(connection, organization, since, {
    after,
    rowsMax: rowsMax + 1,
  });
  const ids = found.slice(0, rowsMax);
  const bills = ids.length === 0 ? [] : await listBilledUsage(connection, organization, ids);
  const changed = bills.length === 0 ? new Set() : await changedBills(connection, organization, bills);
  const questionable = Map.groupBy(
    bills.filter(({ invoice }) => changed.has(invoice)),
    ({ subscription }) => subscription,
  );
  const today = berlinDayAt(nowMilliseconds);
  return {
    contracts: [...questionable].map(([id, some]) => ({ id, bills: some.length })),
    last: found.length > ids.length ? (ids.at(-1) ?? null) : null,
    pricesChanged: await findPriceChanges(connection, organization, since, today),
  };
}

/** A transaction may commit what carries an instant from before the look that missed it. */
const LOOKED_BACK_MILLISECONDS = 3_600_000;

function lookedAtSince(lastMilliseconds: number): string {
  return new Date(lastMilliseconds - LOOKED_BACK_MILLISECONDS).toISOString();
}

/**
 * Asks for the contracts whose bills depend on something that came in since the last run, and for those whose correction
 * could not be made before. Returns how many contracts.
 */
export async function askCorrections(
  connection: Connection,
  organization: string,
  { run, lastRunAt, now }: { run: string; lastRunAt: string; now: string },
): Promise<number> {
  const since = lookedAtSince(DateTime.fromISO(lastRunAt).toMillis());
  const today = berlinDayAt(DateTime.fromISO(now).toMillis());
  const named = new Set(await changedContracts(connection, organization, since, today));
  for (let after = ''; ; ) {
    const ids = await listOpenCorrections(connection, organization, after, CORRECTED_MAX);
    for (const id of ids) named.add(id);
    after = ids.at(-1) ?? '';
    if (ids.length < CORRECTED_MAX) break;
  }
  const ids = [...named].sort();
  const portions = Array.from({ length: Math.ceil(ids.length / CORRECTED_MAX) }, (_, index) =>
    ids.slice(index * CORRECTED_MAX, (index + 1) * CORRECTED_MAX),
  );
  await enqueueEach(
    connection,
    correctBillsJob,
    portions.map((contracts) => ({ payload: { run, contracts }, key: `${run} ${contracts[0]}`, runAt: now })),
  );
  return ids.length;
}
