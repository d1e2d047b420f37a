import type { Clock } from '../../../platform/clock.ts';
import type { Connection } from '../../../platform/database/db.ts';
import { Exact } from '../../../platform/money.ts';
import type { BillingBasis } from '../calculate/draft.ts';
import { moveUncollectible } from '../issue/move.ts';
import { listPrepaid, lockPrepayments, type PrepaymentRow } from './queries.ts';

/** Prepayments of the days that some bills close, held until the end of the transaction. */
export interface Deductions {
  readonly rows: readonly PrepaymentRow[];
  /**
   * Paid for the days of a contract's bill, EUR with VAT: what came in for its prepayments and stayed. The debit of a paid one may
   * have been taken back since.
   */
  paid(contract: string): string;
  /** Number of a prepayment of these days whose debit the bank has not settled yet: what it comes to is not known. */
  underWay(contract: string): string | undefined;
}

export async function holdDeductions(
  connection: Connection,
  organization: string,
  bills: readonly Pick<BillingBasis, 'contract' | 'period'>[],
): Promise<Deductions> {
  const rows = bills.length === 0 ? [] : await lockPrepayments(connection, organization, bills);
  const prepaid = await listPrepaid(
    connection,
    organization,
    rows.map(({ id }) => id),
  );
  const ofContract = Map.groupBy(rows, ({ subscription_id }) => subscription_id);
  const paidOf = ({ id, status, total }: PrepaymentRow): string => {
    const settled = new Exact(prepaid.get(id)?.settled ?? 0);
    if (status === 'voided' || settled.isNegative()) return '0';
    return settled.gt(total) ? total : settled.toFixed(2);
  };
  return {
    rows,
    paid: (contract) =>
      (ofContract.get(contract) ?? []).reduce((sum, row) => sum.plus(paidOf(row)), new Exact(0)).toFixed(2),
    underWay: (contract) =>
      (ofContract.get(contract) ?? []).find(
        ({ id, status }) =>
          (status === 'open' || status === 'uncollectible') && (prepaid.get(id)?.under_way ?? 0) > 0,
      )?.invoice_number,
  };
}

/**
 * The bill asks for all that was not paid, so that the single months are asked for no longer: for the interface they are
 * uncollectible, and money that comes in for one of them is money for the bill (`findBillThatTookOver`).
 */
export async function closePrepayments(
  connection: Connection,
  organization: string,
  /** Ids of the contracts whose bills are made. */
  { held, closed, clock }: { held: Deductions; closed: readonly string[]; clock: Pick<Clock, 'now'> },
): Promise<void> {
  for (const { id, subscription_id, status } of held.rows) {
    if (status !== 'open' || !closed.includes(subscription_id)) continue;
    await moveUncollectible(connection, organization, id, clock);
  }
}
