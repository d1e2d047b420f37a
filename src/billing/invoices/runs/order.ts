import { createHash } from 'node:crypto';
import { holdContract } from '../../../contracts/held-contracts/service.ts';
import { audit } from '../../../platform/audit.ts';
import type { Connection } from '../../../platform/database/db.ts';
import { conflict } from '../../../platform/errors.ts';
import { Exact } from '../../../platform/money.ts';
import { type StaffAct, staffOf } from '../../../platform/staff-act.ts';
import { berlinDayAt, berlinMidnight, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { RateSum } from '../calculate/types.ts';
import { changedContracts } from '../corrections/changes.ts';
import {
  type CorrectionOutcome,
  correctContract,
  correctEach,
  type FailedCorrection,
} from '../corrections/correct.ts';
import { exitFrom } from '../corrections/exit-summary.ts';
import { type ContractPage, isClosed, listBillsOfContract } from '../corrections/queries.ts';
import { type RecalculatedContract, recalculateContract } from '../corrections/recalculate.ts';
import type { BillingDeps } from '../jobs.ts';
import { askForBilling, askForBillingOf, type BillingOrder } from './run.ts';

/** The back office asks for what is due, before the daily run does or in another way. */
export function orderBilling(
  { database }: Pick<BillingDeps, 'database'>,
  organization: string,
  order: Omit<BillingOrder, 'dueAt'>,
  act: StaffAct,
): Promise<{ run: string; portions: number }> {
  return database.inOrganization({ organization }, async (connection) => {
    const begun = await askForBilling(connection, organization, { ...order, dueAt: null }, act.now);
    if (begun === null) throw new Error('A run without a tick is always a new one');
    await audit(connection, {
      ...staffOf(act, organization),
      act: order.estimateGaps ? 'invoices.run_with_estimates' : 'invoices.run',
      object_id: begun.run,
    });
    return begun;
  });
}

/** Tries again what is due for one contract: what was missing has been entered. Corrections that were refused, too. */
export function orderBillingOf(
  { database }: Pick<BillingDeps, 'database'>,
  organization: string,
  id: string,
  act: StaffAct,
): Promise<{ run: string; portions: number }> {
  return database.inOrganization({ organization }, async (connection) => {
    await holdContract(connection, organization, id);
    const begun = await askForBillingOf(connection, organization, id, act.now);
    await audit(connection, { ...staffOf(act, organization), act: 'invoices.run', object_id: id });
    return begun;
  });
}

/**
 * Has the bills of a contract calculated anew now, for the back office. With `closeNow` its exit summary does not wait.
 * `seen` names the preview that was seen: nothing is issued that differs from it.
 */
export async function orderCorrection(
  deps: BillingDeps,
  organization: string,
  id: string,
  { closeNow, seen }: { closeNow: boolean; seen?: string },
  act: StaffAct,
): Promise<CorrectionOutcome> {
  await deps.database.inOrganization({ organization }, async (connection) => {
    await holdContract(connection, organization, id);
    await refuseMisplaced(connection, organization, id, closeNow);
    const name = closeNow ? 'invoices.exit_summary' : 'invoices.correct';
    await audit(connection, { ...staffOf(act, organization), act: name, object_id: id });
  });
  const check = (recalculated: RecalculatedContract) => {
    if (seen === undefined || seen === nameOfPreview(correctedBills(recalculated))) return;
    const message = 'The bills come to something else than in the preview: look at it again';
    throw conflict([{ code: 'custom', field: 'subscription', message }]);
  };
  return await correctContract(deps, organization, id, { run: null, all: true, closeNow, check });
}

/** A bill that is another by now. */
export interface CorrectedBill {
  readonly subscription: string;
  readonly invoice_number: string;
  readonly from: CalendarDay;
  readonly until: CalendarDay;
  /** EUR with VAT. */
  readonly before: string;
  readonly now: string;
  readonly difference: string;
}

export interface CorrectionPreview {
  /** Contracts of which something changed. */
  readonly contracts: number;
  readonly bills: readonly CorrectedBill[];
  readonly difference: string;
  readonly refused: readonly {
    readonly subscription: string;
    readonly code: string;
    readonly detail: string;
  }[];
  /** Contracts that could not be calculated; the others are in the sums. */
  readonly failed: readonly Omit<FailedCorrection, 'isDefect'>[];
}

export interface ContractPreview {
  readonly bills: readonly CorrectedBill[];
  readonly difference: string;
  readonly refused: readonly {
    readonly invoice_number: string;
    readonly code: string;
    readonly detail: string;
  }[];
  /** How an order says that it means this preview. */
  readonly name: string;
  /** Behind the final bill nothing is replaced: an exit summary settles the difference, from this day on. */
  readonly exit_from: CalendarDay | null;
  /** Nothing is issued for the contract any more, or nothing was yet. */
  readonly is_closed: boolean;
}

/** What `orderCorrection` would come to now. Nothing is issued. */
export async function previewCorrection(
  { database, clock }: BillingDeps,
  organization: string,
  id: string,
): Promise<ContractPreview> {
  const options = { all: true, nowMilliseconds: clock.nowMilliseconds() };
  const recalculated = await database.inOrganization({ organization }, (connection) =>
    recalculateContract(connection, organization, id, options),
  );
  const bills = recalculated === null ? [] : correctedBills(recalculated);
  const isEnded = recalculated?.bills.some(({ is_final }) => is_final) === true;
  return {
    ...{ bills, difference: sumOf(bills), name: nameOfPreview(bills), is_closed: recalculated === null },
    refused: (recalculated?.refused ?? []).map(({ bill, refusal }) => ({
      ...{ invoice_number: bill.invoice_number, code: refusal.code, detail: refusal.detail },
    })),
    exit_from: isEnded && recalculated !== null ? exitFrom(recalculated.contract) : null,
  };
}

function correctedBills({ contract, differing }: RecalculatedContract): CorrectedBill[] {
  return differing.map(({ bill, charges }) => {
    const [before, now] = [grossOf(bill.taxes), grossOf(charges.sums.taxes)];
    return {
      ...{
        subscription: contract.id,
        invoice_number: bill.invoice_number,
        from: bill.from,
        until: bill.until,
      },
      ...{ before: before.toFixed(2), now: now.toFixed(2), difference: now.minus(before).toFixed(2) },
    };
  });
}

function sumOf(bills: readonly CorrectedBill[]): string {
  return bills.reduce((sum, bill) => sum.plus(bill.difference), new Exact(0)).toFixed(2);
}

function nameOfPreview(bills: readonly CorrectedBill[]): string {
  const said = bills.map(({ invoice_number, now }) => `${invoice_number} ${now}`).join('\n');
  return createHash('sha256').update(said).digest('base64url');
}

/**
 * Corrections of all contracts of which something changed since a day, and what they come to. Issues nothing, and does not
 * calculate contracts of which nothing changed.
 */
export async function previewCorrections(
  { database, clock }: BillingDeps,
  organization: string,
  since: CalendarDay,
): Promise<CorrectionPreview> {
  const contracts = await contractsChangedSince({ database, clock }, organization, since);
  const bills: CorrectedBill[] = [];
  const refused: { subscription: string; code: string; detail: string }[] = [];
  const failed: CorrectionPreview['failed'][number][] = [];
  for (const id of contracts) {
    const options = { all: false, nowMilliseconds: clock.nowMilliseconds() };
    try {
      const recalculated = await database.inOrganization({ organization }, (connection) =>
        recalculateContract(connection, organization, id, options),
      );
      if (recalculated !== null) bills.push(...correctedBills(recalculated));
      for (const { refusal } of recalculated?.refused ?? [])
        refused.push({ subscription: id, code: refusal.code, detail: refusal.detail });
    } catch (error) {
      failed.push({ subscription: id, error });
    }
  }
  return { contracts: contracts.length, bills, difference: sumOf(bills), refused, failed };
}

interface OrderedCorrections {
  readonly contracts: number;
  readonly replaced: number;
  readonly exit_summaries: number;
  /** Without those that failed. */
  readonly refused: number;
  readonly failed: readonly FailedCorrection[];
}

/** The same, and issued, as the daily run does it. Cut off, it may be ordered again: what is corrected is found as such. */
export async function orderCorrections(
  deps: BillingDeps,
  organization: string,
  since: CalendarDay,
  act: StaffAct,
): Promise<OrderedCorrections> {
  const contracts = await contractsChangedSince(deps, organization, since);
  await deps.database.inOrganization({ organization }, (connection) =>
    audit(connection, { ...staffOf(act, organization), act: 'invoices.correct_all' }),
  );
  const failed: FailedCorrection[] = [];
  const { closed, refused, ...total } = await correctEach(deps, organization, contracts, {
    run: null,
    mayGoOn: () => {},
    tell: (correction) => failed.push(correction),
  });
  const defects = failed.filter(({ isDefect }) => isDefect).length;
  return { ...total, exit_summaries: closed, refused: refused - defects, failed };
}

async function contractsChangedSince(
  { database, clock }: BillingDeps,
  organization: string,
  since: CalendarDay,
): Promise<string[]> {
  const days = { since: berlinMidnight(since), today: berlinDayAt(clock.nowMilliseconds()) };
  const contracts: string[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const look: { since: string; today: CalendarDay; after: string } = { ...days, after };
    const page: ContractPage = await database.inOrganization({ organization }, (connection) =>
      changedContracts(connection, organization, look),
    );
    contracts.push(...page.contracts);
    after = page.last;
  }
  return contracts;
}

function grossOf(taxes: readonly RateSum[]) {
  return taxes.reduce((sum, { net, tax }) => sum.plus(net).plus(tax), new Exact(0));
}

/** Behind the exit summary nothing is issued, and before the final bill there is nothing that it could settle. */
async function refuseMisplaced(
  connection: Connection,
  organization: string,
  id: string,
  closeNow: boolean,
): Promise<void> {
  const refused = (message: string) => conflict([{ code: 'custom', field: 'subscription', message }]);
  if (await isClosed(connection, organization, id))
    throw refused(`${id} has its exit summary: nothing is issued after it`);
  if (!closeNow) return;
  const bills = await listBillsOfContract(connection, organization, id);
  if (!bills.some(({ is_final }) => is_final))
    throw refused(`${id} has no final bill yet: the exit summary settles what changed behind it`);
}
