import { STANDINGS_AT_WORK } from '../../../identity/organizations/queries.ts';
import { forEachOrganization } from '../../../identity/organizations/service.ts';
import type { Connection } from '../../../platform/database/db.ts';
import { newId } from '../../../platform/ids.ts';
import { enqueue, enqueueEach } from '../../../platform/jobs/enqueue.ts';
import type { JobResult, JobRun } from '../../../platform/jobs/jobs.ts';
import type { CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import { CONTRACTS_MAX } from '../basis/contracts.ts';
import { findInstantOfLastLook } from '../corrections/queries.ts';
import { askCorrectionsJob, type BillingDeps, billPortionJob, correctBillsJob } from '../jobs.ts';
import type { PortionBounds } from '../plan/queries.ts';
import { findPortion, insertPortions, insertRun, listRefusals } from './queries.ts';

export interface BillingOrder {
  /** The tick of the schedule; null: a command. */
  readonly dueAt: string | null;
  /** First day of a month: only its periods; null: all that is due. */
  readonly month: CalendarDay | null;
  /** Quarter hours that are missing are estimated, because a deadline is near. */
  readonly estimateGaps: boolean;
}

/** Asks for everything that is due, of every organization. Begun again after a crash it asks for nothing twice. */
export async function runBilling(
  { database, clock }: BillingDeps,
  run: Pick<JobRun, 'dueAt' | 'signal' | 'log'>,
): Promise<JobResult> {
  const total = { organizations: 0, portions: 0 };
  const order = { dueAt: run.dueAt, month: null, estimateGaps: false };
  await forEachOrganization(
    database,
    run,
    { undone: 'bills were not asked for', standings: STANDINGS_AT_WORK },
    async (organization) => {
      const begun = await database.inOrganization({ organization }, (connection) =>
        askForBilling(connection, organization, order, clock.now().toISOString()),
      );
      total.organizations += begun === null ? 0 : 1;
      total.portions += begun?.portions ?? 0;
    },
  );
  return total;
}

/**
 * Writes a run with its portions and asks for them, all of it with the commit. Null: the tick has its run. It looks at the
 * ids of contracts only; 100,000 of them take 200 short statements.
 */
export async function askForBilling(
  connection: Connection,
  organization: string,
  { dueAt, month, estimateGaps }: BillingOrder,
  now: string,
): Promise<{ run: string; portions: number } | null> {
  const lastRunAt = await findInstantOfLastLook(connection, organization);
  const run = { id: newId('brun'), due_at: dueAt, month, estimate_gaps: estimateGaps, created_at: now };
  if (!(await insertRun(connection, organization, run))) return null;
  const portions: PortionBounds[] = [];
  for (let after = ''; ; ) {
    const portion = await findPortion(connection, organization, after, CONTRACTS_MAX);
    if (portion === null) break;
    portions.push(portion);
    after = portion.last;
  }
  await askForPortions(connection, organization, run.id, portions, now);
  if (dueAt !== null && lastRunAt !== null) {
    const payload = { run: run.id, last_run_at: lastRunAt, after: '' };
    await enqueue(connection, askCorrectionsJob, payload, { key: run.id, runAt: now });
  }
  return { run: run.id, portions: portions.length };
}

/** The same for one contract: what is due of it, and corrections of it that could not be made before. */
export async function askForBillingOf(
  connection: Connection,
  organization: string,
  contract: string,
  now: string,
): Promise<{ run: string; portions: number }> {
  const run = { id: newId('brun'), due_at: null, month: null, estimate_gaps: false, created_at: now };
  await insertRun(connection, organization, run);
  await askForPortions(connection, organization, run.id, [{ first: contract, last: contract }], now);
  const refused = await listRefusals(connection, organization, { subscription: contract }, REFUSALS_MAX);
  if (refused.some(({ type }) => type === 'correction' || type === 'exit_summary')) {
    const payload = { run: run.id, contracts: [contract] };
    await enqueue(connection, correctBillsJob, payload, { key: `${run.id} ${contract}`, runAt: now });
  }
  return { run: run.id, portions: 1 };
}

/** A contract has fewer. */
const REFUSALS_MAX = 200;

async function askForPortions(
  connection: Connection,
  organization: string,
  run: string,
  portions: readonly PortionBounds[],
  now: string,
): Promise<void> {
  await insertPortions(connection, organization, run, portions, now);
  await enqueueEach(
    connection,
    billPortionJob,
    portions.map((portion) => ({ payload: { run, ...portion }, key: `${run} ${portion.first}`, runAt: now })),
  );
}
