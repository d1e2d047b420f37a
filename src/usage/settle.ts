import { listOrganizations, type Standing } from '../organizations/queries.ts';
import { audit } from '../platform/audit.ts';
import { addMonths, berlinDayOf, berlinMilliseconds } from '../platform/berlin-calendar.ts';
import type { Clock } from '../platform/clock.ts';
import type { Connection, Database } from '../platform/db.ts';
import type { JobResult, JobRun } from '../platform/jobs.ts';
import { firstOfMonth } from './intervals.ts';
import { settleUsageJob } from './jobs.ts';
import { measuredWhereUnknown } from './measured.ts';
import {
  insertQuarterHours,
  listQuarterHours,
  listSuppliedSmartContracts,
  type SuppliedContract,
} from './queries.ts';
import { settledAt } from './settlement.ts';
import { KWH_MAX, type Span } from './smart.ts';
import { supplyOf } from './supply.ts';

/** Ids read at once. */
const CONTRACTS_MAX = 200;
/** Jobs of all others stand still. */
const STANDINGS_SETTLED: readonly Standing[] = ['in_order', 'past_due'];

interface Parts {
  database: Database;
  clock: Clock;
}

/**
 * Keeps what the own measurements of a settled month came to. From then on these quarter hours are final: they must not
 * change with snapshots that come late, nor go when the snapshots have reached their age. Values of the metering operator
 * stay, and replace what is kept here whenever they come. A month of a household with a snapshot every ten seconds takes a
 * third of a second.
 */
export async function settleUsage(
  { database, clock }: Parts,
  run: Pick<JobRun, 'dueAt' | 'signal' | 'log'>,
): Promise<JobResult> {
  const end = firstOfMonth(berlinDayOf(run.dueAt));
  const month = { from: berlinMilliseconds(addMonths(end, -1)), until: berlinMilliseconds(end) };
  if (!settledAt(clock.nowMilliseconds())(month.from)) throw new Error('The month is not settled yet');
  const total = { contracts: 0, quarter_hours: 0 };
  const failed: string[] = [];
  for (const { id: organization, standing } of await database.asService(listOrganizations)) {
    if (!STANDINGS_SETTLED.includes(standing)) continue;
    run.signal.throwIfAborted();
    try {
      await settleOrganization({ database, clock }, organization, month, run.signal, total);
    } catch (error) {
      run.log.error({ err: error, organization }, 'usage could not be settled');
      failed.push(organization);
    }
  }
  if (failed.length > 0) throw new Error(`Usage of ${failed.length} organizations was not settled`);
  return total;
}

async function settleOrganization(
  { database, clock }: Parts,
  organization: string,
  month: Span,
  signal: AbortSignal,
  total: { contracts: number; quarter_hours: number },
): Promise<void> {
  for (let after = ''; ; ) {
    const contracts = await database.inOrganization({ organization }, (connection) =>
      listSuppliedSmartContracts(connection, organization, month, { after, rowsMax: CONTRACTS_MAX }),
    );
    for (const contract of contracts) {
      signal.throwIfAborted();
      /* Each in a transaction of its own: hours of work are not lost, and hold nobody up. */
      const kept = await database.inOrganization({ organization }, (connection) =>
        settleContract(connection, organization, contract, month, {
          now: clock.now().toISOString(),
          signal,
        }),
      );
      total.contracts += kept > 0 ? 1 : 0;
      total.quarter_hours += kept;
    }
    const last = contracts.at(-1);
    if (last === undefined || contracts.length < CONTRACTS_MAX) return;
    after = last.id;
  }
}

async function settleContract(
  connection: Connection,
  organization: string,
  contract: SuppliedContract,
  month: Span,
  { now, signal }: { now: string; signal: AbortSignal },
): Promise<number> {
  const supply = supplyOf(contract);
  if (supply === null) return 0;
  const span = {
    from: Math.max(month.from, supply.from),
    until: Math.min(month.until, supply.until),
  };
  if (span.from >= span.until) return 0;
  const known = await listQuarterHours(connection, organization, contract.id, span);
  const measured = await measuredWhereUnknown(connection, organization, contract, known, span, () =>
    signal.throwIfAborted(),
  );
  const starts = new Set(known.map(({ start }) => start));
  /* Power has no limit at the grid connection; what no household can have used is not kept for ever. */
  const kept = measured.filter(({ start, kwh }) => !starts.has(start) && kwh < KWH_MAX);
  if (kept.length === 0) return 0;
  const count = await insertQuarterHours(
    connection,
    organization,
    { customer: contract.customer_id, subscription: contract.id },
    {
      starts: kept.map(({ start: milliseconds }) => new Date(milliseconds).toISOString()),
      kwh: kept.map(({ kwh }) => String(kwh)),
    },
    now,
  );
  await audit(connection, {
    organization_id: organization,
    act: 'usage.settle',
    object_id: contract.id,
    route: settleUsageJob.name,
    result: 'done',
  });
  return count;
}
