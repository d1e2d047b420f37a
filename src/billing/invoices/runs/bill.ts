import { type JobResult, type JobRun, organizationOf } from '../../../platform/jobs/jobs.ts';
import type { Logger } from '../../../platform/log/logger.ts';
import { type DueContract, dueContracts } from '../plan/due.ts';
import { type BatchOptions, type BatchOutcome, type BillingDeps, billBatch } from './batch.ts';
import { isOwnDefect } from './defects.ts';
import { findRun, type PortionBounds, updatePortionDone } from './queries.ts';
import { deleteOtherRefusals, type RefusedDocument, upsertRefusals } from './refusal-queries.ts';
import { nameOf, refusedOf, type WantedDocument } from './wanted.ts';

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
  const found = await database.inOrganization({ organization }, (connection) =>
    findRun(connection, organization, bounds.run),
  );
  /* Removed with age: its contracts are in newer runs. */
  if (found === undefined) return { contracts: 0 };
  const mayGoOn = () => {
    run.signal.throwIfAborted();
    run.closing.throwIfAborted();
  };
  const moment = { nowMilliseconds: clock.nowMilliseconds(), month: found.month };
  const due = await database.inOrganization({ organization }, async (connection) => {
    const contracts = await dueContracts(connection, organization, bounds, moment);
    if (found.month === null) {
      await deleteOtherRefusals(connection, organization, bounds, contracts.flatMap(allOf).map(nameOf));
    }
    return contracts;
  });
  const options = { run: found.id, estimateGaps: found.estimate_gaps, mayGoOn };
  const total = await billContracts(deps, organization, due, { ...options, log });
  await database.inOrganization({ organization }, (connection) =>
    updatePortionDone(connection, organization, bounds, clock.now().toISOString()),
  );
  return { contracts: due.length, ...total };
}

const allOf = ({ usage, prepayments, ...contract }: DueContract): WantedDocument[] =>
  [...prepayments, ...usage].map((period) => ({ ...contract, period }));

interface Billing extends BatchOptions {
  readonly log: Pick<Logger, 'error'>;
}

/**
 * The documents of each contract in their order, those of many contracts together. Behind a bill that was refused the later
 * ones of its contract wait: a discount, a year's limit and a meter's price go by the bills before.
 */
export async function billContracts(
  deps: BillingDeps,
  organization: string,
  due: readonly DueContract[],
  billing: Billing,
): Promise<{ issued: number; refused: number }> {
  const total = { issued: 0, refused: 0 };
  const open = due.map((contract) => ({ contract, left: allOf(contract) }));
  for (let round = open; round.length > 0; round = round.filter(({ left }) => left.length > 0)) {
    for (let first = 0; first < round.length; first += DOCUMENTS_MAX) {
      billing.mayGoOn();
      const batch = round.slice(first, first + DOCUMENTS_MAX);
      const outcome = await billedApart(
        deps,
        organization,
        batch.flatMap(({ left }) => left.slice(0, 1)),
        billing,
      );
      total.issued += outcome.issued.length;
      const stopped = new Map(outcome.refused.map((one) => [one.subscription, one]));
      const waiting: RefusedDocument[] = [];
      for (const one of batch) {
        one.left = one.left.slice(1);
        const refused = stopped.get(one.contract.id);
        if (refused?.type !== 'usage') continue;
        waiting.push(...one.left.map((later) => refusedOf(later, waitsFor(refused))));
        one.left = [];
      }
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

/** Where a batch fails by a defect, the contract that has it is found by halves: the others are billed. */
async function billedApart(
  deps: BillingDeps,
  organization: string,
  wanted: readonly WantedDocument[],
  billing: Billing,
): Promise<BatchOutcome> {
  try {
    return await billBatch(deps, organization, wanted, billing);
  } catch (error) {
    if (!isOwnDefect(error)) throw error;
    billing.mayGoOn();
    const [first] = wanted;
    if (first !== undefined && wanted.length === 1) {
      billing.log.error({ err: error, organization, subscription: first.id }, 'a bill failed by a defect');
      const detail = 'The calculation failed; the log of the worker says where.';
      const refused = [refusedOf(first, { code: 'defect', detail })];
      await storeWaiting(deps, organization, refused, billing);
      return { issued: [], refused };
    }
    const middle = Math.ceil(wanted.length / 2);
    const one = await billedApart(deps, organization, wanted.slice(0, middle), billing);
    const other = await billedApart(deps, organization, wanted.slice(middle), billing);
    return { issued: [...one.issued, ...other.issued], refused: [...one.refused, ...other.refused] };
  }
}
