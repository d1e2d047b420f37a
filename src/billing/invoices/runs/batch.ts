import { noteChangedBills } from '../../../contracts/held-contracts/service.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Connection, Database } from '../../../platform/database/db.ts';
import { addDays, berlinMidnight } from '../../../platform/time/berlin-calendar.ts';
import type { IssuerRow } from '../../issuers/queries.ts';
import { type CalculationOptions, calculateUsage, refusable } from '../basis/calculate.ts';
import { contractsOf } from '../basis/contracts.ts';
import { dueOnOf, issuerOfWanted } from '../basis/due-on.ts';
import { References } from '../basis/references.ts';
import type { BilledContract } from '../calculate/contract.ts';
import { type Piece, piecesOf } from '../calculate/pieces.ts';
import { prepaymentDraft } from '../calculate/prepayment.ts';
import { listBilledBehind } from '../corrections/change-queries.ts';
import { factsFor, factsOf } from '../documents/facts.ts';
import { freezeMonths } from '../energy/freeze.ts';
import type { DraftInvoice } from '../issue/draft.ts';
import { issueInvoices } from '../issue/issue.ts';
import { closePrepayments, type Deductions, holdDeductions } from '../prepayments/close.ts';
import { followingInstalments, nextInstalmentOf } from '../prepayments/instalments.ts';
import { BillingRefused } from '../refusal.ts';
import { deleteRefusals, type RefusedDocument, upsertRefusals } from './refusal-queries.ts';
import { type AskedDocument, nameOf, type ReadyDocument, refusedOf, type WantedDocument } from './wanted.ts';

export interface BillingDeps {
  readonly database: Database;
  readonly clock: Clock;
}

export interface BatchOptions {
  /** Null: no run asked for it. */
  readonly run: string | null;
  readonly estimateGaps: boolean;
  mayGoOn(): void;
}

/** What became of a batch: documents that are there now, and those that could not be made. */
export interface BatchOutcome {
  readonly issued: readonly WantedDocument[];
  readonly refused: readonly RefusedDocument[];
}

/**
 * Makes the documents of some contracts, one for each, in one transaction: all of it is stored or nothing. The ledger is held
 * at its end only, when everything is calculated.
 */
export async function billBatch(
  { database, clock }: BillingDeps,
  organization: string,
  wanted: readonly WantedDocument[],
  { run, estimateGaps, mayGoOn }: BatchOptions,
): Promise<BatchOutcome> {
  const asked = await database.inOrganization({ organization }, async (connection) => {
    const contracts = await contractsOf(
      connection,
      organization,
      wanted.map(({ id, period }) => ({ id, from: period.from })),
    );
    const all = wanted.map((one) => ({ ...one, contract: contractOf(contracts, one.id) }));
    await noteLimitsBehind(connection, organization, all, clock);
    return all;
  });
  const nowMilliseconds = clock.nowMilliseconds();
  const usage = asked.filter(({ period }) => period.type === 'usage');
  await freezeMonths(database, organization, usage, { nowMilliseconds, mayGoOn });
  const options = { estimateGaps, nowMilliseconds };
  return await database.inOrganization({ organization }, async (connection) => {
    /* The first of all locks of the transaction. */
    const issuer = await issuerOfWanted(connection, organization, wanted);
    const closing = usage.filter(({ period }) => period.isClosing);
    const held = await holdDeductions(connection, organization, closing);
    const drafts = await draftsOf(connection, organization, {
      asked,
      issuer,
      held,
      options,
      now: clock.now().toISOString(),
    });
    await closePrepayments(connection, organization, { held, closed: drafts.filter(isReady), clock });
    const outcomes = await issueInvoices(
      connection,
      organization,
      drafts.filter(isReady).map((ready) => ({ ...ready.document, run })),
      clock,
    );
    const now = clock.now().toISOString();
    const refused = [
      ...drafts.flatMap((one) => (isReady(one) ? [] : [one])),
      ...outcomes.flatMap((one) =>
        one.outcome === 'refused' ? [refusedOf(wantedOf(wanted, one.draft), one.refusal)] : [],
      ),
    ];
    const missing = new Set(refused.map(({ subscription }) => subscription));
    const issued = wanted.filter(({ id }) => !missing.has(id));
    await upsertRefusals(connection, organization, refused, { run, now });
    await deleteRefusals(connection, organization, issued.map(nameOf));
    await followingInstalments(connection, organization, drafts.filter(isReady), now);
    return { issued, refused };
  });
}

/**
 * Where somebody reversed a bill and it is made again, the limit of module 1 may stand on a bill behind it: that one is
 * calculated anew by the next run.
 */
async function noteLimitsBehind(
  connection: Connection,
  organization: string,
  asked: readonly AskedDocument[],
  clock: Pick<Clock, 'now'>,
): Promise<void> {
  const limited = asked.filter(
    ({ contract, period }) => period.type === 'usage' && contract.modules.some(({ module }) => module === 1),
  );
  if (limited.length === 0) return;
  const periods = limited.map(({ id, period }) => ({ id, until: berlinMidnight(period.until) }));
  const behind = await listBilledBehind(connection, organization, periods);
  for (const { id, period } of limited.filter((one) => behind.includes(one.id)))
    await noteChangedBills(connection, organization, [id], period.until, clock.now().toISOString());
}

