import { noteBillsLookedAt } from '../../../contracts/held-contracts/service.ts';
import type { Connection } from '../../../platform/database/db.ts';
import { type JobResult, type JobRun, organizationOf } from '../../../platform/jobs/jobs.ts';
import { berlinDayAt, berlinDayOf, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import { factsFor, factsOf } from '../basis/facts.ts';
import { issuerOf } from '../basis/issuer.ts';
import type { BilledPeriod } from '../calculate/contract.ts';
import { type BillingBasis, type DraftInvoice, draftInvoice } from '../calculate/draft.ts';
import { issueInvoice } from '../issue/issue.ts';
import { holdInvoice } from '../issue/move.ts';
import { mayMove } from '../issue/moves.ts';
import { findMoved, type StoredInvoice } from '../issue/queries.ts';
import { underWay, voidHeldInvoice } from '../issue/void.ts';
import type { BillingDeps } from '../jobs.ts';
import { type DueDocument, dueDocuments } from '../plan/due.ts';
import { type RefusedDocument, upsertRefusals } from '../plan/refusal-queries.ts';
import { followingInstalments, nextInstalmentOf } from '../prepayments/instalments.ts';
import { CORRECTED } from '../queries.ts';
import { BillingRefused, DEFECT, isOwnDefect } from '../refusal.ts';
import { lookedAtSince } from './changes.ts';
import { isExitDue, issueExitSummary } from './exit-summary.ts';
import { deleteCorrectionRefusals, listBillsOfContract } from './queries.ts';
import { type RecalculatedContract, recalculateContract } from './recalculate.ts';

export interface CorrectionOptions {
  readonly run: string | null;
  /** Bills are calculated anew also where nothing came in since. */
  readonly all: boolean;
  /** The contract is closed before six weeks have passed. */
  readonly closeNow: boolean;
  /** Looks at what was calculated before anything is issued; throws where it is not what was ordered. */
  readonly check?: (recalculated: RecalculatedContract) => void;
}

export interface CorrectionOutcome {
  /** Numbers of the bills that were replaced. */
  readonly replaced: readonly string[];
  /** Number of the document that closed the contract. */
  readonly exitSummary: string | null;
  readonly refused: number;
}

const NOTHING: CorrectionOutcome = { replaced: [], exitSummary: null, refused: 0 };

/**
 * Replaces the bills of a contract whose cents are others by what is known now: a void document and a new bill for each, all
 * of them in one transaction, or none. Behind the final bill one exit summary settles all of them instead, six weeks after
 * the end; then nothing follows any more.
 */
export async function correctContract(
  deps: BillingDeps,
  organization: string,
  id: string,
  options: CorrectionOptions,
): Promise<CorrectionOutcome> {
  const seenBefore = lookedAtSince(deps.clock.nowMilliseconds());
  for (;;) {
    const outcome = await correctOnce(deps, organization, id, options);
    if (outcome === null) continue;
    if (outcome.refused === 0) {
      const noting = deps.database.inOrganization({ organization }, (connection) =>
        noteBillsLookedAt(connection, organization, id, seenBefore),
      );
      /* What was issued is issued: without its note the bills are looked at once more. */
      await noting.catch((error: unknown) => {
        if (isOwnDefect(error)) throw error;
      });
    }
    return outcome;
  }
}

/** Null: a bill was reversed while it was calculated anew, and nothing was changed. */
async function correctOnce(
  { database, clock }: BillingDeps,
  organization: string,
  id: string,
  { run, all, closeNow, check }: CorrectionOptions,
): Promise<CorrectionOutcome | null> {
  return await database.inOrganization({ organization }, async (connection) => {
    const nowMilliseconds = clock.nowMilliseconds();
    const recalculated = await recalculateContract(connection, organization, id, { all, nowMilliseconds });
    if (recalculated === null) {
      await deleteCorrectionRefusals(connection, organization, id);
      return NOTHING;
    }
    check?.(recalculated);
    const correction = { connection, organization, clock, run, recalculated };
    const isEnded = recalculated.bills.some(({ is_final }) => is_final);
    const corrected = isEnded
      ? await settleExit(correction, { closeNow, today: berlinDayAt(nowMilliseconds) })
      : await replaceBills(correction);
    if (corrected === null) return null;
    const { outcome, refused } = corrected;
    await deleteCorrectionRefusals(connection, organization, id);
    await upsertRefusals(connection, organization, refused, { run, now: clock.now().toISOString() });
    return { ...outcome, refused: refused.length };
  });
}

interface Correction extends Pick<BillingDeps, 'clock'> {
  readonly connection: Connection;
  readonly organization: string;
  readonly run: string | null;
  readonly recalculated: RecalculatedContract;
}

interface CorrectedBills {
  readonly outcome: Omit<CorrectionOutcome, 'refused'>;
  readonly refused: readonly RefusedDocument[];
}

async function replaceBills(correction: Correction): Promise<CorrectedBills | null> {
  const { connection, organization, clock, recalculated } = correction;
  const { differing } = recalculated;
  const refused = recalculated.refused.map(({ bill, refusal }) =>
    refusedOf('correction', recalculated, bill, refusal),
  );
  const held = await holdBills(
    correction,
    differing.map(({ bill }) => bill),
  );
  if (held === null) return null;
  const replaced: { original: StoredInvoice; draft: DraftInvoice; basis: BillingBasis }[] = [];
  for (const { bill, basis: known } of differing) {
    const original = held.get(bill.id);
    if (original === undefined) throw new Error(`${bill.id} is not held`);
    const now = clock.now().toISOString();
    const nextInstalment = await nextInstalmentOf(connection, organization, known, now);
    const basis = { ...known, nextInstalment };
    const draft = (await notReversed(correction, original)) ?? (await draftOf(correction, basis, now));
    if (draft instanceof BillingRefused) refused.push(refusedOf('correction', recalculated, bill, draft));
    else replaced.push({ original, draft, basis });
  }
  for (const { original, draft } of replaced) {
    await voidHeldInvoice(connection, organization, original, { reason: CORRECTED }, clock);
    const invoice = await issueInvoice(connection, organization, draft, clock);
    if (invoice instanceof BillingRefused)
      throw new Error(`The bill that replaces ${original.invoice_number} was not issued: ${invoice.message}`);
  }
  const bases = replaced.map(({ basis }) => basis);
  await followingInstalments(connection, organization, bases, clock.now().toISOString());
  const numbers = replaced.map(({ original }) => original.invoice_number);
  return { outcome: { replaced: numbers, exitSummary: null }, refused };
}

/** Holds bills to the end of the transaction, before the ledger; null: one was reversed by somebody meanwhile. */
async function holdBills(
  { connection, organization }: Correction,
  bills: readonly { readonly id: string }[],
): Promise<ReadonlyMap<string, StoredInvoice> | null> {
  const held = new Map<string, StoredInvoice>();
  for (const id of bills.map((bill) => bill.id).sort())
    held.set(id, await holdInvoice(connection, organization, id));
  return [...held.values()].some(({ status }) => status === 'voided') ? null : held;
}

async function draftOf(
  { connection, organization, run }: Correction,
  basis: BillingBasis,
  now: string,
): Promise<DraftInvoice | BillingRefused> {
  const issuer = await issuerOf(connection, organization);
  if (issuer instanceof BillingRefused) return issuer;
  const facts = await factsOf(connection, organization, [basis], now);
  return draftInvoice(basis, {
    ...{ facts: factsFor(facts, basis.contract.id), run },
    ...{ dueDays: issuer.due_days, issuedOn: berlinDayOf(now) },
  });
}

/** Why a bill cannot be replaced now; null: it can. */
async function notReversed(
  { connection, organization }: Correction,
  bill: StoredInvoice,
): Promise<BillingRefused | null> {
  const { id, invoice_number, status } = bill;
  if (!mayMove(bill, 'voided')) {
    const detail = `invoices: ${invoice_number} is ${status} and cannot be reversed; it is corrected when it is paid.`;
    return new BillingRefused('not_reversible', detail);
  }
  const { is_under_way } = await findMoved(connection, organization, id);
  return is_under_way ? new BillingRefused('payment_under_way', underWay(bill)) : null;
}

function refusedOf(
  type: 'correction' | 'exit_summary',
  { contract: { id: subscription, customer } }: RecalculatedContract,
  { from, until }: BilledPeriod,
  refusal: BillingRefused,
): RefusedDocument {
  return { type, subscription, customer, period: { from, until }, deadline: null, refusal };
}

async function settleExit(
  correction: Correction,
  { closeNow, today }: { closeNow: boolean; today: CalendarDay },
): Promise<CorrectedBills | null> {
  const { connection, organization, clock, run, recalculated } = correction;
  const { contract, bills, checked, differing } = recalculated;
  const refuse = (refusal: BillingRefused): CorrectedBills => {
    const period = { from: bills[0]?.from ?? '', until: bills.at(-1)?.until ?? '' };
    return { outcome: NOTHING, refused: [refusedOf('exit_summary', recalculated, period, refusal)] };
  };
  if (checked === 0) return { outcome: NOTHING, refused: [] };
  const waits = isExitDue(contract, today);
  if (waits !== null && !closeNow) return refuse(waits);
  const [unknown] = recalculated.refused;
  if (unknown !== undefined) return refuse(unknown.refusal);
  if (differing.length === 0) return { outcome: NOTHING, refused: [] };
  if ((await holdBills(correction, bills)) === null) return null;
  const moment = { nowMilliseconds: clock.nowMilliseconds(), month: null };
  const own = { first: contract.id, last: contract.id };
  const [missing] = await dueDocuments(connection, organization, own, moment);
  if (missing !== undefined) return refuse(waitsFor(missing));
  const exit = await issueExitSummary(connection, organization, {
    ...{ contract, bills, run, clock, corrected: differing },
  });
  if (exit instanceof BillingRefused) return refuse(exit);
  return { outcome: { replaced: [], exitSummary: exit }, refused: [] };
}

/** Behind the exit summary the days would never be billed. */
function waitsFor({ period: { from, until } }: DueDocument): BillingRefused {
  return new BillingRefused(
    'earlier_refused',
    `The bill from ${from} to ${until} comes first, and it is missing.`,
  );
}

type CorrectionRun = Pick<
  JobRun<{ run: string; contracts: string[] }>,
  'payload' | 'organization' | 'signal' | 'closing' | 'log'
>;

/** Begun again it finds nothing to correct in the contracts that it corrected. */
export async function correctBills(deps: BillingDeps, job: CorrectionRun): Promise<JobResult> {
  const organization = organizationOf(job);
  const { run, contracts } = job.payload;
  let failure: unknown;
  const total = await correctEach(deps, organization, contracts, {
    run,
    mayGoOn: () => {
      job.signal.throwIfAborted();
      job.closing.throwIfAborted();
    },
    tell: ({ subscription, error, isDefect }) => {
      const problem = { err: error, organization, subscription };
      if (isDefect) {
        job.log.error(problem, 'a correction failed by a defect');
        return;
      }
      job.log.warn(problem, 'a correction waits for the database');
      failure = error;
    },
  });
  /* The others are corrected; the run comes back for these, and where it is given up, the next daily run asks for them. */
  if (failure !== undefined) throw failure;
  return { ...total };
}

/** A contract whose correction failed. */
export interface FailedCorrection {
  readonly subscription: string;
  readonly error: unknown;
  /** Else the database was away, busy or full. */
  readonly isDefect: boolean;
}

interface EachContract {
  readonly run: string | null;
  /** Asked before each contract; throws where no further one is to be begun. */
  mayGoOn(): void;
  tell(failed: FailedCorrection): void;
}

/** Contract by contract: one that fails is told once, and keeps no other waiting. `refused` counts defects, too. */
export async function correctEach(
  deps: BillingDeps,
  organization: string,
  contracts: readonly string[],
  { mayGoOn, ...each }: EachContract,
): Promise<{ contracts: number; replaced: number; closed: number; refused: number }> {
  const total = { contracts: contracts.length, replaced: 0, closed: 0, refused: 0 };
  for (const id of contracts) {
    mayGoOn();
    try {
      const outcome = await correctApart(deps, organization, id, each);
      total.replaced += outcome.replaced.length;
      total.closed += outcome.exitSummary === null ? 0 : 1;
      total.refused += outcome.refused;
    } catch (error) {
      each.tell({ subscription: id, error, isDefect: false });
    }
  }
  return total;
}

/** A contract with a defect is refused, so that each run asks for it again. */
async function correctApart(
  deps: BillingDeps,
  organization: string,
  id: string,
  { run, tell }: Omit<EachContract, 'mayGoOn'>,
): Promise<CorrectionOutcome> {
  try {
    return await correctContract(deps, organization, id, { run, all: false, closeNow: false });
  } catch (error) {
    if (!isOwnDefect(error)) throw error;
    const now = deps.clock.now().toISOString();
    await deps.database.inOrganization({ organization }, async (connection) => {
      const bills = await listBillsOfContract(connection, organization, id);
      const refused = bills.slice(0, 1).map(({ customer_id: customer, from }) => ({
        ...{ type: 'correction' as const, subscription: id, customer, deadline: null, refusal: DEFECT },
        period: { from, until: bills.at(-1)?.until ?? from },
      }));
      await upsertRefusals(connection, organization, refused, { run, now });
    });
    tell({ subscription: id, error, isDefect: true });
    return { ...NOTHING, refused: 1 };
  }
}
