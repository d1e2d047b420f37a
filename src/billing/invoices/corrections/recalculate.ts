import type { Connection } from '../../../platform/database/db.ts';
import { Exact } from '../../../platform/money.ts';
import { meterValuesKeptSince } from '../../../platform/retention.ts';
import { addDays, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import { basesOf } from '../basis/basis.ts';
import { contractsOf } from '../basis/contracts.ts';
import { listGridLinesOfBills, listYearlyKwh } from '../basis/queries.ts';
import type { BilledContract } from '../calculate/contract.ts';
import { type BillingBasis, chargesOf } from '../calculate/draft.ts';
import { type GridLine, isOfGrid } from '../calculate/module-1-cap.ts';
import type { Charges, RateSum } from '../calculate/types.ts';
import type { BillingPeriod } from '../plan/periods.ts';
import { holdDeductions } from '../prepayments/close.ts';
import { BillingRefused } from '../refusal.ts';
import { changedBills } from './changes.ts';
import { type HeldBill, isClosed, listBillsOfContract } from './queries.ts';

/** A bill that was calculated anew. */
export interface RecalculatedBill {
  readonly bill: HeldBill;
  readonly basis: BillingBasis;
  readonly charges: Charges;
}

/** What the bills of a contract come to by what is known now. */
export interface RecalculatedContract {
  readonly contract: BilledContract;
  /** All that stand, ascending by their days. */
  readonly bills: readonly HeldBill[];
  /** How many of them were calculated anew. */
  readonly checked: number;
  /** Those whose cents are others. */
  readonly differing: readonly RecalculatedBill[];
  /** Those of which it cannot be said. */
  readonly refused: readonly { readonly bill: HeldBill; readonly refusal: BillingRefused }[];
}

/**
 * Calculates the bills of a contract anew whose inputs are others by now, or all of them, in their order: each beside what
 * those before it come to now, so that the limit of module 1 is settled once, on the last bill of its year. A bill whose values
 * are removed stands: nobody can say any more what was used. Null: nothing is issued for the contract any more, or nothing was
 * yet. Changes nothing; prepayments are held until the transaction ends.
 */
export async function recalculateContract(
  connection: Connection,
  organization: string,
  id: string,
  { all, nowMilliseconds }: { all: boolean; nowMilliseconds: number },
): Promise<RecalculatedContract | null> {
  if (await isClosed(connection, organization, id)) return null;
  const bills = await listBillsOfContract(connection, organization, id);
  const [first] = bills;
  if (first === undefined) return null;
  const contract = (await contractsOf(connection, organization, [{ id, from: first.from }])).get(id);
  if (contract === undefined) return null;
  const named = all ? bills : await billsToCheck(connection, organization, contract, bills);
  const keptSince = meterValuesKeptSince(nowMilliseconds);
  const questionable = new Set(named.filter((bill) => hasValues(bill, keptSince)));
  const differing: RecalculatedBill[] = [];
  const refused: { bill: HeldBill; refusal: BillingRefused }[] = [];
  if (questionable.size === 0) return { contract, bills, checked: 0, differing, refused };
  const earlierGridLines: GridLine[] = [];
  const stored = await listGridLinesOfBills(
    connection,
    organization,
    bills.map((bill) => bill.id),
  );
  for (const bill of bills) {
    const basis = questionable.has(bill)
      ? await basisOf(connection, organization, { contract, bill, earlierGridLines, nowMilliseconds })
      : null;
    if (basis === null || basis instanceof BillingRefused) {
      if (basis !== null) refused.push({ bill, refusal: basis });
      /* A bill that cannot be calculated stands as it is. */
      earlierGridLines.push(...(stored.get(bill.id) ?? []));
      continue;
    }
    const charges = chargesOf(basis);
    if (differs(bill, charges)) differing.push({ bill, basis, charges });
    earlierGridLines.push(...charges.lines.filter(isOfGrid));
  }
  return { contract, bills, checked: questionable.size, differing, refused };
}

/** As retention has it: values that a bill needs stay until it is paid or given up. */
function hasValues({ from, status }: Pick<HeldBill, 'from' | 'status'>, keptSince: CalendarDay): boolean {
  return from >= keptSince || status === 'open';
}

/**
 * Bills of which something changed since they were issued. With module 1 those that settle the limit of the same years, too;
 * also where a bill before them was issued later, because somebody had reversed the one before.
 */
async function billsToCheck(
  connection: Connection,
  organization: string,
  contract: BilledContract,
  bills: readonly HeldBill[],
): Promise<HeldBill[]> {
  const named = bills.map((bill) => ({
    ...{ invoice: bill.id, subscription: contract.id, meter: contract.meter },
    ...{ from: bill.from, until: bill.until, issuedAt: bill.issued_at },
  }));
  const changed = await changedBills(connection, organization, named);
  const hasLimit = contract.modules.some(({ module }) => module === 1);
  return bills.filter((bill, index) => {
    if (changed.has(bill.id)) return true;
    return (
      hasLimit &&
      bills.slice(0, index).some((before) => {
        const isSettledHere = yearsOf(before).some((year) => settles(bill, year));
        return isSettledHere && (changed.has(before.id) || before.issued_at > bill.issued_at);
      })
    );
  });
}

function yearsOf(bill: HeldBill): string[] {
  return [...new Set([bill.from.slice(0, 4), lastDayOf(bill).slice(0, 4)])];
}

const lastDayOf = ({ until }: HeldBill) => addDays(until, -1);

/** It holds the last day of the year, or ends the contract in it. */
function settles(bill: HeldBill, year: string): boolean {
  const last = lastDayOf(bill);
  const isLastDay = bill.from.slice(0, 4) <= year && last >= `${year}-12-31`;
  return isLastDay || (bill.is_final && last.startsWith(year));
}

async function basisOf(
  connection: Connection,
  organization: string,
  given: {
    contract: BilledContract;
    bill: HeldBill;
    earlierGridLines: readonly GridLine[];
    nowMilliseconds: number;
  },
): Promise<BillingBasis | BillingRefused> {
  const { contract, bill, nowMilliseconds } = given;
  const { id } = contract;
  const period = periodOf(bill);
  /* What a contract used in the years before counts as it did then. */
  const yearly = await listYearlyKwh(connection, organization, [{ id, from: bill.from }]);
  const held = await holdDeductions(connection, organization, [{ contract, period }]);
  const document = {
    ...{ contract: { ...contract, yearlyKwh: yearly.get(id) ?? [] }, period },
    ...{ deducted: held.paid(id), earlierGridLines: [...given.earlierGridLines] },
  };
  /* What was estimated then is estimated where it is still missing. */
  const options = { estimateGaps: bill.is_estimated, nowMilliseconds };
  const basis = (await basesOf(connection, organization, [document], options)).get(id);
  if (basis === undefined) throw new Error(`Nobody read what ${id} is billed by`);
  return basis;
}

/** That of the bill that stands. */
function periodOf({ from, until, period_number, is_final, names_instalment }: HeldBill): BillingPeriod {
  return {
    ...{ type: 'usage', number: period_number, from, until },
    ...{ instalment: null, isFinal: is_final, isClosing: names_instalment },
  };
}

/** Whether any rate has other cents. */
function differs(bill: Pick<HeldBill, 'taxes'>, { sums }: Charges): boolean {
  const byRate = (taxes: readonly RateSum[]) =>
    new Map(taxes.map((tax) => [new Exact(tax.rate).toFixed(), tax]));
  const [before, now] = [byRate(bill.taxes), byRate(sums.taxes)];
  return [...new Set([...before.keys(), ...now.keys()])].some((rate) => {
    const [old, recent] = [before.get(rate), now.get(rate)];
    const isSame = (member: 'net' | 'tax') => new Exact(old?.[member] ?? 0).equals(recent?.[member] ?? 0);
    return !isSame('net') || !isSame('tax');
  });
}
