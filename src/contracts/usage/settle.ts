import { isCustomerErased } from '../../identity/customers/service.ts';
import { STANDINGS } from '../../identity/organizations/queries.ts';
import { forEachOrganization } from '../../identity/organizations/service.ts';
import { audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import type { JobResult, JobRun } from '../../platform/jobs/jobs.ts';
import {
  addMonths,
  berlinDayAt,
  berlinDayOf,
  berlinMilliseconds,
  type CalendarDay,
  earlier,
  firstOfMonth,
  later,
} from '../../platform/time/berlin-calendar.ts';
import { supplyOf } from './intervals.ts';
import { settleUsageJob } from './jobs.ts';
import {
  insertMeasured,
  listUnsettledContracts,
  lockUsage,
  type SuppliedContract,
  upsertDaySums,
  upsertSettledMonth,
} from './kept-queries.ts';
import { measuredDays, wholeDays } from './measured.ts';
import { findMeterParts, type MeterPart, partsWithin } from './meter-parts.ts';
import { instantOf, listKeptStarts } from './queries.ts';
import { freezesAt, settlesAt } from './settlement.ts';

/** Ids read at once. */
const CONTRACTS_MAX = 200;

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
 * Freezes the month before the one in which it falls due, for every contract that nobody has asked for since; of a suspended
 * organization, too: its snapshots go by age, and its bills come later. Writes the same at whatever moment it runs; before the
 * month is settled it does nothing.
 */
export async function settleUsage(
  { database, clock }: SettleDeps,
  run: Pick<JobRun, 'dueAt' | 'signal' | 'log'>,
): Promise<JobResult> {
  const month = addMonths(firstOfMonth(berlinDayOf(run.dueAt)), -1);
  const total = { contracts: 0, quarter_hours: 0 };
  if (clock.nowMilliseconds() < freezesAt(month)) return total;
  await forEachOrganization(
    database,
    run,
    { undone: 'usage was not settled', standings: STANDINGS.filter((standing) => standing !== 'deleted') },
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

interface SettlingMonth {
  now: string;
  mayGoOn(): void;
}

/**
 * Freezes what the own measurements of a month came to at the instant at which it was settled: snapshots that were stored
 * later change nothing, whenever this runs and whoever asks first. Values of the metering operator stay. A second call for
 * the same month does nothing, unless more of its days are known to be supplied by a smart meter. The month of a household with a snapshot every ten seconds takes about a second.
 */
export async function settleMonth(
  connection: Connection,
  organization: string,
  contract: SuppliedContract,
  month: CalendarDay,
  { now, mayGoOn }: SettlingMonth,
): Promise<number> {
  const parts = await smartParts(connection, organization, contract, month);
  if (parts.length === 0) return 0;
  const smart = parts.flatMap(({ first, end }) => wholeDays(first, end, berlinMilliseconds(end)));
  const owner = { organization, customer: contract.customer_id, subscription: contract.id };
  await lockUsage(connection, owner);
  if (!(await upsertSettledMonth(connection, owner, { month, days: parts }, now))) return 0;
  /* Snapshots of who was erased may be there for some minutes more. */
  if (await isCustomerErased(connection, organization, owner.customer)) return 0;
  const storedBefore = instantOf(settlesAt(month));
  const days = await measuredDays(connection, organization, contract.household_id, smart, {
    storedBefore,
    mayGoOn,
  });
  const own = [...days.values()].flat();
  if (own.length === 0) return 0;
  const spans = smart.map(({ begins, ends }) => ({ from: begins, until: ends }));
  const kept = await listKeptStarts(connection, owner, spans);
  const measured = own.filter(({ start }) => !kept.has(start));
  if (measured.length === 0) return 0;
  const count = await insertMeasured(
    connection,
    owner,
    {
      starts: measured.map(({ start }) => instantOf(start)),
      kwh: measured.map((quarterHour) => quarterHour[contract.type]),
    },
    now,
  );
  await upsertDaySums(connection, owner, smart);
  await audit(connection, {
    organization_id: organization,
    act: 'usage.settle',
    object_id: contract.id,
    route: settleUsageJob.name,
    result: 'done',
  });
  return count;
}

/** The days of a month on which a contract was supplied by a smart meter. */
async function smartParts(
  connection: Connection,
  organization: string,
  contract: SuppliedContract,
  month: CalendarDay,
): Promise<MeterPart[]> {
  const supply = supplyOf(contract);
  if (supply === null) return [];
  const next = addMonths(month, 1);
  const suppliedFrom = berlinDayAt(supply.from);
  const suppliedUntil = Number.isFinite(supply.until) ? berlinDayAt(supply.until) : next;
  const first = later(month, suppliedFrom);
  const end = earlier(next, suppliedUntil);
  const parts = await findMeterParts(connection, organization, contract.meter_id);
  return partsWithin(parts, first, end).filter(({ type }) => type === 'smart');
}
