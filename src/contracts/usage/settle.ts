import type { OrganizationStanding } from '../../identity/organizations/queries.ts';
import { forEachOrganization } from '../../identity/organizations/service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/db.ts';
import type { JobResult, JobRun } from '../../platform/jobs/jobs.ts';
import {
  addMonths,
  berlinDayOf,
  berlinMilliseconds,
  type CalendarDay,
  firstOfMonth,
} from '../../platform/time/berlin-calendar.ts';
import { listUnsettledContracts } from './kept-queries.ts';
import { settleMonth } from './settle-month.ts';
import { settlesAt } from './settles-at.ts';

/** Ids read at once. */
const CONTRACTS_MAX = 200;
/** Jobs of all others stand still. */
const STANDINGS_SETTLED: readonly OrganizationStanding[] = ['in_order', 'past_due'];

interface SettleDeps {
  database: Database;
  clock: Clock;
}

interface SettleRun {
  month: CalendarDay;
  signal: AbortSignal;
  total: { contracts: number; quarter_hours: number };
}

/**
 * Freezes the month before the one in which it falls due, for every contract that nobody has asked for since. What it
 * writes does not depend on the moment at which it runs; before the month is settled it does nothing.
 */
export async function settleUsage(
  { database, clock }: SettleDeps,
  run: Pick<JobRun, 'dueAt' | 'signal' | 'log'>,
): Promise<JobResult> {
  const month = addMonths(firstOfMonth(berlinDayOf(run.dueAt)), -1);
  const total = { contracts: 0, quarter_hours: 0 };
  if (clock.nowMilliseconds() < settlesAt(month)) return total;
  await forEachOrganization(
    database,
    run,
    { undone: 'usage was not settled', standings: STANDINGS_SETTLED },
    (organization) =>
      settleOrganization({ database, clock }, organization, { month, signal: run.signal, total }),
  );
  return total;
}

async function settleOrganization(
  { database, clock }: SettleDeps,
  organization: string,
  { month, signal, total }: SettleRun,
): Promise<void> {
  const span = { from: berlinMilliseconds(month), until: berlinMilliseconds(addMonths(month, 1)) };
  for (let after = ''; ; ) {
    const { due, last } = await database.inOrganization({ organization }, (connection) =>
      listUnsettledContracts(connection, organization, month, span, { after, rowsMax: CONTRACTS_MAX }),
    );
    for (const contract of due) {
      signal.throwIfAborted();
      /* Each in a transaction of its own: hours of work are not lost, and hold nobody up. */
      const kept = await database.inOrganization({ organization }, (connection) =>
        settleMonth(connection, organization, contract, month, {
          now: clock.now().toISOString(),
          mayGoOn: () => signal.throwIfAborted(),
        }),
      );
      total.contracts += kept > 0 ? 1 : 0;
      total.quarter_hours += kept;
    }
    if (last === null) return;
    after = last;
  }
}
