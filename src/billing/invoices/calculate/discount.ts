import { Exact, roundAmount, withoutVat } from '../../../platform/money.ts';
import type { BilledContract } from './contract.ts';
import { agreed, lineOf, listed } from './line.ts';
import type { Piece } from './pieces.ts';
import { netOf } from './sums.ts';
import type { InvoiceLine } from './types.ts';

/** What the plan takes off, as long as it runs, and never more than the other lines of the bill come to. */
export function discountLines(
  { supply }: Pick<BilledContract, 'supply'>,
  pieces: readonly Piece[],
  others: readonly InvoiceLine[],
): InvoiceLine[] {
  let left = Exact.max(netOf(others), 0);
  return pieces.flatMap((piece) => {
    const share = shareOf(piece, supply.first);
    const off = piece.terms.discount_amount_off;
    if (share === null || off === null) return [];
    const whole = roundAmount(withoutVat(off, piece.vatRate.value).times(share));
    const amount = Exact.min(whole, left);
    if (amount.isZero()) return [];
    left = left.minus(amount);
    const figures = [agreed('discount', off, 'EUR with VAT', piece), listed('vat_rate', piece.vatRate)];
    return [lineOf(piece, 'discount', { net: amount.negated(), figures })];
  });
}

/** The part of the amount that belongs to the days of a piece: whole on the first bill, else by the days of the month. */
function shareOf(piece: Piece, firstDay: string) {
  if (piece.terms.discount_duration === 'once') return piece.from === firstDay ? new Exact(1) : null;
  return piece.isDiscounted ? new Exact(piece.days).dividedBy(piece.daysOfMonth) : null;
}
