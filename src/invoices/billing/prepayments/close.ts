import type { Clock } from '../../../platform/clock.ts';
import type { Connection } from '../../../platform/database/db.ts';
import { Exact } from '../../../platform/money.ts';
import { moveUncollectible } from '../../issue/move.ts';
import type { BilledPeriod } from '../../lines/contract.ts';
import { lockPrepayments, type PrepaymentRow } from './deduction-queries.ts';

/** Prepayments of the days that some bills close, held until the end of the transaction. */
export interface Deductions {
  readonly rows: readonly PrepaymentRow[];
  /** Paid for the days of a contract's bill, EUR with VAT. */
  paid(contract: string): string;
}

export async function holdDeductions(
  connection: Connection,
  organization: string,
  bills: readonly { readonly id: string; readonly period: BilledPeriod }[],
): Promise<Deductions> {
  const rows = bills.length === 0 ? [] : await lockPrepayments(connection, organization, bills);
  const ofContract = Map.groupBy(rows, ({ subscription_id }) => subscription_id);
  return {
    rows,
    paid: (contract) =>
      (ofContract.get(contract) ?? [])
        .filter(({ status }) => status === 'paid')
        .reduce((sum, { total }) => sum.plus(total), new Exact(0))
        .toFixed(2),
  };
}

/** The bill asks for all that was not paid, so that the single months are asked for no longer. */
export async function closePrepayments(
  connection: Connection,
  organization: string,
  given: {
    held: Deductions;
    closed: readonly { readonly asked: { readonly id: string } }[];
    clock: Pick<Clock, 'now'>;
  },
): Promise<void> {
  const closed = new Set(given.closed.map(({ asked }) => asked.id));
  for (const { id, subscription_id, status } of given.held.rows) {
    if (status !== 'open' || !closed.has(subscription_id)) continue;
    await moveUncollectible(connection, organization, id, given.clock);
  }
}
