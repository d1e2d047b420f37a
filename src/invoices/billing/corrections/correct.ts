import type { Connection } from '../../../platform/database/db.ts';
import { Exact } from '../../../platform/money.ts';
import { berlinDayAt, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import { factsFor, factsOf } from '../../documents/facts.ts';
import { changedBills } from '../../energy/changes.ts';
import { issueInvoices } from '../../issue/issue.ts';
import { holdInvoice } from '../../issue/move.ts';
import { voidInvoice } from '../../issue/void.ts';
import type { BilledContract } from '../../lines/contract.ts';
import type { InvoiceSums, RateSum } from '../../lines/types.ts';
import { BillingRefused } from '../../refusal.ts';
import type { BillingDeps } from '../batch.ts';
import { type CalculatedUsage, calculateUsage } from '../calculate.ts';
import { contractsOf } from '../contracts.ts';
import { dueOnOf, issuerOf } from '../due-on.ts';
import { holdDeductions } from '../prepayments/close.ts';
import { type RefusedDocument, upsertRefusals } from '../refusal-queries.ts';
import {
  deleteCorrectionRefusals,
  type HeldBill,
  isClosed,
  listBillsOfContract,
} from './correction-queries.ts';
import { isExitDue, issueExitSummary } from './exit-summary.ts';

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

/**
 * Replaces the bills of a contract whose cents are others by what is known now: a void document and a new bill for each. Behind
 * the final bill one exit summary settles all of them instead, six weeks after the end; then nothing follows any more.
 */
export async function correctContract(
  deps: BillingDeps,
  organization: string,
  id: string,
  options: CorrectionOptions,
): Promise<CorrectionOutcome> {
  const { database, clock } = deps;
  const found = await database.inOrganization({ organization }, async (connection) => {
    if (await isClosed(connection, organization, id)) return null;
    const bills = await listBillsOfContract(connection, organization, id);
    const [first] = bills;
    if (first === undefined) return null;
    const contract = (await contractsOf(connection, organization, [{ id, from: first.from }])).get(id);
    if (contract === undefined) return null;
    return { contract, bills, asked: await toCheck(connection, organization, { contract, bills }, options) };
  });
  const none = { replaced: [], exitSummary: null, refused: 0 };
  if (found === null) return none;
  const { contract, bills, asked } = found;
  const isFinal = bills.some(({ is_final }) => is_final);
  if (isFinal) {
    return await database.inOrganization({ organization }, (connection) =>
      settleExit(connection, organization, { deps, contract, bills, asked, options }),
    );
  }
  const refused: RefusedDocument[] = [];
  const replaced: string[] = [];
  for (const bill of asked) {
    const outcome = await database.inOrganization({ organization }, (connection) =>
      replaceBill(connection, organization, { deps, contract, bill, run: options.run }),
    );
    if (outcome instanceof BillingRefused) refused.push(refusedBill(contract, bill, outcome));
    else if (outcome) replaced.push(bill.invoice_number);
  }
  await database.inOrganization({ organization }, async (connection) => {
    await deleteCorrectionRefusals(connection, organization, id);
    await upsertRefusals(connection, organization, refused, {
      run: options.run,
      now: clock.now().toISOString(),
    });
  });
  return { replaced, exitSummary: null, refused: refused.length };
}

/** Bills whose energy may be another one. With module 1 a bill depends on the others of its year. */
async function toCheck(
  connection: Connection,
  organization: string,
  { contract, bills }: { contract: BilledContract; bills: readonly HeldBill[] },
  { all }: CorrectionOptions,
): Promise<readonly HeldBill[]> {
  if (all) return bills;
  const named = bills.map((bill) => ({
    ...{ invoice: bill.id, subscription: contract.id, meter: contract.meter },
    ...{ from: bill.from, until: bill.until, issuedAt: bill.issued_at },
  }));
  const changed = await changedBills(connection, organization, named);
  const first = bills.find(({ id }) => changed.has(id));
  if (first === undefined) return [];
  const hasLimit = contract.modules.some(({ module }) => module === 1);
  return bills.filter(({ id, from }) => changed.has(id) || (hasLimit && from >= first.from));
}

interface Recalculation {
  readonly deps: BillingDeps;
  readonly contract: BilledContract;
  readonly bill: HeldBill;
}

/** What a bill comes to by what is known now. */
async function recalculated(
  connection: Connection,
  organization: string,
  { deps, contract, bill }: Recalculation,
): Promise<CalculatedUsage | BillingRefused> {
  const period = { from: bill.from, until: bill.until };
  /* What a contract used in the years before counts as it did then. */
  const ofThen = (await contractsOf(connection, organization, [{ id: contract.id, from: bill.from }])).get(
    contract.id,
  );
  const asked = { contract: ofThen ?? contract, period, isFinal: bill.is_final };
  const held = await holdDeductions(connection, organization, [{ id: contract.id, period }]);
  /* What was estimated then is estimated where it is still missing. */
  const options = { estimateGaps: bill.is_estimated, nowMilliseconds: deps.clock.nowMilliseconds() };
  const found = await calculateUsage(
    connection,
    organization,
    [{ ...asked, deducted: held.paid(contract.id) }],
    options,
  );
  const usage = found.get(contract.id);
  if (usage === undefined) throw new Error(`Nobody calculated ${contract.id}`);
  return usage;
}

/** Whether any rate has other cents. */
function differs(bill: Pick<HeldBill, 'taxes'>, sums: Pick<InvoiceSums, 'taxes'>): boolean {
  const known = new Map((bill.taxes as RateSum[]).map((one) => [new Exact(one.rate).toFixed(), one]));
  const now = new Map(sums.taxes.map((one) => [new Exact(one.rate).toFixed(), one]));
  const rates = new Set([...known.keys(), ...now.keys()]);
  return [...rates].some((rate) => {
    const [one, other] = [known.get(rate), now.get(rate)];
    const isSame = (member: 'net' | 'tax') => new Exact(one?.[member] ?? 0).equals(other?.[member] ?? 0);
    return !isSame('net') || !isSame('tax');
  });
}

const REASON = 'The energy of the period is another by values that came in later';

async function replaceBill(
  connection: Connection,
  organization: string,
  { deps, contract, bill, run }: Recalculation & { run: string | null },
): Promise<boolean | BillingRefused> {
  const { clock } = deps;
  const usage = await recalculated(connection, organization, { deps, contract, bill });
  if (usage instanceof BillingRefused) return usage;
  if (!differs(bill, usage.draft.sums)) return false;
  const now = clock.now().toISOString();
  const issuer = await issuerOf(connection, organization);
  if (issuer instanceof BillingRefused) return issuer;
  const { pieces, energy, draft } = usage;
  const period = { from: bill.from, until: bill.until };
  const facts = await factsOf(connection, organization, [{ contract, period, pieces, energy }], now);
  /* Reversed by somebody meanwhile: its days are billed anew by the next run. */
  if ((await holdInvoice(connection, organization, bill.id)).status === 'voided') return false;
  await voidInvoice(connection, organization, bill.id, { reason: REASON }, clock);
  const [issued] = await issueInvoices(
    connection,
    organization,
    [
      {
        ...{ type: 'usage', subscription: contract.id, customer: contract.customer, period },
        ...{
          periodNumber: bill.period_number,
          usageKwh: draft.usageKwh,
          lines: draft.lines,
          sums: draft.sums,
        },
        ...{ isEstimated: energy.isEstimated, isFinal: bill.is_final, dueOn: dueOnOf(draft, issuer, now) },
        ...{ facts: factsFor(facts, contract.id), run },
      },
    ],
    clock,
  );
  if (issued?.outcome !== 'issued')
    throw new Error(`The bill that replaces ${bill.invoice_number} was not issued`);
  return true;
}

function refusedBill(contract: BilledContract, bill: HeldBill, refusal: BillingRefused): RefusedDocument {
  const period = { from: bill.from, until: bill.until };
  const { id: subscription, customer } = contract;
  return { type: 'correction', subscription, customer, period, deadline: null, refusal };
}

async function settleExit(
  connection: Connection,
  organization: string,
  given: {
    deps: BillingDeps;
    contract: BilledContract;
    bills: readonly HeldBill[];
    asked: readonly HeldBill[];
    options: CorrectionOptions;
  },
): Promise<CorrectionOutcome> {
  const { deps, contract, bills, asked, options } = given;
  const now = deps.clock.now().toISOString();
  await deleteCorrectionRefusals(connection, organization, contract.id);
  const none = { replaced: [], exitSummary: null, refused: 0 };
  if (asked.length === 0) return none;
  const refuse = async (refusal: BillingRefused): Promise<CorrectionOutcome> => {
    const period = { from: asked[0]?.from ?? '', until: bills.at(-1)?.until ?? '' };
    const document = {
      type: 'exit_summary' as const,
      subscription: contract.id,
      customer: contract.customer,
      period,
    };
    await upsertRefusals(connection, organization, [{ ...document, deadline: null, refusal }], {
      run: options.run,
      now,
    });
    return { ...none, refused: 1 };
  };
  const today: CalendarDay = berlinDayAt(deps.clock.nowMilliseconds());
  const waits = isExitDue(contract, today);
  if (waits !== null && !options.closeNow) return await refuse(waits);
  const corrected = [];
  let last: CalculatedUsage | null = null;
  for (const bill of asked) {
    const usage = await recalculated(connection, organization, { deps, contract, bill });
    if (usage instanceof BillingRefused) return await refuse(usage);
    last = usage;
    if (differs(bill, usage.draft.sums)) corrected.push({ bill, sums: usage.draft.sums });
  }
  if (corrected.length === 0 || last === null) return none;
  const exit = await issueExitSummary(connection, organization, {
    ...{ contract, bills, corrected, pieces: last.pieces, run: options.run, clock: deps.clock },
  });
  return exit instanceof BillingRefused ? await refuse(exit) : { ...none, exitSummary: exit };
}
