import { type JobResult, type JobRun, organizationOf } from '../../../platform/jobs/jobs.ts';
import type { Logger } from '../../../platform/log/logger.ts';
import type { BillingDeps } from '../jobs.ts';
import { type DueDocument, dueDocuments } from '../plan/due.ts';
import type { PortionBounds } from '../plan/queries.ts';
import { deleteOtherRefusals, type RefusedDocument, upsertRefusals } from '../plan/refusal-queries.ts';
import { DEFECT, isOwnDefect } from '../refusal.ts';
import { type BatchOptions, type BatchOutcome, billBatch, refusedOf } from './batch.ts';
import { findRun, updatePortionDone } from './queries.ts';

/** Documents of one transaction. The organization's ledger is held while they are stored: a tenth of a second. */
const DOCUMENTS_MAX = 50;

interface PortionPayload extends PortionBounds {
  run: string;
}

type PortionRun = Pick<JobRun<PortionPayload>, 'payload' | 'organization' | 'signal' | 'closing' | 'log'>;

/**
 * Makes what is due for the contracts of a portion. It may end at any moment and begin again: what is stored is found as
 * billed, and what is not is made. One contract that cannot be billed never keeps the others from it.
 */
export async function billPortion(deps: BillingDeps, run: PortionRun): Promise<JobResult> {
  const { database, clock } = deps;
  const organization = organizationOf(run);
  const { payload: bounds, log } = run;
  const billingRun = await database.inOrganization({ organization }, (connection) =>
    findRun(connection, organization, bounds.run),
  );
  /* Removed with age: its contracts are in newer runs. */
  if (billingRun === undefined) return { contracts: 0 };
  const mayGoOn = () => {
    run.signal.throwIfAborted();
    run.closing.throwIfAborted();
  };
  const moment = { nowMilliseconds: clock.nowMilliseconds(), month: billingRun.month };
  const due = await database.inOrganization({ organization }, async (connection) => {
    const documents = await dueDocuments(connection, organization, bounds, moment);
    if (billingRun.month === null) await deleteOtherRefusals(connection, organization, bounds, documents);
    return documents;
  });
  const options = { run: billingRun.id, estimateGaps: billingRun.estimate_gaps, mayGoOn };
  const total = await billDue(deps, organization, due, { ...options, log });
  await database.inOrganization({ organization }, (connection) =>
    updatePortionDone(connection, organization, bounds, clock.now().toISOString()),
  );
  return { ...total };
}

interface Billing extends BatchOptions {
  readonly log: Pick<Logger, 'error'>;
}

/**
 * The documents of each contract in their order, those of many contracts together. Behind a bill that was refused the later
 * ones of its contract wait: a discount, a year's limit and a meter's price go by the bills before.
 */
export async function billDue(
  deps: BillingDeps,
  organization: string,
  due: readonly DueDocument[],
  billing: Billing,
): Promise<{ contracts: number; issued: number; refused: number }> {
  const contracts = [...Map.groupBy(due, ({ subscription }) => subscription).values()];
  const total = { contracts: contracts.length, issued: 0, refused: 0 };
  for (let round = contracts; round.length > 0; round = round.filter((left) => left.length > 0)) {
    for (let first = 0; first < round.length; first += DOCUMENTS_MAX) {
      billing.mayGoOn();
      const batch = round.slice(first, first + DOCUMENTS_MAX);
      const documents = batch.flatMap((left) => left.splice(0, 1));
      const outcome = await billedApart(deps, organization, documents, billing);
      total.issued += outcome.issued.length;
      const refusals = new Map(outcome.refused.map((refused) => [refused.subscription, refused]));
      const waiting = batch.flatMap((left) => {
        const refused = refusals.get(left[0]?.subscription ?? '');
        if (refused?.type !== 'usage') return [];
        return left.splice(0).map((later) => refusedOf(later, waitsFor(refused)));
      });
      await storeWaiting(deps, organization, waiting, billing);
      total.refused += outcome.refused.length + waiting.length;
    }
  }
  return total;
}

function waitsFor({ period, refusal }: RefusedDocument): RefusedDocument['refusal'] {
  const detail = `The bill from ${period.from} to ${period.until} comes first, and it is refused: ${refusal.code}.`;
  return { code: 'earlier_refused', detail };
}

async function storeWaiting(
  { database, clock }: BillingDeps,
  organization: string,
  waiting: readonly RefusedDocument[],
  { run }: Billing,
): Promise<void> {
  if (waiting.length === 0) return;
  await database.inOrganization({ organization }, (connection) =>
    upsertRefusals(connection, organization, waiting, { run, now: clock.now().toISOString() }),
  );
}

/** Finds the contract with a defect by halves when a batch fails by one: the others are billed. */
async function billedApart(
  deps: BillingDeps,
  organization: string,
  due: readonly DueDocument[],
  billing: Billing,
): Promise<BatchOutcome> {
  try {
    return await billBatch(deps, organization, due, billing);
  } catch (error) {
    if (!isOwnDefect(error)) throw error;
    billing.mayGoOn();
    const [first] = due;
    if (first !== undefined && due.length === 1) {
      billing.log.error(
        { err: error, organization, subscription: first.subscription },
        'a bill failed by a defect',
      );
      const refused = [refusedOf(first, DEFECT)];
      await storeWaiting(deps, organization, refused, billing);
      return { issued: [], refused };
    }
    const middle = Math.ceil(due.length / 2);
    const left = await billedApart(deps, organization, due.slice(0, middle), billing);
    const right = await billedApart(deps, organization, due.slice(middle), billing);
    return { issued: [...left.issued, ...right.issued], refused: [...left.refused, ...right.refused] };
  }
}
