import { DateTime } from 'luxon';
import type { Connection } from '../../../platform/database/db.ts';
import { meterValuesKeptSince } from '../../../platform/retention.ts';
import { berlinDayAt, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import { listContractsWaitedFor, type WaitedForContract } from '../queries.ts';
import {
  type BilledUsage,
  type ContractPage,
  contractsOfRuns,
  findInstantOfLastLook,
  findPriceChanges,
  listBilledUsage,
  listChangedBills,
  listContractsChangedSince,
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
export const CONTRACTS_AT_ONCE = 1_000;

/**
 * The next contracts by id, or those of a customer, whose bills are to be looked at: something came in since an instant, mostly
 * that of the last look less an hour. Its cost is what came in, however many contracts there are; where a price list was
 * corrected, each contract is asked once whether it has a bill of those days.
 */
export async function changedContracts(
  connection: Connection,
  organization: string,
  { since, today, ...which }: { since: string; today: CalendarDay; after: string; customer?: string },
): Promise<ContractPage> {
  const portion = { ...which, rowsMax: CONTRACTS_AT_ONCE };
  const changed = pageOf(await listContractsChangedSince(connection, organization, since, portion));
  if (!(await findPriceChanges(connection, organization, since, today))) return changed;
  const days = { since, before: today };
  const repriced = await listRepricedContracts(connection, organization, days, portion, READ_BEFORE_ISSUE);
  return together(changed, repriced);
}

export function pageOf(contracts: readonly string[]): ContractPage {
  return { contracts, last: contracts.length < CONTRACTS_AT_ONCE ? null : (contracts.at(-1) ?? null) };
}

/** As far as both reach. */
export function together(...pages: readonly [ContractPage, ContractPage]): ContractPage {
  const [last = null] = pages.flatMap((page) => page.last ?? []).sort();
  const contracts = new Set(pages.flatMap((page) => page.contracts));
  return { contracts: [...contracts].filter((id) => last === null || id <= last).sort(), last };
}

/**
 * Ended contracts of a customer whose bills may still be corrected, and what they wait for. `runsCome`: the organization has
 * daily runs.
 */
export async function contractsWaitedFor(
  connection: Connection,
  { organization, customer }: { organization: string; customer: string },
  { nowMilliseconds, runsCome }: { nowMilliseconds: number; runsCome: boolean },
): Promise<WaitedForContract[]> {
  const lookedAt = await findInstantOfLastLook(connection, organization);
  const changed: string[] = [];
  const since = lookedAt === null ? null : lookedAtSince(DateTime.fromISO(lookedAt).toMillis());
  if (since !== null) {
    const look = { since, today: berlinDayAt(nowMilliseconds), customer };
    for (let after: string | null = ''; after !== null; ) {
      const page: ContractPage = await changedContracts(connection, organization, { ...look, after });
      changed.push(...page.contracts);
      after = page.last;
    }
  }
  const now = new Date(nowMilliseconds).toISOString();
  return await listContractsWaitedFor(
    connection,
    { organization, customer },
    {
      ...{ now, keptSince: meterValuesKeptSince(nowMilliseconds), runsCome },
      ...{ lookedAt, changed },
      underWay: contractsOfRuns(organization, { failedSince: since ?? '-infinity' }),
    },
  );
}

interface QuestionableContract {
  readonly id: string;
  /** How many of its bills depend on what came in. */
  readonly bills: number;
}

/** A page asks about the bills of so many contracts at once. */
const CONTRACTS_ASKED_AT_ONCE = 100;

/**
 * Contracts with bills that depend on what came in since the last run, by id behind `after`; the next run calculates them
 * anew. Most values that come in are of days that no bill covers: it looks at up to `CONTRACTS_AT_ONCE` contracts until it has
 * a page. `last`: the contract behind which the next page begins; null: there is none. Leaves out what was corrected by hand
 * since, and contracts whose prices changed, for each would have to be asked; `pricesChanged` says whether there are any.
 */
export async function questionableContracts(
  connection: Connection,
  organization: string,
  { nowMilliseconds, after, rowsMax }: { nowMilliseconds: number; after: string; rowsMax: number },
): Promise<{ contracts: QuestionableContract[]; last: string | null; pricesChanged: boolean }> {
  const since = await findInstantOfLastLook(connection, organization);
  if (since === null) return { contracts: [], last: null, pricesChanged: false };
  const portion = { after, rowsMax: CONTRACTS_AT_ONCE };
  const changed = pageOf(await listContractsChangedSince(connection, organization, since, portion));
  const keptSince = meterValuesKeptSince(nowMilliseconds);
  const contracts: QuestionableContract[] = [];
  for (let from = 0; from < changed.contracts.length && contracts.length <= rowsMax; ) {
    const ids = changed.contracts.slice(from, from + CONTRACTS_ASKED_AT_ONCE);
    const bills = await listBilledUsage(connection, organization, ids, { keptSince, lookedAt: since });
    const concerned = await listChangedBills(connection, organization, bills, '0 hours');
    const bySubscription = Map.groupBy(
      bills.filter(({ invoice }) => concerned.has(invoice)),
      ({ subscription }) => subscription,
    );
    contracts.push(...[...bySubscription].map(([id, some]) => ({ id, bills: some.length })));
    from += ids.length;
  }
  const shown = contracts.slice(0, rowsMax);
  const today = berlinDayAt(nowMilliseconds);
  return {
    contracts: shown,
    last: contracts.length > shown.length ? (shown.at(-1)?.id ?? null) : changed.last,
    pricesChanged: await findPriceChanges(connection, organization, since, today),
  };
}

/** A transaction may commit what carries an instant from before the look that missed it. */
const LOOKED_BACK_MILLISECONDS = 3_600_000;

/** What came in before this instant was seen by a look at `lastMilliseconds`. */
export function lookedAtSince(lastMilliseconds: number): string {
  return new Date(lastMilliseconds - LOOKED_BACK_MILLISECONDS).toISOString();
}
