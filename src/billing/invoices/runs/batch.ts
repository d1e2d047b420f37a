import { noteChangedBills } from '../../../contracts/held-contracts/service.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Connection } from '../../../platform/database/db.ts';
import { berlinDayOf, berlinMidnight } from '../../../platform/time/berlin-calendar.ts';
import type { IssuerRow } from '../../issuers/queries.ts';
import { basesOf } from '../basis/basis.ts';
import { contractsOf } from '../basis/contracts.ts';
import type { EnergyOptions } from '../basis/energy/energies.ts';
import { freezeMonths } from '../basis/energy/freeze.ts';
import { factsFor, factsOf } from '../basis/facts.ts';
import { issuerOfDue } from '../basis/issuer.ts';
import { type BillingBasis, type DraftInvoice, draftInvoice } from '../calculate/draft.ts';
import { listBilledBehind } from '../corrections/queries.ts';
import { issueInvoices } from '../issue/issue.ts';
import type { BillingDeps } from '../jobs.ts';
import { countedOtherwise, type DueDocument } from '../plan/due.ts';
import { deadlineOf } from '../plan/periods.ts';
import { deleteRefusals, type RefusedDocument, upsertRefusals } from '../plan/refusal-queries.ts';
import { closePrepayments, type Deductions, holdDeductions } from '../prepayments/close.ts';
import { followingInstalments, nextInstalmentOf } from '../prepayments/instalments.ts';
import { BillingRefused } from '../refusal.ts';

export interface BatchOptions {
  /** Null: no run asked for it. */
  readonly run: string | null;
  readonly estimateGaps: boolean;
  mayGoOn(): void;
}

/** Outcome of a batch: documents that are there now, and those that could not be made. */
export interface BatchOutcome {
  readonly issued: readonly DueDocument[];
  readonly refused: readonly RefusedDocument[];
}

/**
 * Makes the documents of some contracts, one for each, in one transaction: all of it is stored or nothing. The ledger is held
 * at its end only, when everything is calculated.
 */
export async function billBatch(
  { database, clock }: BillingDeps,
  organization: string,
  due: readonly DueDocument[],
  { run, estimateGaps, mayGoOn }: BatchOptions,
): Promise<BatchOutcome> {
  const documents = await database.inOrganization({ organization }, async (connection) => {
    const contracts = await contractsOf(
      connection,
      organization,
      due.map(({ subscription, period }) => ({ id: subscription, from: period.from })),
    );
    const all = due.map(({ subscription, period }) => {
      const contract = contracts.get(subscription);
      if (contract === undefined) throw new Error(`Contract ${subscription} is billed and has no supply`);
      return { contract, period };
    });
    await noteLimitsBehind(connection, organization, all, clock);
    return all;
  });
  const nowMilliseconds = clock.nowMilliseconds();
  const bills = documents.filter(({ period }) => period.type === 'usage');
  await freezeMonths(database, organization, bills, { nowMilliseconds, mayGoOn });
  const options = { estimateGaps, nowMilliseconds };
  return await database.inOrganization({ organization }, async (connection) => {
    /* The first of all locks of the transaction. */
    const issuer = await issuerOfDue(connection, organization, due);
    const changed = await countedOtherwise(connection, organization, due, clock.nowMilliseconds());
    const closing = bills.filter(({ period }) => period.isClosing);
    const held = await holdDeductions(connection, organization, closing);
    const { ready, drafts, ...calculated } = await draftsOf(connection, organization, documents, {
      ...{ issuer, changed, held, options, run, now: clock.now().toISOString() },
    });
    const closed = ready.map(({ contract }) => contract.id);
    await closePrepayments(connection, organization, { held, closed, clock });
    const issues = await issueInvoices(connection, organization, drafts, clock);
    const now = clock.now().toISOString();
    const refused = [
      ...calculated.refused,
      ...ready.flatMap((basis, index) => {
        const issue = issues[index];
        return issue instanceof BillingRefused ? [refusedBy(basis, issue)] : [];
      }),
    ];
    const missing = new Set(refused.map(({ subscription }) => subscription));
    const issued = due.filter(({ subscription }) => !missing.has(subscription));
    await upsertRefusals(connection, organization, refused, { run, now });
    await deleteRefusals(connection, organization, issued);
    await followingInstalments(connection, organization, ready, now);
    return { issued, refused };
  });
}