type Prepared = Omit<ReadyDocument, 'document'> & {
  readonly pieces: readonly Piece[];
  readonly usageKwh: string | null;
};

type Calculated = Omit<Prepared, 'nextInstalment'>;

const isReady = (one: ReadyDocument | RefusedDocument): one is ReadyDocument => 'document' in one;

async function draftsOf(
  connection: Connection,
  organization: string,
  given: {
    asked: readonly AskedDocument[];
    issuer: IssuerRow | BillingRefused;
    held: Deductions;
    options: CalculationOptions;
    now: string;
  },
): Promise<(ReadyDocument | RefusedDocument)[]> {
  const { asked, issuer, now } = given;
  const references = new References();
  if (issuer instanceof BillingRefused) return asked.map((one) => refusedOf(one, issuer));
  const calculated = await preparedOf(connection, organization, { ...given, references });
  const prepared: (Prepared | RefusedDocument)[] = [];
  for (const one of calculated) {
    if ('refusal' in one) prepared.push(one);
    else {
      const nextInstalment = await nextInstalmentOf(connection, organization, one.asked, one.usageKwh, now);
      prepared.push({ ...one, nextInstalment });
    }
  }
  const ready = prepared.flatMap((one) => ('refusal' in one ? [] : [one]));
  const facts = await factsOf(
    connection,
    organization,
    ready.map(({ asked: { contract, period }, pieces, energy, nextInstalment }) => ({
      ...{ contract, period, pieces, energy, nextInstalment },
    })),
    now,
  );
  return prepared.map((one) => {
    if ('refusal' in one) return one;
    const { draft, energy, usageKwh, nextInstalment } = one;
    const { id, customer, period } = one.asked;
    const document = {
      ...{ type: period.type, subscription: id, customer, period, periodNumber: period.number },
      ...{ usageKwh, lines: draft.lines, sums: draft.sums, isEstimated: energy?.isEstimated ?? false },
      isFinal: period.isFinal,
      dueOn: dueOnOf(draft, issuer, now),
      facts: factsFor(facts, id),
    };
    return { asked: one.asked, draft, energy, nextInstalment, document };
  });
}

async function preparedOf(
  connection: Connection,
  organization: string,
  given: {
    asked: readonly AskedDocument[];
    held: Deductions;
    options: CalculationOptions;
    references: References;
  },
): Promise<(Calculated | RefusedDocument)[]> {
  const { asked, held, options, references } = given;
  const numbered = asked.filter(({ contract }) => contract.number !== null);
  const calculated = await calculateUsage(
    connection,
    organization,
    numbered.flatMap(({ id, contract, period }) =>
      period.type === 'usage' ? [{ contract, period, isFinal: period.isFinal, deducted: held.paid(id) }] : [],
    ),
    options,
  );
  const prepared: (Calculated | RefusedDocument)[] = [];
  for (const one of asked) {
    if (one.contract.number === null) {
      const detail = `subscriptions: ${one.id} has no number; a contract that was imported gets one by hand.`;
      prepared.push(refusedOf(one, new BillingRefused('not_numbered', detail)));
    } else if (one.period.type === 'prepayment')
      prepared.push(await prepaymentOf(connection, one, references));
    else if (held.underWay(one.id) !== undefined) {
      const detail = `payments: the debit of ${held.underWay(one.id)} is under way. It ends by payments import or invoices fail.`;
      prepared.push(refusedOf(one, new BillingRefused('payment_under_way', detail)));
    } else {
      const usage = calculated.get(one.id);
      if (usage === undefined) throw new Error(`Nobody calculated ${one.id}`);
      prepared.push(
        usage instanceof BillingRefused
          ? refusedOf(one, usage)
          : { ...usage, asked: one, usageKwh: usage.draft.usageKwh },
      );
    }
  }
  return prepared;
}

async function prepaymentOf(
  connection: Connection,
  asked: AskedDocument,
  references: References,
): Promise<Calculated | RefusedDocument> {
  const { contract, period } = asked;
  const firstDay = { from: period.from, until: addDays(period.from, 1) };
  const referenceOf = await references.read(connection, contract, firstDay);
  const pieces = refusable(() => piecesOf(contract, firstDay, referenceOf));
  if (pieces instanceof BillingRefused) return refusedOf(asked, pieces);
  const [piece] = pieces;
  if (piece === undefined || period.instalment === null) throw new Error(`${contract.id} has no instalment`);
  const draft = prepaymentDraft(period, period.instalment, piece.vatRate);
  return { asked, draft, energy: null, pieces, usageKwh: null };
}

function contractOf(contracts: ReadonlyMap<string, BilledContract>, id: string): BilledContract {
  const contract = contracts.get(id);
  if (contract === undefined) throw new Error(`Contract ${id} is billed and has no supply`);
  return contract;
}

function wantedOf(wanted: readonly WantedDocument[], draft: DraftInvoice): WantedDocument {
  const found = wanted.find(({ id }) => id === draft.subscription);
  if (found === undefined) throw new Error(`Nobody wanted a document for ${draft.subscription}`);
  return found;
}
