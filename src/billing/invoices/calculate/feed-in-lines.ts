import { Exact, euros } from '../../../platform/money.ts';
import { agreed, counted, lineOf, listed, monthlyLine } from './line.ts';
import type { PieceEnergy } from './piece-energy.ts';
import type { Piece } from './pieces.ts';
import type { InvoiceLine, LineFigure } from './types.ts';

/**
 * The lines of one piece of a feed-in contract. What the customer is paid is negative; it has VAT unless he is a small
 * business, and the fee of the plan has it always (§§10, 19 UStG).
 */
export function feedInLines(piece: Piece, energy: PieceEnergy): InvoiceLine[] {
  return [...feeLines(piece), compensationLine(piece, energy)];
}

function feeLines(piece: Piece): InvoiceLine[] {
  const fee = new Exact(piece.terms.base_fee_net);
  if (fee.isZero()) return [];
  const figures = [agreed('base_fee', piece.terms.base_fee_net, 'EUR/month net', piece)];
  return [monthlyLine(piece, 'base_fee', { perMonth: fee, figures })];
}

function compensationLine(piece: Piece, { kwh, kwhAtNegativePrice }: PieceEnergy): InvoiceLine {
  const rate = piece.feedIn;
  if (rate === null) throw new Error(`No compensation is known from ${piece.from} on`);
  const paid = rate.isUnpaidAtNegativePrices ? kwh.minus(kwhAtNegativePrice) : kwh;
  const price = euros(rate.cents).negated();
  const figures: LineFigure[] = [
    agreed('compensation', rate.cents, 'ct/kWh net', piece),
    ...rate.figures.map(({ name, figure }) => listed(name, figure)),
  ];
  if (rate.isUnpaidAtNegativePrices)
    figures.push(counted('kwh_unpaid_at_negative_price', kwhAtNegativePrice, 'kWh', '§51 EEG 2023'));
  if (rate.isOver) figures.push(counted('years_paid', 20, 'years', '§25 EEG 2023'));
  return lineOf(piece, 'feed_in', {
    ...{ net: paid.times(price), quantity: paid, unit: 'kWh', unitPrice: price, figures },
    ...(rate.isTaxExempt && { vatRate: '0' }),
  });
}
