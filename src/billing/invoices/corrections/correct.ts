import type { Connection } from '../../../platform/database/db.ts';
import { berlinDayAt, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import { dueOnOf, issuerOf } from '../basis/due-on.ts';
import { factsFor, factsOf } from '../documents/facts.ts';
import type { DraftInvoice } from '../issue/draft.ts';
import { issueInvoices } from '../issue/issue.ts';
import { holdInvoice } from '../issue/move.ts';
import { mayMove } from '../issue/moves.ts';
import type { StoredInvoice } from '../issue/queries.ts';
import { voidHeldInvoice } from '../issue/void.ts';
import { BillingRefused } from '../refusal.ts';
import type { BillingDeps } from '../runs/batch.ts';
import { type RefusedDocument, upsertRefusals } from '../runs/refusal-queries.ts';
import { deleteCorrectionRefusals } from './correction-queries.ts';
import { isExitDue, issueExitSummary } from './exit-summary.ts';
import { type RecalculatedBill, type RecalculatedContract, recalculateContract } from './recalculate.ts';

export interface CorrectionOptions {
  readonly run: string | null;
  /** Bills are calculated anew also where nothing came in since. */
  readonly all: boolean;
  /** The contract is closed before six weeks have passed. */
  readonly closeNow: boolean;
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
  { database, clock }: BillingDeps,
  organization: string,
  id: string,
  { run, all, closeNow }: CorrectionOptions,
): Promise<CorrectionOutcome> {
  return await database.inOrganization({ organization }, async (connection) => {
    const nowMilliseconds = clock.nowMilliseconds();
    const found = await recalculateContract(connection, organization, id, { all, nowMilliseconds });
    if (found === null) return NOTHING;
    const correction = { connection, organization, clock, run, found };
    const isEnded = found.bills.some(({ is_final }) => is_final);
    const { outcome, refused } = isEnded
      ? await settleExit(correction, { closeNow, today: berlinDayAt(nowMilliseconds) })
      : await replaceBills(correction);
    await deleteCorrectionRefusals(connection, organization, id);
    await upsertRefusals(connection, organization, refused, { run, now: clock.now().toISOString() });
    return { ...outcome, refused: refused.length };
  });
}

interface Correction extends Pick<BillingDeps, 'clock'> {
  readonly connection: Connection;
  readonly organization: string;
  readonly run: string | null;
  readonly found: RecalculatedContract;
}

interface Corrected {
  readonly outcome: Omit<CorrectionOutcome, 'refused'>;
  readonly refused: readonly RefusedDocument[];
}

const REASON = 'What the bill was calculated from was corrected afterwards';

async function replaceBills(correction: Correction): Promise<Corrected> {
  const { connection, organization, clock, found } = correction;
  const refused = found.refused.map(({ bill, refusal }) => refusedBill(found, bill, refusal));
  const held = new Map<string, StoredInvoice>();
  /* By ascending id, and all of them before the ledger. */
  for (const id of found.differing.map(({ bill }) => bill.id).sort())
    held.set(id, await holdInvoice(connection, organization, id));
  /* Reversed by somebody meanwhile: its days are billed anew by the next run, and the others are looked at behind it. */
  if ([...held.values()].some(({ status }) => status === 'voided')) return { outcome: NOTHING, refused };
  const replaced: { original: StoredInvoice; draft: DraftInvoice }[] = [];
  for (const one of found.differing) {
    const original = held.get(one.bill.id);
    if (original === undefined) throw new Error(`${one.bill.id} is not held`);
    const draft = mayMove(original, 'voided') ? await draftOf(correction, one) : notReversed(original);
    if (draft instanceof BillingRefused) refused.push(refusedBill(found, one.bill, draft));
    else replaced.push({ original, draft });
  }
  for (const { original, draft } of replaced) {
    await voidHeldInvoice(connection, organization, original, { reason: REASON }, clock);
    const [issued] = await issueInvoices(connection, organization, [draft], clock);
    if (issued?.outcome !== 'issued')
      throw new Error(`The bill that replaces ${original.invoice_number} was not issued`);
  }
  const numbers = replaced.map(({ original }) => original.invoice_number);
  return { outcome: { replaced: numbers, exitSummary: null }, refused };
}

async function draftOf(
  { connection, organization, clock, run, found: { contract } }: Correction,
  { bill, usage: { pieces, energy, draft } }: RecalculatedBill,
): Promise<DraftInvoice | BillingRefused> {
  const issuer = await issuerOf(connection, organization);
  if (issuer instanceof BillingRefused) return issuer;
  const now = clock.now().toISOString();
  const period = { from: bill.from, until: bill.until };
  const facts = await factsOf(connection, organization, [{ contract, period, pieces, energy }], now);
  return {
    ...{ type: 'usage', subscription: contract.id, customer: contract.customer, period },
    ...{ periodNumber: bill.period_number, usageKwh: draft.usageKwh, lines: draft.lines, sums: draft.sums },
    ...{ isEstimated: energy.isEstimated, isFinal: bill.is_final, dueOn: dueOnOf(draft, issuer, now) },
    ...{ facts: factsFor(facts, contract.id), run },
  };
}

function notReversed({ invoice_number, status }: StoredInvoice): BillingRefused {
  const detail = `invoices: ${invoice_number} is ${status} and cannot be reversed; it is corrected when it is paid.`;
  return new BillingRefused('not_reversible', detail);
}

function refusedBill(
  { contract }: RecalculatedContract,
  bill: RecalculatedBill['bill'],
  refusal: BillingRefused,
): RefusedDocument {
  const period = { from: bill.from, until: bill.until };
  const { id: subscription, customer } = contract;
  return { type: 'correction', subscription, customer, period, deadline: null, refusal };
}

async function settleExit(
  { connection, organization, clock, run, found }: Correction,
  { closeNow, today }: { closeNow: boolean; today: CalendarDay },
): Promise<Corrected> {
  const { contract, bills, checked, differing } = found;
  const refuse = (refusal: BillingRefused): Corrected => {
    const period = { from: bills[0]?.from ?? '', until: bills.at(-1)?.until ?? '' };
    const { id: subscription, customer } = contract;
    const document = { type: 'exit_summary' as const, subscription, customer, period, deadline: null };
    return { outcome: NOTHING, refused: [{ ...document, refusal }] };
  };
  if (checked === 0) return { outcome: NOTHING, refused: [] };
  const waits = isExitDue(contract, today);
  if (waits !== null && !closeNow) return refuse(waits);
  const [unknown] = found.refused;
  if (unknown !== undefined) return refuse(unknown.refusal);
  const last = differing.at(-1);
  if (last === undefined) return { outcome: NOTHING, refused: [] };
  const exit = await issueExitSummary(connection, organization, {
    ...{ contract, bills, run, clock, pieces: last.usage.pieces },
    corrected: differing.map(({ bill, usage }) => ({ bill, sums: usage.draft.sums })),
  });
  if (exit instanceof BillingRefused) return refuse(exit);
  return { outcome: { replaced: [], exitSummary: exit }, refused: [] };
}