/**
 * Notes bills behind one that is made again after it was reversed. The limit of module 1 may stand on them: the next run
 * calculates them anew.
 */
async function noteLimitsBehind(
  connection: Connection,
  organization: string,
  documents: readonly Pick<BillingBasis, 'contract' | 'period'>[],
  clock: Pick<Clock, 'now'>,
): Promise<void> {
  const limited = documents.filter(
    ({ contract, period }) => period.type === 'usage' && contract.modules.some(({ module }) => module === 1),
  );
  if (limited.length === 0) return;
  const periods = limited.map(({ contract, period }) => ({
    ...{ id: contract.id, until: berlinMidnight(period.until) },
  }));
  const behind = await listBilledBehind(connection, organization, periods);
  for (const { contract, period } of limited.filter((bill) => behind.includes(bill.contract.id)))
    await noteChangedBills(connection, organization, [contract.id], period.until, clock.now().toISOString());
}

interface Drafts {
  readonly ready: readonly BillingBasis[];
  /** Of those that are ready, in their order. */
  readonly drafts: readonly DraftInvoice[];
  readonly refused: readonly RefusedDocument[];
}

/** Reads what the documents are calculated from, and calculates them. */
async function draftsOf(
  connection: Connection,
  organization: string,
  documents: readonly Pick<BillingBasis, 'contract' | 'period'>[],
  given: {
    issuer: IssuerRow | BillingRefused;
    changed: ReadonlySet<string>;
    held: Deductions;
    options: EnergyOptions;
    run: string | null;
    now: string;
  },
): Promise<Drafts> {
  const { issuer, changed, held, options, run, now } = given;
  const ready: BillingBasis[] = [];
  const refused: RefusedDocument[] = [];
  if (issuer instanceof BillingRefused)
    return { ready, drafts: [], refused: documents.map((document) => refusedBy(document, issuer)) };
  const obstacles = new Map(documents.map((document) => [document, obstacleOf(document, { changed, held })]));
  const bases = await basesOf(
    connection,
    organization,
    documents
      .filter((document) => obstacles.get(document) === null)
      .map(({ contract, period }) => ({ contract, period, deducted: held.paid(contract.id) })),
    options,
  );
  for (const document of documents) {
    const basis = obstacles.get(document) ?? bases.get(document.contract.id);
    if (basis === undefined) throw new Error(`Nobody read what ${document.contract.id} is billed by`);
    if (basis instanceof BillingRefused) refused.push(refusedBy(document, basis));
    else {
      const nextInstalment = await nextInstalmentOf(connection, organization, basis, now);
      ready.push({ ...basis, nextInstalment });
    }
  }
  const facts = await factsOf(connection, organization, ready, now);
  const frame = { dueDays: issuer.due_days, issuedOn: berlinDayOf(now), run };
  const drafts = ready.map((basis) =>
    draftInvoice(basis, { ...frame, facts: factsFor(facts, basis.contract.id) }),
  );
  return { ready, drafts, refused };
}

/** What keeps a document from being calculated at all; null: nothing. */
function obstacleOf(
  { contract, period }: Pick<BillingBasis, 'contract' | 'period'>,
  { changed, held }: { changed: ReadonlySet<string>; held: Deductions },
) {
  const { id: subscription } = contract;
  if (changed.has(subscription)) {
    const detail = `subscriptions: days of supply or mode of ${subscription} changed while the run went on; the next run counts anew.`;
    return new BillingRefused('not_settled', detail);
  }
  if (contract.number === null) {
    const detail = `subscriptions: ${subscription} has no number; a contract that was imported gets one by hand.`;
    return new BillingRefused('not_numbered', detail);
  }
  const debit = period.type === 'usage' ? held.underWay(subscription) : undefined;
  if (debit === undefined) return null;
  const detail = `payments: the debit of ${debit} is under way. It ends by payments import or invoices fail.`;
  return new BillingRefused('payment_under_way', detail);
}

function refusedBy(
  { contract: { id, customer }, period }: Pick<BillingBasis, 'contract' | 'period'>,
  refusal: BillingRefused,
): RefusedDocument {
  return refusedOf({ subscription: id, customer, period }, refusal);
}

export function refusedOf(
  { subscription, customer, period }: Omit<DueDocument, 'billsFrom'>,
  refusal: RefusedDocument['refusal'],
): RefusedDocument {
  const deadline = deadlineOf(period);
  return { type: period.type, subscription, customer, period, deadline, refusal };
}
