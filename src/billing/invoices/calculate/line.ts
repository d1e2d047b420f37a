import type { Decimal } from 'decimal.js';
import { Exact, euros, roundAmount, roundHalfUp } from '../../../platform/money.ts';
import type { Figure } from '../../../tariffs/reference-data/figures.ts';
import type { Piece } from './pieces.ts';
import type { Band, InvoiceLine, LineFigure, LineKind } from './types.ts';

/** Prices that are no whole number of cents, a 365th of a yearly one for instance, are shown with so many decimals. */
const SHOWN_DECIMALS = 10;

export interface LineParts {
  /** Not rounded. */
  readonly net: Decimal;
  readonly quantity?: Decimal.Value | null;
  readonly unit?: InvoiceLine['unit'];
  readonly unitPrice?: Decimal | null;
  readonly figures: readonly LineFigure[];
  readonly band?: Band;
  /** The piece's rate where absent. */
  readonly vatRate?: string;
}

/** A line about the days of a piece. Each is rounded by itself: that is the sum a structured invoice is checked by. */
export function lineOf(
  piece: Pick<Piece, 'from' | 'until' | 'vatRate'>,
  kind: LineKind,
  parts: LineParts,
): InvoiceLine {
  const { net, quantity, unit, unitPrice, figures, band, vatRate } = parts;
  return {
    ...{ kind, from: piece.from, until: piece.until, band: band ?? null },
    quantity: quantity === undefined || quantity === null ? null : new Exact(quantity).toFixed(),
    unit: unit ?? null,
    unitPrice: unitPrice ? roundHalfUp(unitPrice, SHOWN_DECIMALS).toFixed() : null,
    net: roundAmount(net).toFixed(2),
    vatRate: vatRate ?? piece.vatRate.value,
    figures,
  };
}

/** So much a day; the amount is made of the exact price, not of the shown one. */
export function dailyLine(
  piece: Piece,
  kind: LineKind,
  { perDay, figures }: { perDay: Decimal; figures: readonly LineFigure[] },
): InvoiceLine {
  return lineOf(piece, kind, {
    ...{ net: perDay.times(piece.days), quantity: piece.days, unit: 'day', unitPrice: perDay, figures },
  });
}

/** So much a month: whole months as such, parts of one by days. */
export function monthlyLine(
  piece: Piece,
  kind: LineKind,
  { perMonth, figures }: { perMonth: Decimal; figures: readonly LineFigure[] },
): InvoiceLine {
  const { days, daysOfMonth } = piece;
  if (days === daysOfMonth)
    return lineOf(piece, kind, { net: perMonth, quantity: 1, unit: 'month', unitPrice: perMonth, figures });
  return lineOf(piece, kind, {
    net: perMonth.times(days).dividedBy(daysOfMonth),
    ...{ quantity: days, unit: 'day', unitPrice: perMonth.dividedBy(daysOfMonth), figures },
  });
}

/** So many ct for each kWh. */
export function perKwh({
  kwh,
  cents,
  figures,
}: {
  kwh: Decimal;
  cents: Decimal.Value;
  figures: readonly LineFigure[];
}): LineParts {
  const price = euros(cents);
  return { net: kwh.times(price), quantity: kwh, unit: 'kWh', unitPrice: price, figures };
}

/** A figure of the price lists. */
export function listed(name: string, { value, unit, origin }: Figure): LineFigure {
  const { table, key, source, valid_from } = origin;
  return { name, value, unit, table, key, source, validFrom: valid_from };
}

/** A figure of the plan's terms. */
export function agreed(
  name: string,
  value: string,
  unit: string,
  { terms }: Pick<Piece, 'terms'>,
): LineFigure {
  return { name, value, unit, table: null, key: null, source: 'plan_terms', validFrom: terms.valid_from };
}

/** What was measured, counted or summed up. */
export function counted(name: string, value: Decimal.Value, unit: string, source: string): LineFigure {
  const text = new Exact(value).toFixed();
  return { name, value: text, unit, table: null, key: null, source, validFrom: null };
}
