import type { Decimal } from 'decimal.js';
import { Exact } from '../../../platform/money.ts';
import { addMonths } from '../../../platform/time/berlin-calendar.ts';
import { counted, lineOf } from './line.ts';
import type { Piece } from './pieces.ts';
import { netOf } from './sums.ts';
import type { InvoiceLine } from './types.ts';

/** A line of an earlier bill, as far as it tells the grid fees of a year. */
export type GridLine = Pick<InvoiceLine, 'kind' | 'from' | 'until' | 'net'>;

export const GRID_KINDS = ['grid_base', 'module_1', 'grid_energy', 'module_1_cap'] as const;

/**
 * The credit of module 1 may bring the grid fees of a calendar year down to zero and not below (BK8-22/010-A). That is settled
 * once: on the bill that holds the year's last day, or on the last one of the contract, with the bills before it. A bill that
 * is corrected afterwards settles nothing by itself; the one that does is calculated anew behind it.
 */
export function module1CapLines(
  pieces: readonly Piece[],
  lines: readonly InvoiceLine[],
  earlier: readonly GridLine[],
  isFinal: boolean,
): InvoiceLine[] {
  const years = [...Map.groupBy(pieces, ({ from }) => from.slice(0, 4))];
  return years.flatMap(([year, ofYear], index) => {
    const last = ofYear.at(-1);
    const isLastOfBill = index === years.length - 1;
    const isSettled = last?.until === addMonths(`${year}-01-01`, 12) || (isFinal && isLastOfBill);
    if (last === undefined || !isSettled) return [];
    const line = capLine(
      last,
      [...earlier, ...lines].filter((line) => line.from.startsWith(year) && isOfGrid(line)),
    );
    return line === undefined ? [] : [line];
  });
}

export function isOfGrid({ kind }: Pick<GridLine, 'kind'>): boolean {
  return GRID_KINDS.some((gridKind) => gridKind === kind);
}

function capLine(piece: Piece, lines: readonly GridLine[]): InvoiceLine | undefined {
  const isCap = ({ kind }: GridLine) => kind === 'module_1_cap';
  const gridFees = netOf(lines.filter((line) => !isCap(line)));
  const takenBack = netOf(lines.filter(isCap));
  const needed: Decimal = Exact.max(0, gridFees.negated());
  const net = needed.minus(takenBack);
  if (net.isZero()) return undefined;
  return lineOf(piece, 'module_1_cap', {
    net,
    figures: [
      counted('grid_fees_of_year', gridFees, 'EUR net', 'invoices'),
      counted('taken_back_before', takenBack, 'EUR net', 'invoices'),
    ],
  });
}
